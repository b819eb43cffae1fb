"""`riverboat table`: sit at the twenty-one table, or watch one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from riverboat.tui.twentyone_sources import Source

app = typer.Typer()


@app.command("table")
def table(
    bots: Annotated[
        list[str] | None, typer.Argument(help="Players beside you, e.g. basic random q:FILE.")
    ] = None,
    name: Annotated[str, typer.Option(help="Your name at the table.")] = "you",
    games: Annotated[int, typer.Option(help="Games to play.")] = 100,
    seed: Annotated[int | None, typer.Option(help="Seed of the cards; chosen if absent.")] = None,
    connect: Annotated[str | None, typer.Option(help="Sit at a dealer: HOST:PORT.")] = None,
    watch: Annotated[str | None, typer.Option(help="Watch a dealer's log.")] = None,
    table_number: Annotated[int, typer.Option("--table", help="Which table of the log.")] = 1,
    from_start: Annotated[bool, typer.Option(help="Watch the log from its first round.")] = False,
) -> None:
    """Play twenty-one in the terminal, beside bots, at a dealer over TCP, or just watch.

    Example: riverboat table basic random --games 10
    """
    import sys

    from riverboat.errors import ParameterError, UsageError
    from riverboat.tui.twentyone_app import TwentyOneApp
    from riverboat.tui.twentyone_sources import LogSource

    if connect is not None and watch is not None:
        raise UsageError("Choose one of --connect and --watch.")
    if bots and (connect is not None or watch is not None):
        raise UsageError("Players beside you are for a table of your own, without --connect.")
    if table_number < 1 or (seed is not None and seed < 0):
        raise ParameterError("--table must be at least 1 and --seed not negative.")
    source: Source
    if watch is not None:
        source = LogSource(watch, table_number - 1, from_start=from_start)
    elif connect is not None:
        source = _remote(connect, name)
    else:
        source = _local(name, bots or [], games, seed)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        source.close()
        raise UsageError("riverboat table needs a terminal; run it in one.")
    TwentyOneApp(source).run()


def _remote(address: str, name: str) -> Source:
    from riverboat.errors import UsageError
    from riverboat.tui.twentyone_sources import RemoteSource
    from riverboat.twentyone.wire.client import connect

    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit() or not host:
        raise UsageError(f"--connect takes HOST:PORT, not {address!r}.")
    return RemoteSource(name, connect(host.strip("[]"), int(port), 2.0))


def _local(name: str, specs: list[str], games: int, seed: int | None) -> Source:
    import secrets

    import numpy as np

    from riverboat.tui.twentyone_sources import LocalSource
    from riverboat.twentyone.seat_minds import bot_from_spec

    chosen = secrets.randbits(64) if seed is None else seed
    minds = [bot_from_spec(s, np.random.default_rng([chosen, n])) for n, s in enumerate(specs)]
    return LocalSource(name, minds, games, chosen)
