"""A table for people in their own browsers, without a class: seats are taken by a link.

The person who opens the table gets a link for each open seat. Sitting down replaces the link by a
new secret, so that a link that others have seen shows no cards. Every event is in a journal before
anyone is answered; after a restart the table is played again from it, card for card.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from riverboat.arena.class_table import BOT, ENDLESS, ClassTable, TablePlan
from riverboat.errors import RiverboatError, UsageError
from riverboat.web.app.library import Library
from riverboat.web.journal import Journal, drop_oldest, private_folder
from riverboat.web.play.names import check_new_name
from riverboat.web.play.session import Kept, seated

MAX_TABLES = 200
_NAME = re.compile(r"[A-Za-z0-9_-]{8,32}")


Publish = Callable[[str], None]


def topic_of(name: str) -> str:
    """The topic that is published when something happens at a table."""
    return f"table:{name}"


@dataclass
class Chair:
    """A place at the table."""

    secret: str = ""
    """The end of its link: the invitation until a person sits down, then that person's own."""
    name: str = ""
    bot: bool = False

    @property
    def free(self) -> bool:
        return not self.bot and not self.name


class PeopleTable:
    """One table and its journal. Made in a worker thread: bots and coach may have to be solved."""

    def __init__(
        self,
        journal: Journal,
        kept: Kept,
        invitations: list[str],
        library: Library,
        publish: Publish,
    ) -> None:
        """`invitations` has a secret for each person's place and "" for a bot's."""
        self.journal, self.name = journal, journal.path.stem
        self.kept = kept
        self.game, self.bot, self.coach = seated(kept, library)
        if len(invitations) != self.game.num_players:
            raise UsageError(f"This table has {self.game.num_players} seats.")
        self.chairs = [Chair(secret, bot=not secret) for secret in invitations]
        self.table: ClassTable | None = None
        self.ready: set[int] = set()
        self._publish = publish

    def do(self, event: dict[str, Any]) -> None:
        """Refuse the event, or write it to the journal and notify the pages."""
        self._happen(event)
        self.journal.append(event)
        self._notify()

    def _happen(self, event: dict[str, Any]) -> None:
        kind = event["do"]
        if kind == "next":
            assert self.table is not None
            self.table.next_hand()
            self.ready.clear()
            return
        place = int(event["place"])
        chair = self.chairs[place]
        if kind == "sit":
            chair.name, chair.secret = str(event["name"]), str(event["secret"])
            self._begin_when_full()
        elif kind == "bot":
            chair.bot, chair.secret = True, ""
            if self.table is not None:
                self.table.replace(_identity(place))
            self._begin_when_full()
        elif kind == "act":
            assert self.table is not None
            self.table.act(_identity(place), str(event["action"]))
            self.ready.clear()

    def _begin_when_full(self) -> None:
        if self.table is not None or any(chair.free for chair in self.chairs):
            return
        seats = [BOT if chair.bot else _identity(i) for i, chair in enumerate(self.chairs)]
        parameters, seed = self.kept.parameters, self.kept.seed
        plan = TablePlan(self.name, self.kept.game, parameters, seats, ENDLESS, seed)
        self.table = ClassTable(plan, self.game, self.bot, self.coach, self.names())

    # What pages ask for.

    def place_of(self, secret: str) -> int | None:
        """The place that a link leads to."""
        if not secret:
            return None
        known = [secrets.compare_digest(c.secret.encode(), secret.encode()) for c in self.chairs]
        return known.index(True) if True in known else None

    @property
    def host(self) -> int:
        """Who set the table up: the first place that is for a person."""
        return next((i for i, chair in enumerate(self.chairs) if not chair.bot), 0)

    def names(self) -> list[str]:
        """Names by place."""
        return [
            (f"{chair.name} (bot)" if chair.name else "bot") if chair.bot else chair.name or "…"
            for chair in self.chairs
        ]

    def sit(self, invitation: str, name: str) -> str:
        """Take the seat of a link; the secret of the own place from now on."""
        place = self.place_of(invitation)
        if place is None or not self.chairs[place].free:
            raise UsageError("This seat is taken.")
        plain = check_new_name(name, [chair.name for chair in self.chairs if chair.name])
        secret = secrets.token_urlsafe(18)
        self.do({"do": "sit", "place": place, "name": plain, "secret": secret})
        return secret

    def act(self, place: int, decision: int, action: str) -> None:
        """The move of a place for the decision it was shown; an old click does nothing."""
        if self.table is not None and self.table.accepts(_identity(place), decision, action):
            self.do({"do": "act", "place": place, "action": action})

    def be_ready(self, place: int) -> None:
        """A person has seen the end of the hand; when all have, the next one is dealt."""
        if self.table is None or not self.table.between:
            return
        self.ready.add(place)
        if self.waiting_for():
            self._notify()
        else:
            self.do({"do": "next"})

    def waiting_for(self) -> list[str]:
        """The names of the people who have not asked for the next hand yet."""
        return [
            chair.name
            for i, chair in enumerate(self.chairs)
            if not chair.bot and i not in self.ready
        ]

    def give_to_bot(self, place: int) -> None:
        """A bot takes a place, free or not, and plays on."""
        if 0 <= place < len(self.chairs) and not self.chairs[place].bot:
            self.do({"do": "bot", "place": place})
            waiting = self.waiting_for()
            if self.table is not None and self.table.between and waiting == []:
                self.do({"do": "next"})

    def _notify(self) -> None:
        self._publish(topic_of(self.name))


def _identity(place: int) -> str:
    return f"place {place}"


class PeopleTables:
    """All tables of a server; those of before are read back from their folder."""

    def __init__(
        self, folder: Path, library: Library, publish: Publish = lambda topic: None
    ) -> None:
        """`publish` reports the topics of tables at which something happened."""
        self.folder, self.library, self.publish = folder, library, publish
        self.known: dict[str, PeopleTable] = {}
        self._lock = threading.Lock()

    def open(self, kept: Kept, people: int) -> PeopleTable:
        """A new table with `people` seats for people and bots in the others."""
        game, _, _ = seated(kept, self.library)
        if not 2 <= people <= game.num_players:
            raise UsageError(f"At this table 2 to {game.num_players} people can sit, not {people}.")
        secret = [secrets.token_urlsafe(18) for _ in range(people)]
        invitations = secret + [""] * (game.num_players - people)
        journal = Journal(private_folder(self.folder) / f"{kept.name}.jsonl")
        made = PeopleTable(journal, kept, invitations, self.library, self.publish)
        journal.append({"kept": asdict(kept), "invitations": invitations})
        self.known[kept.name] = made
        return made

    def find(self, name: str) -> PeopleTable | None:
        """A table by its name; None where there is none, or its journal cannot be read."""
        with self._lock:
            if name in self.known:
                return self.known[name]
            path = self.folder / f"{name}.jsonl"
            if not _NAME.fullmatch(name) or not path.is_file():
                return None
            try:
                made = _read(path, self.library, self.publish)
            except (OSError, ValueError, KeyError, TypeError, StopIteration, RiverboatError):
                return None
            self.known[name] = made
            return made

    def tidy(self) -> None:
        """Forget the oldest beyond MAX_TABLES, and what is older than a month."""
        drop_oldest(self.folder, "*.jsonl", MAX_TABLES)


def _read(path: Path, library: Library, publish: Publish) -> PeopleTable:
    """A table from its journal."""
    journal = Journal(path)
    first = next(journal.events())
    invitations = list(first["invitations"])
    made = PeopleTable(journal, Kept(**first["kept"]), invitations, library, publish)

    def happen(event: dict[str, Any]) -> None:
        if "do" in event:
            made._happen(event)

    journal.replay(happen)
    return made
