"""Twenty-one learned while one looks: curves of Q tables, with the exact optimum beside."""

from __future__ import annotations

import multiprocessing
import queue
from typing import Any

from nicegui import app, run, ui

from riverboat.errors import RiverboatError
from riverboat.twentyone.optimum import optimum
from riverboat.web.charts_options import curve_options
from riverboat.web.live_chart import LiveChart
from riverboat.web.markup import Markup, Picture, signed, tag
from riverboat.web.page_frame import button, heading, page, panel
from riverboat.web.page_tournaments import twentyone_tabs
from riverboat.web.website import Site

__all__ = ["register"]

LOOK = 0.3
METHODS = ("literal", "on-policy", "off-policy", "q-learning", "sarsa")
GAMES = {100_000: "100,000 games", 1_000_000: "a million", 10_000_000: "10 million"}
STATES = {"points": "points and the open card", "soft": "soft hands too"}
_SPAWN = multiprocessing.get_context("spawn")


def learn_in_process(method: str, state: str, games: int, told: Any, stop: Any) -> None:
    """The work of the process: (games, mean reward of greedy play) whenever it was measured."""
    from riverboat.solvers.limits import Limit
    from riverboat.twentyone.learning import Trainer
    from riverboat.twentyone.q_table import QTable
    from riverboat.twentyone.regret import train

    best = optimum(state, "reward")[0].reward
    trainer = Trainer(QTable.empty(state, "reward"), method=method, seed=1)
    sent = 0

    def tell(now: Any) -> None:
        nonlocal sent
        for played, regret in trainer.curve[sent:]:
            told.put((method, played, best - regret))
        sent = len(trainer.curve)
        if stop.is_set():
            raise KeyboardInterrupt

    try:
        last = train(trainer, Limit(iterations=games), tell)
        told.put((method, last.games, last.outcome.reward))
    except (KeyboardInterrupt, RiverboatError):
        pass
    told.put((method, 0, None))


def register(site: Site) -> None:
    """Put the page at its address."""

    @ui.page("/twentyone/learning")
    def learning() -> None:
        with page("Twenty-one", "/twentyone"):
            heading(
                "Learning",
                "Q tables learn by playing; the line is what the best player could get. The"
                " course's literal method never reaches it.",
            )
            twentyone_tabs("/twentyone/learning")
            LearningPage()


class LearningPage:
    """The form and the curves."""

    def __init__(self) -> None:
        self.curves: dict[str, list[tuple[float, float]]] = {}
        self.best = 0.0
        self.processes: list[Any] = []
        self.told: Any = None
        self.stopped = _SPAWN.Event()
        self.open: set[str] = set()
        with ui.element("div").classes("columns side"):
            with panel():
                self.methods = ui.select(
                    list(METHODS), label="Methods", value=["literal", "on-policy"], multiple=True
                ).props("outlined dense options-dense use-chips")
                self.state = ui.select(STATES, label="What it looks at", value="points")
                self.games = ui.select(GAMES, label="How long", value=1_000_000)
                for each in (self.state, self.games):
                    each.props("outlined dense options-dense")
                with ui.element("div").classes("line-up"):
                    self.start = button("Learn", self._start, main=True, icon="play_arrow")
                    self.stop = button("Stop", self.stopped.set, icon="stop")
                    self.stop.set_enabled(False)
            with ui.element("div").classes("stack"):
                with panel("Mean reward of greedy play"):
                    self.chart = LiveChart(self._options(), 400)
                with panel("Now"):
                    self.table = Picture(tag("p", "Nothing learned yet.", cls="muted"), live=True)
        self.timer = ui.timer(LOOK, self._look, active=False)
        ui.context.client.on_delete(self._end)
        app.on_shutdown(self._end)

    async def _start(self) -> None:
        methods = [name for name in self.methods.value or [] if name in METHODS]
        state, games = str(self.state.value), int(self.games.value or 100_000)
        if not methods or self.open or state not in STATES or games not in GAMES:
            return
        self.start.set_enabled(False)
        self.stop.set_enabled(True)
        self.open = set(methods)
        best: Any = await run.io_bound(lambda: optimum(state, "reward")[0].reward)
        self.best = best
        self.curves = {name: [] for name in methods}
        self.stopped.clear()
        self.told = _SPAWN.Queue()
        for name in methods:
            process = _SPAWN.Process(
                target=learn_in_process,
                args=(name, state, games, self.told, self.stopped),
                daemon=True,
            )
            process.start()
            self.processes.append(process)
        self.timer.activate()

    def _look(self) -> None:
        heard = False
        while True:
            try:
                method, played, value = self.told.get_nowait()
            except (queue.Empty, OSError, EOFError):
                break
            heard = True
            if value is None:
                self.open.discard(method)
            else:
                self.curves[method].append((played, value))
        if not any(process.is_alive() for process in self.processes) and not heard:
            self.open.clear()
        if heard:
            self.chart.show(self._options())
            self.table.show(self._now())
        if not self.open:
            self.timer.deactivate()
            self.start.set_enabled(True)
            self.stop.set_enabled(False)

    def _options(self) -> dict[str, Any]:
        levels = {"the exact optimum": self.best} if self.best else None
        return curve_options(
            self.curves, x="games", y="mean reward", log=False, log_x=True, levels=levels
        )

    def _now(self) -> Markup:
        rows = [
            tag(
                "tr",
                tag("td", name),
                tag("td", f"{points[-1][0]:,.0f} games", cls="r"),
                tag("td", signed(points[-1][1], 5), cls="r"),
                tag("td", f"{self.best - points[-1][1]:.5f} below the optimum", cls="r"),
            )
            for name, points in self.curves.items()
            if points
        ]
        best = tag(
            "tr",
            tag("td", "the exact optimum"),
            tag("td", ""),
            tag("td", signed(self.best, 5), cls="r"),
            tag("td", ""),
        )
        return tag("div", tag("table", rows, best, cls="plain"), cls="scroll-x")

    def _end(self) -> None:
        for process in self.processes:
            if process.is_alive():
                process.kill()
