"""Ranges as other programs write them: PioSOLVER, GTO+, eval7, and our own plain notation.

    plain    QQ+,AKs:0.5,AsKd          Range.parse and str(range)
    pio      0 0 0.5 1 …               1,326 numbers, 2d2c 2h2c 2h2d 2s2c … AsAh
    gto+     [50]AKs,KQs[/50],AA       per cent around a list
    eval7    AA, 0.5(AKs, KQs)         a weight before a list in brackets

`parse_range` reads any of them, told apart by themselves or named; `format_range` writes one that
`parse_range` reads back to the same weights. In eval7 a plus moves the second card only, also for
neighbours (98s+ is 98s alone), and what stands between two # is a remark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import RANKS, card_text
from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES, class_of_combos, combo_text
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError, UnknownNameError

__all__ = ["FORMATS", "format_range", "parse_range", "pio_hands", "pio_order"]

FORMATS = ("plain", "pio", "gto+", "eval7")
LONGEST_TEXT = 200_000
"""Characters of a range; 1,326 numbers with all their digits have 30,000."""
_GROUP = re.compile(r"(?P<number>\d*\.?\d+)(?P<percent>%?)\s*\((?P<body>[^()]*)\)")
_TAG = re.compile(r"#[^#]*#")
_NEIGHBOURS = re.compile(r"([2-9TJQKA])([2-9TJQKA])([so]?)\+", re.IGNORECASE)


@lru_cache(maxsize=1)
def pio_order() -> NDArray[np.int64]:
    """(1326,) our number of each hand in PioSOLVER's order: 2d2c, 2h2c, 2h2d, 2s2c, … AsAh."""
    high, low = np.tril_indices(52, k=-1)
    order = low * (101 - low) // 2 + high - 1
    order.setflags(write=False)
    return np.asarray(order, np.int64)


@lru_cache(maxsize=1)
def pio_hands() -> tuple[str, ...]:
    """The texts of the hands in that order, high card first."""
    high, low = np.tril_indices(52, k=-1)
    return tuple(card_text(int(a)) + card_text(int(b)) for a, b in zip(high, low, strict=True))


def parse_range(text: str, form: str | None = None) -> Range:
    """A range from a text of any of the forms, or of the one that is named."""
    if len(text) > LONGEST_TEXT:
        raise ParameterError(f"A range of {len(text):,} characters is too long to be one.")
    chosen = _guess(text) if form is None else form
    if chosen == "pio":
        return _parse_pio(text)
    if chosen == "eval7":
        return _parse_eval7(text)
    if chosen in ("plain", "gto+"):
        return Range.parse(text)
    raise UnknownNameError.among("form of ranges", chosen, FORMATS)


def format_range(range_: Range, form: str = "plain") -> str:
    """A range as a text of one of the forms."""
    if form == "plain":
        return str(range_)
    if form == "pio":
        return " ".join(f"{weight:.17g}" for weight in range_.weights[pio_order()].tolist())
    if form == "gto+":
        return ",".join(_gto_groups(range_))
    if form == "eval7":
        return ", ".join(_eval7_groups(range_))
    raise UnknownNameError.among("form of ranges", form, FORMATS)


def _guess(text: str) -> str:
    """The form of a text: many bare numbers are Pio's, a weight before a bracket is eval7's."""
    if text.lstrip()[:1].isdigit() and len(text.split()) > 169:
        return "pio"
    return "eval7" if _GROUP.search(text) or _TAG.search(text) else "plain"


def _parse_pio(text: str) -> Range:
    words = text.split()
    if len(words) != len(pio_order()):
        raise ParameterError(f"PioSOLVER's ranges have 1326 numbers, not {len(words):,}.")
    weights = np.zeros(len(words))
    try:
        weights[pio_order()] = [float(word) for word in words]
    except ValueError:
        raise ParameterError("PioSOLVER's ranges have numbers only, from 0 to 1.") from None
    if not weights.any():
        raise ParameterError("The range holds no hand: all its 1326 numbers are 0.")
    return Range(weights)


def _parse_eval7(text: str) -> Range:
    plain = _GROUP.sub(_group_to_colons, _TAG.sub("", text))
    if "(" in plain or ")" in plain:
        raise ParameterError(f"The brackets of {text[:60]!r} do not match; write 0.5(AKs, KQs).")
    return Range.parse(_NEIGHBOURS.sub(_second_card_only, plain))


def _group_to_colons(found: re.Match[str]) -> str:
    """`0.5(AA, KK)` as `AA:0.5,KK:0.5`."""
    items = [item for item in re.split(r"[,;\s]+", found["body"].strip()) if item]
    return ",".join(f"{item}:{found['number']}{found['percent']}" for item in items)


def _second_card_only(found: re.Match[str]) -> str:
    high, low = sorted((RANKS.index(rank) for rank in found.group(1, 2)), reverse=True)
    return found[0][:-1] if high - low == 1 else found[0]


def _items(range_: Range) -> dict[float, list[str]]:
    """Classes that have one weight, and single combos of the others, by weight."""
    found: dict[float, list[str]] = {}
    classes = class_of_combos()
    for number in range(NUM_CLASSES):
        combos = np.flatnonzero(classes == number)
        weights = range_.weights[combos]
        if not weights.any():
            continue
        if (weights == weights[0]).all():
            found.setdefault(float(weights[0]), []).append(CLASS_NAMES[number])
            continue
        for combo, weight in zip(combos.tolist(), weights.tolist(), strict=True):
            if weight:
                found.setdefault(weight, []).append(combo_text(combo))
    return found


def _gto_groups(range_: Range) -> Iterator[str]:
    for weight, names in sorted(_items(range_).items(), reverse=True):
        text = ",".join(names)
        percent = f"{(Decimal(repr(weight)) * 100).normalize():f}"
        yield text if weight == 1 else f"[{percent}]{text}[/{percent}]"


def _eval7_groups(range_: Range) -> Iterator[str]:
    for weight, names in sorted(_items(range_).items(), reverse=True):
        text = ", ".join(names)
        yield text if weight == 1 else f"{Decimal(repr(weight)):f}({text})"
