"""`riverboat dealer`, `riverboat player` and `riverboat dealer-log`: twenty-one over TCP."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from riverboat.cli.console import Port

if TYPE_CHECKING:
    from riverboat.twentyone.q_table import QTable
    from riverboat.twentyone.seat_minds import SeatMind
    from riverboat.twentyone.wire.client import PlayerSession
    from riverboat.twentyone.wire.dealer import Dealer, SeatResult
    from riverboat.twentyone.wire.host import HostOptions

app = typer.Typer()

YEAR = 31_536_000.0


def host_options(
    host: str, port: int, pace_ms: str, decision_timeout: float, join_timeout: float
) -> HostOptions:
    """The network options that dealer and tournament share."""
    from riverboat.errors import ParameterError
    from riverboat.twentyone.wire.host import HostOptions

    try:
        pace = None if pace_ms.strip().lower() == "auto" else float(pace_ms) / 1000
    except ValueError:
        raise ParameterError(f"--pace-ms takes a number or auto, not {pace_ms!r}.") from None
    return HostOptions(
        host, port, pace, decision_timeout=decision_timeout, join_timeout=join_timeout
    )


def door_sign(host: str, port: int) -> str:
    """Where the door is and who can come in."""
    import ipaddress

    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    who = "this machine only" if loopback else "open to the network: anyone who can reach it"
    return f"Listening on {host}:{port} ({who})."


@app.command("dealer")
def dealer(
    players: Annotated[int, typer.Option(help="Players at a table, 1 to 6.")] = 1,
    games: Annotated[int, typer.Option(help="Games to play.")] = 100,
    port: Port = 0,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    pace_ms: Annotated[
        str,
        typer.Option(
            help="Pause between two messages to a player, or auto; "
            "0 for players that frame on NUL, 26 suits those that read one message at a time."
        ),
    ] = "26",
    decision_timeout: Annotated[float, typer.Option(help="Seconds a player may think.")] = 30.0,
    join_timeout: Annotated[float, typer.Option(help="Seconds a connection may be silent.")] = 10.0,
    tables: Annotated[int, typer.Option(help="Tables to fill, in the order of joining.")] = 1,
    seed: Annotated[int | None, typer.Option(help="Seed of the cards; chosen if absent.")] = None,
    log: Annotated[str | None, typer.Option(help="Write a log of JSON lines here.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Deal twenty-one to players over TCP.

    Example: riverboat dealer --players 2 --games 100 --port 7000
    """
    import json
    import secrets
    import sys

    import rich.progress  # noqa: F401  before the door opens: Ctrl-C is awkward within an import

    from riverboat.twentyone.wire.dealer import Dealer, DealerOptions

    options = DealerOptions(
        players=players,
        games=games,
        seed=secrets.randbits(64) if seed is None else seed,
        tables=tables,
        log=log,
        host=host_options(host, port, pace_ms, decision_timeout, join_timeout),
    )
    with _orderly_end(), Dealer(options) as server:
        sign = door_sign(host, server.listen())
        # Programs read the port from the first line; with --json it must not be on stdout.
        print(sign, file=sys.stderr if json_output else sys.stdout, flush=True)
        with _dealing(quiet=json_output) as progress:
            results = server.run(progress)
    if json_output:
        print(json.dumps({"seed": options.seed, "seats": [seat.as_dict() for seat in results]}))
    else:
        show_results(results)


@contextlib.contextmanager
def _orderly_end() -> Iterator[None]:
    """Let a request to terminate end the work as Ctrl-C does: say QUIT, finish logs, save."""
    import signal

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _dealing(*, quiet: bool) -> Iterator[Callable[[Dealer], None] | None]:
    """A bar for whoever watches the terminal: who has joined, then the rounds."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
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
            if len(dealer.tables) < options.tables:
                here = options.players * len(dealer.tables) + len(dealer.host.lobby)
                bars.update(bar, description="players", completed=here, total=seats)
            else:
                bars.update(bar, description="rounds", completed=dealer.rounds, total=total)

        yield show


def show_results(results: list[SeatResult]) -> None:
    """The scores as a table, and why a seat was folded out."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

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
    file: Annotated[str, typer.Argument(help="A log that riverboat dealer has written.")],
    seed: Annotated[int | None, typer.Option(help="The seed, where the log lacks it.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Play a dealer's log again from its seed and check every card and result.

    Example: riverboat dealer-log table.log
    """
    import json
    from dataclasses import asdict

    from riverboat.twentyone.table_log import verify_log

    report = verify_log(file, seed)
    if json_output:
        print(json.dumps({"verified": report.verified, **asdict(report)}))
    else:
        verdict = "Verified" if report.verified else "NOT verified"
        print(f"{verdict}: {report.tables} tables, {report.rounds:,} rounds, seed {report.seed}.")
        for line in report.folded:
            print(f"  folded out: {line}")
        for line in report.problems:
            print(f"  {line}")
    if not report.verified:
        raise typer.Exit(1)


@app.command("player")
def player(
    name: Annotated[str, typer.Argument(help="Your name at the table.")],
    host: Annotated[str, typer.Argument(help="The dealer's address.")],
    port: Annotated[int, typer.Argument(min=1, max=65535, help="The dealer's port.")],
    train: Annotated[
        int, typer.Option(help="Train this many games by oneself before joining.")
    ] = 0,
    q: Annotated[
        str | None, typer.Option(help="Q table to play from, and to save to when it has learned.")
    ] = None,
    mode: Annotated[str, typer.Option(help="play: greedily; train: learn at the table.")] = "play",
    spec: Annotated[
        str | None,
        typer.Option("--player", metavar="SPEC", help="Who plays: basic, random, mcts?ms=200 …"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of training and of exploring.")] = 0,
    wait: Annotated[float, typer.Option(help="Seconds to try for a dealer not there yet.")] = 5.0,
    patience: Annotated[float, typer.Option(help="Seconds of silence to give up after.")] = 600.0,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Play twenty-one at a dealer's table over TCP.

    Example: riverboat player anna 127.0.0.1 7000
    """
    import json

    from riverboat.errors import ParameterError, UsageError
    from riverboat.twentyone.wire.client import ClientOptions, PlayerSession, connect, play

    if mode not in ("play", "train"):
        raise UsageError(f"--mode is play or train, not {mode!r}.")
    if not name.strip():
        raise UsageError("A player needs a name.")
    if train < 0 or seed < 0:
        raise ParameterError("--train and --seed must not be negative.")
    if not 0 < patience <= YEAR or not 0 <= wait <= YEAR:
        raise ParameterError("--patience and --wait are seconds: more than 0, and 0 or more.")
    learning = mode == "train" or train > 0
    if spec is not None and (q is not None or learning):
        raise UsageError("--player plays by itself; leave out --q, --train and --mode train.")
    table = _table(q, mode, train, seed)
    mind = _mind(name, table, mode, seed, spec or "basic")
    session = PlayerSession(mind)
    try:
        with _orderly_end(), _playing(quiet=json_output) as progress:
            times = ClientOptions(patience=patience, wait=wait)
            play(connect(host, port, wait), session, times, progress)
    finally:
        if table is not None and q is not None and learning:
            _save(table, q, session.games if mode == "train" else 0)
    if json_output:
        print(json.dumps(_facts(session)))
    else:
        _show_session(session, q if learning else None)


def _table(path: str | None, mode: str, train: int, seed: int) -> QTable | None:
    """The Q table to play from, trained as told; None where the exact optimum plays instead."""
    from pathlib import Path

    from riverboat.errors import UsageError
    from riverboat.strategies.files import check_writable
    from riverboat.twentyone.learning import Trainer
    from riverboat.twentyone.q_table import QTable

    learning = mode == "train" or train > 0
    if mode == "train" and path is None:
        raise UsageError("--mode train needs a file to learn into; name one with --q.")
    if path is None and not learning:
        return None
    if path is not None and learning:
        check_writable(path)
    fresh = learning and (path is None or not Path(path).exists())
    table = QTable.empty("points") if fresh else QTable.load(str(path))
    if train:
        known = "method" in table.info
        trainer = Trainer.resume(table) if known else Trainer(table, seed=seed)
        trainer.run(train)
        table = trainer.table
    return table


def _mind(name: str, table: QTable | None, mode: str, seed: int, spec: str) -> SeatMind:
    import numpy as np

    from riverboat.twentyone.seat_minds import LearningBot, bot_from_spec, bot_from_table

    rng = np.random.default_rng(seed)
    if table is None:
        return bot_from_spec(spec, rng, name)
    if mode == "train":
        return LearningBot(name, table, rng)
    return bot_from_table(name, table, rng)


def _save(table: QTable, path: str, games: int) -> None:
    """Save what was learned, with the number of games learned at tables."""
    from dataclasses import replace

    if path.lower().endswith(".csv"):
        table.to_csv(path)
        return
    before = int(table.info.get("table_games", 0))
    info = {**table.info, "table_games": before + games} if before + games else table.info
    replace(table, info=info).save(path)


@contextlib.contextmanager
def _playing(*, quiet: bool) -> Iterator[Callable[[PlayerSession], None] | None]:
    """The score so far, for whoever watches the terminal."""
    import time

    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    shown = 0.0
    with console.status("Waiting for the dealer …") as status:

        def show(session: PlayerSession) -> None:
            nonlocal shown
            now = time.monotonic()
            if session.games and now - shown > 0.2:
                shown = now
                status.update(f"{session.games:,} games, score {session.score:+,}")

        yield show


def _facts(session: PlayerSession) -> dict[str, object]:
    counts = {result.value.lower(): count for result, count in session.tally.items()}
    return {
        "name": session.mind.name,
        "games": session.games,
        "score": session.score,
        **counts,
        "ended": session.ended,
        "not_understood": session.unknown,
    }


def _show_session(session: PlayerSession, saved: str | None) -> None:
    from riverboat.twentyone.game import Result

    tally, games = session.tally, session.games
    lost = tally[Result.LOSE] + tally[Result.BUST]
    print(f"{session.mind.name}: {games:,} games, {session.ended}.")
    if games:
        share = f"{tally[Result.WIN] / games:.1%}"
        print(
            f"  won {tally[Result.WIN]:,} ({share}), pushed {tally[Result.PUSH]:,}, lost {lost:,}"
            f" ({tally[Result.BUST]:,} by a bust); score {session.score:+,}"
        )
    if session.unknown:
        print(f"  {session.unknown:,} messages were not understood and passed over")
    if saved:
        print(f"  table saved to {saved}")
