"""Blackjack pages: charts, calculators, trainer and the casino."""

DOORS = ("casino_page", "chart_page")
