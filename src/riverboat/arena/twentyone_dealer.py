"""The dealer program: gather players, fill tables in the order of joining, play, report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from riverboat.arena.twentyone_host import Host, HostOptions, TableRun
from riverboat.arena.twentyone_log import LogWriter
from riverboat.arena.twentyone_table import MAX_SEATS, Seat, shuffled_decks
from riverboat.errors import ParameterError

__all__ = ["Dealer", "DealerOptions", "SeatResult"]


@dataclass(frozen=True)
class DealerOptions:
    """What is played; how peers are treated stands in HostOptions."""

    players: int
    games: int
    seed: int
    tables: int = 1
    log: str | Path | None = None
    host: HostOptions = field(default_factory=HostOptions)

    def __post_init__(self) -> None:
        if not 1 <= self.players <= MAX_SEATS:
            raise ParameterError(f"A table seats 1 to {MAX_SEATS} players, not {self.players}.")
        if self.games < 1:
            raise ParameterError(f"--games must be at least 1, not {self.games}.")
        if self.tables < 1:
            raise ParameterError(f"--tables must be at least 1, not {self.tables}.")
        if self.seed < 0:
            raise ParameterError(f"--seed must not be negative, not {self.seed}.")


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


class Dealer:
    """Runs `tables` tables of `players` players each, then stops."""

    def __init__(self, options: DealerOptions) -> None:
        self.options = options
        self.tables: list[TableRun] = []
        self._open = True
        self._log = LogWriter(options.log, options.seed) if options.log is not None else None
        self.host = Host(options.host, self._log.write if self._log else None)
        if self._log is not None:
            self.host.on_idle = self._log.flush

    def listen(self) -> int:
        """Open the door; the port."""
        return self.host.listen()

    @property
    def finished(self) -> bool:
        """Whether all tables are played and all peers have gone."""
        everything = len(self.tables) == self.options.tables and not self.host.runs
        return everything and self.host.quiet

    @property
    def rounds(self) -> int:
        """Rounds begun at all tables."""
        return sum(run.table.round for run in self.tables)

    def poll(self, timeout: float = 1.0) -> None:
        """Do what there is to do, waiting at most `timeout` seconds for it."""
        self.host.poll(timeout)
        options, waiting = self.options, self.host.lobby
        while len(waiting) >= options.players and len(self.tables) < options.tables:
            number = len(self.tables)
            decks = shuffled_decks(options.seed, number)
            run = self.host.seat(number, waiting[: options.players], options.games, decks)
            self.tables.append(run)
            if len(self.tables) == options.tables:
                self.host.close_door()
                for late in list(waiting):
                    self.host.dismiss(late)

    def run(self, progress: Callable[[Dealer], None] | None = None) -> list[SeatResult]:
        """Play to the end; `progress` is called between polls."""
        with self:
            while not self.finished:
                self.poll(0.2)
                if progress is not None:
                    progress(self)
            self.close()
        return self.results()

    def results(self) -> list[SeatResult]:
        """The score of every seat so far."""
        return [
            SeatResult.of(run.number, number, seat)
            for run in self.tables
            for number, seat in enumerate(run.table.seats)
        ]

    def close(self, reason: str = "all games played") -> None:
        """Let everybody go and finish the log; the second time nothing happens."""
        if self._open:
            self._open = False
            self.host.close()
            if self._log is not None:
                self._log.close(reason)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *stopped: object) -> None:
        self.close("stopped")
