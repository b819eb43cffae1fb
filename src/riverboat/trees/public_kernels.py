"""The kernel that unfolds a graph of public shapes into the nodes of a public tree."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["unfold"]


@njit(cache=True)
def unfold(edge_offsets, edge_child, num_slots, max_depth, node_edge, node_depth, node_slot):
    """Write every node of the tree below shape 0, depth-first, parents before children.

    Arguments
    ---------
    edge_offsets : (H + 1,) int64, a shape's edges to shapes that decide
    edge_child : (E + 1,) int32, the shape an edge leads to; the last edge leads to the root
    num_slots : (H,) int64, slots (actions) of a shape
    max_depth : nodes on the longest path
    node_edge : (N,) int32, written: the edge by which a node is entered
    node_depth : (N,) int16, written
    node_slot : (N + 1,) int64, written: a node's first slot
    """
    following = np.empty(max_depth, np.int64)
    end = np.empty(max_depth, np.int64)
    node, slot, depth = 0, 0, 0
    edge = edge_child.size - 1
    while True:
        shape = edge_child[edge]
        node_edge[node] = edge
        node_depth[node] = depth
        node_slot[node] = slot
        node += 1
        slot += num_slots[shape]
        following[depth] = edge_offsets[shape]
        end[depth] = edge_offsets[shape + 1]
        while depth >= 0 and following[depth] == end[depth]:
            depth -= 1
        if depth < 0:
            break
        edge = following[depth]
        following[depth] += 1
        depth += 1
    node_slot[node] = slot
    return node
