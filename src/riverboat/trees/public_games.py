"""From a game to its public shapes: by a builder of its own where it has one, else by walking.

A builder is what a game too large to walk hands in; the tree and the solvers do not know it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from riverboat.games.base import Game
from riverboat.trees.public_tree import Place, PublicShapes

__all__ = ["BUILDERS", "Infoset", "PublicGame", "Worlds", "has_shapes", "public_game"]

BUILDERS: dict[str, str] = {
    "duel": "riverboat.trees.duel_shapes:duel_game",
}
"""Name of a game → "module:builder"; a builder takes the game and returns a PublicGame."""

Locate: TypeAlias = Callable[[int, str], tuple[Place, int] | None]
Infoset: TypeAlias = tuple[int, str, Place, int]
"""Player, text, where it stands and its lane."""
Worlds: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""(W,) probabilities and (W, 2, T, L, L) payoffs of what chance hides from both players."""


@dataclass(frozen=True, repr=False)
class PublicGame:
    """A game's shapes, and how its infosets' texts are found among them."""

    game: Game
    shapes: PublicShapes
    locate: Locate
    """(player, infoset) → where it stands and its lane, or None for a text that is no infoset."""
    infosets: Callable[[], Iterator[Infoset]]
    """All of them, node by node: what `locate` answers, asked of nobody."""
    worlds: Callable[[], Worlds]
    """The payoffs split by what nobody sees, for solvers that sample it."""

    def __repr__(self) -> str:
        return f"<PublicGame {self.game.name}: {self.shapes!r}>"

    def _repr_html_(self) -> str:
        return self.shapes._repr_html_()


def has_shapes(game: Game) -> bool:
    """Whether a game hands in shapes of its own, and so is solved on a public tree."""
    return game.name in BUILDERS


def public_game(game: Game) -> PublicGame:
    """The public shapes of a game for two players."""
    if has_shapes(game):
        module, _, attribute = BUILDERS[game.name].partition(":")
        builder = getattr(importlib.import_module(module), attribute)
        return cast("Callable[[Game], PublicGame]", builder)(game)
    from riverboat.trees.public_walk import walk_shapes

    shapes, places = walk_shapes(game)
    return PublicGame(
        game,
        shapes,
        lambda player, infoset: places.get((player, infoset)),
        lambda: ((player, key, *where) for (player, key), where in places.items()),
        lambda: (np.ones(1), shapes.payoffs[None]),
    )
