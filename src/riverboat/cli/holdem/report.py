"""`riverboat holdem report`: a spot solved on many flops, questions to the result, and its page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.table import Table
from rich.text import Text

from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.console import columns, emit, exit_if_stopped, output
from riverboat.cli.groups import App, DefaultGroup
from riverboat.cli.options import argument, chosen_device, crew_state, option
from riverboat.cli.out_files import TABLES, check_out
from riverboat.errors import UsageError
from riverboat.holdem.spots.flop_report_reading import query as ask
from riverboat.holdem.spots.flop_report_reading import report_page
from riverboat.holdem.spots.flops import FlopRow, averages, parse_flops, table, write_table
from riverboat.holdem.spots.schedule import parse_target
from riverboat.holdem.spots.spot import Spot
from riverboat.jobs.crews import open_crew
from riverboat.runtime.storage import atomic_write

if TYPE_CHECKING:
    from riverboat.jobs.job_list import JobProgress

app = App(
    cls=DefaultGroup,
    no_args_is_help=True,
    help="Solve a spot on many flops: report SPOT.toml. Then ask, or make a page.",
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
    --threads is then for each flop.

    \b
    Examples:
    riverboat example 3bet.toml
    riverboat holdem report 3bet.toml --flops subset:25 --out flops.csv
    riverboat holdem report 3bet.toml --flops all --workers 2
    """
    from riverboat.holdem.spots.flop_report import report_rows

    check_out(out, TABLES)
    spot, chosen = Spot.load(path).of_two(), parse_flops(flops)
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
        "averages": averages(rows),
    }
    if as_json:
        emit({**facts, "rows": [row.as_dict() for row in rows]})
    else:
        _print_report(facts, rows)
    exit_if_stopped(len(rows) < len(chosen))


def _print_report(facts: dict[str, Any], rows: Sequence[FlopRow]) -> None:
    console = output()
    names, lines = table(rows)
    shown = [(i, name) for i, name in enumerate(names) if name not in ("iterations", "seconds")]
    grid = columns(*(name if name == "flop" else f">{name}" for _, name in shown))
    for line in lines:
        grid.add_row(*(_cell(name, line[i]) for i, name in shown))
    means = facts["averages"] | {"flop": "mean"}
    grid.add_section()
    grid.add_row(*(_cell(name, means.get(name, "")) for _, name in shown), style="bold")
    console.print(grid)
    if facts["flops"] < facts["wanted"]:
        console.print(
            f"Stopped after {facts['flops']} of {facts['wanted']} flops; the same command goes on."
        )
    if facts["out"]:
        console.print(f"The table is in {facts['out']}; solved flops are in {facts['folder']}.")


def _cell(column: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if column.startswith(("oop ", "ip ")) or column == "equity_oop":
        return f"{value:.1%}"
    return f"{value:z.3f}" if isinstance(value, float) and value != int(value) else f"{value:g}"


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
