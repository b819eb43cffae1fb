"""The course of one or several solves: as a table for programs and as a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from riverboat.errors import UsageError
from riverboat.evaluation.curve_plot import draw_curves
from riverboat.solvers.result import SolveResult

__all__ = ["draw_traces", "trace_csv"]

COLUMNS = ("algorithm", "iterations", "seconds", "exploitability")
AXES = {"iterations": "iterations", "seconds": "seconds of one core"}
LEAST = 1e-12
"""What is less is rounding; it is drawn here."""


def trace_csv(results: Iterable[SolveResult[Any]]) -> str:
    """A row for each point of each trace: algorithm, iterations, seconds, exploitability."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for result in results:
        for point in result.trace:
            writer.writerow([getattr(point, column) for column in COLUMNS])
    return out.getvalue()


def draw_traces(
    results: Sequence[SolveResult[Any]], picture: str = "svg", *, by: str = "iterations"
) -> bytes:
    """A picture (svg, png or pdf) of exploitability by iterations or by seconds."""
    if by not in AXES:
        raise UsageError(f"A trace is drawn by iterations or by seconds, not by {by!r}.")
    curves: dict[str, list[tuple[float, float]]] = {}
    for result in results:
        name = result.algorithm + (" (exact)" if len(result.trace) == 1 else "")
        while name in curves:
            name += "\u2032"
        curves[name] = [(getattr(point, by), point.exploitability) for point in result.trace]
    fallen = [height for curve in curves.values() if len(curve) > 1 for _, height in curve]
    return draw_curves(
        results[0].strategy.title,
        curves,
        picture,
        labels=(AXES[by], "exploitability"),
        floor=max(min(fallen, default=LEAST), LEAST),
    )
