"""`riverboat phh`: hand histories read and played again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.cli.console import JsonFlag, emit, output

if TYPE_CHECKING:
    from riverboat.holdem.phh import PhhHand

app = typer.Typer()


@app.command("phh")
def phh(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="One hand, or sections of hands.")],
    as_json: JsonFlag = False,
) -> None:
    """Read hold'em hands in the PHH format, play them again and say who won what.

    Example: riverboat play holdem --phh mine.phhs, then riverboat phh mine.phhs
    """
    from riverboat.errors import FileFormatError, StorageError
    from riverboat.holdem.phh import read_phhs

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or "no access").lower()
        raise StorageError(f"Cannot read {path}: {reason}.") from error
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path} is not PHH: it is not a text.") from error
    try:
        hands = [_facts(number, hand) for number, hand in enumerate(read_phhs(text), 1)]
    except FileFormatError as error:
        raise FileFormatError(f"{path}: {error}") from error
    if as_json:
        emit({"file": str(path), "hands": hands})
        return
    _show(path, hands)


def _facts(number: int, hand: PhhHand) -> dict[str, Any]:
    """What is shown of a hand; amounts in the file's money."""
    from riverboat.cards.card import cards_text
    from riverboat.errors import IllegalActionError

    state, fields, unit = hand.state, hand.fields, hand.unit
    game = state.game
    won, note = None, None
    try:
        won = [int(chips) * unit for chips in hand.returns()]
    except IllegalActionError as error:
        note = str(error).removeprefix("holdem: ").rstrip(".")
    else:
        pairs = zip(fields["starting_stacks"], won, strict=True)
        recorded = fields.get("finishing_stacks")
        if recorded is not None and recorded != [stack + gain for stack, gain in pairs]:
            note = "the file says other finishing stacks"
    names = fields.get("players")
    if not isinstance(names, list) or len(names) != game.players:
        names = [f"p{p + 1}" for p in range(game.players)]
    return {
        "hand": str(fields.get("hand", number)),
        "limit": game.limit,
        "players": [str(name) for name in names],
        "blinds": [game.small_blind * unit, game.big_blind * unit],
        "cards": [cards_text(hole) for hole in state.holes],
        "board": cards_text(state.board),
        "betting": re.sub(r"\d+", lambda m: f"{int(m[0]) * unit}", state.history),
        "won": won,
        "note": note,
    }


def _show(path: Path, hands: list[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    console = output()
    if not hands:
        console.print(f"{path} has no hands.", markup=False)
        return
    table = Table(box=None, pad_edge=False, title_justify="left")
    table.add_column("hand", justify="right")
    table.add_column("board", min_width=10)
    table.add_column("betting", overflow="fold", ratio=1)
    table.add_column("won and lost", overflow="fold", ratio=1)
    for hand in hands:
        won = hand["won"]
        names = hand["players"]
        if len(set(names)) < len(names):
            names = [f"p{number} {name}" for number, name in enumerate(names, 1)]
        pairs = zip(names, won or [], strict=False)
        result = ", ".join(f"{name} {gain:+,g}" for name, gain in pairs if gain)
        result = "; ".join(filter(None, (result or ("nobody" if won else ""), hand["note"])))
        cells = (hand["hand"], hand["board"] or "–", hand["betting"] or "–", result)
        table.add_row(*(Text(str(cell)) for cell in cells))
    console.print(table)
    console.print(f"{len(hands):,} hand{'s' * (len(hands) != 1)}")
