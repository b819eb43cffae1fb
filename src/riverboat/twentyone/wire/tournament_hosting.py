"""Runs a tournament of twenty-one: remote programs over TCP and local players at the same tables.

Remote programs join once and stay connected from table to table: to them a tournament is one long
match, with QUIT when they are out or when it is over. `keep` gets the plan whenever it has
changed, after every table above all, so that a tournament can go on after a crash: tables that
were finished count, those that were not are played again with other cards. Who has joined with a
token may return as long as it is in.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from riverboat.errors import UsageError
from riverboat.runtime.stopping import current_stop, stop_on_signals
from riverboat.twentyone.events import Event, Settled
from riverboat.twentyone.learning.players import SeatedPlayer, seat_named, stream_of_seat
from riverboat.twentyone.table import shuffled_decks
from riverboat.twentyone.wire._host import TableRun
from riverboat.twentyone.wire.line import HostOptions, Line, Stage
from riverboat.twentyone.wire.server import LogOptions, Server
from riverboat.twentyone.wire.tournament_rounds import (
    Comparison,
    Entrant,
    Plan,
    Seating,
    StageTable,
    TournamentResult,
    bye,
    draw,
    rank,
    token_hash,
    verdict,
)

_LOTS = 1 << 32  # No table has this number, so that lots and cards are independent


@dataclass(frozen=True)
class TournamentOptions:
    """Who plays, and how."""

    plan: Plan  # A new one, or one to go on with
    local: Sequence[SeatedPlayer] = ()
    """In a new tournament the local entrants; otherwise those of them who are still in."""
    remote: int = 0  # Programs to wait for in a new tournament
    wait: float = 0.0
    """Seconds to wait for remote entrants before starting without the missing; 0 waits for all."""
    log: LogOptions | None = None
    host: HostOptions = field(default_factory=HostOptions)


def parse_entrant(text: str) -> tuple[str, str]:
    """Name and player of `basic` or `NAME=basic`; `mcts?ms=5` has an equals sign of its own."""
    head, equals, tail = text.partition("=")
    named = bool(equals) and "?" not in head and ":" not in head
    return (head, tail) if named else (text, text)


def local_players(entrants: Sequence[tuple[str, str]], seed: int) -> list[SeatedPlayer]:
    """Local players, ready to play, from names and what the roster calls them."""
    players = []
    for number, (name, spec) in enumerate(entrants):
        players.append(seat_named(spec, stream_of_seat(seed, number), name))
        players[-1].warm_up()
    return players


class TournamentHost(Server):
    """`gather`, then `run`; `progress` is called several times a second throughout."""

    def __init__(
        self,
        options: TournamentOptions,
        progress: Callable[[TournamentHost], None] | None = None,
        *,
        keep: Callable[[Plan], None] | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self.plan = options.plan
        self.resumed = bool(self.plan.entrants)
        if not self.resumed:
            self.plan.format.stages(len(options.local) + options.remote)
        super().__init__(options.host, options.log, self.plan.seed, self._receive, warn)
        self.options = options
        self.stage = self.plan.seating.stage if self.plan.seating else 0
        self.playing: list[TableRun] = []
        """The tables of the stage in play."""
        self._progress, self._keep_plan = progress, keep
        self._comparisons: dict[int, Comparison] = {}
        self._players: dict[str, Line | SeatedPlayer] = {}
        for player in options.local:
            player.name = self.host.reserve(player.name)
            self._players[player.name] = player
        self._tokens = {e.name: e.token for e in self.plan.entrants if not e.spec}
        self._alive = self._still_in()
        self._gathering = True
        self.host.on_finished = self._table_over
        if self.resumed:
            self.plan.attempt += 1
            self.host.gatekeeper = self._admit

    def _still_in(self) -> set[str]:
        """Who has neither been knocked out nor withdrawn."""
        names = {e.name for e in self.plan.entrants} - set(self.plan.withdrawn)
        return names - {p.name for t in self.plan.done for p in t.placings if not p.advanced}

    @property
    def missing(self) -> int:
        """Remote entrants still to come."""
        here = {line.name for line in self.host.lobby}
        if self.resumed:
            return len(self._alive & self._tokens.keys() - here)
        return max(0, self.options.remote - len(here))

    def gather(self) -> None:
        """Wait for the remote entrants."""
        end = time.monotonic() + self.options.wait
        with stop_on_signals():
            while self.missing and (not self.options.wait or time.monotonic() < end):
                self._poll()
        if self.resumed:
            self._players |= {line.name: line for line in self.host.lobby}
        else:
            self._enter()
        self._gathering = False
        self.host.gatekeeper = self._admit
        self._save()

    def _enter(self) -> None:
        """Take down who has come, in a new tournament."""
        specs = {player.name: player.player.name for player in self.options.local}
        self.plan.entrants = [Entrant(name, spec) for name, spec in specs.items()]
        for line in self.host.lobby[: self.options.remote]:
            self._players[line.name] = line
            self.plan.entrants.append(Entrant(line.name, token=token_hash(line.token)))
        for late in self.host.lobby[self.options.remote :]:
            self.host.dismiss(late)
        if len(self._players) < 2:
            raise UsageError("Fewer than two entrants came; a tournament needs at least two.")
        self._tokens = {e.name: e.token for e in self.plan.entrants if not e.spec}
        self._alive = set(self._players)

    def _admit(self, wanted: str, token: str) -> tuple[str, str]:
        """The entrant that returns under a name, or why it cannot."""
        shown = token_hash(token)
        like = [
            name
            for name in sorted(self._alive & self._tokens.keys())
            if name == wanted or name.startswith(f"{wanted}#")
        ]
        if not like:
            return "", "the tournament has begun without this name"
        for name in like:
            here = self._players.get(name) or next(
                (line for line in self.host.lobby if line.name == name), None
            )
            gone = here is None or (isinstance(here, Line) and (here.leaving or here.closed))
            if gone and shown == self._tokens[name] and (token or self._gathering):
                return name, ""
        return "", "only an entrant who has gone can come back, with the token it had"

    def run(self) -> TournamentResult:
        """Play every stage; entrants that are out are dismissed at once.

        A signal interrupts between two polls, where no message is half dealt with.
        """
        plan = self.plan
        names, final = [entrant.name for entrant in plan.entrants], False
        with stop_on_signals(), self:
            while not final:
                seating = plan.seating if self.resumed and plan.seating else self._draw(names)
                self.resumed = False
                self.stage, final = seating.stage, seating.final
                self._play(seating)
                outcomes = sorted(
                    (t for t in plan.done if t.stage == self.stage), key=lambda t: t.table
                )
                names = [p.name for t in outcomes for p in t.placings if p.advanced]
                if not names:
                    raise UsageError("No entrant is left; the tournament is over.")
                self._alive = set(names)
                out = set(self._players) if final else set(self._players) - set(names)
                self._send_home(out)
            self.host.stop_listening()
            while not self.host.quiet:
                self._poll()
            self.close()
        return plan.result()

    def _draw(self, names: Sequence[str]) -> Seating:
        """Seat the next stage by lot."""
        present = self._present(names)
        if not present:
            raise UsageError("No entrant is left; the tournament is over.")
        sizes = self.plan.format.table_sizes(len(present))
        before = self.plan.seating
        stage = before.stage + 1 if before else 1
        first = before.first + len(before.tables) if before else 0
        tables = draw(present, sizes, np.random.default_rng([self.plan.seed, _LOTS, stage]))
        self.plan.seating = Seating(stage, len(sizes) == 1, first, tables)
        self._save()
        return self.plan.seating

    def _save(self) -> None:
        if self._keep_plan is not None:
            self._keep_plan(self.plan)

    def _poll(self) -> None:
        current_stop().check()
        self.host.poll(0.1)
        # A program that returned with its token takes its place again.
        for line in self.host.lobby:
            if line.name in self._tokens and self._players.get(line.name) is not line:
                self._players[line.name] = line
        if self._progress is not None:
            self._progress(self)

    def _present(self, names: Sequence[str]) -> list[str]:
        """Without those who are not here; they have withdrawn."""
        here = []
        for name in names:
            player = self._players.get(name)
            if player is None or (isinstance(player, Line) and player.stage is not Stage.LOBBY):
                self._alive.discard(name)
                if name not in self.plan.withdrawn:
                    self.plan.withdrawn.append(name)
            else:
                here.append(name)
        return here

    def _play(self, seating: Seating) -> None:
        """Play the tables of a stage that have not been played."""
        self.playing = []
        finished = {table.table for table in self.plan.done}
        for number, drawn in enumerate(seating.tables, start=seating.first):
            if number + 1 in finished:
                continue
            names = self._present(drawn)
            if len(names) > 1:
                self.playing.append(self._seat(number, names))
            elif names:
                self.plan.done.append(bye(self.stage, number + 1, names[0], final=seating.final))
                self._save()
        while any(not run.table.finished for run in self.playing):
            self._poll()

    def _seat(self, number: int, names: Sequence[str]) -> TableRun:
        self._comparisons[number] = Comparison(len(names))
        attempt, rounds = self.plan.attempt, self.plan.format.rounds
        players = [self._players[name] for name in names]
        decks = shuffled_decks(self.plan.seed, number, attempt)
        return self.host.seat(number, players, rounds, decks, quit_at_end=False, attempt=attempt)

    def _table_over(self, run: TableRun) -> None:
        """Rank a table as soon as it has been played, and keep what it brought."""
        seating, form = self.plan.seating, self.plan.format
        final = seating is not None and seating.final
        seats, comparison = run.table.seats, self._comparisons.pop(run.number)
        lots = np.random.default_rng([self.plan.seed, _LOTS, self.stage, run.number])
        placings = rank(seats, form.rank_by, 1 if final else form.advance, lots)
        said = verdict(placings, seats, comparison)
        equal = comparison.all_equal([seat.wins for seat in seats])
        self.plan.done.append(StageTable(self.stage, run.number + 1, placings, equal, said))
        self._alive -= {placing.name for placing in placings if not placing.advanced}
        self._save()

    def _send_home(self, names: set[str]) -> None:
        for name in names:
            player = self._players[name]
            if isinstance(player, Line):
                self.host.dismiss(player)

    def _receive(self, event: Event, table: int) -> None:
        if isinstance(event, Settled):
            self._comparisons[table].add(event.results)
