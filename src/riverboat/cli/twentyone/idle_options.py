"""Options that would do nothing beside others are refused, not passed over."""

from __future__ import annotations

from collections.abc import Iterable

import typer

__all__ = ["given", "refuse_idle"]


def given(context: typer.Context, name: str) -> bool:
    """Whether somebody has written this option."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_idle(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Refuse those of the named options that were given."""
    from riverboat.errors import UsageError

    for parameter in context.command.params:
        if parameter.name in names and given(context, parameter.name):
            raise UsageError(f"{parameter.opts[0]} {why}.")
