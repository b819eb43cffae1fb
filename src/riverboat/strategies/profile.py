"""Between a Strategy and the slots of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.games.base import Game, default_parameters, parameters_of
from riverboat.strategies.strategy import Lookup, Strategy
from riverboat.trees.game_tree import GameTree

__all__ = ["check_same_game", "probabilities_on", "strategy_on"]


def strategy_on(
    tree: GameTree, probabilities: NDArray[np.float64], info: Mapping[str, Any] | None = None
) -> Strategy:
    """(A,) probabilities of the tree's slots as a Strategy, infosets in the tree's order."""
    return Strategy(
        game=tree.game.name,
        parameters=parameters_of(tree.game),
        infosets=tree.infosets,
        players=tree.players,
        offsets=tree.offsets,
        actions=tree.actions,
        probabilities=probabilities,
        info=dict(info or {}),
    )


def probabilities_on(tree: GameTree, strategy: Lookup) -> NDArray[np.float64]:
    """(A,) the strategy's probabilities for the tree's slots, uniform where it knows nothing."""
    check_same_game(tree.game, strategy)
    if (
        isinstance(strategy, Strategy)
        and strategy.infosets == tree.infosets
        and strategy.actions == tree.actions
        and np.array_equal(strategy.players, tree.players)
        and np.array_equal(strategy.offsets, tree.offsets)
    ):
        return np.asarray(strategy.probabilities, np.float64)
    result = tree.uniform()
    offsets = tree.offsets.tolist()
    for i, (player, key) in enumerate(zip(tree.players.tolist(), tree.infosets, strict=True)):
        known = strategy.lookup(player, key)
        if known is None:
            continue
        first, last = offsets[i], offsets[i + 1]
        found = np.array([known.get(action, 0.0) for action in tree.actions[first:last]])
        if found.sum() > 0:
            result[first:last] = found / found.sum()
    return result


def check_same_game(game: Game, strategy: Lookup, source: str = "The strategy") -> None:
    """Refuse a strategy for another game or for other parameters."""
    mine, theirs = parameters_of(game), dict(strategy.parameters)
    if strategy.game != game.name:
        raise UsageError(f"{source} is for {strategy.game}, not for {game.name}.")
    # A file may be older than a parameter: it then has the default.
    if default_parameters(game) | theirs != mine:
        raise UsageError(
            f"{source} is for {_named(strategy.game, theirs)}, not for"
            f" {_named(game.name, mine)}; give the same parameters."
        )


def _named(name: str, parameters: Mapping[str, object]) -> str:
    return " ".join([name, *(f"{key}={value}" for key, value in parameters.items())])
