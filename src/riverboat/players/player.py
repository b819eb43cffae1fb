"""What a player is: something that sees a View and picks one of its actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from riverboat.games.base import Action, Game

__all__ = ["Player", "View"]


@dataclass(frozen=True)
class View:
    """What a player may know when it must act; it never holds the state itself."""

    game: Game
    player: int
    infoset: str
    actions: Sequence[Action]
    scene: Callable[[], str] = lambda: ""
    """The scene in words as this player sees it (State.describe), made only when asked for."""


class Player(Protocol):
    """Picks an action. Randomness comes from the generator it is handed."""

    name: str

    def choose(self, view: View, rng: np.random.Generator) -> Action: ...
