"""The course of one or several solves as a table; riverboat.pictures draws it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from riverboat.solvers.result import SolveResult

__all__ = ["trace_csv"]

COLUMNS = ("algorithm", "iterations", "seconds", "exploitability")


def trace_csv(results: Iterable[SolveResult[Any]]) -> str:
    """A row for each point of each trace: algorithm, iterations, seconds, exploitability."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for result in results:
        for point in result.trace:
            writer.writerow([getattr(point, column) for column in COLUMNS])
    return out.getvalue()
