"""The switchboard: whatever goes wrong with one line costs that line only."""

import socket
import time

from riverboat.twentyone.wire._switchboard import Switchboard
from riverboat.twentyone.wire.codec import Message
from riverboat.twentyone.wire.line import HostOptions, Line
from waiting import PATIENCE


class Fragile:
    """An owner that cannot bear to hear HIT."""

    def __init__(self) -> None:
        self.board = Switchboard(HostOptions(pace=0.0), self)
        self.port = self.board.listen()
        self.messages: list[str] = []
        self.reasons: list[str] = []

    def received(self, line: Line, message: Message) -> None:
        if message.kind.value == "HIT":
            raise ValueError("not that")
        self.messages.append(message.kind.value)

    def all_said(self, line: Line) -> None: ...

    def lost(self, line: Line, reason: str) -> None:
        self.reasons.append(reason)

    def late(self, line: Line, now: float) -> None: ...

    def warn(self, text: str) -> None: ...

    def poll_until(self, done: int) -> None:
        end = time.monotonic() + PATIENCE
        while len(self.messages) + len(self.reasons) < done:
            assert time.monotonic() < end
            self.board.poll(0.05)


def test_an_error_in_dealing_with_a_message_costs_its_line_only() -> None:
    owner = Fragile()
    bad, good = (socket.create_connection(("127.0.0.1", owner.port)) for _ in range(2))
    with bad, good:
        bad.sendall(b"HIT\0")
        owner.poll_until(1)
        good.sendall(b"STAND\0")
        owner.poll_until(2)
        bad.settimeout(PATIENCE)
        assert bad.recv(10) == b""
    assert owner.messages == ["STAND"]
    assert owner.reasons == ["could not be dealt with (ValueError)"]
    owner.board.close()
