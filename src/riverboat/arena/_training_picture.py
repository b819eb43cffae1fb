"""The curve of a person's training over days, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from riverboat.drawing.figures import Picture, drawing

if TYPE_CHECKING:
    from riverboat.arena.training_results import TrainingResults


def training_picture(results: TrainingResults, title: str, theme: str) -> Picture:
    """Two curves over days: answers that were right, and EV lost per decision in each unit."""
    with drawing(theme, (7.0, 5.6)) as (figure, _):
        upper, lower = figure.subplots(2, 1, sharex=True)
        days, shares = _columns(results.shares())
        upper.plot(days, shares, marker="o")
        upper.set(title=title or f"Training of {results.person}", ylabel="right")
        upper.set_ylim(-0.03, 1.03)
        upper.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        for unit in results.units:
            days, losses = _columns(results.losses(unit))
            lower.plot(days, losses, marker="o", label=unit)
        lower.set(ylabel="EV lost per decision")
        lower.set_ylim(bottom=0)
        lower.xaxis.axis_date()
        figure.autofmt_xdate()
        for axes in (upper, lower):
            axes.grid(visible=True)
        if results.units:
            lower.legend()
        return figure


def _columns(points: Sequence[tuple[date, float]]) -> tuple[list[date], list[float]]:
    return [day for day, _ in points], [value for _, value in points]
