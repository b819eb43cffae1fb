"""A spot as the texts of a form: each field is checked by itself and refused in its own sentence.

    form = SpotForm("Qs Jh 2h", "60", ["170"], ["QQ+", "99-TT"])
    form.sizes["flop", 0, "bet"] = "33%, 75%"
    form.errors()          {} or, for example, {"pot": "The pot must be above 0 …"}
    form.spot()            the spot, or the first error

Fields are named board, pot, rate, cap, target, with the number of a player range:0, stack:0 and
name:0, and flop:0:bet for a size. Two players have one stack in common, three have one each.
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
from riverboat.holdem.spots.bet_sizes import (
    STREETS,
    PlayerSizes,
    TreeOptions,
    parse_sizes,
    sizes_text,
)
from riverboat.holdem.spots.schedule import parse_target
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.spot_toml import DEFAULT_NAMES, PLAYERS

KINDS = ("bet", "raise", "donk")
SizeField = tuple[str, int, str]  # Street, player and kind


def size_fields(first_street: Street = Street.FLOP, num_players: int = 2) -> Iterator[SizeField]:
    """Every size that a form asks for, from a street on; the last to act makes no donk bet.

    A donk bet goes into the one who bet last on the street before, so the first street has none.
    """
    for number, street in enumerate(STREETS, Street.FLOP):
        for player in range(num_players):
            for kind in KINDS:
                donk = kind == "donk" and (player == num_players - 1 or number == first_street)
                if number >= first_street and not donk:
                    yield street, player, kind


@dataclass
class SpotForm:
    """What stands in each field."""

    board: str = ""
    pot: str = ""
    stacks: list[str] = field(default_factory=list)
    """One for both of two players; of three, that of each."""
    ranges: list[str] = field(default_factory=list)
    """In order of action."""
    names: list[str] = field(default_factory=lambda: list(PLAYERS))
    rate: str = "0"  # The rake in per cent of the pot
    cap: str = "0"  # The most chips of rake
    target: str = "0.5%"
    sizes: dict[SizeField, str] = field(default_factory=dict)
    """An empty donk bet stands for the same as the bets, "-" for none."""
    tree: TreeOptions = field(default_factory=TreeOptions)
    dead: tuple[int, ...] = ()
    payouts: Payouts | None = None  # Of two players who play for prizes
    folded: int | None = None  # Of three players, one who folded before

    @property
    def three(self) -> bool:
        return len(self.names) == 3

    @classmethod
    def of(cls, spot: Spot, target: str = "0.5%") -> SpotForm:
        """The form that gives a spot."""
        names, two = list(spot.names), spot.num_players == 2
        stacks, folded = [spot.stack] if two else list(spot.stacks), spot.folded
        texts: dict[SizeField, str] = {}
        for street, player, kind in size_fields(spot.street, len(names)):
            own = spot.sizes_on(Street[street.upper()], player)
            text = sizes_text(own.bet if kind == "bet" else own.raises)
            if kind == "donk":
                text = "" if own.donk is None else sizes_text(own.donk) or "-"
            texts[street, player, kind] = text
        return cls(
            cards_text(spot.board),
            f"{spot.pot:.10g}",
            [f"{stack:.10g}" for stack in stacks],
            [str(range_) for range_ in spot.ranges],
            names,
            f"{100 * spot.rake_rate:.10g}",
            f"{spot.rake_cap:.10g}",
            target,
            texts,
            spot.tree,
            spot.dead,
            spot.payouts,
            None if folded is None else names.index(folded),
        )

    def errors(self) -> dict[str, str]:
        """Field → what is wrong with it; "" for what is wrong with the whole."""
        sentences: dict[str, str] = {}
        for name, check in self._checks():
            try:
                check()
            except RiverboatError as error:
                sentences[name] = str(error)
        if not sentences:
            try:
                self._made()
            except RiverboatError as error:
                sentences[""] = str(error)
        return sentences

    def spot(self) -> Spot:
        """The spot; refused with the first error."""
        for name, sentence in self.errors().items():
            raise ParameterError(f"{name}: {sentence}" if name.count(":") == 2 else sentence)
        return self._made()

    def _made(self) -> Spot:
        spot: Spot = self._put(
            board=tuple(parse_cards(self.board)),
            pot=_number("pot", self.pot),
            ranges=tuple(Range.parse(text) for text in self.ranges),
            rake_rate=self._rate(),
            rake_cap=_number("cap", self.cap) if self._rate() else 0.0,
            sizes=self._sizes(),
            tree=self.tree,
            dead=self.dead,
            **self._seats(),
        )
        return spot

    def chips(self) -> tuple[float, tuple[float, ...]]:
        """The pot and the stacks."""
        return _number("pot", self.pot), tuple(_number("stack", text) for text in self.stacks)

    def _seats(self) -> dict[str, Any]:
        chips = self.chips()[1]
        if not self.three:
            return {"stacks": chips * 2, "payouts": self.payouts}
        folded = None if self.folded is None else self.names[self.folded]
        return {"stacks": chips, "names": tuple(self.names), "folded": folded}

    def _put(self, **fields: Any) -> Any:
        """A spot in which nothing else is wrong, with some fields of this one."""
        good: Any = _sample()
        if self.three:
            good = _sample_of_three()
            with suppress(RiverboatError):  # names have a sentence of their own
                good = dataclasses.replace(good, names=tuple(self.names))
        return dataclasses.replace(good, **fields)

    def _checks(self) -> Iterator[tuple[str, Callable[[], Any]]]:
        """Each field with a call that refuses it: it is put into a spot that is good otherwise."""
        yield "board", lambda: self._put(board=tuple(parse_cards(self.board)))
        yield "pot", lambda: self._put(pot=_number("pot", self.pot))
        yield "rate", self._rate
        yield "cap", self._check_cap
        yield "target", lambda: parse_target(self.target, 100.0)
        for player in range(len(self.stacks)):
            yield f"stack:{player}", partial(self._check_stack, player)
        for player in range(len(self.names)):
            yield f"name:{player}", partial(self._check_name, player)
            yield f"range:{player}", partial(self._check_range, player)
        for street, player, kind in self.sizes:
            yield f"{street}:{player}:{kind}", partial(self._size, (street, player, kind))

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
        self._put(rake_rate=rate, rake_cap=_number("cap", self.cap))

    def _check_stack(self, player: int) -> None:
        value = _number("stack", self.stacks[player])
        if not self.three:
            self._put(stacks=(value, value))
            return
        stacks = [1.0, 1.0, 1.0]
        stacks[player] = value
        self._put(stacks=tuple(stacks))

    def _check_name(self, player: int) -> None:
        if not self.three:
            return
        name = self.names[player]
        if name in self.names[:player]:
            raise ParameterError(f"{name.upper()} is taken; three players need three names.")
        others = [other for other in DEFAULT_NAMES if other != name]
        dataclasses.replace(_sample_of_three(), names=(name, others[0], others[1]))

    def _check_range(self, player: int) -> None:
        text = self.ranges[player]
        if not text.strip():
            raise ParameterError(f"The range of {self.names[player].upper()} is empty.")
        ranges, board = [Range.full()] * len(self.names), _sample().board
        ranges[player] = Range.parse(text)
        with suppress(RiverboatError):  # the board has a sentence of its own
            board = self._put(board=tuple(parse_cards(self.board))).board
        self._put(board=board, ranges=tuple(ranges))

    def _size(self, key: SizeField) -> Any:
        kind = key[2]
        text = self.sizes.get(key, "").strip()
        if kind == "donk" and text in ("", "-"):
            return () if text else None
        return parse_sizes(text, "The field", raises=kind == "raise")

    def _sizes(self) -> dict[str, tuple[PlayerSizes, ...]]:
        sizes = {}
        for street in STREETS:
            if not any(text.strip() for (name, _, _), text in self.sizes.items() if name == street):
                continue
            last = len(self.names) - 1
            sizes[street] = tuple(
                PlayerSizes(
                    self._size((street, player, "bet")),
                    self._size((street, player, "raise")),
                    self._size((street, player, "donk")) if player != last else None,
                )
                for player in range(len(self.names))
            )
        return sizes


@lru_cache(maxsize=1)
def _sample() -> Spot:
    """A spot in which nothing is wrong."""
    return Spot(tuple(parse_cards("2c 2d 3h")), 1.0, 1.0, (Range.full(), Range.full()))


@lru_cache(maxsize=1)
def _sample_of_three() -> Spot:
    full = Range.full()
    return Spot(_sample().board, 1.0, 1.0, (full, full, full))


def _number(name: str, text: str) -> float:
    try:
        return float(text.strip().removesuffix("%"))
    except ValueError:
        shown = f"not {text.strip()[:30]!r}" if text.strip() else "and nothing is there"
        raise ParameterError(f"The {name} is a number, {shown}.") from None
