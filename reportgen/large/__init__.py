"""Runs that take long or need more than one machine: answers kept on the way, and workers."""
