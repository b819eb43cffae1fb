"""Equity by sampling: random boards for given hands, random deals for ranges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.deal_kernels import Hands, Pieces, sample_boards, sample_deals
from riverboat.cards.ranges import Range
from riverboat.cards.strength_kernels import EMPTY_SUM
from riverboat.cards.strength_tables import strength_tables
from riverboat.errors import ParameterError

__all__ = ["sample", "sums_and_masks"]

_MAX_TRIES = 10_000_000
"""Hands drawn in vain one after the other before ranges count as impossible together."""


def sums_and_masks(hands: Sequence[Sequence[int]]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Sums of card keys and card masks (N,) of sets of cards of one size."""
    cards = np.array(hands, np.uint64).reshape(len(hands), -1)
    keys = strength_tables().card_keys[cards]
    bits = np.uint64(1) << cards
    return keys.sum(axis=1, dtype=np.uint64), bits.sum(axis=1, dtype=np.uint64)


def _pieces(board: list[int], gone: set[int]) -> Pieces:
    """What a board is drawn from: pieces of up to three cards with the known ones, and of two."""
    deck = [card for card in range(52) if card not in gone]
    missing = 5 - len(board)
    small = 2 if missing == 5 else 0
    big_sums, big_masks = sums_and_masks(
        [[*board, *more] for more in combinations(deck, missing - small)]
    )
    small_sums, small_masks = sums_and_masks(list(combinations(deck, small)))
    return Pieces(big_sums + EMPTY_SUM, big_masks, small_sums, small_masks)


def sample(ranges: list[Range], board: list[int], samples: int, seed: int) -> NDArray[np.float64]:
    """(2^P,) how many of `samples` random deals each set of players (bits of the index) won."""
    found = np.zeros((4, 1 << len(ranges)), np.int64)
    arrays = strength_tables().arrays
    start = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    hands = [COMBO_CARDS[each.combos] for each in ranges]
    if all(len(each) == 1 for each in hands):
        gone = {*board, *np.concatenate(hands).ravel().tolist()}
        sums, masks = sums_and_masks(np.concatenate(hands).tolist())
        sample_boards(samples, start, _pieces(board, gone), sums, masks, arrays, found)
        return np.asarray(found.sum(axis=0), np.float64)
    starts = np.cumsum([0, *(len(each) for each in hands)])
    sums, masks = sums_and_masks(np.concatenate(hands).tolist())
    tables = [_alias_table(each.weights[each.combos]) for each in ranges]
    pool = Hands(
        starts,
        sums,
        masks,
        np.concatenate([thresholds for thresholds, _ in tables]),
        np.concatenate(
            [aliases + at for (_, aliases), at in zip(tables, starts[:-1], strict=True)]
        ),
    )
    pieces = _pieces(board, set(board))
    done = sample_deals(samples, _MAX_TRIES, start, pieces, pool, arrays, found)
    if done < samples:
        raise ParameterError(
            "Hardly any deal of these ranges is possible, so much do they overlap; widen them."
        )
    return np.asarray(found.sum(axis=0), np.float64)


def _alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
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
