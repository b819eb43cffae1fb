"""How a blueprint plays on after the flop: its turn and river betting from one point, as arrays.

Both players of a depth-limited flop (flop_leaves.py) play by it once the flop's betting is over.
One of them has four ways to do so (Brown, Sandholm and Amos, "Depth-limited solving for
imperfect-information games", NeurIPS 2018): the blueprint, and the blueprint with its folds, its
checks and calls, or its bets and raises made five times as likely.

    node 0 ── edge per action ── … ── terminal: showdown or fold, chips that the loser has put in

Where the blueprint knows many sizes, those least used are merged into the nearest of the others:
what a hand does with them it does with that one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riverboat.holdem.abstraction.betting_tree import ACTOR, COST, END, LEAF, NODE_WIDTH, ROW
from riverboat.holdem.abstraction.blueprint import Blueprint

__all__ = ["CHOICES", "Continuation", "continuation"]

CHOICES = ("blueprint", "folds", "calls", "raises")
BIAS = 5.0
TURN, BOTH = 2, 3
WIDTHS = ((9, 9), (3, 2), (2, 2), (2, 1), (1, 1))
"""Sizes for each decision on the turn and on the river, the most first."""
MAX_TERMINALS = 400
Floats = NDArray[np.float32]


class Terminals(NamedTuple):
    """Where hands end: the edge that leads there, and the chips that the loser has put in."""

    edges: NDArray[np.int64]
    chips: Floats
    """For folds with the sign for player 0."""


@dataclass(frozen=True, eq=False)
class Continuation:
    """E edges, B buckets at most, four ways to play; edge 0 is the beginning."""

    half: float
    """Half of the pot where it begins."""
    parents: NDArray[np.int64]
    """(E,) each after its parent."""
    actors: NDArray[np.int64]
    """(E,) whose action it is."""
    streets: NDArray[np.int64]
    """(E,) 0 on the turn, 1 on the river."""
    chances: Floats
    """(4, E, B) how likely a hand of a bucket takes it, once it is there."""
    showdowns: Terminals
    folds: Terminals


def continuation(blueprint: Blueprint, root: int) -> Continuation:
    """The blueprint from a first decision on the turn on, with as many sizes as fit."""
    layout = _Layout(blueprint)
    for widths in WIDTHS:
        if widths == WIDTHS[-1] or layout.num_terminals(root, widths) <= MAX_TERMINALS:
            break
    return layout.laid_out(root, widths)


class _Layout:
    """Depth first through the blueprint's tree."""

    def __init__(self, blueprint: Blueprint) -> None:
        self.blueprint, self.tree = blueprint, blueprint.abstract.tree
        self.tables: dict[int, NDArray[np.float64]] = {}
        """(actions, buckets) of each node."""

    def num_terminals(self, root: int, widths: tuple[int, int]) -> int:
        """How many it would have; counted up to one more than there may be."""
        found, waiting = 0, [root]
        while waiting and found <= MAX_TERMINALS:
            node = waiting.pop()
            if self._actor(node) == END:
                found += 1
            else:
                waiting += [self.tree.child(node, g[0]) for g in self._groups(node, widths)]
        return found

    def _actor(self, node: int) -> int:
        return int(self.tree.nodes[NODE_WIDTH * node + ACTOR])

    def _street(self, node: int) -> int:
        """0 on the turn, 1 on the river."""
        return int(self.tree.nodes[NODE_WIDTH * node + ROW]) % self.tree.game.num_streets - TURN

    def _table(self, node: int) -> NDArray[np.float64]:
        if node not in self.tables:
            num = self.blueprint.abstract.buckets.num_buckets[TURN + self._street(node)]
            self.tables[node] = self.blueprint.at(node, np.arange(num, dtype=np.uint32)).T.copy()
        return self.tables[node]

    def _groups(self, node: int, widths: tuple[int, int]) -> list[list[int]]:
        """The actions of a node; those with the first of a group count as it."""
        amounts = self.tree.actions(node).tolist()
        raises = [i for i, amount in enumerate(amounts) if amount > 0]
        width = widths[self._street(node)]
        groups = [[i] for i, amount in enumerate(amounts) if amount <= 0]
        if len(raises) <= width:
            return groups + [[i] for i in raises]
        used = self._table(node).mean(axis=1)
        kept = sorted(sorted(raises, key=lambda i: -used[i])[:width])
        by_kept = {i: [i] for i in kept}
        for i in raises:
            if i not in by_kept:
                by_kept[min(kept, key=lambda each: abs(amounts[each] - amounts[i]))].append(i)
        return groups + [by_kept[i] for i in kept]

    def laid_out(self, root: int, widths: tuple[int, int]) -> Continuation:
        edges, rows = [(0, 0, 0)], list[NDArray[np.float64]]()
        showdowns, folds = list[tuple[int, float]](), list[tuple[int, float]]()
        waiting = [(root, 0)]
        while waiting:
            node, edge = waiting.pop()
            actor = self._actor(node)
            if actor == END:
                leaf = int(self.tree.nodes[NODE_WIDTH * node + LEAF])
                in_hand, _, _, first, second = self.tree.leaves[leaf].tolist()
                if in_hand == BOTH:
                    showdowns.append((edge, float(min(first, second))))
                else:
                    folds.append((edge, float(second) if in_hand == 1 else -float(first)))
                continue
            groups = self._groups(node, widths)
            for group, row in zip(groups, self._ways(node, groups), strict=True):
                waiting.append((self.tree.child(node, group[0]), len(edges)))
                edges.append((edge, actor, self._street(node)))
                rows.append(row)
        parents, actors, streets = np.array(edges, np.int64).T.copy()
        buckets = max(self.blueprint.abstract.buckets.num_buckets[TURN:])
        chances = np.ones((len(CHOICES), len(edges), buckets), np.float32)
        for edge, row in enumerate(rows, 1):
            chances[:, edge, : row.shape[1]] = row
        half = float(self.tree.nodes[NODE_WIDTH * root + COST])
        ends = _terminals(showdowns), _terminals(folds)
        return Continuation(half, parents, actors, streets, chances, *ends)

    def _ways(self, node: int, groups: list[list[int]]) -> NDArray[np.float64]:
        """(groups, 4, buckets) how likely each is, in each way to play."""
        table, amounts = self._table(node), self.tree.actions(node).tolist()
        plain = np.stack([table[group].sum(axis=0) for group in groups])
        kinds = np.array([min(amounts[group[0]], 1) + 1 for group in groups])
        favour = np.ones((len(CHOICES), len(groups), 1))
        for kind in range(3):
            favour[kind + 1, kinds == kind] = BIAS
        ways = favour * plain
        ways /= ways.sum(axis=1, keepdims=True)
        return np.asarray(ways.transpose(1, 0, 2))


def _terminals(found: list[tuple[int, float]]) -> Terminals:
    edges = np.array([edge for edge, _ in found], np.int64)
    return Terminals(edges, np.array([chips for _, chips in found], np.float32))
