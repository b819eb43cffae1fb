"""`riverboat holdem strength|show`: how good a blueprint is, and what it does first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riverboat.cli.console import JsonFlag, Seed, emit, output, progress_bar
from riverboat.cli.holdem.abstraction_commands import street_progress
from riverboat.cli.holdem.spot_commands import app as spots
from riverboat.cli.holdem.spot_study import app as study
from riverboat.cli.holdem.spot_view import app as reading

if TYPE_CHECKING:
    from riverboat.holdem.abstraction.blueprint import Blueprint

app = typer.Typer(help="Blueprints for hold'em: their strength and their ranges. Spots, solved.")
app.add_typer(spots)
app.add_typer(reading)
app.add_typer(study)

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
        int | None,
        typer.Option("--lbr", min=0, help="Boards of local best response (two players); 100."),
    ] = None,
    raises: Annotated[
        str, typer.Option("--raises", help="Sizes by which local best response raises.")
    ] = "0.5p,1p,a",
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="Another blueprint, measured by local best response on the same boards.",
        ),
    ] = None,
    response: Annotated[
        int,
        typer.Option("--response", min=0, help="Deals to learn a response in the abstraction."),
    ] = 0,
    threads: Annotated[
        int, typer.Option("--threads", min=1, max=256, help="For local best response.")
    ] = 1,
    seed: Seed = 0,
    as_json: JsonFlag = False,
) -> None:
    """Measure a blueprint: matches with duplicate deals, local best response, a learned response.

    Figures are thousandths of a big blind a game with 95 % intervals; in the full game, except
    for the response and the seats, which are those of the abstract one. Local best response
    plays all hands of both sides on every board.

    Example: riverboat holdem strength headsup-small.rb --deals 5000 --lbr 300 --threads 2
    """
    from riverboat.holdem.strength.measure import measure

    with progress_bar("count", quiet=as_json) as bar:

        def stage(title: str, total: int, what: str) -> Callable[[int], None]:
            task = bar.add_task(title, total=total, count="")
            return lambda done: bar.update(task, completed=done, count=f"{done:,} {what}")

        blueprint = _load(path, quiet=as_json)
        found = measure(
            blueprint,
            against=against,
            deals=deals,
            boards=lbr,
            raises=raises,
            baseline=None if baseline is None else _load(baseline, quiet=as_json),
            response=response,
            threads=threads,
            seed=seed,
            stage=stage,
        )
    if as_json:
        info = dict(blueprint.info)
        emit({"file": str(path), "info": info, "seed": seed, "figures": found.as_dict()})
        return
    from rich.table import Table

    table = Table(title=f"{path}, mbb/g", title_justify="left", box=None)
    for name in ("", "mean", "95 %", "from"):
        table.add_column(name, justify="left" if not name else "right")
    for row in found.rows():
        table.add_row(*row)
    output().print(table)


def _load(path: Path, *, quiet: bool) -> Blueprint:
    """A blueprint; card tables that are not in the cache are built, with a bar."""
    from riverboat.holdem.abstraction.blueprint import Blueprint

    with street_progress(quiet=quiet) as progress:
        return Blueprint.load(path, progress=progress)


@app.command("show")
def show(path: BlueprintFile, as_json: JsonFlag = False) -> None:
    """What the first player to act does with each hand before the flop."""
    import numpy as np

    from riverboat.cards.combos import CLASS_NAMES
    from riverboat.cli.holdem.grid import first_range
    from riverboat.errors import UsageError

    blueprint = _load(path, quiet=as_json)
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
