"""What every command shares: the console, one JSON object on stdout, a progress bar on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from riverboat.games.registry import GAMES

__all__ = [
    "GameName",
    "Hands",
    "JsonFlag",
    "Parameters",
    "Port",
    "Resume",
    "Seconds",
    "Seed",
    "SeedIfGiven",
    "emit",
    "exit_if_stopped",
    "output",
    "progress_bar",
]


def _complete_game(incomplete: str) -> list[str]:

    return [name for name in GAMES if name.startswith(incomplete)]


GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="See `riverboat games`; openspiel:NAME for a game of OpenSpiel.",
        autocompletion=_complete_game,
    ),
]
Parameters = Annotated[
    list[str],
    typer.Option(
        "--set",
        "-p",
        "--parameter",
        metavar="NAME=VALUE",
        help="A parameter of the game; repeatable.",
    ),
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Port = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="TCP port; 0 takes a free one.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Makes chance repeatable.")]
SeedIfGiven = Annotated[
    int | None, typer.Option("--seed", min=0, help="Makes chance repeatable; default 0.")
]
Hands = Annotated[int, typer.Option("--hands", min=1, help="How many hands.")]
Seconds = Annotated[float | None, typer.Option("--seconds", help="Stop after so many seconds.")]
Resume = Annotated[
    Path | None, typer.Option("--resume", metavar="FILE", help="Go on from a saved file.")
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


@contextmanager
def progress_bar(*columns: str, quiet: bool = False) -> Iterator[Progress]:
    """A Rich progress bar on stderr, so that stdout stays clean; `columns` are task fields."""

    console = Console(file=sys.stderr)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        *(TextColumn(f"{{task.fields[{name}]}}") for name in columns),
        TimeElapsedColumn(),
        console=console,
        transient=not console.is_terminal,
        disable=quiet or not console.is_terminal,
    ) as bar:
        yield bar
