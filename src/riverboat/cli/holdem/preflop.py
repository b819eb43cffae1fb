"""`riverboat holdem preflop` and `icm`: games before the flop, and chips as prizes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.console import columns, emit, exit_if_stopped, output
from riverboat.cli.groups import App
from riverboat.cli.options import (
    argument,
    check_places,
    chips,
    chosen_device,
    number_argument,
    option,
    refuse,
)
from riverboat.cli.out_files import PICTURES, STRATEGY, check_out, write_picture
from riverboat.drawing.grid_text import GridText
from riverboat.errors import ParameterError, UsageError
from riverboat.holdem.preflop.flop_game import FlopGame
from riverboat.holdem.preflop.questions import read_game
from riverboat.holdem.preflop.solution import rounded_up
from riverboat.runtime.devices import parse_memory
from riverboat.solvers.run import save_somewhere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from riverboat.holdem.preflop.flop_solver import FlopGameSize
    from riverboat.holdem.preflop.node import PreflopNode
    from riverboat.holdem.preflop.push_fold import PushFold
    from riverboat.holdem.preflop.solution import PreflopSolution
    from riverboat.solvers.run import Progress

app = App()


@app.command("preflop")
def preflop(
    path: Annotated[
        Path, argument("A game before the flop, or a solution of one.", metavar="SPEC.toml|FILE.rb")
    ],
    target: options.Target = None,
    iterations: options.Iterations = None,
    seconds: options.Seconds = None,
    seed: options.SeedIfGiven = None,
    threads: options.ThreadsIfGiven = None,
    memory: options.Memory = None,
    device: options.DeviceOption = "cpu",
    checkpoint: Annotated[
        Path | None, option("Renew this file on the way; a game with flops goes on from it.")
    ] = None,
    resume: options.Resume = None,
    line: Annotated[
        str | None,
        option("--line", "The decision after these actions, e.g. f-a; start for the first."),
    ] = None,
    form: options.RangeForm = None,
    action: options.RangeAction = None,
    chart: Annotated[
        Path | None, option("Draw the grids: .svg, .html, .pdf or .png.", metavar="FILE")
    ] = None,
    out: Annotated[Path | None, option("Keep the solution here.")] = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Solve a game before the flop: all-in or fold, or two players with flops after every call.

    All-in or fold is for two to six players, any stacks, chips or prizes. Two and three are solved
    exactly: every deal of the 169 classes counts, card removal included. With more, deals are
    sampled. Three players need a table that is counted once, in some seconds.

    With game = "flops" two players raise and call as well, and every flop of a weighted set is
    solved with all hands, turns and rivers, in one game. It takes much memory, which is stated
    first; --device cuda solves it on a GPU. --checkpoint and --resume go on after a stop.

    What each seat could gain by its best response is measured and printed.

    \b
    Examples:
    riverboat example push-fold.toml
    riverboat holdem preflop push-fold.toml --chart push-fold.svg --out push-fold.rb
    riverboat holdem preflop push-fold.rb --line a --as gto+
    riverboat example before-flop.toml
    riverboat holdem preflop before-flop.toml --target 0.1 --out before-flop.rb
    riverboat holdem preflop before-flop.rb --line r2
    """
    check_places(checkpoint)
    check_out(out, STRATEGY)
    check_out(chart, PICTURES, "--chart")
    _check(form, line, action)
    limits = {"target": chips(target), "iterations": iterations, "seconds": seconds}
    means = {"threads": threads, "memory": memory, "checkpoint": checkpoint, "resume": resume}
    if path.suffix.lower() == ".rb":
        refuse("solves a game; a solution is only shown", **limits, **means, seed=seed, out=out)
        solution = _load(path)
    else:
        quiet = as_json or form is not None
        solution = _solved(path, limits, means, seed, device, quiet=quiet)
    if out is not None:
        save_somewhere(solution.save, out)
    if chart is not None:
        draw_chart(solution, line, chart)
    if form is not None:
        from riverboat.holdem.preflop.charts import range_text

        print(range_text(solution, line or "", form, action))
    elif as_json:
        emit(solution.as_dict())
    else:
        _print(solution, line)
    exit_if_stopped(bool(solution.info.get("stopped")) and path.suffix.lower() != ".rb")


def _check(form: str | None, line: str | None, action: str | None) -> None:
    """Refuse what cannot be, before the work."""
    if form is not None and line is None:
        raise UsageError("--as writes the range of one decision; name it with --line, e.g. start.")
    if action is not None and form is None:
        raise UsageError("--action says whose range --as writes; give --as, e.g. --as pio.")
    if form is not None:
        from riverboat.holdem.preflop.charts import check_form

        check_form(form)


def _solved(
    path: Path,
    limits: dict[str, Any],
    means: dict[str, Any],
    seed: int | None,
    device: str,
    *,
    quiet: bool,
) -> PreflopSolution:
    """Solve the game of a file; `means` are what only games with flops use."""
    spec, game = read_game(path)
    if not isinstance(game, FlopGame):
        refuse(
            "is for games with flops; all-in or fold takes seconds",
            **means, device=None if device == "cpu" else device,
        )  # fmt: skip
        return _solve(game, limits, seed, quiet=quiet)
    refuse("is for deals that are sampled; every deal of this game counts", seed=seed)
    memory = means["memory"]
    given = {
        **means,
        "threads": means["threads"] or 1,
        "memory": None if memory is None else parse_memory(memory),
        "device": chosen_device(device, quiet=quiet),
    }
    return _solve_flops(game, spec, limits, quiet=quiet, **given)


def _load(path: Path) -> PreflopSolution:
    from riverboat.holdem.preflop.solution import PreflopSolution

    return PreflopSolution.load(path)


def _solve_flops(
    game: FlopGame, spec: dict[str, Any], limits: dict[str, Any], *, quiet: bool, **given: Any
) -> PreflopSolution:
    from riverboat.holdem.preflop.flop_question import solve_flop_game

    def print_size(size: FlopGameSize, int16: bool) -> None:
        if not quiet:
            kept = "" if given["checkpoint"] is None else " A checkpoint takes {:.2f} GiB of disk."
            output().print(
                f"{len(game.flops)} flops, {size.spots} spots after them,"
                f" {size.updates / 1e6:,.0f} million updates an iteration;"
                f" {size.memory_bytes(int16=int16) / 2**30:.2f} GiB of memory."
                + kept.format(size.checkpoint_bytes(int16=int16) / 2**30)
            )

    with work_bar("solving", quiet=quiet) as bar:

        def show(now: Progress) -> None:
            gap = 1000 * now.exploitability / game.blinds[1]
            gap_words = f" · exploitable by {gap:.2f} mbb per hand" if math.isfinite(gap) else ""
            bar.show(now.share, 1.0, f"{now.iterations:,} iterations{gap_words}")

        return solve_flop_game(
            game,
            spec,
            **limits,
            **given,
            progress=show,
            compiling=lambda done, all_: bar.show(done, all_, "making spots ready"),
            sized=print_size,
        )


def _solve(
    game: PushFold, limits: dict[str, Any], seed: int | None, *, quiet: bool
) -> PreflopSolution:
    from riverboat.holdem.preflop.allin_solver import solve_preflop

    if seed is not None and game.num_players < 4:
        raise UsageError("--seed does nothing where every deal is counted; leave it out.")
    with work_bar("solving", quiet=quiet) as bar:

        def show(now: Progress) -> None:
            gap_words = (
                f" · gain {now.exploitability:.2g}" if math.isfinite(now.exploitability) else ""
            )
            bar.show(now.share, 1.0, f"{now.iterations:,} iterations{gap_words}")

        return solve_preflop(
            game,
            **limits,
            seed=seed or 0,
            progress=show,
            counting=lambda share: bar.show(share, 1.0, "counting three-way deals, once"),
        )


def draw_chart(solution: PreflopSolution, line: str | None, out: Path) -> None:
    from riverboat.holdem.preflop.charts import chart_svg

    write_picture(out, chart_svg(solution, line), title=solution.title)


def _print(solution: PreflopSolution, line: str | None) -> None:
    console = output()
    asked = None if line is None else solution.node(line)
    if solution.info.get("stopped"):
        console.print("Stopped before the limit; this is what was found by then.")
    console.print(solution.title)
    _print_seats(solution)
    if asked is not None:
        _print_node(asked)
    elif len(solution.nodes) <= 2:
        for node in solution.nodes:
            _print_node(node)
    elif any(node.actions != ("f", "a") for node in solution.nodes):
        console.print(GridText(solution.nodes[0].grid, legend=True))
        table = columns("line", "seat", "what is done")
        for node in solution.nodes:
            pairs = zip(node.labels, node.totals, strict=True)
            done = ", ".join(f"{label} {100 * share:.1f} %" for label, share in pairs)
            table.add_row(node.name, node.seat.upper(), node.rare_words if node.rare else done)
        console.print(table)
    else:
        from riverboat.holdem.preflop.charts import range_text

        table = columns("line", "seat", ">all-in or call", "hands")
        for node in solution.nodes:
            if node.rare:
                table.add_row(node.name, node.seat.upper(), "–", node.rare_words)
                continue
            hands = range_text(solution, node.name, "equilab")
            share = f"{100 * node.totals[-1]:.1f} %"
            table.add_row(node.name, node.seat.upper(), share, hands)
        console.print(table)
        _print_undetermined(solution.nodes)


def _print_node(node: PreflopNode) -> None:
    if node.rare:
        output().print(f"{node.grid.title}.")
        return
    output().print(GridText(node.grid, legend=True))
    _print_undetermined([node])


def _print_undetermined(nodes: Sequence[PreflopNode]) -> None:
    """Say where hands are left out whose better action the deals do not determine."""
    counts = {
        node.name: int((~node.trained).sum())
        for node in nodes
        if node.trained is not None and not node.rare and not node.trained.all()
    }
    if counts:
        words = ", ".join(f"{name} {count}" for name, count in counts.items())
        output().print(
            f"Hands left out, as the deals do not say what is better with them: {words}.",
            style="dim",
        )


def _print_seats(solution: PreflopSolution) -> None:
    info: dict[str, Any] = solution.info
    unit = str(info.get("unit", "chips"))
    table = columns("seat", f">EV ({unit})", ">gain of a best response")
    for seat, ev, gain in solution.seat_figures():
        table.add_row(seat.upper(), ev, gain)
    output().print(table)
    if "gains_below" in info:
        bound = rounded_up(float(info["exploitability"]))
        output().print(f"Exploitability: below {bound} {unit} (the mean gain, 95 % confidence).")
    how = [str(info["algorithm"])] if "algorithm" in info else []
    if "iterations" in info:
        took = f" in {info['seconds']:.2f} s" if "seconds" in info else ""
        stable = info.get("stable")
        until = " until the ranges were stable" if stable else " without stable ranges"
        how.append(f"{info['iterations']:,} iterations{took}{'' if stable is None else until}")
    counted = "every deal counted" if info.get("method") == "exact" else "deals sampled"
    output().print(f"{', '.join(how)}{'; ' * bool(how)}{counted}.")


@app.command("icm")
def icm_command(
    stacks: Annotated[list[float], number_argument("STACK", "The chips of 2 to 10 players.")],
    payouts: Annotated[
        str, option("The prizes, the first place's first: 50,30,20.", metavar="P1,P2,…")
    ],
    as_json: options.JsonFlag = False,
) -> None:
    """What chips are worth in prizes: the independent chip model of Malmuth and Harville, exactly.

    \b
    Example:
    riverboat holdem icm 50 30 20 --payouts 50,30,20
    """
    from riverboat.holdem.rules.icm import icm

    prizes = options.numbers(payouts, "--payouts")
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
