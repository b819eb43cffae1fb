"""Three all-in hands before the flop, exactly: every order they can finish in, for all classes.

The table has a row for each three of the 169 classes (818,805 of them) and a column for each of the
13 orders of three hands that may tie. An entry counts boards and suits: how many of the deals of
these classes, three hands that share no card and five more cards, end in that order. So it knows
card removal, and what a folded hand takes from the others' chances.

Counting it takes a minute or two once; it is kept in the user's cache (43 MB).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, permutations
from pathlib import Path
from threading import Lock

import numpy as np

from riverboat.cards.combos import COMBO_CARDS, NUM_CLASSES, class_of_combos
from riverboat.cards.strength import strength_tables
from riverboat.errors import FileFormatError, StorageError
from riverboat.holdem.preflop.pushfold.matchups import KIND, read_table
from riverboat.holdem.preflop.pushfold.three_way_kernels import (
    STEP,
    Boards,
    States,
    ViewLanes,
    add_changes,
    add_rank_counts,
    count_flush_changes,
    fill_strengths,
)
from riverboat.runtime.array_types import I16, I32, I64, U32
from riverboat.runtime.storage import cache_folder
from riverboat.strategies.files import write_arrays

ORDERS = (
    (1, 2, 0), (0, 1, 0), (0, 2, 1), (0, 1, 1), (0, 1, 2),
    (1, 1, 0), (0, 0, 0), (0, 0, 1),
    (2, 1, 0), (1, 0, 0), (2, 0, 1), (1, 0, 1), (1, 0, 2),
)  # fmt: skip
"""The place of each of three hands, 0 for the best; hands that tie share a place."""
NUM_TRIPLES = NUM_CLASSES * (NUM_CLASSES + 1) * (NUM_CLASSES + 2) // 6
BLOCK = 8  # Second views that are counted together, so that the boards' strengths stay in the cache


def triple_row(first: int, second: int, third: int) -> int:
    """The row of three classes given in rising order."""
    return third * (third + 1) * (third + 2) // 6 + second * (second + 1) // 2 + first


@lru_cache(maxsize=1)
def permuted_orders() -> I64:
    """(6, 13) which order each becomes when hand i takes the place `permutation[i]`."""
    rows = []
    for places in permutations(range(3)):
        moved = []
        for order in ORDERS:
            new = [0, 0, 0]
            for hand, place in enumerate(places):
                new[place] = order[hand]
            moved.append(ORDERS.index((new[0], new[1], new[2])))
        rows.append(moved)
    return np.array(rows, np.int64)


def _boards() -> Boards:
    ranks, starts, suited, sizes, rest = [], [0], [], [], []
    for board in combinations_with_replacement(range(13), 5):
        if board.count(max(board, key=board.count)) > 4:
            continue
        ranks.append(board)
        for size in (3, 4, 5):
            for flush in combinations(sorted(set(board)), size):
                others = list(board)
                for rank in flush:
                    others.remove(rank)
                suited.append(sum(1 << rank for rank in flush))
                sizes.append(size)
                rest.append((*others, -1, -1)[:2])
        starts.append(len(suited))
    columns = (ranks, starts, suited, sizes, rest)
    return Boards(*(np.array(column, np.int64) for column in columns))


def _views() -> list[tuple[int, int, int]]:
    """Low rank, high rank and the marked ranks as bits, by the number of marks."""
    found = []
    for low in range(13):
        for high in range(low, 13):
            marks = {0, 1 << low, 1 << high} | ({1 << low | 1 << high} if low < high else set())
            found += [(low, high, each) for each in sorted(marks)]
    return sorted(found, key=lambda view: (view[2].bit_count(), view))


def _lanes(views: list[tuple[int, int, int]]) -> ViewLanes:
    """The views as columns, with empty ones behind them up to a multiple of STEP."""
    num = -(-len(views) // STEP) * STEP
    ranks, marked = np.zeros((num, 2), np.int64), np.zeros(num, np.int64)
    other = np.zeros((13, num), np.int16)
    for number, (low, high, marks) in enumerate(views):
        ranks[number], marked[number] = (low, high), marks
        for rank in (low, high):
            other[rank, number] += 1
        for rank in range(13):
            other[rank, number] -= marks >> rank & 1
    singles = np.maximum(np.arange(4)[:, None, None] - other, 0).astype(np.int16)
    doubles = (singles * (singles - 1) // 2).astype(np.int16)
    free = (np.arange(8192)[:, None] & marked[None, :] == 0).astype(np.int16)
    free[:, len(views) :] = 0
    counts = [view[2].bit_count() for view in views]
    firsts = np.array([num, num, num, counts.index(2), counts.index(1), 0], np.int64)
    return ViewLanes(ranks, marked, other, singles.ravel(), doubles.ravel(), free.ravel(), firsts)


def _states(groups: dict[tuple[int, int], list[int]]) -> States:
    """States from combos by (number of the view, class), in that order."""
    keys = sorted(groups)
    masks = np.zeros((len(keys), 12), np.uint64)
    ranks = np.zeros(len(keys), np.int64)
    for row, key in enumerate(keys):
        for place, combo in enumerate(groups[key]):
            cards = COMBO_CARDS[combo].tolist()
            masks[row, place] = sum(1 << card for card in cards)
            ranks[row] |= sum(1 << rank for rank in {card // 4 for card in cards})
    sizes = np.array([len(groups[key]) for key in keys], np.int64)
    views, classes = np.array(keys, np.int64).T
    return States(views.copy(), classes.copy(), masks, sizes, ranks)


def _group(key_of: Callable[[int, int], int]) -> States:
    """The combos by a number that follows from their cards, and by class."""
    groups: dict[tuple[int, int], list[int]] = {}
    for combo, (low, high) in enumerate(COMBO_CARDS.tolist()):
        key = (key_of(low, high), int(class_of_combos()[combo]))
        groups.setdefault(key, []).append(combo)
    return _states(groups)


def _starts(states: States, num: int) -> I64:
    return np.searchsorted(states.views, np.arange(num + 1)).astype(np.int64)


class ThreeWayCounter:
    """What counting needs; `count` does all of it."""

    def __init__(self) -> None:
        views = _views()
        places = {view: number for number, view in enumerate(views)}
        self.num_views, self.boards, self.lanes = len(views), _boards(), _lanes(views)

        def view_of(low: int, high: int) -> int:
            marks = sum({1 << card // 4 for card in (low, high) if card % 4 == 0})
            return places[low // 4, high // 4, marks]

        self.states = _group(view_of)
        self.starts = _starts(self.states, self.num_views)
        unmarked = [view for view in views if not view[2]]
        self.pairs = np.array([view[:2] for view in unmarked], np.int64)
        self.by_ranks = _group(lambda low, high: places[low // 4, high // 4, 0])
        self.rank_starts = _starts(self.by_ranks, len(unmarked))
        width = len(self.lanes.marked)
        plain = np.zeros((len(self.boards.ranks), width), np.int16)
        flush = np.zeros((len(self.boards.suited), width), np.int16)
        fill_strengths(self.boards, self.lanes, strength_tables().arrays, plain, flush)
        self.rank_strengths: I16 = plain[:, : len(unmarked)].copy()
        self.plain: I16 = plain.ravel()
        self.flush: I16 = flush.ravel()
        self._lock = Lock()

    def add_ranks(self, a: int, out: I64) -> None:
        """Add the counts without flushes of the a-th pair of ranks with all others from it on."""
        add_rank_counts(
            a, self.pairs, self.boards, self.rank_strengths, self.rank_starts, self.by_ranks,
            permuted_orders(), out,
        )  # fmt: skip

    def add_flushes(self, a: int, out: I64) -> None:
        """Add the flush changes of view a with all others from it on."""
        width = len(self.lanes.marked)
        for first in range(a, self.num_views, BLOCK):
            num = min(BLOCK, self.num_views - first)
            sums = np.zeros(num * 30 * width, np.int16)
            counts: I32 = np.zeros((num, 30 * width), np.int32)
            count_flush_changes(
                a, first, self.boards, self.lanes, self.plain, self.flush, sums, counts
            )
            with self._lock:  # two threads must not add to one row at the same time
                for k in range(num):
                    add_changes(
                        a, first + k, counts[k], self.starts, self.states, permuted_orders(), out
                    )

    def count(self, threads: int, progress: Callable[[float], None] | None = None) -> U32:
        """(818805, 13) the whole table."""
        out = np.zeros((NUM_TRIPLES, 13), np.int64)
        for a in range(len(self.pairs)):
            self.add_ranks(a, out)
        with ThreadPoolExecutor(threads) as pool:
            jobs = [pool.submit(self.add_flushes, a, out) for a in range(self.num_views)]
            try:
                for done, job in enumerate(jobs, 1):
                    job.result()
                    if progress is not None:
                        # The work of a view is the pairs and thirds behind it.
                        progress(1 - (1 - done / self.num_views) ** 3)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return out.astype(np.uint32)


def table_path() -> Path:
    """The file of the three-way table."""
    return cache_folder() / "three-way.rb"


@lru_cache(maxsize=1)
def _kept(path: Path) -> U32:
    return read_table(path, NUM_TRIPLES, len(ORDERS))


def three_way_table(progress: Callable[[float], None] | None = None) -> U32:
    """The table from the cache, or counted (a minute or two) and stored there."""
    path = table_path()
    with suppress(StorageError, FileFormatError):
        return _kept(path)
    table = ThreeWayCounter().count(os.cpu_count() or 1, progress)
    with suppress(StorageError, OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_arrays(path, KIND, {"counts": table}, {})
    return table
