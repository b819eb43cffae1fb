"""Progress on standard error: one bar, one line for work of unknown length, one curve for a solver.

Where standard error is no screen, nothing is drawn. The curve has logarithmic axes, comes up when a
run takes more than a moment, and stays on the screen.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.text import Text

if TYPE_CHECKING:
    from riverboat.solvers.run import Progress


ROWS, MOMENT = 8, 0.7  # Height of the curve, and seconds before it comes up
COLOURS = ("cyan", "yellow", "green", "magenta", "red", "blue")
MARKS, PLAIN_MARKS = "●▲■◆○△", "*+x@o^"
MIN_HEIGHT = 1e-16

Points = Sequence[tuple[float, float]]


def chart(
    curves: Mapping[str, Points],
    width: int,
    rows: int = ROWS,
    marks: str = MARKS,
    corner: tuple[float, float] | None = None,
) -> list[Text]:
    """Named curves of (iterations, exploitability) as lines of text, with their axes.

    The axes reach at least to `corner`, so that a curve that grows does not move.
    """
    logs = {
        name: [(math.log10(max(x, 1)), math.log10(max(y, MIN_HEIGHT))) for x, y in points]
        for name, points in curves.items()
        if points
    }
    if not logs:
        return []
    every = [point for points in logs.values() for point in points]
    if corner is not None:
        every.append((math.log10(corner[0]), math.log10(corner[1])))
    top = math.ceil(max(y for _, y in every))
    bottom = min(math.floor(min(y for _, y in every)), top - 1)
    right = max(max(x for x, _ in every), 1.0)
    columns = max(width - 9, 10)
    cells = [[(" ", "")] * columns for _ in range(rows)]
    for number, points in enumerate(logs.values()):
        mark = (marks[number % len(marks)], COLOURS[number % len(COLOURS)])
        for x, y in points:
            row = round((top - y) / (top - bottom) * (rows - 1))
            cells[row][round(x / right * (columns - 1))] = mark
    lines = []
    for row, cell in enumerate(cells):
        level = top - row * (top - bottom) / (rows - 1)
        line = Text(f"{10**level:7.0e} ", style="dim")
        for sign, colour in cell:
            line.append(sign, style=colour)
        lines.append(line)
    last = f"{10**right:,.0f} iterations"
    lines.append(Text(" " * 8 + "1" + last.rjust(columns - 1), style="dim"))
    names = Text(" " * 8)
    for number, name in enumerate(logs):
        names.append(f"{marks[number % len(marks)]} {name}  ", style=COLOURS[number % len(COLOURS)])
    return [*lines, names]


class LiveCurve:
    """What is on the screen: `show` takes a solver's progress, `begin` the name of what runs."""

    def __init__(self, title: str, *, screen: bool) -> None:
        self.screen = screen
        self.console = Console(file=sys.stderr)
        self.plain = "utf" not in (self.console.encoding or "").lower()
        self.title = title
        self.state, self.done = "building the tree", 0.0
        self.curves: dict[str, list[tuple[float, float]]] = {}
        self.start = time.monotonic()

    def show(self, now: Progress) -> None:
        """Show a solver's progress."""
        curve = self.curves.setdefault(now.algorithm, [])
        curve.append((now.iterations, now.exploitability))
        if len(curve) > 4000:
            del curve[1:-1:2]
        self.state = (
            f"{now.algorithm}: {now.iterations:,} iterations,"
            f" exploitability {now.exploitability:.2e}"
        )
        self.done = now.share

    def __rich__(self) -> Group:
        full = round(24 * min(max(self.done, 0.0), 1.0))
        bar = ("#" if self.plain else "━") * full
        elapsed = time.monotonic() - self.start
        line = Text(f"{self.title} ")
        line.append(bar.ljust(24), style="green")
        line.append(f" {self.state} ({elapsed:.0f} s)")
        line.truncate(self.console.width)
        if elapsed < MOMENT:
            return Group(line)
        marks = PLAIN_MARKS if self.plain else MARKS
        return Group(line, *chart(self.curves, min(self.console.width, 76), marks=marks))


class Bar:
    """A line with a bar: how much is done, in what state, for how long."""

    def __init__(self, bars: Bars, title: str) -> None:
        self.bars = bars
        self._task = bars.add_task(title, total=None, state="")

    def show(self, done: float, total: float | None, state: str = "") -> None:
        """Say how much is done; without a total the bar only moves."""
        self.bars.update(self._task, completed=done, total=total, state=state)


@contextmanager
def progress_bars(*, quiet: bool = False) -> Iterator[Bars]:
    """Room for bars on standard error, so that standard output stays clean."""
    console = Console(file=sys.stderr)
    with Bars(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
        console=console,
        transient=not console.is_terminal,
        disable=quiet or not console.is_terminal,
    ) as bars:
        yield bars


@contextmanager
def work_bar(title: str, *, quiet: bool = False) -> Iterator[Bar]:
    """One bar while the body runs."""
    with progress_bars(quiet=quiet) as bars:
        yield Bar(bars, title)


@contextmanager
def waiting(what: str, *, quiet: bool = False) -> Iterator[None]:
    """Say what is being done, with the time, where the body takes more than a moment."""
    console = Console(file=sys.stderr)
    if quiet or not console.is_terminal:
        yield
        return
    bars = Bars(SpinnerColumn(), TextColumn(what), TimeElapsedColumn(), console=console)
    bars.live.transient = True
    bars.add_task(what, total=None)
    timer = threading.Timer(MOMENT, bars.start)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        bars.stop()


@contextmanager
def live_curve(title: str, *, quiet: bool = False) -> Iterator[LiveCurve]:
    """A LiveCurve on standard error while the body runs, where that is a screen."""
    screen = not quiet and sys.stderr.isatty()
    view = LiveCurve(title, screen=screen)
    if not screen:
        yield view
        return
    with Live(view, console=view.console, refresh_per_second=8) as live:
        try:
            yield view
        finally:
            if time.monotonic() - view.start < MOMENT:
                live.transient = True
