"""One hand against a weighted range on a board, over every way the board can be completed."""

from __future__ import annotations

import numpy as np
from numba import njit

from riverboat.array_types import F64, U8, U16, U64
from riverboat.cards.strength_kernels import BLOCKED, strengths_on_board

__all__ = ["share_on_boards"]


@njit(cache=True)
def share_on_boards(
    boards: U8, combo: int, weights: F64, card_keys: U64, displacements: U16, strengths: U16
) -> float:
    """What part of the pot the hand `combo` wins on average against `weights` (1326,) float64.

    `boards` (N, 5) uint8, none with a card of the hand; weights are zero for hands that share a
    card with it. Hands that share a card with a board do not count there.
    """
    rows, found = np.empty((13, 52), np.uint16), np.empty(1326, np.uint16)
    won, total = 0.0, 0.0
    for i in range(boards.shape[0]):
        strengths_on_board(boards[i], card_keys, displacements, strengths, rows, found)
        mine = found[combo]
        for j in range(1326):
            weight = weights[j] if found[j] != BLOCKED else 0.0
            total += weight
            won += weight * (1.0 if found[j] < mine else 0.5 if found[j] == mine else 0.0)
    return won / total if total > 0.0 else 0.5
