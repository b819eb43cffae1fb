"""`riverboat tournament`: host one, list them, show one again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.cli.console import Port

if TYPE_CHECKING:
    from pathlib import Path

    from rich.table import Table as RichTable

    from riverboat.twentyone.seat_minds import PlayerBot
    from riverboat.twentyone.tournament.hosting import TournamentHost

app = typer.Typer(help="Tournaments of twenty-one.", no_args_is_help=True)

Store = Annotated[
    str | None, typer.Option("--db", help="SQLite file of tournaments; yours if absent.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command("host")
def host(
    entrants: Annotated[
        list[str] | None,
        typer.Argument(help="Local players, e.g. basic, random, q:FILE, or NAME=basic."),
    ] = None,
    remote: Annotated[int, typer.Option(help="Programs that will join over TCP.")] = 0,
    rounds: Annotated[int, typer.Option(help="Rounds at each table.")] = 1000,
    table_size: Annotated[int, typer.Option(help="Most players at a table, 2 to 6.")] = 6,
    advance: Annotated[int, typer.Option(help="How many go on from each table.")] = 2,
    rank_by: Annotated[str, typer.Option(help="wins, or score (wins less losses).")] = "wins",
    name: Annotated[str, typer.Option(help="What to call it.")] = "tournament",
    seed: Annotated[int | None, typer.Option(help="Seed of draw and cards.")] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait for programs; 0: for all.")] = 0.0,
    bind: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Port = 0,
    pace_ms: Annotated[str, typer.Option(help="Pause between messages, or auto.")] = "26",
    decision_timeout: Annotated[float, typer.Option(help="Seconds a player may think.")] = 30.0,
    join_timeout: Annotated[float, typer.Option(help="Seconds a connection may be silent.")] = 10.0,
    log: Annotated[str | None, typer.Option(help="Write the dealer's log here.")] = None,
    csv: Annotated[str | None, typer.Option(help="Write the placings here as CSV.")] = None,
    db: Store = None,
    json_output: Json = False,
) -> None:
    """Run a tournament: 18 entrants are three tables of six, the top two of each in the final.

    Example: riverboat tournament host basic anna=basic random bob=random --rounds 100
    """
    import json
    import secrets
    import sys

    from riverboat.cli.twentyone.dealer_commands import door_sign, host_options
    from riverboat.errors import ParameterError
    from riverboat.strategies.files import atomic_write, check_writable
    from riverboat.twentyone.tournament.archive import to_csv
    from riverboat.twentyone.tournament.hosting import TournamentHost, TournamentOptions
    from riverboat.twentyone.tournament.rounds import TournamentFormat

    if remote < 0 or (seed is not None and seed < 0):
        raise ParameterError("--remote and --seed must not be negative.")
    chosen = secrets.randbits(64) if seed is None else seed
    store = _store(db)
    if csv is not None:
        check_writable(csv)
    options = TournamentOptions(
        name=name,
        seed=chosen,
        format=TournamentFormat(table_size, rounds, advance, rank_by),
        bots=_bots(entrants or [], chosen),
        remote=remote,
        wait=wait,
        log=log,
        host=host_options(bind, port, pace_ms, decision_timeout, join_timeout),
    )
    with (
        _Screen(quiet=json_output) as screen,
        TournamentHost(options, screen.show) as tournament,
    ):
        if remote:
            sign = door_sign(bind, tournament.listen())
            print(sign, file=sys.stderr if json_output else sys.stdout, flush=True)
        tournament.gather()
        result = tournament.run()
    facts = result.as_dict()
    number = store.add(result)
    if csv is not None:
        atomic_write(csv, to_csv(facts))
    if json_output:
        print(json.dumps({"number": number, **facts}))
    else:
        _show(facts)
        print(f"Kept as tournament {number} in {store.path}.")


@app.command("list")
def list_(db: Store = None, json_output: Json = False) -> None:
    """The tournaments played, newest first.

    Example: riverboat tournament list
    """
    import json
    from dataclasses import asdict

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    kept = _store(db).all()
    if json_output:
        print(json.dumps({"tournaments": [asdict(one) for one in kept]}))
        return
    if not kept:
        print("No tournaments yet; host one with: riverboat tournament host basic random")
        return
    table = Table("", "name", "started", "entrants", "champion", box=box.SIMPLE_HEAD)
    for one in kept:
        table.add_row(
            str(one.number), Text(one.name), one.started, str(one.entrants), Text(one.champion)
        )
    Console().print(table)


@app.command("show")
def show(
    number: Annotated[int, typer.Argument(help="Its number in the list.")],
    csv: Annotated[str | None, typer.Option(help="Write the placings here as CSV.")] = None,
    db: Store = None,
    json_output: Json = False,
) -> None:
    """The tables and placings of a tournament.

    Example: riverboat tournament show 1
    """
    import json

    from riverboat.strategies.files import atomic_write
    from riverboat.twentyone.tournament.archive import to_csv

    facts = _store(db).facts(number)
    if csv is not None:
        atomic_write(csv, to_csv(facts))
    if json_output:
        print(json.dumps({"number": number, **facts}))
    else:
        _show(facts)


def _store(db: str | None) -> Any:
    from riverboat.twentyone.tournament.archive import TournamentStore, default_store

    place: str | Path = db if db is not None else default_store()
    return TournamentStore(place)


def _bots(texts: list[str], seed: int) -> list[PlayerBot]:
    """Local players from `basic` or `NAME=basic`; in `mcts?ms=5` the equals sign is theirs."""
    import numpy as np

    from riverboat.twentyone.seat_minds import bot_from_spec

    bots = []
    for number, text in enumerate(texts):
        head, equals, tail = text.partition("=")
        named = bool(equals) and "?" not in head and ":" not in head
        spec, name = (tail, head) if named else (text, text)
        bots.append(bot_from_spec(spec, np.random.default_rng([seed, 2, number]), name))
    return bots


class _Screen:
    """The standings while a tournament runs; nothing where nobody can see them."""

    def __init__(self, *, quiet: bool) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True)
        self._live = None
        if not quiet and console.is_terminal:
            self._live = Live(console=console, transient=True, auto_refresh=False)
        self._shown = 0.0

    def __enter__(self) -> _Screen:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, tournament: TournamentHost) -> None:
        import time

        from rich.console import Group
        from rich.text import Text

        now = time.monotonic()
        if self._live is None or now - self._shown < 0.2:
            return
        self._shown = now
        if not tournament.stage:
            waiting = Text(f"Waiting for {tournament.missing} more to join …")
            self._live.update(waiting, refresh=True)
            return
        tables = [_standings(tournament, run) for run in tournament.playing]
        self._live.update(Group(*tables), refresh=True)


def _standings(tournament: TournamentHost, run: Any) -> RichTable:
    from rich.text import Text

    table = run.table
    title = f"Stage {tournament.stage}, table {run.number + 1}: round {table.round:,}"
    shown = _table(f"{title} of {table.games:,}", ("wins", "score"))
    key = tournament.options.format.rank_by
    for place, seat in enumerate(sorted(table.seats, key=lambda s: -getattr(s, key)), start=1):
        note = f"folded out: {seat.out}" if seat.out else ""
        shown.add_row(str(place), Text(seat.name), f"{seat.wins:,}", f"{seat.score:+,}", Text(note))
    return shown


def _table(title: str, numbers: tuple[str, ...]) -> RichTable:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("player", max_width=20, no_wrap=True, overflow="ellipsis")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    return table


def _show(facts: dict[str, Any]) -> None:
    """Every table's placings, the champion, and whether it was luck."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    last = facts["tables"][-1]["stage"]
    for table in facts["tables"]:
        final = table["stage"] == last
        where = "Final" if final else f"Stage {table['stage']}, table {table['table']}"
        rounds = max(p["games"] for p in table["placings"])
        shown = _table(
            f"{where}, {rounds:,} rounds", ("wins", "rate, 95%", "pushes", "losses", "score")
        )
        for p in table["placings"]:
            marks = ["champion" if final else "advances"] if p["advanced"] else []
            marks += [p["note"]] if p["note"] else []
            shown.add_row(
                str(p["rank"]),
                Text(p["name"]),
                f"{p['wins']:,}",
                f"{100 * p['low']:.1f}–{p['high']:.1%}",
                f"{p['pushes']:,}",
                f"{p['losses'] + p['busts'] + p['forfeits']:,}",
                f"{p['score']:+,}",
                Text("; ".join(marks)),
            )
        console.print(shown)
        if table["all_equal"] >= 0.05 and rounds:
            console.print(
                f"  Equals would be this far apart in {table['all_equal']:.0%} of cases.\n"
            )
    for name in facts["withdrawn"]:
        console.print(Text(f"{name} left between two stages."))
    console.print(Text(f"Champion: {facts['champion']}. {facts['verdict']}"))
