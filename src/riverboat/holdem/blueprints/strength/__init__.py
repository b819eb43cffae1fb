"""Measure blueprints: local best response, duplicate matches, exact values of small games."""

DOORS = ("abstract_play", "duplicate_match", "lbr", "measure", "pot_shares")
