"""Sweeps over a public tree: one loop over its nodes in depth-first order, with a stack of frames.

A frame belongs to a node on the path to the present one. Entering a node writes its reaches and
strategy and adds the payoffs of the ends below it; leaving it (when the next node is no deeper)
updates the regrets and adds its values to the frame above. Values of a lane are counterfactual:
weighted by the other player's reach and by the hands' probability, which the tables hold, but not
by the public cards above the node, a factor that is the same for all of its regrets.

Sizes: N nodes, H shapes, K slots of shapes, S slots of nodes, E edges, T tables, L lanes, A most
actions, D depth. Arrays by lane are flat, and an offset says where a row begins: that and unsigned
indices are what lets the compiler use vector instructions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, uint64
from numpy.typing import NDArray

__all__ = ["Rule", "TreeArrays", "evaluate", "find_parts", "sample_sweep", "sweep", "sweep_parts"]

OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy"}

ROWS = 5
"""Rows of a table that one loop over lanes takes together."""


class TreeArrays(NamedTuple):
    """What a kernel reads of a public tree; see trees/public_tree.py."""

    actor: NDArray[np.int8]  # (H,)
    slot_offsets: NDArray[np.int64]  # (H + 1,)
    slot_table: NDArray[np.int32]  # (K,)
    sizes: NDArray[np.int64]  # (H,)
    edge_slot: NDArray[np.int8]  # (E + 1,)
    edge_weight: NDArray[np.float64]  # (E + 1,)
    edge_child: NDArray[np.int32]  # (E + 1,)
    node_edge: NDArray[np.int32]  # (N,)
    node_depth: NDArray[np.int16]  # (N,)
    node_slot: NDArray[np.int64]  # (N + 1,)
    payoffs: NDArray[np.float64]  # (2 * T * L * L,)
    num_tables: int
    num_lanes: int
    max_depth: int
    max_actions: int


class Rule(NamedTuple):
    """One iteration's numbers of the regret-minimiser; see solvers/config.py."""

    positive: float  # discount of positive regrets
    negative: float
    floor: float  # 0 for the plus variants, else −∞
    prediction: float
    weight: float  # of this iteration in the average


@njit(inline="always", error_model="numpy")
def _normalise(sigma, at, num_actions, lanes, total):
    """Divide sigma's rows from `at` by their sum a lane, `total` (L,); uniform where it is 0."""
    uniform = 1.0 / num_actions
    for x in range(uint64(0), lanes):
        # 0 · 1 + uniform in an empty lane, σ / total + 0 elsewhere: no branch in the loop below.
        total[x] = 1.0 / total[x] if total[x] > 0.0 else -1.0
    for a in range(uint64(0), uint64(num_actions)):
        row = at + a * lanes
        for x in range(uint64(0), lanes):
            scale = total[x]
            sigma[row + x] = uniform if scale < 0.0 else sigma[row + x] * scale


@njit(inline="always", error_model="numpy")
def _match(regrets, last, prediction, source, num_actions, lanes, sigma, at, total):
    """Write σ ∝ [R + prediction · r]⁺ of the rows from `source` into sigma's rows from `at`."""
    for x in range(uint64(0), lanes):
        total[x] = 0.0
    for a in range(uint64(0), uint64(num_actions)):
        row, origin = at + a * lanes, source + a * lanes
        if prediction == 0.0:
            for x in range(uint64(0), lanes):
                sigma[row + x] = max(regrets[origin + x], 0.0)
        else:
            for x in range(uint64(0), lanes):
                sigma[row + x] = max(regrets[origin + x] + prediction * last[origin + x], 0.0)
        for x in range(uint64(0), lanes):
            total[x] += sigma[row + x]
    _normalise(sigma, at, num_actions, lanes, total)


@njit(inline="always", error_model="numpy")
def _descend(reach, above, at, lanes, sigma, choice, actor):
    """Write both reaches at `at` from those at `above`; the actor's are times sigma's row."""
    for x in range(uint64(0), uint64(2) * lanes):
        reach[at + x] = reach[above + x]
    if actor >= 0:
        row = at + uint64(actor) * lanes
        for x in range(uint64(0), lanes):
            reach[row + x] *= sigma[choice + x]


@njit(inline="always", error_model="numpy")
def _add_payoffs(payoffs, table, lanes, other, values, at):
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


@njit(inline="always", error_model="numpy")
def _add_ends(
    slot_table, first, num_actions, actor, q, skipped, payoffs, lanes, reach, reach_at,
    sigma, sigma_at, values, values_at, other,
):  # fmt: skip
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
        place = uint64(skipped + table) * lanes * lanes
        at = values_at + uint64(a if actor == q else 0) * lanes
        _add_payoffs(payoffs, place, lanes, other, values, at)


@njit(inline="always", error_model="numpy")
def _average(sigma, at, num_actions, lanes, values, values_at, mean):
    """Write the mean of values' rows, weighted by sigma's, into `mean` (L,)."""
    for x in range(uint64(0), lanes):
        mean[x] = sigma[at + x] * values[values_at + x]
    for a in range(uint64(1), uint64(num_actions)):
        row, choice = values_at + a * lanes, at + a * lanes
        for x in range(uint64(0), lanes):
            mean[x] += sigma[choice + x] * values[row + x]


@njit(inline="always", error_model="numpy")
def _learn(
    rule, regrets, last, weights, slot, num_actions, lanes, sigma, at, values, values_at, mean,
    reach, reach_at,
):  # fmt: skip
    """Update regrets, last regrets and the average's weights of one node's rows from `slot`."""
    for a in range(uint64(0), uint64(num_actions)):
        row, choice, origin = slot + a * lanes, at + a * lanes, values_at + a * lanes
        for x in range(uint64(0), lanes):
            old = regrets[row + x]
            kept = old * (rule.positive if old > 0.0 else rule.negative)
            regrets[row + x] = max(kept + (values[origin + x] - mean[x]), rule.floor)
        for x in range(uint64(0), lanes):
            weights[row + x] += rule.weight * reach[reach_at + x] * sigma[choice + x]
        if rule.prediction != 0.0:
            for x in range(uint64(0), lanes):
                last[row + x] = values[origin + x] - mean[x]


@njit(inline="always", error_model="numpy")
def _add(weight, source, start, lanes, values, at):
    """Add `weight` times the row of `source` at `start` to values' row at `at`."""
    for x in range(uint64(0), lanes):
        values[at + x] += weight * source[start + x]


@njit(**OPTIONS)
def sweep(tree, first, reach_in, players, regrets, last, weights, rule, cut, record, parts, out):
    """One pass of CFR below node `first` for the players in the bit mask `players`.

    Arguments
    ---------
    reach_in : (2 * L,) both players' reaches of `first`
    regrets, weights : (S * L,) updated in place; last : the same, or empty without prediction
    cut : subtrees of at most this many nodes are left to others; 0 leaves none
    record : with a cut, True writes the reaches of those subtrees into `parts` and updates
        nothing; False takes their values from `parts`
    parts : (P * 2 * L,) in depth-first order
    out : (2 * L,) written: the values of `first`
    """
    lanes = uint64(tree.num_lanes)
    rows = uint64(tree.max_actions)
    reach = np.empty(tree.max_depth * 2 * tree.num_lanes)
    sigma = np.empty(tree.max_depth * tree.max_actions * tree.num_lanes)
    values = np.empty(tree.max_depth * 2 * tree.max_actions * tree.num_lanes)
    path = np.empty(tree.max_depth, np.int64)
    mean = np.empty(tree.num_lanes)
    base = tree.node_depth[first]
    end = first + tree.sizes[tree.edge_child[tree.node_edge[first]]]
    node, top, part = first, -1, uint64(0)
    while True:
        depth = tree.node_depth[node] - base if node < end else 0
        while top >= depth:
            edge = tree.node_edge[path[top]]
            shape = tree.edge_child[edge]
            num_actions = tree.slot_offsets[shape + 1] - tree.slot_offsets[shape]
            sigma_at = uint64(top) * rows * lanes
            for q in range(2):
                if not (players >> q) & 1:
                    continue
                values_at = uint64(top * 2 + q) * rows * lanes
                if tree.actor[shape] == q:
                    _average(sigma, sigma_at, num_actions, lanes, values, values_at, mean)
                    if not record:
                        slot = uint64(tree.node_slot[path[top]]) * lanes
                        reach_at = uint64(top * 2 + q) * lanes
                        _learn(
                            rule, regrets, last, weights, slot, num_actions, lanes,
                            sigma, sigma_at, values, values_at, mean, reach, reach_at,
                        )  # fmt: skip
                else:
                    for x in range(uint64(0), lanes):
                        mean[x] = values[values_at + x]
                if top == 0:
                    for x in range(uint64(0), lanes):
                        out[uint64(q) * lanes + x] = mean[x]
                else:
                    parent = tree.edge_child[tree.node_edge[path[top - 1]]]
                    chosen = uint64(tree.edge_slot[edge] if tree.actor[parent] == q else 0)
                    above = (uint64(top * 2 - 2 + q) * rows + chosen) * lanes
                    _add(tree.edge_weight[edge], mean, uint64(0), lanes, values, above)
            top -= 1
        if node >= end:
            break
        edge = tree.node_edge[node]
        shape = tree.edge_child[edge]
        reach_at = uint64(depth * 2) * lanes
        if depth == 0:
            for x in range(uint64(0), uint64(2) * lanes):
                reach[x] = reach_in[x]
        else:
            parent = tree.edge_child[tree.node_edge[path[depth - 1]]]
            choice = (uint64(depth - 1) * rows + uint64(tree.edge_slot[edge])) * lanes
            above = uint64(depth * 2 - 2) * lanes
            _descend(reach, above, reach_at, lanes, sigma, choice, tree.actor[parent])
            if tree.sizes[shape] <= cut:
                for q in range(2):
                    start = (part * uint64(2) + uint64(q)) * lanes
                    if record:
                        for x in range(uint64(0), lanes):
                            parts[start + x] = reach[reach_at + uint64(q) * lanes + x]
                    elif (players >> q) & 1:
                        chosen = uint64(tree.edge_slot[edge] if tree.actor[parent] == q else 0)
                        above = (uint64(depth * 2 - 2 + q) * rows + chosen) * lanes
                        _add(tree.edge_weight[edge], parts, start, lanes, values, above)
                part += uint64(1)
                node += tree.sizes[shape]
                continue
        top = depth
        path[top] = node
        sigma_at = uint64(top) * rows * lanes
        first_slot = tree.slot_offsets[shape]
        num_actions = tree.slot_offsets[shape + 1] - first_slot
        if tree.actor[shape] >= 0:
            slot = uint64(tree.node_slot[node]) * lanes
            _match(
                regrets, last, rule.prediction, slot, num_actions, lanes, sigma, sigma_at, mean
            )
        for q in range(2):
            if (players >> q) & 1:
                _add_ends(
                    tree.slot_table, first_slot, num_actions, tree.actor[shape], q,
                    q * tree.num_tables, tree.payoffs, lanes,
                    reach, reach_at + uint64(1 - q) * lanes, sigma, sigma_at,
                    values, uint64(top * 2 + q) * rows * lanes, mean,
                )  # fmt: skip
        node += 1


@njit(**OPTIONS)
def sweep_parts(
    tree, nodes, begin, stop, players, regrets, last, weights, rule, parts
):
    """Sweep the subtrees nodes[begin:stop]; their rows of `parts` turn from reaches to values."""
    width = 2 * tree.num_lanes
    reach, out, none = np.empty(width), np.empty(width), np.empty(0)
    for i in range(begin, stop):
        reach[:] = parts[i * width : (i + 1) * width]
        sweep(tree, nodes[i], reach, players, regrets, last, weights, rule, 0, False, none, out)
        parts[i * width : (i + 1) * width] = out


@njit(**OPTIONS)
def find_parts(tree, cut, nodes):
    """Write the subtrees that a sweep with this `cut` leaves to others; returns their number."""
    node, count = 0, 0
    while node < tree.node_edge.size:
        size = tree.sizes[tree.edge_child[tree.node_edge[node]]]
        if node > 0 and size <= cut:
            nodes[count] = node
            count += 1
            node += size
        else:
            node += 1
    return count


@njit(**OPTIONS)
def evaluate(tree, weights, responder, out):
    """Both players' values by lane when they play the average strategy.

    Arguments
    ---------
    weights : (S * L,) the average's weights, or probabilities
    responder : the player who plays the best response instead, or −1
    out : (2 * L,) written; only the responder's half where there is one
    """
    lanes = uint64(tree.num_lanes)
    rows = uint64(tree.max_actions)
    reach = np.empty(tree.max_depth * 2 * tree.num_lanes)
    sigma = np.empty(tree.max_depth * tree.max_actions * tree.num_lanes)
    values = np.empty(tree.max_depth * 2 * tree.max_actions * tree.num_lanes)
    path = np.empty(tree.max_depth, np.int64)
    mean = np.empty(tree.num_lanes)
    players = 3 if responder < 0 else 1 << responder
    node, top, end = 0, -1, tree.node_edge.size
    while True:
        depth = tree.node_depth[node] if node < end else 0
        while top >= depth:
            edge = tree.node_edge[path[top]]
            shape = tree.edge_child[edge]
            num_actions = tree.slot_offsets[shape + 1] - tree.slot_offsets[shape]
            for q in range(2):
                if not (players >> q) & 1:
                    continue
                values_at = uint64(top * 2 + q) * rows * lanes
                for x in range(uint64(0), lanes):
                    mean[x] = values[values_at + x]
                if tree.actor[shape] == q == responder:
                    for a in range(uint64(1), uint64(num_actions)):
                        for x in range(uint64(0), lanes):
                            mean[x] = max(mean[x], values[values_at + a * lanes + x])
                elif tree.actor[shape] == q:
                    sigma_at = uint64(top) * rows * lanes
                    _average(sigma, sigma_at, num_actions, lanes, values, values_at, mean)
                if top == 0:
                    for x in range(uint64(0), lanes):
                        out[uint64(q) * lanes + x] = mean[x]
                else:
                    parent = tree.edge_child[tree.node_edge[path[top - 1]]]
                    chosen = uint64(tree.edge_slot[edge] if tree.actor[parent] == q else 0)
                    above = (uint64(top * 2 - 2 + q) * rows + chosen) * lanes
                    _add(tree.edge_weight[edge], mean, uint64(0), lanes, values, above)
            top -= 1
        if node >= end:
            break
        edge = tree.node_edge[node]
        shape = tree.edge_child[edge]
        reach_at = uint64(depth * 2) * lanes
        if depth == 0:
            for x in range(uint64(0), uint64(2) * lanes):
                reach[x] = 1.0
        else:
            parent = tree.edge_child[tree.node_edge[path[depth - 1]]]
            choice = (uint64(depth - 1) * rows + uint64(tree.edge_slot[edge])) * lanes
            above = uint64(depth * 2 - 2) * lanes
            _descend(reach, above, reach_at, lanes, sigma, choice, tree.actor[parent])
        top = depth
        path[top] = node
        sigma_at = uint64(top) * rows * lanes
        first_slot = tree.slot_offsets[shape]
        num_actions = tree.slot_offsets[shape + 1] - first_slot
        if tree.actor[shape] >= 0:
            slot = uint64(tree.node_slot[node]) * lanes
            _match(weights, weights, 0.0, slot, num_actions, lanes, sigma, sigma_at, mean)
        for q in range(2):
            if (players >> q) & 1:
                _add_ends(
                    tree.slot_table, first_slot, num_actions, tree.actor[shape], q,
                    q * tree.num_tables, tree.payoffs, lanes,
                    reach, reach_at + uint64(1 - q) * lanes, sigma, sigma_at,
                    values, uint64(top * 2 + q) * rows * lanes, mean,
                )  # fmt: skip
        node += 1


@njit(**OPTIONS)
def sample_sweep(tree, hands, worths, players, regrets, last, weights, rule):
    """One pass of chance-sampled CFR: both hands are known, public cards are enumerated.

    Arguments
    ---------
    hands : (2,) each player's lane; only their numbers of each row are read and updated
    worths : (2 * T,) the payoffs of each player and table for these hands
    """
    lanes = tree.num_lanes
    reach = np.ones((tree.max_depth, 2))
    sigma = np.empty((tree.max_depth, tree.max_actions))
    values = np.empty((tree.max_depth, 2, tree.max_actions))
    path = np.empty(tree.max_depth, np.int64)
    node, top, end = 0, -1, tree.node_edge.size
    while True:
        depth = tree.node_depth[node] if node < end else 0
        while top >= depth:
            edge = tree.node_edge[path[top]]
            shape = tree.edge_child[edge]
            actor = tree.actor[shape]
            for q in range(2):
                if not (players >> q) & 1:
                    continue
                mean = values[top, q, 0]
                if actor == q:
                    num_actions = tree.slot_offsets[shape + 1] - tree.slot_offsets[shape]
                    mean = 0.0
                    for a in range(num_actions):
                        mean += sigma[top, a] * values[top, q, a]
                    for a in range(num_actions):
                        row = (tree.node_slot[path[top]] + a) * lanes + hands[q]
                        old, gain = regrets[row], values[top, q, a] - mean
                        kept = old * (rule.positive if old > 0.0 else rule.negative)
                        regrets[row] = max(kept + gain, rule.floor)
                        weights[row] += rule.weight * reach[top, q] * sigma[top, a]
                        if rule.prediction != 0.0:
                            last[row] = gain
                if top > 0:
                    parent = tree.edge_child[tree.node_edge[path[top - 1]]]
                    chosen = tree.edge_slot[edge] if tree.actor[parent] == q else 0
                    values[top - 1, q, chosen] += tree.edge_weight[edge] * mean
            top -= 1
        if node >= end:
            break
        edge = tree.node_edge[node]
        shape = tree.edge_child[edge]
        actor = tree.actor[shape]
        if depth > 0:
            reach[depth] = reach[depth - 1]
            above = tree.actor[tree.edge_child[tree.node_edge[path[depth - 1]]]]
            if above >= 0:
                reach[depth, above] *= sigma[depth - 1, tree.edge_slot[edge]]
        top = depth
        path[top] = node
        first_slot = tree.slot_offsets[shape]
        num_actions = tree.slot_offsets[shape + 1] - first_slot
        if actor >= 0:
            total = 0.0
            for a in range(num_actions):
                row = (tree.node_slot[node] + a) * lanes + hands[actor]
                regret = regrets[row]
                if rule.prediction != 0.0:
                    regret += rule.prediction * last[row]
                sigma[top, a] = max(regret, 0.0)
                total += sigma[top, a]
            for a in range(num_actions):
                sigma[top, a] = sigma[top, a] / total if total > 0.0 else 1.0 / num_actions
        for q in range(2):
            values[top, q] = 0.0
            for a in range(num_actions):
                table = tree.slot_table[first_slot + a]
                if table >= 0:
                    other = reach[top, 1 - q] * (sigma[top, a] if actor == 1 - q else 1.0)
                    worth = worths[q * tree.num_tables + table]
                    values[top, q, a if actor == q else 0] += other * worth
        node += 1
