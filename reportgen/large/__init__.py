"""Runs that take long or need more than one machine: answers kept on the way, searches on workers."""
