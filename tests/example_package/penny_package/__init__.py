"""A game and a player from outside the house."""
