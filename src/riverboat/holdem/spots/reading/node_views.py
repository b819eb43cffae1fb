"""A node of a solved spot as the grid players know: 13 × 13 classes of hands, actions as shares.

    grid = node_grid(solved.at("r:0:c"))
    grid.cell("AKs").shares            {'check': 0.31, 'bet 94': 0.69}
    grid_svg(grid)                     a picture

A cell's hands are weighted by how often each of them is met here. Its fill says how much of the
class is still in the range.

Equity and EV of whole ranges as curves: hands from best to worst, each as wide as its weight.

    for curve in node_curves(solved.at("r:0"), "ev"):
        curve.points()          [(0.0, 97.1), (1.8, 97.1), … (100.0, 3.2)]

A curve that lies above another's everywhere has the stronger range; where they cross, one has
more of the best hands and the other more of the middle.

What the next card does to a spot: the betting, the EVs and the equities on each card.

rows = next_cards(solved.at("r:0:c:c"))
max(rows, key=lambda row: row.change).card          the card that changes the betting most
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import CLASS_NAMES, class_of_combos, combo_text
from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.engine.tree import BetAction, NodeKind
from riverboat.holdem.spots.spot import PLAYERS

__all__ = [
    "VALUES",
    "CardRow",
    "GridCell",
    "NodeGrid",
    "RangeCurve",
    "action_colours",
    "grid_svg",
    "ink_on",
    "mean_mix",
    "next_cards",
    "node_curves",
    "node_facts",
    "node_grid",
    "range_curve",
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


VALUES = ("equity", "ev")
Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RangeCurve:
    """One player's hands in order."""

    player: int
    hands: tuple[str, ...]
    shares: Doubles
    """(N,) the part of the range up to each hand, itself included; the last is 1."""
    values: Doubles
    """(N,) equity from 0 to 1, or EV in chips."""

    @property
    def mean(self) -> float:
        """Over the whole range; NaN where nobody comes here."""
        widths = np.diff(self.shares, prepend=0.0)
        return float(widths @ self.values) if len(self.values) else float("nan")

    def points(self, scale: float = 1.0) -> list[tuple[float, float]]:
        """Per cent of the range against the value, from 0 per cent on."""
        if not len(self.values):
            return []
        at = [(0.0, float(self.values[0])), *zip(100 * self.shares, self.values, strict=True)]
        return [(round(float(x), 3), round(scale * float(y), 3)) for x, y in at]


def node_curves(
    at: SpotCursor, value: str = "equity", *, order: str | None = None
) -> tuple[RangeCurve, RangeCurve]:
    """The curves of OOP and IP at a node, sorted by `order`: equity or ev, by default the value.

    Hands are weighted by how often each is met there.
    """
    for name in (value, order or value):
        if name not in VALUES:
            raise UnknownNameError.among("curve", name, VALUES)
    first, second = (_curve(at, player, value, order or value) for player in (0, 1))
    return first, second


def _curve(at: SpotCursor, player: int, value: str, order: str) -> RangeCurve:
    named = {"equity": at.equities, "ev": at.evs}
    values = named[value](player)
    keys = values if order == value else named[order](player)
    weights = at.weights(player) * at.meetings(player)
    return range_curve(player, at.combos(player), weights, values, keys)


def range_curve(
    player: int,
    combos: NDArray[np.int64],
    weights: Doubles,
    values: Doubles,
    keys: Doubles | None = None,
) -> RangeCurve:
    """Any values of hands as a curve: (N,) combos with their weights, sorted by `keys`."""
    order = values if keys is None else keys
    live = (weights > 0) & np.isfinite(values) & np.isfinite(order)
    places = np.flatnonzero(live)[np.argsort(-order[live], kind="stable")]
    sums = np.cumsum(weights[places])
    return RangeCurve(
        player,
        tuple(combo_text(int(combo)) for combo in combos[places]),
        sums / sums[-1] if len(sums) else sums,
        np.asarray(values[places]),
    )


@dataclass(frozen=True)
class CardRow:
    """One card that may come."""

    card: str
    player: int
    """Who acts then; −1 for nobody."""
    strategy: dict[str, float]
    """His actions → how often; empty where nobody acts."""
    bets: float
    """How often he bets or raises."""
    ev: tuple[float, float]
    """Of OOP and IP, in chips."""
    equity: tuple[float, float]
    weight: float
    """How often the ranges meet on this card, as a part of all cards."""
    change: float
    """How far the mixture lies from the mean of all cards: the part of hands, from 0 to 1, that
    would have to act differently."""

    def as_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def next_cards(at: SpotCursor, progress: Callable[[int], None] | None = None) -> list[CardRow]:
    """Each card that may be dealt at a node, high cards first; `progress` hears how many are done.

    In a spot that was saved without this street each card is solved first.
    """
    if at.kind != NodeKind.CHANCE:
        raise UsageError(f"No card is dealt at {at.node_id}.")
    found = []
    for number, card in enumerate(reversed(at.cards_to_come), 1):
        found.append(_row(at.deal(card)))
        if progress is not None:
            progress(number)
    total = sum(row.weight for row in found) or 1.0
    rows = [_changed(row, weight=row.weight / total) for row in found]
    mean = mean_mix(rows)
    return [
        _changed(row, change=sum(abs(row.strategy[a] - mean[a]) for a in mean) / 2)
        if row.strategy
        else row
        for row in rows
    ]


def mean_mix(rows: list[CardRow]) -> dict[str, float]:
    """Action → how often, over all cards as they come."""
    acting = [row for row in rows if row.strategy and row.weight > 0]
    total = sum(row.weight for row in acting)
    if not acting:
        return {}
    return {
        action: sum(row.weight * row.strategy[action] for row in acting) / total
        for action in acting[0].strategy
    }


def _row(after: SpotCursor) -> CardRow:
    sides = [after.summary(player) for player in (0, 1)]
    mix = (sides[after.player].strategy or {}) if after.player >= 0 else {}
    letters = [action.letter for action in after.bet_actions]
    quiet = sum(
        share for share, letter in zip(mix.values(), letters, strict=False) if letter in "FXC"
    )
    met = float((after.weights(0) * after.meetings(0)).sum())
    return CardRow(
        after.path[-1],
        after.player,
        mix,
        1.0 - quiet if mix else 0.0,
        (sides[0].ev, sides[1].ev),
        (sides[0].equity, sides[1].equity),
        met,
        0.0,
    )


def _changed(row: CardRow, **fields: float) -> CardRow:
    return CardRow(**{**vars(row), **fields})
