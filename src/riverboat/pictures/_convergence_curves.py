"""Curves that fall: exploitability by iterations or seconds, regret by games played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from riverboat.drawing.figures import Picture, drawing
from riverboat.errors import UsageError
from riverboat.solvers.result import Comparison
from riverboat.strategies.any_strategy import AnyStrategy
from riverboat.strategies.kinds import load_table

AXES = {"iterations": "iterations", "seconds": "seconds of one core"}
MIN_HEIGHT = 1e-12  # What is less is rounding; it is drawn here
COLUMNS = ("iterations", "seconds", "exploitability")
Points = Sequence[tuple[float, float]]
Bands = Sequence[tuple[float, float, float]]


def convergence(
    *results: Any, by: str = "iterations", title: str = "", theme: str = "light"
) -> Picture:
    """How exploitability falls, on logarithmic axes: of one result, of several, or of a list.

    A result is what `rb.solve` returns, a saved file, a strategy, or what `rb.train("twentyone")`
    returns, whose curve is the regret by games. What was found at once is drawn as a level. A
    comparison (`rb.compare`) is drawn with the medians of its seeds and bands from the lowest to
    the highest.
    """
    if by not in AXES:
        raise UsageError(f"A trace is drawn by iterations or by seconds, not by {by!r}.")
    if len(results) == 1 and isinstance(results[0], Comparison):
        return _compared(results[0], by, title, theme)
    read = [
        _read(result, by)
        for given in results
        for result in (given if isinstance(given, list | tuple) else [given])
    ]
    if not read:
        raise UsageError("There is nothing to draw: give a result or a file.")
    if len({kind for _, kind, _, _ in read}) > 1:
        raise UsageError("Exploitability and regret have no common axis; draw them apart.")
    named: dict[str, Points] = {}
    for name, _, _, points in read:
        unique = name
        while unique in named:
            unique += "\u2032"
        named[unique] = points
    fallen = [height for points in named.values() if len(points) > 1 for _, height in points]
    floor = max(min((height for height in fallen if height > 0), default=MIN_HEIGHT), MIN_HEIGHT)
    games = read[0][1] == "regret"
    return curves(
        title or read[0][2],
        named,
        labels=("games", "regret per game") if games else (AXES[by], "exploitability"),
        floor=floor,
        theme=theme,
    )


def _compared(comparison: Comparison, by: str, title: str, theme: str) -> Picture:
    named: dict[str, Points] = {}
    bands: dict[str, Bands] = {}
    for name in comparison.algorithms:
        traces = [{p.iterations: p for p in result.trace} for result in comparison[name]]
        # Where every run has begun and none has ended; how often a run is measured is its own.
        first = max(min(trace) for trace in traces)
        last = max(first, min(max(trace) for trace in traces))
        common = [n for n in sorted(set().union(*traces)) if first <= n <= last]
        read = [[trace[max(m for m in trace if m <= n)] for trace in traces] for n in common]
        heights = [[point.exploitability for point in points] for points in read]
        across = common if by == "iterations" else [median(p.seconds for p in ps) for ps in read]
        label = name if len(traces) == 1 else f"{name}, {len(traces)} seeds"
        named[label] = [(x, median(y)) for x, y in zip(across, heights, strict=True)]
        if len(traces) > 1:
            bands[label] = [(x, min(y), max(y)) for x, y in zip(across, heights, strict=True)]
    fallen = [y for points in named.values() if len(points) > 1 for _, y in points]
    fallen += [low for band in bands.values() for _, low, _ in band]
    floor = max(min((height for height in fallen if height > 0), default=MIN_HEIGHT), MIN_HEIGHT)
    labels = (AXES[by], "exploitability")
    return curves(
        title or comparison.title, named, labels=labels, floor=floor, theme=theme, bands=bands
    )


def _read(result: Any, by: str) -> tuple[str, str, str, Points]:
    """Name, what is measured, title and points of one result, file or strategy."""
    if isinstance(result, str | Path):
        result = load_table(result)
    strategy = result if isinstance(result, AnyStrategy) else getattr(result, "strategy", None)
    if not isinstance(strategy, AnyStrategy):
        raise UsageError(f"{type(result).__name__} is no result, no strategy and no file of one.")
    info = strategy.info
    if "curve" in info:
        points = [(float(x), float(y)) for x, y in info["curve"]]
        kind, name = "regret", str(info.get("method", "trained"))
    else:
        kind, name = "exploitability", str(info.get("algorithm", "?"))
        points = _trace(result, info, COLUMNS.index(by))
        name += " (exact)" if len(points) == 1 else ""
    if not points:
        raise UsageError(f"The strategy of {strategy.game} does not say how it was found.")
    return name, kind, strategy.title, points


def _trace(result: Any, info: Mapping[str, Any], column: int) -> list[tuple[float, float]]:
    trace = getattr(result, "trace", None)
    if trace:
        return [(float(getattr(p, COLUMNS[column])), float(p.exploitability)) for p in trace]
    return [(float(row[column]), float(row[2])) for row in info.get("trace", ())]


def curves(
    title: str,
    named: Mapping[str, Points],
    *,
    labels: tuple[str, str] = ("games", "regret per game"),
    floor: float = 1e-6,
    theme: str = "light",
    bands: Mapping[str, Bands] | None = None,
) -> Picture:
    """Named curves of points (x, y) on logarithmic axes, with bands (x, low, high) behind them.

    What is below the floor is drawn there, so that an exact zero has a place on the axis. A curve
    of a single point is drawn as a level: an answer found at once.
    """
    with drawing(theme) as (figure, colours):
        axes = figure.add_subplot()
        for name, points in named.items():
            heights = [max(y, floor) for _, y in points]
            if len(points) == 1:
                axes.axhline(heights[0], color=colours.faint, linestyle="--", label=name)
            else:
                (line,) = axes.plot([x for x, _ in points], heights, marker=".", label=name)
                if bands and name in bands:
                    across, *sides = zip(*bands[name], strict=True)
                    low, high = ([max(y, floor) for y in side] for side in sides)
                    axes.fill_between(across, low, high, color=line.get_color(), alpha=0.2, lw=0)
        axes.set(xscale="log", yscale="log", xlabel=labels[0], ylabel=labels[1], title=title)
        axes.set_ylim(bottom=floor / 1.5)
        axes.grid(visible=True)
        axes.legend()
        return figure
