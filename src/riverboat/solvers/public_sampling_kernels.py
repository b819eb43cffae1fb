"""Chance-sampled CFR on public trees: one hand each and one world an iteration.

Hands and worlds are drawn from a stream of their own for every iteration, so that a run can be
resumed anywhere. trees/public_kernels.py names sizes.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from riverboat.array_types import F64, I64
from riverboat.random_kernels import GOLDEN, mix, stream, unit
from riverboat.solvers.public_cfr_kernels import Run, scale_for
from riverboat.solvers.rule_kernels import Family, Rule, renewed, rule_at
from riverboat.trees.public_kernels import TINY, TreeArrays

__all__ = ["sample_iterate"]


@njit(forceinline=True, error_model="numpy")
def _match(
    run: Run, prediction: float, scale: float, start: int, num_actions: int, lanes: int,
    sigma: F64, top: int,
) -> None:  # fmt: skip
    """Write the strategy of one hand, whose regrets lie every `lanes` from `start`, into sigma."""
    regrets, last = run.regrets, run.last
    total = 0.0
    for a in range(num_actions):
        regret = regrets[start + a * lanes]
        if prediction != 0.0:
            regret = scale * regret + prediction * last[start + a * lanes]
        sigma[top, a] = max(regret, 0.0)
        total += sigma[top, a]
    for a in range(num_actions):
        sigma[top, a] = sigma[top, a] / total if total > TINY else 1.0 / num_actions


@njit(forceinline=True, error_model="numpy")
def _learn(
    rule: Rule, run: Run, start: int, num_actions: int, lanes: int, reach: F64, sigma: F64,
    values: F64, top: int, q: int,
) -> float:  # fmt: skip
    """Update one hand's regrets and average, as _match finds them; returns the hand's value."""
    _, regrets, last, weights = run
    mean = 0.0
    for a in range(num_actions):
        mean += sigma[top, a] * values[top, q, a]
    for a in range(num_actions):
        row = start + a * lanes
        gain = values[top, q, a] - mean
        regrets[row] = renewed(rule, regrets[row], gain)
        weights[row] += rule.weight * reach[top, q] * sigma[top, a]
        if rule.prediction != 0.0:
            last[row] = gain
    return mean


@njit(forceinline=True, error_model="numpy")
def _sample_sweep(
    tree: TreeArrays, hands: I64, worths: F64, players: int, run: Run, rule: Rule
) -> None:
    """One pass of chance-sampled CFR: both hands are known, public cards are enumerated.

    Arguments
    ---------
    hands : (2,) each player's lane; only their numbers of each row are read and updated
    worths : (2 * T,) the payoffs of each player and table for these hands
    """
    (
        actor, slot_offsets, slot_table, _, edge_slot, edge_weight, edge_child,
        node_edge, node_depth, node_slot, _, num_tables, lanes, max_depth, max_actions, _,
    ) = tree  # fmt: skip
    reach = np.ones((max_depth, 2))
    sigma = np.empty((max_depth, max_actions))
    values = np.empty((max_depth, 2, max_actions))
    path = np.empty(max_depth, np.int64)
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
                mean = values[top, q, 0]
                if actor[shape] == q:
                    start = node_slot[path[top]] * lanes + hands[q]
                    mean = _learn(
                        rule, run, start, num_actions, lanes, reach, sigma, values, top, q
                    )
                if top > 0:
                    parent = edge_child[node_edge[path[top - 1]]]
                    chosen = edge_slot[edge] if actor[parent] == q else 0
                    values[top - 1, q, chosen] += edge_weight[edge] * mean
            top -= 1
        if node >= end:
            break
        edge = node_edge[node]
        shape = edge_child[edge]
        if depth > 0:
            parent = edge_child[node_edge[path[depth - 1]]]
            for q in range(2):
                reach[depth, q] = reach[depth - 1, q]
                if actor[parent] == q:
                    reach[depth, q] *= sigma[depth - 1, edge_slot[edge]]
        top = depth
        path[top] = node
        acting, first = actor[shape], slot_offsets[shape]
        num_actions = slot_offsets[shape + 1] - first
        if acting >= 0:
            start = node_slot[node] * lanes + hands[acting]
            scale = scale_for(rule, players, acting)
            _match(run, rule.prediction, scale, start, num_actions, lanes, sigma, top)
        for q in range(2):
            for a in range(num_actions):
                values[top, q, a] = 0.0
            for a in range(num_actions):
                table = slot_table[first + a]
                if table >= 0:
                    other = reach[top, 1 - q] * (sigma[top, a] if acting == 1 - q else 1.0)
                    worth = worths[q * num_tables + table]
                    values[top, q, a if acting == q else 0] += other * worth
        node += 1


@njit(cache=True, nogil=True, error_model="numpy")
def sample_iterate(
    tree: TreeArrays, family: Family, run: Run, iterations: int, seed: int, deal: F64, worlds: F64,
    payoffs: F64,
) -> None:  # fmt: skip
    """So many iterations of one dealt pair of hands and one world each.

    Arguments
    ---------
    deal : (L, L) the hands' probabilities; worlds : (W,) the worlds'
    payoffs : (W, 2, T, L, L) as in PublicShapes, one set a world
    """
    clock, lanes, tables = run.clock, tree.num_lanes, tree.num_tables
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
                rule = rule_at(family, t)
                _sample_sweep(tree, hands, worths, players, run, rule)
        clock[0] = t


@njit(forceinline=True, error_model="numpy")
def _draw(probabilities: F64, u: float) -> int:
    """The first place whose cumulative probability passes u; never one of probability 0."""
    place, total = 0, 0.0
    for i in range(probabilities.size):
        if probabilities[i] > 0.0:
            place = i
            total += probabilities[i]
            if u < total:
                break
    return place
