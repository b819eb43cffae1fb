"""`riverboat holdem preflop` and `icm`: games before the flop, and chips as prizes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.console import columns, emit, exit_if_stopped, output
from riverboat.cli.options import argument, check_places, chips, option, refuse
from riverboat.drawing.grid_text import GridText
from riverboat.errors import ParameterError, UsageError
from riverboat.strategies.files import atomic_write

if TYPE_CHECKING:
    from riverboat.holdem.preflop.solution import PreflopSolution
    from riverboat.solvers.run import Progress

app = typer.Typer()


@app.command("preflop")
def preflop(
    path: Annotated[
        Path, argument("A game before the flop, or a solution of one.", metavar="SPEC.toml|FILE.rb")
    ],
    target: options.Target = None,
    iterations: options.Iterations = None,
    seconds: options.Seconds = None,
    seed: options.SeedIfGiven = None,
    line: Annotated[
        str | None,
        option("--line", "The decision after these actions, e.g. f-a; start for the first."),
    ] = None,
    form: Annotated[
        str | None,
        option("--as", "Write the all-in range: plain, pio, gto+, eval7, equilab.", metavar="FORM"),
    ] = None,
    chart: Annotated[
        Path | None, option("Draw the grids, as SVG or PDF.", metavar="FILE.svg|FILE.pdf")
    ] = None,
    out: Annotated[Path | None, option("Keep the solution here.")] = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Solve all-in or fold before the flop: two to six players, any stacks, for chips or prizes.

    Two and three players are solved exactly: every deal of the 169 classes counts, card removal
    included. With more, deals are sampled. What each seat could gain by its best response is
    measured and printed. Three players need a table that is counted once, in a few minutes.

    Examples: riverboat example push-fold.toml ·
    riverboat holdem preflop push-fold.toml --chart push-fold.svg --out push-fold.rb ·
    riverboat holdem preflop push-fold.rb --line a --as gto+
    """
    check_places(out, chart)
    if chart is not None and chart.suffix.lower() not in (".svg", ".pdf"):
        raise UsageError(
            f"--chart writes .svg or .pdf, not {chart.suffix or 'a file without end'}."
        )
    if form is not None and line is None:
        raise UsageError("--as writes the range of one decision; name it with --line, e.g. start.")
    if path.suffix.lower() == ".rb":
        refuse(
            "solves a game; a solution is only shown",
            target=target, iterations=iterations, seconds=seconds, seed=seed, out=out,
        )  # fmt: skip
        solution = _load(path)
    else:
        solution = _solve(
            path, target, iterations, seconds, seed, quiet=as_json or form is not None
        )
    if out is not None:
        solution.save(out)
    if chart is not None:
        _draw(solution, line, chart)
    if form is not None:
        from riverboat.holdem.preflop.charts import range_text

        print(range_text(solution, line or "", form))
    elif as_json:
        emit(solution.as_dict())
    else:
        _print(solution, line)
    exit_if_stopped(bool(solution.info.get("stopped")) and path.suffix.lower() != ".rb")


def _load(path: Path) -> PreflopSolution:
    from riverboat.holdem.preflop.solution import PreflopSolution

    return PreflopSolution.load(path)


def _solve(
    path: Path, target: str | None, iterations: int | None, seconds: float | None,
    seed: int | None, *, quiet: bool,
) -> PreflopSolution:  # fmt: skip
    from riverboat.holdem.preflop.pushfold.allin_solver import solve_preflop
    from riverboat.holdem.preflop.pushfold.push_fold import PushFold

    game = PushFold.load(path)
    if seed is not None and game.num_players < 4:
        raise UsageError("--seed does nothing where every deal is counted; leave it out.")
    with work_bar("solving", quiet=quiet) as bar:

        def show(now: Progress) -> None:
            found = f" · gain {now.exploitability:.2g}" if math.isfinite(now.exploitability) else ""
            bar.show(now.share, 1.0, f"{now.iterations:,} iterations{found}")

        return solve_preflop(
            game,
            target=chips(target),
            iterations=iterations,
            seconds=seconds,
            seed=seed or 0,
            progress=show,
            counting=lambda share: bar.show(share, 1.0, "counting three-way deals, once"),
        )


def _draw(solution: PreflopSolution, line: str | None, place: Path) -> None:
    from riverboat.holdem.preflop.charts import chart_svg

    picture = chart_svg(solution, line)
    if place.suffix.lower() == ".svg":
        atomic_write(place, picture)
        return
    from riverboat.drawing.pdf import pdf_of_svg

    atomic_write(place, pdf_of_svg(picture))


def _print(solution: PreflopSolution, line: str | None) -> None:
    console = output()
    asked = None if line is None else solution.node(line)
    if solution.info.get("stopped"):
        console.print("Stopped before the limit; this is what was found by then.")
    console.print(solution.title)
    _print_seats(solution)
    if asked is not None:
        console.print(GridText(asked.grid, legend=True))
    elif len(solution.nodes) <= 2:
        for node in solution.nodes:
            console.print(GridText(node.grid, legend=True))
    else:
        from riverboat.holdem.preflop.charts import range_text

        table = columns("line", "seat", ">all-in", "hands")
        for node in solution.nodes:
            hands = range_text(solution, node.name, "equilab")
            row = (node.name, node.seat.upper(), f"{100 * node.totals[-1]:.1f} %", hands)
            table.add_row(*row)
        console.print(table)


def _print_seats(solution: PreflopSolution) -> None:
    info: dict[str, Any] = solution.info
    unit, margin = str(info.get("unit", "chips")), float(info.get("gains_ci95", 0.0))
    table = columns("seat", f">EV ({unit})", ">gain of a best response")
    for number, seat in enumerate(solution.seats):
        around = f" ± {margin:.4f}" if margin else ""
        table.add_row(
            seat.upper(), f"{info['ev'][number]:z.4f}", f"{info['gains'][number]:z.6f}{around}"
        )
    output().print(table)
    how = "every deal counted" if info.get("method") == "exact" else "deals sampled"
    output().print(
        f"{info['algorithm']}, {info['iterations']:,} iterations in {info['seconds']:.2f} s; {how}."
    )


@app.command("icm")
def icm_command(
    stacks: Annotated[list[float], argument("The chips of 2 to 10 players.", metavar="STACKS…")],
    payouts: Annotated[
        str, option("The prizes, the first place's first: 50,30,20.", metavar="P1,P2,…")
    ],
    as_json: options.JsonFlag = False,
) -> None:
    """What chips are worth in prizes: the independent chip model of Malmuth and Harville, exactly.

    Example: riverboat holdem icm 50 30 20 --payouts 50,30,20
    """
    from riverboat.holdem.preflop.icm import icm

    try:
        prizes = [float(word) for word in payouts.split(",")]
    except ValueError:
        raise UsageError(f"--payouts takes numbers such as 50,30,20, not {payouts!r}.") from None
    if len(stacks) < 2:
        raise ParameterError("ICM takes 2 to 10 stacks.")
    if len(prizes) > len(stacks):
        raise ParameterError(f"There are {len(prizes)} prizes for {len(stacks)} players.")
    values = icm(stacks, prizes).tolist()
    if as_json:
        emit({"stacks": stacks, "payouts": prizes, "values": values})
        return
    table = columns(">player", ">chips", ">share of chips", ">prize", ">share of prizes")
    chip_sum, prize_sum = sum(stacks), sum(prizes)
    for number, (stack, value) in enumerate(zip(stacks, values, strict=True), 1):
        table.add_row(
            str(number), f"{stack:g}", f"{stack / chip_sum:.2%}", f"{value:.4f}",
            f"{value / prize_sum:.2%}",
        )  # fmt: skip
    output().print(table)
