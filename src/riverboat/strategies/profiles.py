"""Profiles: how a player departs from a solved strategy, as a few shifts in TOML.

    summary = "Calls too much: half of the folds are calls."

    [[shift]]
    from = "fold"
    to = "call"
    share = 0.5

A shift takes a share of the probability of one kind of action and gives it to another, hand by
hand, so that what is played always adds up to one. Shifts apply one after the other, wherever the
player acts and has both kinds:

    from      fold, check, call, bet, raise; "bet or raise" for both
    to        one of the kinds; "larger" and "smaller": the next size of the same kind
    share     above 0, at most 1
    street    flop, turn or river; all without it. In small games the last round is the river.
    facing    nothing, bet or raise: what the player must answer; anything without it
    below     only hands with less equity than this (0 to 1) against all that others were dealt
    above     only hands with more

An all-in is a bet or a raise. What several sizes get is shared as the hand plays them, evenly where
it plays none. `equity` is that of the cards alone: if nobody bet any more and nobody had folded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.runtime.storage import parse_toml, read_text

KINDS = ("fold", "check", "call", "bet", "raise")
"""The kinds of actions."""
FACING = ("nothing", "bet", "raise")
"""What a player can face: no bet on this street, one bet, or a raise."""
STREETS = ("flop", "turn", "river")
SIZES = ("larger", "smaller")
BOTH = "bet or raise"
_KEYS = ("from", "to", "share", "street", "facing", "below", "above")
_MAX_BYTES = 100_000


@dataclass(frozen=True)
class Shift:
    """A share of one kind of action that goes to another."""

    source: str  # "from" in a file
    to: str
    share: float
    street: str | None = None
    facing: str | None = None
    below: float | None = None
    above: float | None = None

    def __post_init__(self) -> None:
        _check("from", self.source, (*KINDS, BOTH))
        _check("to", self.to, (*KINDS, *SIZES))
        _check("street", self.street, STREETS)
        _check("facing", self.facing, FACING)
        if not 0 < self.share <= 1:
            raise ParameterError(f"A shift's share is above 0 and at most 1, not {self.share:g}.")
        for name, equity in (("below", self.below), ("above", self.above)):
            if equity is not None and not 0 <= equity <= 1:
                raise ParameterError(f"A shift's {name} is an equity from 0 to 1, not {equity:g}.")
        if self.to in SIZES and not {"bet", "raise"} & set(self.sources):
            raise ParameterError(f"Only bets and raises have {self.to} ones, not {self.source}.")
        if self.to in self.sources:
            raise ParameterError(f"A shift from {self.source} to {self.to} changes nothing.")

    @property
    def sources(self) -> tuple[str, ...]:
        """The kinds that lose."""
        return ("bet", "raise") if self.source == BOTH else (self.source,)

    @property
    def needs_equity(self) -> bool:
        """Whether it is about some hands only."""
        return self.below is not None or self.above is not None

    def concerns(self, kinds: Sequence[str], facing: str, street: str) -> bool:
        """Whether it changes anything where these kinds of actions can be taken."""
        here = self.street in (None, street) and self.facing in (None, facing)
        return here and any(
            kinds[action] in self.sources and self._targets(kinds, action)
            for action in range(len(kinds))
        )

    def apply(
        self, strategy: NDArray[Any], kinds: Sequence[str], equity: NDArray[Any] | None
    ) -> NDArray[Any]:
        """Strategies (…, actions, H) after the shift; `equity` is (…, H), sizes rise by kind."""
        share: Any = self.share
        if self.needs_equity:
            assert equity is not None
            # Of a hand that the board makes impossible the equity is NaN: it stays as it is.
            chosen = np.ones(equity.shape, bool)
            if self.below is not None:
                chosen &= equity < self.below
            if self.above is not None:
                chosen &= equity > self.above
            share = np.where(chosen, self.share, 0.0).astype(strategy.dtype)
        after = strategy.copy()
        for action, kind in enumerate(kinds):
            targets = self._targets(kinds, action) if kind in self.sources else ()
            if not targets:
                continue
            moved = strategy[..., action, :] * share
            after[..., action, :] -= moved
            own = strategy[..., targets, :]
            total = own.sum(axis=-2, keepdims=True)
            even = np.full_like(own, 1 / len(targets))
            parts = np.divide(own, total, out=even, where=total > 0)
            after[..., targets, :] += parts * moved[..., None, :]
        return np.asarray(np.maximum(after, 0))

    def _targets(self, kinds: Sequence[str], action: int) -> list[int]:
        """The actions that get what `action` loses."""
        if self.to not in SIZES:
            return [other for other, kind in enumerate(kinds) if kind == self.to]
        next_size = action + (1 if self.to == "larger" else -1)
        same = 0 <= next_size < len(kinds) and kinds[next_size] == kinds[action]
        return [next_size] if same else []


@dataclass(frozen=True)
class Profile:
    """A player who departs from a solved strategy; `name` is what tables call them."""

    name: str
    summary: str
    shifts: tuple[Shift, ...]

    def shifts_at(self, kinds: Sequence[str], facing: str, street: str) -> list[Shift]:
        """The shifts that change something where these kinds of actions can be taken."""
        return [shift for shift in self.shifts if shift.concerns(kinds, facing, street)]

    @classmethod
    def from_toml(cls, text: str, name: str = "own") -> Profile:
        """Read a profile; anything that is not known is refused by name."""
        table = parse_toml(text, "The profile")
        for key in table:
            if key not in ("summary", "shift"):
                raise UnknownNameError.among("key of a profile", key, ("summary", "shift"))
        rows, summary = table.get("shift"), table.get("summary", "")
        if not isinstance(rows, list) or not rows or not all(isinstance(r, dict) for r in rows):
            raise UsageError("A profile has one table [[shift]] or more; this one has none.")
        if not isinstance(summary, str):
            raise ParameterError("A profile's summary is a text.")
        return cls(name, summary, tuple(_read_shift(row) for row in rows))


def _read_shift(row: Mapping[str, Any]) -> Shift:
    for key in row:
        if key not in _KEYS:
            raise UnknownNameError.among("key of a shift", key, _KEYS)
    for key in ("from", "to"):
        if key not in row:
            raise ParameterError(f"A shift has no {key!r}: write from, to and share.")
    texts = {key: row.get(key) for key in ("from", "to", "street", "facing")}
    for key, text in texts.items():
        if text is not None and not isinstance(text, str):
            raise ParameterError(f"A shift's {key} is a text, not {text!r:.60}.")
    numbers = {key: _number(row, key) for key in ("share", "below", "above")}
    share = numbers.pop("share")
    if share is None:
        raise ParameterError("A shift has no 'share': write from, to and share.")
    return Shift(texts.pop("from") or "", texts.pop("to") or "", share, **texts, **numbers)  # type: ignore[arg-type]


def _number(row: Mapping[str, Any], key: str) -> float | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ParameterError(f"A shift's {key} is a number, not {value!r:.60}.")
    return float(value)


def _check(key: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise UnknownNameError.among(f"{key!r} of a shift", value, known)


def shipped_profiles() -> dict[str, Profile]:
    """The profiles that come with the package, by name."""
    folder = resources.files("riverboat.strategies") / "shipped_profiles"
    profiles = {}
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.name.endswith(".toml"):
            name = item.name.removesuffix(".toml")
            profiles[name] = Profile.from_toml(item.read_text(encoding="utf-8"), name)
    return profiles


def read_profile(source: str | Path | Profile) -> Profile:
    """A profile itself, a shipped one by its name, or the one in a TOML file."""
    if isinstance(source, Profile):
        return source
    path, shipped = Path(source), shipped_profiles()
    if path.suffix == ".toml":
        return Profile.from_toml(read_text(path, _MAX_BYTES), path.stem)
    name = str(source).strip().lower().replace(" ", "-")
    if name not in shipped:
        raise UnknownNameError.among("profile", str(source), shipped)
    return shipped[name]
