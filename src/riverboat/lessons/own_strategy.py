"""A strategy written down by hand: a table of infosets, for lessons and assignments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from riverboat.errors import ParameterError
from riverboat.games.base import Game
from riverboat.games.registry import make_game
from riverboat.strategies.any_strategy import AnyStrategy
from riverboat.strategies.profile import probabilities_on, strategy_on
from riverboat.strategies.strategy import Strategy
from riverboat.trees.game_tree import build_tree

__all__ = ["own_strategy"]

Table = Mapping[Any, Mapping[str, float]]


def own_strategy(game: str | Game, table: Table, rest: AnyStrategy | None = None) -> Strategy:
    """A strategy of a small game from {"J|": {"p": 0.8, "b": 0.2}, …}.

    What the table leaves out is taken from `rest`, or else all actions are equally likely. A key is
    an infoset, or (player, infoset) where two players have one of that name.
    """
    rules = make_game(game) if isinstance(game, str) else game
    tree = build_tree(rules)
    chances = tree.uniform() if rest is None else probabilities_on(tree, rest).copy()
    places: dict[Any, list[int]] = {}
    for i, (player, key) in enumerate(zip(tree.players.tolist(), tree.infosets, strict=True)):
        places.setdefault(key, []).append(i)
        places[player, key] = [i]
    for key, wanted in table.items():
        for i in places.get(key, ()):
            first, last = int(tree.offsets[i]), int(tree.offsets[i + 1])
            chances[first:last] = _checked(key, wanted, tree.actions[first:last])
        if key not in places:
            raise ParameterError(f"{rules.name} has no infoset {key!r}.")
    return strategy_on(tree, chances, {"algorithm": "by hand"})


def _checked(key: Any, wanted: Any, actions: tuple[str, ...]) -> list[float]:
    """The probabilities in the order of the actions."""
    if not isinstance(wanted, Mapping):
        raise ParameterError(f"At {key!r} give a table such as {{'{actions[0]}': 1.0}}.")
    unknown = [action for action in wanted if action not in actions]
    if unknown:
        raise ParameterError(
            f"At {key!r} there is no action {unknown[0]!r}; there are {', '.join(actions)}."
        )
    try:
        found = [float(wanted.get(action, 0.0)) for action in actions]
    except (TypeError, ValueError):
        raise ParameterError(f"At {key!r} a probability is not a number.") from None
    if any(not math.isfinite(p) or p < -1e-9 for p in found) or abs(sum(found) - 1) > 1e-6:
        raise ParameterError(f"At {key!r} the probabilities must be 0 or more and add up to 1.")
    return found
