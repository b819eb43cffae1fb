"""The wire of the twenty-one table: bytes ↔ messages, without sockets.

Every message is ASCII text that ends in one NUL byte:

    player → dealer   JOIN name   HIT   STAND
    dealer → player   BEGIN   CARD Rank of Suit   DEALER Rank of Suit   DECISION
                      RESULT WIN|LOOSE|BUST|PUSH   QUIT

Our own players end their JOIN in a tab: they frame on NUL, so that a dealer need not pause between
messages. A token may follow the tab, `JOIN name<TAB>=token`, by which a player takes its place in
a tournament again. To dealers that do not know of it the tab is a blank after the name; it is left
out after a long name, where it would be one byte too many for the buffers of some dealers.

Writing is exact. Reading is lenient, since the programs that speak this wire differ: any case,
blanks and line ends around a message, `RESULT LOSE` or `LOSS`, and messages run together without
their NUL are all understood, ranks as figures or letters too. Cards are the game's own: "As".
The Announcer makes messages of the events of a table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from riverboat.errors import ParameterError, RiverboatError
from riverboat.twentyone.events import Acted, Asked, Dealt, Finished, Folded, Settled, TableEvent
from riverboat.twentyone.game import DECK, Result

_RANKS = {
    "A": "Ace", "2": "Two", "3": "Three", "4": "Four", "5": "Five", "6": "Six", "7": "Seven",
    "8": "Eight", "9": "Nine", "T": "Ten", "J": "Jack", "Q": "Queen", "K": "King",
}  # fmt: skip
_SUITS = {"c": "Clubs", "d": "Diamonds", "h": "Hearts", "s": "Spades"}
_RESULTS = {Result.WIN: "WIN", Result.LOSE: "LOOSE", Result.BUST: "BUST", Result.PUSH: "PUSH"}

MAX_MESSAGE = 16_384
"""Longest message in bytes that is read at all; a longer one is a peer gone wrong."""

_LAST_WORDS = (b"DECISION", b"HIT", b"STAND", b"QUIT")

_TOKEN = re.compile(r"[!-~]{1,64}")

MAX_MARKED_NAME = 13
"""Bytes of a name that the tab may follow: dealers of the course read a JOIN, or copy its name,
into buffers of 20 and 30 bytes, and up to this length all of it fits either way."""

MAX_NAME = 40  # Names are shown and logged up to this many characters
BEGIN = b"BEGIN\0"
DECISION = b"DECISION\0"
QUIT = b"QUIT\0"
HIT = b"HIT\0"
STAND = b"STAND\0"
_NAMES = {card: f"{_RANKS[card[0]]} of {_SUITS[card[1]]}" for card in DECK}
CARD = {card: f"CARD {name}\0".encode() for card, name in _NAMES.items()}
DEALER = {card: f"DEALER {name}\0".encode() for card, name in _NAMES.items()}
RESULT = {result: f"RESULT {word}\0".encode() for result, word in _RESULTS.items()}
_RESULT_WORDS = {
    "WIN": Result.WIN, "WON": Result.WIN,
    "LOOSE": Result.LOSE, "LOSE": Result.LOSE, "LOSS": Result.LOSE, "LOST": Result.LOSE,
    "BUST": Result.BUST,
    "PUSH": Result.PUSH, "TIE": Result.PUSH, "DRAW": Result.PUSH,
}  # fmt: skip
_RANK_WORDS = {name.upper(): rank for rank, name in _RANKS.items()}
_SUIT_WORDS = {name.upper(): suit for suit, name in _SUITS.items()}
# Without ASCII, "HİT" would be HIT to a pattern and another word to str.upper.
_ANY_CASE = re.IGNORECASE | re.ASCII
_PATTERN = re.compile(
    r"\s*(?:(?P<bare>BEGIN|DECISION|QUIT|HIT|STAND)"
    rf"|(?P<where>CARD|DEALER)\s+(?P<rank>{'|'.join(_RANK_WORDS)})"
    rf"\s+OF\s+(?P<suit>{'|'.join(_SUIT_WORDS)})"
    rf"|RESULT\s+(?P<result>{'|'.join(_RESULT_WORDS)}))\s*",
    _ANY_CASE,
)
_JOIN = re.compile(
    r"\s*JOIN(?:\s+(?P<name>.*?)(?P<mark>(?<=\S)\t(?:=(?P<token>[!-~]{1,64}))?)?)?$",
    _ANY_CASE | re.DOTALL,
)
_RESULT = {result.value: raw for result, raw in RESULT.items()}


class Kind(Enum):
    """The first word of a message; UNKNOWN for any other word."""

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
    """One message taken apart; `card`, `result` and `text` are set where the kind has them."""

    kind: Kind
    card: str = ""
    result: Result | None = None
    text: str = ""  # The name of a JOIN, or the raw text of an UNKNOWN message
    frames: bool = False  # Whether a JOIN says that its sender cuts the stream at NUL
    token: str = ""  # What a JOIN has to show that it is the same player as before


class MessageTooLongError(RiverboatError):
    """A peer sent more than MAX_MESSAGE bytes without a NUL."""


def join(name: str, token: str = "") -> bytes:
    """The JOIN message of a name; blanks and NUL in it become underscores."""
    plain = re.sub(r"[\s\0]+", "_", name.strip())
    marked = token or len(plain.encode(errors="replace")) <= MAX_MARKED_NAME
    mark = "\t" if marked else ""
    shown = f"={check_token(token)}" if token else ""
    return f"JOIN {plain}{mark}{shown}\0".encode(errors="replace")


def check_token(token: str) -> str:
    """The token, or a sentence about what a token is."""
    if not _TOKEN.fullmatch(token):
        raise ParameterError("A token is 1 to 64 letters, digits or ASCII signs without blanks.")
    return token


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

    @property
    def ends_in_last_word(self) -> bool:
        """Whether the rest ends in a word that only a NUL can follow."""
        return self._rest.endswith(_LAST_WORDS)

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that `data` completes, without their NUL; empty ones are left out."""
        *complete, self._rest = (self._rest + data).split(b"\0")
        if len(self._rest) > self._limit or any(len(raw) > self._limit for raw in complete):
            self._rest = b""
            raise MessageTooLongError(f"More than {self._limit} bytes came without a NUL.")
        return [raw for raw in complete if raw]


_RANK_WORDS |= {rank: rank for rank in _RANKS} | {"10": "T", "1": "A"}
_BARE = (Kind.BEGIN, Kind.DECISION, Kind.QUIT, Kind.HIT, Kind.STAND)


def _exact() -> dict[bytes, tuple[Message, ...]]:
    """Every message of a fixed spelling, so that reading one costs a single look-up."""
    table = {kind.value: Message(kind) for kind in _BARE}
    table |= {f"RESULT {word}": Message(Kind.RESULT, result=r) for r, word in _RESULTS.items()}
    for card, name in _NAMES.items():
        table[f"CARD {name}"] = Message(Kind.CARD, card)
        table[f"DEALER {name}"] = Message(Kind.DEALER, card)
    return {text.encode(): (message,) for text, message in table.items()}


_EXACT = _exact()


def read(raw: bytes) -> tuple[Message, ...]:
    """The messages in one frame: nearly always one; several where a peer forgot the NUL between.

    A frame that is not wholly understood is one UNKNOWN message, so that `read` never guesses.
    """
    return _EXACT.get(raw) or _read_leniently(raw.decode("utf-8", "replace"))


def _read_leniently(text: str) -> tuple[Message, ...]:
    if named := _JOIN.match(text):
        name, marked = (named["name"] or "").strip(), named["mark"] is not None
        return (Message(Kind.JOIN, text=name, frames=marked, token=named["token"] or ""),)
    messages: list[Message] = []
    position = 0
    while position < len(text):
        part = _PATTERN.match(text, position)
        if part is None:
            return (Message(Kind.UNKNOWN, text=text),)
        messages.append(_message(part))
        position = part.end()
    return tuple(messages) or (Message(Kind.UNKNOWN, text=text),)


def _message(part: re.Match[str]) -> Message:
    if bare := part["bare"]:
        return Message(Kind(bare.upper()))
    if result := part["result"]:
        return Message(Kind.RESULT, result=_RESULT_WORDS[result.upper()])
    card = _RANK_WORDS[part["rank"].upper()] + _SUIT_WORDS[part["suit"].upper()]
    return Message(Kind(part["where"].upper()), card)


class Announcer:
    """Listens to a table. What is to be said to a seat lies in `outbox[seat]` to be taken away.

    With `quit_at_end` off the last round is not followed by QUIT: the seats play on elsewhere.
    """

    def __init__(self, seats: int, *, quit_at_end: bool = True) -> None:
        self.outbox: list[list[bytes]] = [[] for _ in range(seats)]
        self._quit_at_end = quit_at_end
        self._out: set[int] = set()

    def receive(self, event: TableEvent) -> None:
        """Put an event into messages."""
        if isinstance(event, Asked):
            self.outbox[event.seat].append(DECISION)
        elif isinstance(event, Acted):
            if event.card:
                self.outbox[event.seat].append(CARD[event.card])
        elif isinstance(event, Dealt):
            up = DEALER[event.up]
            for out, hand in zip(self.outbox, event.hands, strict=True):
                if hand is not None:
                    out += (BEGIN, CARD[hand[0]], CARD[hand[1]], up)
        elif isinstance(event, Settled):
            for out, word in zip(self.outbox, event.results, strict=True):
                if word in _RESULT:
                    out.append(_RESULT[word])
        elif isinstance(event, Folded):
            self._out.add(event.seat)
            self.outbox[event.seat].append(QUIT)
        elif isinstance(event, Finished) and self._quit_at_end:
            for seat, out in enumerate(self.outbox):
                if seat not in self._out:
                    out.append(QUIT)
