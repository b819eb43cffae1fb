"""Solve: choose a game and algorithms, watch exploitability fall, then walk the tree."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, cast

from nicegui import ui

from riverboat.drawing.html import Markup, join, signed, tag
from riverboat.errors import RiverboatError
from riverboat.games.registry import GAMES, game_class, make_game
from riverboat.solvers.algorithms import algorithms
from riverboat.web.app.charts import LiveChart, curve_options
from riverboat.web.app.frame import button, error_note, heading, page, panel, segments
from riverboat.web.app.markup import Picture
from riverboat.web.background import Jobs
from riverboat.web.solve.runs import SolveOrder, SolveRun

if TYPE_CHECKING:
    from riverboat.web.server import Site

LIMITS = {"target": "exploitability", "iterations": "iterations", "seconds": "seconds"}
DEFAULT = {"target": 1e-5, "iterations": 1000.0, "seconds": 5.0}
ACROSS = {"iterations": 0, "seconds": 1}
"""What the curves are drawn over, and its index in a point."""
REFRESH_SECONDS = 0.25


def solvable() -> list[str]:
    """Games that solve() takes."""
    return [name for name in GAMES if not getattr(game_class(name), "other_way", "")]


def register(site: Site) -> None:
    """Put the pages at their addresses."""
    runs = site.solve_runs

    @ui.page("/solve")
    def solve(game: str = "leduc") -> None:
        with page("Solve", "/solve"):
            SolvePage(runs, None, game if game in solvable() else "leduc")

    @ui.page("/solve/run/{name}")
    def running(name: str) -> None:
        run = runs.find(name)
        with page("Solve", "/solve"):
            SolvePage(runs, run, run.order.game if run else "leduc")
            if run is None:
                Picture(error_note("There is no such run; it was not kept or never begun."))


class SolvePage:
    """The form, the curves and the results."""

    def __init__(self, runs: Jobs[SolveRun], run: SolveRun | None, game: str) -> None:
        self.runs, self.run, self.game = runs, run, game
        self.amount: ui.input
        self.across = "iterations"
        heading(
            "Solve",
            "Exploitability is what the best opponent would win against the strategy, per hand;"
            " an equilibrium has none.",
        )
        with ui.element("div").classes("columns side"):
            with panel():
                self._form()
            with ui.element("div").classes("stack"):
                with panel("Exploitability, falling"):
                    self.axis = Picture(self._axis_switch(), on_pick=self._other_axis)
                    self.chart = LiveChart(self._options(), 400)
                with panel("Results"):
                    self.table = Picture(self._table(), live=True)
        self.timer = ui.timer(
            REFRESH_SECONDS, self._refresh, active=run is not None and run.running
        )

    def _form(self) -> None:
        order = self.run.order if self.run else None
        titles = {name: game_class(name).title.partition(" (")[0] for name in solvable()}
        ui.select(
            titles, label="Game", value=self.game, on_change=lambda e: self._other_game(e.value)
        ).props("outlined dense options-dense")
        self.fields: dict[str, Any] = {}
        with ui.element("div").classes("options") as self.parameters:
            self._parameters(dict(order.parameters) if order else {})
        names = [name for name, each in algorithms().items() if not each.one_player]
        self.algorithms = ui.select(
            ["auto", *names],
            label="Algorithms",
            value=list(order.algorithms) if order else ["dcfr", "cfr+"],
            multiple=True,
        ).props("outlined dense options-dense use-chips")
        with ui.element("div").classes("line-up").style("flex-wrap: nowrap"):
            self.limit = ui.select(
                LIMITS,
                label="Until",
                value=order.limit if order else "target",
                on_change=lambda e: self._other_limit(e.value),
            ).props("outlined dense options-dense")
            self.amount = ui.input("is", value=f"{order.amount if order else 1e-5:g}")
            self.amount.props("outlined dense").style("max-width: 120px")
        with ui.element("div").classes("line-up"):
            self.start = button("Solve", self._start, main=True, icon="play_arrow")
            self.stop = button("Stop", self._stop, icon="stop")
        running = self.run is not None and self.run.running
        self.start.set_enabled(not running)
        self.stop.set_enabled(running)

    def _parameters(self, given: dict[str, str]) -> None:
        self.fields = {}
        made = make_game(self.game, cast("dict[str, Any]", given))
        for each in dataclasses.fields(cast(Any, made)):
            value = getattr(made, each.name)
            text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            label = each.name.replace("_", " ")
            self.fields[each.name] = ui.input(label, value=text).props("outlined dense")

    def _other_limit(self, kind: str) -> None:
        self.amount.set_value(f"{DEFAULT[kind]:g}")

    def _other_game(self, name: str) -> None:
        self.game = name
        self.parameters.clear()
        with self.parameters:
            self._parameters({})

    def _start(self) -> None:
        try:
            order = SolveOrder(
                self.game,
                {name: str(field.value or "").strip() for name, field in self.fields.items()},
                tuple(self.algorithms.value or ()),
                str(self.limit.value),
                _number(str(self.amount.value)),
            )
            self.run = self.runs.begin(order)
        except RiverboatError as error:
            ui.notify(str(error), type="negative", multi_line=True)
            return
        ui.navigate.history.push(f"/solve/run/{self.run.name}")
        self.start.set_enabled(False)
        self.stop.set_enabled(True)
        self.timer.activate()
        self._show()

    def _stop(self) -> None:
        if self.run is not None:
            self.run.stop()

    def _refresh(self) -> None:
        if self.run is None:
            return
        self.runs.poll()
        self._show()
        if not self.run.running:
            self.timer.deactivate()
            self.start.set_enabled(True)
            self.stop.set_enabled(False)
            self._show()

    def _show(self) -> None:
        self.chart.show(self._options())
        self.table.show(self._table())

    def _axis_switch(self) -> Markup:
        return segments("across", [(name, name) for name in ACROSS], self.across, "Across")

    def _other_axis(self, text: str) -> None:
        wanted = text.partition("=")[2]
        if wanted in ACROSS:
            self.across = wanted
            self.axis.show(self._axis_switch())
            self.chart.show(self._options())

    def _options(self) -> dict[str, Any]:
        column = ACROSS[self.across]
        curves: dict[str, list[tuple[float, float]]] = {}
        for part in self.run.parts if self.run else []:
            curves[part.name] = [
                (p[column], max(p[2], 1e-12)) for p in part.points if p[column] > 0 and p[2] == p[2]
            ]
        return curve_options(curves, x=self.across, y="exploitability")

    def _table(self) -> Markup:
        if self.run is None:
            return tag("p", "Nothing solved yet on this page.", cls="muted")
        figures = ("Iterations", "Seconds", "Exploitability", "First player gets")
        heads = [
            tag("th", text, cls="r roomy" if n in (1, 3) else "r") for n, text in enumerate(figures)
        ]
        head = tag("tr", tag("th", "Algorithm"), tag("th", ""), tag("th", ""), heads)
        rows = [self._row(number) for number in range(len(self.run.parts))]
        return tag("div", tag("table", head, rows, cls="plain"), cls="scroll-x")

    def _row(self, number: int) -> Markup:
        assert self.run is not None
        part = self.run.parts[number]
        last = part.points[-1] if part.points else [0, 0.0, float("nan")]
        facts = part.facts
        value = facts.get("value")
        link = None
        if self.run.path(number).is_file():
            link = tag("a", "walk the tree", href=f"/solve/run/{self.run.name}/{number}")
        problem = part.state not in ("waiting", "starting", "running", "stopped", "done")
        words = "solving" if part.state == "running" else part.state
        exploitability = facts.get("exploitability", last[2])
        return tag(
            "tr",
            tag("td", tag("b", part.name)),
            tag("td", words, cls="bad" if problem else "muted"),
            tag("td", join(link), cls="nowrap"),
            tag("td", f"{int(facts.get('iterations', last[0])):,}", cls="r"),
            tag("td", f"{facts.get('seconds', last[1]):.2f}", cls="r roomy"),
            tag("td", "" if exploitability != exploitability else f"{exploitability:.3g}", cls="r"),
            tag("td", signed(value[0], 6) if value else "", cls="r roomy"),
        )


def _number(text: str) -> float:
    from riverboat.errors import UsageError

    try:
        return float(text.replace(",", ""))
    except ValueError:
        raise UsageError(f"The limit is a number, not {text[:30]!r}.") from None
