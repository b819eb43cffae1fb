"""What a thinking coach says: the mix and its worth, and what both players may hold.

The ranges are those that the search solved with, or where the blueprint plays those that follow
from it by Bayes' rule. A coach knows no more than the person it sits behind: the opponent's range
is what he may hold after what he did, and the own one is what he must think of the person's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS
from riverboat.games.base import Action
from riverboat.holdem.range_grid import RangeGrid, grid_of_combos, grid_of_range
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.search.hand_so_far import blueprint_start, likeliest_at_one
from riverboat.holdem.search.searcher import Searcher
from riverboat.holdem.spots.spot_cursor import SpotCursor
from riverboat.players.coach import Advice

__all__ = ["SearchAdvice", "range_grids"]

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class SearchAdvice(Advice):
    """Advice with both ranges."""

    ranges: tuple[RangeGrid, RangeGrid] | None = None
    """The own range, with what each hand would do, and the opponent's."""


def range_grids(
    searcher: Searcher,
    state: HoldemState,
    actions: tuple[Action, ...],
    chances: Doubles,
    at: SpotCursor | None,
) -> tuple[RangeGrid, RangeGrid]:
    """Both ranges where `state` stands: of the player who acts, who mixes by `chances` (1326, A),
    and of his opponent. `at` is the solved point, None where the blueprint plays.
    """
    me = state.actor
    if at is not None:
        reach = at.reach
    else:
        here = state.betting.street + 1
        reach = blueprint_start(searcher.blueprint, state, here, searcher.options.salt)[0].weights
    possible = _free_of(state.board)
    mine, theirs = (
        likeliest_at_one(np.where(possible, np.clip(reach[player], 0.0, None), 0.0))
        for player in (me, 1 - me)
    )
    # What he may hold is seen from the person's seat: none of the person's own cards.
    left = _free_of((*state.board, *state.holes[me]))
    used = [number for number in range(len(actions)) if chances[possible, number].any()]
    kept = [actions[number] for number in used]
    labels = [state.action_words(action) for action in kept]
    own = grid_of_combos("your range", kept, labels, chances[:, used], mine, possible)
    return own, grid_of_range("your opponent's range", theirs, left)


def _free_of(cards: tuple[int, ...]) -> NDArray[np.bool_]:
    """(1326,) which hands hold none of the cards."""
    return np.asarray(~np.isin(COMBO_CARDS, cards).any(axis=1))
