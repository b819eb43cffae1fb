"""Hands that were played, in files: PHH and PokerStars' text."""
