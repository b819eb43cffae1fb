"""A table for people in their own browsers, without a class: seats are taken by a link.

Who sets the table up gets a link for each open seat. Whoever opens it and sits down gets a new
secret, so that the link, which others have seen, shows nobody's cards. Everything is written
down, one line of JSON per event, before anybody is answered; after a restart the table is played
again from it, card for card.
"""

from __future__ import annotations

import json
import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from riverboat.errors import RiverboatError, UsageError
from riverboat.web.app.library import Library
from riverboat.web.classroom.room import plain_name
from riverboat.web.play.session import Kept, seated
from riverboat.web.play.table import BOT, ENDLESS, ClassTable, TablePlan

__all__ = ["Chair", "PeopleTable", "PeopleTables"]

MOST_TABLES = 200
_NAME = re.compile(r"[A-Za-z0-9_-]{8,32}")


@dataclass
class Chair:
    """A place at the table."""

    secret: str = ""
    """The end of its link: the invitation until somebody sits, then that person's own."""
    name: str = ""
    bot: bool = False

    @property
    def free(self) -> bool:
        return not self.bot and not self.name


class PeopleTable:
    """One table and its journal. Made in a worker: bots and the coach may have to be solved."""

    def __init__(self, path: Path, kept: Kept, invitations: list[str], library: Library) -> None:
        """`invitations` has a secret for each place that is for a person, "" for a bot's."""
        self.path, self.name = path, path.stem
        self.kept = kept
        self.game, self.bot, self.coach = seated(kept, library)
        if len(invitations) != self.game.num_players:
            raise UsageError(f"This table has {self.game.num_players} seats.")
        self.chairs = [Chair(secret, bot=not secret) for secret in invitations]
        self.table: ClassTable | None = None
        self.ready: set[int] = set()
        self.version = 0
        self._listeners: dict[int, Callable[[], None]] = {}
        self._listener = 0

    # What happens: checked, done, written down, told.

    def do(self, event: dict[str, Any]) -> None:
        self._happen(event)
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(event) + "\n")
        self._tell()

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
        self.table = ClassTable(plan, self.game, self.bot, self.coach)

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
        plain = plain_name(name)
        if any(chair.name.casefold() == plain.casefold() for chair in self.chairs):
            raise UsageError(f"There is a {plain} at the table already; take another name.")
        secret = secrets.token_urlsafe(18)
        self.do({"do": "sit", "place": place, "name": plain, "secret": secret})
        return secret

    def act(self, place: int, decision: int, action: str) -> None:
        """The act of a place for the decision it was shown; an old click does nothing."""
        table = self.table
        if table is None or decision != table.decisions:
            return
        if table.view is None or table.waiting_for != _identity(place):
            raise UsageError("It is not your turn.")
        if action not in table.view.actions:
            raise UsageError("That is not possible here.")
        self.do({"do": "act", "place": place, "action": action})

    def be_ready(self, place: int) -> None:
        """Somebody has seen the end of the hand; when all people have, the next one is dealt."""
        if self.table is None or not self.table.between:
            return
        self.ready.add(place)
        if self.waiting_for():
            self._tell()
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

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when something happens; what comes back ends it."""
        self._listener += 1
        number = self._listener
        self._listeners[number] = listener

        def end() -> None:
            self._listeners.pop(number, None)

        return end

    def _tell(self) -> None:
        self.version += 1
        for listener in list(self._listeners.values()):
            listener()


def _identity(place: int) -> str:
    return f"place {place}"


class PeopleTables:
    """All tables of a server; those of before are read back from their folder."""

    def __init__(self, folder: Path, library: Library) -> None:
        self.folder, self.library = folder, library
        self.known: dict[str, PeopleTable] = {}
        self._lock = threading.Lock()

    def open(self, kept: Kept, people: int) -> PeopleTable:
        """A new table with `people` seats for people and bots in the others."""
        game, _, _ = seated(kept, self.library)
        if not 2 <= people <= game.num_players:
            raise UsageError(f"At this table 2 to {game.num_players} people can sit, not {people}.")
        secret = [secrets.token_urlsafe(18) for _ in range(people)]
        invitations = secret + [""] * (game.num_players - people)
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{kept.name}.jsonl"
        made = PeopleTable(path, kept, invitations, self.library)
        first = {"kept": asdict(kept), "invitations": invitations}
        path.write_text(json.dumps(first) + "\n", encoding="utf-8")
        path.chmod(0o600)
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
                made = _read(path, self.library)
            except (OSError, ValueError, KeyError, TypeError, AttributeError, RiverboatError):
                return None
            self.known[name] = made
            return made

    def tidy(self) -> None:
        """Forget the oldest beyond MOST_TABLES, and what is older than a month."""
        if not self.folder.is_dir():
            return
        files = sorted(self.folder.glob("*.jsonl"), key=lambda path: -path.stat().st_mtime)
        month = time.time() - 31 * 86_400
        for i, path in enumerate(files):
            if i >= MOST_TABLES or path.stat().st_mtime < month:
                path.unlink(missing_ok=True)


def _read(path: Path, library: Library) -> PeopleTable:
    """A table from its journal; a line cut short by a crash is left out."""
    raw = path.read_bytes()
    whole = raw[: raw.rfind(b"\n") + 1]
    if whole != raw:
        path.write_bytes(whole)
    first, *events = whole.decode("utf-8", "replace").splitlines()
    front = json.loads(first)
    made = PeopleTable(path, Kept(**front["kept"]), list(front["invitations"]), library)
    for line in events:
        try:
            made._happen(json.loads(line))
        except (ValueError, KeyError, TypeError, IndexError, AssertionError, RiverboatError):
            continue
    return made
