"""Equities of hands of k cards: what each wins of the pot if all cards were dealt now."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np

from riverboat.cards.hands import hand_numbers, num_hands
from riverboat.holdem.spots._boards import padded
from riverboat.holdem.spots._meetings import meeting_weights, meets_some
from riverboat.holdem.spots._subset_tables import ranked_hands, scratch_size, subset_hands
from riverboat.runtime.array_types import F64, U8

SHARES = np.repeat(np.array([0.5, 0.5, 0.0], np.float32), 8)
"""For each lane what a win has more than a tie, a tie more than a loss, and a loss."""


def subset_equities(
    cards: Sequence[U8], weights: Sequence[F64], board: Sequence[int], dead: Sequence[int] = ()
) -> tuple[F64, F64]:
    """(H,) the equities of both players' hands (H, k); NaN where a hand meets no other.

    Exact: every way to deal the board is looked at once.
    """
    from riverboat.cards.omaha import omaha_board_strengths
    from riverboat.holdem.spots._subset_kernels import check_down

    live = [np.flatnonzero(own > 0) for own in weights]
    combos = [hand_numbers(own[rows]) for own, rows in zip(cards, live, strict=True)]
    padded_weights, renamed = [], []
    for own, rows in zip(weights, live, strict=True):
        there = np.zeros(padded(len(rows)), np.float32)
        there[: len(rows)] = own[rows]
        padded_weights.append(there)
        nothing = np.zeros((0, len(there)), np.int64)
        renamed.append((nothing, nothing))
    tables = subset_hands(combos, padded_weights, renamed, cards[0].shape[1])
    won = [np.zeros(len(rows)) for rows in live]
    left = [card for card in range(52) if card not in (*board, *dead)]
    for more in combinations(left, 5 - len(board)):
        ranked = ranked_hands([[*board, *more]], tables, omaha_board_strengths)
        lanes = np.zeros(scratch_size(ranked), np.float32)
        for player in (0, 1):
            mine, theirs = ranked[player], ranked[1 - player]
            check_down(mine, theirs, SHARES, lanes, won[player])
    # Two hands leave the same number of boards, whichever they are.
    hole_cards = cards[0].shape[1]
    num_boards = comb(len(left) - 2 * hole_cards, 5 - len(board))
    by_player = []
    for player in (0, 1):
        opposed = np.zeros(num_hands(hole_cards))
        opposed[combos[1 - player]] = weights[1 - player][live[1 - player]]
        met = meeting_weights(opposed, combos[player], hole_cards)
        possible = meets_some(met, 2)
        shares = won[player] / np.where(possible, num_boards * met, 1.0)
        equities = np.full(len(weights[player]), np.nan)
        # Sums of 32-bit numbers are a little off where a hand meets few others.
        equities[live[player]] = np.where(possible, np.clip(shares, 0.0, 1.0), np.nan)
        by_player.append(equities)
    return by_player[0], by_player[1]
