"""The lines of a PokerStars hand history, taken apart: header, seats, posts, actions, money.

    PokerStars Hand #78438784716:  Hold'em No Limit ($0.25/$0.50 USD) - 2012/04/06 15:58:37 ET
    Table 'Aenna II' 2-max Seat #2 is the button
    Seat 1: Anna ($21.86 in chips)
    Anna: raises $1 to $1.50 and is all-in
    Uncalled bet ($2.50) returned to Anna
    Anna collected $6.68 from pot
    Total pot $7 | Rake $0.32

Money is counted in hundredths here, whole numbers, so that nothing is rounded. A player's name may
hold anything, also colons and brackets: it is known from the seats.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field

from riverboat.cards.card import CARDS
from riverboat.errors import FileFormatError

__all__ = [
    "ACTION",
    "HEADER_START",
    "Header",
    "Money",
    "cents",
    "is_header",
    "parse_header",
    "read_cards",
    "split_name",
]

MAX_CENTS = 10**15
_MONEY = r"[$€£¥₹]?(?:[\d,]{1,15}(?:\.\d{1,2})?)"
HEADER_START = re.compile(r"PokerStars (?:Zoom |Home Game )?(?:Hand|Game) #(\d{1,20}):")
_FOREIGN = re.compile(r".{0,30}PokerStars.{0,30}\d{6,}", re.DOTALL)
_HEADER = re.compile(
    r"PokerStars (?P<kind>Zoom |Home Game )?(?:Hand|Game) #(?P<number>\d{1,20}):\s+"
    r"(?:\{[^}]*\}\s+)?(?P<game>.+?) (?P<limit>No Limit|Pot Limit|Limit)"
    rf"\s+\((?P<small>{_MONEY})/(?P<big>{_MONEY})(?P<rest>[^)]*)\)"
    r"(?: - (?P<date>.*))?"
)
_DATE = re.compile(r"(\d{4})/(\d\d)/(\d\d) (\d{1,2}):(\d\d):(\d\d)(?: ([A-Z]{1,5}))?")
TABLE = re.compile(r"Table '(?P<table>.*)' (?P<seats>\d{1,2})-max .*?Seat #(?P<button>\d{1,2}) is")
SEAT = re.compile(
    rf"Seat (?P<seat>\d{{1,2}}): (?P<name>.+) \((?P<stack>{_MONEY}) in chips(?:, [^)]*)?\)"
    r"(?P<out> (?:is sitting out|out of hand.*))?\s*"
)
STREET = re.compile(
    r"\*\*\* (?P<name>FLOP|TURN|RIVER) \*\*\*(?: \[(?P<before>[^\]]*)\])?? \[(?P<cards>[^\]]*)\]\s*"
)
TWICE = re.compile(r"\*\*\* (?:FIRST|SECOND) ")
ACTION = re.compile(
    r"(?P<verb>folds|checks|calls|bets|raises|shows|mucks hand|doesn't show hand|posts)\b"
    rf"(?:(?P<post> (?:the |a |dead |button )*(?:small & big blinds|small blind|big blind|ante|"
    rf"straddle|button blind))?(?: (?P<money>{_MONEY})(?: to (?P<to>{_MONEY}))?)?)"
    r"(?P<all_in> and (?:is all-in|has reached the .* cap))?(?: \[(?P<cards>[^\]]*)\])?"
)
DEALT = re.compile(r"Dealt to (?P<name>.+) \[(?P<cards>[^\]]*)\]\s*")
COLLECTED = re.compile(
    rf"(?P<name>.+) collected (?P<money>{_MONEY}) from (?:main |side )?pot(?:-\d+)?"
    r"(?: \([^)]*\))?\s*"
)
TOTAL = re.compile(rf"Total pot (?P<pot>{_MONEY})\b.*?\| Rake (?P<rake>{_MONEY})")
MUCKED = re.compile(
    r"Seat \d{1,2}: (?P<name>.+?)(?: \((?:button|small blind|big blind)\))*"
    r" (?:mucked|showed) \[(?P<cards>[^\]]*)\].*"
)
CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "₹": "INR", "": ""}
_NUMBER = {text: number for number, text in enumerate(CARDS)}


@dataclass(frozen=True)
class Header:
    """The first line of a hand."""

    number: str
    zoom: bool
    limit: str
    """ "no-limit", "pot-limit" or "fixed-limit"."""
    small: int
    big: int
    """Blinds in hundredths; in fixed-limit the small and the big bet."""
    symbol: str
    date: tuple[int, ...]
    """Year, month, day, hour, minute, second; empty where the line has none."""
    zone: str


@dataclass
class Money:
    """Who took what, and what the house took, as the text says."""

    collected: dict[str, int] = field(default_factory=dict)
    pot: int | None = None
    rake: int = 0


def cents(text: str) -> int:
    """An amount such as "$1,234.5" in hundredths."""
    whole, _, part = text.lstrip("$€£¥₹").replace(",", "").partition(".")
    number = int(whole or "0") * 100 + int((part + "00")[:2])
    if number > MAX_CENTS:
        raise FileFormatError(f"an amount of {text} is more than this program counts")
    return number


def is_header(line: str) -> bool:
    """Whether a hand begins with this line."""
    return line.startswith("PokerStars ") and HEADER_START.match(line) is not None


def is_foreign(line: str) -> bool:
    """Whether this looks like a header in another language than English."""
    return "PokerStars" in line[:60] and _FOREIGN.match(line) is not None


def parse_header(line: str) -> Header:
    """The header's facts; games that are not read are refused in words."""
    found = _HEADER.match(line)
    if "Tournament #" in line:
        raise FileFormatError("it is a tournament's hand, and only cash hands are read")
    if found is None:
        raise FileFormatError("its first line cannot be read as a cash hand in English")
    if found["game"] != "Hold'em":
        raise FileFormatError(f"it is {found['game'].strip()}, and only hold'em is read")
    if "Cap" in found["rest"]:
        raise FileFormatError("its betting has a cap, which is not played here")
    symbol = found["small"][0] if not found["small"][0].isdigit() else ""
    when = _DATE.match(found["date"] or "")
    limits = {"No Limit": "no-limit", "Pot Limit": "pot-limit", "Limit": "fixed-limit"}
    return Header(
        number=found["number"],
        zoom=found["kind"] == "Zoom ",
        limit=limits[found["limit"]],
        small=cents(found["small"]),
        big=cents(found["big"]),
        symbol=symbol,
        date=tuple(map(int, when.groups()[:6])) if when else (),
        zone=(when[7] or "") if when else "",
    )


def read_cards(text: str) -> list[int]:
    """The cards of "Ah Kd"; an unknown word is refused."""
    try:
        return [_NUMBER[word] for word in text.split()]
    except KeyError as error:
        raise FileFormatError(f"{error.args[0]!r} is no card") from None


def split_name(line: str, names: Container[str]) -> tuple[str, re.Match[str]] | None:
    """The player and the action of a line "Name: verb …"; None for lines of any other kind."""
    at = line.find(": ")
    while at > 0:
        name = line[:at]
        if name in names and (found := ACTION.match(line, at + 2)):
            return name, found
        at = line.find(": ", at + 1)
    return None
