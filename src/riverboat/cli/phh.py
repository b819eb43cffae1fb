"""`riverboat phh`: hand histories read and played again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.cli.console import JsonFlag, emit, output

if TYPE_CHECKING:
    from riverboat.interop.phh import PhhHand

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
    from riverboat.interop.phh import read_phhs

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StorageError(f"Cannot read {path}: {(error.strerror or 'no access').lower()}.") from error
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
    from riverboat.cards.card import cards_text
    from riverboat.errors import IllegalActionError

    state, fields = hand.state, hand.fields
    game, unit = state.game, float(hand.unit)
    note = None
    won: list[float] | None = None
    try:
        won = [chips * unit for chips in hand.returns()]
    except IllegalActionError as error:
        note = str(error).removeprefix("holdem: ")
    stacks, recorded = fields["starting_stacks"], fields.get("finishing_stacks")
    if won is not None and recorded is not None:
        ended = [float(stack) + gain for stack, gain in zip(stacks, won, strict=True)]
        if len(recorded) != len(ended) or any(
            abs(float(said) - chips) > unit / 2 for said, chips in zip(recorded, ended, strict=True)
        ):
            note = "The file says other finishing stacks."
    return {
        "hand": fields.get("hand", number),
        "limit": game.limit,
        "players": fields.get("players") or [f"p{p + 1}" for p in range(game.players)],
        "blinds": [game.small_blind * unit, game.big_blind * unit],
        "cards": [cards_text(hole) for hole in state.holes],
        "board": cards_text(state.board),
        "betting": state.history,
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
        pairs = zip(hand["players"], won or [], strict=False)
        result = ", ".join(f"{name} {gain:+,g}" for name, gain in pairs if gain)
        result = result or ("nobody" if won else "")
        if hand["note"]:
            result = f"{result}; {hand['note']}" if result else hand["note"]
        cells = (hand["hand"], hand["board"] or "–", hand["betting"] or "–", result)
        table.add_row(*(Text(str(cell)) for cell in cells))
    console.print(table)
    console.print(f"{len(hands):,} hand{'s' * (len(hands) != 1)}")
