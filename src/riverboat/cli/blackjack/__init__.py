"""Commands for blackjack."""

DOORS = ("casino",)
