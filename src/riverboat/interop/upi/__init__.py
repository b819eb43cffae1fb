"""The Universal Poker Interface: a spot solved by a client's commands."""

DOORS = ("session",)
