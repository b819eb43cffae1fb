"""Equity of several hands or ranges by counting every deal that differs, on every board."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import combinations, product
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from riverboat.cards._decks import STANDARD, Deck
from riverboat.cards.combos import COMBO_CARDS, suit_permutations
from riverboat.cards.plain_strength import score_of
from riverboat.cards.preflop import disjoint_combos
from riverboat.cards.ranges import Range
from riverboat.errors import TooLargeError

MAX_PLAYERS_WITH_RANGES = 6
MAX_PLAIN_HANDS = 2_000
"""Hands that plain Python evaluates before compiled code would have been loaded."""
_MAX_WHOLE_DEALS = 5_000_000


def num_deals(ranges: list[Range]) -> int:
    """Deals of hands, overlapping ones included."""
    return prod(len(range_.combos) for range_ in ranges)


def different_deals(
    ranges: list[Range], board: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Deals of hands (D, P) that no renaming of suits makes equal, with their weights (D,)."""
    if num_deals(ranges) == 1:
        alone = np.array([[range_.combos[0] for range_ in ranges]])
        return alone, np.array([prod(float(range_.weights[range_.combos[0]]) for range_ in ranges)])
    deals = np.zeros((1, 0), np.int64)
    weights = np.ones(1)
    apart = disjoint_combos()
    for range_ in ranges:
        combos = range_.combos
        old, new = (part.ravel() for part in np.mgrid[: len(deals), : len(combos)])
        fits = np.ones(len(old), np.bool_)
        for column in range(deals.shape[1]):
            fits &= apart[deals[old, column], combos[new]]
        old, new = old[fits], new[fits]
        deals = np.column_stack([deals[old], combos[new]])
        weights = weights[old] * range_.weights[combos[new]]
    cards, combos_renamed = suit_permutations()
    held = sorted(board)
    codes = None
    for renamed_cards, renamed in zip(cards, combos_renamed, strict=True):
        if sorted(renamed_cards[held].tolist()) != held:
            continue
        code = np.zeros(len(deals), np.int64)
        for column in range(deals.shape[1]):
            code = code * 1326 + renamed[deals[:, column]]
        codes = code if codes is None else np.minimum(codes, code)
    if codes is None or not len(deals) or deals.shape[1] > MAX_PLAYERS_WITH_RANGES:
        return deals, weights
    _, where, member = np.unique(codes, return_index=True, return_inverse=True)
    return deals[where], np.bincount(member, weights).astype(np.float64)


def exact_many(
    ranges: list[Range],
    board: list[int],
    *,
    max_plain: int = MAX_PLAIN_HANDS,
    deck: Deck = STANDARD,
) -> NDArray[np.float64]:
    """(2^P,) weight of deals that each set of players wins; few of them in plain Python."""
    if num_deals(ranges) > _MAX_WHOLE_DEALS:
        raise TooLargeError(
            f"An exact answer would visit {num_deals(ranges):,} deals; sample them instead"
            " (method monte-carlo)."
        )
    boards = comb(len(deck.cards) - len(board) - 2 * len(ranges), 5 - len(board))
    # Where compiled code is there already, it is a hundred times as quick.
    few = num_deals(ranges) * boards * len(ranges) <= max_plain
    if few and deck is STANDARD and "riverboat.cards._equity_kernels" not in sys.modules:
        return _exact_few(ranges, board)
    from riverboat.cards._equity_kernels import enumerate_boards
    from riverboat.cards._strength_kernels import EMPTY_SUM

    tables = deck.tables()
    deals, weights = different_deals(ranges, board)
    num_sets = 1 << len(ranges)
    counts = np.zeros(num_sets)
    board_sum, board_mask = sums_and_masks([board])
    for deal, weight in zip(deals, weights, strict=True):
        hands = COMBO_CARDS[deal]
        gone = {*board, *hands.ravel().tolist()}
        rest = np.array([card for card in deck.cards if card not in gone], np.uint8)
        sums, masks = sums_and_masks(hands.tolist())
        counted = np.zeros((4, num_sets), np.int64)
        enumerate_boards(
            rest,
            5 - len(board),
            board_sum[0] + EMPTY_SUM,
            board_mask[0],
            sums,
            masks,
            tables,
            counted,
        )
        counts += weight * counted.sum(axis=0)
    return counts


def _exact_few(ranges: list[Range], board: list[int]) -> NDArray[np.float64]:
    """The same for a handful of deals and boards: two hands after the flop, say."""
    counts = np.zeros(1 << len(ranges))
    for deal in product(*(range_.combos.tolist() for range_ in ranges)):
        hands = [COMBO_CARDS[combo].tolist() for combo in deal]
        gone = [*board, *(card for hand in hands for card in hand)]
        if len(set(gone)) < len(gone):
            continue
        weight = prod(float(r.weights[combo]) for r, combo in zip(ranges, deal, strict=True))
        rest = [card for card in range(52) if card not in gone]
        for more in combinations(rest, 5 - len(board)):
            scores = [score_of([*hand, *board, *more]) for hand in hands]
            best = max(scores)
            counts[sum((score == best) << i for i, score in enumerate(scores))] += weight
    return counts


def sums_and_masks(hands: Sequence[Sequence[int]]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Sums of card keys and card masks (N,) of sets of cards of one size."""
    from riverboat.cards.strength import strength_tables

    cards = np.array(hands, np.uint64).reshape(len(hands), -1)
    keys = strength_tables().card_keys[cards]
    bits = np.uint64(1) << cards
    return keys.sum(axis=1, dtype=np.uint64), bits.sum(axis=1, dtype=np.uint64)
