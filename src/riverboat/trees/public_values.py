"""What a strategy on a public tree is worth to each player, and what the best answer would be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riverboat.trees.best_response import Evaluation
from riverboat.trees.public_tree import PublicTree

if TYPE_CHECKING:
    from riverboat.trees.public_kernels import TreeArrays

__all__ = ["evaluate_public", "lane_values", "load_evaluation", "respond_public", "tree_arrays"]

LARGE = 1_000
"""Nodes from which on it pays to compile kernels for the tree's number of lanes."""


def tree_arrays(tree: PublicTree, *, fixed: bool = True) -> TreeArrays:
    """The tree as kernels take it; `fixed` lets them be compiled for its lanes if it is large."""
    from riverboat.trees.public_kernels import TreeArrays

    shapes = tree.shapes
    return TreeArrays(
        actor=shapes.actor,
        slot_offsets=shapes.slot_offsets,
        slot_table=shapes.slot_table,
        sizes=shapes.sizes,
        edge_slot=shapes.edge_slot,
        edge_weight=shapes.edge_weight,
        edge_child=shapes.edge_child,
        node_edge=tree.node_edge,
        node_depth=tree.node_depth,
        node_slot=tree.node_slot,
        payoffs=shapes.payoffs.ravel(),
        num_tables=shapes.num_tables,
        num_lanes=shapes.num_lanes,
        max_depth=shapes.max_depth,
        max_actions=int(shapes.num_slots.max()),
        fixed_lanes=(0,) * (shapes.num_lanes if fixed and tree.num_nodes >= LARGE else 0),
    )


def lane_values(
    tree: PublicTree, weights: NDArray[np.float64], responder: int = -1
) -> NDArray[np.float64]:
    """(2, L) what each hand adds to its player's value when both play `weights` (S, L).

    With a responder he plays a best response instead, and only his row means something.
    """
    from riverboat.trees.public_kernels import evaluate

    arrays = tree_arrays(tree)
    out = np.zeros(2 * arrays.num_lanes)
    evaluate(arrays, weights.ravel(), responder, np.empty(0), out)
    return out.reshape(2, -1)


def load_evaluation(tree: PublicTree) -> None:
    """Have the kernel compiled or read from its cache for this tree, without evaluating it."""
    from riverboat.trees.public_kernels import evaluate

    arrays = tree_arrays(tree)._replace(node_edge=np.empty(0, np.int32))
    evaluate(arrays, np.empty(0), -1, np.empty(0), np.zeros(2 * arrays.num_lanes))


def evaluate_public(tree: PublicTree, weights: NDArray[np.float64]) -> Evaluation:
    """Each player's value under `weights` (S, L), and what an exact best response would get."""
    value = lane_values(tree, weights).sum(axis=1)
    best = [float(lane_values(tree, weights, player)[player].sum()) for player in (0, 1)]
    return Evaluation(value.tolist(), best)


def respond_public(
    tree: PublicTree, weights: NDArray[np.float64], player: int
) -> NDArray[np.float64]:
    """(S, L) `weights` with a pure best response to the other in the player's own slots."""
    from riverboat.trees.public_kernels import evaluate

    arrays = tree_arrays(tree)
    answer, out = np.zeros(weights.size), np.zeros(2 * arrays.num_lanes)
    evaluate(arrays, weights.ravel(), player, answer, out)
    actor = tree.shapes.actor[tree.shapes.edge_child[tree.node_edge]]
    own = np.repeat(actor == player, np.diff(tree.node_slot))
    rows = weights.reshape(tree.num_slots, -1)
    return np.where(own[:, None], answer.reshape(rows.shape), rows)
