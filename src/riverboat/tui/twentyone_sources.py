"""Where the events of a watched twenty-one table come from: a local game, a dealer, or a log.

Each source fills a queue of events and is drained by the screen at its own pace. A source that the
person plays at takes decisions by `answer`.
"""

from __future__ import annotations

import contextlib
import json
import queue
import socket
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from riverboat.games.base import Action
from riverboat.players.player import HumanPlayer, View
from riverboat.tui.twentyone_scene import HIDDEN, Scene
from riverboat.twentyone.events import Acted, Asked, Dealt, Ended, Event, Opened, Settled, from_dict
from riverboat.twentyone.game import HIT, STAND
from riverboat.twentyone.learning.players import SeatedPlayer
from riverboat.twentyone.log import read_log
from riverboat.twentyone.table import Table, shuffled_decks
from riverboat.twentyone.wire.client import ClientOptions, PlayerSession, join_table, play
from riverboat.twentyone.wire.codec import Kind, Message

CHUNK = 1 << 20
MAX_BEHIND = 200  # Events that a log may be ahead of the screen before the screen hurries


class Source:
    """A table that can be watched; this one has no seats and stays empty."""

    hold: float | None = None  # Seconds to leave results on the table; None waits for the person
    past = 0  # How many of the events lie behind the round in play, to be passed over quickly

    def __init__(self, me: int) -> None:
        self.me = me  # The seat of the person at this terminal, or −1
        self.events: deque[Event] = deque()
        self.start = Scene(me=me)  # What the screen shows at first

    @property
    def asked(self) -> bool:
        """Whether the person's decision is waited for."""
        return False

    def poll(self) -> None:
        """Fetch what has happened since."""

    def answer(self, hit: bool) -> None:
        """Take the person's decision."""

    def close(self) -> None:
        """Leave the table."""


class LocalSource(Source):
    """A table in this process: the person first, then the other players."""

    def __init__(self, name: str, others: Sequence[SeatedPlayer], games: int, seed: int) -> None:
        super().__init__(me=0)
        self._others = others
        names = [name, *(other.name for other in others)]
        self.events.append(Opened(names, games))
        self._table = Table(names, games, shuffled_decks(seed), self.events.append)
        self._table.start()

    @property
    def asked(self) -> bool:
        return self._table.asking == self.me

    def poll(self) -> None:
        """Let those decide whose turn it is."""
        table = self._table
        while table.asking > 0:
            other = self._others[table.asking - 1]
            table.answer(other.decide(table.seats[table.asking].cards, table.up_card))

    def answer(self, hit: bool) -> None:
        if self.asked:
            self._table.answer(hit)


class LogSource(Source):
    """A dealer's log, read as it grows; it begins with the round in play."""

    hold: float | None = 1.5

    def __init__(self, path: str | Path, table: int = 0, *, from_start: bool = False) -> None:
        super().__init__(me=-1)
        self._path, self._number = Path(path), table
        self._offset = 0
        self._unfinished = b""
        next(read_log(path))
        while self._fetch():
            if not from_start:
                for _ in range(self._before_last_deal()):
                    self.start.apply(self.events.popleft())

    def poll(self) -> None:
        self._fetch()
        if len(self.events) > MAX_BEHIND:
            self.past = self._before_last_deal()

    def _fetch(self) -> bool:
        with contextlib.suppress(OSError), self._path.open("rb") as stream:
            stream.seek(self._offset)
            data = stream.read(CHUNK)
            self._offset += len(data)
            *lines, self._unfinished = (self._unfinished + data).split(b"\n")
            for line in lines:
                with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
                    self._take(json.loads(line))
            return bool(data)
        return False

    def _take(self, entry: dict[str, Any]) -> None:
        event = from_dict(entry)
        if event is None or isinstance(event, Asked):
            return
        if isinstance(event, Ended) or entry.get("table") == self._number:
            self.events.append(event)

    def _before_last_deal(self) -> int:
        deals = [i for i, event in enumerate(self.events) if isinstance(event, Dealt)]
        return deals[-1] if deals else 0


class RemoteSource(Source):
    """A seat at a dealer over TCP; only the person's own cards are to be seen there."""

    hold: float | None = 2.0
    asked: bool = False

    def __init__(self, name: str, sock: socket.socket, token: str = "") -> None:
        super().__init__(me=0)
        self._sock = sock
        self._answers: queue.Queue[Action] = queue.Queue()
        person = SeatedPlayer(HumanPlayer(self._ask, name), np.random.default_rng())
        self._session = PlayerSession(person, token)
        join_table(sock, self._session)  # the screen takes longer than some dealers wait
        person.warm_up()
        self._session.on_message = self._receive
        self._round = 0
        self.events.append(Opened([name], 0))

    def run(self) -> None:
        """Play until the dealer quits; to be run in a thread, once one can answer."""
        play(self._sock, self._session, ClientOptions())
        self.events.append(Ended(self._session.ended))

    def _ask(self, view: View) -> Action:
        """Wait for a key."""
        self.events.append(Asked(self._round, 0))
        self.asked = True
        return self._answers.get()

    def answer(self, hit: bool) -> None:
        if not self.asked:
            return
        self.asked = False
        if not hit:
            self.events.append(Acted(self._round, 0, "STAND"))
        self._answers.put(HIT if hit else STAND)

    def close(self) -> None:
        self._session.ended = self._session.ended or "you left"
        self._answers.put(STAND)
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def _receive(self, message: Message) -> None:
        """Turn the messages of the wire into events of a table with one seat."""
        session = self._session
        if message.kind is Kind.CARD and session.up_card:
            self.events.append(Acted(self._round, 0, "HIT", message.card))
        elif message.kind is Kind.DEALER and session.new_up_card:
            self._round += 1
            self.events.append(Dealt(self._round, session.up_card, [list(session.cards)]))
            self.events.append(Asked(self._round, -1))
        elif message.kind is Kind.RESULT and message.result is not None:
            dealer = [HIDDEN, session.up_card] if session.up_card else []
            self.events.append(Settled(self._round, dealer, [message.result.value]))
