"""Two players' whole ranges played against each other from a street on: what one of them wins.

At each decision the player who acts is asked what he does with every hand (a blueprint's table, or
a search that solves the rest of the hand), and the betting goes on along all his actions at once.
What a hand wins where the betting ends is exact: over all pairs of hands, and over all cards to
come after an all-in.

Asking a search takes seconds. So two things are drawn instead of followed one by one, both without
bias: lines that few hands take are dropped at random and count more where they stay, and of all
points where a street ends only some are played on, with some card. In their place stands what both
would win if nobody bet any more, which is known for all of them: only the difference from it is
drawn (a control variate). A second one, the same points played on by the blueprint alone, is
quick, so that more of them are drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import ParameterError
from riverboat.games.base import CHANCE, TERMINAL, Action
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.search.pot_share_tables import (
    meets,
    pairs_times_pot,
    shares_against,
    without,
)

__all__ = ["Draws", "MatchWalk", "Point", "Policy"]

Doubles = NDArray[np.float64]
Policy = Callable[[HoldemState], tuple[tuple[Action, ...], Doubles]]
"""The actions of the player who acts, and (1326, A) how likely each is with each hand."""


class Point(NamedTuple):
    """A point of the betting and how likely each player comes there with each hand."""

    state: HoldemState
    ranges: tuple[Doubles, Doubles]
    """(1326,) each; 1 for a hand that always comes."""

    @property
    def worth(self) -> float:
        """Pairs of hands that come here, times the pot."""
        return pairs_times_pot(self.state, *self.ranges)

    def after(self, action: Action, chances: Doubles) -> Point:
        """The point after an action that the acting player takes with these chances (1326,)."""
        ranges = list(self.ranges)
        ranges[self.state.actor] = ranges[self.state.actor] * chances
        return Point(self.state.after(action), (ranges[0], ranges[1]))

    def dealt(self, cards: tuple[int, ...]) -> Point:
        """The point after cards for the board."""
        state = self.state.deal(cards)
        return Point(state, (without(self.ranges[0], cards), without(self.ranges[1], cards)))

    def checked_down(self, seat: int) -> float:
        """Chips a game that a seat wins if nobody bets any more; a bet that stands is called.

        Divided by all pairs of hands that the board leaves. Where somebody has folded: what that
        gives.
        """
        state = self.state
        betting, cards = state.betting, len(state.board)
        calls = betting.to_call if state.actor >= 0 and all(betting.in_hand) else 0
        cost = betting.rules.stacks[seat] - betting.stacks[seat] + calls * (state.actor == seat)
        mine, theirs = self.ranges[seat], self.ranges[1 - seat]
        met = meets(theirs)
        if all(betting.in_hand):
            won = shares_against(state.board, theirs) * (betting.pot + calls)
        else:
            won = met * (betting.pot * betting.in_hand[seat])
        pairs = comb(52 - cards, 2) * comb(50 - cards, 2)
        return float(mine @ (won - met * cost)) / pairs


@dataclass(frozen=True)
class Draws:
    """How much is drawn instead of followed."""

    lines: int = 3
    """Ends of a street that are played on by both players; 0 for all of them, with every card."""
    quick: int = 24
    """Ends that are played on by the blueprint alone."""
    least: float = 0.1
    """A line with a smaller part of all pairs times pot is dropped at random."""

    def __post_init__(self) -> None:
        if self.lines and self.quick % self.lines:
            raise ParameterError(f"{self.quick} quick draws are no multiple of {self.lines} lines.")


@dataclass(eq=False)
class MatchWalk:
    """What the player in `seat` wins when `player` sits there and `blueprint` in the other."""

    player: Policy
    blueprint: Policy
    seat: int
    rng: np.random.Generator
    draws: Draws = field(default_factory=Draws)
    asked: int = 0
    """Decisions that the player was asked for."""

    def value(self, point: Point) -> float:
        """Chips from a point where a street begins, over all pairs that the board leaves."""
        return self._street(point, quick=False)

    def _street(self, point: Point, quick: bool) -> float:
        """Both play a street and all after it; the blueprint alone where it is to be `quick`."""
        ends: list[Point] = []
        total = self._follow(point, quick, self.draws.least * point.worth, ends)
        if not ends:
            return total
        if not self.draws.lines:
            return total + sum(
                self._street(end.dealt((card,)), quick) / len(cards)
                for end in ends
                for cards in [sorted(end.state.unseen())]
                for card in cards
            )
        total += sum(end.checked_down(self.seat) for end in ends)
        worth = np.array([end.worth for end in ends])
        chances = worth / worth.sum()
        num = self.draws.lines if quick else self.draws.quick
        every = num // self.draws.lines
        first = int(self.rng.integers(every))
        for number, place in enumerate(_spread(chances, num, self.rng)):
            after = ends[place].dealt((int(self.rng.choice(sorted(ends[place].state.unseen()))),))
            plain = self._street(after, True)
            count = num * chances[place]
            total += (plain - after.checked_down(self.seat)) / count
            if not quick and number % every == first:
                total += (self._street(after, False) - plain) * every / count
        return total

    def _follow(self, point: Point, quick: bool, least: float, ends: list[Point]) -> float:
        """What is won where the betting ends on this street; the other ends are put to `ends`."""
        state, worth = point.state, point.worth
        if worth <= 0:
            return 0.0
        if state.actor == TERMINAL or (state.actor == CHANCE and not state.betting.queue):
            return point.checked_down(self.seat)
        if state.actor == CHANCE:
            ends.append(point)
            return 0.0
        instead, more = 0.0, 1.0
        if worth < least and not quick:
            instead, more = point.checked_down(self.seat), least / worth
            if self.rng.random() * more >= 1:
                return instead
            point = Point(state, (point.ranges[0] * more, point.ranges[1]))
        if state.actor == self.seat and not quick:
            self.asked += 1
            actions, chances = self.player(state)
        else:
            actions, chances = self.blueprint(state)
        found = sum(
            self._follow(point.after(action, chances[:, number]), quick, least, ends)
            for number, action in enumerate(actions)
        )
        return instead * (1 - more) + found


def _spread(chances: Doubles, num: int, rng: np.random.Generator) -> list[int]:
    """`num` places, each drawn `num` times its chance on average, spread evenly over all."""
    marks = (rng.random() + np.arange(num)) / num
    places = np.searchsorted(np.cumsum(chances), marks * chances.sum(), side="right")
    return [int(place) for place in np.minimum(places, len(chances) - 1)]
