"""The 169 classes of hold'em hands as a grid: pairs on the diagonal, suited hands above it.

A HandGrid is data. A terminal shows it through GridText, a notebook by `_repr_html_`, a browser
by the cells, and `svg()` and `html()` are files of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from riverboat.drawing.html import Markup, page
from riverboat.drawing.palette import PLAIN, action_colours
from riverboat.drawing.svg import rect, svg, text
from riverboat.errors import ParameterError
from riverboat.runtime.array_types import F64, U8, Bools

_RANKS = "AKQJT98765432"
HAND_CLASSES = tuple(
    a + b if a == b else a + b + "s" if row < column else b + a + "o"
    for row, a in enumerate(_RANKS)
    for column, b in enumerate(_RANKS)
)
"""The names of the cells, row by row."""
SIDE, CELL, TOP = 13, 46, 52  # Cells in a row, pixels of a cell, pixels of the title and the legend


@dataclass(frozen=True)
class HandCell:
    """One class of hands."""

    name: str
    weight: float  # The number of its combos that reach this point
    fill: float  # That number over all combos of the class, 0 to 1
    shares: dict[str, float]
    """Action → how often; empty where no action is known, or the board leaves no such hand."""
    ev: float = math.nan
    equity: float = math.nan


@dataclass(frozen=True, eq=False, repr=False)
class HandGrid:
    """What is done with each class of hands; without actions a range alone."""

    title: str
    actions: tuple[str, ...]  # The keys of each cell's shares
    cells: tuple[HandCell, ...]
    labels: tuple[str, ...] = ()  # The actions in words; as `actions` where not given
    totals: dict[str, float] = field(default_factory=dict)
    """How often each action is taken by all hands together; by the cells where not given."""

    def __post_init__(self) -> None:
        if not self.labels:
            object.__setattr__(self, "labels", self.actions)
        if not self.totals:
            object.__setattr__(self, "totals", self._weighted_means())

    @cached_property
    def colours(self) -> tuple[str, ...]:
        """The colour of each action."""
        return action_colours(self.labels)

    def _weighted_means(self) -> dict[str, float]:
        played = [cell for cell in self.cells if cell.shares]
        total = sum(cell.weight for cell in played) or 1.0
        return {
            action: sum(cell.weight * cell.shares[action] for cell in played) / total
            for action in self.actions
        }

    def cell(self, name: str) -> HandCell:
        """The cell of a class, such as "AKs"."""
        match = next((cell for cell in self.cells if cell.name.lower() == name.lower()), None)
        if match is None:
            raise ParameterError(f"{name!r} is no class of hands; write AKs, AKo or TT.")
        return match

    def as_dict(self) -> dict[str, Any]:
        """For each class the frequency of each action, and how much of it reaches this point."""
        return {
            "title": self.title,
            "actions": dict(zip(self.actions, self.labels, strict=True)),
            "totals": self.totals,
            "hands": {cell.name: cell.shares for cell in self.cells},
            "reach": {cell.name: cell.fill for cell in self.cells},
        }

    def legend(self) -> list[tuple[str, str]]:
        """Colour and words of each action, with how often it is taken."""
        shares = self.totals.values()
        words = (f"{a} {share:.0%}" for a, share in zip(self.labels, shares, strict=True))
        return list(zip(self.colours, words, strict=True))

    def __repr__(self) -> str:
        words = ", ".join(words for _, words in self.legend())
        held = f"{sum(cell.weight for cell in self.cells):.0f} hands"
        return f"<HandGrid {self.title}: {words or held}>"

    def _repr_html_(self) -> str:
        return f"<div>{self.svg()}</div>"

    def html(self) -> str:
        """A page of its own."""
        return page(self.title, self.svg())

    def svg(self) -> Markup:
        """A picture: in each cell the actions side by side, as high as the class is filled."""
        width = SIDE * CELL
        return svg(
            width,
            width + TOP,
            rect(0, 0, width, TOP, "white"),
            text(4, 18, self.title, size=14, bold=True),
            self._draw_legend(),
            [
                self._draw(cell, number % SIDE * CELL, TOP + number // SIDE * CELL)
                for number, cell in enumerate(self.cells)
            ],
            title=self.title,
            role="img",
        )

    def _draw_legend(self) -> list[Markup]:
        x, shapes = 4, []
        for colour, words in self.legend():
            shapes += [rect(x, 28, 12, 12, colour), text(x + 16, 39, words)]
            x += 28 + 7 * len(words)
        return shapes

    def _draw(self, cell: HandCell, x: int, y: int) -> list[Markup]:
        """One cell at that place."""
        height = CELL * min(1.0, cell.fill)
        top, left = y + CELL - height, float(x)
        parts = [rect(x, y, CELL, CELL, "#eceff1", stroke="#ffffff")]
        bars = zip(cell.shares.values(), self.colours, strict=True) if cell.shares else ()
        for share, colour in bars if cell.shares else ((1.0, PLAIN),) * (not self.actions):
            width = CELL * share
            if width > 0.05 and height > 0:  # narrower bars cannot be seen
                parts.append(rect(left, top, width, height, colour))
            left += width
        parts += _readable(x + 4, y + 14, cell.name)
        if not math.isnan(cell.ev):
            right, low, words = x + CELL - 4, y + CELL - 5, _three_digits(cell.ev)
            parts += _readable(right, low, words, size=9, text_anchor="end")
        return parts


def grid_of_classes(
    title: str,
    actions: Sequence[str],
    labels: Sequence[str],
    chances: F64,
    fills: F64,
    weights: F64,
) -> HandGrid:
    """The grid of chances (169, A), all 0 where a class cannot be, and of fills and weights."""
    cells = tuple(
        HandCell(name, weight, fill, dict(zip(actions, row, strict=True)) if any(row) else {})
        for name, weight, fill, row in zip(
            HAND_CLASSES, weights.tolist(), fills.tolist(), chances.tolist(), strict=True
        )
    )
    return HandGrid(title, tuple(actions), cells, tuple(labels))


def grid_of_combos(
    title: str,
    actions: Sequence[str],
    labels: Sequence[str],
    chances: F64,
    weights: F64,
    possible: Bools,
    classes: U8,
) -> HandGrid:
    """The grid of all 1,326 combos: chances (1326, A) of each action, weights from 0 to 1.

    `possible` says which combos the board leaves, `classes` the class of each. The figures of a
    class are means over its combos, by their weights; a class that never gets here shows what it
    would do.
    """
    even = possible.astype(np.float64)

    def summed(values: F64) -> F64:
        return np.bincount(classes, values, len(HAND_CLASSES)).astype(np.float64)

    held = np.where(possible, weights, 0.0)
    count, total = summed(even), summed(held)
    by = np.where((total > 0)[classes], held, even)
    norm = np.where(total > 0, total, count)
    means = np.zeros((len(HAND_CLASSES), len(actions)))
    for number, column in enumerate(chances.T):
        means[:, number] = summed(by * column)
    np.divide(means, norm[:, None], where=norm[:, None] > 0, out=means)
    fills = np.divide(total, count, where=count > 0, out=np.zeros(len(HAND_CLASSES)))
    return grid_of_classes(title, actions, labels, means, fills, total)


def grid_of_range(title: str, weights: F64, possible: Bools, classes: U8) -> HandGrid:
    """A range (1326,) alone: how much of each class is in it."""
    return grid_of_combos(title, (), (), np.zeros((len(weights), 0)), weights, possible, classes)


def _readable(x: float, y: float, words: str, **attributes: Any) -> list[Markup]:
    """Words with a white halo, readable on every colour.

    The halo is a text of its own below: not every program that draws SVG knows `paint-order`.
    """
    halo: dict[str, Any] = {"fill": "#ffffff", "stroke": "#ffffff", "stroke_width": 2.5}
    return [
        text(x, y, words, **attributes, **halo, stroke_linejoin="round", aria_hidden="true"),
        text(x, y, words, **attributes, fill="#102027"),
    ]


def _three_digits(value: float) -> str:
    """A figure that fits a cell: 0.94, 11.8, 453; no negative zero."""
    return f"{value:z.{2 if abs(value) < 10 else 1 if abs(value) < 100 else 0}f}"
