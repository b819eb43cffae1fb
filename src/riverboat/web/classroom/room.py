"""A class: its students, tables and ranking, kept in a journal.

Every event is in the journal before anyone is answered, so a server that is killed goes on where
it stood, with the same seconds per move.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from riverboat.arena.class_table import BOT, ClassTable, TablePlan
from riverboat.errors import UsageError
from riverboat.games.base import Game
from riverboat.games.registry import make_game
from riverboat.players.player import Player
from riverboat.web.journal import Journal, private_folder
from riverboat.web.play.names import check_new_name

MAX_STUDENTS = 400
MAX_HANDS = 200
MAX_RANKED = 20
MIN_SECONDS, MAX_SECONDS = 5, 600
SIZED_GAMES = ("holdem", "omaha", "shortdeck", "kuhn")  # Others have a fixed number of seats
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
BETWEEN_SECONDS = 8
"""How long the end of a hand is shown before the next one is dealt without being asked for."""

CLASS_TOPIC = "class"
"""The topic of everything that happens, published once a second where something did."""
STUDENTS_TOPIC = "class:students"
"""The topic of who is there."""
RANKING_TOPIC = "class:ranking"
"""The topic of what all students see; with hundreds of them it is published less often."""
RANKING_SECONDS = 3.0
BOARD_TOPIC = "class:board"
"""The topic of the board that the teacher shows."""
FOR_ALL = ("kick", "round", "pause", "continue", "end")
"""Events that every student's page shows."""

Bots = Callable[[Game], Player]


def topic_of(identity: str) -> str:
    """The topic of what happens to a student at the own table; it does not tell the identity."""
    return f"class:{hashlib.sha256(identity.encode()).hexdigest()[:24]}"


@dataclass
class Student:
    """One who joined."""

    name: str
    identity: str
    score: float = 0.0
    kicked: bool = False


@dataclass(frozen=True)
class Ranked:
    """A line of the ranking."""

    rank: int
    name: str
    score: float


@dataclass
class Round:
    """A round of the tournament."""

    number: int
    game: str
    tables: list[ClassTable] = field(default_factory=list)
    paused: bool = False
    """Whether the teacher has stopped the clocks; nobody can move."""
    ended: bool = False
    """Whether the teacher has ended it: hands that were over count, the others do not."""

    @property
    def over(self) -> bool:
        return self.ended or all(table.over for table in self.tables)


@dataclass(frozen=True)
class Shown:
    """What the teacher shows to the class."""

    address: str
    """The address of a state of the desk."""
    title: str = ""
    note: str = ""
    chapter: str = ""
    """The chapter of a study that is open there, such as "3bet/2"."""


class Classroom:
    """The state of a class. `do` writes an event to the journal and makes it happen."""

    def __init__(
        self, folder: Path, bots: Bots, publish: Callable[[str], None] = lambda topic: None
    ) -> None:
        """`publish` reports the topics of what happened."""
        self.bots, self._publish = bots, publish
        self.students: dict[str, Student] = {}
        self.rounds: list[Round] = []
        self.code = "".join(secrets.choice(CODE_LETTERS) for _ in range(6))
        self.key = secrets.token_urlsafe(12)
        self.seconds = 60
        """Seconds that a student has for a move."""
        self.since: dict[str, float] = {}
        """When each table began to wait for its next event."""
        self._waited: dict[str, float] = {}
        """While a round is paused: how long each table had waited before."""
        self.shown: Shown | None = None
        """What the teacher shows now."""
        self.drawn: object = None
        """The board page's own drawing of it."""
        self.ready: dict[str, set[str]] = {}
        self.version = 0
        """Number of events, so that a page knows whether it is behind."""
        self._told = self._told_all = 0
        """The versions that the teacher and the students have been told of."""
        self._told_all_at = 0.0
        self._ranking: tuple[int, list[tuple[str, float]]] = (-1, [])
        self.journal = Journal(private_folder(folder) / "class.jsonl")
        self.journal.replay(self._happen)
        if self.journal.path.stat().st_size == 0:
            self.journal.append({"do": "open", "code": self.code, "key": self.key})

    def do(self, event: dict[str, Any]) -> None:
        """Refuse the event, or write it to the journal and notify those it concerns."""
        self._happen(event)
        self.journal.append(event)
        self.version += 1
        self._notify(event)

    def _notify(self, event: dict[str, Any]) -> None:
        """Report an event to those it concerns at once; `tick` tells the others."""
        if event["do"] in ("join", "kick"):
            self._publish(STUDENTS_TOPIC)
        if "table" in event:
            self._notify_seats(self.table(str(event["table"])))
        elif event["do"] in FOR_ALL:
            self._notify_all()

    def _notify_all(self) -> None:
        for identity in self.students:
            self._publish(topic_of(identity))

    def _notify_seats(self, table: ClassTable) -> None:
        for identity in table.plan.seats:
            if identity != BOT:
                self._publish(topic_of(identity))

    def _happen(self, event: dict[str, Any]) -> None:
        happen = getattr(self, f"_do_{event['do']}", None)
        if happen is None:
            raise UsageError("There is no such event.")
        happen(event)

    def _do_open(self, event: dict[str, Any]) -> None:
        self.code, self.key = str(event["code"]), str(event["key"])

    def _do_clock(self, event: dict[str, Any]) -> None:
        seconds = int(event["seconds"])
        if not MIN_SECONDS <= seconds <= MAX_SECONDS:
            raise UsageError(f"A move has {MIN_SECONDS} to {MAX_SECONDS} seconds, not {seconds}.")
        self.seconds = seconds

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
            names = [self.name_of(identity) for identity in plan.seats]
            table = ClassTable(plan, game, self.bots(game), names=names)
            made.tables.append(table)
            self._moved(table)
        self.rounds.append(made)

    def _do_pause(self, event: dict[str, Any]) -> None:
        now = time.monotonic()
        self._check_played()
        self.rounds[-1].paused = True
        self._waited = {name: now - since for name, since in self.since.items()}

    def _do_continue(self, event: dict[str, Any]) -> None:
        if not self.paused:
            raise UsageError("The round is not paused.")
        now = time.monotonic()
        self.rounds[-1].paused = False
        for table in self.tables:
            self.since[table.plan.name] = now - self._waited.get(table.plan.name, 0.0)

    def _do_end(self, event: dict[str, Any]) -> None:
        if not self.going:
            raise UsageError("No round is played now.")
        self.rounds[-1].paused, self.rounds[-1].ended = False, True

    def _do_show(self, event: dict[str, Any]) -> None:
        texts = (str(event[name]) for name in ("address", "title", "note", "chapter"))
        shown = Shown(*texts)
        self.shown = shown if shown.address else None

    def _check_played(self) -> None:
        """Refuse what only a round that is played allows."""
        if not self.going:
            raise UsageError("The round is over." if self.rounds else "No round is played now.")
        if self.paused:
            raise UsageError("The round is paused.")

    def _do_act(self, event: dict[str, Any]) -> None:
        self._check_played()
        table = self.table(str(event["table"]))
        table.act(str(event["id"]), str(event["action"]), by_clock=bool(event.get("clock")))
        self._moved(table)

    def _do_next(self, event: dict[str, Any]) -> None:
        self._check_played()
        table = self.table(str(event["table"]))
        table.next_hand()
        self._moved(table)

    def _moved(self, table: ClassTable) -> None:
        self.since[table.plan.name] = time.monotonic()
        self._waited.pop(table.plan.name, None)
        self.ready[table.plan.name] = set()

    # What pages and the clock ask for.

    @property
    def tables(self) -> list[ClassTable]:
        """The tables of the current round."""
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
        return student.name if student else "a student"

    def present(self) -> list[Student]:
        return [student for student in self.students.values() if not student.kicked]

    def student(self, number: int) -> Student | None:
        """A student by the place in the order of joining; None for one who is not there."""
        found = list(self.students.values())[number : number + 1] if number >= 0 else []
        return found[0] if found and not found[0].kicked else None

    def number_of(self, student: Student) -> int:
        """The place in the order of joining."""
        return list(self.students).index(student.identity)

    def ranked(self, own: str = "") -> list[Ranked]:
        """The ranking as it is shown: no more than fits, the own line always."""
        rows, last, rank = [], None, 0
        for number, (name, score) in enumerate(self.ranking(), 1):
            if score != last:  # Equal scores share a rank
                last, rank = score, number
            if number <= MAX_RANKED or name == own:
                rows.append(Ranked(rank, name, score))
        return rows

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
        """A new student; a wrong code or an unsuitable name is refused."""
        self._check_code(code)
        plain = check_new_name(name, [student.name for student in self.present()])
        if len(self.present()) >= MAX_STUDENTS:
            raise UsageError("The class is full.")
        identity = secrets.token_urlsafe(12)
        self.do({"do": "join", "id": identity, "name": plain})
        return self.students[identity]

    def rejoin(self, personal: str, code: str) -> Student:
        """The student with this personal code, in another browser or without the cookie."""
        self._check_code(code)
        wanted = "".join(personal.upper().split()).replace("-", "").encode()
        for student in self.present():
            own = self.personal_code(student.identity).replace("-", "").encode()
            if secrets.compare_digest(own, wanted):
                return student
        raise UsageError("There is no student with that personal code.")

    def _check_code(self, code: str) -> None:
        if not secrets.compare_digest(code.strip().upper().encode(), self.code.encode()):
            raise UsageError("That is not the code of this class.")

    def personal_code(self, identity: str) -> str:
        """The code by which a student returns; it follows from the teacher's key and the id."""
        made = hmac.new(self.key.encode(), identity.encode(), hashlib.sha256).digest()
        letters = "".join(CODE_LETTERS[byte % len(CODE_LETTERS)] for byte in made[:8])
        return f"{letters[:4]}-{letters[4:]}"

    def act(self, identity: str, decision: int, action: str) -> None:
        """A student's move at the own table, for the decision that was shown."""
        table = self.table_of(identity)
        student = self.students.get(identity)
        if table is None or student is None or student.kicked:
            raise UsageError("You sit at no table.")
        self._check_played()
        if table.accepts(identity, decision, action):
            self.do({"do": "act", "table": table.plan.name, "id": identity, "action": action})

    def be_ready(self, identity: str) -> None:
        """A student has seen the end of the hand; when all have, the next one is dealt."""
        table = self.table_of(identity)
        if table is None or not table.between:
            return
        self._check_played()
        ready = self.ready.setdefault(table.plan.name, set())
        ready.add(identity)
        if self.waiting_for(table):
            self._notify_seats(table)
        else:
            self.do({"do": "next", "table": table.plan.name})

    def waiting_for(self, table: ClassTable) -> list[str]:
        """The names of the students who have not asked for the next hand yet."""
        ready = self.ready.get(table.plan.name, set())
        return [
            self.name_of(identity)
            for identity in table.plan.seats
            if identity != BOT and identity not in ready and identity not in table.gone
        ]

    def set_seconds(self, seconds: int) -> None:
        """The seconds per move from now on; they are kept for a restart."""
        if seconds != self.seconds:
            self.do({"do": "clock", "seconds": seconds})

    @property
    def going(self) -> bool:
        """Whether a round is played now."""
        return bool(self.rounds) and not self.rounds[-1].over

    @property
    def paused(self) -> bool:
        """Whether the round that is played has been paused."""
        return bool(self.rounds) and self.rounds[-1].paused

    @property
    def ended(self) -> bool:
        """Whether the newest round was ended by the teacher."""
        return bool(self.rounds) and self.rounds[-1].ended

    def show(self, shown: Shown | None) -> None:
        """Show a board to the class, or no longer; students are told of it."""
        before, wanted = self.shown, shown or Shown("")
        if shown == before:
            return
        self.do({"do": "show", **vars(wanted)})
        self._publish(BOARD_TOPIC)
        if before is None or shown is None:
            self._notify_all()  # their pages have a link to it

    def seconds_left(self, table: ClassTable) -> float | None:
        """How long the clock of a table still waits; None where nothing is waited for."""
        if table.view is None or self.paused or not self.going:
            return None
        waited = time.monotonic() - self.since.get(table.plan.name, time.monotonic())
        return max(0.0, self.seconds - waited)

    def plan_round(self, game_name: str, hands: int, size: int, seed: int) -> dict[str, Any]:
        """All students at tables of `size`, shuffled by the seed, bots in empty seats."""
        import numpy as np

        present = [student.identity for student in self.present()]
        if not present:
            raise UsageError("Nobody has joined yet.")
        if not 1 <= hands <= MAX_HANDS:
            raise UsageError(f"A round has 1 to {MAX_HANDS} hands, not {hands}.")
        parameters = {"players": str(size)} if game_name in SIZED_GAMES else {}
        seats = make_game(game_name, dict(parameters)).num_players
        order = [present[i] for i in np.random.default_rng(seed).permutation(len(present))]
        number = len(self.rounds) + 1
        tables: list[dict[str, Any]] = []
        for i in range(0, len(order), seats):
            group = order[i : i + seats]
            group += [BOT] * (seats - len(group))
            # At tables with one seat all students get the same cards.
            dealt = seed if seats == 1 else seed + i + 1
            name = f"{number}-{len(tables) + 1}"
            tables.append(TablePlan(name, game_name, parameters, group, hands, dealt).__dict__)
        return {"do": "round", "tables": tables}

    def tick(self) -> None:
        """The clock: moves for students who do not answer, and deals where none asks for it.

        Then those are told who follow the class and not a table.
        """
        now = time.monotonic()
        for table in list(self.tables) if self.going and not self.paused else ():
            waited = now - self.since.get(table.plan.name, now)
            name = table.plan.name
            if table.between and waited > min(BETWEEN_SECONDS, self.seconds):
                self.do({"do": "next", "table": name})
            elif table.view is not None and waited > self.seconds:
                move = {"id": table.waiting_for, "action": table.passive(), "clock": True}
                self.do({"do": "act", "table": name, **move})
        self._tell(now)

    def _tell(self, now: float) -> None:
        """Publish that something has happened, to the teacher each time and to all at intervals."""
        if self._told != self.version:
            self._told = self.version
            self._publish(CLASS_TOPIC)
        if self._told_all != self.version and now - self._told_all_at >= RANKING_SECONDS:
            self._told_all, self._told_all_at = self.version, now
            self._publish(RANKING_TOPIC)
