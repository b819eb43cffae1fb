"""A sitting: one person at a table over many hands, with the score and what the moves cost.

Any screen can run it. It deals hands, the screen drives them (arena.hand), and a listener
receives the hand's events and, after each move of the person, its value (MoveJudged).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from riverboat.arena.hand import (
    ActionTaken,
    Deal,
    Event,
    Hand,
    HandEnded,
    deal_at_random,
    player_stream,
    view_of,
)
from riverboat.errors import UsageError
from riverboat.games.base import Action, Game
from riverboat.games.contract import check_game
from riverboat.players.coach import Advice, Coach
from riverboat.players.player import HumanPlayer, Player


@dataclass(frozen=True)
class MoveJudged:
    """A move of the person, as the coach sees it."""

    advice: Advice
    action: Action
    cost: float  # How much less it is worth than the best move


SittingEvent: TypeAlias = Event | MoveJudged


def check_seat(game: Game, seat: int) -> None:
    """Refuse a seat that the game does not have; they count from 1, and 0 takes turns."""
    if not 0 <= seat <= game.num_players:
        count = "1 seat" if game.num_players == 1 else f"{game.num_players} seats"
        raise UsageError(f"{game.name} has {count}, so there is no seat {seat}.")


class Sitting:
    """Hands, score and cost of one person who plays against `opponent` in all other seats."""

    def __init__(
        self,
        game: Game,
        opponent: Player,
        *,
        coach: Coach | None = None,
        seat: int = 0,
        seed: int | None = None,
        listener: Callable[[SittingEvent], None] | None = None,
        deal: Callable[[np.random.Generator], Deal] = deal_at_random,
    ) -> None:
        """`seat` is 1 for the first, 2 for the second …; 0 takes turns. `deal` makes a dealer."""
        check_seat(game, seat)
        check_game(game, shown=True)
        self.game, self.opponent, self.coach = game, opponent, coach
        self.seat, self.listener = seat, listener
        self.played = 0
        self.score = 0.0
        self.cost: float | None = None
        """What the person's moves gave away against the best ones; None until one is judged."""
        rng = np.random.default_rng(seed)
        chance, *streams = rng.spawn(game.num_players + 1)
        self._generators = [player_stream(stream) for stream in streams]
        self._deal = deal(chance)

    @property
    def place(self) -> int:
        """The person's seat in the next hand, counted from 0."""
        return (self.seat or self.played % self.game.num_players + 1) - 1

    def next_hand(self, person: HumanPlayer) -> Hand:
        """The next hand, with the person seated; `advance` plays it."""
        mine = self.place
        seats: list[Player] = [self.opponent] * self.game.num_players
        seats[mine] = person
        return Hand(
            self.game,
            seats,
            self._deal,
            self._generators,
            listener=lambda event: self._receive(event, mine),
        )

    def _receive(self, event: Event, mine: int) -> None:
        judged = None
        if isinstance(event, ActionTaken) and event.seat == mine:
            judged = self._judge(event)
        elif isinstance(event, HandEnded):
            self.score += event.record.returns[mine]
            self.played += 1
        if self.listener is None:
            return
        self.listener(event)
        if judged is not None:
            self.listener(judged)

    def _judge(self, event: ActionTaken) -> MoveJudged | None:
        if self.coach is None:
            return None
        advice = self.coach.advise(view_of(self.game, event.before))
        cost = advice.cost(event.action)
        if cost is None:
            return None
        self.cost = (self.cost or 0.0) + cost
        return MoveJudged(advice, event.action, cost)
