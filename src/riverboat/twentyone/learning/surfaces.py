"""The value of twenty-one's hands as surfaces: learned and exact.

The figures of Sutton and Barto, "Reinforcement Learning" (2nd ed., 2018), 5.1 and 5.2, for the
game of one pack that is played here: dealer's card across, player's points along, value upwards.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from riverboat.drawing.figures import Picture, Theme, drawing
from riverboat.errors import UsageError
from riverboat.runtime.array_types import F64
from riverboat.strategies.kinds import load_table
from riverboat.twentyone.game import VALUES
from riverboat.twentyone.learning.information import hand_label, hands, labels
from riverboat.twentyone.learning.optimum import optimum, q_values, row_decisions
from riverboat.twentyone.learning.q_table import QTable

POINTS = range(12, 22)


def value_surface(learned: Any, *, title: str = "", theme: str = "light") -> Picture:
    """The learned value of each hand in a Q table, above; the exact value, below.

    A table by points has one surface, others one for soft hands (with an ace that counts 11) and
    one for hard ones. `learned` is a table, or the file of one.
    """
    table = load_table(learned) if isinstance(learned, str | Path) else learned
    if not isinstance(table, QTable):
        raise UsageError("Surfaces are drawn of Q tables: rb.train('twentyone'), or its file.")
    drawn = surfaces(table)
    games = table.info.get("games")
    after = f" after {games:,} games" if isinstance(games, int) else ""
    method = str(table.info.get("method", "learned"))
    with drawing(theme, (4.4 * len(drawn) + 0.4, 7.2)) as (figure, colours):
        figure.suptitle(title or f"Twenty-one, {method}{after}", weight="bold", x=0.02, ha="left")
        for column, (name, (learned_values, exact_values)) in enumerate(drawn.items()):
            surfaces_of = (("learned", learned_values), ("exact", exact_values))
            for row, (kind, values) in enumerate(surfaces_of):
                axes = figure.add_subplot(
                    2, len(drawn), row * len(drawn) + column + 1, projection="3d"
                )
                _draw(axes, values, table.objective, colours)
                axes.set_title(f"{name}, {kind}" if name else kind, loc="center")
        return figure


def _draw(axes: Any, values: F64, objective: str, colours: Theme) -> None:
    x, y = np.meshgrid(np.arange(10), np.asarray(POINTS))
    low = 0.0 if objective == "wins" else -1.0
    axes.plot_surface(
        x,
        y,
        np.nan_to_num(values, nan=low),
        cmap=colours.gains if low else colours.heat,
        vmin=low,
        vmax=1.0,
        edgecolor=colours.ink,
        linewidth=0.25,
        rstride=1,
        cstride=1,
        shade=False,
    )
    axes.set(zlim=(low, 1.0), xlabel="dealer shows", ylabel="points", zlabel="value")
    axes.set_xticks(range(0, 10, 3), [VALUES[i].replace("T", "10") for i in range(0, 10, 3)])
    axes.set_yticks([12, 15, 18, 21])
    axes.set_zticks([low, 0.5 + low / 2, 1.0])
    axes.view_init(elev=28, azim=-52)
    axes.set_box_aspect((1.0, 1.0, 0.62), zoom=0.86)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.pane.set_facecolor(colours.paper)
        axis.pane.set_edgecolor(colours.faint)


def surfaces(table: QTable) -> dict[str, tuple[F64, F64]]:
    """By kind of hand (10, 10) learned and exact values: points 12 … 21 by open card A … T.

    The exact value of a key is that of its better action when every key plays its best. A table
    by cards is averaged over the hands of the same points, by how often each comes up. What was
    never tried, or cannot be dealt, is NaN.
    """
    _, best = optimum(table.state, table.objective)
    averages, visits = q_values(table.state, table.objective, row_decisions(table.state, best))
    exact = averages[np.arange(len(best)), 1 - best.clip(0, 1)]
    tried = table.counts > 0
    best = np.where(tried, table.values, -np.inf).max(axis=1)
    learned = np.where(tried.any(axis=1), best, np.nan)
    if table.state == "composition":
        learned, exact = (_by_total(values, visits) for values in (learned, exact))
    names = labels("points" if table.state == "points" else "soft")
    rows = {name: i for i, name in enumerate(names)}
    by_kind = {}
    kinds = {"": ""} if table.state == "points" else {"hard hands": "h", "soft hands": "s"}
    for kind, letter in kinds.items():
        lines = [rows[f"{letter}{total}"] for total in POINTS]
        by_kind[kind] = (learned.reshape(-1, 10)[lines], exact.reshape(-1, 10)[lines])
    return by_kind


def _by_total(values: F64, visits: F64) -> F64:
    """(280,) means of a table by cards over the hands of a total, by how often they come up."""
    index = {name: i for i, name in enumerate(labels("soft"))}
    rows = np.array([index[hand_label("soft", hand)] for hand in hands()])
    by_hand, weights = values.reshape(-1, 10), visits.reshape(-1, 10).copy()
    weights[~np.isfinite(by_hand)] = 0.0
    sums, totals = np.zeros((len(index), 10)), np.zeros((len(index), 10))
    np.add.at(sums, rows, weights * np.nan_to_num(by_hand))
    np.add.at(totals, rows, weights)
    with np.errstate(invalid="ignore"):
        return (sums / totals).ravel()
