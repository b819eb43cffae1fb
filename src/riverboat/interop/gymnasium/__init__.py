"""Blackjack and twenty-one as Gymnasium environments."""

DOORS = ("blackjack", "twentyone")
