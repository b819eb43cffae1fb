"""Betting actions as texts: the legal ones as a sequence that is never written out, and parsing.

In no-limit a player may have thousands of raises; BettingActions stands for them all and makes
the texts only when they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import overload

from riverboat.errors import IllegalActionError
from riverboat.games.base import Action

__all__ = ["CALL", "FOLD", "BettingActions", "parse_betting", "raise_amount"]

FOLD, CALL = "f", "c"
_RAISE = re.compile(r"r([1-9][0-9]*)", re.ASCII)
_TOKEN = re.compile(r"[fc/]|r[1-9][0-9]*", re.ASCII)


class BettingActions(Sequence[Action]):
    """Fold where there is something to call, check or call, and every raise from low to high."""

    __slots__ = ("_fixed", "raises")

    def __init__(self, can_fold: bool, raises: tuple[int, int] | None) -> None:
        self._fixed = (FOLD, CALL) if can_fold else (CALL,)
        self.raises = raises
        """The least and the greatest amount to raise to; None where no raise is allowed."""

    def __len__(self) -> int:
        return len(self._fixed) + (self.raises[1] - self.raises[0] + 1 if self.raises else 0)

    def __contains__(self, action: object) -> bool:
        if action in self._fixed:
            return True
        amount = raise_amount(action) if isinstance(action, str) else None
        return bool(self.raises and amount and self.raises[0] <= amount <= self.raises[1])

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Action, ...]: ...
    def __getitem__(self, index: int | slice) -> Action | tuple[Action, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        fixed = len(self._fixed)
        if index < fixed or self.raises is None:
            return self._fixed[index]
        return f"r{self.raises[0] + index - fixed}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((self._fixed, self.raises))

    def __repr__(self) -> str:
        raises = f", r{self.raises[0]}…r{self.raises[1]}" if self.raises else ""
        return f"<{', '.join(self._fixed)}{raises}>"


def raise_amount(action: Action) -> int | None:
    """The amount of a raise's text, "r60"; None for any other text."""
    match = _RAISE.fullmatch(action)
    return int(match[1]) if match else None


def parse_betting(text: str) -> list[Action]:
    """`"cr6c/"` as `["c", "r6", "c", "/"]`."""
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != text:
        raise IllegalActionError(
            f"holdem: {text!r} is not a betting sequence; write f, c and r with an amount."
        )
    return tokens
