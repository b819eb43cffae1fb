"""What every command shares: the console, one JSON object on stdout, a progress bar on stderr."""

from __future__ import annotations

import json
from typing import Any

import typer
from rich.console import Console

__all__ = [
    "emit",
    "exit_if_stopped",
    "output",
]


def output() -> Console:
    """The console that results go to."""
    return Console(highlight=False)


def emit(facts: dict[str, Any]) -> None:
    """One JSON object on stdout; numbers JSON does not know (infinity) become null."""
    print(json.dumps(_plain(facts), allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, str | int):
        return value
    number = float(value)
    return number if abs(number) < float("inf") else None


def exit_if_stopped(stopped: bool) -> None:
    """End with exit code 130 where Ctrl-C or SIGTERM left a partial result."""
    if stopped:
        raise typer.Exit(130)
