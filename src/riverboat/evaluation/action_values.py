"""What each action is worth to the player at an infoset when everybody follows a strategy.

The value is conditional on the infoset being reached: histories are weighted by what chance and
the other players do, not by the player's own past. It is what a hint or a coach shows.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from riverboat.trees.game_tree import GameTree

__all__ = ["action_values", "history_values"]


def history_values(tree: GameTree, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, P) each player's expected return from every history on."""
    values = np.zeros((tree.num_histories, tree.num_players))
    values[tree.terminals] = tree.returns
    step = np.where(tree.slot >= 0, probabilities[tree.slot], tree.chance)
    for first, last in reversed(list(itertools.pairwise(tree.levels[1:].tolist()))):
        weighted = values[first:last] * step[first:last, None]
        np.add.at(values, tree.parent[first:last], weighted)
    return values


def action_values(tree: GameTree, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """(A,) each slot's value to its player; NaN at infosets that the others never let happen."""
    values = history_values(tree, probabilities)
    slots = np.flatnonzero(tree.slot >= 0)
    acting = tree.actor[tree.parent[slots]]
    totals, weights = np.zeros(tree.num_slots), np.zeros(tree.num_slots)
    slot_player = np.repeat(tree.players, np.diff(tree.offsets))
    for player in range(tree.num_players):
        others = np.where(slot_player == player, 1.0, probabilities)
        reach = tree.reach(others)
        mine = slots[acting == player]
        weight = reach[tree.parent[mine]]
        np.add.at(totals, tree.slot[mine], weight * values[mine, player])
        np.add.at(weights, tree.slot[mine], weight)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(weights > 0, totals / weights, np.nan)
