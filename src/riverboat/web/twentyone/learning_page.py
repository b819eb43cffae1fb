"""Q tables that learn beside the pages, each method in a process of its own.

A run belongs to the server, not to a page: it goes on when the page is reloaded or closed, and its
curves are written down, so that they are found again by their address after a restart.

Twenty-one learned while one looks: curves of Q tables, with the exact optimum beside.
"""

from __future__ import annotations

import json
import multiprocessing
import queue
import re
import secrets
import time
from pathlib import Path
from typing import Any

from nicegui import app, run, ui

from riverboat.drawing.html import Markup, signed, tag
from riverboat.errors import RiverboatError, UsageError
from riverboat.strategies.files import atomic_write
from riverboat.twentyone.learning.optimum import optimum
from riverboat.web.app.charts import LiveChart, curve_options
from riverboat.web.app.frame import button, error_note, heading, page, panel
from riverboat.web.app.markup import Picture
from riverboat.web.app.server import Site
from riverboat.web.background import end_with_server
from riverboat.web.twentyone.tournament_page import twentyone_tabs

__all__ = ["LENGTHS", "METHODS", "STATES", "LearningRun", "LearningRuns", "register"]


METHODS = ("literal", "on-policy", "off-policy", "q-learning", "sarsa")
LENGTHS = {100_000: "100,000 games", 1_000_000: "a million", 10_000_000: "10 million"}
STATES = {"points": "points and the open card", "soft": "soft hands too"}
MOST_RUNNING = 3
KEEP_SECONDS = 2.0
_NAME = re.compile(r"[A-Za-z0-9_-]{8,32}")
_SPAWN = multiprocessing.get_context("spawn")

Curve = list[tuple[float, float]]


def learn_in_process(method: str, state: str, games: int, told: Any, stop: Any) -> None:
    """The work of the process: (games, mean reward of greedy play) whenever it was measured."""
    from riverboat.solvers.run import Limit
    from riverboat.twentyone.learning.learner import Trainer
    from riverboat.twentyone.learning.q_table import QTable
    from riverboat.twentyone.learning.regret import train

    end_with_server()
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


class LearningRun:
    """Curves of one or more methods, growing or over."""

    def __init__(self, path: Path, methods: list[str], state: str, games: int) -> None:
        self.path, self.name = path, path.stem
        self.methods, self.state, self.games = methods, state, games
        self.curves: dict[str, Curve] = {method: [] for method in methods}
        self.best: float = optimum(state, "reward")[0].reward
        self.open: set[str] = set()
        self._processes: list[Any] = []
        self._told: Any = None
        self._stop = _SPAWN.Event()
        self._kept = 0.0

    @property
    def running(self) -> bool:
        return bool(self.open)

    def start(self) -> None:
        self.open = set(self.methods)
        self._told = _SPAWN.Queue()
        self._keep()
        for method in self.methods:
            process = _SPAWN.Process(
                target=learn_in_process,
                args=(method, self.state, self.games, self._told, self._stop),
                daemon=True,
            )
            process.start()
            self._processes.append(process)

    def stop(self) -> None:
        self._stop.set()

    def hear(self) -> None:
        """Take in what the processes have said."""
        heard = False
        alive = any(process.is_alive() for process in self._processes)
        while self._told is not None:
            try:
                method, played, value = self._told.get_nowait()
            except (queue.Empty, OSError, EOFError):
                break
            heard = True
            if value is None:
                self.open.discard(method)
            else:
                self.curves[method].append((played, value))
        if not heard and not alive:
            self.open.clear()
        if heard and (not self.open or time.monotonic() - self._kept > KEEP_SECONDS):
            self._keep()

    def _keep(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        whole = {
            "methods": self.methods,
            "state": self.state,
            "games": self.games,
            "curves": self.curves,
        }
        atomic_write(self.path, json.dumps(whole))
        self._kept = time.monotonic()

    def end(self) -> None:
        """End the processes at once; the server stops."""
        for process in self._processes:
            if process.is_alive():
                process.kill()


class LearningRuns:
    """All runs of a server; those of before are read back from their folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, LearningRun] = {}

    def begin(self, methods: list[str], state: str, games: int) -> LearningRun:
        """Start a run; what cannot be is refused."""
        chosen = [name for name in METHODS if name in methods]
        if not chosen or state not in STATES or games not in LENGTHS:
            raise UsageError("Choose at least one method.")
        if sum(run.running for run in self.known.values()) >= MOST_RUNNING:
            raise UsageError("Other tables are learning; stop them or wait.")
        name = secrets.token_urlsafe(8)
        run = LearningRun(self.folder / f"{name}.json", chosen, state, games)
        self.known[name] = run
        run.start()
        return run

    def find(self, name: str) -> LearningRun | None:
        """A run by its name in the address; None where there is none."""
        if name in self.known:
            return self.known[name]
        if not _NAME.fullmatch(name):
            return None
        path = self.folder / f"{name}.json"
        try:
            whole = json.loads(path.read_text())
            methods = [str(method) for method in whole["methods"]]
            run = LearningRun(path, methods, str(whole["state"]), int(whole["games"]))
            run.curves = {
                method: [(float(x), float(y)) for x, y in whole["curves"][method]]
                for method in methods
            }
        except (OSError, ValueError, TypeError, KeyError, RiverboatError):
            return None
        self.known[name] = run
        return run

    def end(self) -> None:
        for each in self.known.values():
            each.end()


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
