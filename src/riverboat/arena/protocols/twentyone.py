"""The wire of the twenty-one table: bytes ↔ messages, without sockets.

Every message is ASCII text that ends in one NUL byte:

    player → dealer   JOIN name   HIT   STAND
    dealer → player   BEGIN   CARD Rank of Suit   DEALER Rank of Suit   DECISION
                      RESULT WIN|LOOSE|BUST|PUSH   QUIT

Writing is exact. Reading is lenient, since the programs that speak this wire differ: any case,
blanks and line ends around a message, `RESULT LOSE` or `LOSS`, and messages run together without
their NUL are all understood. A card is 4·rank + suit with the two first and clubs first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from riverboat.errors import RiverboatError

__all__ = [
    "BEGIN",
    "CARD",
    "CARD_CODES",
    "CARD_NAMES",
    "DEALER",
    "DECISION",
    "HIT",
    "MAX_MESSAGE",
    "QUIT",
    "RANKS",
    "RESULT",
    "STAND",
    "SUITS",
    "Framer",
    "Kind",
    "Message",
    "MessageTooLongError",
    "Outcome",
    "clean_name",
    "join",
    "read",
]

RANKS = (
    "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten",
    "Jack", "Queen", "King", "Ace",
)  # fmt: skip
SUITS = ("Clubs", "Diamonds", "Hearts", "Spades")
CARD_NAMES = tuple(f"{rank} of {suit}" for rank in RANKS for suit in SUITS)
CARD_CODES = tuple(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")

MAX_MESSAGE = 16_384
"""Longest message in bytes that is read at all; a longer one is a peer gone wrong."""

MAX_NAME = 40
"""Names are shown and logged up to this many characters."""


class Outcome(Enum):
    """How a hand ended, spelt as on the wire."""

    WIN = "WIN"
    LOSE = "LOOSE"
    BUST = "BUST"
    PUSH = "PUSH"

    @property
    def reward(self) -> int:
        """What the hand pays: 1, 0 or −1."""
        return _REWARDS[self.name]


_REWARDS = {"WIN": 1, "LOSE": -1, "BUST": -1, "PUSH": 0}


class Kind(Enum):
    """The first word of a message; UNKNOWN for a word nobody knows."""

    JOIN = "JOIN"
    HIT = "HIT"
    STAND = "STAND"
    BEGIN = "BEGIN"
    CARD = "CARD"
    DEALER = "DEALER"
    DECISION = "DECISION"
    RESULT = "RESULT"
    QUIT = "QUIT"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Message:
    """One message taken apart; `card`, `outcome` and `text` are set where the kind has them."""

    kind: Kind
    card: int = -1
    outcome: Outcome | None = None
    text: str = ""
    """The name of a JOIN, or the raw text of an UNKNOWN message."""


class MessageTooLongError(RiverboatError):
    """A peer sent more than MAX_MESSAGE bytes without a NUL."""


BEGIN = b"BEGIN\0"
DECISION = b"DECISION\0"
QUIT = b"QUIT\0"
HIT = b"HIT\0"
STAND = b"STAND\0"
CARD = tuple(f"CARD {name}\0".encode() for name in CARD_NAMES)
DEALER = tuple(f"DEALER {name}\0".encode() for name in CARD_NAMES)
RESULT = {outcome: f"RESULT {outcome.value}\0".encode() for outcome in Outcome}


def join(name: str) -> bytes:
    """The JOIN message of a name; blanks and NUL in it become underscores."""
    plain = re.sub(r"[\s\0]+", "_", name.strip())
    return f"JOIN {plain}\0".encode()


def clean_name(name: str) -> str:
    """A name fit to show: printable, single blanks, at most MAX_NAME characters."""
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name)
    shown = " ".join(shown.split()) or "player"
    return shown if len(shown) <= MAX_NAME else shown[: MAX_NAME - 1] + "…"


class Framer:
    """Cuts a byte stream at its NUL bytes, however the packets fell."""

    def __init__(self, limit: int = MAX_MESSAGE) -> None:
        self._limit = limit
        self._rest = b""

    @property
    def rest(self) -> bytes:
        """What has come since the last NUL."""
        return self._rest

    def take_rest(self) -> bytes:
        """Hand out the unfinished message as if its NUL had come."""
        rest, self._rest = self._rest, b""
        return rest

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that `data` completes, without their NUL; empty ones are left out."""
        *complete, self._rest = (self._rest + data).split(b"\0")
        if len(self._rest) > self._limit or any(len(raw) > self._limit for raw in complete):
            self._rest = b""
            raise MessageTooLongError(f"More than {self._limit} bytes came without a NUL.")
        return [raw for raw in complete if raw]


_OUTCOME_WORDS = {
    "WIN": Outcome.WIN, "WON": Outcome.WIN,
    "LOOSE": Outcome.LOSE, "LOSE": Outcome.LOSE, "LOSS": Outcome.LOSE, "LOST": Outcome.LOSE,
    "BUST": Outcome.BUST,
    "PUSH": Outcome.PUSH, "TIE": Outcome.PUSH, "DRAW": Outcome.PUSH,
}  # fmt: skip
_CARDS_BY_NAME = {name.upper(): card for card, name in enumerate(CARD_NAMES)}
_BARE = (Kind.BEGIN, Kind.DECISION, Kind.QUIT, Kind.HIT, Kind.STAND)


def _exact() -> dict[bytes, tuple[Message, ...]]:
    """Every message of a fixed spelling, so that reading one costs a single look-up."""
    table = {kind.value: Message(kind) for kind in _BARE}
    table |= {f"RESULT {o.value}": Message(Kind.RESULT, outcome=o) for o in Outcome}
    for card, name in enumerate(CARD_NAMES):
        table[f"CARD {name}"] = Message(Kind.CARD, card)
        table[f"DEALER {name}"] = Message(Kind.DEALER, card)
    return {text.encode(): (message,) for text, message in table.items()}


_EXACT = _exact()
_PATTERN = re.compile(
    r"\s*(?:(?P<bare>BEGIN|DECISION|QUIT|HIT|STAND)"
    rf"|(?P<where>CARD|DEALER)\s+(?P<rank>{'|'.join(RANKS)})\s+OF\s+(?P<suit>{'|'.join(SUITS)})"
    rf"|RESULT\s+(?P<outcome>{'|'.join(_OUTCOME_WORDS)}))\s*",
    re.IGNORECASE,
)
_JOIN = re.compile(r"\s*JOIN(?:\s+(?P<name>.*))?$", re.IGNORECASE | re.DOTALL)


def read(raw: bytes) -> tuple[Message, ...]:
    """The messages in one frame: nearly always one; several where a peer forgot the NUL between.

    A frame that is not wholly understood is one UNKNOWN message, so that `read` never guesses.
    """
    return _EXACT.get(raw) or _read_leniently(raw.decode("utf-8", "replace"))


def _read_leniently(text: str) -> tuple[Message, ...]:
    if named := _JOIN.match(text):
        return (Message(Kind.JOIN, text=(named["name"] or "").strip()),)
    found: list[Message] = []
    position = 0
    while position < len(text):
        part = _PATTERN.match(text, position)
        if part is None:
            return (Message(Kind.UNKNOWN, text=text),)
        found.append(_message(part))
        position = part.end()
    return tuple(found) or (Message(Kind.UNKNOWN, text=text),)


def _message(part: re.Match[str]) -> Message:
    if bare := part["bare"]:
        return Message(Kind(bare.upper()))
    if outcome := part["outcome"]:
        return Message(Kind.RESULT, outcome=_OUTCOME_WORDS[outcome.upper()])
    card = _CARDS_BY_NAME[f"{part['rank']} of {part['suit']}".upper()]
    return Message(Kind(part["where"].upper()), card)
