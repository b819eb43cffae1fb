"""Drills for basic strategy and counting."""

DOORS = ("count_drill", "drills")
