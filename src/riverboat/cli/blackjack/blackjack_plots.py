"""Pictures of blackjack: `riverboat plot blackjack-landscape`, `chart` and `bankroll-fan`."""

from __future__ import annotations

from typing import Annotated

import typer

from riverboat.cli.console import Seed
from riverboat.cli.options import (
    Changes,
    Count,
    Out,
    Preset,
    Ramp,
    Strategy,
    Theme,
    Title,
    check,
    write,
)

app = typer.Typer()


@app.command("blackjack-landscape")
def blackjack_landscape(
    out: Out,
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """What the first two cards of blackjack are worth against each up card, exactly.

    Example: riverboat plot blackjack-landscape --set h17=true --out landscape.svg
    """
    from riverboat import pictures
    from riverboat.blackjack.rules import rules_from

    check(out, theme)
    table = rules_from(rules, changes or ())
    write(pictures.blackjack_landscape(table, title=title, theme=theme), out)


@app.command("chart")
def chart(
    out: Out,
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    strategy: Strategy = "best",
    theme: Theme = "light",
) -> None:
    """The basic strategy for a blackjack table.

    Example: riverboat plot chart --rules single-deck --theme dark --out chart.png
    """
    from riverboat import pictures
    from riverboat.blackjack.exact.best_chart import named_chart
    from riverboat.blackjack.rules import rules_from

    check(out, theme)
    table = rules_from(rules, changes or ())
    write(pictures.chart(table, named_chart(strategy, table), theme=theme), out)


@app.command("bankroll-fan")
def bankroll_fan(
    out: Out,
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    strategy: Strategy = "best",
    count: Count = None,
    ramp: Ramp = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="How far to look.")] = 10_000,
    simulated: Annotated[
        int, typer.Option("--simulated", min=1000, help="Rounds to learn from.")
    ] = 1_000_000,
    seed: Seed = 0,
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """Where a bankroll may go: the bands that hold half and nine tenths of all players.

    Example: riverboat plot bankroll-fan --count hilo --rounds 50000 --out fan.svg
    """
    from riverboat import pictures
    from riverboat.blackjack.exact.best_chart import named_chart
    from riverboat.blackjack.rules import rules_from
    from riverboat.blackjack.simulation.counting import counter_from
    from riverboat.blackjack.simulation.simulate import Simulation, simulate
    from riverboat.errors import UsageError

    check(out, theme)
    if ramp is not None and count is None:
        raise UsageError("--ramp needs --count, e.g. --count hilo.")
    table = rules_from(rules, changes or ())
    counter = counter_from(count, ramp, None, 26) if count else None
    played = Simulation(table, named_chart(strategy, table), counter)
    result = simulate(played, simulated, seed=seed)
    write(pictures.bankroll_fan(result, rounds, title=title, theme=theme), out)
