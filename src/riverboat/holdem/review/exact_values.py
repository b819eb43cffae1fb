"""What each action was worth by a solved spot: the street from its beginning, every hand, exactly.

Two players on the turn or river: the spot has the board, pot and stacks that were there, the ranges
that a blueprint's play leads to, some sizes, and every bet that was really made. It is solved to a
target or for some seconds; the EVs are exact for these ranges and sizes, up to the exploitability
that is told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import cards_text
from riverboat.cards.combos import COMBO_CARDS, combo_index
from riverboat.cards.ranges import Range
from riverboat.errors import RiverboatError
from riverboat.holdem.review.decisions import ActionValue, Judgement, Moment
from riverboat.holdem.spots.bet_sizes import parse_sizes
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.engine.solver import SpotSolver
from riverboat.holdem.spots.engine.tree import line_of
from riverboat.holdem.spots.spot import MAX_CHIPS, STREETS, PlayerSizes, Spot, TreeOptions
from riverboat.solvers.run import Limit

TARGET = 0.005
"""Of the pot: where a solve stops."""
LEAST = 0.01
"""Of the largest weight: the hand that was held is in its player's range with that much."""
SIZES = {"turn": ("66%", "70%"), "river": ("50%,100%", "70%"), "flop": ("66%", "70%")}
"""Bets and raises of each street, beside those that were made."""
FEW = 0.015
"""Of the largest weight: hands with less are left out of a range."""
MEMORY = 1 << 30


@dataclass(eq=False)
class ExactValues:
    """Spots solved for decisions; the last one is kept for the other decisions of its street."""

    seconds: float = 5.0
    """For each spot, at most."""
    threads: int = 1
    first_board: int = 4
    """From so many cards on: 4 for the turn, 5 for the river only."""
    _last: tuple[object, SpotSolver] | None = None

    def fits(self, moment: Moment) -> bool:
        """Whether a spot can be made of the street."""
        betting = moment.street_state.betting
        return (
            len(moment.state.board) >= self.first_board
            and sum(betting.in_hand) == 2
            and not betting.rules.fixed
            and min(_stacks(moment)) > 0
            and betting.pot + min(_stacks(moment)) <= MAX_CHIPS
        )

    def judge(self, moment: Moment) -> Judgement | None:
        """What the decision cost; None where no spot fits."""
        if not self.fits(moment):
            return None
        try:
            solver = self._solver(moment)
            cursor = _walked(solver.result().at("r:0"), moment)
            return _judged(cursor, moment, solver)
        except RiverboatError:
            return None

    def _solver(self, moment: Moment) -> SpotSolver:
        key = (moment.street_state.history, moment.state.board, moment.state.holes)
        if self._last is None or self._last[0] != key:
            spot = spot_of(moment)
            solver = SpotSolver(spot, threads=self.threads, memory=MEMORY)
            solver.compile()
            solver.run(Limit(seconds=self.seconds, target=TARGET * spot.pot))
            if solver.stopped:  # Ctrl-C ends the whole review, not one spot.
                raise KeyboardInterrupt
            self._last = (key, solver)
        return self._last[1]


def _players(moment: Moment) -> list[int]:
    """The two who are in, first to act first."""
    return [p for p, here in enumerate(moment.street_state.betting.in_hand) if here]


def _stacks(moment: Moment) -> list[int]:
    return [moment.street_state.betting.stacks[player] for player in _players(moment)]


def spot_of(moment: Moment) -> Spot:
    """The street as a spot, with every bet that was made on it."""
    betting, board = moment.street_state.betting, moment.street_state.board
    players, stack = _players(moment), min(_stacks(moment))
    ranges = [
        _range(moment.street_ranges[player], moment.state.holes[player], board)
        for player in players
    ]
    sizes = {
        street: PlayerSizes(parse_sizes(bets, "bets"), parse_sizes(raises, "raises", raises=True))
        for street, (bets, raises) in SIZES.items()
    }
    streets = STREETS[len(board) - 3 :]
    line = line_of((*moment.street_actions, *moment.later), stack)
    return Spot(
        board=board,
        pot=betting.pot,
        stack=stack,
        ranges=(ranges[0], ranges[1]),
        sizes={street: (sizes[street], sizes[street]) for street in streets},
        tree=TreeOptions(
            allin_below_spr=1.0,
            force_allin=0.15,
            raises=2,
            add=(line,) if any(letter in line for letter in "BRA") else (),
        ),
    )


def _range(weights: NDArray[np.float64], hand: tuple[int, ...], board: tuple[int, ...]) -> Range:
    """Weights as a range, largest 1; the hand that was held is always in it."""
    free = np.where(np.isin(COMBO_CARDS, board).any(axis=1), 0.0, weights)
    scaled = free / free.max() if free.max() > 0 else np.where(free >= 0, 1.0, 0.0)
    scaled = np.where(scaled < FEW, 0.0, scaled)
    if len(hand) == 2:
        combo = combo_index(min(hand), max(hand))
        scaled[combo] = max(scaled[combo], LEAST)
    return Range(np.clip(scaled, 0.0, 1.0)).without(list(board))


def _walked(cursor: SpotCursor, moment: Moment) -> SpotCursor:
    """The cursor at the decision."""
    line = line_of(moment.street_actions, round(cursor.solved.spot.stack))
    for word in filter(None, line.split("-")):
        cursor = cursor.play(word)
    return cursor


def _judged(cursor: SpotCursor, moment: Moment, solver: SpotSolver) -> Judgement | None:
    hand = cards_text(moment.state.holes[moment.player])
    stack = round(cursor.solved.spot.stack)
    taken_word = line_of((*moment.street_actions, moment.action), stack).split("-")[-1]
    figures = cursor.figures(hand, cursor.player)
    if figures.strategy is None or figures.action_evs is None:
        return None
    found = [
        ActionValue(
            bet.label, bet.words, figures.strategy[bet.words], figures.action_evs[bet.words]
        )
        for bet in cursor.bet_actions
    ]
    if any(np.isnan(each.ev) for each in found):
        return None
    taken = next((each for each in found if each.action == taken_word), None)
    if taken is None:
        return None
    best = max(found, key=lambda each: each.ev)
    gap = solver.last_evaluation.exploitability if solver.last_evaluation else 0.0
    return Judgement(tuple(found), taken, best.ev - taken.ev, gap, "solver", best)
