"""Exploitability while a solver runs: a line with a bar, and below it the curve so far.

Both axes are logarithmic. The curve comes up when a run takes more than a moment, and stays on the
screen; where standard error is no screen, nothing is drawn.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

if TYPE_CHECKING:
    from riverboat.solvers.run import Progress

__all__ = ["LiveCurve", "chart", "live_curve"]

ROWS, MOMENT = 8, 0.7
"""Height of the curve, and seconds before it comes up."""
COLOURS = ("cyan", "yellow", "green", "magenta", "red", "blue")
MARKS, PLAIN_MARKS = "●▲■◆○△", "*+x@o^"
LEAST = 1e-16

Points = Sequence[tuple[float, float]]


def chart(
    curves: Mapping[str, Points], width: int, rows: int = ROWS, marks: str = MARKS
) -> list[Text]:
    """Named curves of (iterations, exploitability) as lines of text, with their axes."""

    logs = {
        name: [(math.log10(max(x, 1)), math.log10(max(y, LEAST))) for x, y in points]
        for name, points in curves.items()
        if points
    }
    if not logs:
        return []
    every = [point for points in logs.values() for point in points]
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
    """What is on the screen: `show` takes where a solver stands, `begin` a name for what runs."""

    def __init__(self, title: str, share: Callable[[Progress], float], *, screen: bool) -> None:

        self.screen = screen
        self.console = Console(file=sys.stderr)
        self.plain = "utf" not in (self.console.encoding or "").lower()
        self.title, self.share = title, share
        self.state, self.done = "building the tree", 0.0
        self.curves: dict[str, list[tuple[float, float]]] = {}
        self.start = time.monotonic()

    def show(self, now: Progress) -> None:
        """Take in where a solver stands."""
        curve = self.curves.setdefault(now.algorithm, [])
        curve.append((now.iterations, now.exploitability))
        if len(curve) > 4000:
            del curve[1:-1:2]
        self.state = (
            f"{now.algorithm}: {now.iterations:,} iterations,"
            f" exploitability {now.exploitability:.2e}"
        )
        self.done = self.share(now)

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


@contextmanager
def live_curve(
    title: str, share: Callable[[Progress], float], *, quiet: bool = False
) -> Iterator[LiveCurve]:
    """A LiveCurve on standard error while the body runs, where that is a screen."""

    screen = not quiet and sys.stderr.isatty()
    view = LiveCurve(title, share, screen=screen)
    if not screen:
        yield view
        return
    with Live(view, console=view.console, refresh_per_second=8) as live:
        try:
            yield view
        finally:
            if time.monotonic() - view.start < MOMENT:
                live.transient = True
