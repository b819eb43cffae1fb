"""Assignment 7: a bot for Leduc poker (Lesson 12).

Write `Bot.choose`. It sees
    view.actions   what it may do: some of "f" (fold), "c" (check or call), "r" (bet or raise)
    view.infoset   what it knows: own card, board card, moves, such as "Qs+Kh|rc/c"
    rng            a random generator: rng.random() is a number from 0 to 1

It must win more than 0.4 chips per hand from random play, and more than 0.3 from a bot that
always raises.

Check it with: riverboat check assignment7 assignment7.py
"""

import numpy as np

import riverboat as rb


class Bot:
    """A player of Leduc poker."""

    name = "mine"

    def choose(self, view: rb.View, rng: np.random.Generator) -> str:
        """One of view.actions."""
        raise NotImplementedError
