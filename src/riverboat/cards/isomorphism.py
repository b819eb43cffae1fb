"""Hands and boards up to the names of suits: a dense index and its inverse, and equity histograms.

    flop = isomorphism(2, 3)          hand and flop: 1,286,792 classes
    flop.index("As Kd", "7c 7d 2s")   0 … size − 1
    flop.cards(index)                 one hand of the class

Groups are unordered inside and ordered among each other: `isomorphism(2, 4)` sees four board
cards, `isomorphism(2, 3, 1)` remembers which was the turn. Kernels call
`canonical_index(cards, table)` with the `table` found here.

A histogram says for a hand on a flop or turn into which bins its equity against a random hand falls
over all runouts, and its mean: for one board, or for every class of a street at once. Each of the
1,755 flops or 16,432 turns that differ is run out once for all hands together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riverboat.cards import _isomorphism_kernels as kernels
from riverboat.cards._isomorphism_kernels import (
    canonical_cards,
    canonical_hands,
    canonical_index,
    canonical_indices,
    fill_histograms,
)
from riverboat.cards.card import check_distinct, parse_cards
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.equity import TableSource, parse_board, range_equities
from riverboat.cards.ranges import Range
from riverboat.cards.strength import strength_tables
from riverboat.errors import ParameterError, UnknownNameError

__all__ = [
    "STREETS",
    "Histograms",
    "Isomorphism",
    "board_histograms",
    "canonical_cards",
    "canonical_index",
    "fill_histograms",
    "isomorphism",
    "next_card_equities",
    "street_histograms",
]


STREETS = {"preflop": (2,), "flop": (2, 3), "turn": (2, 4), "river": (2, 5)}
"""The groups of the four streets when the board's order does not matter."""
_MAX_CARDS = 7
_COUNT_TYPES = {"flop": "uint16", "turn": "uint8"}  # What holds 1,081 and 46 runouts


@dataclass(frozen=True)
class Isomorphism:
    """The numbering of all deals of some groups of cards."""

    groups: tuple[int, ...]
    size: int  # How many classes there are
    table: NDArray[np.uint64]  # What the kernels take after the cards

    @property
    def num_cards(self) -> int:
        return sum(self.groups)

    def index(self, *groups: str | list[int]) -> int:
        """The class of cards given group by group, or all in one, as texts or numbers."""
        cards: list[int] = []
        for group in groups:
            cards += parse_cards(group) if isinstance(group, str) else [int(c) for c in group]
        if len(cards) != self.num_cards:
            raise ParameterError(f"Groups of {self.groups} cards were expected, not {len(cards)}.")
        check_distinct(cards)
        return int(self.indices([cards])[0])

    def indices(self, cards: ArrayLike) -> NDArray[np.int64]:
        """(N,) the classes of the rows of `cards` (N, n), groups one after the other."""
        rows = np.ascontiguousarray(cards, np.uint8)
        if rows.ndim != 2 or rows.shape[1] != self.num_cards or (rows.size and rows.max() > 51):
            raise ParameterError(f"An array (N, {self.num_cards}) of cards 0 to 51 was expected.")
        out = np.empty(len(rows), np.int64)
        canonical_indices(rows, self.table, out)
        return out

    def cards(self, index: int) -> list[int]:
        """One hand of a class, always the same: each class's canonical form."""
        return [int(card) for card in self.hands([index])[0]]

    def hands(self, indices: ArrayLike) -> NDArray[np.uint8]:
        """(N, n) the canonical cards of classes (N,)."""
        wanted = np.ascontiguousarray(indices, np.int64)
        if wanted.size and (wanted.min() < 0 or wanted.max() >= self.size):
            raise ParameterError(f"Classes of {self.groups} go from 0 to {self.size - 1}.")
        out = np.full((len(wanted), self.num_cards), 255, np.uint8)
        canonical_hands(wanted.astype(np.uint64), self.table, out)
        return out


@lru_cache(maxsize=16)
def isomorphism(*groups: int) -> Isomorphism:
    """The numbering for groups of these sizes, at most seven cards in all."""
    if not groups or min(groups) < 1 or sum(groups) > _MAX_CARDS:
        raise ParameterError(
            f"Groups of cards must be positive and at most 7 in all, not {groups}."
        )
    sizes = list(product(*(range(size + 1) for size in groups)))
    code_of = {size: code for code, size in enumerate(sizes)}
    capacity = np.array([_num_sets(size) for size in sizes])
    configs = sorted(_configurations(groups, sizes, code_of))
    config_of = np.zeros((len(sizes),) * 3, np.int64)
    factors = np.zeros((len(configs), 4), np.int64)
    multiples, num_ranks = np.zeros_like(factors), np.zeros_like(factors)
    offsets = np.zeros(len(configs) + 1, np.int64)
    for number, config in enumerate(configs):
        config_of[config[:3]] = number
        total = 1
        for code in dict.fromkeys(config):
            first, length = config.index(code), config.count(code)
            run = slice(first, first + length)
            factors[number, run] = total
            multiples[number, run] = np.arange(length, 0, -1)
            num_ranks[number, run] = comb(int(capacity[code]) + length - 1, length)
            total *= int(num_ranks[number, first])
        offsets[number + 1] = offsets[number] + total
    set_rank, sets = _rank_sets()
    choose = np.array([[comb(n, k) for k in range(14)] for n in range(14)])
    header = np.zeros(kernels.END, np.int64)
    header[: kernels.GROUPS] = len(groups), len(sizes), len(configs)
    for at, size in enumerate(groups):
        header[kernels.GROUPS + at] = size
        header[kernels.RADIX + at] = np.prod([n + 1 for n in groups[at + 1 :]], dtype=int)
    # In the order of the section constants of the kernels.
    sections: list[NDArray[Any]] = [set_rank, choose, config_of, factors, multiples, offsets[:-1]]
    sections += [np.array(configs), num_ranks, capacity, sets]
    lengths = [section.size for section in sections]
    header[kernels.START :] = kernels.END + np.cumsum([0, *lengths[:-1]])
    table = np.concatenate([header, *(section.ravel() for section in sections)]).astype(np.uint64)
    return Isomorphism(groups, int(offsets[-1]), table)


def _num_sets(sizes: tuple[int, ...]) -> int:
    """The number of ways in which one suit can have these numbers of cards in the groups."""
    remaining, ways = 13, 1
    for size in sizes:
        ways *= comb(remaining, size)
        remaining -= size
    return ways


def _configurations(
    groups: tuple[int, ...], sizes: list[tuple[int, ...]], code_of: dict[tuple[int, ...], int]
) -> set[tuple[int, int, int, int]]:
    """The codes of four suits, largest first, that make up the groups."""
    configurations = set()
    for trio in product(sizes, repeat=2):
        half = tuple(
            n - sum(parts) for n, parts in zip(groups, zip(*trio, strict=True), strict=True)
        )
        if min(half) < 0:
            continue
        for third in product(*(range(n + 1) for n in half)):
            fourth = tuple(n - k for n, k in zip(half, third, strict=True))
            suits = (*trio, third, fourth)
            codes = sorted((code_of[suit] for suit in suits), reverse=True)
            configurations.add((codes[0], codes[1], codes[2], codes[3]))
    return configurations


@lru_cache(maxsize=1)
def _rank_sets() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sections SET_RANK (8192,) and SETS (14, 1716): sets of a size in order of their bits."""
    sets = np.zeros((14, 1716), np.int64)
    set_rank = np.zeros(8192, np.int64)
    for size in range(14):
        masks = sorted(sum(1 << r for r in ranks) for ranks in combinations(range(13), size))
        sets[size, : len(masks)] = masks
        set_rank[masks] = np.arange(len(masks)) * 16 + size
    return set_rank, sets


@dataclass(frozen=True)
class Histograms:
    """Distributions of river equity against a random hand."""

    counts: NDArray[Any]
    """(N, bins) runouts in each of the equal bins from 0 to 1, none for an impossible hand."""
    means: NDArray[np.float32]  # (N,) equity against a random hand, exact


def _check_bins(bins: int) -> None:
    if not 1 <= bins <= 1980:
        raise ParameterError(f"A histogram has 1 to 1980 bins, not {bins}.")


def board_histograms(board: str | Sequence[int], bins: int = 50) -> Histograms:
    """The 1,326 hands on one board of 3 to 5 cards, in combo order."""
    cards = parse_board(board)
    _check_bins(bins)
    if not cards:
        raise ParameterError("Histograms need a board of 3 to 5 cards.")
    result = Histograms(np.zeros((1326, bins), np.uint16), np.zeros(1326, np.float32))
    fill_histograms(
        np.array([cards], np.uint8),
        COMBO_CARDS,
        *strength_tables().arrays,
        np.zeros(0, np.uint64),
        result.counts,
        result.means,
    )
    return result


def street_histograms(
    street: str, bins: int = 50, progress: Callable[[float], None] | None = None
) -> Histograms:
    """Every class of "flop" or "turn" at its index; `progress` is called with the share done.

    Takes 1,286,792 · bins · 2 bytes for the flop, 13,960,050 · bins for the turn.
    """
    if street not in _COUNT_TYPES:
        raise UnknownNameError.among("street with histograms", street, _COUNT_TYPES)
    _check_bins(bins)
    classes = isomorphism(*STREETS[street])
    boards = isomorphism(STREETS[street][1])
    all_boards = boards.hands(np.arange(boards.size))
    counts = np.zeros((classes.size, bins), _COUNT_TYPES[street])
    result = Histograms(counts, np.zeros(classes.size, np.float32))
    step = -(-len(all_boards) // 100)
    for start in range(0, len(all_boards), step):
        fill_histograms(
            all_boards[start : start + step],
            COMBO_CARDS,
            *strength_tables().arrays,
            classes.table,
            result.counts,
            result.means,
        )
        if progress is not None:
            progress(min(1.0, (start + step) / len(all_boards)))
    return result


def next_card_equities(
    first: Range, second: Range, board: str | Sequence[int], *, table: TableSource | None = None
) -> NDArray[np.float64]:
    """(52, 2, 1326) every hand's equity after each next card, NaN where there is none."""
    cards = parse_board(board)
    if len(cards) not in (3, 4):
        raise ParameterError(f"A next card comes to a board of 3 or 4 cards, not {len(cards)}.")
    result = np.full((52, 2, 1326), np.nan)
    for card in range(52):
        if card not in cards:
            result[card] = range_equities(first, second, [*cards, card], table=table).equities
    return result
