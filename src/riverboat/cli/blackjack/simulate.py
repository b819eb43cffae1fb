"""`riverboat blackjack simulate` and `sweep`: rounds by the million, and rules compared exactly."""

from __future__ import annotations

import math
import os
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from riverboat.blackjack.exact.rule_sweep import Sweep, parse_grid, sweep_rules
from riverboat.blackjack.rules import BlackjackRules, rules_from
from riverboat.blackjack.simulation.counting import counter_from
from riverboat.blackjack.simulation.crew_simulation import split_simulation
from riverboat.blackjack.simulation.simulate import Simulation, SimulationResult, check_duration
from riverboat.blackjack.simulation.simulate import simulate as run
from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.console import columns, emit, exit_if_stopped, output
from riverboat.cli.groups import App
from riverboat.cli.options import (
    chosen_device,
    count_option,
    crew_state,
    number_option,
    option,
    refuse,
)
from riverboat.cli.out_files import PICTURES, TABLES, check_out, write_picture
from riverboat.errors import UsageError
from riverboat.jobs.crews import open_crew
from riverboat.runtime.tables import write_table

if TYPE_CHECKING:
    from riverboat.jobs.job_list import JobProgress


app = App()

Others = StrEnum("Others", ("SAME", "BASIC"))
"""What the other seats play."""


@app.command("simulate")
def simulate(
    rounds: Annotated[
        int, count_option("--rounds", "Number of rounds, e.g. 1e9.", min=1, max=10**18)
    ] = 10_000_000,
    rules: options.Preset = "vegas-6d-s17",
    changes: options.Changes = None,
    strategy: options.Strategy = "best",
    seats: Annotated[int, count_option("--seats", "Players at the table, 1 to 7.")] = 1,
    seat: Annotated[int, count_option("--seat", "The player's seat; 1 acts first.")] = 1,
    others: Annotated[
        Others | None,
        option("--other-seats", "--others", "The other seats play the same, or basic (default)."),
    ] = None,
    count: options.Count = None,
    ramp: options.Ramp = None,
    deviations: Annotated[
        str | None, option("Names (illustrious18, fab4, none) or texts like 16vT:S@0.")
    ] = None,
    resolution: Annotated[
        int | None,
        count_option("--resolution", "Cards to which a counter judges the decks (default 26)."),
    ] = None,
    penetration: Annotated[
        float | None,
        number_option("--penetration", "Share of the shoe that is dealt (default 0.75)."),
    ] = None,
    fresh: Annotated[bool, option("--fresh", "Shuffle before every round.")] = False,
    seed: options.Seed = 0,
    threads: Annotated[int | None, count_option("--threads", "Default: all cores.")] = None,
    device: options.DeviceOption = "cpu",
    ray: options.RayAddress = None,
    workers: options.Workers = None,
    keep: options.Keep = None,
    per_hour: Annotated[float, number_option("--per-hour", "Rounds per hour.")] = 100.0,
    bankroll: Annotated[
        float, number_option("--bankroll", "Units to lose, for the risk of ruin.")
    ] = 1000.0,
    as_json: options.JsonFlag = False,
) -> None:
    """Play rounds by the million and report what they bring. Ctrl-C reports what was played.

    With --ray the rounds are split on a cluster, with --workers in processes; the same seed gives
    the same counts as here. --keep FOLDER lets a long run go on after a stop.

    \b
    Example:
    riverboat blackjack simulate --rounds 1e7 --count hilo --ramp "1 2@1 4@2 8@3"
    """
    from riverboat.blackjack.exact.best_chart import named_chart

    if not (0 < per_hour < math.inf and 0 < bankroll < math.inf):
        raise UsageError("--per-hour and --bankroll must be numbers above zero.")
    table = rules_from(rules, changes or ())
    if count is None:
        why = "needs --count, e.g. --count hilo"
        refuse(why, ramp=ramp, deviations=deviations, resolution=resolution)
    if seats == 1:
        refuse("needs --seats above 1", **{"other-seats": others})
    _refuse_shoe(table, fresh, penetration)
    counter = counter_from(count, ramp, deviations, resolution or 26) if count else None
    share = 0.75 if penetration is None else penetration
    simulation = Simulation(
        table,
        named_chart(strategy, table),
        counter,
        seats,
        seat - 1,
        named_chart("best", table) if others is not Others.SAME and seats > 1 else None,
        0.0 if fresh else share,
    )
    if ray is None and workers is None and keep is None:
        result, seconds = _run(simulation, rounds, seed, threads, as_json, device)
    else:
        refuse("does nothing with --workers, --ray or --keep", threads=threads)
        if device != "cpu":
            raise UsageError("--workers, --ray and --keep play on CPUs; leave --device out.")
        result, seconds = _run_split(simulation, rounds, seed, ray, workers, keep, as_json)
    facts = result.as_dict(per_hour, bankroll)
    facts |= {"seconds": seconds, "rounds_per_second": result.rounds / seconds}
    facts |= {"strategy": strategy, "exact_ev": simulation.exact_ev()}
    emit(facts) if as_json else _print_result(result, facts)
    exit_if_stopped(result.cut_short)


def _refuse_shoe(table: BlackjackRules, fresh: bool, penetration: float | None) -> None:
    if fresh:
        refuse("does nothing with --fresh", penetration=penetration)
    if table.decks == "infinite":
        why = "does nothing with an infinite deck, which is never shuffled"
        refuse(why, fresh=fresh or None, penetration=penetration)


def _run(
    simulation: Simulation, rounds: int, seed: int, threads: int | None, quiet: bool, device: str
) -> tuple[SimulationResult, float]:
    """The result and the seconds it took, compilation apart; a bar on stderr while it runs."""
    device = chosen_device(device, quiet=quiet)
    if device == "cuda":
        refuse("does nothing on a GPU", threads=threads)
    cores = threads if threads is not None else os.cpu_count() or 1
    run(simulation, 1, seed=seed, device=device)
    check_duration(simulation, rounds, threads=cores, device=device)
    started = time.perf_counter()
    with _rounds_bar(rounds, quiet) as progress:
        result = run(simulation, rounds, seed=seed, threads=cores, progress=progress, device=device)
    return result, time.perf_counter() - started


@contextmanager
def _rounds_bar(rounds: int, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar, as the progress callback of a simulation."""
    with work_bar("playing", quiet=quiet) as bar:
        yield lambda done, wanted: bar.show(done, rounds, f"{done:,} of {wanted:,} rounds")


def _run_split(
    simulation: Simulation,
    rounds: int,
    seed: int,
    ray: str | None,
    workers: int | None,
    keep: Path | None,
    quiet: bool,
) -> tuple[SimulationResult, float]:
    """The same by a crew; the seconds count from when the crew is there."""
    with open_crew(ray, workers) as crew, _rounds_bar(rounds, quiet) as progress:
        check_duration(simulation, rounds, threads=crew.workers())
        started = time.perf_counter()
        result = split_simulation(
            simulation, rounds, crew, seed=seed, folder=keep, progress=progress
        )
        return result, time.perf_counter() - started


def _print_result(result: SimulationResult, facts: dict[str, Any]) -> None:
    from riverboat.evaluation.estimates import Z95

    shuffled = (
        f"cut card at {100 * facts['penetration']:g} %"
        if facts["penetration"]
        else "shuffled every round"
    )
    seats = f"seat {facts['seat']} of {facts['seats']}" if facts["seats"] > 1 else "one seat"
    if result.cut_short:
        print(f"Cut short: {result.rounds:,} of {result.wanted:,} rounds were played.")
        print()
    print(textwrap.fill(result.simulation.rules.summary, 80))
    print(f"{facts['strategy']} chart, {seats}, {shuffled}")
    if facts["count"]:
        num_deviations = len(facts["deviations"])
        print(f"counting {facts['count']}, ramp {facts['ramp']}, {num_deviations} deviations")
    print()
    rate = facts["rounds_per_second"] / 1e6
    n0 = f"{facts['n0']:,.0f} rounds" if facts["n0"] is not None else "none"
    rows = [
        ("rounds", f"{facts['rounds']:,} in {facts['seconds']:.2f} s ({rate:.1f} million/s)"),
        ("EV per round", f"{facts['ev']:+z.6f} ± {facts['ci95']:.6f} units (95 %)"),
        (
            "EV per unit bet",
            f"{100 * facts['ev_per_bet']:+z.4f} ± {100 * Z95 * facts['stderr_per_bet']:.4f} %",
        ),
        ("average bet", f"{facts['average_bet']:.4f} units"),
        (
            "variance",
            f"{facts['variance']:.4f} (standard deviation {facts['variance'] ** 0.5:.4f})",
        ),
        (
            "per hour",
            f"{facts['ev_per_hour']:+z.3f} units, standard deviation {facts['sd_per_hour']:.2f}"
            f" ({facts['rounds_per_hour']:g} rounds)",
        ),
        ("N0", n0),
        ("risk of ruin", f"{100 * facts['risk_of_ruin']:.2f} % with {facts['bankroll']:g} units"),
    ]
    exact = facts["exact_ev"]
    if exact is not None and facts["stderr"]:
        apart = (facts["ev"] - exact) / facts["stderr"]
        rows.insert(2, ("exact", f"{exact:+z.6f} units, {abs(apart):.1f} standard errors away"))
    for label, text in rows:
        print(f"{label:<16} {text}")
    if facts["by_count"]:
        print()
        print("count from    rounds %     bet     EV % of bet (± 95 %)")
        for row in result.by_count():
            low = "below" if row.low == float("-inf") else f"{row.low:+g}"
            print(
                f"{low:>10} {100 * row.share:>11.2f} {row.bet:>7g}"
                f" {100 * row.ev:>+z9.3f} ± {100 * row.ci95:.3f}"
            )


@app.command("sweep")
def sweep(
    over: Annotated[
        list[str], option("A rule and the values it takes; repeatable.", metavar="NAME=A,B,…")
    ] = [],  # noqa: B006
    rules: options.Preset = "vegas-6d-s17",
    changes: options.Changes = None,
    out: Annotated[
        Path | None,
        option("--out", "--svg", "Draw it, .svg, .html, .pdf, .png, or write a table, .csv, …"),
    ] = None,
    ray: options.RayAddress = None,
    workers: options.Workers = None,
    as_json: options.JsonFlag = False,
) -> None:
    """What a round is worth with perfect play under every combination of rules, exactly.

    The last rule runs across, the others down. Figures are in % of the bet.

    \b
    Examples:
    riverboat blackjack sweep --over decks=1,2,6 --over h17=false,true
    riverboat blackjack sweep --over surrender=none,late --over das=true,false --out rules.svg
    """
    check_out(out, (*PICTURES, *TABLES))
    grid = parse_grid(rules, over, changes or ())
    with open_crew(ray, workers) as crew, work_bar("tables", quiet=as_json) as bar:

        def show(now: JobProgress) -> None:
            bar.show(now.done, len(grid.tables), crew_state(now))

        sweep = sweep_rules(grid, crew, progress=show)
    if out is not None:
        fixed = f" ({', '.join(changes)})" if changes else ""
        _write_sweep(out, sweep, f"{rules}{fixed}: what a round is worth")
    if as_json:
        emit({"preset": rules, "svg": None if out is None else str(out), **sweep.as_dict()})
        return

    heading, lines = sweep.lines()
    table = columns(*(f">{name}" for name in heading))
    for line in lines:
        table.add_row(*line)
    console = output()
    console.print(table)
    best = sweep.grid.tables[sweep.best]
    value = 100 * sweep.values[sweep.best]
    console.print(f"best for the player: {best.summary}, {value:+z.4f} % of the bet", markup=False)
    if out is not None:
        kind = "picture" if out.suffix[1:].lower() in PICTURES else "table"
        console.print(f"The {kind} is in {out}.", markup=False, soft_wrap=True)


def _write_sweep(out: Path, sweep: Sweep, title: str) -> None:
    """Write the picture or the table that the ending names."""
    if out.suffix[1:].lower() not in TABLES:
        write_picture(out, sweep.svg(title), title=title)
        return
    names = [*sweep.grid.options, "ev"]
    rows = zip(sweep.grid.combinations, sweep.values, strict=True)
    write_table(out, names, [(*values, ev) for values, ev in rows])
