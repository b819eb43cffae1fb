"""A host of tables with its log, and the dealer program that runs on it.

The dealer gathers players, fills tables in the order of joining, plays and reports. A tournament
(tournament_hosting.py) is another program on the same server.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from riverboat.errors import ParameterError
from riverboat.runtime.stopping import stop_on_signals
from riverboat.twentyone.events import Listener
from riverboat.twentyone.log import PLAYED, LogWriter
from riverboat.twentyone.table import MAX_SEATS, Seat, shuffled_decks
from riverboat.twentyone.wire._host import Host, TableRun
from riverboat.twentyone.wire.line import HostOptions


@dataclass(frozen=True)
class LogOptions:
    """Where a log goes."""

    path: str | Path
    force: bool = False  # Whether a log that is there already may be replaced


class Server:
    """A host with its log: opens the port, logs every event, and closes in good order."""

    def __init__(
        self,
        options: HostOptions,
        log: LogOptions | None,
        seed: int,
        listen: Listener | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        """`listen` is called with every event, `warn` with what the user should know."""
        self._open = True
        self._log = None
        listeners = [] if listen is None else [listen]
        if log is not None:
            self._log = LogWriter(log.path, seed, force=log.force, warn=warn)
            listeners.append(self._log.write)
        self.host = Host(options, *listeners)
        self.host.on_warning = warn
        if self._log is not None:
            self.host.on_idle = self._log.flush

    def listen(self) -> int:
        """Open the port and return its number."""
        return self.host.listen()

    def close(self, reason: str = PLAYED) -> None:
        """Close all connections and finish the log; the second time nothing happens."""
        if self._open:
            self._open = False
            try:
                self.host.close()
            finally:
                if self._log is not None:
                    self._log.close(reason)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *stopped: object) -> None:
        self.close("stopped")


@dataclass(frozen=True)
class DealerOptions:
    """What is played; how peers are treated stands in HostOptions."""

    players: int
    games: int
    seed: int
    tables: int = 1
    log: LogOptions | None = None
    host: HostOptions = field(default_factory=HostOptions)

    def __post_init__(self) -> None:
        if not 1 <= self.players <= MAX_SEATS:
            raise ParameterError(f"A table seats 1 to {MAX_SEATS} players, not {self.players}.")
        if self.games < 1:
            raise ParameterError(f"The number of games must be at least 1, not {self.games}.")
        if self.tables < 1:
            raise ParameterError(f"The number of tables must be at least 1, not {self.tables}.")
        if self.seed < 0:
            raise ParameterError(f"A seed must not be negative, not {self.seed}.")


@dataclass(frozen=True)
class SeatResult:
    """The final score of one seat."""

    table: int
    seat: int
    name: str
    games: int
    wins: int
    pushes: int
    losses: int
    busts: int
    forfeits: int
    score: int
    folded: str

    @classmethod
    def of(cls, table: int, number: int, seat: Seat) -> SeatResult:
        return cls(
            table, number, seat.name, seat.rounds, **seat.tally(), score=seat.score, folded=seat.out
        )

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Dealer(Server):
    """Runs `tables` tables of `players` players each, then stops."""

    def __init__(self, options: DealerOptions, warn: Callable[[str], None] | None = None) -> None:
        super().__init__(options.host, options.log, options.seed, warn=warn)
        self.options = options
        self.started = 0
        """Tables filled so far."""
        self._finished: dict[int, tuple[int, list[SeatResult]]] = {}
        """Of each table that was played its rounds and its seats; the rest of it is let go."""
        self.host.on_finished = self._keep

    def _keep(self, run: TableRun) -> None:
        self._finished[run.number] = (run.table.round, _results(run))

    @property
    def finished(self) -> bool:
        """Whether all tables are played and all peers have gone."""
        everything = self.started == self.options.tables and not self.host.runs
        return everything and self.host.quiet

    @property
    def rounds(self) -> int:
        """Rounds begun at all tables."""
        done = sum(rounds for rounds, _ in self._finished.values())
        return done + sum(run.table.round for run in self.host.runs)

    def poll(self, timeout: float = 1.0) -> None:
        """Do what there is to do, waiting at most `timeout` seconds for it."""
        self.host.poll(timeout)
        options, waiting = self.options, self.host.lobby
        while len(waiting) >= options.players and self.started < options.tables:
            number = self.started
            self.started += 1
            decks = shuffled_decks(options.seed, number)
            self.host.seat(number, waiting[: options.players], options.games, decks)
            if self.started == options.tables:
                self.host.stop_listening()
                for late in list(waiting):
                    self.host.dismiss(late)

    def run(self, progress: Callable[[Dealer], None] | None = None) -> list[SeatResult]:
        """Play to the end; `progress` is called between polls.

        A signal interrupts between two polls, where no message is half dealt with.
        """
        with stop_on_signals() as stop, self:
            while not self.finished:
                stop.check()
                self.poll(0.2)
                if progress is not None:
                    progress(self)
            self.close()
        return self.results()

    def results(self) -> list[SeatResult]:
        """The score of every seat so far."""
        seats = {number: results for number, (_, results) in self._finished.items()}
        seats |= {run.number: _results(run) for run in self.host.runs}
        return [seat for number in sorted(seats) for seat in seats[number]]


def _results(run: TableRun) -> list[SeatResult]:
    return [SeatResult.of(run.number, number, seat) for number, seat in enumerate(run.table.seats)]
