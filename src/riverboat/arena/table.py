"""A table: people and players, hand after hand, with events, scores and what moves cost.

A player keeps a place at the table. The seat of a place, which says when it acts, moves on by one
from hand to hand. A listener receives the hand's events (arena.hand) and, after each move of a
person, its value (MoveJudged). The screen drives the hands.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from riverboat.arena.hand import ActionTaken, Deal, Event, Hand, HandEnded, view_of
from riverboat.games.base import Action, Game, State
from riverboat.players.coach import Advice, Adviser
from riverboat.players.player import Player, View


@dataclass(frozen=True)
class MoveJudged:
    """A move of a person, as the coach sees it."""

    place: int
    words: str
    advice: Advice
    action: Action
    cost: float  # How much less it is worth than the best move


TableEvent: TypeAlias = Event | MoveJudged


class Table:
    """The hands of one table, one after the other."""

    def __init__(
        self,
        game: Game,
        people: Container[int],
        *,
        coach: Adviser | None = None,
        listener: Callable[[TableEvent], None] | None = None,
        shift: int | None = None,
    ) -> None:
        """`people` are the places whose moves the coach judges; `shift` fixes the seats."""
        self.game, self.people, self.coach, self.listener = game, people, coach, listener
        self.played = 0
        self.hand_number = 0
        """Of the hand in play, counted from 0."""
        self.scores = [0.0] * game.num_players
        """By place, as `costs` are."""
        self.costs: list[float | None] = [None] * game.num_players
        """What moves gave away against the best ones; None until one is judged."""
        self._shift = shift
        self._advice: Advice | None = None

    @property
    def num_seats(self) -> int:
        return self.game.num_players

    def position(self, place: int) -> int:
        """The seat of a place in this hand."""
        return (place + self._moved(self.hand_number)) % self.num_seats

    def place_at(self, position: int) -> int:
        """The place that has a seat in this hand."""
        return (position - self._moved(self.hand_number)) % self.num_seats

    def _moved(self, hand_number: int) -> int:
        return hand_number if self._shift is None else self._shift

    def deal_hand(
        self,
        players: Sequence[Player],
        deal: Deal,
        generators: Sequence[np.random.Generator],
        *,
        start: State | None = None,
    ) -> Hand:
        """The next hand, with `players` by place; generators go by seat. `advance` plays it."""
        self.hand_number, self._advice = self.played, None
        seats = [players[self.place_at(position)] for position in range(self.num_seats)]
        return Hand(self.game, seats, deal, generators, listener=self._receive, start=start)

    def advise(self, view: View) -> Advice | None:
        """The coach's advice on a decision: it is asked once, for the hint and for the price."""
        if self.coach is None:
            return None
        known = self._advice
        if known is None or (known.view.player, known.view.infoset) != (view.player, view.infoset):
            self._advice = known = self.coach.advise(view)
        return known

    def _receive(self, event: Event) -> None:
        judged = None
        if isinstance(event, ActionTaken):
            judged = self._judge(event)
        elif isinstance(event, HandEnded):
            for place in range(self.num_seats):
                self.scores[place] += event.record.returns[self.position(place)]
            self.played += 1
        if self.listener is None:
            return
        self.listener(event)
        if judged is not None:
            self.listener(judged)

    def _judge(self, event: ActionTaken) -> MoveJudged | None:
        place = self.place_at(event.seat)
        if self.coach is None or place not in self.people:
            return None
        advice, self._advice = self.advise(view_of(self.game, event.before)), None
        cost = None if advice is None else advice.cost(event.action)
        if advice is None or cost is None:
            return None
        self.costs[place] = (self.costs[place] or 0.0) + cost
        return MoveJudged(place, event.words, advice, event.action, cost)
