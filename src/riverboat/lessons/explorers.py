"""Pictures of lessons that a reader can move: what is computed for them.

A line `% explore: NAME` in a lesson stands where the browser puts its sliders; other screens show
the paragraphs around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from riverboat.errors import UsageError
from riverboat.evaluation.head_to_head import exact_value
from riverboat.games.registry import make_game
from riverboat.lessons._game_checks import Table, own_strategy

EXPLORERS = ("bluff-and-call",)
"""The names that a lesson may use."""

_FIRST: Table = {
    "J|": {"p": 2 / 3, "b": 1 / 3},
    "Q|": {"p": 1},
    "K|": {"b": 1},
    "J|pb": {"p": 1},
    "Q|pb": {"p": 1 / 3, "b": 2 / 3},
    "K|pb": {"b": 1},
}
_SECOND: Table = {
    "J|p": {"p": 2 / 3, "b": 1 / 3},
    "Q|p": {"p": 1},
    "K|p": {"b": 1},
    "J|b": {"p": 1},
    "Q|b": {"p": 2 / 3, "b": 1 / 3},
    "K|b": {"b": 1},
}
"""Kuhn's equilibria of both players (1950), of the first the one with α = 1/3."""


@dataclass(frozen=True)
class BluffAndCall:
    """Kuhn poker where one card of each player is played otherwise than in equilibrium."""

    bluff: float
    """How often the first player bets a jack."""
    call: float
    """How often the second player calls a bet with a queen."""
    value: float
    """What the first player wins per hand."""
    call_gain: float
    """How much more the queen's call is worth to the second player than a fold."""
    bluff_gain: float
    """How much more the jack's bet is worth to the first player than a pass."""
    always: tuple[tuple[float, float], ...]
    """The first player's value by the rate of bluffs, where the queen always calls."""
    never: tuple[tuple[float, float], ...]
    mixed: tuple[tuple[float, float], ...]
    """The same where the queen calls as often as it does here."""


@cache
def _corner(bluff: int, call: int) -> float:
    first = own_strategy("kuhn", {**_FIRST, "J|": {"p": 1 - bluff, "b": bluff}})
    second = own_strategy("kuhn", {**_SECOND, "Q|b": {"p": 1 - call, "b": call}})
    return exact_value(make_game("kuhn"), [first, second])[0]


def _value(bluff: float, call: float) -> float:
    """Each of the two decisions is made at most once in a hand, so the value is bilinear."""
    return sum(
        (bluff if b else 1 - bluff) * (call if c else 1 - call) * _corner(b, c)
        for b in (0, 1)
        for c in (0, 1)
    )


def bluff_and_call(bluff: float, call: float) -> BluffAndCall:
    """What bluffs with the jack and calls with the queen are worth, exactly."""
    for words, share in (("bluff", bluff), ("call", call)):
        if not 0 <= share <= 1:
            raise UsageError(f"{words} is a share from 0 to 1, not {share:g}.")
    lines: Sequence[tuple[tuple[float, float], ...]] = [
        tuple((b, _value(b, c)) for b in (0.0, 1.0)) for c in (1.0, 0.0, call)
    ]
    # The second player holds a queen and meets a bet with a king, or a jack that bluffs: each of
    # the six deals is as likely as the others.
    meets = (1 + bluff) / 6
    gain = (_value(bluff, 0.0) - _value(bluff, 1.0)) / meets
    bluff_gain = 3 * (_value(1.0, call) - _value(0.0, call))  # a jack comes in one deal of three
    return BluffAndCall(bluff, call, _value(bluff, call), gain, bluff_gain, *lines)
