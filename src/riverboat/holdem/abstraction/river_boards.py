"""The river as boards and strengths: which of the 7,462 strengths occur on each board."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.isomorphism import isomorphism
from riverboat.cards.strength_tables import strength_tables
from riverboat.holdem.abstraction.river_kernels import count_strengths, fill_strengths

__all__ = ["RiverBoards", "river_boards"]


@dataclass(frozen=True)
class RiverBoards:
    """Every board up to suits, in the order of isomorphism(5), and its strengths."""

    cards: NDArray[np.uint8]
    """(134459, 5)"""
    starts: NDArray[np.uint32]
    """(134460,) where each board's strengths begin."""
    strengths: NDArray[np.uint16]
    """(M,) ascending within a board."""


@lru_cache(maxsize=1)
def river_boards() -> RiverBoards:
    """All boards; a second or two."""
    boards = isomorphism(5)
    cards = boards.hands(np.arange(boards.size))
    counts = np.empty(boards.size, np.uint32)
    count_strengths(cards, *strength_tables().arrays, counts)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
    strengths = np.empty(int(starts[-1]), np.uint16)
    fill_strengths(cards, *strength_tables().arrays, starts, strengths)
    return RiverBoards(cards, starts, strengths)
