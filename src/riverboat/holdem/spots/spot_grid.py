"""A node of a solved spot as the grid players know: 13 × 13 classes of hands, actions as shares.

    grid = node_grid(solved.at("r:0:c"))
    grid.cell("AKs").shares            {'check': 0.31, 'bet 94': 0.69}
    grid_svg(grid)                     a picture

A cell's hands are weighted by how often each of them is met here. Its fill says how much of the
class is still in the range.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from riverboat.cards.combos import CLASS_NAMES, class_of_combos
from riverboat.errors import ParameterError
from riverboat.holdem.spots.spot import PLAYERS
from riverboat.holdem.spots.spot_cursor import SpotCursor
from riverboat.holdem.spots.spot_tree import BetAction

__all__ = [
    "GridCell",
    "NodeGrid",
    "action_colours",
    "grid_svg",
    "ink_on",
    "node_facts",
    "node_grid",
]

FOLD, PASSIVE, ALL_IN, PLAIN = "#5b7fa6", "#3a9e8f", "#6d1f5f", "#8a8f98"
BETS = ("#e9b44c", "#d9702b", "#b3382a", "#8c1c13")
"""From small to large. Told apart by brightness too, for eyes that mix up red and green."""
_SIZE = 46


@dataclass(frozen=True)
class GridCell:
    """One class of hands at a node."""

    name: str
    combos: float
    """The weight of its hands here."""
    fill: float
    """That weight over the number of hands the class has, 0 to 1."""
    shares: dict[str, float]
    """Action → how often; empty where nobody acts or the class is not here."""
    ev: float
    equity: float


@dataclass(frozen=True)
class NodeGrid:
    """All 169 classes, pairs on the diagonal and suited hands above it."""

    node: str
    player: int
    actions: tuple[str, ...]
    colours: tuple[str, ...]
    cells: tuple[GridCell, ...]

    def cell(self, name: str) -> GridCell:
        """The cell of a class, such as "AKs"."""
        found = next((cell for cell in self.cells if cell.name.lower() == name.lower()), None)
        if found is None:
            raise ParameterError(f"{name!r} is no class of hands; write AKs, AKo or TT.")
        return found

    def _repr_html_(self) -> str:
        return grid_svg(self)


def action_colours(actions: tuple[BetAction, ...]) -> tuple[str, ...]:
    """A colour for each action; bets grow darker with their size."""
    bets = [action for action in actions if action.letter in "BR"]
    places = np.linspace(0, len(BETS) - 1, len(bets)) if len(bets) > 1 else np.array([1.0])
    by_bet = {id(bet): BETS[round(float(place))] for bet, place in zip(bets, places, strict=False)}
    fixed = {"F": FOLD, "X": PASSIVE, "C": PASSIVE, "A": ALL_IN}
    return tuple(fixed.get(action.letter) or by_bet[id(action)] for action in actions)


def ink_on(colour: str) -> str:
    """Black or white, whichever can be read on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#000000" if 0.3 * red + 0.59 * green + 0.11 * blue > 125 else "#ffffff"


def node_grid(cursor: SpotCursor, player: int | None = None) -> NodeGrid:
    """The grid of the player who acts, or of another."""
    who = cursor.acting(player)
    acts = who == cursor.player
    weights, meetings = cursor.weights(who), cursor.meetings(who)
    evs, equities = cursor.evs(who), cursor.equities(who)
    shares = weights * meetings
    classes = class_of_combos()[cursor.combos(who)]
    sizes = np.bincount(class_of_combos(), minlength=len(CLASS_NAMES))
    live = shares > 0
    cells = []
    for number, name in enumerate(CLASS_NAMES):
        here = live & (classes == number)
        total = float(shares[here].sum())
        combos = float(weights[here].sum())
        played = (
            (cursor.strategies[:, here] @ shares[here] / total).tolist() if acts and total else []
        )
        nan = float("nan")
        cells.append(
            GridCell(
                name,
                combos,
                min(1.0, combos / int(sizes[number])),
                dict(zip(cursor.actions, played, strict=True)) if played else {},
                float(shares[here] @ evs[here]) / total if total else nan,
                float(shares[here] @ equities[here]) / total if total else nan,
            )
        )
    return NodeGrid(
        cursor.node_id,
        who,
        tuple(cursor.actions) if acts else (),
        action_colours(cursor.bet_actions) if acts else (),
        tuple(cells),
    )


def node_facts(cursor: SpotCursor, player: int | None = None) -> dict[str, Any]:
    """A node for programs: where it is, the range as a whole, and every hand."""
    from riverboat.cards.card import card_text

    who = cursor.acting(player)
    whole = cursor.summary(who)
    return {
        "node": cursor.node_id,
        "board": " ".join(card_text(card) for card in cursor.board),
        "pot": cursor.pot,
        "stacks": list(cursor.stacks),
        "kind": cursor.kind.name.lower(),
        "acts": PLAYERS[cursor.player] if cursor.player >= 0 else None,
        "player": PLAYERS[who],
        "actions": cursor.actions,
        "strategy": whole.strategy,
        "ev": whole.ev,
        "equity": whole.equity,
        "realisation": whole.realisation,
        "hands": {
            hand: {
                "strategy": figures.strategy,
                "ev": figures.ev,
                "action_evs": figures.action_evs,
                "equity": figures.equity,
                "realisation": figures.realisation,
                "weight": figures.weight,
            }
            for hand, figures in cursor.table(who).items()
        },
    }


def grid_svg(grid: NodeGrid) -> str:
    """The grid as a picture: each cell's actions side by side, as wide as they are frequent."""
    side, legend = 13 * _SIZE, 30
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {side} {side + legend}'"
        f" width='{side}' font-family='sans-serif' role='img'>"
        f"<title>{escape(grid.node)}, {PLAYERS[grid.player].upper()}</title>"
    ]
    for number, cell in enumerate(grid.cells):
        x, y = number % 13 * _SIZE, number // 13 * _SIZE
        parts.append(
            f"<rect x='{x}' y='{y}' width='{_SIZE}' height='{_SIZE}' fill='#eceff1'"
            " stroke='#ffffff'/>"
        )
        parts += _bars(grid, cell, x, y)
        halo = "fill='#102027' stroke='#ffffff' stroke-width='2.5' paint-order='stroke'"
        parts.append(f"<text x='{x + 4}' y='{y + 14}' font-size='12' {halo}>{cell.name}</text>")
        if cell.ev == cell.ev:
            parts.append(
                f"<text x='{x + _SIZE - 4}' y='{y + _SIZE - 5}' font-size='9' text-anchor='end'"
                f" {halo}>{cell.ev:.4g}</text>"
            )
    x = 0
    for action, colour in zip(grid.actions, grid.colours, strict=True):
        parts.append(f"<rect x='{x}' y='{side + 10}' width='14' height='14' fill='{colour}'/>")
        parts.append(f"<text x='{x + 19}' y='{side + 22}' font-size='13'>{escape(action)}</text>")
        x += 34 + 8 * len(action)
    return "".join([*parts, "</svg>"])


def _bars(grid: NodeGrid, cell: GridCell, x: int, y: int) -> list[str]:
    height = _SIZE * cell.fill
    top = y + _SIZE - height
    if cell.combos > 0 and not cell.shares:
        return [_bar(x, top, _SIZE, height, PLAIN)]
    bars, left = [], float(x)
    for action, colour in zip(grid.actions, grid.colours, strict=True):
        width = _SIZE * cell.shares.get(action, 0.0)
        if width > 0.05:
            bars.append(_bar(left, top, width, height, colour))
        left += width
    return bars


def _bar(x: float, y: float, width: float, height: float, colour: str) -> str:
    return (
        f"<rect x='{x:.2f}' y='{y:.2f}' width='{width:.2f}' height='{height:.2f}' fill='{colour}'/>"
    )
