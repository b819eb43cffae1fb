"""Solving games from a page, and walking strategies."""
