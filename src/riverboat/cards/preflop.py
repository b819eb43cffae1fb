"""Exact equities of two hands before the flop: one pair of hands, or every pair at once.

`PreflopTable` holds, for one hand of each of the 169 classes against all 1,326 hands, the boards
won and tied of 1,712,304; renaming suits makes that every pair of hands. `equities()` is the
169 × 169 matrix of the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import (
    COMBO_CARDS,
    NUM_CLASSES,
    NUM_COMBOS,
    class_of_combos,
    suit_permutations,
)

if TYPE_CHECKING:
    from riverboat.cards._equity_kernels import RankBoards, SuitSets
    from riverboat.cards._strength_kernels import Tables


NUM_VIEWS = 338  # How many ways a hand can look from one suit
PREFLOP_BOARDS = 1_712_304  # Boards that two hands leave: C(48, 5)


@dataclass(frozen=True)
class PreflopTable:
    """Boards won and tied by one hand of each class against every hand; zero where they overlap."""

    wins: NDArray[np.int32]  # (169, 1326)
    ties: NDArray[np.int32]  # (169, 1326)

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each combo the renaming of suits (1326,) that makes it its class's hand."""
        renamed = suit_permutations()[1]
        classes = class_of_combos().astype(np.int64)
        matches = renamed == _representatives()[classes][None, :]
        return classes, np.argmax(matches, axis=0)

    def rows(self, combos: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Boards won and tied (N, 1326) by each of the given hands against every hand."""
        classes, renaming = self._places
        columns = suit_permutations()[1][renaming[combos]].astype(np.int64)
        rows = classes[combos][:, None]
        return self.wins[rows, columns], self.ties[rows, columns]

    def pair(self, first: int, second: int) -> tuple[int, int]:
        """Boards that the first hand wins and ties against the second."""
        wins, ties = self.rows(np.array([first]))
        return int(wins[0, second]), int(ties[0, second])

    def class_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Boards won, tied and in all (169, 169), for a fixed hand of the row's class."""
        column_class = class_of_combos()
        result = []
        valid = disjoint_combos()[_representatives()] * np.int64(PREFLOP_BOARDS)
        for table in (self.wins, self.ties, valid):
            sums = np.zeros((NUM_CLASSES, NUM_CLASSES), np.int64)
            np.add.at(sums.T, column_class, table.T.astype(np.int64))
            result.append(sums)
        return result[0], result[1], result[2]

    def equities(self) -> NDArray[np.float64]:
        """(169, 169) the row class's equity against the column class."""
        wins, ties, totals = self.class_counts()
        return (wins + ties / 2) / totals


@lru_cache(maxsize=1)
def disjoint_combos() -> NDArray[np.bool_]:
    """(1326, 1326) whether two hands have no card in common."""
    has = np.zeros((NUM_COMBOS, 52), np.float32)
    has[np.arange(NUM_COMBOS)[:, None], COMBO_CARDS] = 1
    return np.asarray((has @ has.T) == 0)


@lru_cache(maxsize=1)
def _representatives() -> NDArray[np.int64]:
    """(169,) the first combo of each class."""
    return np.unique(class_of_combos(), return_index=True)[1]


@dataclass(frozen=True)
class _Views:
    """How hands look from a suit: ranks (338, 2), marks (338, 2), of each combo (1326, 4)."""

    ranks: NDArray[np.int64]
    marks: NDArray[np.bool_]
    of_combo: NDArray[np.int64]


@lru_cache(maxsize=1)
def _views() -> _Views:
    cards = COMBO_CARDS.astype(np.int64)
    ranks, suits = cards // 4, cards % 4
    keys = np.empty((NUM_COMBOS, 4), np.int64)
    for suit in range(4):
        marks = suits == suit
        # A pair with one card of the suit is one view, whichever card it is.
        swap = (ranks[:, 0] == ranks[:, 1]) & marks[:, 0]
        marks[swap] = marks[swap][:, ::-1]
        keys[:, suit] = ((ranks[:, 0] * 13 + ranks[:, 1]) * 2 + marks[:, 0]) * 2 + marks[:, 1]
    distinct, of_combo = np.unique(keys, return_inverse=True)
    if len(distinct) != NUM_VIEWS:
        raise RuntimeError("hands have 338 views")
    return _Views(
        np.column_stack([distinct // 52, distinct // 4 % 13]),
        np.column_stack([distinct // 2 % 2, distinct % 2]).astype(np.bool_),
        of_combo.reshape(NUM_COMBOS, 4),
    )


@lru_cache(maxsize=1)
def _board_arrays() -> RankBoards:
    from riverboat.cards._equity_kernels import RankBoards
    from riverboat.cards.strength import strength_tables

    keys = strength_tables().card_keys[0:52:4]
    rows = [counts for counts in _multisets_of_five() if max(counts) <= 4]
    counts = np.array(rows, np.uint64)
    packed = (counts << (np.uint64(3) * np.arange(13, dtype=np.uint64))).sum(axis=1)
    weights = np.array([1, 4, 6, 4, 1])[counts.astype(np.int64)].prod(axis=1)
    return RankBoards(counts @ keys, packed, weights)


def _multisets_of_five() -> list[list[int]]:
    rows = []
    for bars in combinations(range(17), 12):
        edges = (-1, *bars, 17)
        rows.append([edges[rank + 1] - edges[rank] - 1 for rank in range(13)])
    return rows


@lru_cache(maxsize=1)
def _suit_arrays() -> SuitSets:
    from riverboat.cards._equity_kernels import SuitSets
    from riverboat.cards.strength import strength_tables

    keys = strength_tables().card_keys[0:52:4]
    sets = [ranks for size in (3, 4, 5) for ranks in combinations(range(13), size)]
    masks = np.array([sum(1 << rank for rank in ranks) for ranks in sets], np.uint16)
    sums = np.array([keys[list(ranks)].sum() for ranks in sets], np.uint64)
    return SuitSets(masks, sums)


def count_hand_pair(first: int, second: int) -> tuple[int, int]:
    """Boards of 1,712,304 that the first combo wins and ties against the second."""
    from riverboat.cards._equity_kernels import Views, count_pair
    from riverboat.cards.strength import strength_tables

    views = _views()
    wins, ties = count_pair(
        views.of_combo[first],
        views.of_combo[second],
        Views(views.ranks, views.marks),
        strength_tables().arrays,
        _board_arrays(),
        _suit_arrays(),
    )
    return int(wins), int(ties)


def build_preflop_table(progress: Callable[[float], None] | None = None) -> PreflopTable:
    """Count every pair of hands; `progress` is called with the share done, 0 to 1."""
    from riverboat.cards._equity_kernels import Views, fill_rank_counts
    from riverboat.cards.strength import strength_tables

    views, arrays = _views(), strength_tables().arrays
    mine = views.of_combo[_representatives()][:, None, :]
    theirs = views.of_combo[None, :, :]
    valid = disjoint_combos()[_representatives()]
    codes = (mine * NUM_VIEWS + theirs)[valid]
    ranks = views.ranks[:, 0] * 13 + views.ranks[:, 1]
    first_with_ranks = np.unique(ranks, return_index=True)[1]
    by_ranks = first_with_ranks[np.searchsorted(ranks[first_with_ranks], ranks)]
    rank_codes = by_ranks[codes[:, 0] // NUM_VIEWS] * NUM_VIEWS + by_ranks[codes[:, 0] % NUM_VIEWS]

    wanted, where = np.unique(rank_codes, return_inverse=True)
    counts = np.empty((len(wanted), 2), np.int64)
    fill_rank_counts(
        np.column_stack(np.divmod(wanted, NUM_VIEWS)),
        Views(views.ranks, views.marks),
        arrays,
        _board_arrays(),
        counts,
    )
    result = counts[where]
    result += _flush_changes(codes, views, arrays, progress)
    wins = np.zeros((NUM_CLASSES, NUM_COMBOS), np.int32)
    ties = np.zeros((NUM_CLASSES, NUM_COMBOS), np.int32)
    wins[valid], ties[valid] = result[:, 0], result[:, 1]
    return PreflopTable(wins, ties)


def _flush_changes(
    codes: NDArray[np.int64],
    views: _Views,
    arrays: Tables,
    progress: Callable[[float], None] | None,
) -> NDArray[np.int64]:
    """(N, 2) the sum over suits of what flushes change, for pairs of views `codes` (N, 4)."""
    from riverboat.cards._equity_kernels import Views, fill_flush_changes

    # Who is first does not matter: of a pair seen both ways, one is counted and the other follows.
    first, second = np.divmod(codes, NUM_VIEWS)
    swapped = first > second
    ordered = np.where(swapped, second * NUM_VIEWS + first, codes)
    wanted, where = np.unique(ordered, return_inverse=True)
    changes = np.empty((len(wanted), 2), np.int64)
    pairs = np.column_stack(np.divmod(wanted, NUM_VIEWS))
    step = -(-len(wanted) // 50)
    for start in range(0, len(wanted), step):
        part = slice(start, start + step)
        fill_flush_changes(
            pairs[part], Views(views.ranks, views.marks), arrays, _suit_arrays(), changes[part]
        )
        if progress is not None:
            progress(min(1.0, (start + step) / len(wanted)))
    change = changes[where.reshape(codes.shape)]
    losses = -change[..., 0] - change[..., 1]
    change[..., 0] = np.where(swapped, losses, change[..., 0])
    return np.asarray(change.sum(axis=1))
