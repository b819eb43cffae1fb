"""Exact values of blackjack by counting every card."""
