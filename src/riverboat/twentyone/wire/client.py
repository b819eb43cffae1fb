"""The player's end of the twenty-one wire: a session apart from sockets, and its socket loop.

The session frames on NUL whatever the packets are and forgives what dealers are known to do: a
loss called LOSE, a bust called LOOSE, BEGIN only once, a message without its NUL (taken after a
short silence), no QUIT at the end. A hand begins with BEGIN or with the first card after a
result; the first DEALER card of a hand is the open one.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

from riverboat.errors import UsageError
from riverboat.twentyone.game import Result
from riverboat.twentyone.learning.players import SeatedPlayer
from riverboat.twentyone.wire.codec import (
    HIT,
    STAND,
    Framer,
    Kind,
    Message,
    MessageTooLongError,
    join,
    read,
)

ANSWER_SECONDS = 0.010
"""For a decision by a player that was given no time of its own; a dealer's limit is not known."""
LATE = 0.015
"""Seconds after which an answer may have been too slow; a dealer of the course waits for 27 ms."""


class PlayerSession:
    """One player's conversation with a dealer: bytes in, bytes out."""

    def __init__(
        self,
        seated: SeatedPlayer,
        token: str = "",
        *,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.seated = seated
        self._searches = seated.limit_time(ANSWER_SECONDS)
        self.token = token
        self.tally = dict.fromkeys(Result, 0)
        self.ended = ""
        """Why the conversation is over; empty while it goes on."""
        self.unknown = 0
        """Messages that were not understood."""
        self.cards: list[str] = []
        self.up_card = ""
        self.new_up_card = False
        """Whether the last message has shown the open card of this hand."""
        self.on_message: Callable[[Message], None] | None = None
        """Called with every message after it has taken effect and before it is answered."""
        self.joined = False
        """Whether JOIN has been sent."""
        self._framer = Framer()
        self._over = True
        self._silent = False
        self._clock = clock
        self._thought = 0.0
        """Seconds that the last answer took; 0 once the dealer has gone on after it."""

    @property
    def games(self) -> int:
        return sum(self.tally.values())

    @property
    def score(self) -> int:
        return self.tally[Result.WIN] - self.tally[Result.LOSE] - self.tally[Result.BUST]

    def as_dict(self) -> dict[str, object]:
        """The session for a program."""
        counts = {result.value.lower(): count for result, count in self.tally.items()}
        return {
            "name": self.seated.name,
            "games": self.games,
            "score": self.score,
            **counts,
            "ended": self.ended,
            "not_understood": self.unknown,
            "trouble": self.seated.trouble,
        }

    @property
    def pending(self) -> bool:
        """Whether part of a message has arrived without the silence that ends it."""
        return bool(self._framer.rest) and not self._silent

    def opening(self) -> bytes:
        """What to say first."""
        return join(self.seated.name, self.token)

    def receive(self, data: bytes) -> bytes:
        """Take a packet; return the answer, which is mostly empty."""
        self._silent = False
        try:
            frames = self._framer.feed(data)
        except MessageTooLongError:
            self.ended = "the dealer sent a message without an end"
            return b""
        answer = self._receive_all(frames)
        return answer + self.silence() if self._framer.ends_in_last_word else answer

    def silence(self) -> bytes:
        """No more bytes for a while: a known message whose NUL is missing counts as complete."""
        self._silent = True
        if self._framer.rest and read(self._framer.rest)[0].kind is not Kind.UNKNOWN:
            return self._receive_all([self._framer.take_rest()])
        return b""

    def hang_up(self, reason: str) -> None:
        """The connection is gone."""
        self.silence()
        self.ended = self.ended or reason

    def _receive_all(self, frames: list[bytes]) -> bytes:
        answers = [
            self._receive(message) for frame in frames for message in read(frame) if not self.ended
        ]
        return b"".join(answers)

    def _receive(self, message: Message) -> bytes:
        kind = message.kind
        self.new_up_card = kind is Kind.DEALER and not self.up_card
        if kind is Kind.CARD:
            if self._over:
                self._new_hand()
            self.cards.append(message.card)
            self._thought = 0.0
        elif kind is Kind.DEALER:
            self.up_card = self.up_card or message.card
        elif kind is Kind.RESULT and message.result is not None:
            self._result(message.result)
        elif kind is Kind.BEGIN:
            self._new_hand()
        elif kind is Kind.QUIT:
            self.ended = "the dealer said QUIT" + self._late()
        elif kind is not Kind.DECISION:
            self.unknown += 1
        if self.on_message is not None:
            self.on_message(message)
        return self._decide() if kind is Kind.DECISION else b""

    def _decide(self) -> bytes:
        began = self._clock()
        hit = self.seated.decide(self.cards, self.up_card)
        self._thought = self._clock() - began
        return HIT if hit else STAND

    def _late(self) -> str:
        """What to add where QUIT comes instead of a card or a result after a slow answer."""
        if self._over or self._thought < LATE:
            return ""
        took = f"{1000 * self._thought:.0f} ms" if self._thought < 1 else f"{self._thought:.1f} s"
        advice = "; a searching player takes less with mcts?ms=5" if self._searches else ""
        return f" after an answer that took {took}, perhaps too long for it{advice}"

    def _new_hand(self) -> None:
        self.cards = []
        self.up_card = ""
        self._over = False

    def _result(self, result: Result) -> None:
        if self._over:
            return
        self._over = True
        self.tally[result] += 1
        self.seated.hand_over(self.cards, self.up_card, result)


@dataclass(frozen=True)
class ClientOptions:
    """Times in seconds."""

    quiet: float = 0.05  # Silence after which a message that lacks its NUL is taken as complete
    patience: float = 600.0  # Silence after which the dealer is given up
    wait: float = 5.0  # How long to try for a dealer that does not listen yet


def connect(host: str, port: int, wait: float) -> socket.socket:
    """A connection to the dealer, tried again until `wait` seconds have passed."""
    end = time.monotonic() + wait
    while True:
        try:
            sock = socket.create_connection((host, port), timeout=max(wait, 1.0))
        except (OSError, OverflowError, UnicodeError) as error:
            if isinstance(error, ConnectionRefusedError) and time.monotonic() < end:
                time.sleep(0.05)
                continue
            reason = getattr(error, "strerror", None) or str(error) or "no answer"
            raise UsageError(
                f"Nobody deals at {host}:{port} ({reason.lower()});"
                " start a dealer there or check the address."
            ) from error
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock


def join_table(sock: socket.socket, session: PlayerSession) -> None:
    """Send JOIN, once: dealers wait for it for a short time only."""
    if not session.joined:
        session.joined = True
        sock.sendall(session.opening())


def play(
    sock: socket.socket,
    session: PlayerSession,
    options: ClientOptions | None = None,
    progress: Callable[[PlayerSession], None] | None = None,
) -> None:
    """Join, unless that is done, and play until the dealer quits or is gone.

    `session` then says how it went.
    """
    options = options or ClientOptions()
    with contextlib.closing(sock):
        try:
            sock.settimeout(options.patience)
            join_table(sock, session)
            patience = options.patience
            while not session.ended:
                wanted = options.quiet if session.pending else options.patience
                if wanted != patience:
                    sock.settimeout(patience := wanted)
                _step(sock, session)
                if progress is not None:
                    progress(session)
        except OSError as error:
            session.hang_up(f"the dealer is gone ({(error.strerror or 'no answer').lower()})")


def _step(sock: socket.socket, session: PlayerSession) -> None:
    """Take one packet, or the silence after an unfinished message, and answer."""
    try:
        data = sock.recv(65_536)
    except TimeoutError:
        if not session.pending:
            raise
        answer = session.silence()
    else:
        if not data:
            session.hang_up("the dealer is gone without QUIT")
            return
        answer = session.receive(data)
    if answer:
        sock.sendall(answer)
