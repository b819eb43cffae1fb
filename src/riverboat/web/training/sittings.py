"""Sittings with one question after another: the question, its verdict, and what was looked up."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from riverboat.arena.drill import Score, Verdict
from riverboat.arena.memory import Memory, Question, Wanted, again_words

if TYPE_CHECKING:
    from riverboat.web.site import Site
    from riverboat.web.training.trainee import Trainee

MAX_SITTINGS = 100
"""Sittings that are remembered; beyond that the one used longest ago is forgotten."""
LOOK, NEXT = "look", "next"
"""What can be done besides an answer."""


class Judge(Protocol):
    """What asks and judges: the trainer of blackjack, the drill of a game."""

    score: Score

    def next_to_train(self, memory: Memory, now: datetime, wanted: Wanted) -> Any: ...

    def answer(self, question: Any, action: str, *, looked_up: bool = False) -> Verdict: ...

    def remembered(self, question: Any) -> Question: ...


@dataclass
class Sitting:
    """One person's questions. What is remembered outlives the server, the sitting does not."""

    judge: Any  # A Judge
    ask: Callable[[], Any]  # The next question
    note: Callable[[Question, Verdict], str]  # Remembers; says when the question comes again
    workers: Executor
    facts: dict[str, Any] = field(default_factory=dict)  # What the page has to know
    verdict: Verdict | None = None
    again: str = ""
    looked_up: bool = False
    decision: int = 0
    """Counts answers and steps to the next question, so that a second click does nothing."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: Future[Any] = self.workers.submit(self.ask)

    def question(self, seconds: float) -> Any:
        """The question; None where it is not worked out in that time.

        UsageError where there is none of the wanted groups.
        """
        try:
            return self._asked.result(seconds)
        except TimeoutError:
            return None

    def do(self, what: str, decision: int) -> None:
        """Answer, look up, or go on; what was meant for an earlier state does nothing."""
        with self._lock:
            question = self.question(0)
            if question is None or decision != self.decision:
                return
            if what == LOOK and self.verdict is None:
                self.looked_up = True
            elif what == NEXT and self.verdict is not None:
                self.verdict, self.again, self.looked_up = None, "", False
                self.decision += 1
                self._asked = self.workers.submit(self.ask)
            elif self.verdict is None and what != NEXT:
                verdict = self.judge.answer(question, what, looked_up=self.looked_up)
                self.again = self.note(self.judge.remembered(question), verdict)
                self.verdict = verdict
                self.decision += 1


def person_sitting(
    site: Site, judge: Judge, trained: Trainee, wanted: Wanted, **facts: Any
) -> Sitting:
    """A sitting of a person, or of nobody with chosen groups; it has a copy of the memory."""
    memory = trained.memory

    def note(question: Question, verdict: Verdict) -> str:
        if not trained.person:
            return ""
        now = site.now()
        memory.note(question, verdict, now)
        return again_words(memory.schedule_of(question), now)

    return Sitting(
        judge,
        lambda: judge.next_to_train(memory, site.now(), wanted),
        note,
        site.workers,
        {"person": trained.person, "wanted": wanted, **facts},
    )


class Sittings:
    """The sittings of this server, by their names in addresses."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Sitting] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, sitting: Sitting) -> str:
        """Sit down; returns the sitting's name."""
        name = secrets.token_urlsafe(8)
        with self._lock:
            self._known[name] = sitting
            while len(self._known) > MAX_SITTINGS:
                self._known.popitem(last=False)
        return name

    def find(self, name: str) -> Sitting | None:
        """A sitting by its name."""
        with self._lock:
            if name in self._known:
                self._known.move_to_end(name)
            return self._known.get(name)
