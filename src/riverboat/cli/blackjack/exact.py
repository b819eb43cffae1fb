"""`riverboat blackjack ev`, `hand`, `dealer` and `chart`: exact answers about a table."""

from __future__ import annotations

import dataclasses
import sys
import textwrap
import time
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from rich.text import Text

from riverboat import pictures
from riverboat.blackjack import chart_drawing as drawing
from riverboat.blackjack.charts import COLOURS, UPS, BlackjackChart
from riverboat.blackjack.exact.analysis import Analysis, analyse, shoe_without
from riverboat.blackjack.rules import BlackjackRules, parse_up_card, rules_from
from riverboat.cli.bars import waiting
from riverboat.cli.console import emit
from riverboat.cli.groups import App
from riverboat.cli.options import Changes, JsonFlag, NumHands, Preset, Strategy, argument, option
from riverboat.cli.out_files import check_out
from riverboat.errors import ParameterError, UsageError
from riverboat.games.registry import parse_assignments
from riverboat.runtime.storage import atomic_write

app = App(
    help="Casino blackjack: exact values, charts, simulation, training.", no_args_is_help=True
)

ConventionName = Annotated[
    str | None,
    option("--convention", "Play after a split: CDZ- (default), CDP1 or CDP.", show_default=False),
]
Seen = Annotated[str, option("--seen", "Cards already gone from the shoe.", metavar="CARDS")]

WIDTH = 80  # Columns that a terminal has at least


@app.command("ev")
def ev(
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    convention: ConventionName = None,
    seen: Seen = "",
    as_json: JsonFlag = False,
) -> None:
    """What a round is worth with perfect play, over all and by the dealer's up card.

    \b
    Example:
    riverboat blackjack ev --rules vegas-6d-s17 --set h17=true
    """
    analysis = _analysis(rules, changes, convention, seen)
    started = time.perf_counter()
    with waiting("computing every hand", quiet=as_json):
        total, by_up = analysis.ev, analysis.ev_by_up
    seconds = time.perf_counter() - started
    if as_json:
        emit({**analysis.as_dict(), "seconds": seconds})
        return
    print(textwrap.fill(analysis.rules.summary, WIDTH))
    print(f"a round is worth {100 * total:+z.6f} % of the bet ({analysis.engine.convention})")
    print()
    print("up card " + "".join(f"{up:>7}" for up in by_up))
    print("percent " + "".join(f"{100 * value:>+z7.2f}" for value in by_up.values()))
    if analysis.rules.insurance and "A" in by_up:
        print()
        print(f"insurance is worth {100 * analysis.insurance():+z.3f} % of the insurance bet")


@app.command("hand")
def hand(
    cards: Annotated[
        str, argument('The hand: "T,6", "A,7", or a total: 16, "soft 18".', metavar="CARDS")
    ],
    up: Annotated[str, option("The dealer's up card.")],
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    convention: ConventionName = None,
    seen: Seen = "",
    hands: NumHands = 1,
    as_json: JsonFlag = False,
) -> None:
    """What each action is worth with a hand, best first, and why.

    \b
    Example:
    riverboat blackjack hand T,6 --up 10
    """
    analysis = _analysis(rules, changes, convention, seen, one_hand=True)
    with waiting("computing the hand", quiet=as_json):
        answer = analysis.hand(cards, up, hands=hands)
    if as_json:
        emit(answer.as_dict())
        return
    best = answer.values[answer.best]
    print(textwrap.fill(answer.rules.summary, WIDTH))
    print(f"{answer.name} against {answer.up} ({answer.convention})")
    if answer.by_cards:
        print(f"the mean of its two-card hands as they are dealt: {' · '.join(answer.by_cards)}")
        if answer.total % 2 == 0:
            half = UPS[answer.total // 2 - 1]
            print(f"a pair may be split: ask for {half},{half}")
    print()
    for action, value in answer.values.items():
        behind = "" if action == answer.best else f"   {value - best:+z.6f}"
        print(f"  {action:<10} {value:+z.6f}{behind}")
    print()
    if len({next(iter(values)) for values in answer.by_cards.values()}) > 1:
        for held, values in answer.by_cards.items():
            print(f"  {held}: {next(iter(values))}")
        print()
    for sentence in answer.reasons:
        print(textwrap.fill(sentence, WIDTH))


@app.command("dealer")
def dealer(
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    up: Annotated[str | None, option("One up card only.")] = None,
    held: Annotated[str, option("--hand", "The player's cards, if known.")] = "",
    seen: Seen = "",
    as_json: JsonFlag = False,
) -> None:
    """How the dealer ends, for each up card, before the hole card is checked.

    \b
    Example:
    riverboat blackjack dealer --up 6
    """
    analysis = _analysis(rules, changes, None, seen, one_hand=True)
    if up is None:
        table = analysis.dealer_table(held)
    else:
        card = parse_up_card(up)
        table = {card: analysis.dealer(card, held)}
    if as_json:
        emit({"rules": analysis.as_dict()["rules"], "hand": held, "up": table})
        return
    holding = f"; the player holds {held}" if held else ""
    print(textwrap.fill(analysis.rules.summary + holding, WIDTH))
    headings = ("natural" if name == "blackjack" else name for name in next(iter(table.values())))
    print("up %  " + "".join(f"{heading:>9}" for heading in headings))
    for card, row in table.items():
        print(f"{card:<6}" + "".join(f"{100 * p:>9.4f}" for p in row.values()))


def _analysis(
    preset: str,
    changes: list[str] | None,
    convention: str | None,
    seen: str,
    *,
    one_hand: bool = False,
) -> Analysis:
    """The analysis that the options describe; `one_hand` is answered before a compiler starts."""
    given = parse_assignments(changes or ())
    named = given.pop("post_split_strategy", "").upper()
    convention = convention.upper() if convention else None
    if named and convention and named != convention:
        raise UsageError(f"--convention {convention} contradicts post_split_strategy={named}.")
    rules = rules_from(preset, given)
    try:
        shoe = shoe_without(rules, seen)
    except ParameterError as error:
        raise UsageError(f"--seen: {error}") from error
    how = convention or named or "CDZ-"
    return analyse(rules, shoe, how, compiled=not (one_hand and how == "CDZ-"))


Format = StrEnum("Format", ("text", "svg", "png", "html", "csv", "pdf"))
"""How a chart is written."""


@app.command("chart")
def chart(
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    form: Annotated[
        Format | None, option("--format", "What to make; else by --out's name, or text.")
    ] = None,
    out: Annotated[
        Path | None, option("Write there: .txt, .csv, .svg, .html, .pdf or .png.")
    ] = None,
    strategy: Strategy = "best",
    as_json: JsonFlag = False,
) -> None:
    """The basic strategy for a table: hard totals, soft totals and pairs.

    \b
    Example:
    riverboat blackjack chart --rules single-deck --set surrender=late
    """
    from riverboat.blackjack.exact.best_chart import chart_value

    if as_json and (out is not None or form is not None):
        raise UsageError("--json prints the chart as data; leave out --format and --out.")
    table = rules_from(rules, changes or ())
    form = _format(form, out)
    with waiting("computing the chart", quiet=as_json):
        shown, ev = chart_value(strategy, table)
    if as_json:
        emit({"rules": dataclasses.asdict(table), "ev": ev, **shown.as_dict()})
        return
    note = f"Played like this, a round is worth {100 * ev:+z.4f} % of the bet."
    if table.charlie:
        note += (
            " A row serves hands of any number of cards; close to a Charlie, and with two cards,"
            " `riverboat blackjack hand` may know better."
        )
    if form is Format.text and out is None:
        _print_chart(drawing.chart_lines(shown, table, note))
        return
    make: dict[Format, Any] = {
        Format.text: drawing.chart_text,
        Format.svg: drawing.chart_svg,
        Format.html: drawing.chart_html,
        Format.png: partial(_drawn, "png"),
        Format.csv: lambda chart, *_: drawing.chart_csv(chart),
        Format.pdf: partial(_drawn, "pdf"),
    }
    data: str | bytes = make[form](shown, table, note)
    if out is None:
        sys.stdout.write(str(data))
        return
    atomic_write(out, data)
    print(f"{out} written")


def _format(form: Format | None, out: Path | None) -> Format:
    """What is made: by --format, which must agree with --out's ending, or by that ending."""
    if out is None:
        if form in (Format.png, Format.pdf):
            raise UsageError(f"A {form} chart needs --out FILE.")
        return form or Format.text
    endings = {"txt" if one is Format.text else str(one): one for one in Format}
    wanted = [ending for ending, one in endings.items() if form in (None, one)]
    ending = check_out(out, wanted if form is None else (*wanted, ""))
    return endings[ending or wanted[0]]


def _drawn(form: str, chart: BlackjackChart, table: BlackjackRules, note: str) -> bytes:
    return pictures.picture_bytes(pictures.chart(table, chart, note=note), form)


def _print_chart(lines: list[list[tuple[str, str]]]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        text = Text()
        for piece, code in line:
            text.append(piece, f"#000000 on {COLOURS[code]}" if code else "")
        console.print(text)
