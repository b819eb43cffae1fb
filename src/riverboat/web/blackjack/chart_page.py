"""Blackjack: any rules by switches with the exact value, the chart, a hand, the dealer's odds."""

from __future__ import annotations

import asyncio
import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nicegui import ui
from starlette.requests import Request

from riverboat.blackjack.charts import BlackjackChart
from riverboat.blackjack.exact.analysis import Analysis, analyse
from riverboat.blackjack.exact.best_chart import best_chart
from riverboat.blackjack.rules import PRESETS, BlackjackRules
from riverboat.drawing.html import Markup, join, pick_button, signed, tag
from riverboat.errors import RiverboatError
from riverboat.web.app.frame import error_note, heading, in_thread, page, panel
from riverboat.web.app.markup import Picture
from riverboat.web.blackjack.calculators import HandCalculator, SimulationView
from riverboat.web.blackjack.trainer import TrainerView
from riverboat.web.blackjack.views import (
    address_of,
    changed,
    chart_tables,
    dealer_table,
    hand_cards,
    hands_of_cell,
    preset_of,
    rules_form,
    rules_from_query,
    rules_in_words,
    worths,
)

if TYPE_CHECKING:
    from riverboat.web.server import Site

SETTLE = 0.05  # Seconds between a new value and what else follows from it
TABS = {
    "chart": "Chart",
    "hand": "Hand",
    "dealer": "Dealer",
    "simulate": "Simulate",
    "train": "Train",
}


def register(site: Site) -> None:
    """Put the page at its addresses, and compile what it needs before the first visit."""
    site.workers.submit(_warm)

    @ui.page("/blackjack")
    @ui.page("/blackjack/{tab}")
    def blackjack(request: Request, tab: str = "chart") -> None:
        query = dict(request.query_params)
        with page("Blackjack", "/blackjack"):
            heading(
                "Blackjack",
                "Set the table's rules and see at once what a round is worth, how to play every"
                " hand, and why. All values are exact, per unit bet.",
            )
            BlackjackPage(site, rules_from_query(query), tab if tab in TABS else "chart", query)


@lru_cache(maxsize=64)
def _valued(rules: BlackjackRules) -> Analysis:
    """A table with its value, for all visitors."""
    analysis = analyse(rules)
    analysis.ev  # noqa: B018
    return analysis


@lru_cache(maxsize=64)
def _best_chart(rules: BlackjackRules) -> BlackjackChart:
    return best_chart(rules)


def _warm() -> None:
    _valued(PRESETS["vegas-6d-s17"])
    _best_chart(PRESETS["vegas-6d-s17"])


class BlackjackPage:
    """The page of one visitor."""

    def __init__(self, site: Site, rules: BlackjackRules, tab: str, query: dict[str, str]) -> None:
        self.site, self.rules, self.tab = site, rules, tab
        self.picked = query.get("cell", "")
        self.analysis: Analysis | None = None
        self.chart: BlackjackChart | None = None
        self.before: tuple[str, float] | None = None
        """The rule changed last and the value before it."""
        self.shown: dict[str, BlackjackRules] = {}
        """Tab → the rules that it shows."""
        self.turn = 0
        """Counts changes of rules, so that an answer that comes too late is dropped."""
        with ui.element("div").classes("columns side"):
            with panel():
                self._rules_panel()
            with ui.element("div").classes("stack"):
                self._tabs()
        ui.timer(0, self._compute, once=True)

    def _rules_panel(self) -> None:
        waiting = tag("p", "computing …", cls="muted")
        self.value = Picture(waiting, live=True, cls="value-box")
        self.preset = ui.select(
            {**{name: name for name in PRESETS}, "": "your own rules"},
            label="Rules of a table",
            value=preset_of(self.rules) or "",
            on_change=lambda event: self._take_preset(event.value),
        ).props("outlined dense options-dense")
        self.form = Picture(rules_form(self.rules), on_pick=self._switch)
        self.words = Picture(rules_in_words(self.rules))

    def _tabs(self) -> None:
        with ui.tabs(on_change=lambda event: self._open(event.value)).props(
            "align=left no-caps inline-label outside-arrows mobile-arrows"
        ) as tabs:
            for name, title in TABS.items():
                ui.tab(name, label=title)
        with ui.tab_panels(tabs, value=self.tab, animated=False).props("keep-alive"):
            with ui.tab_panel("chart"):
                with panel() as strip:
                    strip.classes("sticky-panel")
                    self.cell_picture = Picture(_hint(), on_pick=self._pick_hand, live=True)
                with panel("The best chart", "Click a cell for the value of every action."):
                    self.chart_picture = Picture(_waiting(), on_pick=self._pick_cell)
            with ui.tab_panel("hand"):
                self.calculator = HandCalculator(lambda: self.rules, _valued)
            with (
                ui.tab_panel("dealer"),
                panel(
                    "How the dealer ends",
                    "Per cent, from a fresh shoe, before the dealer looks at the hole card.",
                ),
            ):
                self.dealer_picture = Picture(_waiting())
            with ui.tab_panel("simulate"):
                self.simulation = SimulationView(self.site, lambda: self.rules)
            with ui.tab_panel("train"):
                self.trainer = TrainerView(self.site, lambda: self.rules)

    async def _open(self, tab: str) -> None:
        self.tab = tab
        self._show_address()
        await self._show_tab()

    def _show_address(self) -> None:
        cell = self.picked if self.tab == "chart" else ""
        ui.navigate.history.replace(address_of(self.rules, self.tab, cell=cell))

    async def _take_preset(self, name: str) -> None:
        if name in PRESETS and PRESETS[name] != self.rules:
            self.before = None
            await self._take(PRESETS[name])

    async def _switch(self, text: str) -> None:
        option, _, value = text.partition("=")
        try:
            rules = changed(self.rules, option, value)
        except RiverboatError as error:
            ui.notify(str(error), type="negative")
            return
        if rules != self.rules:
            known = self.analysis
            self.before = (f"{option.replace('_', ' ')} {value}", known.ev) if known else None
            await self._take(rules, option)

    async def _take(self, rules: BlackjackRules, touched: str = "") -> None:
        self.rules = rules
        self.form.show(rules_form(rules, touched))
        self.words.show(rules_in_words(rules))
        self.preset.set_value(preset_of(rules) or "")
        self._show_address()
        await self._compute()

    async def _compute(self) -> None:
        """The value first and alone; what the open tab shows follows, the rest once it is open."""
        self.turn += 1
        turn, rules = self.turn, self.rules
        analysis: Any = await in_thread(_valued, rules)
        if turn != self.turn:
            return
        self.analysis = analysis
        self.value.show(self._value(analysis.ev))
        await asyncio.sleep(SETTLE)  # a switch that follows at once goes first
        if turn == self.turn:
            await self._show_tab()

    async def _show_tab(self) -> None:
        """What hangs on the rules in the tab that is open."""
        analysis, rules, turn = self.analysis, self.rules, self.turn
        if analysis is None or analysis.rules != rules or self.shown.get(self.tab) == rules:
            return
        self.shown[self.tab] = rules
        if self.tab == "dealer":
            self.dealer_picture.show(dealer_table(analysis))
        elif self.tab == "hand":
            self.calculator.refresh()
        elif self.tab == "chart":
            if self.picked:
                self._show_cell()
            chart = await in_thread(_best_chart, rules)
            if turn == self.turn and chart is not None:
                self.chart = chart
                self.chart_picture.show(chart_tables(chart, self.picked))

    def _value(self, value: float) -> Markup:
        edge = "player's edge" if value > 0 else "house edge"
        figure = tag("b", f"{100 * abs(value):.4f} %", cls="good" if value > 0 else "")
        note = None
        if self.before is not None and not math.isclose(self.before[1], value, abs_tol=1e-9):
            change = 100 * (value - self.before[1])
            cls = "good" if change > 0 else "bad"
            note = tag(
                "p", f"{self.before[0]}: ", tag("b", f"{signed(change)} %", cls=cls), cls="small"
            )
        return join(
            tag("div", tag("div", figure, tag("span", edge), cls="tile"), cls="tile-row"), note
        )

    def _pick_cell(self, key: str) -> None:
        self.picked = key
        if self.chart is not None:
            self.chart_picture.show(chart_tables(self.chart, key))
        self._show_cell()
        self._show_address()

    def _pick_hand(self, hand: str) -> None:
        self._show_cell(hand)

    def _show_cell(self, hand: str = "") -> None:
        if self.analysis is None:
            return
        try:
            hands, up = hands_of_cell(self.analysis, self.picked)
            chosen = hand if hand in hands else hands[0]
            self.cell_picture.show(_cell(self.analysis, hands, chosen, up))
        except RiverboatError as error:
            self.cell_picture.show(error_note(error))


def _cell(analysis: Analysis, hands: list[str], chosen: str, up: str) -> Markup:
    """One hand of a cell: the cards, every action's value, and the other hands of the cell."""
    values = analysis.action_values(chosen, up)
    others = [
        pick_button(
            hand,
            ",".join(hand),
            " ",
            tag("span", analysis.best(hand, up), cls="muted small"),
            aria_pressed="true" if hand == chosen else "false",
        )
        for hand in hands
    ]
    return tag(
        "div",
        tag(
            "div",
            tag("div", hand_cards(chosen), tag("p", "you", cls="muted small")),
            tag("div", hand_cards(up), tag("p", "dealer", cls="muted small")),
            cls="versus",
        ),
        tag("div", worths(values), tag("p", " ".join(analysis.explain(chosen, up)), cls="why")),
        tag("div", others, cls="segments wrap") if len(hands) > 1 else None,
        cls="cell-strip",
    )


def _waiting() -> Markup:
    return tag("p", "computing …", cls="muted")


def _hint() -> Markup:
    words = "Click a cell of the chart: the value of every action, and why."
    return tag("div", tag("p", words, cls="muted"), cls="cell-strip")
