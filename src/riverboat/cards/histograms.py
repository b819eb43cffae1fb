"""Equity distributions, what hand abstractions are built from.

For a hand on a flop or turn: into which bins its equity against a random hand falls over all
runouts, and its mean. For one board, or for every class of a street at once, in the order of
`isomorphism`: each of the 1,755 flops (16,432 turns, 134,459 rivers) that differ is run out once
for all hands together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.equity import TableSource, parse_board, range_equities
from riverboat.cards.histogram_kernels import fill_histograms
from riverboat.cards.isomorphism import STREETS, isomorphism
from riverboat.cards.ranges import Range
from riverboat.cards.strength_tables import strength_tables
from riverboat.errors import ParameterError, UnknownNameError

__all__ = ["Histograms", "board_histograms", "next_card_equities", "street_histograms"]


@dataclass(frozen=True)
class Histograms:
    """Distributions of river equity against a random hand."""

    counts: NDArray[np.uint16]
    """(N, bins) runouts in each bin of equal width from 0 to 1; all zero for impossible hands."""
    means: NDArray[np.float32]
    """(N,) equity against a random hand, exact."""


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
    """Every class of "flop", "turn" or "river" at its index; `progress` is told the share done."""
    if street not in ("flop", "turn", "river"):
        raise UnknownNameError.among("street with histograms", street, ("flop", "turn", "river"))
    _check_bins(bins)
    classes = isomorphism(*STREETS[street])
    boards = isomorphism(STREETS[street][1])
    all_boards = boards.hands(np.arange(boards.size))
    result = Histograms(
        np.zeros((classes.size, bins), np.uint16), np.zeros(classes.size, np.float32)
    )
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
