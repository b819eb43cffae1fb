"""The CFR family on public trees; trees/public_kernels.py says what a sweep is and names sizes."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, uint64

from riverboat.random_kernels import GOLDEN, mix, stream, unit
from riverboat.solvers.cfr_kernels import discount
from riverboat.trees.public_kernels import (
    add_ends,
    add_row,
    average,
    descend,
    match,
)

__all__ = ["Family", "Rule", "find_parts", "iterate", "sample_iterate"]


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


@njit(inline="always", error_model="numpy")
def _rule(family, t, players):
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
    lanes = uint64(len(tree.fixed_lanes)) if len(tree.fixed_lanes) else uint64(tree.num_lanes)
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
                    average(sigma, sigma_at, num_actions, lanes, values, values_at, mean)
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
                    add_row(tree.edge_weight[edge], mean, uint64(0), lanes, values, above)
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
            descend(reach, above, reach_at, lanes, sigma, choice, tree.actor[parent])
            if tree.sizes[shape] <= cut:
                for q in range(2):
                    start = (part * uint64(2) + uint64(q)) * lanes
                    if record:
                        for x in range(uint64(0), lanes):
                            parts[start + x] = reach[reach_at + uint64(q) * lanes + x]
                    elif (players >> q) & 1:
                        chosen = uint64(tree.edge_slot[edge] if tree.actor[parent] == q else 0)
                        above = (uint64(depth * 2 - 2 + q) * rows + chosen) * lanes
                        add_row(tree.edge_weight[edge], parts, start, lanes, values, above)
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
            match(
                regrets, rule.scales[tree.actor[shape]], last, rule.prediction, slot, num_actions,
                lanes, sigma, sigma_at, mean,
            )  # fmt: skip
        for q in range(2):
            if (players >> q) & 1:
                add_ends(
                    tree.slot_table, first_slot, num_actions, tree.actor[shape], q,
                    q * tree.num_tables, tree.payoffs, lanes,
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
            rule = _rule(family, clock[0] + 1, mask)
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


@njit(inline="always", error_model="numpy")
def _sample_sweep(tree, hands, worths, players, regrets, last, weights, rule):
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
                    regret = rule.scales[actor] * regret + rule.prediction * last[row]
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


@njit(cache=True, nogil=True, error_model="numpy")
def sample_iterate(
    tree, family, clock, regrets, last, weights, iterations, seed, deal, worlds, payoffs
):
    """So many iterations of one dealt pair of hands and one world each.

    Arguments
    ---------
    deal : (L, L) the hands' probabilities; worlds : (W,) the worlds'
    payoffs : (W, 2, T, L, L) as in PublicShapes, one set a world
    """
    lanes, tables = tree.num_lanes, tree.num_tables
    hands, worths = np.empty(2, np.int64), np.empty(2 * tables)
    for _ in range(iterations):
        t = clock[0] + 1
        state = stream(seed, t)
        pair = _draw(deal.ravel(), unit(mix(state)))
        world = _draw(worlds, unit(mix(state + GOLDEN)))
        hands[0], hands[1] = pair // lanes, pair % lanes
        scale = 1.0 / deal[hands[0], hands[1]]
        for table in range(tables):
            worths[table] = payoffs[world, 0, table, hands[1], hands[0]] * scale
            worths[tables + table] = payoffs[world, 1, table, hands[0], hands[1]] * scale
        for turn in range(2):
            players = 1 << turn if family.alternating else 3
            if family.alternating or turn == 0:
                rule = _rule(family, t, players)
                _sample_sweep(tree, hands, worths, players, regrets, last, weights, rule)
        clock[0] = t


@njit(inline="always", error_model="numpy")
def _draw(probabilities, u):
    """The first place whose cumulative probability passes u; never one of probability 0."""
    place, total = 0, 0.0
    for i in range(probabilities.size):
        if probabilities[i] > 0.0:
            place = i
            total += probabilities[i]
            if u < total:
                break
    return place
