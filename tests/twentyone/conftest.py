"""A dealer in a thread, and peers that say exactly what a test tells them to."""

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from riverboat.twentyone.log import LogReport, verify_log
from riverboat.twentyone.wire.line import HostOptions
from riverboat.twentyone.wire.server import Dealer, DealerOptions, LogOptions, SeatResult
from waiting import PATIENCE


class Peer:
    """A bare socket that frames on NUL by itself, independent of the code under test."""

    def __init__(self, port: int, name: str = "") -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = b""
        if name:
            self.say(f"JOIN {name}")

    def say(self, text: str) -> None:
        self.send(text.encode() + b"\0")

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def receive(self) -> str:
        """The next message; "" when the dealer has closed."""
        while b"\0" not in self._buffer:
            try:
                data = self.sock.recv(4096)
            except ConnectionError:
                return ""
            if not data:
                return ""
            self._buffer += data
        raw, _, self._buffer = self._buffer.partition(b"\0")
        return raw.decode()

    def receive_until(self, *words: str) -> list[str]:
        """Messages up to the first that begins with one of `words`, or up to the end."""
        received = [self.receive()]
        while received[-1] and received[-1].split()[0] not in words:
            received.append(self.receive())
        return received

    def stand_to_the_end(self) -> list[str]:
        """Answer STAND to everything; all that was heard."""
        received = []
        try:
            while message := self.receive():
                received.append(message)
                if message == "DECISION":
                    self.say("STAND")
        except OSError:
            pass
        return received

    def close(self) -> None:
        self.sock.close()


class Stander(threading.Thread):
    """A well-behaved peer in its own thread."""

    def __init__(self, port: int, name: str = "good") -> None:
        super().__init__(daemon=True)
        self.peer = Peer(port, name)
        self.received: list[str] = []
        self.start()

    def run(self) -> None:
        self.received = self.peer.stand_to_the_end()
        self.peer.close()

    def finish(self) -> list[str]:
        self.join(PATIENCE)
        assert not self.is_alive(), "the good player was left hanging"
        return self.received


class Served:
    """A dealer that plays in a thread."""

    def __init__(self, log: Path, **options: Any) -> None:
        chosen: dict[str, Any] = {
            "pace": 0.0,
            "decision_timeout": PATIENCE,
            "join_timeout": PATIENCE,
            "linger": 0.2,
        }
        names = HostOptions.__dataclass_fields__
        chosen |= {key: options.pop(key) for key in list(options) if key in names}
        self.log = log
        host = HostOptions(**chosen)
        self.dealer = Dealer(DealerOptions(seed=5, log=LogOptions(log), host=host, **options))
        self.port = self.dealer.listen()
        self.failure: BaseException | None = None
        self._polled = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.dealer.run(self._report)
        except BaseException as error:
            self.failure = error

    def _report(self, _: Dealer) -> None:
        with self._polled:
            self._polled.notify_all()

    def finish(self) -> list[SeatResult]:
        """Wait for the end; nothing a peer did may have broken the dealer or its log."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the table did not finish"
        assert self.failure is None, repr(self.failure)
        report = self.report()
        assert report.verified, report.problems
        return self.dealer.results()

    def wait_for(self, waiting: int) -> None:
        """Until this many have joined and wait for a table."""
        with self._polled:
            came = self._polled.wait_for(lambda: len(self.dealer.host.lobby) == waiting, PATIENCE)
        assert came, "nobody came"

    def report(self) -> LogReport:
        return verify_log(self.log)

    def events(self, kind: str) -> list[dict[str, Any]]:
        lines = self.log.read_text().splitlines()
        return [event for event in map(json.loads, lines) if event["event"] == kind]


@pytest.fixture
def serve(tmp_path: Path) -> Any:
    """Start dealers: `serve(players=2, games=5)`."""
    started: list[Served] = []

    def start(**options: Any) -> Served:
        started.append(Served(tmp_path / f"table{len(started)}.jsonl", **options))
        return started[-1]

    return start


@pytest.fixture
def peers() -> Iterator[Any]:
    """Open peers that are closed after the test."""
    opened: list[Peer] = []

    def open_peer(served: Served, name: str = "") -> Peer:
        opened.append(Peer(served.port, name))
        return opened[-1]

    yield open_peer
    for peer in opened:
        peer.close()


@pytest.fixture
def stander() -> Any:
    """A well-behaved peer: `stander(served)`."""
    return lambda served, name="good": Stander(served.port, name)
