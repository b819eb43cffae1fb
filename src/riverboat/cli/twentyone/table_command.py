"""`riverboat table`: sit at the twenty-one table, or watch one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from riverboat.tui.twentyone_sources import Source

app = typer.Typer()


@app.command("table")
def table(
    context: typer.Context,
    bots: Annotated[
        list[str] | None, typer.Argument(help="Players beside you, e.g. basic random q:FILE.")
    ] = None,
    name: Annotated[str, typer.Option(help="Your name at the table.")] = "you",
    games: Annotated[int, typer.Option(help="Games to play.")] = 100,
    seed: Annotated[int | None, typer.Option(help="Seed of the cards; chosen if absent.")] = None,
    connect: Annotated[str | None, typer.Option(help="Sit at a dealer: HOST:PORT.")] = None,
    token: Annotated[str, typer.Option(help="A secret word for tournaments, with --connect.")] = "",
    watch: Annotated[str | None, typer.Option(help="Watch a dealer's log.")] = None,
    table_number: Annotated[int, typer.Option("--table", help="Which table of the log.")] = 1,
    from_start: Annotated[
        bool, typer.Option("--from-start", help="Watch the log from its first round.")
    ] = False,
) -> None:
    """Play twenty-one in the terminal, beside bots, at a dealer over TCP, or just watch.

    Where the terminal cannot draw (TERM=dumb, a pipe) the game is played in plain lines.

    Example: riverboat table basic random --games 10
    """
    from riverboat.cli.twentyone.idle_options import refuse_idle
    from riverboat.errors import ParameterError, UsageError

    if connect is not None and watch is not None:
        raise UsageError("Choose one of --connect and --watch.")
    if bots and (connect is not None or watch is not None):
        raise UsageError("Players beside you are for a table of your own, without --connect.")
    if table_number < 1 or (seed is not None and seed < 0):
        raise ParameterError("--table must be at least 1 and --seed not negative.")
    if watch is None:
        refuse_idle(context, ("table_number", "from_start"), "is for --watch")
    else:
        refuse_idle(context, ("name",), "is for those who play; with --watch nobody does")
    if connect is None:
        refuse_idle(context, ("token",), "is for --connect")
    if connect is not None or watch is not None:
        refuse_idle(context, ("games", "seed"), "is the dealer's choice with --connect and --watch")
    source: Source
    if watch is not None:
        from riverboat.tui.twentyone_sources import LogSource

        source = LogSource(watch, table_number - 1, from_start=from_start)
    elif connect is not None:
        source = _remote(connect, name, token)
    else:
        source = _local(name, bots or [], games, seed)
    _show(source)


def _show(source: Source) -> None:
    """On a screen, or line by line where there is none; then the score."""
    import os
    import sys

    from riverboat.cli.twentyone.plain_table import play_plainly, score_line

    screen = sys.stdin.isatty() and sys.stdout.isatty()
    if screen and os.environ.get("TERM", "").lower() not in ("", "dumb"):
        from riverboat.tui.twentyone_app import TwentyOneApp

        app = TwentyOneApp(source)
        app.run()
        scene = app.scene
    else:
        scene = play_plainly(source)
    if line := score_line(scene):
        print(line)


def _remote(address: str, name: str, token: str) -> Source:
    from riverboat.errors import ParameterError, UsageError
    from riverboat.tui.twentyone_sources import RemoteSource
    from riverboat.twentyone.wire.client import connect
    from riverboat.twentyone.wire.codec import check_token

    host, colon, port = address.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit()) or not host:
        raise UsageError(f"--connect takes HOST:PORT, not {address!r}.")
    if not 1 <= int(port[:6]) <= 65_535:
        raise ParameterError(f"A port is 1 to 65535, not {port}.")
    if token:
        check_token(token)
    return RemoteSource(name, connect(host.strip("[]"), int(port), 2.0), token)


def _local(name: str, specs: list[str], games: int, seed: int | None) -> Source:
    import secrets

    import numpy as np

    from riverboat.tui.twentyone_sources import LocalSource
    from riverboat.twentyone.seated_player import seat_named

    chosen = secrets.randbits(64) if seed is None else seed
    others = [seat_named(s, np.random.default_rng([chosen, n])) for n, s in enumerate(specs)]
    for other in others:
        other.warm_up()
    return LocalSource(name, others, games, chosen)
