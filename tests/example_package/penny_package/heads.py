"""A player of matching pennies who always shows heads."""

from __future__ import annotations

import numpy as np

from riverboat.games.base import Action, Game
from riverboat.players.player import View
from riverboat.players.roster import PlayerSpec


class Heads:
    """Shows heads, whatever happens."""

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        return "h"


def heads(game: Game, spec: PlayerSpec) -> Heads:
    """The player of the spec `heads`."""
    return Heads(spec.text)
