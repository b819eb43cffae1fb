"""Exact values of blackjack hands and rounds, and the best chart."""
