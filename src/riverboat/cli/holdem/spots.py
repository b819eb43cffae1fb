"""`riverboat holdem solve`: a flop, turn or river with two or three ranges, solved exactly."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from riverboat.cards.card import card_text
from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.console import emit, exit_if_stopped, facts_table, output
from riverboat.cli.groups import App
from riverboat.cli.options import argument, chosen_device, option
from riverboat.cli.out_files import STRATEGY, check_out
from riverboat.errors import TooLargeError, UsageError
from riverboat.holdem.spots.cost import SolveCost, bytes_text, solve_cost
from riverboat.holdem.spots.locks import parse_lock
from riverboat.holdem.spots.solve import open_solver, run_solver, spot_limit
from riverboat.holdem.spots.spot import make_spot
from riverboat.runtime.devices import machine_memory, parse_memory
from riverboat.runtime.storage import check_room

if TYPE_CHECKING:
    from riverboat.holdem.spots.solver import SpotSolver
    from riverboat.solvers.run import Progress


app = App()


def compiled_with_bar(solver: SpotSolver, *, quiet: bool) -> float:
    """Make a solver ready; a GPU's kernels are compiled once for each kind of tree, with a bar."""
    if solver.device_name == "cpu" or quiet:
        return solver.compile()
    with work_bar("compiling for the GPU") as bar:
        return solver.compile(
            lambda done, total: bar.show(done, total, f"{done} of {total} kernels")
        )


@app.command("solve")
def solve(
    path: Annotated[
        Path | None, argument("The spot, or a tree script of PioSOLVER.", metavar="SPOT.toml")
    ] = None,
    target: options.Target = None,
    iterations: options.Iterations = None,
    seconds: options.Seconds = None,
    threads: options.Threads = 1,
    memory: options.Memory = None,
    out: Annotated[Path | None, option("Keep the solution here.")] = None,
    without: Annotated[
        str | None,
        option("--drop-streets", "--without", "rivers or turns: leave them out of the file."),
    ] = None,
    resume: options.Resume = None,
    locks: Annotated[
        list[str],
        option(
            "--lock",
            "What is played at a node, by all hands or by a range; repeatable.",
            metavar="NODE[@RANGE]=ACTION:P,…",
        ),
    ] = [],  # noqa: B006
    device: options.DeviceOption = "cpu",
    as_json: options.JsonFlag = False,
) -> None:
    """Solve a spot: a board, two or three ranges, pot, stacks, bet sizes: every hand and runout.

    Without a limit it stops at an exploitability of 0.3 % of the pot; of several limits the first
    that is reached counts. With --out the file is renewed while the solver runs, so that a crash
    loses little, and --resume goes on exactly where it stood. Ctrl-C keeps what was found.

    --lock "r:0:c=check:1" makes IP check behind with all hands, "r:0@AA,KK=check:1" OOP check with
    these two; the rest is solved around it.

    Of three players it reports what each could gain by a best response; the target is their sum.

    --device cuda solves on a GPU: the same result and files, a flop in a third of a second.

    \b
    Examples:
    riverboat example 3bet.toml
    riverboat holdem solve 3bet.toml --target 0.3% --threads 2 --out 3bet.rb
    """
    _check(path, resume, out, without)
    spot = None if path is None else make_spot(path)
    allowed = None if memory is None else parse_memory(memory)
    locked = [parse_lock(text) for text in locks]
    chosen = chosen_device(device, quiet=as_json)
    how: dict[str, Any] = {
        "threads": threads, "resume": resume, "locks": locked, "device": chosen,
    }  # fmt: skip
    large = False
    try:
        solver = open_solver(spot, memory=allowed, **how)
    except TooLargeError:
        # Where a person can answer, all of the machine's memory is offered.
        large = allowed is None and chosen == "cpu" and not as_json and can_ask()
        if not large:
            raise
        solver = open_solver(spot, memory=machine_memory(), **how)
    if without is not None and solver.spot.num_players == 3:
        raise UsageError("A spot of three players is kept whole; leave out --drop-streets.")
    limit = spot_limit(solver.spot.stake, target, iterations, seconds)
    cost = solve_cost(solver, limit, without=without)
    if not as_json:
        _print_size(solver, cost, out, without)
    if large and not _confirmed(cost):
        raise typer.Exit(1)
    if out is not None:
        check_room(out, cost.file)
    compiled = compiled_with_bar(solver, quiet=as_json)
    with work_bar("solving", quiet=as_json) as bar:

        def show(now: Progress) -> None:
            gap = 100 * now.exploitability / solver.spot.stake
            what = "exploitable by" if solver.spot.num_players == 2 else "all gains together"
            gap_words = f" · {what} {gap:.3f} % of the pot" if math.isfinite(gap) else ""
            state = f"{now.iterations:,} iterations{gap_words}"
            bar.show(now.share, 1.0, state)

        # After the last iteration, or Ctrl-C, the result is measured and written: in the same bar.
        out = run_solver(
            solver,
            limit,
            progress=show,
            checkpoint=out,
            without=without,
            finishing=lambda stage: bar.show(
                1.0, None, f"{solver.iterations:,} iterations · {stage}"
            ),
        )
    facts = _facts(solver, compiled, out)
    if as_json:
        emit(facts)
    else:
        (_print_three if solver.spot.num_players == 3 else _print)(facts)
    exit_if_stopped(solver.stopped)


def _check(path: Path | None, resume: Path | None, out: Path | None, without: str | None) -> None:
    """Refuse what cannot be, before the work."""
    if path is None and resume is None:
        raise UsageError("Give a spot's file, or --resume with a file to go on from.")
    if without is not None and out is None:
        raise UsageError("--drop-streets says what the file of --out leaves out; give --out too.")
    if without not in (None, "rivers", "turns"):
        raise UsageError(f"--drop-streets takes rivers or turns, not {without!r}.")
    check_out(out, STRATEGY)


def can_ask() -> bool:
    """Whether a person sits at the terminal who can answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _confirmed(cost: SolveCost) -> bool:
    whole = machine_memory() or 0
    return typer.confirm(
        f"{bytes_text(cost.memory)} is more than half of this machine's {bytes_text(whole)}, or"
        " more than what is free. Solve it?",
        err=True,
    )


def _print_size(solver: SpotSolver, cost: SolveCost, out: Path | None, without: str | None) -> None:
    size = solver.size
    text = f"{size.nodes:,} decision nodes, {size.infosets:,} infosets;"
    if solver.spot.num_players == 3:
        device = " on the GPU" if solver.device_name == "cuda" else ""
        text += f" {bytes_text(solver.memory_bytes)}{device} with 32-bit numbers."
    elif solver.device_name == "cuda":
        text += f" {bytes_text(solver.memory_bytes)} on the GPU with {solver.storage}."
    else:
        both = solver.size
        text += f" {bytes_text(both.float32)} with 32-bit numbers, {bytes_text(both.int16)} with"
        text += " 16-bit ones."
        if solver.int16:
            text += " 16-bit numbers are used; --memory sets how much memory may be taken."
    text += f" {cost.text}"
    if out is not None:
        text += f"; {out} will have {bytes_text(cost.file)}"
        if without is not None:
            text += f", without {without}: it can be read, but not resumed"
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"{text}.")


def _facts(solver: SpotSolver, compiled: float, out: Path | None) -> dict[str, Any]:
    spot, info = solver.spot, solver.info()
    asked, figures = _of_three(solver) if solver.spot.num_players == 3 else _of_two(solver)
    return {
        "board": " ".join(card_text(card) for card in spot.board),
        "pot": spot.pot,
        **asked,
        "iterations": info["iterations"],
        "seconds": info["seconds"],
        "cpu_seconds": info["cpu_seconds"],
        "compile_seconds": compiled,
        **figures,
        "device": info["device"],
        "storage": info["storage"],
        "memory_bytes": solver.memory_bytes,
        "nodes": solver.size.nodes,
        "infosets": solver.size.infosets,
        "threads": solver.threads,
        "stopped": solver.stopped,
        "out": None if out is None else str(out),
    }


def _of_two(solver: SpotSolver) -> tuple[dict[str, Any], dict[str, Any]]:
    """What only two players have: in the spot, and in its solution."""
    info, root = solver.info(), solver.result().at("r:0")
    figures = {name: info[name] for name in ("exploitability", "exploitability_pct", "ev")}
    figures["gains"] = [best - ev for best, ev in zip(info["best"], info["ev"], strict=True)]
    figures["unit"] = solver.spot.unit_name
    figures["equity"] = [root.summary(player).equity for player in range(2)]
    return {"stack": solver.spot.stack}, {**figures, "root": root.summary().strategy}


def _of_three(solver: SpotSolver) -> tuple[dict[str, Any], dict[str, Any]]:
    spot, info, root = solver.spot, solver.info(), solver.result().at("r:0")
    acting = root.acting()
    figures = {name: info[name] for name in ("gains", "gain_sum", "gain_sum_pct", "ev")}
    figures["equity"] = [root.summary(player).equity for player in range(3)]
    figures |= {"acts": spot.names[acting], "root": root.summary(acting).strategy}
    return {"players": list(spot.names), "stacks": list(spot.stacks)}, figures


def _print_three(facts: dict[str, Any]) -> None:
    table = facts_table()
    names = [name.upper() for name in facts["players"]]
    stacks = ", ".join(f"{n} {s:g}" for n, s in zip(names, facts["stacks"], strict=True))
    named = zip(names, facts["gains"], strict=True)
    rows = {
        "spot": f"{facts['board']}, pot {facts['pot']:g}, behind: {stacks}",
        "gains": ", ".join(f"{name} {gain:z.4f}" for name, gain in named)
        + f" chips; together {facts['gain_sum_pct']:.3f} % of the pot",
        "EV": ", ".join(f"{n} {ev:z.4f}" for n, ev in zip(names, facts["ev"], strict=True))
        + " chips",
        "equity": ", ".join(
            f"{n} {100 * share:.2f} %" for n, share in zip(names, facts["equity"], strict=True)
        ),
        facts["acts"].upper(): ", ".join(
            f"{name} {100 * share:.1f} %" for name, share in facts["root"].items()
        ),
        "work": _work(facts),
    }
    _print_rows(table, rows, facts)


def _work(facts: dict[str, Any]) -> str:
    return (
        f"{facts['iterations']:,} iterations in {facts['seconds']:.1f} s"
        f" ({facts['cpu_seconds']:.1f} s of CPU; compiled in {facts['compile_seconds']:.1f} s"
        " before that)"
    )


def _print_rows(table: Table, rows: dict[str, str], facts: dict[str, Any]) -> None:
    if facts["out"]:
        rows["file"] = str(facts["out"])
    for name, text in rows.items():
        table.add_row(name, text)
    if facts["stopped"]:
        output().print("Stopped before the limit; this is what was found by then.")
    output().print(table)


def _print(facts: dict[str, Any]) -> None:
    table = facts_table()
    ev, equity, unit = facts["ev"], facts["equity"], facts["unit"]
    rows = {
        "spot": f"{facts['board']}, pot {facts['pot']:g}, stack {facts['stack']:g}",
        "exploitable by": f"{facts['exploitability']:.4g} {unit},"
        f" {facts['exploitability_pct']:.3f} % of the pot",
        "EV": f"OOP {ev[0]:z.4f}, IP {ev[1]:z.4f} {unit}",
        "equity": f"OOP {100 * equity[0]:.2f} %, IP {100 * equity[1]:.2f} %",
        "OOP": ", ".join(f"{name} {100 * share:.1f} %" for name, share in facts["root"].items()),
        "work": _work(facts),
    }
    if unit != "chips":  # No zero-sum game: the two gains say how near an equilibrium is.
        gains = [f"{gain:z.4g}" for gain in facts["gains"]]
        rows["best responses"] = f"OOP gains {gains[0]}, IP {gains[1]} {unit}"
    _print_rows(table, rows, facts)
