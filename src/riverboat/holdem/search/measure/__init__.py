"""Measure the searching player: local best response and matches over whole ranges."""

DOORS = ("local_response", "match")
