"""Hands that were played, in files: PHH and PokerStars' text."""

DOORS = ("files", "hand", "phh")
