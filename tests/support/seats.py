"""A plain player for seats at the twenty-one table."""

import numpy as np

from riverboat.players.player import View
from riverboat.twentyone.game import HIT, STAND, Result, points
from riverboat.twentyone.learning.players import SeatedPlayer


class Threshold:
    """Hits below a number of points, and remembers what it saw."""

    def __init__(self, name: str = "ada", below: int = 17) -> None:
        self.name = name
        self.below = below
        self.seen: list[str] = []
        self.results: list[Result] = []

    def choose(self, view: View, rng: np.random.Generator) -> str:
        self.seen.append(view.infoset)
        return HIT if points(view.infoset.partition("|")[0]) < self.below else STAND

    def hand_over(self, cards: object, up_card: str, result: Result) -> None:
        self.results.append(result)


def seated(name: str = "ada", below: int = 17) -> SeatedPlayer:
    """It, at a seat."""
    return SeatedPlayer(Threshold(name, below), np.random.default_rng(0))
