"""`riverboat phh` and `riverboat convert`: hand histories read, played again and rewritten."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from rich.table import Table
from rich.text import Text

from riverboat.cli.bars import work_bar
from riverboat.cli.console import emit, output
from riverboat.cli.groups import App
from riverboat.cli.options import JsonFlag, argument, option
from riverboat.errors import FileFormatError
from riverboat.holdem.histories.files import convert_hands, format_of, read_hand_file
from riverboat.runtime.storage import check_writable

app = App()

MAX_REFUSED = 20  # Refused hands to list at most


@app.command("phh")
def phh(
    path: Annotated[Path, argument("One hand, or sections of hands.", metavar="FILE")],
    as_json: JsonFlag = False,
) -> None:
    """Read hold'em hands, PHH or PokerStars' text, play them again and say who won what.

    A hand that cannot be played is named at the end; the others are played all the same.

    \b
    Examples:
    riverboat play holdem --phh mine.phhs
    riverboat phh mine.phhs
    riverboat example hands.phhs
    riverboat phh hands.phhs
    """
    summary = read_hand_file(path).as_dict()
    hands, refused = summary["hands"], summary["refused"]
    if refused and not hands:
        where = f"In section {refused[0]['section']}: " if refused[0]["section"] else ""
        raise FileFormatError(f"{path}: {where}{refused[0]['reason']}")
    if as_json:
        emit({"file": str(path), **summary})
        return
    _show(path, hands)
    count = f"{len(refused):,} of {len(hands) + len(refused):,}"
    reasons = [f"section {bad['section']}: {bad['reason']}" for bad in refused]
    _show_refused(f"{count} could not be played:", reasons)


def _show(path: Path, hands: list[dict[str, Any]]) -> None:
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


def _show_refused(heading: str, reasons: list[str]) -> None:
    """The hands that were not taken, each with its reason."""
    console = output()
    if reasons:
        console.print(heading, style="yellow")
    for reason in reasons[:MAX_REFUSED]:
        console.print(f"  {reason}", markup=False)
    if len(reasons) > MAX_REFUSED:
        console.print(f"  and {len(reasons) - MAX_REFUSED:,} more (all of them with --json)")


@app.command("convert")
def convert(
    source: Annotated[
        Path, argument("PokerStars' text or PHH; recognised by content.", metavar="HANDS")
    ],
    target: Annotated[
        Path, argument("The file to write: .phhs or .txt (PokerStars).", metavar="OUT")
    ],
    form: Annotated[
        str | None, option("--to", "phh or pokerstars; default: by OUT's ending.", metavar="FORM")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Turn hold'em hands of PokerStars into PHH, or PHH into PokerStars' text.

    Every hand is played by the rules first, and its pot and winners are checked. A hand that does
    not hold is named; the others are written.

    \b
    Examples:
    riverboat example hands.phhs
    riverboat convert hands.phhs hands.txt
    riverboat convert hands.txt back.phhs
    """
    form = form or format_of(target)
    check_writable(target)
    with work_bar("reading", quiet=as_json) as bar:
        done = convert_hands(
            source, target, form=form, progress=lambda count: bar.show(0, None, f"{count:,} hands")
        )
    if as_json:
        emit({"source": str(source), "target": str(target), "form": form, **done.as_dict()})
        return
    hands = f"{done.hands:,} hand{'s' * (done.hands != 1)}"
    output().print(f"{hands} written to {target} as {form}", markup=False)
    reasons = [f"{bad.section}: {bad.reason}" for bad in done.refused]
    _show_refused(f"{len(reasons):,} could not be read:", reasons)
