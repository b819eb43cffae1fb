"""What a player does with each of the 169 kinds of hands, as a grid: pairs on the diagonal, suited
hands above it, others below.

The grid is data. A terminal colours it (cli/holdem/grid.py), a notebook shows `_repr_html_`, and
`svg()` and `html()` are files of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES, class_of_combos
from riverboat.games.base import Action
from riverboat.holdem.rules.betting import CALL, FOLD

__all__ = ["RangeGrid", "grid_of_combos", "grid_of_range"]

Colour = tuple[int, int, int]
FOLDED: Colour = (60, 80, 150)
CALLED: Colour = (50, 140, 60)
RAISED: tuple[Colour, Colour] = ((226, 128, 92), (150, 24, 30))
"""The smallest and the largest raise; others lie between."""
HELD: Colour = (150, 110, 40)
"""A hand of a range of which no action is told."""
SIDE = 13
CELL = (46, 34)
"""Width and height in pixels."""


@dataclass(frozen=True, eq=False, repr=False)
class RangeGrid:
    """How often each kind of hand takes each action; without actions a range alone."""

    title: str
    actions: tuple[Action, ...]
    labels: tuple[str, ...]
    """The actions in words."""
    chances: NDArray[np.float64]
    """(169, A) the probability of each action; all 0 where the board leaves no such hand."""
    reach: NDArray[np.float64]
    """(169,) the part of each kind that comes to this decision at all, from 0 to 1."""
    weights: NDArray[np.float64]
    """(169,) how many hands of each kind that is."""

    @property
    def totals(self) -> dict[Action, float]:
        """How often each action is taken by all hands together that come here."""
        total = float(self.weights.sum())
        parts = self.weights @ self.chances / total if total else np.zeros(len(self.actions))
        return dict(zip(self.actions, parts.tolist(), strict=True))

    def shares(self) -> list[tuple[float, float, float]]:
        """By kind how often it is raised (or bet), called (or checked) and folded."""
        fold, call = self._column(FOLD), self._column(CALL)
        raised = self.chances.sum(axis=1) - fold - call
        rows = zip(raised.tolist(), call.tolist(), fold.tolist(), strict=True)
        return [(max(0.0, a), b, c) for a, b, c in rows]

    def _column(self, action: Action) -> NDArray[np.float64]:
        if action not in self.actions:
            return np.zeros(NUM_CLASSES)
        return np.asarray(self.chances[:, self.actions.index(action)], np.float64)

    def colours(self) -> list[Colour]:
        """One for each action: blue for a fold, green for a call, reds for raises by size."""
        raises = [action for action in self.actions if action not in (FOLD, CALL)]
        found = []
        for action in self.actions:
            if action in raises:
                share = raises.index(action) / max(1, len(raises) - 1)
                low, high = RAISED
                mixed = [round(a + share * (b - a)) for a, b in zip(low, high, strict=True)]
                found.append((mixed[0], mixed[1], mixed[2]))
            else:
                found.append(FOLDED if action == FOLD else CALLED)
        return found

    def as_dict(self) -> dict[str, Any]:
        """By kind of hand the probability of each action, and how much of it comes here."""
        rows = zip(CLASS_NAMES, self.chances.tolist(), strict=True)
        hands = {
            name: dict(zip(self.actions, row, strict=True)) if any(row) else {}
            for name, row in rows
        }
        return {
            "title": self.title,
            "actions": dict(zip(self.actions, self.labels, strict=True)),
            "totals": self.totals,
            "hands": hands,
            "reach": dict(zip(CLASS_NAMES, self.reach.tolist(), strict=True)),
        }

    def __repr__(self) -> str:
        totals = ", ".join(
            f"{label} {part:.0%}"
            for label, part in zip(self.labels, self.totals.values(), strict=True)
        )
        if not self.actions:
            totals = f"{self.weights.sum():.0f} hands"
        return f"<RangeGrid {self.title}: {totals}>"

    def _repr_html_(self) -> str:
        return f"<div>{self.svg()}</div>"

    def html(self) -> str:
        """A page of its own."""
        return (
            "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
            f"<title>{escape(self.title)}</title></head>\n<body>{self.svg()}</body></html>\n"
        )

    def svg(self) -> str:
        """A picture: in each cell the actions side by side, as high as the part that comes here."""
        width, height = CELL
        colours = [f"rgb{colour}".replace(" ", "") for colour in self.colours()]
        top = 52
        parts = [
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {SIDE * width}"
            f" {SIDE * height + top}' width='{SIDE * width}' font-family='sans-serif'>",
            f"<rect width='100%' height='{top}' fill='white'/>",
            f"<text x='4' y='18' font-size='14' font-weight='bold'>{escape(self.title)}</text>",
            *self._legend(colours),
        ]
        for kind, name in enumerate(CLASS_NAMES):
            x, y = kind % SIDE * width, top + kind // SIDE * height
            parts.append(
                f"<rect x='{x}' y='{y}' width='{width}' height='{height}' fill='#e4e4e4'/>"
            )
            parts += self._cell(kind, x, y, colours)
            # The name stands where there is one colour behind it.
            ink, line = ("white", height - 6) if self.reach[kind] > 0.5 else ("#333", 14)
            parts.append(
                f"<rect x='{x}' y='{y}' width='{width}' height='{height}' fill='none'"
                f" stroke='white'/><text x='{x + 4}' y='{y + line}' font-size='12'"
                f" fill='{ink}'>{name}</text>"
            )
        return "".join(parts) + "</svg>"

    def _legend(self, colours: Sequence[str]) -> list[str]:
        x, found = 4, []
        for label, share, colour in zip(self.labels, self.totals.values(), colours, strict=True):
            words = f"{label} {share:.0%}"
            found.append(
                f"<rect x='{x}' y='28' width='12' height='12' fill='{colour}'/>"
                f"<text x='{x + 16}' y='39' font-size='12'>{escape(words)}</text>"
            )
            x += 28 + 7 * len(words)
        return found

    def _cell(self, kind: int, x: int, y: int, colours: Sequence[str]) -> list[str]:
        width, height = CELL
        high = height * min(1.0, float(self.reach[kind]))
        left, found = float(x), []
        if not self.actions and high > 0:
            return [
                f"<rect x='{x}' y='{y + height - high:.1f}' width='{width}' height='{high:.1f}'"
                f" fill='rgb{HELD}'/>".replace(", ", ",")
            ]
        for share, colour in zip(self.chances[kind].tolist(), colours, strict=True):
            if share > 0 and high > 0:
                found.append(
                    f"<rect x='{left:.1f}' y='{y + height - high:.1f}' width='{share * width:.1f}'"
                    f" height='{high:.1f}' fill='{colour}'/>"
                )
                left += share * width
        return found


def grid_of_combos(
    title: str,
    actions: Sequence[Action],
    labels: Sequence[str],
    chances: NDArray[np.float64],
    weights: NDArray[np.float64],
    possible: NDArray[np.bool_],
) -> RangeGrid:
    """The grid of all 1,326 hands: chances (1326, A), weights (1326,) from 0 to 1, and which of
    them the board leaves. A kind's numbers are the means over its hands, by their weights.
    """
    kinds, even = class_of_combos(), possible.astype(np.float64)

    def summed(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(kinds, values, NUM_CLASSES).astype(np.float64)

    held = np.where(possible, weights, 0.0)
    count, total = summed(even), summed(held)
    # Kinds that never come here show what they would do.
    by = np.where((total > 0)[kinds], held, even)
    norm = np.where(total > 0, total, count)
    means = np.zeros((NUM_CLASSES, len(actions)))
    for number, column in enumerate(chances.T):
        means[:, number] = summed(by * column)
    np.divide(means, norm[:, None], where=norm[:, None] > 0, out=means)
    reach = np.divide(total, count, where=count > 0, out=np.zeros(NUM_CLASSES))
    return RangeGrid(title, tuple(actions), tuple(labels), means, reach, total)


def grid_of_range(
    title: str, weights: NDArray[np.float64], possible: NDArray[np.bool_]
) -> RangeGrid:
    """A range (1326,) alone: how much of each kind is in it, not what is done with it."""
    return grid_of_combos(title, (), (), np.zeros((len(weights), 0)), weights, possible)
