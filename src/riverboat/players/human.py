"""A person at the table, driven by a terminal, a TUI or a browser alike.

With `ask` the table calls it and waits for the answer, as a terminal wants it. Without, the hand
loop stops at the person's turn and hands out the view (arena.hand.Hand.advance), as a screen
with an event loop of its own wants it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from riverboat.errors import UsageError
from riverboat.games.base import Action
from riverboat.players.player import View

__all__ = ["HumanPlayer", "LeaveTable"]


class LeaveTable(Exception):  # noqa: N818
    """The person has had enough; what was played so far counts."""


class HumanPlayer:
    """Asks; what comes back is a legal action, for the screen asks again until it is."""

    def __init__(self, ask: Callable[[View], Action] | None = None, name: str = "human") -> None:
        self.name = name
        self.ask = ask

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        if self.ask is None:
            raise UsageError(f"Nobody asks {self.name}; drive the hand with Hand.advance and act.")
        return self.ask(view)
