"""Runs a tournament of twenty-one: remote programs over TCP and local players at the same tables.

Remote programs join once and stay connected from table to table: to them a tournament is one long
match, with QUIT when they are out or when it is over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from riverboat.errors import UsageError
from riverboat.twentyone.table import shuffled_decks
from riverboat.twentyone.tournament.rounds import (
    Comparison,
    StageTable,
    TournamentFormat,
    TournamentResult,
    bye,
    draw,
    rank,
    verdict,
)
from riverboat.twentyone.wire.host import Bot, HostOptions, TableRun
from riverboat.twentyone.wire.house import House
from riverboat.twentyone.wire.line import Line, Stage

__all__ = ["TournamentHost", "TournamentOptions"]


@dataclass(frozen=True)
class TournamentOptions:
    """Who plays, and how."""

    name: str
    seed: int
    format: TournamentFormat = field(default_factory=TournamentFormat)
    bots: Sequence[Bot] = ()
    remote: int = 0
    wait: float = 0.0
    """Seconds to wait for remote entrants before starting without the missing; 0 waits for all."""
    log: str | Path | None = None
    host: HostOptions = field(default_factory=HostOptions)


class TournamentHost(House):
    """`gather`, then `run`; `progress` is called several times a second throughout."""

    def __init__(
        self,
        options: TournamentOptions,
        progress: Callable[[TournamentHost], None] | None = None,
    ) -> None:
        options.format.stages(len(options.bots) + options.remote)
        super().__init__(options.host, options.log, options.seed, self._record)
        self.options = options
        self.stage = 0
        self.playing: list[TableRun] = []
        """The tables of the stage in play."""
        self.done: list[StageTable] = []
        self._progress = progress
        self._comparisons: dict[int, Comparison] = {}
        self._players: dict[str, Line | Bot] = {}
        for bot in options.bots:
            bot.name = self.host.reserve(bot.name)
            self._players[bot.name] = bot
        self._withdrawn: list[str] = []
        self._rng = np.random.default_rng([options.seed, 1 << 32])
        self._tables = 0

    @property
    def missing(self) -> int:
        """Remote entrants still to come."""
        return max(0, self.options.remote - len(self.host.lobby))

    def gather(self) -> None:
        """Wait for the remote entrants."""
        end = time.monotonic() + self.options.wait
        while self.missing and (not self.options.wait or time.monotonic() < end):
            self._poll()
        self.host.close_door()
        for late in self.host.lobby[self.options.remote :]:
            self.host.dismiss(late)
        self._players |= {line.name: line for line in self.host.lobby}
        if len(self._players) < 2:
            raise UsageError("Fewer than two entrants came; a tournament needs at least two.")

    def run(self) -> TournamentResult:
        """Play every stage; whoever is out is sent home at once."""
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        names, final = list(self._players), False
        with self:
            while not final:
                self.stage += 1
                names = self._present(names)
                if not names:
                    raise UsageError("No entrant is left; the tournament is over.")
                sizes = self.options.format.table_sizes(len(names))
                final = len(sizes) == 1
                outcomes = self._play(draw(names, sizes, self._rng), final=final)
                self.done += outcomes
                names = [p.name for table in outcomes for p in table.placings if p.advanced]
                self._send_home(set(self._players) if final else set(self._players) - set(names))
            while not self.host.quiet:
                self._poll()
            self.close()
        options = self.options
        return TournamentResult(
            options.name, options.seed, started, options.format, self.done, self._withdrawn
        )

    def _poll(self) -> None:
        self.host.poll(0.1)
        if self._progress is not None:
            self._progress(self)

    def _present(self, names: Sequence[str]) -> list[str]:
        """Without those who left since the last stage."""
        here = []
        for name in names:
            player = self._players[name]
            if isinstance(player, Line) and player.stage is not Stage.LOBBY:
                if name not in self._withdrawn:
                    self._withdrawn.append(name)
            else:
                here.append(name)
        return here

    def _play(self, seating: list[list[str]], *, final: bool) -> list[StageTable]:
        options = self.options
        self.playing = []
        byes = []
        for names in seating:
            number = self._tables
            self._tables += 1
            if len(names) == 1:
                byes.append(bye(self.stage, number + 1, names[0], final=final))
                continue
            self._comparisons[number] = Comparison(len(names))
            run = self.host.seat(
                number,
                [self._players[name] for name in names],
                options.format.rounds,
                shuffled_decks(options.seed, number),
                quit_at_end=False,
            )
            self.playing.append(run)
        while any(not run.table.finished for run in self.playing):
            self._poll()
        return [*(self._outcome(run, final=final) for run in self.playing), *byes]

    def _outcome(self, run: TableRun, *, final: bool) -> StageTable:
        seats, comparison = run.table.seats, self._comparisons.pop(run.number)
        advance = 1 if final else self.options.format.advance
        placings = rank(seats, self.options.format.rank_by, advance, self._rng)
        said = verdict(placings, seats, comparison)
        equal = comparison.all_equal([seat.wins for seat in seats])
        return StageTable(self.stage, run.number + 1, placings, equal, said)

    def _send_home(self, names: set[str]) -> None:
        for name in names:
            player = self._players[name]
            if isinstance(player, Line):
                self.host.dismiss(player)

    def _record(self, event: dict[str, Any]) -> None:
        if event["event"] == "round":
            self._comparisons[event["table"]].add(event["results"])
        if self._log is not None:
            self._log.write(event)
