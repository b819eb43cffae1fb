"""A blackjack chart for people: text, CSV, SVG and HTML; riverboat.pictures makes pixels of it.

Everything is drawn from the same panels: hard totals, soft totals and pairs against the up cards
2 … 9, T, A, as charts are printed, with a legend of the codes in use and the rules on top.
Neighbouring rows that say the same at either end of a panel are drawn as one.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from riverboat.blackjack.charts import COLOURS, FIRST_HARD, FIRST_SOFT, UPS, BlackjackChart
from riverboat.blackjack.rules import BlackjackRules
from riverboat.drawing.html import Markup, join, page, tag
from riverboat.drawing.svg import rect, svg, text
from riverboat.runtime.tables import csv_text

TITLE = "Blackjack basic strategy"
COLUMNS = "23456789TA"
LEGEND = {
    "H": "hit",
    "S": "stand",
    "D": "double, or else hit",
    "Ds": "double, or else stand",
    "P": "split",
    "Rh": "surrender, or else hit",
    "Rs": "surrender, or else stand",
    "Rp": "surrender, or else split",
}
Span: TypeAlias = tuple[str, str]  # A piece of a line and the code whose colour it has, or nothing
STYLE = """
@page { margin: 12mm; }
* { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
body { font: 15px/1.35 system-ui, sans-serif; color: #111; background: #fff; margin: 1.5rem auto;
  max-width: 50rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; }
p { margin: 0 0 .8rem; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem 2rem;
  align-items: start; }
table { border-collapse: collapse; width: 100%; page-break-inside: avoid; }
caption { font-weight: 700; text-align: left; padding-bottom: .2rem; }
th { font-weight: 600; padding: .1rem .3rem; }
tbody th { text-align: right; white-space: nowrap; }
td { border: 1px solid #fff; text-align: center; width: 8.5%; padding: .12rem 0; }
ul { list-style: none; margin: 0; padding: 0; }
li b { display: inline-block; width: 2rem; text-align: center; margin: .1rem .4rem .1rem 0; }
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 12px; }
  main { grid-template-columns: 1fr 1fr; }
}
"""
_CELL, _ROW, _LABEL, _MARGIN, _GAP = 30.0, 22.0, 46.0, 24.0, 30.0
_PANEL = _LABEL + 10 * _CELL


@dataclass(frozen=True)
class Panel:
    """One of a chart's tables; columns as in COLUMNS."""

    title: str
    rows: tuple[tuple[str, tuple[str, ...]], ...]  # A label and ten codes each


def _turned(row: Sequence[str]) -> tuple[str, ...]:
    """A row's codes in the order they are printed: ace last."""
    return tuple(row[UPS.index(up)] for up in COLUMNS)


def panels(chart: BlackjackChart) -> tuple[Panel, Panel, Panel]:
    """Hard totals, soft totals and pairs, highest first."""
    hard = {total: _turned(row) for total, row in enumerate(chart.hard, FIRST_HARD)}
    tops = _same(hard, range(21, 11, -1))
    lows = _same(hard, range(FIRST_HARD, 12))
    middle = range(tops[-1] - 1, lows[-1], -1)
    rows = [(f"{tops[-1]}+", hard[21])] if len(tops) > 1 else [("21", hard[21])]
    rows += [(str(total), hard[total]) for total in middle]
    rows.append((f"{lows[0]}–{lows[-1]}" if len(lows) > 1 else str(lows[0]), hard[lows[0]]))
    soft = [
        (f"A,{total - 11}", _turned(chart.soft[total - FIRST_SOFT])) for total in range(20, 12, -1)
    ]
    pairs = [(f"{card},{card}", _turned(chart.pairs[UPS.index(card)])) for card in "AT98765432"]
    return Panel("Hard", tuple(rows)), Panel("Soft", tuple(soft)), Panel("Pairs", tuple(pairs))


def _same(rows: dict[int, tuple[str, ...]], totals: Iterable[int]) -> list[int]:
    """The totals from the first on that have the first one's row."""
    order = list(totals)
    different = (i for i, total in enumerate(order) if rows[total] != rows[order[0]])
    return order[: next(different, len(order))]


def _used(chart: BlackjackChart) -> list[str]:
    seen = {code for panel in panels(chart) for _, codes in panel.rows for code in codes}
    return [code for code in LEGEND if code in seen]


def wrap_phrases(phrases: Sequence[str], width: int) -> list[str]:
    """Phrases with commas between them in lines of at most `width`, none of them broken."""
    lines = [""]
    for phrase in phrases:
        longer = f"{lines[-1]}, {phrase}" if lines[-1] else phrase
        if len(longer) > width:
            lines[-1] += ","
            lines.append(phrase)
        else:
            lines[-1] = longer
    return lines


def chart_lines(chart: BlackjackChart, rules: BlackjackRules, note: str = "") -> list[list[Span]]:
    """The chart as lines of spans, at most 80 columns wide."""
    hard, soft, pairs = (list(_panel_lines(panel)) for panel in panels(chart))
    legend: list[list[Span]] = [
        [("     ", ""), (f"{code:^4}", code), (f" {LEGEND[code]}", "")] for code in _used(chart)
    ]
    left = [*hard, [], *legend]
    right = [*soft, [], *pairs]
    height = max(len(left), len(right))
    left += [[]] * (height - len(left))
    right += [[]] * (height - len(right))
    lines: list[list[Span]] = [[(text, "")] for text in wrap_phrases(rules.phrases, 78)]
    lines += [[(text, "")] for text in textwrap.wrap(note, 78)]
    lines.append([])
    for one, two in zip(left, right, strict=True):
        width = sum(len(text) for text, _ in one)
        lines.append([*one, (" " * (40 - width), ""), *two] if two else one)
    return lines


def _panel_lines(panel: Panel) -> Iterator[list[Span]]:
    yield [(f"{panel.title:<6}", ""), ("".join(f" {up} " for up in COLUMNS), "")]
    for label, codes in panel.rows:
        yield [(f"{label:>5} ", ""), *((f"{code:^3}", code) for code in codes)]


def chart_text(chart: BlackjackChart, rules: BlackjackRules, note: str = "") -> str:
    """The chart without colour."""
    lines = chart_lines(chart, rules, note)
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)


def chart_csv(chart: BlackjackChart) -> str:
    """Every row of the chart: table, hand, and a column an up card."""
    rows: list[list[object]] = []
    for total, row in enumerate(chart.hard, FIRST_HARD):
        rows.append(["hard", total, *_turned(row)])
    for total, row in enumerate(chart.soft, FIRST_SOFT):
        rows.append(["soft", total, *_turned(row)])
    for card, row in zip(UPS, chart.pairs, strict=True):
        rows.append(["pair", card * 2, *_turned(row)])
    return csv_text(("table", "hand", *COLUMNS), rows)


def chart_html(chart: BlackjackChart, rules: BlackjackRules, note: str = "") -> str:
    """A page of its own that prints in colour on one sheet."""
    classes = "\n".join(f".{code} {{ background: {COLOURS[code]}; }}" for code in LEGEND)
    legend = [tag("li", tag("b", code, cls=code), f" {LEGEND[code]}") for code in _used(chart)]
    return page(
        TITLE,
        tag("h1", TITLE),
        tag("p", ", ".join(rules.phrases) + "."),
        tag("p", note) if note else None,
        tag(
            "main",
            [_html_table(panel) for panel in panels(chart)],
            tag("ul", legend, aria_label="Legend"),
        ),
        style=f"{STYLE}{classes}",
    )


def _html_table(panel: Panel) -> Markup:
    head = tag("tr", tag("th"), [tag("th", up, scope="col") for up in COLUMNS])
    rows = [
        tag("tr", tag("th", label, scope="row"), [tag("td", code, cls=code) for code in codes])
        for label, codes in panel.rows
    ]
    return tag("table", tag("caption", panel.title), tag("thead", head), tag("tbody", rows))


@dataclass(frozen=True)
class Mark:
    """A box with a text, or either alone; in SVG units, y downwards."""

    x: float
    y: float
    text: str = ""
    fill: str = ""
    width: float = 0.0
    height: float = 0.0
    size: float = 12.0
    bold: bool = False
    anchor: str = "middle"


def chart_marks(
    chart: BlackjackChart, rules: BlackjackRules, note: str = ""
) -> tuple[list[Mark], float, float]:
    """The marks of the whole chart, its width and its height."""
    y = _MARGIN + 10
    marks = [Mark(_MARGIN, y, TITLE, size=18, bold=True, anchor="start")]
    y += 8
    for line in [*wrap_phrases(rules.phrases, 110), *textwrap.wrap(note, 110)]:
        y += 16
        marks.append(Mark(_MARGIN, y, line, anchor="start"))
    top = y + _GAP
    hard, soft, pairs = panels(chart)
    left = _panel_marks(marks, hard, _MARGIN, top)
    for code in _used(chart):
        left += _ROW
        marks.append(Mark(_MARGIN + _LABEL, left, code, COLOURS[code], _CELL, _ROW - 2, bold=True))
        marks.append(Mark(_MARGIN + _LABEL + _CELL + 8, left + 14, LEGEND[code], anchor="start"))
    x = _MARGIN + _PANEL + _GAP
    right = _panel_marks(marks, soft, x, top)
    right = _panel_marks(marks, pairs, x, right + _GAP)
    width = 2 * _MARGIN + 2 * _PANEL + _GAP
    return marks, width, max(left + _ROW, right) + _MARGIN


def _panel_marks(marks: list[Mark], panel: Panel, x: float, y: float) -> float:
    """Add a panel's marks below y; the y below it."""
    marks.append(Mark(x, y, panel.title, size=13, bold=True, anchor="start"))
    for i, up in enumerate(COLUMNS):
        marks.append(Mark(x + _LABEL + (i + 0.5) * _CELL, y, up, bold=True))
    y += 6
    for label, codes in panel.rows:
        marks.append(Mark(x + _LABEL - 8, y + 15, label, bold=True, anchor="end"))
        for i, code in enumerate(codes):
            left = x + _LABEL + i * _CELL
            marks.append(Mark(left, y, code, COLOURS[code], _CELL - 1.5, _ROW - 1.5))
        y += _ROW
    return y


def chart_svg(chart: BlackjackChart, rules: BlackjackRules, note: str = "") -> str:
    """One SVG picture."""
    marks, width, height = chart_marks(chart, rules, note)
    font = "Helvetica, Arial, sans-serif"
    drawn = [_draw(mark) for mark in marks]
    return svg(width, height, drawn, title=TITLE, paper="#fff", font_family=font)


def _draw(mark: Mark) -> Markup:
    x, y, box = mark.x, mark.y, None
    if mark.fill:
        box = rect(x, y, mark.width, mark.height, mark.fill, rx=2)
        x, y = x + mark.width / 2, y + mark.height / 2 + 0.35 * mark.size
    words = text(x, y, mark.text, size=mark.size, bold=mark.bold, text_anchor=mark.anchor)
    return join(box, words)
