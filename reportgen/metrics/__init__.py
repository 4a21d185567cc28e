"""One file a metric: pure functions of distances and counts."""
