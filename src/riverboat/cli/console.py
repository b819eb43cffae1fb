"""What every command shares: the console, one JSON object on stdout, a progress bar on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from datetime import date, time, timedelta
from typing import Any

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table


def output() -> Console:
    """The console that results go to."""
    return Console(highlight=False)


def columns(*heads: str, title: Any = None, **style: Any) -> Table:
    """A table with these heads; `>points` is a column to the right."""
    style = {"box": None, "pad_edge": False, "title_justify": "left", **style}
    table = Table(title=title, **style)
    for head in heads:
        table.add_column(head.removeprefix(">"), justify="right" if head[:1] == ">" else "left")
    return table


def facts_table() -> Table:
    """A table of names in bold and what is to be said about each."""
    table = columns("", "", show_header=False)
    table.columns[0].style = "bold"
    return table


def assignments(parameters: Mapping[str, object]) -> str:
    """Parameters as they are given to --set: `players=2, stacks=10,20`."""
    return ", ".join(
        f"{key}={','.join(map(str, value)) if isinstance(value, tuple) else value}"
        for key, value in parameters.items()
    )


def screen(*, quiet: bool) -> Console | None:
    """The console for standard error; None where that is no screen, or nothing is to be shown."""
    console = Console(stderr=True)
    return None if quiet or not console.is_terminal else console


def live_screen(*, quiet: bool) -> Live | None:
    """A display on standard error that is redrawn during a run; None where that is no screen."""
    console = screen(quiet=quiet)
    return None if console is None else Live(console=console, auto_refresh=False, transient=True)


def emit(facts: dict[str, Any]) -> None:
    """One JSON object on stdout; numbers JSON does not know (infinity) become null.

    Dates, times and bytes of a database become texts, its decimals numbers.
    """
    print(json.dumps(_plain(facts), allow_nan=False))


@contextmanager
def own_prints_aside(as_json: bool) -> Iterator[None]:
    """With --json, send what bots and games of the user's print to standard error.

    The file descriptor is redirected too, for worker processes and for compiled code.
    """
    if not as_json:
        yield
        return
    sys.stdout.flush()
    with ExitStack() as stack, redirect_stdout(sys.stderr):
        with suppress(OSError):  # a stream that the caller has closed
            kept = os.dup(1)
            stack.callback(os.close, kept)
            os.dup2(2, 1)
            stack.callback(os.dup2, kept, 1)
            if sys.__stdout__ is not None:  # what was printed to the stream itself
                stack.callback(sys.__stdout__.flush)
        yield


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, str | int):
        return value
    if isinstance(value, date | time | timedelta | bytes):
        return str(value)
    number = float(value)
    return number if abs(number) < float("inf") else None


def exit_if_stopped(stopped: bool) -> None:
    """End with exit code 130 where Ctrl-C or SIGTERM left a partial result."""
    if stopped:
        raise typer.Exit(130)
