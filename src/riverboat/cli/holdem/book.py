"""`riverboat holdem book`: what is done before the flop at a full table, looked up or made."""

from __future__ import annotations

import json
import math
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES
from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.console import columns, emit, output
from riverboat.cli.groups import App
from riverboat.cli.holdem.preflop import draw_chart
from riverboat.cli.options import argument, count_option, number_option, option, refuse
from riverboat.cli.out_files import PICTURES, STRATEGY, TABLES, check_out
from riverboat.drawing.grid_text import GridText
from riverboat.errors import UsageError
from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.solution import SHIPPED, PreflopSolution
from riverboat.holdem.preflop.trained import NODE_FIGURES, trained_part
from riverboat.runtime.storage import atomic_write
from riverboat.runtime.tables import write_table
from riverboat.solvers.run import save_somewhere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

app = App()
DEFAULT_DEALS = 10_000_000
SEAT_KEYS = ("ev", "ev_ci95", "gains", "gains_ci95")
KEYS = {*SEAT_KEYS, *NODE_FIGURES, "value_deals", "held_out_deals", "iterations"}
"""What `info` of a book has."""


@app.command("book")
def book(
    source: Annotated[
        str | None,
        argument("A book; shipped, the default, is the package's own.", metavar="BOOK.rb"),
    ] = None,
    line: Annotated[
        str | None,
        argument(
            "The decision after these actions, e.g. f-f-r2.5; start is the first. A seat such as"
            " btn: its decision when all before it fold.",
            metavar="LINE",
        ),
    ] = None,
    blueprint: Annotated[
        Path | None, option("--from", "Make the book of this blueprint.", metavar="BLUEPRINT.rb")
    ] = None,
    deals: Annotated[
        int | None,
        count_option("--deals", "With --from: deals to measure values on; default 10 million."),
    ] = None,
    min_chance: Annotated[
        float | None,
        number_option(
            "--min-chance", "With --from: leave out lines that are rarer; default 0.00001."
        ),
    ] = None,
    seed: options.SeedIfGiven = None,
    threads: options.ThreadsIfGiven = None,
    out: Annotated[Path | None, option("With --from: keep the book here.")] = None,
    hand: Annotated[str | None, option("Only this hand: A5s, KQo, 77.")] = None,
    form: options.RangeForm = None,
    action: options.RangeAction = None,
    chart: Annotated[
        Path | None,
        option("Draw the decision, or all openings: .svg, .html, .pdf or .png.", metavar="FILE"),
    ] = None,
    export: Annotated[
        Path | None,
        option(
            "Write all decisions, or the one named: .csv, .json, .parquet or .arrow.",
            metavar="FILE",
        ),
    ] = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Look up a book: every decision before the flop, 169 hands, how often each action and its EV.

    A book is made of a blueprint that was trained with every hand for itself before the flop
    (config sixmax-book of riverboat train). EVs and what a seat could gain by deviating are
    measured on deals that the training has not seen, with 95 % intervals. Lines, hands and EVs that
    came up too seldom in the training are not shown.

    \b
    Examples:
    riverboat holdem book
    riverboat holdem book shipped btn
    riverboat holdem book shipped f-f-f-r2.5 --hand A5s
    riverboat holdem book shipped f-f-f --as pio --action r2.5
    riverboat holdem book shipped --chart openings.pdf
    riverboat holdem book shipped f-f-f --export button.csv
    """
    check_out(out, STRATEGY)
    check_out(chart, PICTURES, "--chart")
    check_out(export, ("json", *TABLES), "--export")
    if action is not None and form is None:
        raise UsageError("--action says whose range --as writes; give --as, e.g. --as pio.")
    if hand is not None and hand not in CLASS_NAMES:
        raise UsageError(f"There is no hand called {hand!r}; write one as AKs, AKo or 77.")
    if blueprint is not None:
        if source is not None or out is None:
            raise UsageError("--from makes a book: give --out FILE, and no book to look up.")
        solution = _make(
            blueprint, deals, min_chance, seed, threads, quiet=as_json or form is not None
        )
        save_somewhere(partial(solution.save, small=True), out)
        solution = trained_part(solution)
    else:
        refuse(
            "is for a book that is made with --from",
            deals=deals, min_chance=min_chance, seed=seed, threads=threads, out=out,
        )  # fmt: skip
        solution = PreflopSolution.load(source or SHIPPED)
        info = solution.info
        if not info.keys() >= KEYS or not isinstance(info["gains_ci95"], list):
            raise UsageError(f"{source} is no book; look at it with riverboat holdem preflop.")
    node = None if line is None else solution.node(line)
    if chart is not None:
        draw_chart(_only(solution, [node] if node else _openings(solution)), None, chart)
    if export is not None:
        _export(_only(solution, [node]) if node else solution, export)
    if form is not None:
        from riverboat.holdem.preflop.charts import range_text

        print(range_text(solution, line or "", form, action))
    elif as_json:
        emit((_only(solution, [node]) if node else solution).as_dict())
    else:
        _print(solution, node, hand)


def _make(
    blueprint: Path,
    deals: int | None,
    min_chance: float | None,
    seed: int | None,
    threads: int | None,
    *,
    quiet: bool,
) -> PreflopSolution:
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.preflop.make_book import MIN_CHANCE, make_book

    trained = Blueprint.load(blueprint, tables=True, threads=threads or 1)
    with work_bar("measuring", quiet=quiet) as bar:
        return make_book(
            trained,
            deals=DEFAULT_DEALS if deals is None else deals,
            min_chance=MIN_CHANCE if min_chance is None else min_chance,
            seed=1 if seed is None else seed,
            threads=threads or 1,
            progress=lambda share: bar.show(share, 1.0, "playing new deals"),
        )


def _only(solution: PreflopSolution, nodes: Sequence[PreflopNode]) -> PreflopSolution:
    """The same with some decisions."""
    places = [solution.nodes.index(node) for node in nodes]
    cut = {name: [solution.info[name][i] for i in places] for name in NODE_FIGURES}
    info = solution.info | cut
    return PreflopSolution(
        solution.title,
        solution.spec,
        solution.seats,
        nodes,
        info,
        untrained=list(solution.untrained),
    )


def _openings(solution: PreflopSolution) -> list[PreflopNode]:
    """What each seat does when all before it have folded."""
    return [node for node in solution.nodes if set(node.line) <= {"f"}]


def _export(solution: PreflopSolution, path: Path) -> None:
    if path.suffix.lower() == ".json":
        atomic_write(path, json.dumps(solution.as_dict(), allow_nan=False))
        return
    rows = solution.rows()
    first = next(rows)
    write_table(path, list(first), (list(row.values()) for row in chain([first], rows)))


def _print(solution: PreflopSolution, node: PreflopNode | None, hand: str | None) -> None:
    console, nodes = output(), _openings(solution) if node is None else [node]
    console.print(solution.title)
    if hand is not None:
        console.print(_hand_table(nodes, hand))
        return
    if node is not None:
        console.print(GridText(node.grid, legend=True))
        if node.trained is not None and not node.trained.all():
            hands = NUM_CLASSES - int(node.trained.sum())
            console.print(f"{hands} of 169 hands get here too seldom to be shown.", style="dim")
        console.print(f"Gain of deviating here: {_gain(solution, node)} mbb for every hand dealt.")
        return
    _print_seats(solution)
    table = columns("line", "seat", "what is done", ">gain of deviating here (mbb)")
    for decision in nodes:
        pairs = zip(decision.labels, decision.totals, strict=True)
        done = ", ".join(f"{label} {100 * share:.1f} %" for label, share in pairs)
        table.add_row(decision.name, decision.seat.upper(), done, _gain(solution, decision))
    console.print(table)
    console.print("Another decision: riverboat holdem book BOOK f-f-r2.5")


def _gain(solution: PreflopSolution, node: PreflopNode) -> str:
    gain, width = (1000 * solution.info[name][solution.nodes.index(node)] for name in NODE_FIGURES)
    return f"{gain:z.2f} ± {width:.2f}"


def _hand_table(nodes: Sequence[PreflopNode], hand: str) -> Table:
    """How often a hand takes each action, and its EV."""
    c = CLASS_NAMES.index(hand)
    table = columns("line", "seat", "action", ">how often", ">EV (big blinds)", title=hand)
    for node in nodes:
        for i, label in enumerate(node.labels):
            value = float(node.values[i, c])
            error = 0.0 if node.errors is None else float(node.errors[i, c])
            shown = "not trained" if math.isnan(value) else f"{value:+z.2f} ± {error:.2f}"
            share = f"{100 * node.frequencies[i, c]:.1f} %" if node.knows(c) else "not trained"
            table.add_row(node.name, node.seat.upper(), label, share, shown)
    return table


def _print_seats(solution: PreflopSolution) -> None:
    info = solution.info
    table = columns("seat", ">EV (mbb per hand)", ">gain of deviating before the flop (mbb)")
    for seat, *figures in zip(solution.seats, *(info[name] for name in SEAT_KEYS), strict=True):
        ev, ev_width, gain, width = (1000 * figure for figure in figures)
        table.add_row(seat.upper(), f"{ev:+z.0f} ± {ev_width:.0f}", f"{gain:z.1f} ± {width:.1f}")
    output().print(table)
    output().print(
        f"{len(solution.nodes):,} decisions, {len(solution.untrained):,} more came up too seldom to"
        f" be shown; {info['iterations']:,} iterations of training; values on"
        f" {info['value_deals']:,} new deals, gains on {info['held_out_deals']:,} others, 95 %"
        " intervals."
    )
