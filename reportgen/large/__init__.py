"""Runs that take long or need more than one machine: answers kept on the way, searches, projection and permutations on workers."""
