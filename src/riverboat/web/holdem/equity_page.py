"""Hold'em: two ranges, a board, the equity, and which hands have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np
from nicegui import ui

from riverboat.cards.equity import Equity, equity, parse_board, range_equities
from riverboat.cards.ranges import Range
from riverboat.drawing.html import Markup, join, tag
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.node_views import RangeCurve, range_curve
from riverboat.web.app.charts import LiveChart, curve_options
from riverboat.web.app.frame import error_note, heading, holdem_tabs, in_thread, page, panel
from riverboat.web.app.markup import Picture
from riverboat.web.holdem.inputs import BoardPicker, RangeEditor, class_grid, class_means

if TYPE_CHECKING:
    from riverboat.web.server import Site

FIRST, SECOND, BOARD = "22+,A2s+,KTs+,QTs+,JTs,AJo+,KQo", "TT+,AQs+,AKo", "Qs Jh 2h"
MAX_ADDRESS = 3000


def register(site: Site) -> None:
    """Put the page at its addresses."""

    @ui.page("/holdem")
    @ui.page("/holdem/equity")
    def equity_page(first: str = FIRST, second: str = SECOND, board: str = BOARD) -> None:
        with page("Hold'em", "/holdem"):
            heading("Hold'em", "Paint two ranges or paste them, and see who is ahead, and where.")
            holdem_tabs("/holdem/equity")
            EquityPage(_readable(first, FIRST), _readable(second, SECOND), board)


def _readable(text: str, otherwise: str) -> str:
    """The range of an address; where it cannot be read the page says so and shows another."""
    try:
        Range.parse(text)
        return text
    except RiverboatError as error:
        Picture(error_note(error))
        return otherwise


class EquityPage:
    """Two editors, a board and the answer."""

    def __init__(self, first: str, second: str, board: str) -> None:
        self.turn = 0
        with ui.element("div").classes("columns halves"):
            with panel("Equity"):
                self.answer = Picture(
                    tag("p", "computing …", cls="muted"), live=True, cls="answer-box"
                )
                self.chart = LiveChart(_curves([]), 210)
            with panel("Board", "None, three, four or five cards."):
                self.board = BoardPicker(board, self._changed)
        with ui.element("div").classes("columns halves"):
            with panel("First range"):
                self.first = RangeEditor("First range", first, self._changed)
            with panel("Second range"):
                self.second = RangeEditor("Second range", second, self._changed)
        with ui.element("div").classes("columns halves"):
            with panel("Equity of each hand, first range", "A stronger colour has more."):
                self.heat_first = Picture()
            with panel("Equity of each hand, second range", "A stronger colour has more."):
                self.heat_second = Picture()
        ui.timer(0, self._compute, once=True)

    def _changed(self) -> None:
        query = urlencode(
            {
                "first": str(self.first.range),
                "second": str(self.second.range),
                "board": self.board.text,
            }
        )
        if len(query) < MAX_ADDRESS:
            ui.navigate.history.replace(f"/holdem/equity?{query}")
        ui.timer(0.05, self._compute, once=True)

    async def _compute(self) -> None:
        self.turn += 1
        turn = self.turn
        first, second, board = self.first.range, self.second.range, self.board.text
        try:
            parse_board(board)
            self.board.refuse(None)
        except RiverboatError as error:
            self.board.refuse(str(error))
            return
        try:
            self.answer.show(tag("p", "computing …", cls="muted"))
            found: Any = await in_thread(_answer, first, second, board)
        except RiverboatError as error:
            self.answer.show(error_note(error))
            return
        if turn != self.turn:
            return
        result, shares, curves = found
        self.answer.show(_shares(result))
        self.chart.show(_curves(curves))
        self.heat_first.show(_heat(shares[0], first, "First range"))
        self.heat_second.show(_heat(shares[1], second, "Second range"))


def _answer(first: Range, second: Range, board: str) -> tuple[Equity, np.ndarray, list[RangeCurve]]:
    for wanted in (first, second):
        if not wanted.weights.any():
            raise UsageError("A range is empty; paint some hands.")
    shares = range_equities(first, second, board).equities
    combos = np.arange(len(first.weights))
    curves = [
        range_curve(player, combos, own.weights, shares[player])
        for player, own in enumerate((first, second))
    ]
    return equity([first, second], board), shares, curves


def _curves(curves: list[RangeCurve]) -> dict[str, Any]:
    names = ("first", "second")
    options = curve_options(
        {names[curve.player]: curve.points(100) for curve in curves},
        x="per cent of the range, best hands first",
        y="equity, per cent",
        log=False,
    )
    for axis in ("xAxis", "yAxis"):
        options[axis].update(min=0, max=100, scale=False)
    for series in options["series"]:
        series["showSymbol"] = False
    return options


def _shares(result: Equity) -> Markup:
    tiles = [
        tag(
            "div",
            tag("b", f"{100 * share:.2f} %"),
            tag("span", f"{name} · ties {100 * tie / result.total:.2f} %"),
            cls="tile",
        )
        for name, share, tie in zip(("first", "second"), result.equity, result.ties, strict=True)
    ]
    width = 100 * result.equity[0]
    bar = tag("div", tag("i", style=f"width:{width:.2f}%"), cls="versus-bar", aria_hidden="true")
    return join(tag("div", tiles, cls="tile-row"), bar)


def _heat(values: np.ndarray, owner: Range, label: str) -> Markup:
    means = class_means(values, owner.weights)

    def cell(name: str, row: int, column: int) -> Markup:
        value = float(means[row, column])
        if value != value:
            return tag("span", name, cls="none")
        shade = f"--heat:{100 * value:.0f}%"
        return tag("span", name, tag("small", f"{100 * value:.0f}"), style=shade, cls="heat")

    return class_grid(cell, f"Equity of the {label.lower()}")
