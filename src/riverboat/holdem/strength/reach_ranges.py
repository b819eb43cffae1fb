"""What a blueprint may hold, given what it did: its range, followed through a hand.

The blueprint's probabilities are known for every hand, so a range is exact. Averages over it
replace the one hand that was dealt: an estimate made this way has the same mean and less variance
(Bowling, Johanson, Burch and Szafron, "Strategy evaluation in extensive games with importance
sampling", ICML 2008, for all hands at once).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS, combo_index
from riverboat.cards.strength_tables import strength_tables
from riverboat.games.base import Action
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.strength.range_kernels import share_on_boards

__all__ = ["Range", "pot_share_of"]


class Range:
    """Weights (1326,) of the hands a blueprint may hold, those with `dead` cards left out."""

    def __init__(self, blueprint: Blueprint, dead: tuple[int, ...], salt: str = "") -> None:
        self.blueprint, self.salt = blueprint, salt
        self.weights: NDArray[np.float64] = _without(np.ones(len(COMBO_CARDS)), dead)

    def see(self, state: HoldemState, action: Action) -> None:
        """The blueprint, to act in `state`, took `action`."""
        actions, chances = self.blueprint.all_hands(state, self.salt)
        self.weights = self.weights * chances[:, actions.index(action)]

    def see_board(self, board: tuple[int, ...]) -> None:
        """Cards on the board are nobody's."""
        self.weights = _without(self.weights, board)


def _without(weights: NDArray[np.float64], cards: tuple[int, ...]) -> NDArray[np.float64]:
    if not cards:
        return weights
    return np.where(np.isin(COMBO_CARDS, cards).any(axis=1), 0.0, weights)


def pot_share_of(
    hand: tuple[int, ...],
    board: tuple[int, ...],
    weights: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    samples: int = 300,
) -> float:
    """What part of the pot a hand wins against a range if nobody bets any more.

    Exact over all completions of a flop or turn; before the flop over `samples` random boards.
    """
    unseen = np.array([card for card in range(52) if card not in hand and card not in board])
    missing = 5 - len(board)
    if missing > 2:
        completed = rng.permuted(np.tile(unseen, (samples, 1)), axis=1)[:, :missing]
    else:
        groups = list(combinations(unseen.tolist(), missing))
        completed = np.array(groups, np.uint8).reshape(len(groups), missing)
    boards = np.empty((len(completed), 5), np.uint8)
    boards[:, : len(board)] = board
    boards[:, len(board) :] = completed
    combo = combo_index(min(hand), max(hand))
    return float(share_on_boards(boards, combo, weights, *strength_tables().arrays))
