"""All hands of both players at once: which of them can meet, and who wins the pot.

Weights of hands are arrays (1326,), the pot's shares tables (1326, 1326) of a flop, turn or river.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

import numpy as np

from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import COMBO_CARDS, NUM_COMBOS
from riverboat.cards.strength import (
    NUM_STRENGTHS,
    NUM_WORDS,
    board_strengths,
    sort_hands,
    strength_tables,
    sweep,
)
from riverboat.holdem.blueprints._lbr_kernels import pot_shares
from riverboat.holdem.rules.betting import Betting
from riverboat.holdem.rules.state import HoldemState
from riverboat.runtime.array_types import F32, F64, I64, U16, Bools

_CARDS = COMBO_CARDS.astype(np.int64)
_KEPT: dict[tuple[int, ...], F32] = {}


def meets(weights: F64, cards: I64 = _CARDS) -> F64:
    """(H,) the weight of all hands that share no card with each; `cards` (H, 2), all by default."""
    by_card = np.bincount(cards.ravel(), np.repeat(weights, 2), NUM_CARDS)
    return np.asarray(weights.sum() - by_card[cards].sum(axis=1) + weights)


def end_values(
    betting: Betting,
    seat: int,
    theirs: F64,
    shares: Callable[[F64], F64],
    calls: int = 0,
    pays: int = 0,
) -> F64:
    """(1326,) chips each hand of a seat wins where betting is over, against weights (1326,).

    Summed over the opponent's hands. `shares` gives each hand's part of the pot against weights.
    An open bet is called with `calls` chips, of which the seat `pays` its own.
    """
    met = meets(theirs)
    if all(betting.in_hand):
        won = shares(theirs) * (betting.pot + calls)
    else:
        won = met * (betting.pot * betting.in_hand[seat])
    return won - met * (betting.rules.stacks[seat] - betting.stacks[seat] + pays)


def pairs_times_pot(state: HoldemState, theirs: F64, mine: F64) -> float:
    """Pairs of hands that reach this node, times the pot."""
    return float(mine @ np.maximum(meets(theirs), 0.0)) * state.betting.pot


def without(weights: F64, cards: Sequence[int]) -> F64:
    """The weights without hands that hold one of the cards."""
    return np.where(np.isin(COMBO_CARDS, cards).any(axis=1), 0.0, weights)


def pot_share_table(board: tuple[int, ...]) -> F32:
    """(1326, 1326) each hand's part of the pot against each other if nobody bets any more.

    Over all cards to come after a flop or turn; 0 where the hands share a card with each other or
    with the board. The last tables are kept.
    """
    if board not in _KEPT:
        while len(_KEPT) > 3:
            _KEPT.pop(next(iter(_KEPT)), None)
        _KEPT[board] = _early_shares(board) if len(board) < 5 else _river_shares(board)
    return _KEPT[board]


def shares_against(board: tuple[int, ...], weights: F64) -> F64:
    """(1326,) each hand's part of the pot against all of `weights`, as `pot_share_table` has it."""
    if len(board) < 5:
        return np.asarray(pot_share_table(board) @ weights.astype(np.float32), np.float64)
    order, ends, groups = _by_strength(board)
    sums = np.zeros((NUM_COMBOS, 3))
    sweep(order, ends, groups, weights, COMBO_CARDS, np.empty(NUM_CARDS), sums)
    return np.asarray((sums[:, 0] + sums[:, 1]) / 2)


@lru_cache(maxsize=64)
def _by_strength(board: tuple[int, ...]) -> tuple[U16, U16, np.uint64]:
    """The hands of a river, weakest first, where groups of equal ones end, and their number."""
    values = board_strengths(board)
    hands = _live(board).astype(np.uint16)
    order, ends = np.empty_like(hands), np.empty_like(hands)
    scratch = np.zeros(NUM_STRENGTHS, np.uint16), np.zeros(NUM_WORDS, np.uint64)
    return order, ends, np.uint64(sort_hands(hands, values, *scratch, order, ends))


@cache
def _apart() -> Bools:
    """(1326, 1326) which hands share no card."""
    cards = COMBO_CARDS
    return np.asarray(~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3)))


def _live(board: tuple[int, ...]) -> I64:
    return np.flatnonzero(~np.isin(COMBO_CARDS, board).any(axis=1))


def _early_shares(board: tuple[int, ...]) -> F32:
    live = _live(board)
    part = np.empty((len(live), len(live)), np.float32)
    room = np.array([*board, 0, 0][:5], np.uint8)
    pot_shares(room, live.astype(np.uint16), COMBO_CARDS, *strength_tables().arrays, part)
    shares = np.zeros((NUM_COMBOS, NUM_COMBOS), np.float32)
    shares[np.ix_(live, live)] = part
    return shares


def _river_shares(board: tuple[int, ...]) -> F32:
    live = _live(board)
    power = board_strengths(board)[live].astype(np.int64)
    part = (power[:, None] > power) + 0.5 * (power[:, None] == power)
    shares = np.zeros((NUM_COMBOS, NUM_COMBOS), np.float32)
    shares[np.ix_(live, live)] = part * _apart()[np.ix_(live, live)]
    return shares
