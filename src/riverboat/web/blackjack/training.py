"""Sittings with the blackjack trainer: a question, its verdict, and what was looked up."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import TYPE_CHECKING

from riverboat.arena.drill import PracticeRecord, Verdict

if TYPE_CHECKING:
    from riverboat.blackjack.casino.drills import Question, Trainer
    from riverboat.blackjack.rules import BlackjackRules

RECORD = "blackjack-practice.json"
MAX_TRAININGS = 100
"""Sittings that are remembered; beyond that the one used longest ago is forgotten."""
LOOK, NEXT = "look", "next"
"""What can be done besides an answer."""


class Training:
    """One person's sitting. Its record is a file and outlives the server."""

    def __init__(self, rules: BlackjackRules, trainer: Trainer, workers: Executor) -> None:
        self.rules, self.trainer, self._workers = rules, trainer, workers
        self.verdict: Verdict | None = None
        self.looked_up = False
        self.decision = 0
        """Counts answers and steps to the next question, so that a second click does nothing."""
        self._lock = threading.Lock()
        self._asked: Future[Question] = workers.submit(trainer.next)

    def question(self, seconds: float) -> Question | None:
        """The question; None where it is not worked out in that time."""
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
                self.verdict, self.looked_up = None, False
                self.decision += 1
                self._asked = self._workers.submit(self.trainer.next)
            elif self.verdict is None and what != NEXT:
                self.verdict = self.trainer.answer(question, what, looked_up=self.looked_up)
                self.decision += 1


class Trainings:
    """The sittings of this server, by their names in addresses."""

    def __init__(self, folder: Path, workers: Executor) -> None:
        self.folder, self._workers = folder, workers
        self._known: OrderedDict[str, Training] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, rules: BlackjackRules, kinds: Sequence[str]) -> str:
        """Sit down to drill these kinds of hands; returns the sitting's name."""
        from riverboat.blackjack.casino.drills import Trainer

        path = self.folder / RECORD
        record = PracticeRecord.load(path) if path.is_file() else PracticeRecord(path)
        made = Training(rules, Trainer(rules, kinds, record=record), self._workers)
        name = secrets.token_urlsafe(8)
        with self._lock:
            self._known[name] = made
            while len(self._known) > MAX_TRAININGS:
                self._known.popitem(last=False)
        return name

    def find(self, name: str) -> Training | None:
        """A sitting by its name."""
        with self._lock:
            if name in self._known:
                self._known.move_to_end(name)
            return self._known.get(name)
