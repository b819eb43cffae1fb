"""One table of several people and bots at any game; seats rotate from hand to hand.

A table depends on its plan and the list of moves alone, so it is played again, card for card,
after a restart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riverboat.arena.hand import ActionTaken, HandEnded, HandStarted, deal_at_random, player_stream
from riverboat.arena.narration import Narrator
from riverboat.arena.table import MoveJudged, Table, TableEvent
from riverboat.errors import UsageError
from riverboat.games.base import Action, Game, State
from riverboat.players.coach import Coach
from riverboat.players.player import HumanPlayer, Player, View, safe_move, third_person

BOT = ""  # Instead of a student's id: a bot
ENDLESS = 1_000  # Hands from which on a table has no end


@dataclass(frozen=True)
class TablePlan:
    """What a table is set up with."""

    name: str
    game: str
    parameters: dict[str, str]
    seats: list[str]  # Ids of students, BOT for a bot
    hands: int
    seed: int


class ClassTable(Table):
    """A table of students in play."""

    def __init__(
        self,
        plan: TablePlan,
        game: Game,
        bot: Player,
        coach: Coach | None = None,
        names: Sequence[str] = (),
    ) -> None:
        """`coach` prices each decision after the hand; `names` by place are for the logs."""
        students = [place for place, student in enumerate(plan.seats) if student != BOT]
        super().__init__(game, students, coach=coach, listener=self._narrate)
        self.plan, self.bot, self.names = plan, bot, names
        self.decisions = 0
        """Number of moves so far, so that a click for an older decision is known as such."""
        self.view: View | None = None
        self.lines: list[list[str]] = [[] for _ in plan.seats]
        """The log of each place, newest last."""
        self.gone: set[str] = set()
        self.timed_out: dict[int, str] = {}
        """Place → the move that the clock made for it last, in words; until its own next move."""
        self._by_clock = False
        self._begin()

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

    def place_of(self, student: str) -> int | None:
        return self.plan.seats.index(student) if student in self.plan.seats else None

    @property
    def waiting_for(self) -> str:
        """The id of the student who must act, or ""."""
        return "" if self.view is None else self.plan.seats[self.place_at(self.view.player)]

    def _begin(self) -> None:
        chance, *streams = np.random.default_rng([self.plan.seed, self.played]).spawn(
            self.num_seats + 1
        )
        of = f" of {self.plan.hands}" if self.plan.hands < ENDLESS else ""
        for lines in self.lines:
            lines.append(f"Hand {self.played + 1}{of}")
        players: list[Player] = [
            self.bot if student == BOT or student in self.gone else HumanPlayer(None, "student")
            for student in self.plan.seats
        ]
        self._costs: list[list[str]] = [[] for _ in self.plan.seats]
        self._narrators: list[Narrator] = []
        generators = [player_stream(stream) for stream in streams]
        self.hand = self.deal_hand(players, deal_at_random(chance), generators)
        self.view = self.hand.advance()

    def _narrate(self, event: TableEvent) -> None:
        if isinstance(event, HandStarted):
            by_seat = [self.names[self.place_at(p)] for p in range(self.num_seats) if self.names]
            self._narrators = [
                Narrator(self.game, self.position(p), by_seat) for p in range(self.num_seats)
            ]
        if isinstance(event, MoveJudged):
            if event.cost >= 5e-4:
                words = f"{event.words}: that cost you {event.cost:.3f}"
                self._costs[event.place].append(words)
            return
        if isinstance(event, HandEnded):
            for place in range(self.num_seats):
                gain = event.record.returns[self.position(place)]
                words = f"you win {gain:g}" if gain > 0 else f"you lose {-gain:g}"
                self.lines[place] += self._costs[place]
                self.lines[place].append(words if gain else "nothing won, nothing lost")
            return
        for place, narrator in enumerate(self._narrators):
            line = narrator.narrate(event)
            if isinstance(event, ActionTaken) and place == self.place_at(event.seat):
                line = self._own_move(place, event, line)
            if line:
                self.lines[place].append(line)
        for lines in self.lines:
            del lines[:-80]

    def _own_move(self, place: int, event: ActionTaken, words: str) -> str:
        """What a place reads about its own move: one of the clock is called that."""
        if not self._by_clock:
            self.timed_out.pop(place, None)
            return words
        self.timed_out[place] = f"time was up: the clock {third_person(event.words)} for you"
        return self.timed_out[place]

    def accepts(self, student: str, decision: int, action: Action) -> bool:
        """Whether a click is a move now: False for an old one, refused where it is none."""
        if decision != self.decisions:
            return False
        if self.view is None or self.waiting_for != student:
            raise UsageError("It is not your turn.")
        if action not in self.view.actions:
            raise UsageError("That is not possible here.")
        return True

    def act(self, student: str, action: Action, *, by_clock: bool = False) -> None:
        """The move of a student whose turn it is; anything else is refused and changes nothing."""
        if self.view is None or not student or self.waiting_for != student:
            raise UsageError("It is not your turn.")
        self._by_clock = by_clock
        try:
            self._move(action)
        finally:
            self._by_clock = False
        while self.view is not None and self.waiting_for in self.gone:
            self._move(self.passive())

    def _move(self, action: Action) -> None:
        self.hand.act(action)
        self.decisions += 1
        self.view = self.hand.advance()

    def next_hand(self) -> None:
        if not self.between:
            raise UsageError("The hand is not over.")
        self.decisions += 1
        self._begin()

    def replace(self, student: str) -> None:
        """A bot takes over a student's seat, at once where the table waits for it."""
        self.gone.add(student)
        while self.view is not None and self.waiting_for in self.gone:
            self._move(self.passive())

    def passive(self) -> Action:
        """The move that the clock makes: check where that is free, else fold."""
        assert self.view is not None
        return safe_move(self.view)

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
