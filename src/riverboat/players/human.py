"""A person at the table: the view goes out through a function that a screen hands in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from riverboat.games.base import Action
from riverboat.players.player import View

__all__ = ["HumanPlayer"]


class HumanPlayer:
    """Asks; what comes back is a legal action, for the screen asks again until it is."""

    def __init__(self, ask: Callable[[View], Action], name: str = "human") -> None:
        self.name = name
        self.ask = ask

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        return self.ask(view)
