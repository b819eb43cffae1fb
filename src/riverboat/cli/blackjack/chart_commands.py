"""`riverboat blackjack chart`: the basic strategy of a table, to read or to print."""

from __future__ import annotations

import dataclasses
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.cli.console import JsonFlag, emit
from riverboat.cli.options import Changes, Preset, Strategy

if TYPE_CHECKING:
    from riverboat.blackjack.charts import BlackjackChart
    from riverboat.blackjack.rules import BlackjackRules

app = typer.Typer(no_args_is_help=True)


class Format(StrEnum):
    """How a chart is written."""

    text = "text"
    svg = "svg"
    png = "png"
    html = "html"
    csv = "csv"


@app.command("chart")
def chart(
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    form: Annotated[Format, typer.Option("--format", help="What to make.")] = Format.text,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write there, not to the screen.")
    ] = None,
    strategy: Strategy = "best",
    as_json: JsonFlag = False,
) -> None:
    """The basic strategy for a table: hard totals, soft totals and pairs.

    Example: riverboat blackjack chart --rules single-deck --set surrender=late
    """
    from riverboat.blackjack import chart_drawing as drawing
    from riverboat.blackjack.rules import rules_from
    from riverboat.errors import UsageError
    from riverboat.strategies.files import atomic_write, check_writable

    if as_json and (out is not None or form is not Format.text):
        raise UsageError("--json prints the chart as data; leave out --format and --out.")
    table = rules_from(rules, changes or ())
    if out is not None:
        check_writable(out)
    elif form is Format.png:
        raise UsageError("A png chart needs --out FILE.")
    shown, worth = _chart(strategy, table)
    if as_json:
        emit({"rules": dataclasses.asdict(table), "ev": worth, **shown.as_dict()})
        return
    note = f"Played so, a round is worth {100 * worth:+.4f} % of the bet."
    if table.charlie:
        note += (
            " A row serves hands of any number of cards; close to a Charlie, and with two cards,"
            " `riverboat blackjack hand` may know better."
        )
    if form is Format.text and out is None:
        _print_chart(drawing.chart_lines(shown, table, note))
        return
    data: str | bytes
    if form is Format.csv:
        data = drawing.chart_csv(shown)
    else:
        make: dict[Format, Any] = {
            Format.text: drawing.chart_text,
            Format.svg: drawing.chart_svg,
            Format.html: drawing.chart_html,
            Format.png: _png,
        }
        data = make[form](shown, table, note)
    if out is None:
        sys.stdout.write(str(data))
        return
    atomic_write(out, data)
    print(f"{out} written")


def _chart(strategy: str, table: BlackjackRules) -> tuple[BlackjackChart, float]:
    """The chart that is wanted and its value; the best one from the cache, if it is there."""
    from riverboat.blackjack.exact.best_chart import keep_chart, known_chart

    if strategy == "best" and (known := known_chart(table)) is not None:
        return known
    from riverboat.blackjack.exact.best_chart import chart_worth

    chart, worth = chart_worth(strategy, table)
    if strategy == "best":
        keep_chart(table, chart, worth)
    return chart, worth


def _png(chart: BlackjackChart, table: BlackjackRules, note: str) -> bytes:
    from riverboat import pictures

    return pictures.picture_bytes(pictures.chart(table, chart, note=note), "png")


def _print_chart(lines: list[list[tuple[str, str]]]) -> None:
    from rich.console import Console
    from rich.text import Text

    from riverboat.blackjack.chart_drawing import COLOURS

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        text = Text()
        for piece, code in line:
            text.append(piece, f"#000000 on {COLOURS[code]}" if code else "")
        console.print(text)
