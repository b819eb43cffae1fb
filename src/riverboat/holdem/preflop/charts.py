"""Decisions before the flop for print and for other programs: charts of grids, ranges as text."""

from __future__ import annotations

import numpy as np

from riverboat.cards.combos import class_of_combos
from riverboat.cards.ranges import Range, format_range
from riverboat.drawing.html import Markup, tag
from riverboat.drawing.svg import svg
from riverboat.errors import UnknownNameError
from riverboat.holdem.preflop.solution import PreflopSolution

FORMS = ("plain", "pio", "gto+", "eval7", "equilab")
"""How ranges are written; PioSOLVER reads plain too, Equilab nothing with weights."""
PER_ROW, GRID_WIDTH, GRID_HEIGHT, GAP = 3, 598, 650, 20


def range_text(
    solution: PreflopSolution, line: str, form: str = "plain", action: str | None = None
) -> str:
    """The hands that take an action at a decision, as another program reads them.

    Without an action its most aggressive one is meant, the last. Equilab's ranges have no weights:
    hands that take the action at least half of the time are in it.
    """
    if form not in FORMS:
        raise UnknownNameError.among("form of a range", form, FORMS)
    node = solution.node(line)
    shares = node.frequencies[-1 if action is None else node.actions.index(action)] * node.reach
    shares = (shares >= 0.5).astype(np.float64) if form == "equilab" else np.round(shares, 3)
    hands = Range(shares[class_of_combos()])
    if not hands.combos.size:
        return ""
    return format_range(hands, "plain" if form == "equilab" else form)


def chart_svg(solution: PreflopSolution, line: str | None = None) -> Markup:
    """One decision's grid, or those of all decisions, three in a row."""
    if line is not None:
        return solution.node(line).grid.svg()
    grids = [node.grid for node in solution.nodes]
    columns = min(PER_ROW, len(grids))
    width, height = GRID_WIDTH + GAP, GRID_HEIGHT + GAP
    parts = [
        tag(
            "g", grid.svg(), transform=f"translate({at % columns * width} {at // columns * height})"
        )
        for at, grid in enumerate(grids)
    ]
    rows = -(-len(grids) // columns)
    size = columns * width - GAP, rows * height - GAP
    return svg(*size, parts, title=solution.title, paper="white")
