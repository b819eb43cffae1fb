"""Fields of a TOML table or of keys: what is wrong with one is refused with a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from riverboat.errors import ParameterError, UnknownNameError
from riverboat.holdem.rules.icm import Payouts

PAYOUT_KEYS = ("places", "others", "bounty")
MAX_CHIPS = 1e9  # Of a stack, a blind or an ante


def check_keys(table: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
    """Refuse a key that is not known, by name."""
    for key in table:
        if key not in tuple(keys):
            raise UnknownNameError.among(f"key of {where}", key, keys)


def read_table(
    table: Mapping[str, Any], key: str, keys: Iterable[str] | None = None
) -> Mapping[str, Any]:
    """A table in a table, empty where it is missing; with `keys` no others may be in it."""
    value = table.get(key, {})
    if not isinstance(value, Mapping):
        raise ParameterError(f"{key} must be a table, such as [{key}].")
    if keys is not None:
        check_keys(value, keys, f"[{key}]")
    return value


def read_number(table: Mapping[str, Any], key: str, usual: float = 0.0) -> float:
    """One number, at most a billion."""
    value = table.get(key, usual)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ParameterError(f"{key} must be a number, not {value!r:.60}.")
    if not abs(value) <= MAX_CHIPS:
        raise ParameterError(f"{key} must be a number up to {MAX_CHIPS:,.0f}, not {value!r:.60}.")
    return float(value)


def read_numbers(
    table: Mapping[str, Any], key: str, *, may_be_empty: bool = False
) -> tuple[float, ...]:
    """One number or a list of them; none where the key is missing."""
    value = table.get(key, ())
    values = value if isinstance(value, list | tuple) else (value,)
    if key in table and not values and not may_be_empty:
        raise ParameterError(f"{key} takes numbers, not an empty list.")
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in values):
        raise ParameterError(f"{key} takes numbers, not {json.dumps(value, default=str)[:60]}.")
    try:
        return tuple(float(number) for number in values)
    except OverflowError:
        raise ParameterError(f"A number of {key} is too large.") from None


def read_payouts(given: Mapping[str, Any] | Sequence[float], players: int | None) -> Payouts:
    """Payouts for a hand of `players`: places alone, or a table with places, others and bounty.

    Without a number of players nothing is checked against it.
    """
    as_table = {"places": given} if isinstance(given, list | tuple) else given
    table = read_table({"payouts": as_table}, "payouts", PAYOUT_KEYS)
    if "places" not in table:
        raise ParameterError("[payouts] needs places, such as places = [50, 30, 20].")
    bounty = read_numbers(table, "bounty", may_be_empty=True)
    payouts = Payouts(
        read_numbers(table, "places"),
        read_numbers(table, "others", may_be_empty=True),
        bounty * (players or 1) if len(bounty) == 1 else bounty,
    )
    if players is not None:
        payouts.check(players)
    return payouts
