"""Depth-limited search of a flop, with the blueprint's values where its betting ends."""

DOORS = ("street_search",)
