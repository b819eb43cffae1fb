"""Equity by Monte Carlo: boards completed from pieces, and hands drawn from ranges by weight."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riverboat.cards._decks import STANDARD, Deck
from riverboat.cards._equity_counting import sums_and_masks
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError

if TYPE_CHECKING:
    from riverboat.cards._equity_kernels import Pieces

NO_DEAL = "Hardly any deal of these ranges is possible, so much do they overlap; widen them."
CHUNK = 10_000_000  # Samples that nothing interrupts: about a second
MAX_TRIES = 10_000_000
"""Rejected samples in a row after which ranges count as impossible together."""


def _pieces(board: list[int], gone: set[int]) -> Pieces:
    """What a board is sampled from: pieces of up to three cards with the known ones, and of two."""
    from riverboat.cards._equity_kernels import Pieces
    from riverboat.cards._strength_kernels import EMPTY_SUM

    deck = [card for card in range(52) if card not in gone]
    missing = 5 - len(board)
    small = 2 if missing == 5 else 0
    big_sums, big_masks = sums_and_masks(
        [[*board, *more] for more in combinations(deck, missing - small)]
    )
    small_sums, small_masks = sums_and_masks(list(combinations(deck, small)))
    return Pieces(big_sums + EMPTY_SUM, big_masks, small_sums, small_masks)


def sample(
    ranges: list[Range], board: list[int], samples: int, seed: int, deck: Deck = STANDARD
) -> NDArray[np.float64]:
    """(2^P,) how many of `samples` random deals each set of players (bits of the index) won."""
    from riverboat.cards._equity_kernels import Hands, sample_boards, sample_deals

    counted = np.zeros((4, 1 << len(ranges)), np.int64)
    arrays = deck.tables()
    seeds = np.random.SeedSequence(seed).generate_state(-(-samples // CHUNK), np.uint64)
    chunks = [(min(CHUNK, samples - CHUNK * i), start) for i, start in enumerate(seeds)]
    hands = [COMBO_CARDS[range_.combos] for range_ in ranges]
    if all(len(hands_of_range) == 1 for hands_of_range in hands):
        gone = {*board, *deck.absent, *np.concatenate(hands).ravel().tolist()}
        sums, masks = sums_and_masks(np.concatenate(hands).tolist())
        pieces = _pieces(board, gone)
        for size, start in chunks:
            sample_boards(size, start, pieces, sums, masks, arrays, counted)
        return np.asarray(counted.sum(axis=0), np.float64)
    starts = np.cumsum([0, *map(len, hands)])
    sums, masks = sums_and_masks(np.concatenate(hands).tolist())
    tables = [alias_table(range_.weights[range_.combos]) for range_ in ranges]
    pool = Hands(
        starts,
        sums,
        masks,
        np.concatenate([thresholds for thresholds, _ in tables]),
        np.concatenate(
            [aliases + at for (_, aliases), at in zip(tables, starts[:-1], strict=True)]
        ),
    )
    pieces = _pieces(board, {*board, *deck.absent})
    for size, start in chunks:
        if sample_deals(size, MAX_TRIES, start, pieces, pool, arrays, counted) < size:
            raise ParameterError(NO_DEAL)
    return np.asarray(counted.sum(axis=0), np.float64)


def alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Thresholds scaled to 2^32 and aliases (N,): Walker's method, by Vose."""
    scaled = (weights / weights.sum() * len(weights)).tolist()
    thresholds, aliases = np.ones(len(scaled)), np.arange(len(scaled))
    small = [i for i, value in enumerate(scaled) if value < 1]
    large = [i for i, value in enumerate(scaled) if value >= 1]
    while small and large:
        low, high = small.pop(), large[-1]
        thresholds[low], aliases[low] = scaled[low], high
        scaled[high] -= 1 - scaled[low]
        if scaled[high] < 1:
            small.append(large.pop())
    return thresholds * 2.0**32, aliases
