"""What every pair of hands wins where a flop's betting ends, if both then play a blueprint.

*Continuation*: the blueprint's turn and river betting from one point on, as arrays. The searching
player plays it as it is. The opponent has four of them (Brown, Sandholm and Amos, "Depth-limited
solving for imperfect-information games", NeurIPS 2018): the blueprint, and the blueprint with its
folds, its checks and calls, or its bets and raises made five times as likely. Where the blueprint
knows many sizes, those least used are merged into the nearest of the others.

    node 0 ── edge per action ── … ── terminal: showdown or fold, chips that the loser has put in

*Leaf*: since all continuations are fixed, a leaf is a matrix of chips for each:

    U_k[i, j] = mean over runouts s of  P_k(s, i, j) · (±1 or 0 at the showdown)  +  F_k(s, i, j)

P and F are sums over terminals of both players' probabilities times chips. They depend only on the
buckets of a hand on turn and river, about a hundred classes on a runout, so that they are products
of small matrices, spread out to all hands by a kernel.

Only some of the 2,352 runouts are played, each card as a turn and as a river about equally often. A
control variate takes out most of that noise: β times the showdown without betting is subtracted on
each runout and added again as the exact mean over all. Without runouts a leaf is that showdown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.strength import board_strengths
from riverboat.holdem.blueprints.betting_tree import ACTOR, COST, END, LEAF, NODE_WIDTH, ROW
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.pot_shares import pot_share_table
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.search._flop_leaf_kernels import add_runouts, meet, reach_rows, rounded
from riverboat.runtime.array_types import F32, F64, I16, I64

CHOICES = ("blueprint", "folds", "calls", "raises")
BIAS = 5.0
BOTH = 3  # Both players in the hand, as bits
WIDTHS = ((9, 9), (3, 2), (2, 2), (2, 1), (1, 1))
"""Sizes for each decision on the turn and on the river, the most first."""
MAX_TERMINALS = 400
BATCH = 8  # Runouts that are added up at once


class Terminals(NamedTuple):
    """Where hands end: the edge that leads there, and the chips that the loser has put in."""

    edges: I64
    chips: F32  # For folds with the sign for player 0


@dataclass(frozen=True, eq=False)
class Continuation:
    """E edges, B buckets at most, four continuations; edge 0 is the beginning."""

    half: float  # Half of the pot where it begins
    parents: I64  # (E,) each after its parent
    actors: I64  # (E,) whose action it is
    streets: I64  # (E,) 0 on the turn, 1 on the river
    chances: F32  # (4, E, B) how likely a hand of a bucket takes it, once it is there
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
        self.tables: dict[int, F64] = {}
        """(actions, buckets) of each node."""

    def num_terminals(self, root: int, widths: tuple[int, int]) -> int:
        """How many it would have; counted up to one more than there may be."""
        terminals, waiting = 0, [root]
        while waiting and terminals <= MAX_TERMINALS:
            node = waiting.pop()
            if self._actor(node) == END:
                terminals += 1
            else:
                waiting += [self.tree.child(node, g[0]) for g in self._groups(node, widths)]
        return terminals

    def _actor(self, node: int) -> int:
        return int(self.tree.nodes[NODE_WIDTH * node + ACTOR])

    def _street(self, node: int) -> int:
        """0 on the turn, 1 on the river."""
        row = int(self.tree.nodes[NODE_WIDTH * node + ROW])
        return row % self.tree.game.num_streets - Street.TURN

    def _table(self, node: int) -> F64:
        if node not in self.tables:
            street = Street.TURN + self._street(node)
            num_buckets = self.blueprint.abstract.buckets.num_buckets[street]
            buckets = np.arange(num_buckets, dtype=np.uint32)
            self.tables[node] = self.blueprint.at(node, buckets).T.copy()
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
                by_kept[min(kept, key=lambda number: abs(amounts[number] - amounts[i]))].append(i)
        return groups + [by_kept[i] for i in kept]

    def laid_out(self, root: int, widths: tuple[int, int]) -> Continuation:
        edges, rows = [(0, 0, 0)], list[F64]()
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
        buckets = max(self.blueprint.abstract.buckets.num_buckets[Street.TURN :])
        chances = np.ones((len(CHOICES), len(edges), buckets), np.float32)
        for edge, row in enumerate(rows, 1):
            chances[:, edge, : row.shape[1]] = row
        half = float(self.tree.nodes[NODE_WIDTH * root + COST])
        ends = _terminals(showdowns), _terminals(folds)
        return Continuation(half, parents, actors, streets, chances, *ends)

    def _ways(self, node: int, groups: list[list[int]]) -> F64:
        """(groups, 4, buckets) how likely each is, in each continuation."""
        table, amounts = self._table(node), self.tree.actions(node).tolist()
        plain = np.stack([table[group].sum(axis=0) for group in groups])
        kinds = np.array([min(amounts[group[0]], 1) + 1 for group in groups])
        favour = np.ones((len(CHOICES), len(groups), 1))
        for kind in range(3):
            favour[kind + 1, kinds == kind] = BIAS
        continuations = favour * plain
        continuations /= continuations.sum(axis=1, keepdims=True)
        return np.asarray(continuations.transpose(1, 0, 2))


def _terminals(terminals: list[tuple[int, float]]) -> Terminals:
    edges = np.array([edge for edge, _ in terminals], np.int64)
    return Terminals(edges, np.array([chips for _, chips in terminals], np.float32))


class Runout(NamedTuple):
    """A turn and a river card, and the H hands by classes on it: C classes of equal buckets."""

    cards: tuple[int, int]
    buckets: I64  # (2, C) of each class on turn and river
    classes: I64  # (H,) C for hands with one of the cards
    order: I16  # (H,) hands class by class
    starts: I64  # (C + 1,)
    ranks: F32  # (H,) strength on the river


class LeafMatrix(NamedTuple):
    """Chips of the searching player's hands against the opponent's, from half of the pot."""

    steps: I16  # (H, 4 · H) in parts of `step`
    step: float
    half: float  # Half of the pot at the leaf, in the blueprint's chips
    beta: float
    num_runouts: int


class FlopCards:
    """The hands of a flop, exact shares of the pot, and its runouts in the order they are taken."""

    def __init__(self, blueprint: Blueprint, board: tuple[int, ...]) -> None:
        self.blueprint, self.board = blueprint, board
        self.combos = np.flatnonzero(~np.isin(COMBO_CARDS, board).any(axis=1))
        own = COMBO_CARDS[self.combos]
        shared = (own[:, None, :, None] == own[None, :, None, :]).any(axis=(2, 3))
        self.apart: F32 = (~shared).astype(np.float32)
        shares = pot_share_table(tuple(board))[np.ix_(self.combos, self.combos)]
        self.leads: F32 = (2 * shares - 1) * self.apart
        """(H, H) won less lost showdowns over all runouts."""
        # The same order for the same cards, however they lie.
        cards = np.setdiff1d(np.arange(NUM_CARDS), board)
        self._cards = np.random.default_rng(sorted(board)).permutation(cards).tolist()
        self._runouts: list[Runout] = []
        self._counts: dict[int, F32] = {}

    def runout(self, number: int) -> Runout:
        """The number-th one: a card is a turn once and a river once in 49."""
        while len(self._runouts) <= number:
            position = len(self._runouts)
            turn, river = self._cards[position % 49], self._cards[(position + 24) % 49]
            self._runouts.append(self._made(turn, river))
        return self._runouts[number]

    def counts(self, num_runouts: int) -> F32:
        """(H, H) on how many of the first runouts both hands are possible."""
        if num_runouts not in self._counts:
            ok = np.stack(
                [
                    runout.classes < runout.buckets.shape[1]
                    for runout in map(self.runout, range(num_runouts))
                ]
            ).astype(np.float32)
            self._counts[num_runouts] = ok.T @ ok
        return self._counts[num_runouts]

    def _made(self, turn: int, river: int) -> Runout:
        board = (*self.board, turn, river)
        live = ~np.isin(COMBO_CARDS[self.combos], (turn, river)).any(axis=1)
        first = self.blueprint.whole_board(board[:4], Street.TURN)[self.combos].astype(np.int64)
        second = self.blueprint.whole_board(board, Street.RIVER)[self.combos].astype(np.int64)
        keys, inverse = np.unique((first << 32 | second)[live], return_inverse=True)
        classes = np.full(len(self.combos), len(keys), np.int64)
        classes[live] = inverse
        return Runout(
            (turn, river),
            np.stack([keys >> 32, keys & 0xFFFFFFFF]),
            classes,
            np.argsort(classes, kind="stable").astype(np.int16),
            np.searchsorted(np.sort(classes), np.arange(len(keys) + 1)),
            board_strengths(board)[self.combos].astype(np.float32),
        )


@dataclass(frozen=True, eq=False)
class _Played:
    """A continuation played on a runout by classes of hands."""

    showdowns: F32  # (C, C, 4) chips at showdowns,
    folds: F32  # and from folds, of the searching player's classes against the opponent's


def _play(runout: Runout, play_on: Continuation, ours: int) -> _Played:
    num_buckets = runout.buckets.shape[1]
    tree = (play_on.parents, play_on.actors, play_on.streets)
    mine = np.empty((len(play_on.parents), num_buckets), np.float32)
    reach_rows(*tree, play_on.chances[0], ours, runout.buckets, mine)
    theirs = np.empty((len(play_on.parents), num_buckets, len(CHOICES)), np.float32)
    reach = np.empty_like(mine)
    for choice in range(len(CHOICES)):
        reach_rows(*tree, play_on.chances[choice], 1 - ours, runout.buckets, reach)
        theirs[:, :, choice] = reach
    values = []
    for edges, chips in (play_on.showdowns, play_on.folds):
        sums = np.empty((num_buckets, num_buckets * len(CHOICES)), np.float32)
        meet(edges, chips, mine, theirs.reshape(len(theirs), -1), sums)
        values.append(sums.reshape(num_buckets, num_buckets, -1))
    return _Played(values[0], values[1] if ours == 0 else -values[1])


def leaf_matrix(
    cards: FlopCards,
    play_on: Continuation,
    ours: int,
    num_runouts: int,
    in_time: Callable[[], bool] = lambda: True,
) -> LeafMatrix:
    """A leaf after `num_runouts` runouts, or as many as there are while it is `in_time`."""
    hands, half = len(cards.combos), play_on.half
    sums = np.zeros((hands, len(CHOICES) * hands), np.float32)
    beta, done = 1.0, 0
    while done < num_runouts and in_time():
        runouts = [cards.runout(number) for number in range(done, min(done + BATCH, num_runouts))]
        played = [_play(runout, play_on, ours) for runout in runouts]
        if done == 0:
            beta = _beta(runouts[0], played[0], half)
        _add(runouts, played, beta * half, sums)
        done += len(runouts)
    most = max(
        float(np.abs(ended.chips).max(initial=half)) for ended in (play_on.showdowns, play_on.folds)
    )
    step = (most + 2 * beta * half) / 32_767
    steps = np.empty((hands, len(CHOICES) * hands), np.int16)
    counts = cards.counts(done) if done else cards.apart
    rounded(
        sums, counts, cards.leads, cards.apart, np.float32(beta * half), np.float32(step), steps
    )
    return LeafMatrix(steps, step, half, beta, done)


def _beta(runout: Runout, played: _Played, half: float) -> float:
    """By how much betting makes the mean showdown larger than the pot."""
    size = np.diff(runout.starts).astype(np.float64)
    mean = size @ played.showdowns[:, :, 0].astype(np.float64) @ size / size.sum() ** 2
    return float(mean) / half


def _add(runouts: list[Runout], played: list[_Played], known: float, sums: F32) -> None:
    most = max(runout.buckets.shape[1] for runout in runouts)
    tables = np.zeros((len(runouts), 2, most, most + 1, len(CHOICES)), np.float32)
    starts = np.empty((len(runouts), most + 1), np.int64)
    for s, (runout, play) in enumerate(zip(runouts, played, strict=True)):
        num_buckets = runout.buckets.shape[1]
        tables[s, 0, :num_buckets, :num_buckets] = play.showdowns - np.float32(known)
        tables[s, 1, :num_buckets, :num_buckets] = play.folds
        starts[s, : num_buckets + 1] = runout.starts
        starts[s, num_buckets + 1 :] = runout.starts[num_buckets]
    order, classes, ranks = (
        np.stack([getattr(runout, name) for runout in runouts])
        for name in ("order", "classes", "ranks")
    )
    add_runouts(order, starts, classes, ranks, tables, sums)
