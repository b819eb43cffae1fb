"""Equity and EV of whole ranges as curves: hands from best to worst, each as wide as its weight.

    for curve in node_curves(solved.at("r:0"), "ev"):
        curve.points()          [(0.0, 97.1), (1.8, 97.1), … (100.0, 3.2)]

A curve that lies above another's everywhere has the stronger range; where they cross, one has
more of the best hands and the other more of the middle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import combo_text
from riverboat.errors import UnknownNameError
from riverboat.holdem.spots.spot_cursor import SpotCursor

__all__ = ["VALUES", "RangeCurve", "node_curves", "range_curve"]

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
