"""Exact values of strategies at one table: seat by seat, and by what chance deals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.games.base import Action, Game
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.strategies.strategy import Lookup, check_same_game, probabilities_on
from riverboat.trees.best_response import lane_values
from riverboat.trees.game_tree import MEMORY_LIMIT, GameTree, build_tree
from riverboat.trees.public_games import has_shapes, public_game
from riverboat.trees.public_tree import build_public_tree


def exact_value(
    game: Game | GameTree, strategies: Sequence[Lookup], *, memory_limit: int = MEMORY_LIMIT
) -> list[float]:
    """What each seat gets when seat s is played by `strategies[s]`.

    Games with a public tree of their own (the duel) are valued on it.
    """
    if not isinstance(game, GameTree) and has_shapes(game):
        return _public_value(game, strategies)
    tree = _tree(game, memory_limit)
    reach = tree.reach(_seated(tree, strategies))[tree.terminals]
    return [float(value) for value in reach @ tree.returns]


def _public_value(game: Game, strategies: Sequence[Lookup]) -> list[float]:
    rows = []
    for strategy in strategies:
        if not isinstance(strategy, PublicStrategy):
            raise UsageError(f"{game.name} takes strategies on its public tree.")
        check_same_game(game, strategy, "one of the strategies")
        rows.append(strategy.weights)
    if len(rows) != game.num_players:
        raise UsageError(f"{game.name} has {game.num_players} seats, not {len(rows)}.")
    tree = build_public_tree(public_game(game).shapes)
    actor = tree.shapes.actor[tree.shapes.edge_child[tree.node_edge]]
    second = np.repeat(actor == 1, np.diff(tree.node_slot))
    seated = np.where(second[:, None], rows[1], rows[0])
    return [float(value) for value in lane_values(tree, seated).sum(axis=1)]


def value_by_outcome(
    game: Game | GameTree,
    strategies: Lookup | Sequence[Lookup],
    *,
    event: int = 0,
    memory_limit: int = MEMORY_LIMIT,
) -> dict[Action, list[float]]:
    """What each seat gets given the outcome of chance's `event`-th move (0: the first).

    One strategy plays all seats; a sequence has one for each. Plays that end before that move do
    not count.
    """
    tree = _tree(game, memory_limit)
    seats = strategies if isinstance(strategies, Sequence) else [strategies] * tree.num_players
    reach = tree.reach(_seated(tree, seats))[tree.terminals]
    dealt = _dealt(tree, event)[tree.terminals]
    result: dict[Action, list[float]] = {}
    for number, outcome in enumerate(tree.outcomes):
        weight = np.where(dealt == number, reach, 0.0)
        if weight.sum() > 0:
            result[outcome] = [float(v) for v in weight @ tree.returns / weight.sum()]
    return result


def _seated(tree: GameTree, strategies: Sequence[Lookup]) -> NDArray[np.float64]:
    """(A,) each seat's slots from its own strategy."""
    if len(strategies) != tree.num_players:
        raise UsageError(f"{tree.game.name} has {tree.num_players} seats, not {len(strategies)}.")
    player = np.repeat(tree.players, np.diff(tree.offsets))
    result = np.zeros(tree.num_slots)
    for seat, strategy in enumerate(strategies):
        mine = player == seat
        result[mine] = probabilities_on(tree, strategy)[mine]
    return result


def _dealt(tree: GameTree, event: int) -> NDArray[np.int64]:
    """(N,) the outcome of chance's `event`-th move before each history, −1 where there is none."""
    count = np.zeros(tree.num_histories, np.int64)
    dealt = np.full(tree.num_histories, -1, np.int64)
    for first, last in zip(tree.levels[1:-1].tolist(), tree.levels[2:].tolist(), strict=True):
        parent = tree.parent[first:last]
        chance = tree.outcome[first:last] >= 0
        now = chance & (count[parent] == event)
        dealt[first:last] = np.where(now, tree.outcome[first:last], dealt[parent])
        count[first:last] = count[parent] + chance
    return dealt


def _tree(game: Game | GameTree, memory_limit: int) -> GameTree:
    return game if isinstance(game, GameTree) else build_tree(game, memory_limit=memory_limit)
