"""What may be bet in a spot: the words for sizes, the chips they mean, and what is done to them.

33%       a third of the pot; as a raise, of the pot after the call, on top of the call
0.5p      the same as 50%, as blueprints write it
2.5x      a raise to 2.5 times the bet it answers
100c      100 chips; as a raise, 100 chips on top of the bet it answers
e         geometric: equal shares of the pot on all streets left, the last one all-in
2e        the same over two streets
3e200%    the same over three streets, at most twice the pot
a         all-in

`PlayerSizes` are a player's sizes on one street, `TreeOptions` what is done to all of them; `tree`
says in which order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from riverboat.errors import ParameterError

STREETS = ("flop", "turn", "river")  # The names of the streets from Street.FLOP on

_NUMBER = r"\d+(?:\.\d*)?|\.\d+"
_COUNTED = re.compile(rf"({_NUMBER})([%pxc])")
_GEOMETRIC = re.compile(rf"(\d{{0,4}})e(?:({_NUMBER})%)?")
_MAX_NUMBER = 1e9


@dataclass(frozen=True)
class BetContext:
    """What a size depends on, in whole units of chips."""

    pot: int  # After a call of the bet that is faced, if any
    faced: int  # Chips of the bet that is faced, on this street; 0 if there is none
    all_in: int  # Chips on this street that mean all-in
    streets_left: int  # This one included
    num_bets: int  # Bets and raises on this street so far
    unit: int  # How many units a chip has


@dataclass(frozen=True)
class BetSize:
    """One size: its text, and how it is counted."""

    text: str
    kind: str  # One of "%", "x", "c", "e" and "a"
    number: float = 0.0  # The factor of the pot or the bet, or the chips
    streets: int = 0  # Of a geometric size; 0 for all that are left

    def chips(self, at: BetContext) -> int:
        """What the street's chips are raised to, before any limit."""
        if self.kind == "a":
            return at.all_in
        if self.kind == "x":
            return round_half_up(at.faced * self.number)
        if self.kind == "c":
            return at.faced + round_half_up(self.number * at.unit)
        if self.kind == "%":
            return at.faced + round_half_up(at.pot * self.number)
        streets = self.streets or at.streets_left
        streets = max(1, streets - max(0, at.num_bets - 1) if at.faced else streets)
        ratio = 2.0 * (at.all_in - at.faced) / at.pot + 1.0
        share = (ratio ** (1.0 / streets) - 1.0) / 2.0
        return at.faced + round_half_up(at.pot * min(share, self.number))


ALL_IN = BetSize("a", "a")


def round_half_up(amount: float) -> int:
    """To the nearest whole number, halves up."""
    return math.floor(amount + 0.5)


def parse_sizes(text: str, where: str, *, raises: bool = False) -> tuple[BetSize, ...]:
    """The sizes in a text such as "33%,75%,a"; `where` names the place in messages."""
    words = [word for word in re.split(r"[,;\s]+", text.strip()) if word]
    return tuple(dict.fromkeys(_parse(word, where, raises) for word in words))


def _parse(word: str, where: str, raises: bool) -> BetSize:
    plain = word.lower()
    if plain == "a":
        return ALL_IN
    if match := _COUNTED.fullmatch(plain):
        kind = match[2]
        if kind == "x" and not raises:
            raise ParameterError(
                f"{where} has {word!r}, which multiplies a bet, so only a raise can have it."
            )
        if kind == "x" and float(match[1]) <= 1:
            raise ParameterError(f"{where} has {word!r}; a raise is above 1x the bet.")
        number = _positive(match[1], word, where)
        if kind == "p":
            return BetSize(f"{100 * number:.10g}%", "%", number)
        return BetSize(plain, kind, number / 100 if kind == "%" else number)
    if match := _GEOMETRIC.fullmatch(plain):
        most = math.inf if match[2] is None else _positive(match[2], word, where) / 100
        streets = int(match[1] or "0")
        if match[1] and not 1 <= streets <= 9:
            raise ParameterError(f"{where} has {word!r}; a geometric size has 1 to 9 streets.")
        return BetSize(plain, "e", most, streets)
    raise ParameterError(
        f"{where} has {word!r}, which is no size; write for example 33%, 2.5x, 100c, 2e or a."
    )


def _positive(number: str, word: str, where: str) -> float:
    value = float(number)
    if not 0 < value <= _MAX_NUMBER:
        raise ParameterError(f"{where} has {word!r}; a size lies above 0 and up to a billion.")
    return value


def sizes_text(sizes: tuple[BetSize, ...]) -> str:
    """The text that `parse_sizes` reads back."""
    return ",".join(size.text for size in sizes)


@dataclass(frozen=True)
class PlayerSizes:
    """What one player may bet on one street."""

    bet: tuple[BetSize, ...] = ()
    raises: tuple[BetSize, ...] = ()
    donk: tuple[BetSize, ...] | None = None
    """OOP's bets into the one who bet last on the street before; None for the same as `bet`."""


@dataclass(frozen=True)
class TreeOptions:
    """What is done to the sizes, or lines instead of them."""

    allin_below_spr: float = 0.0  # All-in is added where the stack left is at most this many pots
    force_allin: float = 0.0  # A bet that leaves at most this part of the stack becomes all-in
    merge: float = 0.0
    """A size of b pots is dropped next to one of a pots where (1 + a) / (1 + b) < 1 + merge."""
    raises: int | None = None  # The most bets and raises on one street
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()  # The whole tree, line by line, instead of sizes

    def __post_init__(self) -> None:
        for name, most in (("allin_below_spr", math.inf), ("force_allin", 1.0), ("merge", 1.0)):
            value = getattr(self, name)
            if not 0 <= value <= most or math.isnan(value):
                raise ParameterError(f"tree.{name} must lie from 0 up to {most:g}, not {value}.")
        if self.raises is not None and self.raises < 1:
            raise ParameterError(f"tree.raises must be at least 1, not {self.raises}.")


Sizes = Mapping[str, tuple[PlayerSizes, ...]]
"""Street → sizes of each player."""
