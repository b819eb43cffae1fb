"""Pictures of hold'em: `riverboat plot range-grid`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from riverboat.cli.options import Out, Theme, Title, check, write

app = typer.Typer()


@app.command("range-grid")
def range_grid(
    source: Annotated[
        str,
        typer.Argument(metavar="RANGE|FILE", help="QQ+,AKs:0.5 …, a blueprint or a solved spot."),
    ],
    out: Out,
    at: Annotated[
        str, typer.Option("--at", help="A node of a spot (r:0:c), or a blueprint's betting (r6c).")
    ] = "",
    board: Annotated[str, typer.Option("--board", help="A blueprint's board: Qs Js 2d.")] = "",
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """A range as the 13 × 13 grid, or what a hold'em strategy does with each hand.

    Examples: riverboat plot range-grid "22+,A2s+,KTs+,QTs+,JTs,ATo+,KJo+:0.5" --out range.svg ·
    riverboat plot range-grid 3bet.rb --at r:0:c --out flop.svg
    """
    from riverboat import pictures
    from riverboat.cards.ranges import Range
    from riverboat.errors import UsageError

    check(out, theme)
    if Path(source).is_file() or source.endswith(".rb"):
        hands = _decision(Path(source), at, board)
    else:
        if at or board:
            raise UsageError("--at and --board are for files; a range has no board.")
        hands = Range.parse(source)
    write(pictures.range_grid(hands, title=title, theme=theme), out)


def _decision(path: Path, at: str, board: str) -> Any:
    from riverboat.errors import UsageError
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.blueprints.walk import look
    from riverboat.holdem.spots.solved import SolvedSpot
    from riverboat.strategies.kinds import load

    found = load(path)
    if isinstance(found, Blueprint):
        return look(found, at, board)
    if isinstance(found, SolvedSpot):
        if board:
            raise UsageError("A node of a spot names its cards: --at r:0:c:c:Ah.")
        return found.at(at or "r:0")
    raise UsageError(f"{path} holds no hold'em blueprint and no solved spot.")
