"""What is shown of a node of a solved spot: the grid of hands, curves of ranges, the next cards.

    grid = node_grid(solved.at("r:0:c"))
    grid.cell("AKs").shares                    {'check': 0.31, 'bet 94': 0.69}
    for curve in node_curves(solved.at("r:0"), "ev"):
        curve.points()                         [(0.0, 97.1), (1.8, 97.1), … (100.0, 3.2)]
    rows = next_cards(solved.at("r:0:c:c"))
    max(rows, key=lambda row: row.change).card the card that changes the betting most

Hands of a cell are weighted by how often each of them is met. A curve has the hands from best to
worst, each as wide as its weight: a curve above another everywhere has the stronger range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from riverboat.cards.combos import CLASS_NAMES, class_of_combos, combo_text
from riverboat.drawing.hand_grid import HandCell, HandGrid
from riverboat.errors import UnknownNameError, UsageError
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.tree import NodeKind
from riverboat.runtime.array_types import F64, I64

FIGURES = ("strategy", "ev", "action_evs", "equity", "realisation", "weight")
VALUES = ("equity", "ev")


def _check_two_cards(cursor: SpotCursor) -> None:
    if cursor.solved.spot.hole_cards > 2:
        raise UsageError(
            "Grids and curves are of hands of two cards; riverboat show FILE NODE has hands of four"
            " in groups."
        )


def node_grid(cursor: SpotCursor, player: int | None = None) -> HandGrid:
    """The grid of the player who acts, or of another."""
    _check_two_cards(cursor)
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
            HandCell(
                name,
                combos,
                min(1.0, combos / int(sizes[number])),
                dict(zip(cursor.actions, played, strict=True)) if played else {},
                float(shares[here] @ evs[here]) / total if total else nan,
                float(shares[here] @ equities[here]) / total if total else nan,
            )
        )
    return HandGrid(
        f"{cursor.node_id}, {cursor.names[who].upper()}",
        tuple(cursor.actions) if acts else (),
        tuple(cells),
        totals=(cursor.summary(who).strategy if acts else None) or {},
    )


def node_facts(cursor: SpotCursor, player: int | None = None) -> dict[str, Any]:
    """A node for programs: where it is, the range as a whole, and every hand."""
    from riverboat.cards.card import card_text

    who = cursor.acting(player)
    whole = cursor.summary(who)
    pots = [{"chips": chips, "players": list(names)} for chips, names in cursor.shared_pots()]
    return {
        "node": cursor.node_id,
        "board": " ".join(card_text(card) for card in cursor.board),
        "pot": cursor.pot,
        **({"pots": pots} if pots else {}),
        "stacks": list(cursor.stacks),
        "kind": cursor.kind.name.lower(),
        "acts": cursor.names[cursor.player] if cursor.player >= 0 else None,
        "player": cursor.names[who],
        "actions": cursor.actions,
        "strategy": whole.strategy,
        "ev": whole.ev,
        "equity": whole.equity,
        "realisation": whole.realisation,
        "hands": {
            hand: {name: getattr(figures, name) for name in FIGURES}
            for hand, figures in cursor.table(who).items()
        },
    }


@dataclass(frozen=True, eq=False)
class RangeCurve:
    """One player's hands in order."""

    player: int
    hands: tuple[str, ...]
    shares: F64  # (N,) the part of the range up to each hand, itself included; the last is 1
    values: F64  # (N,) equity from 0 to 1, or EV in chips

    @property
    def mean(self) -> float:
        """Over the whole range; NaN where no hand reaches the node."""
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
) -> tuple[RangeCurve, ...]:
    """The curves of all players at a node, sorted by `order`: equity or ev, by default the value.

    Hands are weighted by how often each is met there.
    """
    _check_two_cards(at)
    for name in (value, order or value):
        if name not in VALUES:
            raise UnknownNameError.among("curve", name, VALUES)
    return tuple(_curve(at, player, value, order or value) for player in range(len(at.names)))


def _curve(at: SpotCursor, player: int, value: str, order: str) -> RangeCurve:
    named = {"equity": at.equities, "ev": at.evs}
    values = named[value](player)
    keys = values if order == value else named[order](player)
    weights = at.weights(player) * at.meetings(player)
    return range_curve(player, at.combos(player), weights, values, keys)


def range_curve(
    player: int, combos: I64, weights: F64, values: F64, keys: F64 | None = None
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
    player: int  # Who acts then; −1 where no player does
    strategy: dict[str, float]  # Action → frequency; empty where no player acts
    bets: float  # Frequency of bets and raises
    ev: tuple[float, ...]  # Of each player, in chips
    equity: tuple[float, ...]
    weight: float  # How often the ranges meet on this card, as a part of all cards
    change: float
    """How far the mixture lies from the mean of all cards: the part of hands, from 0 to 1, that
    would have to act differently."""

    def as_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def next_cards(at: SpotCursor, progress: Callable[[int], None] | None = None) -> list[CardRow]:
    """Each card that may be dealt at a node, high cards first; `progress` gets the number done.

    In a spot that was saved without this street each card is solved first.
    """
    if at.kind != NodeKind.CHANCE:
        raise UsageError(f"No card is dealt at {at.node_id}.")
    weighted = []
    for number, card in enumerate(reversed(at.cards_to_come), 1):
        weighted.append(_row(at.deal(card)))
        if progress is not None:
            progress(number)
    total = sum(row.weight for row in weighted) or 1.0
    rows = [replace(row, weight=row.weight / total) for row in weighted]
    mean = mean_mix(rows)
    return [
        replace(row, change=sum(abs(row.strategy[a] - mean[a]) for a in mean) / 2)
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
    sides = [after.summary(player) for player in range(len(after.names))]
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
        tuple(side.ev for side in sides),
        tuple(side.equity for side in sides),
        met,
        0.0,
    )
