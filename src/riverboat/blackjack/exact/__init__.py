"""Exact values of blackjack hands and rounds, and the best chart."""

DOORS = ("analysis", "best_chart", "engine", "hand_tables", "rule_sweep")
