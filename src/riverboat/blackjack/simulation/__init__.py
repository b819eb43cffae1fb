"""Blackjack by play: compiled rounds, counts, ramps, deviations."""
