"""What every pair of hands wins where a flop's betting ends, if both then play by a blueprint.

The searching player plays the blueprint, the opponent one of four continuations of it
(continuations.py). As all of them are fixed, a leaf is a matrix of chips for each:

    U_k[i, j] = mean over runouts s of  P_k(s, i, j) · (±1 or 0 at the showdown)  +  F_k(s, i, j)

P and F are sums over terminals of both players' probabilities times chips, and depend only on the
buckets that a hand has on turn and river: about a hundred classes on a runout. So they are
products of small matrices, spread out to all hands by a kernel.

Not all 2,352 runouts are played but some, each card as a turn and as a river about equally often.
What is known exactly takes out most of that noise: β times the pot's showdown without betting is
subtracted on each runout and added again as the exact mean over all of them (a control variate).
With no runout at all a leaf is that showdown alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.strength import board_strengths
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.search.continuations import CHOICES, Continuation
from riverboat.holdem.search.flop_kernels import add_runouts, meet, reach_rows, rounded
from riverboat.holdem.search.pot_share_tables import pot_share_table

__all__ = ["FlopCards", "LeafMatrix", "leaf_matrix"]

TURN, RIVER = 2, 3
BATCH = 8
"""Runouts that are added up at once."""
Floats = NDArray[np.float32]


class Runout(NamedTuple):
    """A turn and a river card, and the H hands by classes on it: C classes of equal buckets."""

    cards: tuple[int, int]
    buckets: NDArray[np.int64]
    """(2, C) of each class on turn and river."""
    classes: NDArray[np.int64]
    """(H,) C for hands with one of the cards."""
    order: NDArray[np.int16]
    """(H,) hands class by class."""
    starts: NDArray[np.int64]
    """(C + 1,)"""
    ranks: Floats
    """(H,) strength on the river."""


class LeafMatrix(NamedTuple):
    """Chips of the searching player's hands against the opponent's, from half of the pot."""

    steps: NDArray[np.int16]
    """(H, 4 · H) in parts of `step`."""
    step: float
    half: float
    """Half of the pot at the leaf, in the blueprint's chips."""
    beta: float
    num_runouts: int


class FlopCards:
    """The hands of a flop, exact shares of the pot, and its runouts in the order they are taken."""

    def __init__(self, blueprint: Blueprint, board: tuple[int, ...]) -> None:
        self.blueprint, self.board = blueprint, board
        self.combos = np.flatnonzero(~np.isin(COMBO_CARDS, board).any(axis=1))
        own = COMBO_CARDS[self.combos]
        shared = (own[:, None, :, None] == own[None, :, None, :]).any(axis=(2, 3))
        self.apart: Floats = (~shared).astype(np.float32)
        shares = pot_share_table(tuple(board))[np.ix_(self.combos, self.combos)]
        self.leads: Floats = (2 * shares - 1) * self.apart
        """(H, H) won less lost showdowns over all runouts."""
        # The same order for the same cards, however they lie.
        cards = np.setdiff1d(np.arange(52), board)
        self._cards = np.random.default_rng(sorted(board)).permutation(cards).tolist()
        self._runouts: list[Runout] = []
        self._counts: dict[int, Floats] = {}

    def runout(self, number: int) -> Runout:
        """The number-th one: a card is a turn once and a river once in 49."""
        while len(self._runouts) <= number:
            place = len(self._runouts)
            turn, river = self._cards[place % 49], self._cards[(place + 24) % 49]
            self._runouts.append(self._made(turn, river))
        return self._runouts[number]

    def counts(self, num: int) -> Floats:
        """(H, H) on how many of the first runouts both hands are possible."""
        if num not in self._counts:
            ok = np.stack(
                [each.classes < each.buckets.shape[1] for each in map(self.runout, range(num))]
            ).astype(np.float32)
            self._counts[num] = ok.T @ ok
        return self._counts[num]

    def _made(self, turn: int, river: int) -> Runout:
        board = (*self.board, turn, river)
        live = ~np.isin(COMBO_CARDS[self.combos], (turn, river)).any(axis=1)
        first = self.blueprint.whole_board(board[:4], TURN)[self.combos].astype(np.int64)
        second = self.blueprint.whole_board(board, RIVER)[self.combos].astype(np.int64)
        keys, place = np.unique((first << 32 | second)[live], return_inverse=True)
        classes = np.full(len(self.combos), len(keys), np.int64)
        classes[live] = place
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

    showdowns: Floats
    """(C, C, 4) chips at showdowns,"""
    folds: Floats
    """and from folds, of the searching player's classes against the opponent's."""


def _play(runout: Runout, play_on: Continuation, ours: int) -> _Played:
    num = runout.buckets.shape[1]
    tree = (play_on.parents, play_on.actors, play_on.streets)
    mine = np.empty((len(play_on.parents), num), np.float32)
    reach_rows(*tree, play_on.chances[0], ours, runout.buckets, mine)
    theirs = np.empty((len(play_on.parents), num, len(CHOICES)), np.float32)
    each = np.empty_like(mine)
    for way in range(len(CHOICES)):
        reach_rows(*tree, play_on.chances[way], 1 - ours, runout.buckets, each)
        theirs[:, :, way] = each
    found = []
    for edges, chips in (play_on.showdowns, play_on.folds):
        sums = np.empty((num, num * len(CHOICES)), np.float32)
        meet(edges, chips, mine, theirs.reshape(len(theirs), -1), sums)
        found.append(sums.reshape(num, num, -1))
    return _Played(found[0], found[1] if ours == 0 else -found[1])


def leaf_matrix(
    cards: FlopCards,
    play_on: Continuation,
    ours: int,
    num: int,
    in_time: Callable[[], bool] = lambda: True,
) -> LeafMatrix:
    """A leaf after `num` runouts, or as many as there are while it is `in_time`."""
    hands, half = len(cards.combos), play_on.half
    sums = np.zeros((hands, len(CHOICES) * hands), np.float32)
    beta, done = 1.0, 0
    while done < num and in_time():
        runouts = [cards.runout(number) for number in range(done, min(done + BATCH, num))]
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


def _add(runouts: list[Runout], played: list[_Played], known: float, sums: Floats) -> None:
    most = max(runout.buckets.shape[1] for runout in runouts)
    tables = np.zeros((len(runouts), 2, most, most + 1, len(CHOICES)), np.float32)
    starts = np.empty((len(runouts), most + 1), np.int64)
    for s, (runout, each) in enumerate(zip(runouts, played, strict=True)):
        num = runout.buckets.shape[1]
        tables[s, 0, :num, :num] = each.showdowns - np.float32(known)
        tables[s, 1, :num, :num] = each.folds
        starts[s, : num + 1] = runout.starts
        starts[s, num + 1 :] = runout.starts[num]
    order, classes, ranks = (
        np.stack([getattr(runout, name) for runout in runouts])
        for name in ("order", "classes", "ranks")
    )
    add_runouts(order, starts, classes, ranks, tables, sums)
