"""The strategies over three actions as points of a triangle, and how regret matching moves there.

A corner is an action that is always taken; the middle takes all three alike. The nearer a point
is to a corner, the likelier that action.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from numpy.typing import ArrayLike

from riverboat.errors import ParameterError, UsageError
from riverboat.pictures.figures import Picture, Theme, drawing
from riverboat.pictures.path_recording import SolverPath
from riverboat.runtime.array_types import F64

CORNERS = np.array([[0.5, 3**0.5 / 2], [0.0, 0.0], [1.0, 0.0]])
"""Where the first, second and third action are certain."""


def simplex(
    path: SolverPath | ArrayLike,
    *,
    labels: tuple[str, str, str] = ("rock", "paper", "scissors"),
    title: str = "",
    theme: str = "light",
) -> Picture:
    """The path of a strategy over three actions, dark where it is late, and that of its average.

    A path is what `solver_path` records, or strategies (T, 3) row by row, which are averaged here.
    """
    if isinstance(path, SolverPath):
        if len(path.actions) != 3:
            raise UsageError(
                f"A triangle shows three actions; {path.infoset!r} has {len(path.actions)}."
            )
        current, average = path.current, path.average
        first, second, third = path.labels
        labels, title = (first, second, third), title or path.title
    else:
        current = _strategies(path)
        average = np.cumsum(current, axis=0) / np.arange(1, len(current) + 1)[:, None]
    with drawing(theme, (5.6, 5.2)) as (figure, colours):
        axes = figure.add_subplot()
        _triangle(axes, labels, colours)
        _trail(axes, current @ CORNERS, colours)
        line = average @ CORNERS
        axes.plot(*line.T, color=colours.colours[1], linewidth=2.4, label="average")
        axes.plot(*line[-1], "o", color=colours.colours[1], markersize=8, zorder=5)
        axes.plot([], [], color=colours.colours[0], label="strategy of the iteration")
        axes.set_title(title or "The strategy moves, its average settles")
        axes.legend(loc="upper right", bbox_to_anchor=(1.02, 1.0))
        shares = ", ".join(
            f"{name} {share:.3f}" for name, share in zip(labels, average[-1].tolist(), strict=True)
        )
        axes.text(0.5, -0.13, f"average after {len(current):,}: {shares}", ha="center")
        return figure


def _strategies(path: ArrayLike) -> F64:
    found = np.asarray(path, np.float64)
    if found.ndim != 2 or found.shape[1] != 3 or not len(found):
        raise ParameterError(f"A path has the shape (T, 3), not {found.shape}.")
    if (found < -1e-9).any() or (np.abs(found.sum(axis=1) - 1) > 1e-6).any():
        raise ParameterError("Each row of a path holds three probabilities that add up to 1.")
    return found


def _triangle(axes: Axes, labels: tuple[str, str, str], colours: Theme) -> None:
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set(xlim=(-0.12, 1.12), ylim=(-0.17, 1.0))
    for share in (0.25, 0.5, 0.75):
        for i in range(3):
            ends = [share * CORNERS[i] + (1 - share) * CORNERS[j] for j in range(3) if j != i]
            axes.plot(*np.array(ends).T, color=colours.faint, linewidth=0.6, alpha=0.5)
    axes.plot(*np.vstack([CORNERS, CORNERS[:1]]).T, color=colours.ink, linewidth=1.2)
    axes.plot(*CORNERS.mean(axis=0), "+", color=colours.ink, markersize=9)
    places: list[dict[str, Any]] = [
        {"xytext": (0, 6), "ha": "center", "va": "bottom"},
        {"xytext": (-4, -6), "ha": "center", "va": "top"},
        {"xytext": (4, -6), "ha": "center", "va": "top"},
    ]
    for corner, label, place in zip(CORNERS, labels, places, strict=True):
        axes.annotate(label, tuple(corner), textcoords="offset points", weight="bold", **place)


def _trail(axes: Axes, points: F64, colours: Theme) -> None:
    """The path in pieces that grow darker; a path that stays is a point."""
    axes.plot(*points[0], "o", color=colours.colours[0], markersize=5, fillstyle="none")
    pieces = np.stack([points[:-1], points[1:]], axis=1)
    if len(pieces):
        strength = np.linspace(0.15, 0.9, len(pieces))
        lines = LineCollection(
            list(pieces), colors=colours.colours[0], alpha=strength.tolist(), linewidths=1.0
        )
        axes.add_collection(lines)
    axes.plot(*points[-1], "o", color=colours.colours[0], markersize=5)
