"""Three all-in hands before the flop, exactly: every order they can finish in, for all classes.

The table has a row for each three of the 169 classes (818,805 of them) and a column for each of the
13 orders of three hands that may tie. An entry counts boards and suits: how many of the deals of
these classes, three hands that share no card and five more cards, end in that order. So it knows
card removal, and what a folded hand takes from the others' chances.

Counting it takes a few seconds once; it is kept in the user's cache (43 MB), and counted again when
the file there holds anything else.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache, partial
from itertools import combinations, combinations_with_replacement, permutations
from math import comb
from pathlib import Path
from threading import Lock

import numpy as np

from riverboat.cards.combos import COMBO_CARDS, NUM_CLASSES, class_of_combos
from riverboat.cards.strength import category_starts, strengths_of_card_masks
from riverboat.errors import FileFormatError, StorageError
from riverboat.holdem.preflop._allin_tables import KIND, read_table
from riverboat.holdem.preflop._three_way_kernels import (
    LANES,
    NO_HAND,
    NO_RANK,
    NUM_MARKS,
    Boards,
    Pairs,
    States,
    Suited,
    add_classes,
    compare_flushes,
    count_one_flush,
    count_plain,
    count_two_flushes,
    sum_deals,
    weigh_profiles,
    write_three_flushes,
)
from riverboat.runtime.array_types import I16, I64, U32
from riverboat.runtime.storage import cache_folder
from riverboat.strategies.files import write_arrays

ORDERS = (
    (1, 2, 0), (0, 1, 0), (0, 2, 1), (0, 1, 1), (0, 1, 2),
    (1, 1, 0), (0, 0, 0), (0, 0, 1),
    (2, 1, 0), (1, 0, 0), (2, 0, 1), (1, 0, 1), (1, 0, 2),
)  # fmt: skip
"""The place of each of three hands, 0 for the best; hands that tie share a place."""
NUM_TRIPLES = NUM_CLASSES * (NUM_CLASSES + 1) * (NUM_CLASSES + 2) // 6
MARKS = [0] + [sum(1 << r for r in ranks) for k in (1, 2) for ranks in combinations(range(13), k)]
"""The sets of clubs in a hand: none, one of 13 ranks or two of 78, as bits."""
_FULL_HOUSE, _STRAIGHT_FLUSH = 6, 8
TABLE_SHA256 = "f1264bfa46bdffa7139f2db110de991d562178890b3ef94810c4c3e44cb9290f"
"""Of the counts, row by row, as little-endian 32-bit numbers: there is one right table."""
_SETS = 32  # Sets of ranks that a thread takes at once


@lru_cache(maxsize=1)
def permuted_orders() -> I64:
    """(6, 13) which order each becomes when hand i takes the place `permutation[i]`."""
    rows = []
    for places in permutations(range(3)):
        moved = []
        for order in ORDERS:
            new = [0, 0, 0]
            for hand, seat in enumerate(places):
                new[seat] = order[hand]
            moved.append(ORDERS.index((new[0], new[1], new[2])))
        rows.append(moved)
    return np.array(rows, np.int64)


def _states() -> States:
    """The hands by class and clubs."""
    groups: dict[tuple[int, int], list[int]] = {}
    for combo, cards in enumerate(COMBO_CARDS.tolist()):
        marks = sum({1 << card // 4 for card in cards if card % 4 == 0})
        groups.setdefault((int(class_of_combos()[combo]), marks), []).append(combo)
    keys = sorted(groups)
    classes, marks = np.array(keys, np.int64).T.copy()
    cards = np.zeros((len(keys), 6), np.uint64)
    ranks = np.zeros((len(keys), 2), np.int64)
    for row, key in enumerate(keys):
        for number, combo in enumerate(groups[key]):
            cards[row, number] = sum(1 << card for card in COMBO_CARDS[combo].tolist())
        ranks[row] = COMBO_CARDS[groups[key][0]] // 4
    one, two = cards[:, None, :, None], cards[None, :, None, :]
    bits = 1 << ranks[:, 0] | 1 << ranks[:, 1]
    disjoint = ((one & two == 0) & (one > 0) & (two > 0)).sum(axis=(2, 3))
    low, high = (marks >> ranks.T) & 1
    other = np.where(low == high, NO_RANK, np.where(low, ranks[:, 1], ranks[:, 0]))
    pocket = ranks[:, 0] == ranks[:, 1]
    return States(
        np.searchsorted(classes, np.arange(NUM_CLASSES + 1)).astype(np.int64),
        classes,
        marks,
        np.array([MARKS.index(mark) for mark in marks.tolist()], np.int64),
        np.where(pocket, low, low + 2 * high),
        np.where(pocket & (low == 1), ranks[:, 0], other),
        cards,
        np.array([len(groups[key]) for key in keys], np.int64),
        ranks,
        2 * disjoint + (bits[:, None] & bits > 0),
    )


def _board_ranks() -> I64:
    """(6175, 5) the ranks of every board in rising order."""
    boards = np.array(list(combinations_with_replacement(range(13), 5)), np.int64)
    return boards[boards[:, 0] < boards[:, 4]]


def _keys(ranks: I64) -> I64:
    """A number for each set of ranks (…, K), whatever their order; NO_RANK counts nothing."""
    return np.asarray(np.append(5 ** np.arange(13), 0)[ranks].sum(axis=-1))


def _pairs(boards: I64) -> Pairs:
    """The pairs of ranks with their strengths on all boards."""
    ranks = np.array([*combinations_with_replacement(range(13), 2), (NO_RANK, NO_RANK)], np.int64)
    numbers = np.zeros((13, 13), np.int64)
    numbers[ranks[:-1, 0], ranks[:-1, 1]] = np.arange(NO_HAND)
    big, small = 12 - ranks[:, 1], 12 - ranks[:, 0]
    offsuit = np.where(big == small, -1, 13 * small + big)
    strengths = np.full((NO_HAND + 1, len(boards)), -1, np.int16)
    for number, pair in enumerate(ranks[:-1]):
        seven = np.sort(np.hstack([boards, np.broadcast_to(pair, (len(boards), 2))]), axis=1)
        # Suits in turn: equal ranks get different ones, and no suit has more than two cards.
        cards = np.uint64(1) << (4 * seven + np.arange(7) % 4).astype(np.uint64)
        strengths[number] = strengths_of_card_masks(np.bitwise_or.reduce(cards, axis=1))
    return Pairs(ranks, numbers, np.stack([13 * big + small, offsuit], axis=1), strengths)


def _flush_strengths(sets: I64) -> I16:
    """(N, 92) the flush of suited cards on the board (bits) and marks, -1 where there is none."""
    both = sets[:, None] | np.array(MARKS)
    fits = (sets[:, None] & np.array(MARKS) == 0) & (np.bitwise_count(both) >= 5)
    clubs = (both[fits][:, None] >> np.arange(13) & 1) @ (1 << 4 * np.arange(13))
    strengths = np.full(both.shape, -1, np.int16)
    strengths[fits] = strengths_of_card_masks(clubs.astype(np.uint64))
    return strengths


def _suited(size: int, boards: I64) -> tuple[Suited, I16]:
    """Boards with `size` suited cards, and the flushes on them."""
    members = np.array(list(combinations(range(13), size)), np.int64)
    bits = (1 << members).sum(axis=1)
    rest = np.array(list(combinations_with_replacement(range(13), 5 - size)), np.int64)
    rest = np.hstack([rest, np.full((len(rest), size - 3), NO_RANK)]).reshape(-1, 2)
    keys = _keys(boards)
    order = np.argsort(keys)
    wanted = _keys(members)[:, None] + _keys(rest)
    numbers = order[np.searchsorted(keys, wanted, sorter=order)].astype(np.int32)
    flushes = _flush_strengths(bits)
    lowest = category_starts()[_STRAIGHT_FLUSH]
    pairs = np.array([
        (a, b) for a, b in combinations(range(1, NUM_MARKS), 2)
        if not MARKS[a] & MARKS[b] and min(MARKS[a].bit_count(), MARKS[b].bit_count()) >= 5 - size
    ], np.int64)  # fmt: skip
    first, second = flushes.T[pairs.T]
    straight = (first >= lowest).astype(np.uint8) + (second >= lowest)
    rows, sets = np.nonzero(np.minimum(first, second) >= 0)
    results = (3 * (first < second) + straight)[rows, sets].astype(np.int64)
    starts = np.searchsorted(rows, np.arange(len(pairs) + 1))
    straights = np.argwhere((flushes >= lowest).T)
    return Suited(members, bits, rest, numbers, straights, pairs, starts, sets, results), flushes


class ThreeWayCounter:
    """What counting needs; `count` does all of it."""

    def __init__(self) -> None:
        boards = _board_ranks()
        self.states, self.pairs = _states(), _pairs(boards)
        self.by_marks = np.argsort(self.states.numbers, kind="stable")
        self.mark_starts = np.searchsorted(
            self.states.numbers[self.by_marks], np.arange(NUM_MARKS + 1)
        )
        self.suited, self.flushes = [], []
        for size in (3, 4):
            suited, flushes = _suited(size, boards)
            self.suited.append(suited)
            self.flushes.append(flushes)
        whole = np.array([sum(1 << r for r in ranks) for ranks in combinations(range(13), 5)])
        self.flushes.append(_flush_strengths(whole))
        self.counts = (boards.T[None] == np.arange(13)[:, None, None]).sum(axis=1).astype(np.int16)
        self.full_house = category_starts()[_FULL_HOUSE]
        self._lock = Lock()

    def write_three(self, out: U32) -> None:
        """Write the deals with three flushes."""
        ways = np.array([[4 * comb(33 + n, 5 - k) for n in range(7)] for k in range(6)], np.int32)
        sizes = np.repeat([3, 4, 5], [len(one) for one in self.flushes])
        marks = np.array([one.bit_count() for one in MARKS])
        flushes = np.zeros((NUM_MARKS, NUM_MARKS, NUM_MARKS, len(ORDERS)), np.int32)
        strengths = np.concatenate(self.flushes)
        compare_flushes(strengths, sizes, marks, ways, permuted_orders(), flushes)
        for third in range(NUM_CLASSES):
            write_three_flushes(third, flushes, self.states, permuted_orders(), out)

    def patterns(self, num_ranks: int) -> tuple[I64, U32, Boards]:
        """Three hands on `num_ranks` ranks, their deals without a flush by profile, and boards."""
        repeats = 5 * (self.counts > 0).sum(axis=0) + self.counts.max(axis=0)
        kinds = np.unique(repeats, return_inverse=True)[1]
        bases = 5 ** np.arange(num_ranks)
        keys = kinds * 5**num_ranks + bases @ self.counts[:num_ranks]
        different, examples = np.unique(keys, return_index=True)
        profiles = np.zeros(6 * 5**num_ranks, np.int16)
        profiles[different] = np.arange(len(different))
        counts = self.counts.T[examples].astype(np.int64)
        ranks = np.argsort(-counts, axis=1, kind="stable")[:, :5]
        boards = np.hstack([ranks, np.take_along_axis(counts, ranks, axis=1)])
        on_ranks = list(combinations_with_replacement(range(num_ranks), 2))
        patterns = []
        for hands in combinations_with_replacement(on_ranks, 3):
            held = np.bincount(np.ravel(hands), minlength=num_ranks)
            if held.min() > 0 and held.max() <= 4:
                patterns.append(hands)
        weights = np.zeros((len(patterns), 2, 2, 2, len(different)), np.uint32)
        for row, hands in enumerate(patterns):
            classes = self.pairs.classes[[self.pairs.numbers[hand] for hand in hands]]
            for suits in np.ndindex(2, 2, 2):
                chosen = classes[range(3), suits]
                if chosen.min() >= 0:
                    weigh_profiles(chosen, boards, self.states, weights[(row, *suits)])
        known = Boards(self.counts, kinds.astype(np.int16), profiles)
        return np.array(patterns, np.int64), weights, known

    def add_one(self, p: int, others: Iterable[int], out: U32) -> None:
        """Add the deals with one flush and two plain hands, of the ranks p and q ≥ p in others."""
        every, mine = np.arange(NUM_CLASSES), self.pairs.classes[p]
        for q in others:
            counts = np.zeros((NUM_CLASSES, 2, 2, len(ORDERS)), np.int64)
            for suited in self.suited:
                deals = np.empty(len(suited.bits) * 8 * LANES, np.int32)
                sum_deals(p, q, self.full_house, suited, self.pairs, deals)
                count_one_flush(p, q, deals, suited, self.pairs, self.states, counts)
            theirs = self.pairs.classes[q]
            with self._lock:
                add_classes(every, mine, theirs, 2, counts, permuted_orders(), out)

    def add_two(self, p: int, out: U32) -> None:
        """Add the deals with two flushes and a plain hand of the ranks p."""
        every, mine = np.arange(NUM_CLASSES), self.pairs.classes[p]
        counts = np.zeros((2, NUM_CLASSES, NUM_CLASSES, len(ORDERS)), np.int64)
        for suited in self.suited:
            deals = np.empty(len(suited.bits) * 8 * LANES, np.int32)
            sum_deals(p, NO_HAND, self.full_house, suited, self.pairs, deals)
            count_two_flushes(
                p, deals, suited, self.pairs, self.states, self.by_marks, self.mark_starts, counts
            )
        with self._lock:
            add_classes(mine, every, every, 0, counts, permuted_orders(), out)

    def add_plain(self, num_ranks: int) -> Iterator[Callable[[U32], None]]:
        """The pieces of work that add the deals without a flush of hands with `num_ranks` ranks."""
        patterns, weights, boards = self.patterns(num_ranks)
        sets = np.array(list(combinations(range(13), num_ranks)), np.int64)
        for at in range(0, len(sets), _SETS):
            few = sets[at : at + _SETS]
            yield partial(
                count_plain, few, patterns, weights, boards, self.pairs, permuted_orders()
            )

    def count(self, threads: int, progress: Callable[[float], None] | None = None) -> U32:
        """(818805, 13) the whole table."""
        out: U32 = np.zeros((NUM_TRIPLES, len(ORDERS)), np.uint32)
        mixed = np.zeros_like(out)
        with ThreadPoolExecutor(threads) as pool:
            try:
                # Threads begin while this one still compiles and prepares the rest.
                jobs = [pool.submit(self.add_two, p, mixed) for p in range(NO_HAND)]
                jobs += [
                    pool.submit(self.add_one, p, range(p, NO_HAND), mixed) for p in range(NO_HAND)
                ]
                self.write_three(out)
                for num_ranks in range(2, 7):
                    jobs += [pool.submit(piece, out) for piece in self.add_plain(num_ranks)]
                for done, job in enumerate(jobs, 1):
                    job.result()
                    if progress is not None:
                        progress(done / len(jobs))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        out += mixed
        return out


def table_path() -> Path:
    """The file of the three-way table."""
    return cache_folder() / "three-way.rb"


@lru_cache(maxsize=1)
def _kept(path: Path) -> U32:
    table = read_table(path, NUM_TRIPLES, len(ORDERS))
    if hashlib.sha256(table.astype("<u4").tobytes()).hexdigest() != TABLE_SHA256:
        raise FileFormatError(f"{path} does not hold the three-way table.")
    return table


def three_way_table(progress: Callable[[float], None] | None = None) -> U32:
    """The table from the cache, or counted (some seconds) and stored there."""
    path = table_path()
    with suppress(StorageError, FileFormatError):
        return _kept(path)
    table = ThreeWayCounter().count(os.cpu_count() or 1, progress)
    with suppress(StorageError, OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_arrays(path, KIND, {"counts": table}, {})
    return table
