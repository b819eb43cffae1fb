"""The feature code of one hand, read from its cards without any table of buckets."""

from collections.abc import Sequence

import numpy as np

from riverboat.cards.strength import strength_tables
from riverboat.errors import ParameterError
from riverboat.holdem.abstraction import _feature_kernels as kernels
from riverboat.holdem.abstraction.card_abstraction import hand_and_board


def feature_code(hand: str | Sequence[int], board: str | Sequence[int]) -> int:
    """The code of one hand on a board of 3 to 5 cards."""
    cards = hand_and_board(hand, board)
    if len(cards) < 5:
        raise ParameterError("Features are those of a hand on a board of 3, 4 or 5 cards.")
    tables, facts = strength_tables(), np.empty(kernels.NUM_FACTS, np.int64)
    return int(kernels.code_of(np.array(cards, np.uint8), tables.arrays, tables.scores, facts))
