"""`riverboat show` and `riverboat export`: look at what was learned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.cli.console import JsonFlag, emit, output

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from riverboat.games.base import Game
    from riverboat.strategies.public_strategy import PublicStrategy
    from riverboat.strategies.strategy import Strategy

app = typer.Typer()

StrategyFile = Annotated[Path, typer.Argument(metavar="FILE", help="A strategy file.")]


@app.command("show")
def show(
    file: StrategyFile,
    match: Annotated[
        str, typer.Option("--match", help="Only infosets whose key contains this text.")
    ] = "",
    player: Annotated[
        int | None, typer.Option("--player", min=1, help="Only this player's infosets.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="At most so many rows; 0 shows all.")
    ] = 60,
    path: Annotated[
        str, typer.Option("--path", help="On a public tree: the node after these moves, e.g. s,h7.")
    ] = "",
    as_json: JsonFlag = False,
) -> None:
    """Show a strategy: how it was made, and each infoset's probabilities as bars.

    A strategy on a public tree (the duel's) is walked node by node.

    Example: riverboat show kuhn.rb --match K
    """
    from riverboat.cli.public_view import show_public
    from riverboat.games.registry import make_game
    from riverboat.strategies.public_strategy import PublicStrategy, load_any_strategy

    strategy = load_any_strategy(file)
    if isinstance(strategy, PublicStrategy):
        show_public(strategy, path=path, as_json=as_json)
        return
    game = make_game(strategy.game, strategy.parameters)
    rows = [
        (who, key)
        for who, key in zip(strategy.players.tolist(), strategy.infosets, strict=True)
        if match in key and player in (None, who + 1)
    ]
    if as_json:
        emit(_facts(strategy, rows, limit))
        return
    console = output()
    _print_origin(console, strategy)
    _print_infosets(console, game, strategy, rows, limit)


def _facts(strategy: Strategy, rows: list[tuple[int, str]], limit: int) -> dict[str, Any]:
    chosen = rows[:limit] if limit else rows
    return {
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "info": dict(strategy.info),
        "infosets": [
            {"player": who, "infoset": key, "actions": strategy.lookup(who, key)}
            for who, key in chosen
        ],
        "matching": len(rows),
    }


def _print_origin(console: Console, strategy: Strategy) -> None:
    parameters = ", ".join(f"{key}={value}" for key, value in strategy.parameters.items())
    console.print(f"[bold]{strategy.game}[/]  {parameters}", markup=True)
    info, words = strategy.info, []
    if "algorithm" in info:
        words.append(f"{info['algorithm']}, {info.get('iterations', 0):,} iterations")
    if "value" in info:
        words.append("value " + " ".join(f"{v:+.6f}" for v in info["value"]))
    if "exploitability" in info:
        words.append(f"exploitability {info['exploitability']:.3g}")
    console.print(" · ".join(words), style="dim", markup=False)
    console.print()


def _print_infosets(
    console: Console, game: Game, strategy: Strategy, rows: list[tuple[int, str]], limit: int
) -> None:
    from rich.table import Table

    if not rows:
        console.print("No infoset matches.")
        return
    shown = rows[:limit] if limit else rows
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("player", justify="right")
    table.add_column("infoset")
    table.add_column("strategy")
    width = console.width - max(len(key) for _, key in shown) - 12
    for who, key in shown:
        table.add_row(str(who + 1), key, _bars(game, strategy.lookup(who, key) or {}, width))
    console.print(table)
    if len(rows) > len(shown):
        console.print(f"… {len(rows) - len(shown):,} more; narrow with --match or --limit 0.")


_COLOURS = ("green", "red", "yellow", "blue", "magenta", "cyan")


_FEW = 4
"""Up to so many actions all are shown; of more, those that are played."""
_SHOWN = 0.0005
"""From this probability on an action counts as played."""


def _bars(game: Game, probabilities: dict[str, float], width: int) -> Text:
    """Each action as a coloured block bar with its percentage, in lines of at most `width`."""
    from rich.text import Text

    chosen = [
        (i, game.action_label(action), probability)
        for i, (action, probability) in enumerate(probabilities.items())
        if len(probabilities) <= _FEW or probability >= _SHOWN
    ]
    text, used = Text(), 0
    for i, label, probability in chosen:
        size = len(label) + 21
        if used and used + size - 3 > width:
            text.append("\n")
            used = 0
        used += size
        colour = _COLOURS[i % len(_COLOURS)]
        full = round(probability * 10)
        text.append(f"{label} ", style=colour)
        text.append("█" * full + "·" * (10 - full), style=colour)
        text.append(f" {probability:6.1%}   ")
    text.rstrip()
    return text


@app.command("export")
def export(
    file: StrategyFile,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to write; standard output without it.")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", help="json, csv, or dump; else by the name of --out."),
    ] = None,
) -> None:
    """Write a strategy as JSON or CSV; one on a public tree (the duel's) as a dump too.

    A dump is a directory a node, as `riverboat duel` writes it; --out must be new or empty.

    Examples: riverboat export kuhn.rb --out kuhn.csv ·
    riverboat export duel.rb --format dump --out dump
    """
    from riverboat.errors import UsageError
    from riverboat.strategies import export as exports
    from riverboat.strategies.files import atomic_write
    from riverboat.strategies.public_strategy import load_any_strategy

    if form is None:
        form = out.suffix.lstrip(".").lower() if out is not None and out.suffix else "json"
    writers = {"json": exports.to_json, "csv": exports.to_csv}
    if form not in (*writers, "dump"):
        raise UsageError(f"Strategies are exported as json, csv or dump, not as {form!r}.")
    strategy = load_any_strategy(file)
    if form == "dump":
        _dump(strategy, out)
        return
    text = writers[form](strategy)
    if out is None:
        print(text, end="")
    else:
        atomic_write(out, text)


def _dump(strategy: Strategy | PublicStrategy, out: Path | None) -> None:
    from riverboat.errors import UsageError
    from riverboat.strategies.public_dump import dump_public_strategy
    from riverboat.strategies.public_strategy import PublicStrategy

    if not isinstance(strategy, PublicStrategy):
        raise UsageError(
            f"A dump is for strategies on public trees, not for {strategy.game}; take json or csv."
        )
    if out is None:
        raise UsageError("A dump is a directory; name it with --out.")
    dump_public_strategy(strategy, out)
