"""`riverboat holdem strength|show`: how good a blueprint is, and what it does first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.cli.console import JsonFlag, Seed, emit, output, progress_bar
from riverboat.cli.holdem.abstraction_commands import street_progress

if TYPE_CHECKING:
    from riverboat.holdem.abstraction.blueprint import Blueprint
    from riverboat.holdem.strength.abstract_play import Estimate
    from riverboat.holdem.strength.lbr import LbrResult

DEFAULT_BOARDS = 100
EXACT_BYTES = 200_000_000
"""Memory for the tree of a game small enough for an exact best response."""

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
    from riverboat.errors import UnknownNameError, UsageError
    from riverboat.holdem.abstraction.bets import parse_sizes
    from riverboat.holdem.sparring import STYLES
    from riverboat.holdem.strength.lbr import can_be_exploited

    names = [name.strip() for name in against.split(",") if name.strip()]
    for name in names:
        if name not in STYLES:
            raise UnknownNameError.among("sparring partner", name, STYLES)
    if lbr == 1:
        raise UsageError("An interval needs at least 2 boards; --lbr 0 leaves them out.")
    blueprint = _load(path, quiet=as_json)
    other = None if baseline is None else _load(baseline, quiet=as_json)
    for one in [blueprint] if other is None else [blueprint, other]:
        if not can_be_exploited(one) and (lbr or other is not None):
            raise UsageError("Local best response is for two players, 52 cards and four streets.")
    if lbr is None:
        lbr = DEFAULT_BOARDS if can_be_exploited(blueprint) else 0
    if other is not None and not lbr:
        raise UsageError("--baseline compares by local best response; leave --lbr 0 out.")
    sizes = parse_sizes(raises, "--raises")
    found = _measure(
        blueprint, other, names, deals, lbr, sizes, response, threads, seed, quiet=as_json
    )
    if as_json:
        emit({"file": str(path), "info": dict(blueprint.info), "seed": seed, **_plain(found)})
        return
    from rich.table import Table

    table = Table(title=f"{path}, mbb/g", title_justify="left", box=None)
    for name in ("", "mean", "95 %", "from"):
        table.add_column(name, justify="left" if not name else "right")
    for name, value in found.items():
        table.add_row(
            name, f"{value.mean:+,.0f}", f"± {value.ci95:,.0f}", f"{value.games:,} {_unit(name)}"
        )
    output().print(table)


def _load(path: Path, *, quiet: bool) -> Blueprint:
    """A blueprint; card tables that are not in the cache are built, with a bar."""
    from riverboat.holdem.abstraction.blueprint import Blueprint

    with street_progress(quiet=quiet) as progress:
        return Blueprint.load(path, progress=progress)


def _plain(found: dict[str, Estimate]) -> dict[str, Any]:
    return {
        "figures": {
            name: {"mean": value.mean, "ci95": value.ci95, _unit(name): value.games}
            for name, value in found.items()
        }
    }


def _exact(blueprint: Blueprint) -> dict[str, Estimate]:
    """The best response to a blueprint of a small game, where its whole tree fits."""
    from riverboat.errors import TooLargeError
    from riverboat.evaluation.exploitability import evaluate
    from riverboat.holdem.strength.abstract_play import Estimate
    from riverboat.trees.game_tree import build_tree

    game = blueprint.rules
    try:
        tree = build_tree(game, memory_limit=EXACT_BYTES)
    except TooLargeError:
        return {}
    unit = float(game.big_blind or game.ante or 1)
    wins = 1000 * evaluate(tree, blueprint).exploitability / unit
    return {"best response wins, exact": Estimate(wins, 0.0, tree.num_histories)}


def _unit(name: str) -> str:
    """What a figure is an average over."""
    if name.startswith("best response"):
        return "histories"
    return "boards" if name.startswith(("local best response", "more than")) else "games"


def _measure(
    blueprint: Blueprint,
    other: Blueprint | None,
    names: list[str],
    deals: int,
    lbr: int,
    raises: tuple[str, ...],
    response: int,
    threads: int,
    seed: int,
    *,
    quiet: bool,
) -> dict[str, Estimate]:
    from riverboat.holdem.abstraction.deals import has_full_boards
    from riverboat.holdem.sparring import STYLES
    from riverboat.holdem.strength.abstract_play import learned_response, seat_values, table_of
    from riverboat.holdem.strength.duplicate_match import duplicate_match
    from riverboat.holdem.strength.lbr import difference, local_best_response

    found: dict[str, Estimate] = {}
    two = blueprint.rules.players == 2
    with progress_bar("count", quiet=quiet) as bar:

        def stage(title: str, total: int, what: str = "deals") -> Any:
            task = bar.add_task(title, total=total, count="")
            return lambda done: bar.update(task, completed=done, count=f"{done:,} {what}")

        def exploited(of: Blueprint, title: str) -> LbrResult:
            shown = stage(title, lbr, "boards")
            return local_best_response(
                of, lbr, raises=raises, seed=seed, threads=threads, progress=shown
            )

        for name in names if deals else ():
            title = f"against {name}"
            match = duplicate_match(
                blueprint, STYLES[name], deals, seed=seed, progress=stage(title, deals)
            )
            if match.plain != match.reduced:
                found[f"{title}, as it fell"] = match.plain
            found[title] = match.reduced
        if lbr:
            mine = exploited(blueprint, "local best response")
            found["local best response wins"] = mine.estimate
            if other is not None:
                theirs = exploited(other, "against the baseline")
                found["local best response wins, baseline"] = theirs.estimate
                found["more than from the baseline"] = difference(mine, theirs)
        if two and not has_full_boards(blueprint.rules):
            found |= _exact(blueprint)
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
