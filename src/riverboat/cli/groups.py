"""A group of commands, one of which is meant where none is named.

Whole numbers on the command line: every option that counts something takes `1e6` too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from typer.core import TyperGroup

from riverboat.errors import UsageError

__all__ = ["DefaultGroup", "take_powers", "whole_number"]


class DefaultGroup(TyperGroup):
    """`report 3bet.toml` is `report solve 3bet.toml`: the first command is the usual one."""

    @property
    def usual(self) -> str:
        """The command that is meant where none is named."""
        return next(iter(self.commands))

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = [self.usual, *args]
        return super().parse_args(ctx, args)


_POWER = re.compile(r"\d+(\.\d+)?[eE]\+?\d{1,4}|\d{1,3}(,\d{3})+|\d+(_\d+)+", re.ASCII)
_LARGEST = 2**63 - 1


def whole_number(text: str) -> str:
    """`1e6`, `2.5e3`, `1_000` and `1,000` as plain digits; anything else unchanged.

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
    if number > _LARGEST:
        shown = text if len(text) <= 20 else f"{number:.1e}"
        years = number / Decimal(10**9) / Decimal(31_557_600)
        raise UsageError(
            f"{shown} is too many: at a billion per second it would take {years:.1e} years."
        )


def take_powers(command: Any) -> Any:
    """Let every whole-number parameter of a command, or of all commands of a group, take `1e6`."""
    for child in getattr(command, "commands", {}).values():
        take_powers(child)
    for parameter in command.params:
        if _is_whole(parameter):
            name = parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar
            limits = parameter if hasattr(parameter, "min") else parameter.type
            bounds = (getattr(limits, "min", None), getattr(limits, "max", None))
            parameter.process_value = _reading(
                parameter.process_value, name or parameter.name.upper(), *bounds
            )
    return command


def _is_whole(parameter: Any) -> bool:
    """Whether a parameter is an int; Typer's own types and Click's say so in different ways."""
    described = getattr(parameter, "type_descriptor", None)
    if described is not None:
        return described.annotation in (int, list[int])
    return getattr(parameter.type, "name", "") in ("integer", "integer range")


def _reading(
    process: Callable[[Any, Any], Any], name: str, low: int | None, high: int | None
) -> Callable[[Any, Any], Any]:
    def read(text: Any) -> Any:
        if not isinstance(text, str):
            return text
        digits = whole_number(text)
        if not re.fullmatch(r"[+-]?\d+", digits, re.ASCII):
            raise UsageError(f"{name} takes a whole number such as 1000 or 1e6, not {text!r}.")
        if (low is not None and int(digits) < low) or (high is not None and int(digits) > high):
            bounds = f"{low} or more" if high is None else f"at most {high}"
            bounds = f"{low} to {high}" if None not in (low, high) else bounds
            raise UsageError(f"{name} takes {bounds}, not {text}.")
        return digits

    def process_value(context: Any, value: Any) -> Any:
        several = isinstance(value, list | tuple)
        return process(context, [read(item) for item in value] if several else read(value))

    return process_value
