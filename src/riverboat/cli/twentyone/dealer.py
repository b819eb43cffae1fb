"""`riverboat twentyone dealer` and `riverboat twentyone dealer-log`: twenty-one over TCP."""

from __future__ import annotations

import contextlib
import ipaddress
import secrets
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from riverboat.cli.console import emit, exit_if_stopped, screen
from riverboat.cli.groups import App
from riverboat.cli.options import (
    JsonFlag,
    Port,
    argument,
    count_option,
    number_option,
    option,
    seed_option,
)
from riverboat.errors import ParameterError, UsageError
from riverboat.twentyone.log import LogReport, verify_log
from riverboat.twentyone.wire.line import HostOptions
from riverboat.twentyone.wire.server import Dealer, DealerOptions, LogOptions, SeatResult

app = App()

Pace = Annotated[
    str,
    option(
        "Milliseconds between two messages to a player. auto pauses 26 or 40 ms for programs that"
        " read one message at a time, and not at all for those that say they need no pause."
    ),
]
DecisionTimeout = Annotated[
    float, number_option("--decision-timeout", "Seconds a player may think.")
]
JoinTimeout = Annotated[
    float, number_option("--join-timeout", "Seconds a connection may be silent.")
]


def host_options(
    host: str, port: int, pace_ms: str, decision_timeout: float, join_timeout: float
) -> HostOptions:
    """The network options that dealer and tournament share."""
    try:
        pace = None if pace_ms.strip().lower() == "auto" else float(pace_ms) / 1000
    except ValueError:
        raise ParameterError(f"--pace-ms takes a number or auto, not {pace_ms!r}.") from None
    return HostOptions(
        host, port, pace, decision_timeout=decision_timeout, join_timeout=join_timeout
    )


def listening_at(host: str, port: int) -> str:
    """Where the dealer listens, and who can reach it."""
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    who = "this machine only" if loopback else "open to the network: anyone who can reach it"
    return f"Listening on {host}:{port} ({who})."


def warn(text: str) -> None:
    """Print what the person who runs a host should know."""
    print(f"riverboat: {text}", file=sys.stderr, flush=True)


@app.command("dealer")
def dealer(
    players: Annotated[int, count_option("--players", "Players at a table, 1 to 6.")] = 1,
    games: Annotated[int, count_option("--games", "Games to play.")] = 100,
    port: Port = 0,
    host: Annotated[str, option("Address to listen on.")] = "127.0.0.1",
    pace_ms: Pace = "auto",
    decision_timeout: DecisionTimeout = 30.0,
    join_timeout: JoinTimeout = 10.0,
    tables: Annotated[
        int, count_option("--tables", "Tables to fill, in the order of joining.")
    ] = 1,
    seed: Annotated[int | None, seed_option("Seed of the cards; chosen if absent.")] = None,
    log: Annotated[str | None, option("Write a log of JSON lines here.")] = None,
    force: Annotated[bool, option("--force", "Replace a log that exists.")] = False,
    json_output: JsonFlag = False,
) -> None:
    """Deal twenty-one to players over TCP.

    Ctrl-C, SIGTERM and SIGHUP say QUIT to the players, finish the log and print the scores so far.

    \b
    Example:
    riverboat twentyone dealer --players 2 --games 1000 --port 7000 --log table.jsonl
    """
    if force and log is None:
        raise UsageError("--force is about the log; name one with --log.")
    options = DealerOptions(
        players=players,
        games=games,
        seed=secrets.randbits(64) if seed is None else seed,
        tables=tables,
        log=LogOptions(log, force) if log is not None else None,
        host=host_options(host, port, pace_ms, decision_timeout, join_timeout),
    )
    stopped = False
    with Dealer(options, warn) as server:
        try:
            where = listening_at(host, server.listen())
            # Programs read the port from the first line; with --json it is not on stdout.
            print(where, file=sys.stderr if json_output else sys.stdout, flush=True)
            with _dealing(quiet=json_output) as progress:
                server.run(progress)
        except KeyboardInterrupt:
            stopped = True
    results = server.results()
    if json_output:
        seats = [seat.as_dict() for seat in results]
        emit({"seed": options.seed, "stopped": stopped, "seats": seats})
    else:
        if stopped:
            print("Stopped; the scores so far:" if results else "Stopped before the first game.")
        if results:
            show_results(results)
    exit_if_stopped(stopped)


@contextlib.contextmanager
def _dealing(*, quiet: bool) -> Iterator[Callable[[Dealer], None] | None]:
    """A bar on the terminal: who has joined, then the rounds."""
    console = screen(quiet=quiet)
    if console is None:
        yield None
        return
    words = TextColumn("{task.description}", markup=False)
    with Progress(
        words, BarColumn(), MofNCompleteColumn(), console=console, transient=True
    ) as bars:
        bar = bars.add_task("waiting")

        def show(dealer: Dealer) -> None:
            options = dealer.options
            seats, total = options.players * options.tables, options.games * options.tables
            if dealer.started < options.tables:
                here = options.players * dealer.started + len(dealer.host.lobby)
                bars.update(bar, description="players", completed=here, total=seats)
            else:
                bars.update(bar, description="rounds", completed=dealer.rounds, total=total)

        yield show


def show_results(results: list[SeatResult]) -> None:
    """The scores as a table, and why a seat was folded out."""
    tables = len({seat.table for seat in results})
    kinds = ["games", "wins", "pushes", "losses", "busts"]
    kinds += ["forfeits"] if any(seat.forfeits for seat in results) else []
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    if tables > 1:
        shown.add_column("table", justify="right", no_wrap=True)
    shown.add_column("player", max_width=20, overflow="fold")
    for heading in (*kinds, "score"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for seat in results:
        shown.add_row(
            *([str(seat.table + 1)] if tables > 1 else []),
            Text(seat.name),
            *(f"{getattr(seat, kind):,}" for kind in kinds),
            f"{seat.score:+,}",
        )
    # Rather a line too long than a number cut short.
    console = Console(width=max(Console().width, 120))
    console.print(shown)
    for seat in results:
        if seat.folded:
            console.print(Text(f"{seat.name} was folded out: {seat.folded}."))


@app.command("dealer-log")
def dealer_log(
    file: Annotated[str, argument("A log that riverboat twentyone dealer has written.")],
    seed: Annotated[int | None, seed_option("The seed, where the log lacks it.")] = None,
    json_output: JsonFlag = False,
) -> None:
    """Play a dealer's log again from its seed and check every card and result.

    The log of a dealer that was stopped or killed may be valid up to where it stops. The seed of a
    killed dealer lies next to its log.

    \b
    Examples:
    riverboat twentyone dealer --players 1 --games 10 --port 7000 --log table.jsonl
    riverboat twentyone player anna 127.0.0.1 7000
    riverboat twentyone dealer-log table.jsonl
    """
    report = verify_log(file, seed)
    if json_output:
        emit({"verified": report.verified, "true": report.true, **asdict(report)})
    else:
        _show_report(report)
    if not report.true:
        raise typer.Exit(1)


def _show_report(report: LogReport) -> None:
    tables = f"{report.tables:,} table" + "s" * (report.tables != 1)
    print(f"{report.verdict}: {tables}, {report.rounds:,} rounds, seed {report.seed}.")
    if not report.ended:
        print("  the log has no end: its dealer was killed, or it still plays")
    elif not report.complete:
        print(f"  the dealer ended before all games were played: {report.ended}")
    folded = (f"folded out: {one}" for one in report.folded)
    for line in (*report.unfinished, *folded, *report.problems):
        print(f"  {line}")
