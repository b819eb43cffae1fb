"""Solving games from a page, and walking strategies."""

DOORS = ("runs", "runs_page", "strategy_page")
