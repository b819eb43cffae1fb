"""`riverboat holdem strength|show`: how good a blueprint is, and what it does first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.cli.console import JsonFlag, Seed, emit, output, progress_bar

if TYPE_CHECKING:
    from riverboat.abstraction.blueprint import Blueprint
    from riverboat.evaluation.abstract_play import Estimate

app = typer.Typer(help="Blueprints for hold'em: their strength and their ranges.")

BlueprintFile = Annotated[Path, typer.Argument(metavar="FILE", help="A blueprint.")]


@app.command("strength")
def strength(
    path: BlueprintFile,
    against: Annotated[
        str, typer.Option("--against", help="Sparring partners, with commas between.")
    ] = "fold,call,random,rules",
    deals: Annotated[
        int, typer.Option("--deals", min=0, help="Deals of each match, played from every seat.")
    ] = 1000,
    lbr: Annotated[
        int, typer.Option("--lbr", min=0, help="Deals of local best response (two players).")
    ] = 500,
    response: Annotated[
        int,
        typer.Option("--response", min=0, help="Deals to learn a response in the abstraction."),
    ] = 0,
    seed: Seed = 0,
    as_json: JsonFlag = False,
) -> None:
    """Measure a blueprint: matches with duplicate deals, local best response, a learned response.

    Figures are thousandths of a big blind a game with 95 % intervals; in the full game, except
    for the response and the seats, which are those of the abstract one.

    Example: riverboat holdem strength headsup-small.rb --deals 5000 --lbr 2000
    """
    from riverboat.abstraction.blueprint import Blueprint
    from riverboat.errors import UnknownNameError
    from riverboat.players.holdem import STYLES

    names = [name.strip() for name in against.split(",") if name.strip()]
    for name in names:
        if name not in STYLES:
            raise UnknownNameError.among("sparring partner", name, STYLES)
    blueprint = Blueprint.load(path)
    found = _measure(blueprint, names, deals, lbr, response, seed, quiet=as_json)
    if as_json:
        emit({"file": str(path), "info": dict(blueprint.info), "seed": seed, **_plain(found)})
        return
    from rich.table import Table

    table = Table(title=f"{path}, mbb/g", title_justify="left", box=None)
    for name in ("", "mean", "95 %", "games"):
        table.add_column(name, justify="left" if not name else "right")
    for name, value in found.items():
        table.add_row(name, f"{value.mean:+,.0f}", f"± {value.ci95:,.0f}", f"{value.games:,}")
    output().print(table)


def _plain(found: dict[str, Estimate]) -> dict[str, Any]:
    return {
        "figures": {
            name: {"mean": value.mean, "ci95": value.ci95, "games": value.games}
            for name, value in found.items()
        }
    }


def _measure(
    blueprint: Blueprint,
    names: list[str],
    deals: int,
    lbr: int,
    response: int,
    seed: int,
    *,
    quiet: bool,
) -> dict[str, Estimate]:
    from riverboat.evaluation.abstract_play import learned_response, seat_values, table_of
    from riverboat.evaluation.holdem_match import duplicate_match
    from riverboat.evaluation.lbr import local_best_response
    from riverboat.players.holdem import STYLES

    found: dict[str, Estimate] = {}
    two = blueprint.rules.players == 2
    with progress_bar("count", quiet=quiet) as bar:

        def stage(title: str, total: int) -> Any:
            task = bar.add_task(title, total=total, count="")
            return lambda done: bar.update(task, completed=done, count=f"{done:,} deals")

        for name in names if deals else ():
            title = f"against {name}"
            match = duplicate_match(
                blueprint, STYLES[name], deals, seed=seed, progress=stage(title, deals)
            )
            if two:
                found[f"{title}, as it fell"] = match.plain
            found[title] = match.reduced
        if two and lbr:
            found["local best response wins"] = local_best_response(
                blueprint, lbr, seed=seed, progress=stage("local best response", lbr)
            )
        table = table_of(blueprint)
        if two and response:
            found["learned response wins, abstract"] = learned_response(
                blueprint.abstract, table, deals=response, seed=seed
            )[0]
        for seat, value in enumerate(seat_values(blueprint.abstract, table, seed=seed), 1):
            found[f"self-play, player {seat}, abstract"] = value
    return found


@app.command("show")
def show(path: BlueprintFile, as_json: JsonFlag = False) -> None:
    """What the first player to act does with each hand before the flop."""
    import numpy as np

    from riverboat.abstraction.blueprint import Blueprint
    from riverboat.cards.combos import CLASS_NAMES
    from riverboat.cli.holdem_grid import first_range
    from riverboat.errors import UsageError

    blueprint = Blueprint.load(path)
    if blueprint.abstract.buckets.num_buckets[0] != len(CLASS_NAMES):
        raise UsageError(f"{path} is for a reduced deck, which has no grid of 169 hands.")
    amounts = blueprint.abstract.tree.actions(0).tolist()
    chances = blueprint.at(0, np.arange(len(CLASS_NAMES), dtype=np.uint32))
    if as_json:
        labels = [{-1: "f", 0: "c"}.get(amount, f"r{amount}") for amount in amounts]
        rows = zip(CLASS_NAMES, chances.tolist(), strict=True)
        hands = {name: dict(zip(labels, row, strict=True)) for name, row in rows}
        emit({"file": str(path), "info": dict(blueprint.info), "hands": hands})
        return
    output().print(first_range(amounts, chances))
