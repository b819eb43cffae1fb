"""Cash hands in PokerStars' text, read one by one, played by our rules and checked.

    for found in read_pokerstars("hands.txt"):
        if isinstance(found, RefusedHand):
            print(found.section, found.reason)  # the others are read all the same
        else:
            print(found.fields["hand"], found.state.history, found.returns())

A hand becomes what PHH's hands are (`holdem.phh_hand`): chips are hundredths of the currency (whole
play chips), players are in the order of position, and the state has played every action by the
rules. What the text says of the pot, of who won and of the rake must be what the replay gives, else
the hand is refused with the difference. Games are hold'em, Omaha with four and five cards, and 6+
hold'em. A board run twice, a capped game and a tournament are refused by name.

A file is read line by line: memory does not grow with it. UTF-8 with or without a mark at the
beginning, UTF-16 with one, and the older Windows encoding are recognised.
"""

from __future__ import annotations

import codecs
import datetime
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import IO, Any

from riverboat.errors import FileFormatError, RiverboatError
from riverboat.holdem.histories._pokerstars_replay import (
    CURRENCIES,
    HEADER_START,
    Story,
    is_foreign,
    is_header,
    read_story,
    replayed,
)
from riverboat.holdem.histories.hand import PhhHand, RefusedHand, reason_of
from riverboat.runtime.storage import open_regular

LONGEST_HAND = 5_000  # Lines of one hand; what goes on longer is no hand
LONGEST_LINE = 4_000
_MARKS = ("\ufeff", "ï")
"""What the mark at the beginning of UTF-8 begins with, read as UTF-8 or as Windows text."""
FOREIGN = (
    "it is in another language; choose English for hand histories in PokerStars (Settings,"
    " Playing History), or ask PokerStars for them in English"
)


def read_pokerstars(path: str | Path) -> Iterator[PhhHand | RefusedHand]:
    """The hands of a file in its order; one that cannot be read is named and does not stop."""
    return parse_pokerstars(pokerstars_lines(path))


def pokerstars_lines(path: str | Path) -> Iterator[str]:
    """The lines of a text file of any of the encodings that are met, one at a time."""
    with open_regular(path) as (stream, _):
        yield from _decoded(stream)


def _decoded(stream: IO[bytes]) -> Iterator[str]:
    start = stream.read(2)
    if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        stream.seek(0)
        reader = codecs.getreader("utf-16")(stream, "replace")
        yield from iter(lambda: reader.readline(LONGEST_LINE), "")
        return
    stream.seek(0)
    for raw in iter(lambda: stream.readline(LONGEST_LINE), b""):
        try:
            yield raw.decode("utf-8")
        except UnicodeDecodeError:
            yield raw.decode("cp1252", errors="replace")


def parse_pokerstars(lines: Iterable[str]) -> Iterator[PhhHand | RefusedHand]:
    """The same from lines, or from a text."""
    source = lines.splitlines() if isinstance(lines, str) else lines
    for number, block in enumerate(_hands(source), 1):
        yield _read(block, number)


def parse_pokerstars_hand(text: str) -> PhhHand:
    """The one hand of a text, or the reason why it cannot be read as an error."""
    hands = list(parse_pokerstars(text))
    if len(hands) != 1:
        raise FileFormatError(f"One PokerStars hand is wanted, not {len(hands)}.")
    if isinstance(hands[0], RefusedHand):
        raise FileFormatError(f"Hand {hands[0].section}: {hands[0].reason}")
    return hands[0]


def _hands(lines: Iterable[str]) -> Iterator[list[str]]:
    """The lines hand by hand; what precedes the first header is ignored."""
    block: list[str] = []
    blank = True
    for raw in chain(lines, [""]):
        line = raw.strip("\r\n\x00 \t")
        if line[:1] in _MARKS:
            line = line.removeprefix("\ufeff").removeprefix("ï»¿")
        if is_header(line) or (blank and line and is_foreign(line)):
            if block:
                yield block
            block = [line]
        elif block and line and len(block) < LONGEST_HAND:
            block.append(line)
        blank = not line or (blank and line.startswith("*****"))
    if block:
        yield block


def _read(block: list[str], number: int) -> PhhHand | RefusedHand:
    """The hand, or why not."""
    header = HEADER_START.match(block[0])
    section = f"#{header[1]}" if header else f"{number} of the file"
    try:
        if header is None:
            raise FileFormatError(FOREIGN)
        return _hand(read_story(block), section)
    except (RiverboatError, ArithmeticError, ValueError) as error:
        return RefusedHand(section, f"{reason_of(error)}.")


def _hand(story: Story, section: str) -> PhhHand:
    state, mucked = replayed(story)
    header, order = story.header, story.order
    unit = Decimal(1) if story.unit == 100 else Decimal("0.01")
    rules = state.game.betting_rules
    fields: dict[str, Any] = {
        "starting_stacks": [chips * unit for chips in rules.stacks],
        "venue": "PokerStars",
        "hand": int(header.number),
        "table": story.table,
        "seat_count": story.seat_count,
        "seats": [story.seats[name] for name in order],
        "players": list(order),
        "currency_symbol": header.symbol,
        "winnings": [story.collected.get(name, 0) // story.unit * unit for name in order],
        "_rake": story.rake // story.unit * unit,
        "_limit": header.limit,
        "_stakes": [header.small // story.unit * unit, header.big // story.unit * unit],
    }
    if header.symbol:
        fields["currency"] = CURRENCIES[header.symbol]
    if header.date:
        year, month, day, hour, minute, second = header.date
        fields |= {"year": year, "month": month, "day": day}
        fields["time"] = datetime.time(hour, minute, second)
        fields["time_zone_abbreviation"] = header.zone
    if header.zoom:
        fields["_zoom"] = True
    if story.hero in order:
        fields["_hero"] = story.hero
    return PhhHand(state, unit, mucked, fields, section)
