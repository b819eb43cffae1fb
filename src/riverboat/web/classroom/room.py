"""A class: who joined, the tables, the ranking; every event is written down before it counts.

The journal is one line of JSON per event. Each line goes to the operating system before anybody
is answered, so a server that is killed goes on where it stood; a line cut short is left out.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from riverboat.errors import RiverboatError, UsageError
from riverboat.games.base import Game
from riverboat.games.registry import make_game
from riverboat.players.player import Player
from riverboat.web.play.table import BOT, ClassTable, TablePlan

__all__ = ["Classroom", "Student", "plain_name"]

MOST_STUDENTS = 400
MOST_HANDS = 200
LONGEST_NAME = 24
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")

Bots = Callable[[Game], Player]


def plain_name(name: str) -> str:
    """A name as it is shown: no control characters, not too long; an empty one is refused."""
    plain = " ".join(_CONTROL.sub("", name).split())[:LONGEST_NAME].strip()
    if not plain:
        raise UsageError("Write a name.")
    return plain


@dataclass
class Student:
    """Somebody who joined."""

    name: str
    identity: str
    score: float = 0.0
    kicked: bool = False


@dataclass
class Round:
    """A round of the tournament."""

    number: int
    game: str
    tables: list[ClassTable] = field(default_factory=list)

    @property
    def over(self) -> bool:
        return all(table.over for table in self.tables)


class Classroom:
    """All that is true of a class. `do` writes an event down and makes it happen."""

    def __init__(self, folder: Path, bots: Bots) -> None:
        self.path = folder / "class.jsonl"
        self.bots = bots
        self.students: dict[str, Student] = {}
        self.rounds: list[Round] = []
        self.code = "".join(secrets.choice(CODE_LETTERS) for _ in range(6))
        self.key = secrets.token_urlsafe(12)
        self.seconds = 60
        """How long a student may think."""
        self.since: dict[str, float] = {}
        """When each table began to wait for what it waits for."""
        self.ready: dict[str, set[str]] = {}
        self.version = 0
        """Counts what happened, so that a page knows whether it is behind."""
        self._listeners: dict[str, dict[int, Callable[[], None]]] = {}
        self._listener = 0
        self._ranking: tuple[int, list[tuple[str, float]]] = (-1, [])
        folder.mkdir(parents=True, exist_ok=True)
        self._replay()
        self._file = self.path.open("a", encoding="utf-8")
        if not self.students and not self.rounds and self.path.stat().st_size == 0:
            self._write({"do": "open", "code": self.code, "key": self.key})

    def _replay(self) -> None:
        if not self.path.is_file():
            return
        raw = self.path.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        if whole != raw:  # a line that was cut short
            self.path.write_bytes(whole)
        for line in whole.decode("utf-8", "replace").splitlines():
            try:
                self._happen(json.loads(line))
            except (ValueError, KeyError, TypeError, IndexError, RiverboatError):
                continue

    def _write(self, event: dict[str, Any]) -> None:
        self._file.write(json.dumps(event) + "\n")
        self._file.flush()

    def do(self, event: dict[str, Any]) -> None:
        """Refuse the event, or write it down and let those know whom it concerns at once."""
        self._happen(event)
        self._write(event)
        name = event.get("table")
        self._tell(None if name is None else self.table(str(name)))

    def _happen(self, event: dict[str, Any]) -> None:
        happen = getattr(self, f"_do_{event['do']}", None)
        if happen is None:
            raise UsageError("There is no such event.")
        happen(event)

    def _do_open(self, event: dict[str, Any]) -> None:
        self.code, self.key = str(event["code"]), str(event["key"])

    def _do_join(self, event: dict[str, Any]) -> None:
        name, identity = str(event["name"]), str(event["id"])
        self.students[identity] = Student(name, identity)

    def _do_kick(self, event: dict[str, Any]) -> None:
        identity = str(event["id"])
        self.students[identity].kicked = True
        for table in self.tables:
            if identity in table.plan.seats:
                table.replace(identity)
                self._moved(table)

    def _do_round(self, event: dict[str, Any]) -> None:
        plans = [TablePlan(**plan) for plan in event["tables"]]
        made = Round(len(self.rounds) + 1, plans[0].game)
        for plan in plans:
            game = make_game(plan.game, dict(plan.parameters))
            table = ClassTable(plan, game, self.bots(game))
            made.tables.append(table)
            self._moved(table)
        self.rounds.append(made)

    def _do_act(self, event: dict[str, Any]) -> None:
        table = self.table(str(event["table"]))
        table.act(str(event["id"]), str(event["action"]))
        self._moved(table)

    def _do_next(self, event: dict[str, Any]) -> None:
        table = self.table(str(event["table"]))
        table.next_hand()
        self._moved(table)

    def _moved(self, table: ClassTable) -> None:
        self.since[table.plan.name] = time.monotonic()
        self.ready[table.plan.name] = set()

    # What pages and the clock ask for.

    @property
    def tables(self) -> list[ClassTable]:
        """The tables of the round now."""
        return self.rounds[-1].tables if self.rounds else []

    def table(self, name: str) -> ClassTable:
        found = next((table for table in self.tables if table.plan.name == name), None)
        if found is None:
            raise UsageError("There is no such table now.")
        return found

    def table_of(self, identity: str) -> ClassTable | None:
        return next((table for table in self.tables if identity in table.plan.seats), None)

    def name_of(self, identity: str) -> str:
        if identity == BOT:
            return "bot"
        student = self.students.get(identity)
        return student.name if student else "somebody"

    def present(self) -> list[Student]:
        return [student for student in self.students.values() if not student.kicked]

    def ranking(self) -> list[tuple[str, float]]:
        """Names and total scores, the best first."""
        if self._ranking[0] == self.version:
            return self._ranking[1]
        totals = {identity: 0.0 for identity, s in self.students.items() if not s.kicked}
        for each in self.rounds:
            for table in each.tables:
                for identity, score in zip(table.plan.seats, table.scores, strict=True):
                    if identity in totals:
                        totals[identity] += score
        order = sorted(totals, key=lambda identity: (-totals[identity], self.name_of(identity)))
        found = [(self.name_of(identity), totals[identity]) for identity in order]
        self._ranking = (self.version, found)
        return found

    def join(self, name: str, code: str) -> Student:
        """A new student; a wrong code or a name that cannot be is refused."""
        if not secrets.compare_digest(code.strip().upper().encode(), self.code.encode()):
            raise UsageError("That is not the code of this class.")
        plain = plain_name(name)
        if any(student.name.casefold() == plain.casefold() for student in self.present()):
            raise UsageError(f"There is a {plain} already; take another name.")
        if len(self.present()) >= MOST_STUDENTS:
            raise UsageError("The class is full.")
        identity = secrets.token_urlsafe(12)
        self.do({"do": "join", "id": identity, "name": plain})
        return self.students[identity]

    def act(self, identity: str, decision: int, action: str) -> None:
        """An act of a student at his own table, for the decision he was shown."""
        table = self.table_of(identity)
        student = self.students.get(identity)
        if table is None or student is None or student.kicked:
            raise UsageError("You sit at no table.")
        if decision != table.decisions:
            return  # an old click: the table has moved on
        if table.view is None or table.waiting_for != identity:
            raise UsageError("It is not your turn.")
        if action not in table.view.actions:
            raise UsageError("That is not possible here.")
        self.do({"do": "act", "table": table.plan.name, "id": identity, "action": action})

    def be_ready(self, identity: str) -> None:
        """A student has seen the end of the hand; when all have, the next one is dealt."""
        table = self.table_of(identity)
        if table is None or not table.between:
            return
        ready = self.ready.setdefault(table.plan.name, set())
        ready.add(identity)
        if all(s in ready for s in table.plan.seats if s != BOT and s not in table.gone):
            self.do({"do": "next", "table": table.plan.name})

    def plan_round(self, game_name: str, hands: int, size: int, seed: int) -> dict[str, Any]:
        """Everybody present at tables of `size`, shuffled by the seed, bots in empty seats."""
        import numpy as np

        present = [student.identity for student in self.present()]
        if not present:
            raise UsageError("Nobody has joined yet.")
        if not 1 <= hands <= MOST_HANDS:
            raise UsageError(f"A round has 1 to {MOST_HANDS} hands, not {hands}.")
        parameters = {"players": str(size)} if game_name in ("holdem", "kuhn") else {}
        seats = make_game(game_name, dict(parameters)).num_players
        order = [present[i] for i in np.random.default_rng(seed).permutation(len(present))]
        number = len(self.rounds) + 1
        tables: list[dict[str, Any]] = []
        for i in range(0, len(order), seats):
            group = order[i : i + seats]
            group += [BOT] * (seats - len(group))
            # With one seat a table everybody gets the same cards.
            dealt = seed if seats == 1 else seed + i + 1
            name = f"{number}-{len(tables) + 1}"
            tables.append(TablePlan(name, game_name, parameters, group, hands, dealt).__dict__)
        return {"do": "round", "tables": tables}

    def tick(self) -> None:
        """The clock: acts for who does not answer, deals where nobody asks for the next hand."""
        now = time.monotonic()
        for table in list(self.tables):
            waited = now - self.since.get(table.plan.name, now)
            if table.between and waited > min(8, self.seconds):
                self.do({"do": "next", "table": table.plan.name})
            elif table.view is not None and waited > self.seconds:
                self.do(
                    {
                        "do": "act",
                        "table": table.plan.name,
                        "id": table.waiting_for,
                        "action": table.passive(),
                    }
                )

    def listen(self, identity: str, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when something happens to a student; what comes back ends it.

        All else is seen by `version`, which pages look at now and then: with a hundred students
        nobody is told of every act at every table.
        """
        self._listener += 1
        number = self._listener
        mine = self._listeners.setdefault(identity, {})
        mine[number] = listener

        def end() -> None:
            mine.pop(number, None)

        return end

    def _tell(self, table: ClassTable | None) -> None:
        """Let those at a table know that something happened, or everybody."""
        self.version += 1
        concerned = list(self._listeners) if table is None else dict.fromkeys(table.plan.seats)
        for identity in concerned:
            for listener in list(self._listeners.get(identity, {}).values()):
                listener()

    def close(self) -> None:
        self._file.close()
