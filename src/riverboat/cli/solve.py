"""`riverboat solve` and `riverboat evaluate`, and the solve with its curve that others use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.box import HEAVY_HEAD
from rich.table import Table

from riverboat import pictures
from riverboat.cli import options
from riverboat.cli.bars import live_curve, waiting
from riverboat.cli.console import (
    assignments,
    columns,
    emit,
    exit_if_stopped,
    facts_table,
    output,
    own_prints_aside,
)
from riverboat.cli.groups import App
from riverboat.cli.options import argument, chips, explain_device, option, tree_device
from riverboat.cli.out_files import STRATEGY, check_out, check_plot
from riverboat.errors import UsageError
from riverboat.evaluation.exploitability import evaluate_any
from riverboat.games.registry import make_game, parse_assignments
from riverboat.runtime.devices import parse_memory
from riverboat.runtime.storage import atomic_write, unused_path
from riverboat.solvers import Limit, SolveResult
from riverboat.solvers import solve as run_solver
from riverboat.solvers.algorithms import algorithms as algorithm_table
from riverboat.solvers.result import caveat, trace_csv
from riverboat.solvers.run import save_somewhere
from riverboat.strategies.kinds import load_table
from riverboat.trees.best_response import Evaluation

if TYPE_CHECKING:
    from riverboat.games.base import Game
    from riverboat.strategies.any_strategy import AnyStrategy

CURVE = "sapcfr+"  # The quickest of the family on games so small that they are solved at once
FIGURES = {
    "exploitability": "exploitability",
    "nash_conv": "NashConv",
    "win": "win",
    "push": "push",
    "lose": "lose",
    "reward": "reward per game",
    "regret": "regret",
}
"""What measuring a strategy of any kind may find, and its name on the screen."""


def solve_with_progress(
    game: Game,
    limit: Limit | None,
    *,
    algorithms: Sequence[str] = ("auto",),
    simultaneous: bool = False,
    seed: int = 0,
    out: Path | None = None,
    resume: Path | None = None,
    memory: int = 4 << 30,
    threads: int = 1,
    device: str = "cpu",
    quiet: bool = False,
) -> list[SolveResult[Any]]:
    """Solve by each algorithm in turn, with the curve on the screen; `out` is renewed on the way.

    Ctrl-C ends the one that runs and leaves out the rest.
    """
    results: list[SolveResult[Any]] = []
    with own_prints_aside(quiet), live_curve(game.title, quiet=quiet) as view:
        for algorithm in algorithms:
            result = run_solver(
                game,
                limit,
                algorithm=algorithm,
                alternating=False if simultaneous else None,
                seed=seed,
                progress=view.show if view.screen else None,
                checkpoint=out,
                resume=resume,
                threads=threads,
                device=device,
                memory_limit=memory,
            )
            results.append(result)
            view.show(replace(result.trace[-1], share=view.done if result.stopped else 1.0))
            if result.stopped:
                break
    return results


def rescue(game: Game, result: SolveResult[Any]) -> Path | None:
    """Where a run that was stopped without --out leaves what it learned; nothing is overwritten."""
    path = unused_path(f"{game.name}-stopped")
    return None if path is None else save_somewhere(result.save, path)


def measured_facts(strategy: AnyStrategy, measured: Any, file: Path) -> dict[str, Any]:
    """The facts of a saved strategy and what measuring it has found, for a program."""
    info = strategy.info
    facts = {
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "algorithm": info.get("algorithm", info.get("method", "unknown")),
        "iterations": info.get("iterations", info.get("games", 0)),
        "seconds": info.get("seconds", 0.0),
        **measured.as_dict(),
        "nodes": info.get("nodes"),
        "infosets": len(strategy),
        "seed": info.get("seed"),
        "file": str(file),
        "out": str(file),
        "note": caveat(make_game(strategy.game, strategy.parameters)),
    }
    return {key: value for key, value in facts.items() if value is not None}


app = App()


def _complete_algorithm(incomplete: str) -> list[str]:
    return [name for name in ("auto", *algorithm_table()) if name.startswith(incomplete)]


@app.command("solve")
def solve(
    game_name: options.GameName,
    parameters: options.Parameters = [],  # noqa: B006
    algorithms: Annotated[
        list[str],
        option(
            "--algorithm",
            "-a",
            f"auto, {', '.join(algorithm_table())}; numbers as in dcfr(1.5,0,2)."
            " Repeat it to compare several.",
            metavar="NAME",
            autocompletion=_complete_algorithm,
        ),
    ] = ["auto"],  # noqa: B006
    refine: Annotated[bool, option("--refine", "The same as -a lp:refined.", hidden=True)] = False,
    iterations: options.Iterations = None,
    target: options.Target = None,
    seconds: options.Seconds = None,
    simultaneous: Annotated[bool, option("--simultaneous", "Update all players at once.")] = False,
    seed: options.Seed = 0,
    out: Annotated[Path | None, option("Save the strategy here.")] = None,
    resume: options.Resume = None,
    plot: Annotated[Path | None, option("Draw the curve: .svg, .png or .pdf.")] = None,
    trace: Annotated[Path | None, option("Write the curve as CSV.")] = None,
    memory: options.Memory = "4GiB",
    threads: options.Threads = 1,
    device: options.DeviceOption = "cpu",
    imports: options.Imports = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Solve a game: find a strategy that nobody can exploit.

    Without a limit it stops at an exploitability of a millionth of a chip (sampled algorithms:
    after a million iterations). With --out the file is also a checkpoint: it is renewed while the
    solver runs, survives a crash, and --resume continues from it exactly. Ctrl-C saves what was
    learned. On a screen the curve of exploitability is drawn while it runs; --plot and --trace
    keep it, with several algorithms in one picture. --device cuda solves on a GPU, auto does so
    where it is quicker; the result is the same.

    \b
    Examples:
    riverboat solve leduc --target 1e-6 --out leduc.rb
    riverboat solve kuhn -p players=3 -a cfr+ --iterations 10000
    riverboat solve leduc -a cfr -a cfr+ -a dcfr --iterations 1000 --plot curves.svg
    """
    options.import_programs(imports)
    limit = Limit.one_of(iterations, chips(target), seconds)
    algorithms = _refined(algorithms) if refine else algorithms
    _check(algorithms, out, resume, plot, trace)
    with own_prints_aside(as_json):
        game = make_game(game_name, parse_assignments(parameters))
    how: dict[str, Any] = {
        "simultaneous": simultaneous,
        "seed": seed,
        "memory": parse_memory(memory or "4GiB"),
        "threads": threads,
        "device": tree_device(device, quiet=as_json),
        "quiet": as_json,
    }
    results = solve_with_progress(game, limit, algorithms=algorithms, out=out, resume=resume, **how)
    explain_device(results[-1], quiet=as_json)
    if results[-1].stopped and out is None:
        out = rescue(game, results[-1])
    out = results[-1].file or out
    curves = results
    if (plot or trace) and algorithms == ["auto"] and len(results[0].trace) == 1:
        # What was found at once has no curve; one that iterates is run for the picture.
        curves = [*results, *solve_with_progress(game, limit, algorithms=[CURVE], **how)]
    if plot is not None:
        pictures.save(pictures.convergence(curves), plot)
    if trace is not None:
        atomic_write(trace, trace_csv(curves))
    if as_json and len(results) == 1:
        emit({**results[0].as_dict(), "out": None if out is None else str(out)})
    elif as_json:
        emit({"game": game.name, "runs": [result.as_dict() for result in results]})
    elif len(results) == 1:
        print_result(results[0], out)
    else:
        output().print(_comparison(results))
    exit_if_stopped(results[-1].stopped)


def _refined(names: list[str]) -> list[str]:
    """`lp` with --refine; the option changes nothing else, so it is refused elsewhere."""
    if any(name.strip().lower() not in ("lp", "lp:refined") for name in names):
        raise UsageError("--refine goes with -a lp; auto takes the refined equilibrium by itself.")
    return ["lp:refined"] * len(names)


def _check(
    algorithms: list[str],
    out: Path | None,
    resume: Path | None,
    plot: Path | None,
    trace: Path | None,
) -> None:
    """Refuse what cannot be, before the work."""
    check_out(out, STRATEGY)
    check_out(trace, ("csv",), "--trace")
    check_plot(plot)
    if len(algorithms) > 1 and (out is not None or resume is not None):
        option = "--out" if out is not None else "--resume"
        raise UsageError(f"{option} is for one algorithm; leave it out, or name one only.")


def _comparison(results: list[SolveResult[Any]]) -> Any:
    """Several algorithms side by side."""
    heads = ("algorithm", ">iterations", ">seconds", ">value", ">exploitability")
    title = results[0].strategy.title
    table = columns(*heads, title=title, box=HEAVY_HEAD, pad_edge=True, header_style="bold")
    for result in results:
        table.add_row(
            result.algorithm + (" (stopped)" if result.stopped else ""),
            f"{result.iterations:,}",
            f"{result.seconds:.3g}",
            f"{result.value[0]:+z.7f}",
            f"{result.exploitability:.3g}",
        )
    return table


@app.command("evaluate")
def evaluate(
    file: Annotated[Path, argument("A strategy file.", metavar="FILE")],
    imports: options.Imports = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Measure a saved strategy of any kind exactly: value, best responses, exploitability.

    \b
    Examples:
    riverboat solve leduc --out leduc.rb
    riverboat evaluate leduc.rb
    """
    options.import_programs(imports)
    with own_prints_aside(as_json), waiting("evaluating", quiet=as_json):
        strategy = load_table(file)
        measured = evaluate_any(strategy)
    if as_json:
        emit(measured_facts(strategy, measured, file))
    else:
        print_measured(strategy, measured, file)


def print_result(result: SolveResult[Any], saved: Path | None) -> None:
    """A solve's facts, a line each."""
    info = result.strategy.info
    table = facts_table()
    _add_origin(table, result.strategy, result.algorithm, result.reason)
    table.add_row("iterations", f"{result.iterations:,} in {result.seconds:.3g} s")
    if info["device"] != "cpu":
        table.add_row("device", info["device"])
    _add_size(table, result.strategy)
    _add_figures(table, result.evaluation)
    _add_note(table, info["note"])
    if saved is not None:
        table.add_row("saved", str(saved))
    console = output()
    if result.stopped:
        console.print("[yellow]Stopped early; this is what was learned so far.[/]")
    console.print(table)


def print_measured(strategy: AnyStrategy, measured: Any, file: Path) -> None:
    """What a saved strategy is and what measuring it has found, a line each."""
    info = strategy.info
    table = facts_table()
    _add_origin(table, strategy, info.get("algorithm", info.get("method", "unknown")))
    iterations = info.get("iterations", info.get("games", 0))
    table.add_row("iterations", f"{iterations:,} in {info.get('seconds', 0.0):.3g} s")
    _add_size(table, strategy)
    _add_figures(table, measured)
    _add_note(table, caveat(make_game(strategy.game, strategy.parameters)))
    table.add_row("file", str(file))
    output().print(table)


def _add_origin(table: Table, strategy: AnyStrategy, algorithm: str, reason: str = "") -> None:
    table.add_row("game", f"{strategy.game}  [dim]{assignments(strategy.parameters)}[/]")
    table.add_row("algorithm", algorithm)
    _add_note(table, reason)


def _add_size(table: Table, strategy: AnyStrategy) -> None:
    nodes = f"{strategy.info['nodes']:,} nodes, " if "nodes" in strategy.info else ""
    table.add_row("size", f"{nodes}{len(strategy):,} infosets")


def _add_figures(table: Table, measured: Any) -> None:
    if isinstance(measured, Evaluation):
        table.add_row("value", "  ".join(f"{value:+z.7f}" for value in measured.value))
        answers = "  ".join(f"{value:+z.7f}" for value in measured.best_response)
        table.add_row("best response", answers)
    facts = measured.as_dict()
    for key, name in FIGURES.items():
        if key in facts:
            table.add_row(name, f"{facts[key]:.3g}")


def _add_note(table: Table, note: str) -> None:
    if note:
        table.add_row("", f"[dim]{note}[/]")
