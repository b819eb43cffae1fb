"""Twenty-one learned while one looks: curves of Q tables, with the exact optimum beside."""

from __future__ import annotations

from typing import Any

from nicegui import app, run, ui

from riverboat.errors import RiverboatError
from riverboat.web.charts_options import curve_options
from riverboat.web.live_chart import LiveChart
from riverboat.web.markup import Markup, Picture, signed, tag
from riverboat.web.page_frame import button, error_note, heading, page, panel
from riverboat.web.page_tournaments import twentyone_tabs
from riverboat.web.twentyone_learning_runs import (
    LENGTHS,
    METHODS,
    STATES,
    LearningRun,
    LearningRuns,
)
from riverboat.web.website import Site

__all__ = ["register"]

LOOK = 0.3


def register(site: Site) -> None:
    """Put the pages at their addresses."""
    runs = LearningRuns(site.settings.folder / ".web" / "learning")
    app.on_shutdown(runs.end)

    @ui.page("/twentyone/learning")
    @ui.page("/twentyone/learning/{name}")
    async def learning(name: str = "") -> None:
        found: LearningRun | None = await run.io_bound(runs.find, name) if name else None
        with page("Twenty-one", "/twentyone"):
            heading(
                "Learning",
                "Q tables learn by playing; the line is what the best player could get. The"
                " course's literal method never reaches it.",
            )
            twentyone_tabs("/twentyone/learning")
            if name and found is None:
                Picture(error_note("There is no such run; it was not kept or never begun."))
            LearningPage(runs, found)


class LearningPage:
    """The form and the curves."""

    def __init__(self, runs: LearningRuns, found: LearningRun | None) -> None:
        self.runs, self.run = runs, found
        with ui.element("div").classes("columns side"):
            with panel():
                self._form()
            with ui.element("div").classes("stack"):
                with panel("Mean reward of greedy play"):
                    self.chart = LiveChart(self._options(), 400)
                with panel("Now"):
                    self.table = Picture(self._now(), live=True)
        self.timer = ui.timer(LOOK, self._look, active=self.running)

    @property
    def running(self) -> bool:
        return self.run is not None and self.run.running

    def _form(self) -> None:
        known = self.run
        self.methods = ui.select(
            list(METHODS),
            label="Methods",
            value=list(known.methods) if known else ["literal", "on-policy"],
            multiple=True,
        ).props("outlined dense options-dense use-chips")
        self.state = ui.select(
            STATES, label="What it looks at", value=known.state if known else "points"
        )
        self.games = ui.select(LENGTHS, label="How long", value=known.games if known else 1_000_000)
        for each in (self.state, self.games):
            each.props("outlined dense options-dense")
        with ui.element("div").classes("line-up"):
            self.start = button("Learn", self._start, main=True, icon="play_arrow")
            self.stop = button("Stop", self._stop, icon="stop")
        self._buttons()

    def _buttons(self) -> None:
        self.start.set_enabled(not self.running)
        self.stop.set_enabled(self.running)

    async def _start(self) -> None:
        methods, state = list(self.methods.value or []), str(self.state.value)
        try:
            begun: Any = await run.io_bound(
                self.runs.begin, methods, state, int(self.games.value or 0)
            )
        except RiverboatError as error:
            ui.notify(str(error), type="negative")
            return
        self.run = begun
        ui.navigate.history.push(f"/twentyone/learning/{begun.name}")
        self._buttons()
        self._show()
        self.timer.activate()

    def _stop(self) -> None:
        if self.run is not None:
            self.run.stop()

    def _look(self) -> None:
        if self.run is None:
            return
        self.run.hear()
        self._show()
        if not self.run.running:
            self.timer.deactivate()
            self._buttons()

    def _show(self) -> None:
        points = sum(map(len, self.run.curves.values())) if self.run else 0
        if points != getattr(self, "_shown", -1):
            self._shown = points
            self.chart.show(self._options())
            self.table.show(self._now())

    def _options(self) -> dict[str, Any]:
        run = self.run
        levels = {"the exact optimum": run.best} if run else None
        curves = run.curves if run else {}
        return curve_options(
            curves, x="games", y="mean reward", log=False, log_x=True, levels=levels
        )

    def _now(self) -> Markup:
        if self.run is None:
            return tag("p", "Nothing learned yet.", cls="muted")
        best = self.run.best
        rows = [
            tag(
                "tr",
                tag("td", name),
                tag("td", f"{points[-1][0]:,.0f} games", cls="r"),
                tag("td", signed(points[-1][1], 5), cls="r"),
                tag("td", f"{best - points[-1][1]:.5f} below the optimum", cls="r"),
            )
            for name, points in self.run.curves.items()
            if points
        ]
        exact = tag(
            "tr",
            tag("td", "the exact optimum"),
            tag("td", ""),
            tag("td", signed(best, 5), cls="r"),
            tag("td", ""),
        )
        return tag("div", tag("table", rows, exact, cls="plain"), cls="scroll-x")
