"""Blackjack pages: charts, calculators, trainer and the casino."""
