"""Coordinates and the exact nearest-neighbour search in them."""
