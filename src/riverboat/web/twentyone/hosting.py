"""Tournaments of twenty-one in the background: played in a thread, kept in the store.

What is being played is marked in a small file, so that a server that was killed goes on with it
from its store when it is started again. A tournament that was stopped by hand is not gone on with.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from riverboat.errors import RiverboatError, UsageError
from riverboat.runtime.storage import atomic_write
from riverboat.twentyone.learning.players import seat_named, stream_of_seat
from riverboat.twentyone.wire.server import LogOptions
from riverboat.twentyone.wire.tournament_archive import TournamentStore
from riverboat.twentyone.wire.tournament_hosting import TournamentHost, TournamentOptions
from riverboat.twentyone.wire.tournament_rounds import Plan, TournamentFormat

LOGGED_ROUNDS = 500  # Longer tournaments are not logged hand by hand
NEWS_SECONDS = 0.3  # How often pages hear of the standings
TOPIC = "tournament"
"""What is published when the standings change."""
NAME = "from the browser"
STORE = "tournaments.sqlite"


@dataclass(frozen=True)
class Ranked:
    """One entrant in the live ranking."""

    name: str
    stage: int  # The stage that it plays in or has come to
    wins: int
    score: int
    out: bool


class Hosting:
    """One tournament in a thread; what it says is read by pages."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        texts: Sequence[tuple[str, str]],
        tell: Callable[[str], None] = lambda topic: None,
    ) -> None:
        """`tell` is called with TOPIC when there is something new."""
        self.folder, self.plan, self.texts, self._tell = folder, plan, list(texts), tell
        if not plan.entrants:
            plan.format.stages(len(self.texts))
        self.stopping = self.leaving = False
        self.standings: list[tuple[str, list[tuple[str, int, int]]]] = []
        """Of each table: title, and name, wins and score of each seat."""
        self.ranking: list[Ranked] = []
        self.number: int | None = None
        self.state = "playing"
        self._told_at = 0.0
        self.thread = threading.Thread(target=self._work, daemon=True)

    def start(self, number: int | None = None) -> None:
        self.number = number
        self.thread.start()

    def _work(self) -> None:
        try:
            self._play()
            self.state = "over"
        except KeyboardInterrupt:
            self.state = "stopped"
        except RiverboatError as error:
            self.state = str(error)
        if not self.leaving:
            mark_of(self.folder).unlink(missing_ok=True)
        self._tell(TOPIC)

    def _play(self) -> None:
        local = []
        for i, (name, spec) in enumerate(self.texts):
            local.append(seat_named(spec, stream_of_seat(self.plan.seed, i), name))
            local[-1].warm_up()
        store = TournamentStore(self.folder / STORE)
        log = None
        if self.plan.format.rounds <= LOGGED_ROUNDS:
            log = LogOptions(_log(self.folder, self.plan.seed, self.number is not None), force=True)

        def keep(changed: Plan) -> None:
            self.number = store.keep(changed, self.number)
            atomic_write(mark_of(self.folder), json.dumps({"number": self.number}))

        options = TournamentOptions(plan=self.plan, local=local, log=log)
        with TournamentHost(options, self._receive, keep=keep) as host:
            host.gather()
            result = host.run()
            self.ranking = _ranked(host)
        self.number = store.add(result, self.number)

    def _receive(self, host: TournamentHost) -> None:
        if self.stopping:
            raise KeyboardInterrupt
        self.standings = [
            (
                f"Stage {host.stage}, table {each.number + 1}: round {each.table.round:,}",
                sorted(
                    ((seat.name, seat.wins, seat.score) for seat in each.table.seats),
                    key=lambda row: -row[1],
                ),
            )
            for each in host.playing
        ]
        self.ranking = _ranked(host)
        if time.monotonic() - self._told_at > NEWS_SECONDS:
            self._told_at = time.monotonic()
            self._tell(TOPIC)


def _ranked(host: TournamentHost) -> list[Ranked]:
    """All entrants in order: the later the stage and the more wins in it, the higher."""
    found: dict[str, Ranked] = {}
    for table in host.plan.done:
        for placing in table.placings:
            found[placing.name] = Ranked(
                placing.name, table.stage, placing.wins, placing.score, not placing.advanced
            )
    for each in host.playing:
        for seat in each.table.seats:
            known = found.get(seat.name)
            if known is None or (known.stage < host.stage and not known.out):
                found[seat.name] = Ranked(seat.name, host.stage, seat.wins, seat.score, False)
    return sorted(found.values(), key=lambda one: (-one.stage, one.out, -one.wins, -one.score))


class Hostings:
    """The tournaments of this server, the newest last."""

    def __init__(self, folder: Path, tell: Callable[[str], None] = lambda topic: None) -> None:
        self.folder, self._tell = folder, tell
        self.all: list[Hosting] = []

    @property
    def newest(self) -> Hosting | None:
        return self.all[-1] if self.all else None

    def files(self) -> tuple[str, ...]:
        """The names of files in which a tournament is being kept now."""
        return (STORE,) if any(each.thread.is_alive() for each in self.all) else ()

    @property
    def playing(self) -> Hosting | None:
        """The one that is being played."""
        newest = self.newest
        return newest if newest is not None and newest.state == "playing" else None

    def host(self, texts: Sequence[tuple[str, str]], rounds: int, seed: int) -> None:
        """Begin a new one; entrants and rounds that cannot be are refused."""
        if self.playing is not None:
            raise UsageError("A tournament is being played; stop it first.")
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        plan = Plan(NAME, seed, started, TournamentFormat(rounds=rounds))
        hosting = Hosting(self.folder, plan, texts, self._tell)
        self.all.append(hosting)
        hosting.start()

    def go_on(self) -> None:
        """Go on with what the server was killed in."""
        try:
            number = int(json.loads(mark_of(self.folder).read_text())["number"])
            kept, plan = TournamentStore(self.folder / STORE).plan(number)
            texts = [(entrant.name, entrant.spec) for entrant in plan.entrants if entrant.spec]
            hosting = Hosting(self.folder, plan, texts, self._tell)
        except (OSError, ValueError, KeyError, TypeError, RiverboatError):
            return
        self.all.append(hosting)
        hosting.start(kept)

    def end(self) -> None:
        """The server ends in good order: the tournament waits to be gone on with."""
        for each in self.all:
            each.stopping = each.leaving = True


def mark_of(folder: Path) -> Path:
    """The file that is there while a tournament is played."""
    place = folder / ".web"
    place.mkdir(parents=True, exist_ok=True)
    return place / "hosting.json"


def _log(folder: Path, seed: int, resumed: bool) -> Path:
    """The file of a log; one that is gone on with begins another file."""
    place = folder / ".web" / "logs"
    place.mkdir(parents=True, exist_ok=True)
    number = len(list(place.glob(f"{seed}*.jsonl"))) if resumed else 0
    return place / (f"{seed}-{number}.jsonl" if number else f"{seed}.jsonl")


def logs_of(folder: Path, seed: int) -> list[Path]:
    """The logs of a tournament, in the order in which they were written."""
    found = (folder / ".web" / "logs").glob(f"{seed}*.jsonl")
    return sorted(found, key=lambda path: (len(path.name), path.name))
