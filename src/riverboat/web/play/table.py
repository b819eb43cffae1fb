"""One table of several people: students or guests and bots at any game, seats rotating by hand.

A table is told what happened and nothing else: from its settings, its seed and the list of acts
it is played again, card for card, after a restart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from riverboat.arena.hand import ActionTaken, Event, Hand, HandEnded, deal_at_random, view_of
from riverboat.arena.narration import Narrator
from riverboat.errors import UsageError
from riverboat.games.base import Action, Game, State
from riverboat.players.coach import Coach
from riverboat.players.player import HumanPlayer, Player, View

__all__ = ["BOT", "ENDLESS", "ClassTable", "TablePlan"]

BOT = ""
"""In place of a student's id: a bot sits there."""
ENDLESS = 1_000
"""Hands from which on a table is played until its people have had enough."""
PASSIVE = ("p", "c", "s", "S", "f")
"""What the clock does for somebody who does not answer, the first that is possible."""


@dataclass(frozen=True)
class TablePlan:
    """What a table is set up with."""

    name: str
    game: str
    parameters: dict[str, str]
    seats: list[str]
    """Ids of students, BOT for a bot."""
    hands: int
    seed: int


@dataclass
class ClassTable:
    """A table in play."""

    plan: TablePlan
    game: Game
    bot: Player
    coach: Coach | None = None
    """Who says after a hand what each decision cost, to the one who made it."""
    scores: list[float] = field(init=False)
    hand_number: int = field(default=0, init=False)
    decisions: int = field(default=0, init=False)
    """Counts every act, so that a click for an older decision is known as such."""
    view: View | None = field(default=None, init=False)
    lines: list[list[str]] = field(default_factory=list, init=False)
    """What was said to each place, newest last."""

    def __post_init__(self) -> None:
        self.scores = [0.0] * len(self.plan.seats)
        self.lines = [[] for _ in self.plan.seats]
        self.gone: set[str] = set()
        self._begin()

    @property
    def count(self) -> int:
        return self.game.num_players

    @property
    def over(self) -> bool:
        """Whether all hands are played."""
        return self.view is None and self.hand_number + 1 >= self.plan.hands

    @property
    def between(self) -> bool:
        """Whether a hand is over and another one follows."""
        return self.view is None and not self.over

    @property
    def state(self) -> State:
        return self.hand.state

    def position(self, place: int) -> int:
        """Where an occupant sits in this hand: seats move on by one a hand."""
        return (place + self.hand_number) % self.count

    def place_at(self, position: int) -> int:
        return (position - self.hand_number) % self.count

    def place_of(self, student: str) -> int | None:
        return self.plan.seats.index(student) if student in self.plan.seats else None

    @property
    def waiting_for(self) -> str:
        """The id of the student who must act, or ""."""
        return "" if self.view is None else self.plan.seats[self.place_at(self.view.player)]

    def _begin(self) -> None:
        seeds = np.random.default_rng([self.plan.seed, self.hand_number]).spawn(self.count + 1)
        people = [HumanPlayer(None, "student") for _ in range(self.count)]
        seats: list[Player] = []
        for position in range(self.count):
            student = self.plan.seats[self.place_at(position)]
            seats.append(self.bot if student == BOT or student in self.gone else people[position])
        self._costs: list[list[str]] = [[] for _ in self.plan.seats]
        self._narrators = [Narrator(self.game, self.position(p)) for p in range(self.count)]
        for told in self.lines:
            many = f" of {self.plan.hands}" if self.plan.hands < ENDLESS else ""
            told.append(f"Hand {self.hand_number + 1}{many}")
        self.hand = Hand(self.game, seats, deal_at_random(seeds[0]), seeds[1:], listener=self._hear)
        self.view = self.hand.advance()

    def _hear(self, event: Event) -> None:
        if isinstance(event, HandEnded):
            for place in range(self.count):
                gain = event.record.returns[self.position(place)]
                self.scores[place] += gain
                words = f"you win {gain:g}" if gain > 0 else f"you lose {-gain:g}"
                self.lines[place] += self._costs[place]
                self.lines[place].append(words if gain else "nothing won, nothing lost")
            return
        if isinstance(event, ActionTaken):
            self._judge(event)
        for place, narrator in enumerate(self._narrators):
            if words := narrator.tell(event):
                self.lines[place].append(words)
        for told in self.lines:
            del told[:-80]

    def _judge(self, event: ActionTaken) -> None:
        place = self.place_at(event.seat)
        if self.coach is None or self.plan.seats[place] == BOT:
            return
        cost = self.coach.advise(view_of(self.game, event.before)).cost(event.action)
        if cost is not None and cost >= 5e-4:
            self._costs[place].append(f"{event.words}: that cost you {cost:.3f}")

    def act(self, student: str, action: Action) -> None:
        """The act of a student whose turn it is; anything else is refused and changes nothing."""
        if self.view is None or not student or self.waiting_for != student:
            raise UsageError("It is not your turn.")
        self._move(action)
        while self.view is not None and self.waiting_for in self.gone:
            self._move(self.passive())

    def _move(self, action: Action) -> None:
        self.hand.act(action)
        self.decisions += 1
        self.view = self.hand.advance()

    def next_hand(self) -> None:
        if not self.between:
            raise UsageError("The hand is not over.")
        self.hand_number += 1
        self.decisions += 1
        self._begin()

    def replace(self, student: str) -> None:
        """A bot takes over a student's seat, at once where the table waits for him."""
        self.gone.add(student)
        while self.view is not None and self.waiting_for in self.gone:
            self._move(self.passive())

    def passive(self) -> Action:
        """What the clock does for somebody who does not answer."""
        assert self.view is not None
        actions = self.view.actions
        stakes = self.view.stakes()
        order: tuple[str, ...] = PASSIVE
        if stakes is not None and stakes.price > 0:
            order = ("f", "p", "c")
        return next((a for a in order if a in actions), actions[0])

    def summary(self, name_of: Callable[[str], str]) -> dict[str, Any]:
        """The facts for a list of tables; no cards."""
        return {
            "name": self.plan.name,
            "hand": min(self.hand_number + 1, self.plan.hands),
            "hands": self.plan.hands,
            "seats": [
                (name_of(student), score)
                for student, score in zip(self.plan.seats, self.scores, strict=True)
            ],
            "turn": name_of(self.waiting_for) if self.waiting_for else "",
            "over": self.over,
        }
