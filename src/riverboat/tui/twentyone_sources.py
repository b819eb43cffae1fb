"""Where the events of a watched twenty-one table come from: a local game, a dealer, or a log.

Each source fills a queue of events, of the kinds a dealer's log has, and is drained by the screen
at its own pace. A source that the person plays at takes decisions by `answer`.
"""

from __future__ import annotations

import contextlib
import json
import queue
import socket
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from riverboat.tui.twentyone_scene import Scene
from riverboat.twentyone.game import Result
from riverboat.twentyone.seat_minds import SeatMind
from riverboat.twentyone.table import Table, shuffled_decks
from riverboat.twentyone.table_log import read_log
from riverboat.twentyone.wire.client import ClientOptions, PlayerSession, play
from riverboat.twentyone.wire.codec import Kind, Message

__all__ = ["Event", "LocalSource", "LogSource", "RemoteSource", "Source"]

Event = dict[str, Any]

CHUNK = 1 << 20
MAX_BEHIND = 200
"""Events that a log may be ahead of the screen before the screen hurries."""


class Source(Protocol):
    """A table that can be watched."""

    me: int
    """The seat of the person at this terminal, or −1."""
    hold: float | None
    """Seconds to leave results on the table; None waits for the person."""
    events: deque[Event]
    start: Scene
    """What the screen shows at first."""

    @property
    def asked(self) -> bool:
        """Whether the person's decision is waited for."""

    def poll(self) -> None:
        """Fetch what has happened since."""

    def answer(self, hit: bool) -> None:
        """The person's decision."""

    def close(self) -> None: ...


class LocalSource:
    """A table in this process: the person first, bots beside."""

    hold: float | None = None

    def __init__(self, name: str, bots: Sequence[SeatMind], games: int, seed: int) -> None:
        self.me = 0
        self.start = Scene(me=self.me)
        self.events: deque[Event] = deque()
        self._bots = bots
        names = [name, *(bot.name for bot in bots)]
        self.events.append({"event": "table", "names": names, "games": games})
        self._table = Table(names, games, shuffled_decks(seed), self.events.append)
        self._table.start()

    @property
    def asked(self) -> bool:
        return self._table.asking == self.me

    def poll(self) -> None:
        """Let the bots whose turn it is decide."""
        table = self._table
        while table.asking > 0:
            bot = self._bots[table.asking - 1]
            table.answer(bot.decide(table.seats[table.asking].cards, table.up_card))
        for out in table.outbox:
            out.clear()

    def answer(self, hit: bool) -> None:
        if self.asked:
            self._table.answer(hit)

    def close(self) -> None:
        pass


class LogSource:
    """A dealer's log, read as it grows; it begins with the round in play."""

    hold: float | None = 1.5

    def __init__(self, path: str | Path, table: int = 0, *, from_start: bool = False) -> None:
        self.me = -1
        self.events: deque[Event] = deque()
        self._path, self._number = Path(path), table
        self._offset = 0
        self._unfinished = b""
        next(read_log(path))
        self.start = Scene()
        """What the log tells up to the round in play."""
        while self._fetch():
            if not from_start:
                self._skip(self.start)

    @property
    def asked(self) -> bool:
        return False

    def poll(self) -> None:
        self._fetch()
        if len(self.events) > MAX_BEHIND:
            self._skip(None)

    def _fetch(self) -> bool:
        with contextlib.suppress(OSError), self._path.open("rb") as stream:
            stream.seek(self._offset)
            data = stream.read(CHUNK)
            self._offset += len(data)
            *lines, self._unfinished = (self._unfinished + data).split(b"\n")
            for line in lines:
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    self._take(json.loads(line))
            return bool(data)
        return False

    def _take(self, event: Event) -> None:
        if event["event"] == "end" or event.get("table") == self._number:
            self.events.append(event)

    def _skip(self, scene: Scene | None) -> None:
        """Pass quickly over what lies before the last deal."""
        deals = [i for i, event in enumerate(self.events) if event["event"] == "deal"]
        for i in range(deals[-1] if deals else 0):
            if scene is None:
                self.events[i]["past"] = True
            else:
                scene.apply(self.events.popleft())

    def answer(self, hit: bool) -> None:
        pass

    def close(self) -> None:
        pass


class RemoteSource:
    """A seat at a dealer over TCP; only the person's own cards are to be seen there."""

    hold: float | None = 2.0

    def __init__(self, name: str, sock: socket.socket) -> None:
        self.me = 0
        self.start = Scene(me=self.me)
        self.events: deque[Event] = deque()
        self._sock = sock
        self._mind = _Person(name)
        self._session = PlayerSession(self._mind)
        self._session.on_message = self._hear
        self._round = 0
        self.asked = False
        self.events.append({"event": "table", "names": [name], "games": 0})

    def run(self) -> None:
        """Play until the dealer quits; to be run in a thread of its own."""
        play(self._sock, self._session, ClientOptions())
        self.events.append({"event": "end", "reason": self._session.ended})

    def poll(self) -> None:
        pass

    def answer(self, hit: bool) -> None:
        if not self.asked:
            return
        self.asked = False
        if not hit:
            self.events.append({"event": "act", "seat": 0, "action": "STAND"})
        self._mind.answers.put(hit)

    def close(self) -> None:
        self._session.ended = self._session.ended or "you left"
        self._mind.answers.put(False)
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def _hear(self, message: Message) -> None:
        """Tell the messages of the wire as events of a table with one seat."""
        session = self._session
        if message.kind is Kind.CARD and session.up_card:
            event = {"event": "act", "seat": 0, "action": "HIT", "card": message.card}
            self.events.append(event)
        elif message.kind is Kind.DEALER:
            self._round += 1
            up, hands = session.up_card, [list(session.cards)]
            self.events.append({"event": "deal", "round": self._round, "up": up, "hands": hands})
            self.events.append({"event": "turn", "seat": -1})
        elif message.kind is Kind.DECISION:
            self.events.append({"event": "turn", "seat": 0})
            self.asked = True
        elif message.kind is Kind.RESULT and message.result is not None:
            dealer = ["??", session.up_card] if session.up_card else []
            results = [message.result.value]
            self.events.append({"event": "round", "dealer": dealer, "results": results})


class _Person:
    """A mind that waits for somebody to press a key."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.answers: queue.Queue[bool] = queue.Queue()

    def decide(self, cards: Sequence[str], up_card: str) -> bool:
        return self.answers.get()

    def learn(self, result: Result) -> None:
        pass
