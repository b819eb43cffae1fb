"""The host of twenty-one tables: seats peers that say JOIN and drives the tables.

One thread, any number of tables. Nothing a peer does stops a table or reaches another peer: a
peer that is late, leaves, floods or answers with nonsense is folded out and the reason is reported
as an event; a word out of turn is dropped and reported as a note.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from riverboat.runtime.stopping import current_stop
from riverboat.twentyone.events import (
    Event,
    Joined,
    Left,
    Listener,
    Noted,
    Opened,
    Refused,
    TableEvent,
)
from riverboat.twentyone.learning.players import SeatedPlayer
from riverboat.twentyone.table import Table
from riverboat.twentyone.wire._switchboard import Switchboard
from riverboat.twentyone.wire.codec import QUIT, Announcer, Kind, Message, clean_name
from riverboat.twentyone.wire.line import HostOptions, Line, Stage, drawn_cards

MAX_UNASKED = 100  # Words out of turn between two decisions before a peer is folded out
MAX_NOTED = 1000
"""Words out of turn that are reported of one peer: a log must not grow at a peer's pleasure."""
MAX_AHEAD = 16
BOT_TURNS = 500  # Decisions that a table of bots takes before the host polls its sockets again


@dataclass(eq=False)
class TableRun:
    """A table with who sits at it."""

    number: int
    table: Table
    seats: list[Line | SeatedPlayer]
    announcer: Announcer


class Host:
    """Lobby and tables. `poll` does what there is to do; everything else is set-up."""

    def __init__(self, options: HostOptions, *listeners: Listener) -> None:
        """`listeners` are called with every event, in this order."""
        self.options = options
        self.on_finished: Callable[[TableRun], None] | None = None
        """Called once for each table that has been played."""
        self.gatekeeper: Callable[[str, str], tuple[str, str]] | None = None
        """Given the name and token of a JOIN, the name to let in, or "" and why not."""
        self.on_warning: Callable[[str], None] | None = None
        """Called with what the user should know."""
        self.lobby: list[Line] = []
        self.runs: list[TableRun] = []
        """The tables in play."""
        self.on_idle: Callable[[], None] | None = None
        """Called before waiting."""
        self._listeners = listeners
        self._board = Switchboard(options, self)
        self._places: dict[Line, tuple[TableRun, int]] = {}
        self._names: set[str] = set()
        self._bot_runs: list[TableRun] = []

    def listen(self) -> int:
        """Open the port and return its number."""
        return self._board.listen()

    def stop_listening(self) -> None:
        """Take no more peers and let go of those that have not said JOIN."""
        self._board.stop_listening()
        for line in [line for line in self._board.lines if line.stage is Stage.SILENT]:
            self._refuse(line, "the tables are full")

    def reserve(self, wanted: str) -> str:
        """A name like the wanted one that no other peer has."""
        wanted = clean_name(wanted)
        names = itertools.chain([wanted], (f"{wanted}#{n}" for n in itertools.count(2)))
        name = next(name for name in names if name not in self._names)
        self._names.add(name)
        return name

    def seat(
        self,
        number: int,
        players: Sequence[Line | SeatedPlayer],
        games: int,
        decks: Iterator[list[str]],
        *,
        quit_at_end: bool = True,
        attempt: int = 0,
    ) -> TableRun:
        """Start a table with peers of the lobby and players of this process, in this order."""
        names = [player.name for player in players]
        self._report(Opened(names, games, attempt), number)
        announcer = Announcer(len(names), quit_at_end=quit_at_end)

        def report(event: TableEvent) -> None:
            announcer.receive(event)
            self._report(event, number)

        table = Table(names, games, decks, report)
        run = TableRun(number, table, list(players), announcer)
        self.runs.append(run)
        for seat, player in enumerate(players):
            if isinstance(player, Line):
                self.lobby.remove(player)
                player.stage = Stage.SEATED
                self._places[player] = (run, seat)
        table.start()
        self._advance(run)
        return run

    def dismiss(self, line: Line) -> None:
        """Send a peer of the lobby home."""
        if line.stage is Stage.LOBBY:
            self._part(line, [QUIT])

    def poll(self, timeout: float = 1.0) -> None:
        """Wait up to `timeout` seconds for something to happen, and deal with it."""
        wait = 0.0 if self._bot_runs else self._board.time_left(timeout)
        if wait and self.on_idle is not None:
            self.on_idle()
        self._board.poll(wait)
        waiting, self._bot_runs = self._bot_runs, []
        for run in waiting:
            self._advance(run)

    @property
    def quiet(self) -> bool:
        """Whether every peer has gone."""
        return not self._board.lines

    def close(self) -> None:
        """Say QUIT to all that are left and close everything, without waiting."""
        self.lobby.clear()
        self._board.close()

    # Events of the switchboard.

    def received(self, line: Line, message: Message) -> None:
        if line.stage is Stage.SILENT:
            if message.kind is Kind.JOIN:
                self._admit(line, message)
            else:
                self._refuse(line, f"said {_shown(message)} before JOIN")
        elif line.stage is Stage.LOBBY:
            self._note(line, message)
        elif line.stage is Stage.SEATED:
            run, seat = self._places[line]
            asked = line.asked and line.last_read != self._board.packet
            if message.kind is Kind.HIT or message.kind is Kind.STAND:
                self._decision(line, run, seat, message)
            elif asked and message.kind is not Kind.JOIN:
                self._expel(line, f"answered DECISION with {_shown(message)}")
            else:
                self._note(line, message)

    def all_said(self, line: Line) -> None:
        """If what was said ended in DECISION, wait for the answer."""
        if line.stage is not Stage.SEATED or line.asked:
            return
        run, seat = self._places[line]
        if run.table.asking != seat:
            return
        line.asked = True
        line.last_read = self._board.packet
        if line.ahead:
            self._answer(line, run, line.ahead.popleft())
            return
        line.deadline = time.monotonic() + self.options.decision_timeout

    def lost(self, line: Line, reason: str) -> None:
        self._expel(line, reason)

    def late(self, line: Line, now: float) -> None:
        if line.stage is Stage.SILENT:
            self._refuse(line, f"did not say JOIN in {self.options.join_timeout:g} s")
        elif line.asked:
            self._expel(line, f"gave no decision in {self.options.decision_timeout:g} s")

    def warn(self, text: str) -> None:
        if self.on_warning is not None:
            self.on_warning(text)

    # Peers come and go.

    def _admit(self, line: Line, joining: Message) -> None:
        asked_for = joining.text
        if self.gatekeeper is None:
            line.name = self.reserve(asked_for)
        else:
            name, reason = self.gatekeeper(clean_name(asked_for), joining.token)
            if not name:
                self._refuse(line, reason)
                return
            line.name = name
            self._names.add(name)
        line.token = joining.token
        line.stage = Stage.LOBBY
        line.deadline = math.inf
        if self.options.pace is None:
            line.pace = self._pace(line, joining)
        self.lobby.append(line)
        changed = line.name != asked_for
        self._report(Joined(line.name, line.address, asked_for[:200] if changed else ""))

    def _pace(self, line: Line, joining: Message) -> float:
        """The pause that suits a peer, by what its JOIN shows of how it reads."""
        if joining.frames:
            return 0.0
        options = self.options
        return options.careful_pace if line.terminated else options.unterminated_pace

    def _refuse(self, line: Line, reason: str) -> None:
        self._report(Refused(line.address, reason))
        self._part(line, [QUIT])

    def _expel(self, line: Line, reason: str) -> None:
        """Fold a peer out, wherever it is; its table plays on."""
        if line.stage is Stage.SEATED:
            run, seat = self._places[line]
            run.table.fold(seat, reason)
            self._advance(run)
        elif line.stage is Stage.LOBBY:
            self._report(Left(line.name, reason))
            self._part(line, [QUIT])
        elif line.stage is Stage.SILENT:
            self._refuse(line, reason)

    def _part(self, line: Line, messages: Sequence[bytes], step: float = 0.0) -> None:
        if line.stage is Stage.LOBBY:
            self.lobby.remove(line)
        self._names.discard(line.name)
        self._places.pop(line, None)
        self._board.dismiss(line, messages, step)

    # The game.

    def _decision(self, line: Line, run: TableRun, seat: int, message: Message) -> None:
        table, hit = run.table, message.kind is Kind.HIT
        # Decisions may run ahead of the questions within one turn, never into the next.
        same_turn = table.asking == seat and len(table.seats[seat].cards) > 2
        if line.asked and (same_turn or line.last_read != self._board.packet):
            self._answer(line, run, hit)
        elif same_turn and len(line.ahead) < MAX_AHEAD:
            line.ahead.append(hit)
        else:
            self._note(line, message)

    def _answer(self, line: Line, run: TableRun, hit: bool) -> None:
        table, asked, number = run.table, run.table.asking, run.table.round
        line.asked = False
        line.deadline = math.inf
        line.received = line.unasked = 0
        table.answer(hit)
        if table.asking != asked or table.round != number:
            line.ahead.clear()
        self._advance(run)

    def _advance(self, run: TableRun) -> None:
        """Let bots decide, hand out what the table said, and wait for the next peer."""
        table, seats, outbox = run.table, run.seats, run.announcer.outbox
        turns, stop = 0, current_stop()
        while table.asking >= 0:
            player = seats[table.asking]
            if isinstance(player, Line):
                break
            if turns == BOT_TURNS or stop.requested:
                self._bot_runs.append(run)
                break
            table.answer(player.decide(table.seats[table.asking].cards, table.up_card))
            turns += 1
        now = time.monotonic()
        step = self._step(run, now)
        for seat, messages in enumerate(outbox):
            if not messages:
                continue
            outbox[seat] = []
            line = seats[seat]
            if isinstance(line, Line) and line.stage is Stage.SEATED:
                if messages[-1] is QUIT:
                    self._part(line, messages, step)
                else:
                    self._board.send(line, messages, now, step)
        if table.finished and run in self.runs:
            self._close_table(run)

    def _step(self, run: TableRun, now: float) -> float:
        """When every player has received what the turn before brought and is free for more.

        A pause between messages would otherwise let one player know of the next round while
        another still waits for the card of this one.
        """
        if self.options.pace == 0:
            return now
        waits = (
            line.free_at(now, drawn_cards(messages))
            for line, messages in zip(run.seats, run.announcer.outbox, strict=True)
            if isinstance(line, Line) and line.stage is Stage.SEATED
            if messages or not line.idle
        )
        return max(waits, default=now)

    def _close_table(self, run: TableRun) -> None:
        """Peers that were not dismissed wait for another table."""
        self.runs.remove(run)
        for player in run.seats:
            if isinstance(player, Line) and player.stage is Stage.SEATED:
                player.stage = Stage.LOBBY
                self._places.pop(player, None)
                self.lobby.append(player)
        if self.on_finished is not None:
            self.on_finished(run)

    # Reporting.

    def _note(self, line: Line, message: Message) -> None:
        line.unasked += 1
        line.noted += 1
        if line.unasked > MAX_UNASKED:
            self._expel(line, "talks without being asked")
        if line.noted > MAX_NOTED or line.leaving or line.closed:
            return
        table, seat = -1, -1
        if line.stage is Stage.SEATED:
            run, seat = self._places[line]
            table = run.number
        self._report(Noted(line.name, f"said {_shown(message)} unasked", seat), table)

    def _report(self, event: Event, table: int = -1) -> None:
        for listener in self._listeners:
            listener(event, table)


def _shown(message: Message) -> str:
    return repr(clean_name(message.text)) if message.text else message.kind.value
