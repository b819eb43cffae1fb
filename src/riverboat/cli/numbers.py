"""The numbers of the command line: counts written as `1e6`, and bounds on every number.

`WholeNumber` and `Number` are the parsers of options and arguments: what they refuse is one
sentence that names the option.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from riverboat.errors import UsageError

_POWER = re.compile(r"\d+(\.\d+)?[eE]\+?\d{1,4}|\d{1,3}(,\d{3})+|\d+(_\d+)+", re.ASCII)
LARGEST = 2**63 - 1
MAX_COUNT, MAX_NUMBER = 10**11, 1e12
"""Largest values of options that name no limit of their own; no count or time needs more."""


@dataclass(frozen=True)
class WholeNumber:
    """Reads a whole number from `low` to `high`."""

    name: str
    low: int
    high: int

    def __call__(self, text: Any) -> int:
        if isinstance(text, int):  # the default
            return text
        digits = whole_number(text)
        if not re.fullmatch(r"[+-]?\d+", digits, re.ASCII):
            raise UsageError(f"{self.name} takes a whole number such as 1000 or 1e6, not {text!r}.")
        if not self.low <= int(digits) <= self.high:
            raise UsageError(f"{self.name} takes {self.low:,} to {self.high:,}, not {text}.")
        return int(digits)


@dataclass(frozen=True)
class Number:
    """Reads a finite number from `low` to `high`."""

    name: str
    low: float
    high: float

    def __call__(self, text: Any) -> float:
        if isinstance(text, int | float):  # the default
            return text
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise UsageError(f"{self.name} takes a number such as 1.5, not {text!r}.")
        if not self.low <= number <= self.high:
            raise UsageError(f"{self.name} takes {self.low:,} to {self.high:,}, not {text}.")
        return number


def whole_number(text: str) -> str:
    """Return `1e6`, `2.5e3`, `1_000` and `1,000` as plain digits; anything else unchanged.

    A number that no machine can count to is refused with the time it would take.
    """
    text = text.strip()
    if _POWER.fullmatch(text):
        number = Decimal(text.replace(",", "").replace("_", ""))
        if number == number.to_integral_value():
            _refuse_endless(text, number)
            return str(int(number))
    elif text.isascii() and text.isdigit():
        _refuse_endless(text, Decimal(text))
    return text


def _refuse_endless(text: str, number: Decimal) -> None:
    if number > LARGEST:
        shown = text if len(text) <= 20 else f"{number:.1e}"
        years = number / Decimal(10**9) / Decimal(31_557_600)
        raise UsageError(
            f"{shown} is too many: at a billion per second it would take {years:.1e} years."
        )
