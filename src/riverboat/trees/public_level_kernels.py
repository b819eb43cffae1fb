"""A public tree by depth; trees/public_tree.py names the sizes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from riverboat.array_types import I32, I64
from riverboat.trees.public_kernels import TreeArrays

__all__ = ["LevelArrays", "number_levels"]


class LevelArrays(NamedTuple):
    """N nodes in the order of their depth, those of one depth depth-first; all are written."""

    shapes: I32  # (N,)
    slots: I32  # (N,) first slot
    children: I32  # (N,) the first node below; the others follow it, in the order of the edges
    reach: I32  # (2 * N,) for each player the slot that he took last, or the number of slots
    own_depth: I32  # (N,) nodes above where the one who acts here acted before; −1 for chance


@njit(cache=True)
def number_levels(tree: TreeArrays, level_offsets: I64, out: LevelArrays) -> None:
    """Write all of `out`; `level_offsets` (D + 1,) are the first nodes of each depth."""
    following = level_offsets.copy()
    path = np.empty(tree.max_depth, np.int64)
    none = tree.node_slot[tree.node_edge.size]
    for node in range(tree.node_edge.size):
        depth, edge = tree.node_depth[node], tree.node_edge[node]
        shape, at = tree.edge_child[edge], following[depth]
        following[depth] += 1
        path[depth] = at
        out.shapes[at] = shape
        out.slots[at] = tree.node_slot[node]
        out.children[at] = following[depth + 1] if depth + 1 < tree.max_depth else 0
        for q in range(2):
            out.reach[2 * at + q] = none
        count = 0
        if depth > 0:
            above = path[depth - 1]
            for q in range(2):
                out.reach[2 * at + q] = out.reach[2 * above + q]
            actor = tree.actor[out.shapes[above]]
            if actor >= 0:
                out.reach[2 * at + actor] = out.slots[above] + tree.edge_slot[edge]
        mine = tree.actor[shape]
        for d in range(depth):
            count += mine >= 0 and tree.actor[out.shapes[path[d]]] == mine
        out.own_depth[at] = count if mine >= 0 else -1
