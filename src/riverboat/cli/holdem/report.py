"""`riverboat holdem report`: a spot solved on many flops, questions to the result, and its page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.table import Table
from rich.text import Text

from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.console import emit, exit_if_stopped, output
from riverboat.cli.groups import App, DefaultGroup
from riverboat.cli.holdem.report_tables import GroupsFlag, print_table
from riverboat.cli.options import argument, chosen_device, crew_state, option
from riverboat.cli.out_files import TABLES, check_out
from riverboat.errors import UsageError
from riverboat.holdem.spots.flop_report_reading import query as ask
from riverboat.holdem.spots.flop_report_reading import report_page
from riverboat.holdem.spots.flops import (
    FlopRow,
    averages,
    check_spot,
    flop_table,
    parse_flops,
    write_table,
)
from riverboat.holdem.spots.locks import parse_lock
from riverboat.holdem.spots.schedule import parse_target
from riverboat.holdem.spots.spot import Spot
from riverboat.jobs.crews import open_crew
from riverboat.runtime.storage import atomic_write

if TYPE_CHECKING:
    from riverboat.jobs.job_list import JobProgress

app = App(
    cls=DefaultGroup,
    no_args_is_help=True,
    help="Solve a spot on many flops: report SPOT.toml. Then ask, or make a page. Or: all cards to"
    " come of a solved spot.",
)
Folder = Annotated[Path, argument("A report's folder, such as 3bet-flops.", metavar="DIR")]


@app.command("solve")
def solve(
    path: Annotated[Path, argument("A spot that begins on a flop.", metavar="SPOT.toml")],
    flops: Annotated[
        str, option("all, subset:25, or a file: a flop and its weight per line.")
    ] = "subset:25",
    target: options.Target = "0.5%",
    threads: options.Threads = 1,
    memory: options.Memory = None,
    folder: Annotated[
        Path | None, option("Where solved flops are kept; SPOT-flops if left out.")
    ] = None,
    locks: Annotated[
        list[str],
        option("--lock", "A locked node, as for solve; repeatable.", metavar="NODE=STRATEGY"),
    ] = [],  # noqa: B006
    groups: GroupsFlag = False,
    out: Annotated[Path | None, option("Write the table: .csv, .parquet or .arrow.")] = None,
    ray: options.RayAddress = None,
    workers: options.Workers = None,
    device: options.DeviceOption = "cpu",
    as_json: options.JsonFlag = False,
) -> None:
    """Solve a spot on many flops and put what happens at the root in one table.

    The board of the spot is replaced by each flop in turn. Solved flops are kept: a run that was
    stopped goes on with the flops that are missing. Means are weighted by how many flops each
    one stands for. `report SPOT.toml` is short for `report solve SPOT.toml`.

    With --workers the flops are solved in that many processes, with --ray on a cluster;
    --threads is then for each flop. Spots have two or three players. --lock holds on every flop;
    where the flop has all cards of its hands, it is left out.

    \b
    Examples:
    riverboat example 3bet.toml
    riverboat holdem report 3bet.toml --flops subset:25 --out flops.csv
    riverboat holdem report 3bet.toml --flops all --workers 2
    riverboat holdem report 3bet.toml --flops subset:10 --lock "r:0=check:1" --folder checked
    """
    from riverboat.holdem.spots.flop_report import report_rows

    check_out(out, TABLES)
    if path.suffix == ".rb":
        raise UsageError(
            f"{path} is a solved spot: riverboat holdem report node {path} NODE reports its cards"
            " to come; a report over flops starts from SPOT.toml."
        )
    locked = [parse_lock(text) for text in locks]
    spot, chosen = Spot.load(path), parse_flops(flops)
    check_spot(spot, locked)
    chips = parse_target(target or "0.5%", spot.stake)
    chosen_on = chosen_device(device, quiet=as_json)
    if chosen_on == "cuda" and (ray or workers):
        raise UsageError("--ray and --workers do nothing on a GPU, which does the flops by itself.")
    spot_folder = folder or path.with_name(f"{path.stem}-flops")
    rows: list[FlopRow] = []  # After Ctrl-C those that are there
    with work_bar("flops", quiet=as_json) as bar:

        def show(now: JobProgress) -> None:
            last = f" · {now.job.name}" if now.job else ""
            bar.show(now.done, len(chosen), crew_state(now) + last)

        how: Any = {"target": chips, "threads": threads, "memory": memory, "device": chosen_on}
        how["locks"] = locked
        try:
            with open_crew(ray, workers, cores=threads) as crew:
                for row in report_rows(spot, chosen, spot_folder, crew, **how, progress=show):
                    rows.append(row)
        except KeyboardInterrupt:
            if not rows:
                raise
    if out is not None:
        write_table(out, rows)
    facts = {
        "spot": str(path),
        "flops": len(rows),
        "wanted": len(chosen),
        "folder": str(spot_folder),
        "out": None if out is None else str(out),
        "locks": [lock.as_dict() for lock in locked],
        "averages": averages(rows) if rows else {},
    }
    if as_json:
        emit({**facts, "rows": [row.as_dict() for row in rows]})
    else:
        print_table(flop_table(rows), groups=groups)
        if len(rows) < len(chosen):
            output().print(
                f"Stopped after {len(rows)} of {len(chosen)} flops; the same command goes on."
            )
        if out is not None:
            output().print(f"The table is in {out}; solved flops are in {spot_folder}.")
    exit_if_stopped(len(rows) < len(chosen))


@app.command("query")
def query(
    folder: Folder,
    question: Annotated[str, argument("One SELECT over flops.", metavar="SQL")],
    out: Annotated[Path | None, option("Write the answer: .csv, .parquet or .arrow.")] = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Ask a report in SQL. The table is called flops and has a line for each solved flop.

    Columns: flop, suits, pairing, high, count, weight, the figures (ev_oop, equity_oop, …) and the
    share of each action (oop_check, ip_bet_60, …). `select * from flops limit 1` shows them all.
    Needs the extra `data`.

    \b
    Examples:
    riverboat example 3bet.toml
    riverboat holdem report 3bet.toml --flops subset:25
    riverboat holdem report query 3bet-flops "select high, avg(oop_check) from flops group by high"
    """
    check_out(out, TABLES)
    answer = ask(folder, question)
    if out is not None:
        answer.save(out)
    if as_json:
        emit({"folder": str(folder), **answer.as_dict()})
        return
    if out is not None:
        output().print(f"{len(answer.rows):,} lines are in {out}.", markup=False)
        return

    grid = Table(box=None, pad_edge=False)
    for i, name in enumerate(answer.columns):
        words = any(isinstance(row[i], str) for row in answer.rows)
        grid.add_column(Text(name), justify="left" if words else "right")
    for row in answer.rows:
        grid.add_row(*(Text(_plain(value)) for value in row))
    output().print(grid)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:z.4f}" if isinstance(value, float) and value != int(value) else str(value)


@app.command("page")
def page(
    folder: Folder,
    out: Annotated[Path | None, option("The page; DIR.html if left out.")] = None,
    title: Annotated[str | None, option("Title; default: the folder's name.")] = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Make a page of a report: a table that sorts and filters, with means of what is shown.

    The page is one file that opens in any browser without a network. Needs the extra `data`.

    \b
    Examples:
    riverboat example 3bet.toml
    riverboat holdem report 3bet.toml --flops subset:25
    riverboat holdem report page 3bet-flops --out 3bet.html
    """
    target = out if out is not None else folder.with_name(f"{folder.name}.html")
    check_out(target, ("html",))
    text = report_page(folder, title)
    atomic_write(target, text)
    if as_json:
        emit({"folder": str(folder), "out": str(target), "bytes": len(text.encode())})
        return
    output().print(f"The page is in {target}.", markup=False, soft_wrap=True)


@app.command("node")
def node(
    path: Annotated[Path, argument("A solved spot.", metavar="FILE.rb")],
    node: Annotated[
        str, argument("A node; `any` in it stands for all cards, as in r:0:c:c:any:b30.")
    ],
    sort: Annotated[str | None, option("A column, such as ev_oop or 'oop check'.")] = None,
    groups: GroupsFlag = False,
    folder: Annotated[
        Path | None, option("Keep what was read here, and go on with it the next time.")
    ] = None,
    out: Annotated[Path | None, option("Write the table: .csv, .parquet or .arrow.")] = None,
    as_json: options.JsonFlag = False,
) -> None:
    """What is done at a node of a solved spot on all turns, all rivers, or both.

    At a node where a card comes, all cards are reported. In a node's id `any` stands for all cards:
    r:0:c:c:any:b30 is the answer to a bet on all turns, r:0:c:c:any:c:c:any all turns and rivers
    when the turn is checked. Two or three players, with or without locks. Means are weighted by how
    often the ranges meet there.

    \b
    Examples:
    riverboat example 3bet.toml
    riverboat holdem solve 3bet.toml --out 3bet.rb
    riverboat holdem report node 3bet.rb r:0:c:c --sort ev_oop
    riverboat holdem report node 3bet.rb r:0:c:c:any:c --out answers.csv
    """
    from riverboat.holdem.spots.node_report import (
        NodeRow,
        NodeRows,
        file_digest,
        node_pattern,
        node_rows,
        node_table,
        runouts,
    )
    from riverboat.holdem.spots.solved import load_spot

    check_out(out, TABLES)
    solved = load_spot(path)
    pattern = node_pattern(solved, node)
    kept = None if folder is None else NodeRows(folder, file_digest(path), pattern)
    rows: list[NodeRow] = []
    total = len(runouts(solved, pattern))
    with work_bar("runouts", quiet=as_json) as bar:

        def show(now: JobProgress) -> None:
            bar.show(now.done, total, now.job or "")

        try:
            for row in node_rows(solved, pattern, kept=kept, progress=show):
                rows.append(row)
        except KeyboardInterrupt:
            if not rows:
                raise
    table = node_table(solved, rows)
    if sort is not None:
        table = table.sorted(sort)
    if out is not None:
        table.write(out)
    stopped = len(rows) < total
    if as_json:
        where = {"spot": str(path), "node": pattern, "wanted": total}
        emit({**where, "out": None if out is None else str(out), **table.as_dict()})
    else:
        print_table(table, groups=groups)
        if stopped:
            goes_on = "the same command goes on" if folder else "with --folder it would go on"
            output().print(f"Stopped after {len(rows)} of {total} runouts; {goes_on}.")
        if out is not None:
            output().print(f"The table is in {out}.", markup=False)
    exit_if_stopped(stopped)
