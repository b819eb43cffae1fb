"""The CFR family on public trees, with all hands or with one sampled hand each and one world.

trees/_public_kernels.py says what a sweep is and names sizes. Sampled hands and worlds are drawn
from a stream of their own for every iteration, so that a run can be resumed anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import uint64

from riverboat.runtime.array_types import F64, I64
from riverboat.runtime.compiled import GOLDEN, mix, njit, stream, unit
from riverboat.solvers._cfr_kernels import Family, Rule, renewed, rule_at
from riverboat.trees.jitted import (
    TINY,
    TreeArrays,
    add_ends,
    add_row,
    average,
    descend,
    make_frames,
    match,
)


class LaneState(NamedTuple):
    """What a run changes in place, clock and arrays together; S slots of nodes, L lanes."""

    clock: I64  # (1 or more,) iterations done first
    regrets: F64  # (S * L,)
    last: F64  # (S * L,) the newest regrets, or empty without prediction
    weights: F64  # (S * L,) of the average


class Job(NamedTuple):
    """What a call sweeps: whole iterations from the root, or one part of a sweep for a thread."""

    players: int  # a mask of those who update; 0 for whole iterations
    nodes: I64  # (P,) the roots to sweep from…
    begin: int  # …of which nodes[begin:stop]
    stop: int
    max_part: int  # subtrees of at most this many nodes are left to others; 0 leaves none
    record: bool  # with a max_part: write the reaches of those subtrees, update nothing
    parts: F64  # (P * 2 * L,) reaches of subtrees, which turn to values


@njit(forceinline=True, error_model="numpy")
def scale_for(rule: Rule, players: int, player: int) -> float:
    """The scale of a player's regrets next to the prediction in an update of `players` (mask).

    As the next update will discount them: when the second player's turn comes, the first player
    has had theirs.
    """
    return rule.scale if players == 2 and player == 0 else rule.positive


@njit(forceinline=True, error_model="numpy")
def _learn(
    rule: Rule, regrets: F64, last: F64, weights: F64, slot: uint64, num_actions: int,
    lanes: uint64, sigma: F64, at: uint64, values: F64, values_at: uint64, mean: F64, reach: F64,
    reach_at: uint64,
) -> None:  # fmt: skip
    """Update regrets, last regrets and the average's weights of one node's rows from `slot`."""
    for a in range(uint64(0), uint64(num_actions)):
        row, choice, origin = slot + a * lanes, at + a * lanes, values_at + a * lanes
        for x in range(uint64(0), lanes):
            regrets[row + x] = renewed(rule, regrets[row + x], values[origin + x] - mean[x])
        for x in range(uint64(0), lanes):
            weights[row + x] += rule.weight * reach[reach_at + x] * sigma[choice + x]
        if rule.prediction != 0.0:
            for x in range(uint64(0), lanes):
                last[row + x] = values[origin + x] - mean[x]


@njit(forceinline=True, error_model="numpy")
def _sweep(
    tree: TreeArrays, first: int, reach_in: F64, players: int, run: LaneState, rule: Rule, job: Job,
    out: F64,
) -> None:  # fmt: skip
    """One pass of CFR below node `first` for the players in the bit mask `players`.

    Arguments
    ---------
    reach_in : (2 * L,) both players' reaches of `first`
    job : its max_part, record and parts; with a max_part and no record the values of the subtrees
        that were left to others are taken from `parts`, in depth-first order
    out : (2 * L,) written: the values of `first`
    """
    (
        actor, slot_offsets, slot_table, sizes, edge_slot, edge_weight, edge_child,
        node_edge, node_depth, node_slot, payoffs, num_tables, _, max_depth, max_actions, _,
    ) = tree  # fmt: skip
    _, regrets, last, weights = run
    max_part, record, parts = job.max_part, job.record, job.parts
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
            if sizes[shape] <= max_part:
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
            scale = scale_for(rule, players, actor[shape])
            match(
                regrets, scale, last, rule.prediction, slot, num_actions, lanes, sigma, sigma_at,
                mean,
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
def find_parts(tree: TreeArrays, max_part: int, nodes: I64) -> int:
    """Write the subtrees that a sweep leaves to others, and return their number."""
    node, count = 0, 0
    while node < tree.node_edge.size:
        size = tree.sizes[tree.edge_child[tree.node_edge[node]]]
        if node > 0 and size <= max_part:
            nodes[count] = node
            count += 1
            node += size
        else:
            node += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def iterate(tree: TreeArrays, family: Family, run: LaneState, iterations: int, job: Job) -> None:
    """Run the iterations; or, with a mask of players, one job of a sweep shared by threads.

    All jobs are one kernel because compiling the sweep into each would take seconds more.
    """
    players, nodes, begin, stop, max_part, _, parts = job
    clock = run.clock
    width = 2 * tree.num_lanes
    reach, out = np.ones(width), np.empty(width)
    for _ in range(iterations):
        for turn in range(2):
            if turn == 1 and (players > 0 or not family.alternating):
                continue
            mask = players
            if players == 0:
                mask = 1 << turn if family.alternating else 3
            rule = rule_at(family, clock[0] + 1)
            for i in range(begin, stop):
                subtree = players > 0 and max_part == 0
                if subtree:
                    for x in range(width):
                        reach[x] = parts[i * width + x]
                _sweep(tree, nodes[i], reach, mask, run, rule, job, out)
                if subtree:
                    for x in range(width):
                        parts[i * width + x] = out[x]
        if players == 0:
            clock[0] += 1


@njit(forceinline=True, error_model="numpy")
def _match(
    run: LaneState, prediction: float, scale: float, start: int, num_actions: int, lanes: int,
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
def _learn_sampled(
    rule: Rule, run: LaneState, start: int, num_actions: int, lanes: int, reach: F64, sigma: F64,
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
    tree: TreeArrays, hands: I64, paid: F64, players: int, run: LaneState, rule: Rule
) -> None:
    """One pass of chance-sampled CFR: both hands are known, public cards are enumerated.

    Arguments
    ---------
    hands : (2,) each player's lane; only their numbers of each row are read and updated
    paid : (2 * T,) the payoffs of each player and table for these hands
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
                    mean = _learn_sampled(
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
                    payoff = paid[q * num_tables + table]
                    values[top, q, a if acting == q else 0] += other * payoff
        node += 1


@njit(cache=True, nogil=True, error_model="numpy")
def sample_iterate(
    tree: TreeArrays, family: Family, run: LaneState, iterations: int, seed: int, deal: F64,
    worlds: F64, payoffs: F64,
) -> None:  # fmt: skip
    """Run iterations of one dealt pair of hands and one world each.

    Arguments
    ---------
    deal : (L, L) the hands' probabilities; worlds : (W,) the worlds'
    payoffs : (W, 2, T, L, L) as in PublicShapes, one set a world
    """
    clock, lanes, tables = run.clock, tree.num_lanes, tree.num_tables
    hands, paid = np.empty(2, np.int64), np.empty(2 * tables)
    for _ in range(iterations):
        t = clock[0] + 1
        state = stream(seed, t)
        pair = _draw(deal.ravel(), unit(mix(state)))
        world = _draw(worlds, unit(mix(state + GOLDEN)))
        hands[0], hands[1] = pair // lanes, pair % lanes
        scale = 1.0 / deal[hands[0], hands[1]]
        for table in range(tables):
            paid[table] = payoffs[world, 0, table, hands[1], hands[0]] * scale
            paid[tables + table] = payoffs[world, 1, table, hands[0], hands[1]] * scale
        for turn in range(2):
            players = 1 << turn if family.alternating else 3
            if family.alternating or turn == 0:
                rule = rule_at(family, t)
                _sample_sweep(tree, hands, paid, players, run, rule)
        clock[0] = t


@njit(forceinline=True, error_model="numpy")
def _draw(probabilities: F64, u: float) -> int:
    """The first place whose cumulative probability passes u; never one of probability 0."""
    index, total = 0, 0.0
    for i in range(probabilities.size):
        if probabilities[i] > 0.0:
            index = i
            total += probabilities[i]
            if u < total:
                break
    return index
