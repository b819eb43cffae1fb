"""`riverboat blackjack chart | simulate`: what players take to the table."""

from __future__ import annotations

import json
import math
import os
import sys
import textwrap
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.cli.blackjack.table_options import Changes, Preset
from riverboat.cli.console import JsonFlag

if TYPE_CHECKING:
    from riverboat.blackjack.charts import BlackjackChart
    from riverboat.blackjack.rules import BlackjackRules
    from riverboat.blackjack.simulation.simulate import Simulation, SimulationResult

app = typer.Typer(no_args_is_help=True)


class Format(StrEnum):
    """How a chart is written."""

    text = "text"
    svg = "svg"
    png = "png"
    html = "html"
    csv = "csv"


class StrategyName(StrEnum):
    """A strategy to play by."""

    best = "best"
    published = "published"
    mimic_dealer = "mimic-dealer"
    never_bust = "never-bust"


class Others(StrEnum):
    """How the other seats play."""

    same = "same"
    basic = "basic"


Strategy = Annotated[
    StrategyName,
    typer.Option(
        "--strategy", help="The best chart for the rules, the printed one, or a rule of thumb."
    ),
]


def chart_named(name: StrategyName, rules: BlackjackRules) -> BlackjackChart:
    """The chart that an option names."""
    from riverboat.blackjack.charts import MIMIC_DEALER, NEVER_BUST, published_chart
    from riverboat.blackjack.exact.best_chart import best_chart

    if name is StrategyName.best:
        return best_chart(rules)
    if name is StrategyName.published:
        return published_chart(rules)
    return MIMIC_DEALER if name is StrategyName.mimic_dealer else NEVER_BUST


@app.command("chart")
def chart(
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    form: Annotated[Format, typer.Option("--format", help="What to make.")] = Format.text,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write there, not to the screen.")
    ] = None,
    strategy: Strategy = StrategyName.best,
) -> None:
    """The basic strategy for a table: hard totals, soft totals and pairs.

    Example: riverboat blackjack chart --rules single-deck --set surrender=late
    """
    from riverboat.blackjack import chart_drawing as drawing
    from riverboat.blackjack.exact.analysis import analyse
    from riverboat.blackjack.rules import rules_from
    from riverboat.errors import UsageError
    from riverboat.strategies.files import atomic_write, check_writable

    table = rules_from(rules, changes or ())
    if out is not None:
        check_writable(out)
    elif form is Format.png:
        raise UsageError("A png chart needs --out FILE.")
    shown = chart_named(strategy, table)
    worth = 100 * analyse(table, strategy=shown).ev
    note = f"Played so, a round is worth {worth:+.4f} % of the bet."
    if table.charlie:
        note += (
            " A row serves hands of any number of cards; close to a Charlie, and with two cards,"
            " `riverboat blackjack hand` may know better."
        )
    if form is Format.text and out is None:
        _print_chart(drawing.chart_lines(shown, table, note))
        return
    data: str | bytes
    if form is Format.csv:
        data = drawing.chart_csv(shown)
    else:
        make: dict[Format, Any] = {
            Format.text: drawing.chart_text,
            Format.svg: drawing.chart_svg,
            Format.html: drawing.chart_html,
            Format.png: drawing.chart_png,
        }
        data = make[form](shown, table, note)
    if out is None:
        sys.stdout.write(str(data))
        return
    atomic_write(out, data)
    print(f"{out} written")


def _print_chart(lines: list[list[tuple[str, str]]]) -> None:
    from rich.console import Console
    from rich.text import Text

    from riverboat.blackjack.chart_drawing import COLOURS

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        text = Text()
        for piece, code in line:
            text.append(piece, f"#000000 on {COLOURS[code]}" if code else "")
        console.print(text)


@app.command("simulate")
def simulate(
    rounds: Annotated[str, typer.Option("--rounds", help="How many, e.g. 1000000 or 1e9.")] = "1e7",
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    strategy: Strategy = StrategyName.best,
    seats: Annotated[int, typer.Option(help="Players at the table, 1 to 7.")] = 1,
    seat: Annotated[int, typer.Option(help="The player's seat; 1 acts first.")] = 1,
    others: Annotated[
        Others, typer.Option(help="The other seats play the same, or basic strategy.")
    ] = Others.basic,
    count: Annotated[
        str | None, typer.Option("--count", metavar="SYSTEM", help="Count: hilo, ko, zen, …")
    ] = None,
    ramp: Annotated[
        str | None,
        typer.Option("--ramp", help="Bets by the count, e.g. '1 2@1 4@2 8@3'.", show_default=False),
    ] = None,
    deviations: Annotated[
        str | None,
        typer.Option(help="Names (illustrious18, fab4, none) or texts like 16vT:S@0."),
    ] = None,
    resolution: Annotated[
        int, typer.Option(help="Cards to which a counter judges the decks.")
    ] = 26,
    penetration: Annotated[float, typer.Option(help="Share of the shoe that is dealt.")] = 0.75,
    fresh: Annotated[bool, typer.Option("--fresh", help="Shuffle before every round.")] = False,
    seed: Annotated[int, typer.Option(help="Same seed, same rounds.")] = 0,
    threads: Annotated[int | None, typer.Option(help="Default: all cores.")] = None,
    per_hour: Annotated[float, typer.Option(help="Rounds an hour.")] = 100.0,
    bankroll: Annotated[float, typer.Option(help="Units to lose, for the risk of ruin.")] = 1000.0,
    as_json: JsonFlag = False,
) -> None:
    """Play rounds by the million and report what they bring.

    Example: riverboat blackjack simulate --rounds 1e7 --count hilo --ramp "1 2@1 4@2 8@3"
    """
    from riverboat.blackjack.rules import rules_from
    from riverboat.blackjack.simulation.counting import counter_from
    from riverboat.blackjack.simulation.simulate import Simulation
    from riverboat.errors import UsageError

    if count is None and (ramp is not None or deviations is not None):
        raise UsageError("--ramp and --deviations need --count, e.g. --count hilo.")
    if not (0 < per_hour < math.inf and 0 < bankroll < math.inf):
        raise UsageError("--per-hour and --bankroll must be numbers above zero.")
    table = rules_from(rules, changes or ())
    counter = counter_from(count, ramp, deviations, resolution) if count is not None else None
    plays = chart_named(strategy, table)
    simulation = Simulation(
        table,
        plays,
        counter,
        seats,
        seat - 1,
        chart_named(StrategyName.best, table) if others is Others.basic and seats > 1 else None,
        0.0 if fresh else penetration,
    )
    wanted = _whole_number(rounds)
    cores = threads if threads is not None else os.cpu_count() or 1
    result, seconds = _run(simulation, wanted, seed, cores, not as_json)
    facts = _facts(result, per_hour, bankroll, seconds)
    facts["strategy"] = strategy.value
    facts["exact_ev"] = _exact(simulation)
    if as_json:
        print(json.dumps(facts))
        return
    _print_result(result, facts)


def _whole_number(text: str) -> int:
    from riverboat.errors import UsageError

    try:
        number = float(text.replace("_", ""))
        if number != int(number) or number < 1:
            raise ValueError
        return int(number)
    except (ValueError, OverflowError):
        raise UsageError(f"--rounds takes a whole number above zero, not {text!r}.") from None


def _run(
    simulation: Simulation, rounds: int, seed: int, threads: int, show: bool
) -> tuple[SimulationResult, float]:
    """The result and the seconds it took, compilation apart; a bar on stderr while it runs."""
    from rich.console import Console
    from rich.progress import Progress

    from riverboat.blackjack.simulation.simulate import simulate as run

    run(simulation, 1, seed=seed)
    started = time.perf_counter()
    with Progress(
        console=Console(stderr=True), transient=True, disable=not show or not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task("rounds", total=rounds)
        result = run(
            simulation,
            rounds,
            seed=seed,
            threads=threads,
            progress=lambda done, _: bar.update(task, completed=done),
        )
    return result, time.perf_counter() - started


def _facts(
    result: SimulationResult, per_hour: float, bankroll: float, seconds: float
) -> dict[str, Any]:
    import dataclasses

    simulation, counter = result.simulation, result.simulation.counter
    ev_per_hour, sd_per_hour = result.per_hour(per_hour)
    return {
        "rules": dataclasses.asdict(simulation.rules),
        "rounds": result.rounds,
        "seats": simulation.seats,
        "seat": simulation.seat + 1,
        "ev": result.ev,
        "stderr": result.stderr,
        "variance": result.variance,
        "ev_per_bet": result.ev_per_bet,
        "stderr_per_bet": result.stderr_per_bet,
        "average_bet": result.average_bet,
        "rounds_per_hour": per_hour,
        "ev_per_hour": ev_per_hour,
        "sd_per_hour": sd_per_hour,
        "n0": result.n0,
        "bankroll": bankroll,
        "risk_of_ruin": result.risk_of_ruin(bankroll),
        "count": counter.system.name if counter else None,
        "ramp": str(simulation.ramp),
        "deviations": [str(d) for d in counter.deviations] if counter else [],
        "resolution": counter.resolution if counter else None,
        "others": _others(simulation),
        "penetration": simulation.penetration,
        "seed": result.seed,
        "by_count": [
            {
                "from": row.low if row.low > float("-inf") else None,
                "share": row.share,
                "bet": row.bet,
                "ev": row.ev,
                "stderr": row.stderr,
            }
            for row in result.by_count()
        ]
        if counter
        else [],
        "seconds": seconds,
        "rounds_per_second": result.rounds / seconds,
    }


def _exact(simulation: Simulation) -> float | None:
    """The strategy's exact value, where analysis has one: shuffled every round, nothing counted."""
    from riverboat.blackjack.exact.analysis import analyse

    if simulation.counter or (simulation.penetration and simulation.rules.decks != "infinite"):
        return None
    return analyse(simulation.rules, strategy=simulation.chart).ev


def _others(simulation: Simulation) -> str | None:
    if simulation.seats == 1:
        return None
    return "same" if simulation.others is None else "basic"


def _print_result(result: SimulationResult, facts: dict[str, Any]) -> None:
    shuffled = (
        f"cut card at {100 * facts['penetration']:g} %"
        if facts["penetration"]
        else "shuffled every round"
    )
    seats = f"seat {facts['seat']} of {facts['seats']}" if facts["seats"] > 1 else "one seat"
    print(textwrap.fill(result.simulation.rules.summary, 80))
    print(f"{facts['strategy']} chart, {seats}, {shuffled}")
    if facts["count"]:
        num = len(facts["deviations"])
        print(f"counting {facts['count']}, ramp {facts['ramp']}, {num} deviations")
    print()
    rate = facts["rounds_per_second"] / 1e6
    n0 = f"{facts['n0']:,.0f} rounds" if facts["n0"] is not None else "none"
    rows = [
        ("rounds", f"{facts['rounds']:,} in {facts['seconds']:.2f} s ({rate:.1f} million/s)"),
        ("EV a round", f"{facts['ev']:+.6f} ± {facts['stderr']:.6f} units"),
        (
            "EV a unit bet",
            f"{100 * facts['ev_per_bet']:+.4f} ± {100 * facts['stderr_per_bet']:.4f} %",
        ),
        ("average bet", f"{facts['average_bet']:.4f} units"),
        (
            "variance",
            f"{facts['variance']:.4f} (standard deviation {facts['variance'] ** 0.5:.4f})",
        ),
        (
            "an hour",
            f"{facts['ev_per_hour']:+.3f} units, standard deviation {facts['sd_per_hour']:.2f}"
            f" ({facts['rounds_per_hour']:g} rounds)",
        ),
        ("N0", n0),
        ("risk of ruin", f"{100 * facts['risk_of_ruin']:.2f} % with {facts['bankroll']:g} units"),
    ]
    exact = facts["exact_ev"]
    if exact is not None and facts["stderr"]:
        apart = (facts["ev"] - exact) / facts["stderr"]
        rows.insert(2, ("exact", f"{exact:+.6f} units, {abs(apart):.1f} standard errors away"))
    for label, text in rows:
        print(f"{label:<14} {text}")
    if facts["by_count"]:
        print()
        print("count from    rounds %     bet     EV % of bet")
        for row in result.by_count():
            low = "below" if row.low == float("-inf") else f"{row.low:+g}"
            print(
                f"{low:>10} {100 * row.share:>11.2f} {row.bet:>7g}"
                f" {100 * row.ev:>+9.3f} ± {100 * row.stderr:.3f}"
            )
