"""Action values: the EV of each action at an infoset when all players follow a strategy.

The value is conditional on the infoset being reached: histories are weighted by what chance and
the other players do, not by the player's own past. It is what a hint or a coach shows.

`public_action_values` gives the same numbers at a node of a public tree, for every hand at once. It
visits only the part of the tree below the node, once for each action. Public cards must not depend
on the hands, as from the duel's endless deck; all other trees are small enough for `action_values`.

`exact_values` answers for games with a closed form: a product names its function in EXACT, so that
others can ask for its values without importing it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import cast

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.games.base import Action
from riverboat.runtime.plugins import find
from riverboat.trees.best_response import tree_arrays
from riverboat.trees.game_tree import GameTree
from riverboat.trees.public_tree import PublicTree

_SLIP = 1e-7  # How often a player is taken to slip where the strategy would never let a node happen
EXACT: dict[str, str] = {"twentyone": "riverboat.twentyone.learning.optimum:exact_values"}
"""Game → "module:function" of a function from an infoset to the value of each action there."""


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


def public_action_values(
    tree: PublicTree, weights: NDArray[np.float64], node: int
) -> NDArray[np.float64]:
    """(A, L) each action's value to the acting player with each hand, when both play `weights`.

    NaN stands for a hand that is impossible there.
    """
    from riverboat.trees.jitted import evaluate

    shapes = tree.shapes
    shape = int(shapes.edge_child[tree.node_edge[node]])
    player, count = int(shapes.actor[shape]), int(shapes.num_slots[shape])
    if player < 0:
        raise UsageError("Chance acts at this node.")
    if any(label and weight == 1.0 for label, weight in _cards(tree)):
        raise UsageError("The public cards of this tree depend on the hands; use its game tree.")
    rows = weights.reshape(tree.num_slots, shapes.num_lanes)
    reach = _reach_of_other(tree, rows, node, player)
    last = node + int(shapes.sizes[shape])
    first_slot, last_slot = int(tree.node_slot[node]), int(tree.node_slot[last])
    payoffs = shapes.payoffs * reach[:, None]  # others' hands are the rows of a table
    below = tree_arrays(tree)._replace(
        node_edge=tree.node_edge[node:last],
        node_depth=tree.node_depth[node:last] - tree.node_depth[node],
        node_slot=tree.node_slot[node : last + 1] - first_slot,
        payoffs=payoffs.ravel(),
    )
    played = rows[first_slot:last_slot].copy()
    values = np.empty((count, shapes.num_lanes))
    for action in range(count):
        played[:count] = 0.0
        played[action] = 1.0
        out = np.zeros(2 * shapes.num_lanes)
        evaluate(below, played.ravel(), -1, np.empty(0), out)
        values[action] = out.reshape(2, -1)[player]
    deal = shapes.deal if player == 0 else shapes.deal.T
    likely = deal @ reach
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(likely > 0, values / likely, np.nan)


def _cards(tree: PublicTree) -> Iterator[tuple[str, float]]:
    """Label and weight of every edge; a tree whose payoffs hold the cards' chances has ones."""
    return zip(tree.shapes.edge_labels, tree.shapes.edge_weight.tolist(), strict=True)


def _reach_of_other(
    tree: PublicTree, rows: NDArray[np.float64], node: int, player: int
) -> NDArray[np.float64]:
    """(L,) how often the other player comes to the node with each hand."""
    shapes = tree.shapes
    exact, slipping = np.ones(shapes.num_lanes), np.ones(shapes.num_lanes)
    while int(tree.node_depth[node]) > 0:
        above = np.flatnonzero(tree.node_depth[:node] == tree.node_depth[node] - 1)
        parent, choice = int(above[-1]), int(shapes.edge_slot[tree.node_edge[node]])
        shape = int(shapes.edge_child[tree.node_edge[parent]])
        if int(shapes.actor[shape]) == 1 - player:
            count, first = int(shapes.num_slots[shape]), int(tree.node_slot[parent])
            total = rows[first : first + count].sum(axis=0)
            known = total > 0
            share = np.where(known, rows[first + choice] / np.where(known, total, 1.0), 1 / count)
            exact = exact * share
            slipping = slipping * ((1 - _SLIP) * share + _SLIP / count)
        node = parent
    return exact if exact.max(initial=0.0) > 0 else slipping


def exact_values(game: str, infoset: str) -> dict[Action, float] | None:
    """The value of each action with best play after it; None where that is not known exactly."""
    if game not in EXACT:
        return None
    return cast("dict[Action, float]", find(EXACT[game])(infoset))
