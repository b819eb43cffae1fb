"""`riverboat convert`: hands from one form of hand history to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from riverboat.cli.console import JsonFlag, emit, output, progress_bar

app = typer.Typer()

MOST_REFUSED = 20
"""Hands that could not be read are listed up to so many."""


@app.command("convert")
def convert(
    source: Annotated[
        Path, typer.Argument(metavar="HANDS", help="PokerStars' text or PHH; told by itself.")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write: .phhs or .txt (PokerStars).")
    ],
    form: Annotated[
        str | None,
        typer.Option("--to", metavar="FORM", help="phh or pokerstars; default: by OUT's ending."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Turn hold'em hands of PokerStars into PHH, or PHH into PokerStars' text.

    Every hand is played by the rules first, and its pot and winners are checked. A hand that does
    not hold is named; the others are written.

    Example: riverboat convert mine.phhs mine.txt, then riverboat convert mine.txt back.phhs
    """
    from riverboat.holdem.histories.files import convert_hands, format_of
    from riverboat.strategies.files import check_writable

    form = form or format_of(target)
    check_writable(target)
    with progress_bar("hands", quiet=as_json) as bar:
        task = bar.add_task("reading", total=None, hands="")
        done = convert_hands(
            source,
            target,
            form=form,
            progress=lambda count: bar.update(task, hands=f"{count:,} hands"),
        )
    if as_json:
        emit({"source": str(source), "target": str(target), "form": form, **done.as_dict()})
        return
    console = output()
    hands = f"{done.hands:,} hand{'s' * (done.hands != 1)}"
    console.print(f"{hands} written to {target} as {form}", markup=False)
    if done.refused:
        console.print(f"{len(done.refused):,} could not be read:", style="yellow")
    for bad in done.refused[:MOST_REFUSED]:
        console.print(f"  {bad.section}: {bad.reason}", markup=False)
    if len(done.refused) > MOST_REFUSED:
        console.print(f"  and {len(done.refused) - MOST_REFUSED:,} more (all of them with --json)")
