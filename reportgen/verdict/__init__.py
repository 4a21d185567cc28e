"""Intervals, preconditions and the rule that makes the level."""
