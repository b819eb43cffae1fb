"""Spots in one call: made from a file, a text or a few words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from riverboat.cards.card import parse_cards
from riverboat.cards.ranges import Range
from riverboat.errors import UsageError
from riverboat.holdem.spots.spot import Spot

__all__ = ["make_spot"]


def make_spot(source: str | Path | None = None, **fields: Any) -> Spot:
    """A spot from a file, from the text of one, or from its fields.

    Fields are those of Spot: board ("Qs Jh 2h"), pot, stack, ranges ("AA,KK", "99,AJs") and more.
    """
    if source is not None and fields:
        raise UsageError("Name a spot's file or give its fields, not both.")
    if source is None:
        return _from_fields(dict(fields))
    text = str(source)
    return Spot.from_toml(text) if "\n" in text else Spot.load(text)


def _from_fields(fields: dict[str, Any]) -> Spot:
    missing = {"board", "pot", "stack", "ranges"} - fields.keys()
    if missing:
        raise UsageError(f"A spot needs {', '.join(sorted(missing))}, or a file with them.")
    board, ranges = fields.pop("board"), fields.pop("ranges")
    if isinstance(ranges, str) or not isinstance(ranges, Sequence) or len(ranges) != 2:
        raise UsageError("A spot has two ranges: out of position first, then in position.")
    read = [Range.parse(text) if isinstance(text, str) else text for text in ranges]
    cards = parse_cards(board) if isinstance(board, str) else board
    try:
        return Spot(board=tuple(cards), ranges=(read[0], read[1]), **fields)
    except TypeError as error:
        raise UsageError(f"A spot cannot be made so: {error}.") from None
