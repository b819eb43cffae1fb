"""Kernels on public trees: unfolding, rows of lanes, and the values of a strategy.

A sweep is one loop over the nodes in depth-first order with a stack of frames, one for each node
on the path to the present one. Entering a node writes its reaches and strategy and adds the
payoffs of the ends below it; leaving it (when the next node is no deeper) adds its values to the
frame above. Values of a lane are counterfactual: weighted by the other player's reach and by the
hands' probability, which the tables hold, but not by the public cards above the node, a factor
that is the same for all that is compared there.

Sizes: N nodes, H shapes, K slots of shapes, S slots of nodes, E edges, T tables, L lanes, A most
actions, D depth. Arrays by lane are flat, and an offset says where a row begins: that and unsigned
indices are what lets the compiler use vector instructions. The small functions are always put in
place, since a call with a dozen arrays would cost more than its loop; they take rows and numbers,
and a sweep takes the tree apart once, since reading an array out of a tuple counts a reference.

A public tree by depth; trees/public_tree.py names the sizes.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy import uint64

from riverboat.runtime.array_types import F64, I8, I16, I32, I64
from riverboat.runtime.compiled import njit

ROWS = 5  # Rows of a table that one loop over lanes takes together
TINY = 1e-300  # Weights that add up to less count as none; their inverse would overflow


Frames: TypeAlias = tuple[I64, F64, F64, F64, F64]


class TreeArrays(NamedTuple):
    """What a kernel reads of a public tree; see trees/public_tree.py."""

    actor: I8  # (H,)
    slot_offsets: I64  # (H + 1,)
    slot_table: I32  # (K,)
    sizes: I64  # (H,)
    edge_slot: I8  # (E + 1,)
    edge_weight: F64  # (E + 1,)
    edge_child: I32  # (E + 1,)
    node_edge: I32  # (N,)
    node_depth: I16  # (N,)
    node_slot: I64  # (N + 1,)
    payoffs: F64  # (2 * T * L * L,)
    num_tables: int
    num_lanes: int
    max_depth: int
    max_actions: int
    fixed_lanes: tuple[int, ...]  # L zeros to have kernels compiled for this L, or none


@njit(cache=True)
def unfold(
    edge_offsets: I64,
    edge_child: I32,
    num_slots: I64,
    max_depth: int,
    node_edge: I32,
    node_depth: I16,
    node_slot: I64,
) -> int:
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


@njit(forceinline=True, error_model="numpy")
def normalise(sigma: F64, at: uint64, num_actions: int, lanes: uint64, total: F64) -> None:
    """Divide sigma's rows from `at` by their sum a lane, `total` (L,); uniform where it is 0."""
    uniform = 1.0 / num_actions
    for x in range(uint64(0), lanes):
        total[x] = 1.0 / total[x] if total[x] > TINY else -1.0
    for a in range(uint64(0), uint64(num_actions)):
        row = at + a * lanes
        for x in range(uint64(0), lanes):
            scale = total[x]
            sigma[row + x] = uniform if scale < 0.0 else sigma[row + x] * scale


@njit(forceinline=True, error_model="numpy")
def match(
    regrets: F64,
    scale: float,
    last: F64,
    prediction: float,
    source: uint64,
    num_actions: int,
    lanes: uint64,
    sigma: F64,
    at: uint64,
    total: F64,
) -> None:
    """Write σ ∝ [scale · R + prediction · r]⁺ of the rows from `source` into sigma's at `at`.

    Without a prediction the scale does not matter and is left out.
    """
    for x in range(uint64(0), lanes):
        total[x] = 0.0
    for a in range(uint64(0), uint64(num_actions)):
        row, origin = at + a * lanes, source + a * lanes
        if prediction == 0.0:
            for x in range(uint64(0), lanes):
                sigma[row + x] = max(regrets[origin + x], 0.0)
        else:
            for x in range(uint64(0), lanes):
                sigma[row + x] = max(
                    scale * regrets[origin + x] + prediction * last[origin + x], 0.0
                )
        for x in range(uint64(0), lanes):
            total[x] += sigma[row + x]
    normalise(sigma, at, num_actions, lanes, total)


@njit(forceinline=True, error_model="numpy")
def descend(
    reach: F64, above: uint64, at: uint64, lanes: uint64, sigma: F64, choice: uint64, actor: int
) -> None:
    """Write both reaches at `at` from those at `above`; the actor's are times sigma's row."""
    for x in range(uint64(0), uint64(2) * lanes):
        reach[at + x] = reach[above + x]
    if actor >= 0:
        row = at + uint64(actor) * lanes
        for x in range(uint64(0), lanes):
            reach[row + x] *= sigma[choice + x]


@njit(forceinline=True, error_model="numpy")
def add_payoffs(
    payoffs: F64, table: uint64, lanes: uint64, other: F64, values: F64, at: uint64
) -> None:
    """Add the product of `other` (L,) and the table (L, L) at `table` to values' row at `at`."""
    y = uint64(0)
    while y + uint64(ROWS) <= lanes:
        o0, o1, o2 = other[y], other[y + uint64(1)], other[y + uint64(2)]
        o3, o4 = other[y + uint64(3)], other[y + uint64(4)]
        r0 = table + y * lanes
        r1, r2, r3, r4 = (
            r0 + lanes,
            r0 + uint64(2) * lanes,
            r0 + uint64(3) * lanes,
            r0 + uint64(4) * lanes,
        )
        for x in range(uint64(0), lanes):
            values[at + x] += (
                o0 * payoffs[r0 + x]
                + o1 * payoffs[r1 + x]
                + o2 * payoffs[r2 + x]
                + o3 * payoffs[r3 + x]
                + o4 * payoffs[r4 + x]
            )
        y += uint64(ROWS)
    while y < lanes:
        row = table + y * lanes
        for x in range(uint64(0), lanes):
            values[at + x] += other[y] * payoffs[row + x]
        y += uint64(1)


@njit(forceinline=True, error_model="numpy")
def add_ends(
    slot_table: I32, first: int, num_actions: int, actor: int, q: int, skipped: int, payoffs: F64,
    lanes: uint64, reach: F64, reach_at: uint64, sigma: F64, sigma_at: uint64, values: F64,
    values_at: uint64, other: F64,
) -> None:  # fmt: skip
    """Clear player q's values of a node and add the payoffs of the ends below it."""
    for x in range(uint64(0), lanes * uint64(num_actions if actor == q else 1)):
        values[values_at + x] = 0.0
    for a in range(num_actions):
        table = slot_table[first + a]
        if table < 0:
            continue
        if actor == 1 - q:
            choice = sigma_at + uint64(a) * lanes
            for x in range(uint64(0), lanes):
                other[x] = reach[reach_at + x] * sigma[choice + x]
        else:
            for x in range(uint64(0), lanes):
                other[x] = reach[reach_at + x]
        start = uint64(skipped + table) * lanes * lanes
        at = values_at + uint64(a if actor == q else 0) * lanes
        add_payoffs(payoffs, start, lanes, other, values, at)


@njit(forceinline=True, error_model="numpy")
def average(
    sigma: F64,
    at: uint64,
    num_actions: int,
    lanes: uint64,
    values: F64,
    values_at: uint64,
    mean: F64,
) -> None:
    """Write the mean of values' rows, weighted by sigma's, into `mean` (L,)."""
    for x in range(uint64(0), lanes):
        mean[x] = sigma[at + x] * values[values_at + x]
    for a in range(uint64(1), uint64(num_actions)):
        row, choice = values_at + a * lanes, at + a * lanes
        for x in range(uint64(0), lanes):
            mean[x] += sigma[choice + x] * values[row + x]


@njit(forceinline=True, error_model="numpy")
def add_row(
    weight: float, source: F64, start: uint64, lanes: uint64, values: F64, at: uint64
) -> None:
    """Add `weight` times the row of `source` at `start` to values' row at `at`."""
    for x in range(uint64(0), lanes):
        values[at + x] += weight * source[start + x]


@njit(forceinline=True, error_model="numpy")
def best_row(
    values: F64, at: uint64, num_actions: int, lanes: uint64, best: F64, answer: F64, slot: uint64
) -> None:
    """Write the best of values' rows into `best` (L,), and 1 for it into answer's if wanted."""
    for x in range(uint64(0), lanes):
        best[x] = values[at + x]
    for a in range(uint64(1), uint64(num_actions)):
        for x in range(uint64(0), lanes):
            best[x] = max(best[x], values[at + a * lanes + x])
    if answer.size > 0:
        for x in range(uint64(0), lanes):
            action = uint64(x)
            while values[at + action] < best[x]:
                action += lanes
            answer[slot + action] = 1.0


@njit(forceinline=True, error_model="numpy")
def make_frames(max_depth: int, max_actions: int, num_lanes: int) -> Frames:
    """The stack of a sweep, a frame for each node on the path, and a row to work with.

    The nodes (D,), both players' reaches (D * 2 * L,), the actor's strategy (D * A * L,), each
    player's values by action, in one row where the player does not act (D * 2 * A * L,), the row
    (L,).
    """
    return (
        np.empty(max_depth, np.int64),
        np.empty(max_depth * 2 * num_lanes),
        np.empty(max_depth * max_actions * num_lanes),
        np.empty(max_depth * 2 * max_actions * num_lanes),
        np.empty(num_lanes),
    )


@njit(cache=True, nogil=True, error_model="numpy")
def evaluate(tree: TreeArrays, weights: F64, responder: int, answer: F64, out: F64) -> None:
    """Both players' values by lane when they play the average strategy.

    Arguments
    ---------
    weights : (S * L,) the average's weights, or probabilities
    responder : the player who plays the best response instead, or −1
    answer : (S * L,) zeros where the best response is wanted as a strategy, written; else empty
    out : (2 * L,) written; only the responder's half where there is one
    """
    (
        actor, slot_offsets, slot_table, _, edge_slot, edge_weight, edge_child,
        node_edge, node_depth, node_slot, payoffs, num_tables, _, max_depth, max_actions, _,
    ) = tree  # fmt: skip
    lanes = uint64(len(tree.fixed_lanes)) if len(tree.fixed_lanes) else uint64(tree.num_lanes)
    rows = uint64(max_actions)
    path, reach, sigma, values, mean = make_frames(max_depth, max_actions, tree.num_lanes)
    players = 3 if responder < 0 else 1 << responder
    node, top, end = 0, -1, node_edge.size
    while True:
        depth = node_depth[node] if node < end else 0
        while top >= depth:
            edge = node_edge[path[top]]
            shape = edge_child[edge]
            num_actions = slot_offsets[shape + 1] - slot_offsets[shape]
            for q in range(2):
                if not (players >> q) & 1:
                    continue
                values_at = uint64(top * 2 + q) * rows * lanes
                for x in range(uint64(0), lanes):
                    mean[x] = values[values_at + x]
                if actor[shape] == q == responder:
                    slot = uint64(node_slot[path[top]]) * lanes
                    best_row(values, values_at, num_actions, lanes, mean, answer, slot)
                elif actor[shape] == q:
                    sigma_at = uint64(top) * rows * lanes
                    average(sigma, sigma_at, num_actions, lanes, values, values_at, mean)
                if top == 0:
                    for x in range(uint64(0), lanes):
                        out[uint64(q) * lanes + x] = mean[x]
                else:
                    parent = edge_child[node_edge[path[top - 1]]]
                    chosen = uint64(edge_slot[edge] if actor[parent] == q else 0)
                    above = (uint64(top * 2 - 2 + q) * rows + chosen) * lanes
                    add_row(edge_weight[edge], mean, uint64(0), lanes, values, above)
            top -= 1
        if node >= end:
            break
        edge = node_edge[node]
        shape = edge_child[edge]
        reach_at = uint64(depth * 2) * lanes
        if depth == 0:
            for x in range(uint64(0), uint64(2) * lanes):
                reach[x] = 1.0
        else:
            parent = edge_child[node_edge[path[depth - 1]]]
            choice = (uint64(depth - 1) * rows + uint64(edge_slot[edge])) * lanes
            above = uint64(depth * 2 - 2) * lanes
            descend(reach, above, reach_at, lanes, sigma, choice, actor[parent])
        top = depth
        path[top] = node
        sigma_at = uint64(top) * rows * lanes
        first_slot = slot_offsets[shape]
        num_actions = slot_offsets[shape + 1] - first_slot
        if actor[shape] >= 0:
            slot = uint64(node_slot[node]) * lanes
            match(weights, 1.0, weights, 0.0, slot, num_actions, lanes, sigma, sigma_at, mean)
        for q in range(2):
            if (players >> q) & 1:
                add_ends(
                    slot_table, first_slot, num_actions, actor[shape], q,
                    q * num_tables, payoffs, lanes,
                    reach, reach_at + uint64(1 - q) * lanes, sigma, sigma_at,
                    values, uint64(top * 2 + q) * rows * lanes, mean,
                )  # fmt: skip
        node += 1


class LevelArrays(NamedTuple):
    """N nodes in the order of their depth, those of one depth depth-first; all are written."""

    shapes: I32  # (N,)
    slots: I32  # (N,) first slot
    children: I32  # (N,) the first node below; the others follow it, in the order of the edges
    reach: I32  # (2 * N,) for each player the slot taken last, or the number of slots
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
