"""A spot as the texts of a form: each field is checked by itself and refused in its own sentence.

    form = SpotForm(board="Qs Jh 2h", pot="60", stack="170", oop="QQ+", ip="99-TT")
    form.sizes["flop", 0, "bet"] = "33%, 75%"
    form.errors()          {} or, for example, {"pot": "The pot must be above 0 …"}
    form.spot()            the spot, or the first error

Fields are named board, pot, stack, rate, cap, target, oop, ip, and "flop.oop.bet" for a size.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from riverboat.cards.card import cards_text, parse_cards
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError, RiverboatError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.rules.icm import Payouts
from riverboat.holdem.spots.bet_sizes import parse_sizes, sizes_text
from riverboat.holdem.spots.engine.solver_run import parse_target
from riverboat.holdem.spots.spot import PLAYERS, STREETS, PlayerSizes, Spot, TreeOptions

KINDS = ("bet", "raise", "donk")
SizeField = tuple[str, int, str]  # Street, player and kind


def size_fields(first_street: Street = Street.FLOP) -> Iterator[SizeField]:
    """Every size that a form asks for, from a street on; only OOP can make a donk bet.

    A donk bet goes into the one who bet last on the street before, so the first street has none.
    """
    for number, street in enumerate(STREETS, Street.FLOP):
        for player in (0, 1):
            for kind in KINDS:
                donk = kind == "donk"
                if number >= first_street and not (donk and (player or number == first_street)):
                    yield street, player, kind


@dataclass
class SpotForm:
    """What stands in each field."""

    board: str = ""
    pot: str = ""
    stack: str = ""
    oop: str = ""
    ip: str = ""
    rate: str = "0"  # The rake in per cent of the pot
    cap: str = "0"  # The most chips of rake
    target: str = "0.5%"
    sizes: dict[SizeField, str] = field(default_factory=dict)
    """An empty donk bet stands for the same as the bets, "-" for none."""
    tree: TreeOptions = field(default_factory=TreeOptions)
    dead: tuple[int, ...] = ()
    payouts: Payouts | None = None

    @classmethod
    def of(cls, spot: Spot, target: str = "0.5%") -> SpotForm:
        """The form that gives a spot."""
        texts: dict[SizeField, str] = {}
        for street, player, kind in size_fields(spot.street):
            own = spot.sizes_on(Street[street.upper()], player)
            text = sizes_text(own.bet if kind == "bet" else own.raises)
            if kind == "donk":
                text = "" if own.donk is None else sizes_text(own.donk) or "-"
            texts[street, player, kind] = text
        return cls(
            cards_text(spot.board),
            f"{spot.pot:.10g}",
            f"{spot.stack:.10g}",
            str(spot.ranges[0]),
            str(spot.ranges[1]),
            f"{100 * spot.rake_rate:.10g}",
            f"{spot.rake_cap:.10g}",
            target,
            texts,
            spot.tree,
            spot.dead,
            spot.payouts,
        )

    def errors(self) -> dict[str, str]:
        """Field → what is wrong with it; "" for what is wrong with the whole."""
        found: dict[str, str] = {}
        for name, check in self._checks():
            try:
                check()
            except RiverboatError as error:
                found[name] = str(error)
        if not found:
            try:
                self._made()
            except RiverboatError as error:
                found[""] = str(error)
        return found

    def spot(self) -> Spot:
        """The spot; refused with the first error."""
        for name, sentence in self.errors().items():
            raise ParameterError(f"{name}: {sentence}" if "." in name else sentence)
        return self._made()

    def _made(self) -> Spot:
        return dataclasses.replace(
            _sample(),
            board=tuple(parse_cards(self.board)),
            pot=_number("pot", self.pot),
            stack=_number("stack", self.stack),
            ranges=(Range.parse(self.oop), Range.parse(self.ip)),
            rake_rate=self._rate(),
            rake_cap=_number("cap", self.cap) if self._rate() else 0.0,
            sizes=self._sizes(),
            tree=self.tree,
            dead=self.dead,
            payouts=self.payouts,
        )

    def _checks(self) -> Iterator[tuple[str, Callable[[], Any]]]:
        """Each field with a call that refuses it: it is put into a spot that is good otherwise."""
        sample = _sample()

        def put(**fields: Any) -> Spot:
            return dataclasses.replace(sample, **fields)

        yield "board", lambda: put(board=tuple(parse_cards(self.board)))
        yield "pot", lambda: put(pot=_number("pot", self.pot))
        yield "stack", lambda: put(stack=_number("stack", self.stack))
        yield "rate", self._rate
        yield "cap", self._check_cap
        yield "target", lambda: parse_target(self.target, 100.0)
        for player, name in enumerate(PLAYERS):
            yield name, partial(self._check_range, player, name)
        for street, player, kind in self.sizes:
            yield f"{street}.{PLAYERS[player]}.{kind}", partial(self._size, (street, player, kind))

    def _rate(self) -> float:
        """The rake as a part of the pot."""
        percent = _number("rake", self.rate)
        if not 0 <= percent < 100:
            raise ParameterError(f"The rake lies from 0 to below 100 per cent, not at {percent:g}.")
        return percent / 100

    def _check_cap(self) -> None:
        rate = 0.0
        with suppress(RiverboatError):  # the rate has a sentence of its own
            rate = self._rate()
        dataclasses.replace(_sample(), rake_rate=rate, rake_cap=_number("cap", self.cap))

    def _check_range(self, player: int, name: str) -> None:
        text = getattr(self, name)
        if not text.strip():
            raise ParameterError(f"The range of {name.upper()} is empty.")
        own, board = Range.parse(text), _sample().board
        with suppress(RiverboatError):  # the board has a sentence of its own
            board = dataclasses.replace(_sample(), board=tuple(parse_cards(self.board))).board
        both = (own, Range.full()) if player == 0 else (Range.full(), own)
        dataclasses.replace(_sample(), board=board, ranges=both)

    def _size(self, key: SizeField) -> Any:
        kind = key[2]
        text = self.sizes.get(key, "").strip()
        if kind == "donk" and text in ("", "-"):
            return () if text else None
        return parse_sizes(text, "The field", raises=kind == "raise")

    def _sizes(self) -> dict[str, tuple[PlayerSizes, PlayerSizes]]:
        found = {}
        for street in STREETS:
            if not any(text.strip() for (name, _, _), text in self.sizes.items() if name == street):
                continue
            first, second = (
                PlayerSizes(
                    self._size((street, player, "bet")),
                    self._size((street, player, "raise")),
                    self._size((street, player, "donk")) if player == 0 else None,
                )
                for player in (0, 1)
            )
            found[street] = (first, second)
        return found


@lru_cache(maxsize=1)
def _sample() -> Spot:
    """A spot in which nothing is wrong."""
    return Spot(tuple(parse_cards("2c 2d 3h")), 1.0, 1.0, (Range.full(), Range.full()))


def _number(name: str, text: str) -> float:
    try:
        return float(text.strip().removesuffix("%"))
    except ValueError:
        shown = f"not {text.strip()[:30]!r}" if text.strip() else "and nothing is there"
        raise ParameterError(f"The {name} is a number, {shown}.") from None
