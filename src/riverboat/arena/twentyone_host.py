"""The host of twenty-one tables: listens, seats whoever says JOIN, and drives the tables.

One thread, one selector, any number of tables. Nothing a peer does stops a table or reaches
another peer: a peer that is late, leaves, floods or answers with nonsense is folded out and the
reason is told as an event; a word that nobody asked for is dropped and told as a note.
"""

from __future__ import annotations

import heapq
import itertools
import math
import selectors
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from riverboat.arena.protocols.twentyone import (
    DECISION,
    QUIT,
    Kind,
    Message,
    MessageTooLongError,
    clean_name,
    read,
)
from riverboat.arena.twentyone_line import Line, Probe, Stage
from riverboat.arena.twentyone_table import Record, Table
from riverboat.errors import UsageError

__all__ = ["Bot", "Host", "HostOptions", "TableRun"]

MAX_SILENT = 1024
"""Connections that may wait without having said JOIN."""
MAX_NOTES = 100
"""Words out of turn before a peer is folded out."""
MAX_AHEAD = 16
BOT_TURNS = 500
"""Decisions that a table of bots takes before the host looks at its sockets again."""


class Bot(Protocol):
    """A player in the same process."""

    name: str

    def decide(self, cards: Sequence[str], up_card: str) -> bool:
        """True to hit."""


@dataclass(frozen=True)
class HostOptions:
    """How the host treats its peers; times in seconds."""

    host: str = "127.0.0.1"
    port: int = 0
    pace: float | None = 0.026
    """Pause between two messages to a peer; None finds out what the peer needs."""
    careful_pace: float = 0.026
    """The pause while that is being found out."""
    decision_timeout: float = 30.0
    join_timeout: float = 10.0
    quiet: float = 0.05
    """Silence after which a message that lacks its NUL is taken as complete."""
    probe_wait: float = 0.5
    linger: float = 2.0
    """How long a peer may take to close after QUIT."""


@dataclass
class TableRun:
    """A table with who sits at it."""

    number: int
    table: Table
    seats: list[Line | Bot]


class Host:
    """Sockets, clocks and tables. `poll` does what there is to do; everything else is set-up."""

    def __init__(self, options: HostOptions, record: Record | None = None) -> None:
        self.options = options
        self.lobby: list[Line] = []
        self.runs: list[TableRun] = []
        """The tables in play."""
        self.on_idle: Callable[[], None] | None = None
        self._record = record
        self._selector = selectors.DefaultSelector()
        self._listener: socket.socket | None = None
        self._lines: set[Line] = set()
        self._places: dict[Line, tuple[TableRun, int]] = {}
        self._names: set[str] = set()
        self._timers: list[tuple[float, int, Line]] = []
        self._tick = itertools.count()
        self._packet = 0
        self._bot_runs: list[TableRun] = []

    def listen(self) -> int:
        """Open the door; the port, which the system chooses for port 0."""
        wanted = f"{self.options.host}:{self.options.port}"
        try:
            family = socket.getaddrinfo(
                self.options.host, self.options.port, type=socket.SOCK_STREAM
            )[0]
            listener = socket.socket(family[0], socket.SOCK_STREAM)
        except (OSError, OverflowError, UnicodeError) as error:
            raise UsageError(f"Cannot listen on {wanted}: {_reason(error)}.") from error
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(family[4])
            listener.listen(1024)
        except (OSError, OverflowError) as error:
            listener.close()
            raise UsageError(
                f"Cannot listen on {wanted}: {_reason(error)}; choose another --host or --port."
            ) from error
        listener.setblocking(False)
        self._listener = listener
        self._selector.register(listener, selectors.EVENT_READ, None)
        return int(listener.getsockname()[1])

    def close_door(self) -> None:
        """Take no more peers and let go of those that have not said JOIN."""
        if self._listener is not None:
            self._selector.unregister(self._listener)
            self._listener.close()
            self._listener = None
        for line in [line for line in self._lines if line.stage is Stage.SILENT]:
            self._refuse(line, "the tables are full")

    def reserve(self, wanted: str) -> str:
        """A name like the wanted one that nobody else has."""
        wanted = clean_name(wanted)
        names = itertools.chain([wanted], (f"{wanted}#{n}" for n in itertools.count(2)))
        name = next(name for name in names if name not in self._names)
        self._names.add(name)
        return name

    def seat(
        self,
        number: int,
        players: Sequence[Line | Bot],
        games: int,
        decks: Iterator[list[str]],
        *,
        quit_at_end: bool = True,
    ) -> TableRun:
        """Start a table with peers of the lobby and bots, in this order."""
        names = [player.name for player in players]
        self._tell({"event": "table", "table": number, "names": names, "games": games})
        record = self._recorder(number) if self._record is not None else None
        table = Table(names, games, decks, record, quit_at_end=quit_at_end)
        run = TableRun(number, table, list(players))
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
            self._part(line, quitting=True)

    def poll(self, timeout: float = 1.0) -> None:
        """Wait up to `timeout` seconds for something to happen, and deal with it."""
        wait = 0.0 if self._bot_runs else timeout
        if self._timers and wait:
            wait = max(0.0, min(wait, self._timers[0][0] - time.monotonic()))
        if wait and self.on_idle is not None:
            self.on_idle()
        for key, events in self._selector.select(wait):
            if key.data is None:
                self._accept()
                continue
            line: Line = key.data
            if events & selectors.EVENT_WRITE:
                self._pump(line, time.monotonic())
            if events & selectors.EVENT_READ and not line.closed:
                self._read(line)
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            when, _, line = heapq.heappop(self._timers)
            if when == line.scheduled:
                line.scheduled = math.inf
                self._wake(line, now)
        waiting, self._bot_runs = self._bot_runs, []
        for run in waiting:
            self._advance(run)

    @property
    def quiet(self) -> bool:
        """Whether every peer has gone."""
        return not self._lines

    def close(self) -> None:
        """Say QUIT to whoever is left and close everything, without waiting."""
        self.close_door()
        for line in list(self._lines):
            if line.stage in (Stage.LOBBY, Stage.SEATED):
                line.pace = 0.0
                line.send([QUIT], time.monotonic())
                line.hang_up()
            self._drop(line)
        self._selector.close()

    # Peers come and go.

    def _accept(self) -> None:
        while self._listener is not None:
            try:
                sock, address = self._listener.accept()
            except OSError:
                return
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pace = self.options.pace
            where = f"{address[0]}:{address[1]}"
            line = Line(
                sock, where, self.options.careful_pace if pace is None else pace, pace is None
            )
            silent = sum(other.stage is Stage.SILENT for other in self._lines)
            if silent >= MAX_SILENT:
                self._tell({"event": "refuse", "peer": where, "reason": "too many connections"})
                sock.close()
                continue
            self._lines.add(line)
            self._selector.register(sock, selectors.EVENT_READ, line)
            line.deadline = time.monotonic() + self.options.join_timeout
            self._schedule(line)

    def _admit(self, line: Line, asked_for: str) -> None:
        line.name = self.reserve(asked_for)
        line.stage = Stage.LOBBY
        line.deadline = math.inf
        self.lobby.append(line)
        event = {"event": "join", "name": line.name, "peer": line.address}
        if line.name != asked_for:
            event["asked_for"] = asked_for[:200]
        self._tell(event)

    def _refuse(self, line: Line, reason: str) -> None:
        self._tell({"event": "refuse", "peer": line.address, "reason": reason})
        self._part(line, quitting=True)

    def _expel(self, line: Line, reason: str) -> None:
        """Fold a peer out, wherever it is; its table plays on."""
        if line.stage is Stage.SEATED:
            run, seat = self._places[line]
            run.table.fold(seat, reason)
            line.asked = False
            self._advance(run)
        elif line.stage is Stage.LOBBY:
            self._tell({"event": "leave", "name": line.name, "reason": reason})
            self._part(line, quitting=True)
        elif line.stage is Stage.SILENT:
            self._refuse(line, reason)
        if line.broken and not line.closed:
            self._drop(line)

    def _part(self, line: Line, *, quitting: bool) -> None:
        """Let a line finish what it has to say, then close it."""
        if line.stage is Stage.LOBBY:
            self.lobby.remove(line)
        self._names.discard(line.name)
        self._places.pop(line, None)
        line.stage = Stage.LEAVING
        line.asked = False
        now = time.monotonic()
        if quitting:
            line.send([QUIT], now)
        line.deadline = now + self.options.linger + line.speaking_time
        self._settle(line)

    def _drop(self, line: Line) -> None:
        if line.stage is Stage.LOBBY:
            self.lobby.remove(line)
        self._names.discard(line.name)
        self._lines.discard(line)
        self._places.pop(line, None)
        self._selector.unregister(line.sock)
        line.close()

    # Bytes and time.

    def _read(self, line: Line) -> None:
        try:
            data = line.sock.recv(65_536)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            line.broken = f"left ({_reason(error)})"
            data = b""
        if line.leaving:
            if not data:
                self._drop(line)
            return
        if not data:
            line.broken = line.broken or "left"
            self._expel(line, line.broken)
            return
        try:
            frames = line.framer.feed(data)
        except MessageTooLongError:
            self._expel(line, "sent a message without an end")
            return
        self._packet += 1
        for frame in frames:
            for message in read(frame):
                self._hear(line, message)
        line.quiet_at = math.inf
        if line.framer.rest and not line.leaving:
            if line.framer.ends_in_last_word:
                self._take_rest(line)
            # A name may come in pieces, so JOIN is given longer.
            slow = 5 if line.stage is Stage.SILENT else 1
            line.quiet_at = time.monotonic() + slow * self.options.quiet
            self._schedule(line)

    def _take_rest(self, line: Line) -> None:
        """Take a message for complete that lacks its NUL, if it can be understood."""
        messages = read(line.framer.rest)
        if messages[0].kind is not Kind.UNKNOWN:
            line.framer.take_rest()
            for message in messages:
                self._hear(line, message)

    def _pump(self, line: Line, now: float) -> None:
        if not line.closed:
            line.pump(now)
            self._settle(line)

    def _settle(self, line: Line) -> None:
        """After a write: is the line broken, blocked, done, or is the peer now asked?"""
        if line.broken:
            if line.leaving:
                self._drop(line)
            else:
                self._expel(line, line.broken)
            return
        if line.blocked != line.watched_for_write:
            line.watched_for_write = line.blocked
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if line.blocked else 0)
            self._selector.modify(line.sock, events, line)
        if line.idle:
            if line.leaving:
                line.hang_up()
            elif line.stage is Stage.SEATED:
                self._ask(line)
        self._schedule(line)

    def _schedule(self, line: Line) -> None:
        when = line.wake_at
        if when < line.scheduled:
            line.scheduled = when
            heapq.heappush(self._timers, (when, next(self._tick), line))

    def _wake(self, line: Line, now: float) -> None:
        if line.closed:
            return
        if line.quiet_at <= now:
            line.quiet_at = math.inf
            self._take_rest(line)
        if not line.closed and line.deadline <= now:
            self._too_late(line, now)
        if not line.closed:
            self._pump(line, now)
        if not line.closed:
            self._schedule(line)

    def _too_late(self, line: Line, now: float) -> None:
        if line.leaving:
            self._drop(line)
        elif line.stage is Stage.SILENT:
            self._refuse(line, f"did not say JOIN in {self.options.join_timeout:g} s")
        elif line.asked and line.probe is Probe.SENT:
            # No answer to two messages in one packet: the second was lost. Say it alone.
            line.probe = Probe.NONE
            line.asked_twice = True
            line.deadline = now + self.options.decision_timeout
            line.send([DECISION], now)
        elif line.asked:
            self._expel(line, f"gave no decision in {self.options.decision_timeout:g} s")

    # The game.

    def _hear(self, line: Line, message: Message) -> None:
        if line.stage is Stage.SILENT:
            if message.kind is Kind.JOIN:
                self._admit(line, message.text)
            else:
                self._refuse(line, f"said {_shown(message)} before JOIN")
        elif line.stage is Stage.LOBBY:
            self._note(line, message)
        elif line.stage is Stage.SEATED:
            run, seat = self._places[line]
            if message.kind is Kind.HIT or message.kind is Kind.STAND:
                self._decision(line, run, seat, message)
            elif line.asked and line.last_read != self._packet and message.kind is not Kind.JOIN:
                self._expel(line, f"answered DECISION with {_shown(message)}")
            else:
                self._note(line, message)

    def _decision(self, line: Line, run: TableRun, seat: int, message: Message) -> None:
        table, hit = run.table, message.kind is Kind.HIT
        # Decisions may run ahead of the questions within one turn, never into the next.
        same_turn = table.asking == seat and len(table.seats[seat].cards) > 2
        if line.asked and (same_turn or line.last_read != self._packet):
            self._answer(line, run, hit)
        elif same_turn and not line.asked_twice and len(line.ahead) < MAX_AHEAD:
            line.ahead.append(hit)
        else:
            line.asked_twice = False
            self._note(line, message)

    def _answer(self, line: Line, run: TableRun, hit: bool) -> None:
        table, number = run.table, run.table.round
        if line.probe is Probe.SENT:
            line.unpace()
        line.asked = False
        line.deadline = math.inf
        asked = table.asking
        table.answer(hit)
        if table.asking != asked or table.round != number:
            line.ahead.clear()
        self._advance(run)

    def _ask(self, line: Line) -> None:
        """The line has been told all there is; if that ended in DECISION, wait for the answer."""
        run, seat = self._places[line]
        if run.table.asking != seat or line.asked:
            return
        line.asked = True
        line.last_read = self._packet
        if line.ahead:
            self._answer(line, run, line.ahead.popleft())
            return
        probing = line.probe is Probe.SENT
        wait = self.options.probe_wait if probing else self.options.decision_timeout
        line.deadline = time.monotonic() + wait

    def _advance(self, run: TableRun) -> None:
        """Let bots decide, hand out what the table said, and wait for the next peer."""
        table, seats = run.table, run.seats
        turns = 0
        while table.asking >= 0:
            player = seats[table.asking]
            if isinstance(player, Line):
                break
            if turns == BOT_TURNS:
                self._bot_runs.append(run)
                break
            table.answer(player.decide(table.seats[table.asking].cards, table.up_card))
            turns += 1
        now = time.monotonic()
        for seat, out in enumerate(table.outbox):
            if not out:
                continue
            messages, table.outbox[seat] = out, []
            line = seats[seat]
            if isinstance(line, Line) and line.stage is Stage.SEATED:
                line.send(messages, now)
                if table.seats[seat].out or (table.finished and messages[-1] == QUIT):
                    self._part(line, quitting=False)
                else:
                    self._settle(line)
        if table.finished:
            self._close_table(run)

    def _close_table(self, run: TableRun) -> None:
        if run not in self.runs:
            return
        self.runs.remove(run)
        for player in run.seats:
            if isinstance(player, Line) and player.stage is Stage.SEATED:
                player.stage = Stage.LOBBY
                player.asked = False
                player.deadline = math.inf
                self._places.pop(player, None)
                self.lobby.append(player)

    # Telling.

    def _note(self, line: Line, message: Message) -> None:
        line.notes += 1
        if line.notes > MAX_NOTES:
            self._expel(line, "talks without being asked")
            return
        event: dict[str, Any] = {"event": "note", "name": line.name}
        if line.stage is Stage.SEATED:
            run, seat = self._places[line]
            event |= {"table": run.number, "seat": seat}
        self._tell({**event, "text": f"said {_shown(message)} unasked"})

    def _recorder(self, number: int) -> Record:
        def tell(event: dict[str, Any]) -> None:
            self._tell({"table": number, **event})

        return tell

    def _tell(self, event: dict[str, Any]) -> None:
        if self._record is not None:
            self._record(event)


def _shown(message: Message) -> str:
    return repr(clean_name(message.text)) if message.text else message.kind.value


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).lower()
