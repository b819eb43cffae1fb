"""`riverboat twentyone tournament`: host one, list them, show one again."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from riverboat.cli.console import emit, live_screen
from riverboat.cli.groups import App, HintingGroup
from riverboat.cli.options import (
    JsonFlag,
    Port,
    argument,
    count_argument,
    count_option,
    given,
    number_option,
    option,
    refuse_idle,
    seed_option,
)
from riverboat.cli.out_files import check_out
from riverboat.cli.twentyone.dealer import (
    DecisionTimeout,
    JoinTimeout,
    Pace,
    host_options,
    listening_at,
    warn,
)
from riverboat.errors import StorageError, UsageError
from riverboat.runtime.storage import atomic_write
from riverboat.twentyone.wire.server import LogOptions
from riverboat.twentyone.wire.tournament_archive import TournamentStore, default_store, to_csv
from riverboat.twentyone.wire.tournament_hosting import (
    TournamentHost,
    TournamentOptions,
    local_players,
    parse_entrant,
)
from riverboat.twentyone.wire.tournament_rounds import Plan, TournamentFormat, TournamentResult

app = App(cls=HintingGroup, help="Tournaments of twenty-one.", no_args_is_help=True)

Entrants = Annotated[
    list[str] | None, argument("Local players, e.g. basic, random, q:FILE, or NAME=basic.")
]
Store = Annotated[str | None, option("--db", "SQLite file of tournaments; yours if absent.")]


@app.command("host")
def host(
    context: typer.Context,
    entrants: Entrants = None,
    remote: Annotated[
        int, count_option("--remote", "Programs that will join over TCP.", min=0, max=1000)
    ] = 0,
    rounds: Annotated[int, count_option("--rounds", "Rounds at each table.")] = 1000,
    table_size: Annotated[
        int, count_option("--table-size", "The maximum of players at a table, 2 to 6.")
    ] = 6,
    advance: Annotated[int, count_option("--advance", "Players who advance from each table.")] = 2,
    rank_by: Annotated[str, option("wins, or score (wins less losses).")] = "wins",
    name: Annotated[str, option("The tournament's name.")] = "tournament",
    seed: Annotated[int | None, seed_option("Seed of draw and cards.")] = None,
    resume: Annotated[
        bool, option("--resume", "Go on with one that was stopped or killed.")
    ] = False,
    number: Annotated[
        int | None, count_option("--number", "Which one to go on with; the newest if absent.")
    ] = None,
    wait: Annotated[
        float, number_option("--wait", "Seconds to wait for programs; 0: for all.")
    ] = 0.0,
    bind: Annotated[str, option("--host", "Address to listen on.")] = "127.0.0.1",
    port: Port = 0,
    pace_ms: Pace = "auto",
    decision_timeout: DecisionTimeout = 30.0,
    join_timeout: JoinTimeout = 10.0,
    log: Annotated[str | None, option("Write the dealer's log here.")] = None,
    force: Annotated[bool, option("--force", "Replace a log that exists.")] = False,
    csv: Annotated[str | None, option("Write the placings here as CSV.")] = None,
    db: Store = None,
    json_output: JsonFlag = False,
) -> None:
    """Run a tournament: 18 entrants are three tables of six, the top two of each in the final.

    Every table is kept as soon as it is finished. After a crash --resume goes on: programs join
    again under their names, with their tokens if they had one.

    \b
    Example:
    riverboat twentyone tournament host basic anna=basic random bob=random --rounds 100
    """
    form = TournamentFormat(table_size, rounds, advance, rank_by)
    _refuse_idle_options(context, len(entrants or []) + remote, form)
    store = _store(db)
    check_out(csv, ("csv",), "--csv")
    kept = None
    if resume:
        kept, plan = store.plan(number)
        ours = [(entrant.name, entrant.spec) for entrant in plan.entrants if entrant.spec]
    else:
        plan, ours = Plan.new(name, form, seed), [*map(parse_entrant, entrants or [])]
    programs = remote or sum(not entrant.spec for entrant in plan.entrants)
    options = TournamentOptions(
        plan=plan,
        local=local_players(ours, plan.seed),
        remote=remote,
        wait=wait,
        log=LogOptions(log, force) if log is not None else None,
        host=host_options(bind, port, pace_ms, decision_timeout, join_timeout),
    )

    result, kept = _run(options, store, kept, programs=programs, quiet=json_output)
    facts = result.as_dict()
    try:
        kept = store.add(result, kept)
        if csv is not None:
            atomic_write(csv, to_csv(facts))
    finally:  # Whatever could not be kept is at least shown.
        emit({"number": kept, **facts}) if json_output else _show(facts)
    if not json_output:
        print(f"Kept as tournament {kept} in {store.path}.")


def _run(
    options: TournamentOptions,
    store: TournamentStore,
    kept: int | None,
    *,
    programs: int,
    quiet: bool,
) -> tuple[TournamentResult, int | None]:
    """Play, keeping every step; the result and the number it is kept under."""

    def keep(changed: Plan) -> None:
        nonlocal kept
        try:
            kept = store.keep(changed, kept)
        except StorageError as error:
            warn(str(error))

    with (
        _Screen(quiet=quiet) as screen,
        TournamentHost(options, screen.show, keep=keep, warn=warn) as tournament,
    ):
        if programs:
            sign = listening_at(options.host.host, tournament.listen())
            print(sign, file=sys.stderr if quiet else sys.stdout, flush=True)
            if not screen.visible:
                many = "1 program" if programs == 1 else f"{programs:,} programs"
                print(f"Waiting for {many} to join …", file=sys.stderr, flush=True)
        try:
            tournament.gather()
            return tournament.run(), kept
        except KeyboardInterrupt:
            if kept is None:
                raise
            warn("Stopped; go on with riverboat twentyone tournament host --resume.")
            raise typer.Exit(130) from None


def _refuse_idle_options(context: typer.Context, entrants: int, form: TournamentFormat) -> None:
    if context.params["resume"]:
        kept = ("entrants", "remote", "rounds", "table_size", "advance", "rank_by", "name", "seed")
        if context.params["entrants"]:
            raise UsageError("--resume knows the entrants; leave them out.")
        refuse_idle(context, kept, "is kept with the tournament; leave it out with --resume")
    else:
        refuse_idle(context, ("number",), "is for --resume")
        if not context.params["remote"]:
            network = ("wait", "bind", "port", "pace_ms", "decision_timeout", "join_timeout")
            refuse_idle(context, network, "is for programs that join over TCP; add --remote")
        if given(context, "advance") and len(form.table_sizes(entrants or 1)) == 1:
            refuse_idle(context, ("advance",), "does nothing where one table is the final")
    if context.params["log"] is None:
        refuse_idle(context, ("force",), "is about the log; name one with --log")


@app.command("list")
def list_(db: Store = None, json_output: JsonFlag = False) -> None:
    """The tournaments played, newest first.

    \b
    Examples:
    riverboat twentyone tournament host basic random --rounds 100
    riverboat twentyone tournament list
    """
    kept = _store(db).all()
    if json_output:
        emit({"tournaments": [asdict(one) for one in kept]})
        return
    if not kept:
        print("No tournaments yet; host one with: riverboat twentyone tournament host basic random")
        return
    table = Table("", "name", "started", "entrants", "champion", box=box.SIMPLE_HEAD)
    for one in kept:
        table.add_row(
            str(one.number),
            Text(one.name),
            one.started,
            str(one.entrants),
            Text(one.champion or "not finished"),
        )
    Console().print(table)


@app.command("show")
def show(
    number: Annotated[int, count_argument("NUMBER", "Its number in the list.")],
    csv: Annotated[str | None, option("Write the placings here as CSV.")] = None,
    db: Store = None,
    json_output: JsonFlag = False,
) -> None:
    """The tables and placings of a tournament.

    \b
    Examples:
    riverboat twentyone tournament host basic random --rounds 100
    riverboat twentyone tournament show 1 --csv placings.csv
    """
    check_out(csv, ("csv",), "--csv")
    facts = _store(db).facts(number)
    if csv is not None:
        atomic_write(csv, to_csv(facts))
    emit({"number": number, **facts}) if json_output else _show(facts)


def _store(db: str | None) -> TournamentStore:
    return TournamentStore(default_store() if db is None else db)


class _Screen:
    """The standings while a tournament runs; nothing where there is no screen."""

    def __init__(self, *, quiet: bool) -> None:
        self._live = live_screen(quiet=quiet)
        self._shown = 0.0

    @property
    def visible(self) -> bool:
        return self._live is not None

    def __enter__(self) -> _Screen:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, tournament: TournamentHost) -> None:
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


def _standings(tournament: TournamentHost, run: Any) -> Table:
    table = run.table
    title = f"Stage {tournament.stage}, table {run.number + 1}: round {table.round:,}"
    shown = _table(f"{title} of {table.games:,}", ("wins", "score"))
    key = tournament.plan.format.rank_by
    for rank, seat in enumerate(sorted(table.seats, key=lambda s: -getattr(s, key)), start=1):
        note = f"folded out: {seat.out}" if seat.out else ""
        shown.add_row(str(rank), Text(seat.name), f"{seat.wins:,}", f"{seat.score:+,}", Text(note))
    return shown


def _table(title: str, numbers: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("player", max_width=20, no_wrap=True, overflow="ellipsis")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    return table


def _show(facts: dict[str, Any]) -> None:
    """Every table's placings, the champion, and whether it was luck."""
    console = Console()
    unfinished = facts.get("unfinished", False)
    if unfinished:
        console.print("Not finished; go on with riverboat twentyone tournament host --resume.")
    last = -1 if unfinished else facts["tables"][-1]["stage"]
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
    if not unfinished:
        console.print(Text(f"Champion: {facts['champion']}. {facts['verdict']}"))
