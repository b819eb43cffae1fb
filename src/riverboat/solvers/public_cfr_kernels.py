"""The CFR family on public trees; trees/public_kernels.py says what a sweep is and names sizes."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, uint64

from riverboat.solvers.cfr_kernels import discount
from riverboat.trees.public_kernels import (
    add_ends,
    add_row,
    average,
    descend,
    make_frames,
    match,
)

__all__ = ["Family", "Rule", "find_parts", "iterate", "rule_at"]


class Family(NamedTuple):
    """A member of the CFR family; see solvers/config.py."""

    alpha: float
    beta: float
    gamma: float
    plus: bool
    prediction: float
    alternating: bool


class Rule(NamedTuple):
    """One iteration's numbers of the regret-minimiser; see solvers/config.py."""

    positive: float  # discount of positive regrets
    negative: float
    floor: float  # 0 for the plus variants, else −∞
    prediction: float
    weight: float  # of this iteration in the average
    scales: tuple[float, float]  # of each player's regrets beside the prediction


@njit(forceinline=True, error_model="numpy")
def rule_at(family, t, players):
    """The numbers of iteration t, counted from 1, for an update of the players in the mask.

    A predictive strategy weighs regrets as the player's next update will discount them; when the
    second player's turn comes, the first has had his.
    """
    positive = discount(t - 1.0, family.alpha)
    first = discount(float(t), family.alpha) if players == 2 else positive
    return Rule(
        positive,
        discount(t - 1.0, family.beta),
        0.0 if family.plus else -np.inf,
        family.prediction,
        float(t) ** family.gamma,
        (first, positive),
    )


@njit(forceinline=True, error_model="numpy")
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


@njit(forceinline=True, error_model="numpy")
def _sweep(tree, first, reach_in, players, regrets, last, weights, rule, cut, record, parts, out):
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
    (
        actor, slot_offsets, slot_table, sizes, edge_slot, edge_weight, edge_child,
        node_edge, node_depth, node_slot, payoffs, num_tables, _, max_depth, max_actions, _,
    ) = tree  # fmt: skip
    lanes = uint64(len(tree.fixed_lanes)) if len(tree.fixed_lanes) else uint64(tree.num_lanes)
    rows = uint64(max_actions)
    path, reach, sigma, values, mean = make_frames(max_depth, max_actions, tree.num_lanes)
    base = node_depth[first]
    end = first + sizes[edge_child[node_edge[first]]]
    node, top, part = first, -1, uint64(0)
    while True:
        depth = node_depth[node] - base if node < end else 0
        while top >= depth:
            edge = node_edge[path[top]]
            shape = edge_child[edge]
            num_actions = slot_offsets[shape + 1] - slot_offsets[shape]
            sigma_at = uint64(top) * rows * lanes
            for q in range(2):
                if not (players >> q) & 1:
                    continue
                values_at = uint64(top * 2 + q) * rows * lanes
                if actor[shape] == q:
                    average(sigma, sigma_at, num_actions, lanes, values, values_at, mean)
                    if not record:
                        slot = uint64(node_slot[path[top]]) * lanes
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
                reach[x] = reach_in[x]
        else:
            parent = edge_child[node_edge[path[depth - 1]]]
            choice = (uint64(depth - 1) * rows + uint64(edge_slot[edge])) * lanes
            above = uint64(depth * 2 - 2) * lanes
            descend(reach, above, reach_at, lanes, sigma, choice, actor[parent])
            if sizes[shape] <= cut:
                for q in range(2):
                    start = (part * uint64(2) + uint64(q)) * lanes
                    if record:
                        for x in range(uint64(0), lanes):
                            parts[start + x] = reach[reach_at + uint64(q) * lanes + x]
                    elif (players >> q) & 1:
                        chosen = uint64(edge_slot[edge] if actor[parent] == q else 0)
                        above = (uint64(depth * 2 - 2 + q) * rows + chosen) * lanes
                        add_row(edge_weight[edge], parts, start, lanes, values, above)
                part += uint64(1)
                node += sizes[shape]
                continue
        top = depth
        path[top] = node
        sigma_at = uint64(top) * rows * lanes
        first_slot = slot_offsets[shape]
        num_actions = slot_offsets[shape + 1] - first_slot
        if actor[shape] >= 0:
            slot = uint64(node_slot[node]) * lanes
            match(
                regrets, rule.scales[actor[shape]], last, rule.prediction, slot, num_actions,
                lanes, sigma, sigma_at, mean,
            )  # fmt: skip
        for q in range(2):
            if (players >> q) & 1:
                add_ends(
                    slot_table, first_slot, num_actions, actor[shape], q,
                    q * num_tables, payoffs, lanes,
                    reach, reach_at + uint64(1 - q) * lanes, sigma, sigma_at,
                    values, uint64(top * 2 + q) * rows * lanes, mean,
                )  # fmt: skip
        node += 1


@njit(cache=True, nogil=True, error_model="numpy")
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


@njit(cache=True, nogil=True, error_model="numpy")
def iterate(
    tree, family, clock, regrets, last, weights, iterations,
    players, nodes, begin, stop, cut, record, parts,
):  # fmt: skip
    """So many iterations; or, with a mask of `players`, one job of a sweep shared by threads.

    Arguments
    ---------
    clock : (1,) the iterations done, written together with the arrays
    players : 0 for whole iterations: the five arguments after it are then [0], 0, 1, 0, False
    nodes : (P,) the roots to sweep from, of which nodes[begin:stop]
    cut, record : 0 for subtrees, whose rows of `parts` turn from reaches to values; for the
        sweep from the root that leaves subtrees to others, see _sweep
    parts : (P * 2 * L,)

    All jobs are one kernel because compiling the sweep into each would take seconds more.
    """
    width = 2 * tree.num_lanes
    reach, out = np.ones(width), np.empty(width)
    for _ in range(iterations):
        for turn in range(2):
            if turn == 1 and (players > 0 or not family.alternating):
                continue
            mask = players
            if players == 0:
                mask = 1 << turn if family.alternating else 3
            rule = rule_at(family, clock[0] + 1, mask)
            for i in range(begin, stop):
                subtree = players > 0 and cut == 0
                if subtree:
                    for x in range(width):
                        reach[x] = parts[i * width + x]
                _sweep(
                    tree, nodes[i], reach, mask, regrets, last, weights, rule,
                    cut, record, parts, out,
                )  # fmt: skip
                if subtree:
                    for x in range(width):
                        parts[i * width + x] = out[x]
        if players == 0:
            clock[0] += 1
