"""Two solutions of one spot beside each other, judged by the CPU's passes.

Equilibria of a zero-sum game are interchangeable. Of two solutions that are exploitable by a and b
each player may therefore take either strategy: the four pairs are exploitable by a + b at most, and
against one opponent no hand gains more by one strategy than a and b allow. What may differ is how
often a hand takes actions that are worth the same, and what a hand is worth against two opponents
who are equally good. `compare` measures the first, `decisions` the second.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.solver import SpotEvaluation
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.holdem.spots.tree import NodeKind, TreeNode
from riverboat.holdem.spots.two_way_passes import PassRunner

BEST, AVERAGE = 1, 2
DIFFERS = 0.05
"""A decision differs where actions change by that share of the time."""
Averages = tuple[PlayerStorage, PlayerStorage]
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Agreement:
    """All in per cent of the pot, the worst of both players and both opponents."""

    exploitable: tuple[float, float]
    """The first solution and the second."""
    crossed: tuple[float, float]
    """The first one's OOP with the second's IP, and the other way round."""
    ev: float
    """The difference of what OOP wins in the two solutions."""
    value: float
    """OOP's value in the four pairs, the largest less the smallest."""
    mean: float
    """Against the same opponent: the mean over hands of the difference of their values,"""
    worst: float
    """the largest difference of one hand, times how often the hand comes,"""
    largest: float
    """and the largest one of a hand that comes at least half as often as the mean hand."""
    others: float
    """The mean over hands of the difference of their values, each against its own opponent."""


def compare(arena: Layout, first: Averages, second: Averages, *, threads: int = 1) -> Agreement:
    """What the two solutions are worth, alone and crossed, hand by hand."""
    both, pot = (first, second), arena.spot.pot
    runner = PassRunner(arena, threads)
    pool = ThreadPoolExecutor(threads) if threads > 1 else None

    @cache
    def rows(player: int, mine: int, theirs: int, mode: int) -> Doubles:
        """(H,) of a player's hands: values times their own weight, in per cent of the pot."""
        pair = (both[mine][player], both[theirs][1 - player])
        found = root_values(runner, player, pair, mode, pool).astype(np.float64)
        size = len(arena.hands[player])
        weights = arena.weights[player][:size].astype(np.float64)
        return np.asarray(100 * weights * found[:size] / (arena.deals * pot))

    def gain(player: int, mine: int, theirs: int) -> float:
        # A best response does not depend on what one plays oneself, but it keeps one's locks.
        return float((rows(player, mine, theirs, BEST) - rows(player, mine, theirs, AVERAGE)).sum())

    def exploitable(oop: int, ip: int) -> float:
        return (gain(0, oop, ip) + gain(1, ip, oop)) / 2

    values = [float(rows(0, oop, ip, AVERAGE).sum()) for oop in (0, 1) for ip in (0, 1)]
    means, worst, largest, others = [], [], [], []
    for player in (0, 1):
        weights = arena.weights[player][: len(arena.meetings[player])]
        shares = weights * arena.meetings[player] / arena.deals
        usual = shares >= 0.5 / len(shares)
        for theirs in (0, 1):
            apart = np.abs(rows(player, 0, theirs, AVERAGE) - rows(player, 1, theirs, AVERAGE))
            means.append(apart.sum())
            worst.append(apart.max())
            largest.append((apart[usual] / shares[usual]).max())
        own = rows(player, 0, 0, AVERAGE) - rows(player, 1, 1, AVERAGE)
        others.append(np.abs(own).sum())
    alone = (exploitable(0, 0), exploitable(1, 1))
    crossed = (exploitable(0, 1), exploitable(1, 0))
    if pool is not None:
        pool.shutdown()
    return Agreement(
        alone,
        crossed,
        abs(values[0] - values[3]),
        max(values) - min(values),
        float(max(means)),
        float(max(worst)),
        float(max(largest)),
        float(max(others)),
    )


def evaluate(arena: Layout, averages: Averages, *, threads: int = 1) -> SpotEvaluation:
    """What averages are worth, whoever made them, by the CPU."""
    runner = PassRunner(arena, threads)
    with ThreadPoolExecutor(threads) as pool:
        found = [
            [
                arena.mean(
                    player,
                    root_values(
                        runner, player, (averages[player], averages[1 - player]), mode, pool
                    ),
                )
                + arena.spot.center(player)
                for player in (0, 1)
            ]
            for mode in (AVERAGE, BEST)
        ]  # fmt: skip
    ev, best = ((pair[0], pair[1]) for pair in found)
    return SpotEvaluation(ev, best, arena.spot.pot)


def root_values(
    runner: PassRunner,
    player: int,
    pair: tuple[PlayerStorage, PlayerStorage],
    mode: int,
    pool: ThreadPoolExecutor | None = None,
) -> NDArray[np.float32]:
    """(P,) a player's values at the root; the pair are his averages and the opponent's."""
    mine, theirs = pair
    return runner.values(player, mode, theirs, mine, mine, pool=pool)


@dataclass(frozen=True)
class Decisions:
    """Decisions as often as the second solution comes to them; costs in per cent of the pot."""

    differ: float
    """The share of decisions that differ by `DIFFERS` or more."""
    cost: float
    """What deciding there as the first does costs or gains, all of it added up."""
    dear: float
    """The share of decisions where it costs or gains more than 0.1 % of the pot."""


def decisions(
    arena: Layout, first: Averages, second: Averages, *, streets: int | None = None
) -> Decisions:
    """Decision by decision: the first solution's choice in the second one's place.

    Both players play the second solution before and after. On all streets or the first ones.
    """
    one, two = SolvedSpot(arena, first, {}), SolvedSpot(arena, second, {})
    shares, costs, apart = [], [], []
    for player in (0, 1):
        for node, board, weights, chance, ours in _met(two, player, streets):
            changed = one.strategy(node, board) - two.strategy(node, board)
            street = node.street - arena.spot.street
            place = {index: k for k, index in enumerate(two.street_nodes(street))}
            values = two.street_values(street, board, player)[[place[i] for i in node.children]]
            size = changed.shape[1]
            cost = ours * (changed * values[:, :size]).sum(axis=0)
            shares.append(chance * weights / arena.deals)
            costs.append(100 * chance * np.abs(cost) / (arena.deals * arena.spot.pot))
            apart.append(np.abs(changed).sum(axis=0) / 2)
    share, cost, gap = (np.concatenate(each) for each in (shares, costs, apart))
    live = share > 1e-12
    share, cost, gap = share[live], cost[live], gap[live]
    differ = gap >= DIFFERS
    return Decisions(
        float(share[differ].sum() / share.sum()),
        float(cost[differ].sum()),
        float(share[differ & (cost > 0.1 * share)].sum() / share.sum()),
    )


def _met(solved: SolvedSpot, player: int, streets: int | None) -> Any:
    """A player's decision nodes on all boards, as (node, board, how often each hand meets another
    there, the runout's factor, the hand's own reach).
    """
    arena, tree = solved.layout, solved.layout.tree
    first, mass = arena.spot.street, _masses(arena, player)
    pairs = zip(arena.weights, arena.hands, strict=True)
    start = tuple(weights[: len(own)].astype(np.float64) for weights, own in pairs)
    coming: dict[int, dict[int, Any]] = {0: {0: start}}
    """Board → root of the street → both players' reach."""
    factors = {0: 1.0}
    for street, level in enumerate(arena.boards.levels[:streets]):
        following: dict[int, dict[int, Any]] = {}
        below: dict[int, float] = {}
        nodes = [node for node in tree.nodes if node.street - first == street]
        for board, reach in coming.items():
            dealt = tuple(int(card) for card in level.cards[board])
            for node in nodes:
                if node.index not in reach:
                    continue
                pair = reach[node.index]
                if node.kind == NodeKind.DECISION:
                    if node.player == player:
                        weights = pair[player] * mass(pair[1 - player], dealt)
                        yield node, board, weights, factors[board], pair[player]
                    _play(solved, node, board, pair, reach)
                elif node.kind == NodeKind.CHANCE and street + 1 < arena.num_streets:
                    after = arena.boards.levels[street + 1]
                    for child in range(level.first_child[board], level.first_child[board + 1]):
                        members = int(after.first_member[child + 1] - after.first_member[child])
                        following.setdefault(child, {})[node.children[0]] = pair
                        below[child] = factors[board] * members / (52 - (2 + node.street) - 4)
        coming, factors = following, below


def _play(solved: SolvedSpot, node: TreeNode, board: int, pair: Any, reach: Any) -> None:
    for share, child in zip(solved.strategy(node, board), node.children, strict=True):
        mine = pair[node.player] * share
        reach[child] = (mine, pair[1]) if node.player == 0 else (pair[0], mine)


def _masses(arena: Layout, player: int) -> Any:
    """A function: for each of a player's hands what it can meet of the opponent's reach."""
    mine, theirs = arena.hands[player], arena.hands[1 - player]
    where = np.full(1326, -1)
    where[arena.combos[1 - player]] = np.arange(len(theirs))
    same = where[arena.combos[player]]
    holds = np.zeros((len(theirs), 52))
    np.put_along_axis(holds, theirs, 1.0, axis=1)

    def mass(reach: Doubles, dealt: tuple[int, ...]) -> Doubles:
        live = np.where(np.isin(theirs, dealt).any(axis=1), 0.0, reach)
        by_card = live @ holds
        found = live.sum() - by_card[mine].sum(axis=1) + np.where(same >= 0, live[same], 0.0)
        return np.where(np.isin(mine, dealt).any(axis=1), 0.0, np.maximum(found, 0.0))

    return mass
