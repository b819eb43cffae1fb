"""A blueprint's strength, measured in a process beside the page, with progress and a stop."""

from __future__ import annotations

import json
import multiprocessing
import queue
import time
from pathlib import Path
from typing import Any

from nicegui import ui

from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.strategies.files import atomic_write
from riverboat.web.markup import Markup, Picture, tag
from riverboat.web.page_frame import button, error_note, panel
from riverboat.web.work_process import end_with_server

__all__ = ["StrengthPanel", "StrengthRuns"]

LOOK = 0.5
PAUSE = 0.2
"""Seconds between two messages of the process."""
_SPAWN = multiprocessing.get_context("spawn")


def measure_in_process(path: str, told: Any, stop: Any) -> None:
    """The work of the process: ("step", figure) as they come, then ("done", "") or a sentence."""
    from riverboat.holdem.strength.running_strength import StrengthStep, measure_running

    end_with_server()
    last = 0.0

    def tell(step: StrengthStep) -> None:
        nonlocal last
        now = time.monotonic()
        if step.done == step.total or step.done == 0 or now - last > PAUSE:
            told.put(("step", step.as_dict()))
            last = now
        if stop.is_set():
            raise _StoppedError

    try:
        measure_running(Blueprint.load(path), tell)
        told.put(("done", ""))
    except _StoppedError:
        told.put(("done", "stopped"))
    except RiverboatError as error:
        told.put(("error", str(error)))


class _StoppedError(Exception):
    """The visitor pressed stop."""


class StrengthRun:
    """The figures of one blueprint, measured or being measured."""

    def __init__(self, path: str, kept: Path) -> None:
        self.path, self.kept = path, kept
        self.steps: dict[str, dict[str, Any]] = {}
        self.state = "new"
        """new, running, done, stopped, or what went wrong."""
        self._stop: Any = None
        self._told: Any = None
        self._process: Any = None
        self._read()

    def _read(self) -> None:
        try:
            whole = json.loads(self.kept.read_text())
            self.steps = {str(step["name"]): dict(step) for step in whole["steps"]}
            self.state = str(whole["state"])
            _figures(self.steps)
        except (OSError, ValueError, TypeError, KeyError):
            self.steps, self.state = {}, "new"

    def start(self) -> None:
        self.steps, self.state = {}, "running"
        self._stop, self._told = _SPAWN.Event(), _SPAWN.Queue()
        self._process = _SPAWN.Process(
            target=measure_in_process, args=(self.path, self._told, self._stop), daemon=True
        )
        self._process.start()

    def stop(self) -> None:
        if self._stop is not None:
            self._stop.set()

    def hear(self) -> None:
        """Take in what the process said."""
        if self.state != "running":
            return
        ended = not self._process.is_alive()
        while True:
            try:
                kind, what = self._told.get_nowait()
            except (queue.Empty, OSError, EOFError):
                break
            if kind == "step":
                known = self.steps.get(what["name"], {})
                if what["estimate"] is None and known.get("estimate"):
                    what["estimate"] = known["estimate"]
                self.steps[what["name"]] = what
            else:
                self.state = str(what) or kind
        if ended and self.state == "running":
            self.state = "The process ended before its time."
        if self.state != "running":
            self.kept.parent.mkdir(parents=True, exist_ok=True)
            whole = {"state": self.state, "steps": list(self.steps.values())}
            atomic_write(self.kept, json.dumps(whole))

    def end(self) -> None:
        if self._process is not None and self._process.is_alive():
            self._process.kill()


class StrengthRuns:
    """The measurements of a server; those that are over are read back from their folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, StrengthRun] = {}

    def of(self, name: str, path: Path) -> StrengthRun:
        """That of a blueprint; a file that changed has figures of its own."""
        status = path.stat()
        key = f"{name}-{status.st_size}-{int(status.st_mtime)}"
        if key not in self.known:
            self.known[key] = StrengthRun(str(path), self.folder / f"{key}.json")
        return self.known[key]

    def begin(self, run: StrengthRun) -> None:
        for each in self.known.values():
            each.hear()
        if any(each.state == "running" for each in self.known.values()):
            raise UsageError("Another blueprint is being measured; stop it or wait.")
        run.start()

    def end(self) -> None:
        for run in self.known.values():
            run.end()


class StrengthPanel:
    """The figures with their intervals; a button starts and one stops."""

    def __init__(self, runs: StrengthRuns) -> None:
        self.runs = runs
        self.run: StrengthRun | None = None
        with panel(
            "Strength",
            "In thousandths of a big blind per game, with 95 % intervals. A local best response is"
            " a lower bound of what the blueprint gives away.",
        ):
            self.figures = Picture(live=True)
            with ui.element("div").classes("line-up"):
                self.start = button("Measure", self._start, icon="speed")
                self.stop = button("Stop", self._stop, icon="stop")
        self.timer = ui.timer(LOOK, self._look)

    def show(self, run: StrengthRun) -> None:
        """Of another blueprint."""
        self.run = run
        self._look()

    def _start(self) -> None:
        if self.run is None:
            return
        try:
            self.runs.begin(self.run)
        except RiverboatError as error:
            ui.notify(str(error), type="warning")
        self._look()

    def _stop(self) -> None:
        if self.run is not None:
            self.run.stop()

    def _look(self) -> None:
        if self.run is None:
            return
        self.run.hear()
        running = self.run.state == "running"
        self.start.set_visibility(not running)
        self.start.set_text("Measure again" if self.run.steps else "Measure")
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
            value = f"{float(found['mean']):+,.0f}{wide}"
        done, total = int(step["done"]), int(step["total"])
        far = f"{done:,} of {total:,} {step['unit']}" if done < total else f"{total:,}"
        rows.append((name, value, far if done < total else f"{far} {step['unit']}"))
    return rows


def _shown(run: StrengthRun) -> Markup:
    if run.state == "new":
        return tag("p", "Not measured yet; it takes some minutes beside the page.", cls="muted")
    rows = [
        tag("tr", tag("td", name), tag("td", value, cls="r strong"), tag("td", far, cls="r muted"))
        for name, value, far in _figures(run.steps)
    ]
    table = tag("table", rows, cls="plain") if rows else tag("p", "It starts …", cls="muted")
    if run.state in ("running", "done"):
        return table
    words = "Stopped; what was measured stands." if run.state == "stopped" else run.state
    return tag("div", table if rows else None, error_note(words), cls="options")
