"""Decisions before the flop for print and for other programs: charts of grids, ranges as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from riverboat.cards.combos import class_of_combos
from riverboat.cards.ranges import Range, format_range
from riverboat.drawing.html import Markup, tag
from riverboat.drawing.svg import svg
from riverboat.errors import UnknownNameError, UsageError
from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.solution import PreflopSolution

FORMS = ("plain", "pio", "gto+", "eval7", "equilab")
"""How ranges are written; PioSOLVER reads plain too, Equilab nothing with weights."""
MAX_GRIDS = 300
PER_ROW, GRID_WIDTH, GRID_HEIGHT, GAP = 3, 598, 650, 20


def check_form(form: str) -> None:
    """Refuse a form that ranges are not written in."""
    if form not in FORMS:
        raise UnknownNameError.among("form of a range", form, FORMS)


def range_text(
    solution: PreflopSolution, line: str, form: str = "plain", action: str | None = None
) -> str:
    """The hands that take an action at a decision, as another program reads them.

    Without an action its most aggressive one is meant, the last. Equilab's ranges have no weights:
    hands that take the action at least half of the time are in it. Hands whose strategy is not
    determined are left out, and a line that hardly occurs is refused.
    """
    check_form(form)
    node = solution.node(line)
    if node.rare:
        raise UsageError(f"The line {node.name} {node.rare_words}.")
    if action is not None and action not in node.actions:
        known = ", ".join(node.actions)
        raise UsageError(f"{node.seat.upper()} has no action {action!r} there; there are: {known}.")
    shares = node.frequencies[-1 if action is None else node.actions.index(action)] * node.reach
    shares = shares if node.trained is None else shares * node.trained
    shares = (shares >= 0.5).astype(np.float64) if form == "equilab" else np.round(shares, 3)
    hands = Range(shares[class_of_combos()])
    if not hands.combos.size:
        return ""
    return format_range(hands, "plain" if form == "equilab" else form)


def chart_svg(solution: PreflopSolution, line: str | None = None) -> Markup:
    """One decision's grid, or those of all decisions, three in a row."""
    if line is not None:
        return solution.node(line).grid.svg()
    return _side_by_side(solution.title, _chosen(solution))


def _chosen(solution: PreflopSolution) -> Sequence[PreflopNode]:
    """All decisions, if they can be drawn."""
    if len(solution.nodes) > MAX_GRIDS:
        raise UsageError(
            f"There are {len(solution.nodes):,} decisions, too many for one chart;"
            " name one of them by its line."
        )
    return solution.nodes


def _side_by_side(title: str, nodes: Sequence[PreflopNode]) -> Markup:
    columns = min(PER_ROW, len(nodes))
    width, height = GRID_WIDTH + GAP, GRID_HEIGHT + GAP
    parts = []
    for at, node in enumerate(nodes):
        corner = f"{at % columns * width} {at // columns * height}"
        parts.append(tag("g", node.grid.svg(), transform=f"translate({corner})"))
    rows = -(-len(nodes) // columns)
    return svg(columns * width - GAP, rows * height - GAP, parts, title=title, paper="white")
