"""Blueprints: what a trained strategy does with each hand, and how strong it is."""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

from nicegui import ui

from riverboat.drawing.hand_grid import HandGrid
from riverboat.drawing.html import Markup, pick_button, tag
from riverboat.drawing.palette import action_colours, gradient
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.shipped import blueprint_path
from riverboat.holdem.blueprints.walk import Decision, look, openings
from riverboat.runtime.stopping import current_stop
from riverboat.runtime.storage import atomic_write
from riverboat.solvers.run import Autosave
from riverboat.web.app.frame import (
    button,
    error_note,
    heading,
    holdem_tabs,
    in_thread,
    legend,
    page,
    panel,
)
from riverboat.web.app.markup import Picture
from riverboat.web.background import Job, Jobs, Workplace
from riverboat.web.holdem.inputs import class_grid
from riverboat.web.play.session import load_blueprint

if TYPE_CHECKING:
    from riverboat.web.server import Site

REFRESH_SECONDS = 0.5
REPORT_SECONDS = 0.2  # Seconds between two reports of a measurement
CHECKPOINT_SECONDS = 3.0


@dataclass(frozen=True)
class StrengthOrder:
    """A blueprint whose strength is measured."""

    path: str
    resumable: ClassVar[bool] = True

    def parts(self) -> tuple[str, ...]:
        return ("strength",)

    def check(self) -> None:
        """The file is read by the job."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> StrengthOrder:
        return cls(str(data["path"]))

    @classmethod
    def warm_up(cls) -> None:
        """Nothing is worth preparing: measuring takes minutes."""

    def work(self, place: Workplace) -> dict[str, Any]:
        """Measure, from what an earlier process found; the facts have a step for each figure."""
        from riverboat.holdem.blueprints.measure import Found, StrengthStep, measure_running

        if place.folder.name != measurement_name(Path(self.path)):
            raise UsageError("The blueprint was changed while it was being measured.")
        path, found = place.folder / "found.json", Found()
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            found = Found.from_dict(json.loads(path.read_text()))
        autosave = Autosave(
            lambda where: atomic_write(where, json.dumps(found.as_dict())),
            path,
            every=CHECKPOINT_SECONDS,
        )
        steps: dict[str, dict[str, Any]] = {}
        last = 0.0

        def report(step: StrengthStep) -> None:
            nonlocal last
            now, shown = time.monotonic(), step.as_dict()
            if shown["estimate"] is None and step.name in steps:
                shown["estimate"] = steps[step.name]["estimate"]
            steps[step.name] = shown
            if step.done in (0, step.total) or now - last > REPORT_SECONDS:
                place.report("facts", {"steps": dict(steps)})
                last = now
            autosave.beat()
            current_stop().check()

        try:
            measure_running(Blueprint.load(self.path), report, found=found)
        except KeyboardInterrupt:
            if not steps:
                raise
        return {"steps": steps}


class StrengthRun(Job[StrengthOrder]):
    """The figures of one blueprint."""

    @property
    def state(self) -> str:
        return self.parts[0].state

    @property
    def steps(self) -> dict[str, dict[str, Any]]:
        found = self.parts[0].facts.get("steps", {})
        return found if isinstance(found, dict) else {}


class StrengthRuns(Jobs[StrengthRun]):
    """The measurements of a server."""

    def __init__(self, folder: Path) -> None:
        address = "/holdem/blueprints"
        super().__init__(folder, StrengthOrder, StrengthRun, address=address, at_once=1)


def measurement_name(path: Path) -> str:
    """The name of a blueprint's measurement; a file that changed has one of its own."""
    status = path.stat()
    key = f"{path} {status.st_size} {status.st_mtime_ns}"
    return hashlib.sha256(key.encode()).hexdigest()[:16]


class StrengthPanel:
    """The figures with their intervals; a button starts and one stops."""

    def __init__(self, runs: StrengthRuns) -> None:
        self.runs = runs
        self.run: StrengthRun | None = None
        self.path = Path()
        with panel(
            "Strength",
            "In thousandths of a big blind per game, with 95 % intervals. A local best response is"
            " a lower bound of what the blueprint gives away.",
        ):
            self.figures = Picture(live=True)
            with ui.element("div").classes("line-up"):
                self.start = button("Measure", self._start, icon="speed")
                self.stop = button("Stop", self._stop, icon="stop")
        self.timer = ui.timer(REFRESH_SECONDS, self._refresh)

    def show(self, path: Path) -> None:
        """Show the figures of a blueprint."""
        self.path, self.run = path, self.runs.find(measurement_name(path))
        self._refresh()

    def _start(self) -> None:
        try:
            self.run = self.runs.begin(StrengthOrder(str(self.path)), measurement_name(self.path))
        except RiverboatError as error:
            ui.notify(str(error), type="warning")
        self._refresh()

    def _stop(self) -> None:
        if self.run is not None:
            self.run.stop()

    def _refresh(self) -> None:
        running = self.run is not None and self.run.running
        if running:
            self.runs.poll()
        self.start.set_visibility(not running)
        self.start.set_text("Measure again" if self.run is not None else "Measure")
        self.stop.set_visibility(running)
        self.figures.show(_shown(self.run))


def _figures(steps: dict[str, dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Name, figure with its interval, and how far it is."""
    rows = []
    for name, step in steps.items():
        found = step["estimate"]
        value = "…"
        if found is not None:
            wide = f" ± {float(found['ci95']):,.0f}" if float(found["ci95"]) > 0 else ""
            value = f"{float(found['mean']):+z,.0f}{wide}"
        done, total = int(step["done"]), int(step["total"])
        far = f"{done:,} of {total:,} {step['unit']}" if done < total else f"{total:,}"
        rows.append((name, value, far if done < total else f"{far} {step['unit']}"))
    return rows


def _shown(run: StrengthRun | None) -> Markup:
    if run is None:
        return tag("p", "Not measured yet; it takes some minutes in the background.", cls="muted")
    rows = [
        tag("tr", tag("td", name), tag("td", value, cls="r strong"), tag("td", far, cls="r muted"))
        for name, value, far in _figures(run.steps)
    ]
    table = tag("table", rows, cls="plain") if rows else tag("p", "It starts …", cls="muted")
    if run.running or run.state == "done":
        return table
    words = "Stopped; what was measured is kept." if run.state == "stopped" else run.state
    return tag("div", table if rows else None, error_note(words), cls="options")


SHIPPED = "shipped"


def register(site: Site) -> None:
    """Put the page at its address."""
    runs = site.add_jobs(StrengthRuns(site.settings.folder / ".web" / "strength"))

    @ui.page("/holdem/blueprints")
    def blueprints(name: str = SHIPPED, path: str = "", board: str = "") -> None:
        with page("Hold'em", "/holdem"):
            heading("Blueprints", "A strategy for the whole game: every seat, every hand.")
            holdem_tabs("/holdem/blueprints")
            BlueprintPage(site, runs, name, path, board)


class BlueprintPage:
    """A decision of a blueprint and what follows it."""

    def __init__(self, site: Site, runs: StrengthRuns, name: str, path: str, board: str) -> None:
        self.site, self.runs = site, runs
        self.name, self.path, self.board_text = name, path, board
        saved = [f.name for f in site.library.files() if f.kind == "blueprint"]
        names = {SHIPPED: "the one that comes with Riverboat"} | {n: n for n in saved}
        if name not in names:
            self.name = SHIPPED
        with panel():
            with ui.element("div").classes("line-up"):
                self.choice = ui.select(names, label="Blueprint", value=self.name)
                self.choice.props("outlined dense options-dense").style("max-width: 320px")
                self.choice.on_value_change(self._other)
                self.board = ui.input("Board, where one is dealt", value=board)
                self.board.props("outlined dense").style("max-width: 260px")
                self.board.on("change", self._dealt)
            waiting = tag("p", "reading …", cls="muted")
            self.breadcrumb = Picture(waiting, on_pick=self._pick, cls="breadcrumb-box")
        with ui.element("div").classes("columns wide-side"):
            with panel():
                self.grid = Picture(waiting, live=True, cls="grid-box")
            self.strength = StrengthPanel(runs)
        with panel("Opening by position", "When all before have folded.") as self.seats_panel:
            self.seats = Picture(on_pick=self._pick)
        self.seats_panel.set_visibility(False)
        self.shown_seats = ""
        ui.timer(0, self._show, once=True)

    async def _other(self) -> None:
        self.name, self.path = str(self.choice.value), ""
        await self._show()

    async def _dealt(self) -> None:
        self.board_text = str(self.board.value or "")
        await self._show()

    async def _pick(self, text: str) -> None:
        kind, _, path = text.partition(":")
        if kind == "path":
            self.path = path
            await self._show()

    @property
    def file(self) -> str:
        return SHIPPED if self.name == SHIPPED else str(self.site.library.path(self.name))

    def _look(self) -> Decision:
        return look(load_blueprint(self.file), self.path, self.board_text)

    def _openings(self) -> list[tuple[str, str, HandGrid]]:
        return [(path, at.seat, at.grid) for path, at in openings(load_blueprint(self.file))]

    async def _show(self) -> None:
        query = {"name": self.name, "path": self.path, "board": self.board_text}
        shown = urlencode({k: v for k, v in query.items() if v})
        ui.navigate.history.replace(f"/holdem/blueprints?{shown}")
        self.strength.show(blueprint_path(self.file))
        try:
            found: Any = await in_thread(self._look)
            grid: Any = await in_thread(lambda: found.grid)
        except RiverboatError as error:
            self.breadcrumb.show(_back(error))
            self.grid.show(Markup(""))
            self.seats_panel.set_visibility(False)
            return
        self.breadcrumb.show(_breadcrumb(found, self.path))
        self.grid.show(_grid(grid))
        await self._show_seats(found.blueprint.rules.players)

    async def _show_seats(self, players: int) -> None:
        """One small grid for each seat; two players have the one above."""
        self.seats_panel.set_visibility(players > 2)
        if players > 2 and self.shown_seats != self.name:
            self.shown_seats = self.name
            found: Any = await in_thread(self._openings)
            self.seats.show(_seats(found))


def _back(error: RiverboatError) -> Markup:
    start = pick_button("path:", "start", cls="btn")
    return tag("div", error_note(error), tag("div", start, cls="moves"), cls="options")


def _breadcrumb(found: Decision, path: str) -> Markup:
    following = found.next_paths()
    colours = dict(zip(found.actions, action_colours(found.labels), strict=True))
    buttons = [
        pick_button(
            f"path:{following[action]}",
            tag("i", cls="dot", style=f"background:{colours[action]}"),
            words,
            cls="btn",
        )
        for action, words in zip(found.actions, found.labels, strict=True)
        if action in following
    ]
    start = pick_button("path:", "start", cls="btn") if path else None
    return tag(
        "div", tag("h2", found.title), tag("div", start, buttons, cls="moves"), cls="options"
    )


def _seats(found: list[tuple[str, str, HandGrid]]) -> Markup:
    """A small grid for each seat; a click goes there."""
    shown = []
    for path, seat, grid in found:
        folds = sum(
            t for a, t in zip(grid.labels, grid.totals.values(), strict=True) if a == "fold"
        )
        words = f"plays {1 - folds:.1%}"
        shown.append(
            pick_button(
                f"path:{path}",
                tag("b", seat.capitalize()),
                tag("span", words, cls="muted small"),
                _cells(grid, "small-grid"),
                cls="table-card seat-card",
                aria_label=f"{seat}, {words}",
            )
        )
    return tag("div", shown, cls="seat-cards")


def _grid(grid: HandGrid) -> Markup:
    totals = grid.totals.values()
    key = legend(
        [
            (c, f"{a} {100 * t:.1f} %")
            for c, a, t in zip(grid.colours, grid.labels, totals, strict=True)
        ]
    )
    return tag("div", _cells(grid, "mixed"), tag("div", key, cls="legend-gap"))


def _cells(grid: HandGrid, cls: str) -> Markup:
    def cell(name: str, row: int, column: int) -> Markup:
        here = grid.cells[13 * row + column]
        if not here.shares or here.fill <= 1e-6:
            return tag("span", name, cls="none")
        shares = list(here.shares.values())
        style = gradient(grid.colours, shares, min(1.0, here.fill))
        words = ", ".join(f"{a} {s:.0%}" for a, s in zip(grid.labels, shares, strict=True))
        return tag("span", name, style=style, title=f"{name}: {words}", cls="mix-cell")

    return class_grid(cell, "The strategy", cls)
