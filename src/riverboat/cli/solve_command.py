"""`riverboat solve` and `riverboat evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from riverboat.cli.console import JsonFlag, Parameters, Seed, emit, output

app = typer.Typer()

Algorithm = Annotated[
    str,
    typer.Option(
        "--algorithm",
        "-a",
        help="auto, lp, cfr, cfr+, linear, dcfr, dcfr(α,β,γ), pcfr+, pdcfr+, sapcfr+,"
        " cs-cfr, es-mccfr, os-mccfr.",
    ),
]


@app.command("solve")
def solve(
    game_name: Annotated[str, typer.Argument(metavar="GAME", help="See `riverboat games`.")],
    parameters: Parameters = [],  # noqa: B006
    algorithm: Algorithm = "auto",
    iterations: Annotated[
        int | None, typer.Option("--iterations", min=1, help="Stop after N iterations.")
    ] = None,
    target: Annotated[
        float | None, typer.Option("--target", help="Stop at this exploitability (chips).")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Stop after so many seconds.")
    ] = None,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="Update all players at once.")
    ] = False,
    seed: Seed = 0,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Save the strategy here.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="Go on from a saved file.")
    ] = None,
    memory: Annotated[
        float, typer.Option("--memory", min=0.001, help="Memory limit in GiB.")
    ] = 4.0,
    threads: Annotated[
        int, typer.Option("--threads", min=1, help="For large public trees (the duel's).")
    ] = 1,
    as_json: JsonFlag = False,
) -> None:
    """Solve a game: find a strategy that nobody can exploit.

    Without a limit it stops at an exploitability of a millionth of a chip (sampled algorithms:
    after a million iterations). With --out the file is also a checkpoint: it is renewed while the
    solver runs, survives a crash, and --resume continues from it exactly. Ctrl-C saves what was
    learned.

    Examples: riverboat solve leduc --target 1e-6 --out leduc.rb ·
    riverboat solve kuhn -p players=3 -a cfr+ --iterations 10000
    """
    from riverboat.cli.solving import solve_with_progress
    from riverboat.games.registry import make_game, parse_assignments
    from riverboat.solvers.limits import Limit

    limit = Limit.one_of(iterations, target, seconds)
    game = make_game(game_name, parse_assignments(parameters))
    report = solve_with_progress(
        game,
        limit,
        algorithm=algorithm,
        simultaneous=simultaneous,
        seed=seed,
        out=out,
        resume=resume,
        memory=int(memory * 2**30),
        threads=threads,
        quiet=as_json,
    )
    if as_json:
        emit(report)
    else:
        print_report(report)


@app.command("evaluate")
def evaluate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A strategy file.")],
    as_json: JsonFlag = False,
) -> None:
    """Measure a saved strategy of any kind exactly: value, best responses, exploitability.

    Example: riverboat evaluate leduc.rb
    """
    from riverboat.cli.solving import evaluate_file

    report = evaluate_file(file)
    if as_json:
        emit(report)
    else:
        print_report(report)


_FIGURES = {
    "exploitability": "exploitability",
    "nash_conv": "NashConv",
    "win": "win",
    "push": "push",
    "lose": "lose",
    "reward": "reward per game",
    "regret": "regret",
}


def print_report(report: dict[str, Any]) -> None:
    """A solve's or an evaluation's facts, a line each."""
    from rich.table import Table

    parameters = ", ".join(f"{key}={_text(value)}" for key, value in report["parameters"].items())
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    table.add_row("game", f"{report['game']}  [dim]{parameters}[/]")
    table.add_row("algorithm", str(report["algorithm"]))
    if report.get("reason"):
        table.add_row("", f"[dim]{report['reason']}[/]")
    table.add_row("iterations", f"{report['iterations']:,} in {report['seconds']:.3g} s")
    nodes = f"{report['nodes']:,} nodes, " if "nodes" in report else ""
    table.add_row("size", f"{nodes}{report['infosets']:,} infosets")
    if "value" in report:
        table.add_row("value", "  ".join(f"{value:+.7f}" for value in report["value"]))
    if report.get("best_response"):
        answers = "  ".join(f"{value:+.7f}" for value in report["best_response"])
        table.add_row("best response", answers)
    for key, name in _FIGURES.items():
        if key in report:
            table.add_row(name, f"{report[key]:.3g}")
    if report.get("note"):
        table.add_row("", f"[dim]{report['note']}[/]")
    if report.get("out"):
        table.add_row("file" if "file" in report else "saved", str(report["out"]))
    console = output()
    if report.get("stopped"):
        console.print("[yellow]Stopped early; this is what was learned so far.[/]")
    console.print(table)


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
