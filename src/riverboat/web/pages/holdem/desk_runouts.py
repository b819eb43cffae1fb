"""The cards that may come at a node of a spot: what each does to betting, EV and equity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from riverboat.drawing.html import signed
from riverboat.drawing.palette import action_colours
from riverboat.holdem.spots.node_views import CardRow, mean_mix
from riverboat.web.pages.holdem.board_field import DECK
from riverboat.web.pages.holdem.class_grid import Bar

METRICS = {
    "mix": ("Mixture", "The number is how often the player who acts next bets, per cent."),
    "change": ("Change", "How much of the range acts otherwise than on an average card, per cent."),
    "ev": ("EV", "EV of {}, in chips."),
    "equity": ("Equity", "Equity of {}, per cent."),
}
"""What the cards can show: its name, and what the number is."""
NUM_CHANGES = 10
STRONGEST = 80
"""Per cent of the shade for the highest value."""


@dataclass(frozen=True)
class RunoutCell:
    """A card as it is drawn; one that cannot come has no words."""

    card: str
    words: str = ""
    bars: tuple[Bar, ...] = ()
    figure: str = ""
    heat: int | None = None


@dataclass(frozen=True)
class ChangeLine:
    """A card, or all of them, with its mixture and what it differs by from the mean."""

    card: str  # Empty for all cards
    shares: tuple[tuple[str, float, str], ...]  # Action, share, difference in words
    ev: float


@dataclass(frozen=True)
class Runouts:
    """All next cards of a node."""

    note: str
    cells: list[RunoutCell]
    actions: tuple[tuple[str, str], ...]  # Colour and words of what may be done after a card
    lines: list[ChangeLine]


def runouts(rows: Sequence[CardRow], metric: str, player: int, name: str) -> Runouts:
    """Draw the next cards by a metric of METRICS, for the player of that number and name."""
    by_card = {row.card: row for row in rows}
    mean = mean_mix(list(rows))
    colours = action_colours(list(mean))
    values = {row.card: _metric(row, metric, player) for row in rows}
    known = [value for value in values.values() if not math.isnan(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)

    def cell(card: str) -> RunoutCell:
        row = by_card.get(card)
        if row is None:
            return RunoutCell(card)
        words = ", ".join(f"{action} {share:.0%}" for action, share in row.strategy.items())
        value, bars, heat = values[card], list[Bar](), None
        if metric == "mix":
            left = 0.0
            for share, colour in zip(row.strategy.values(), colours, strict=False):
                bars.append(Bar(round(100 * left, 1), round(100 * share, 1), colour))
                left += share
        elif not math.isnan(value):
            heat = round(STRONGEST * (value - low) / ((high - low) or 1.0))
        return RunoutCell(
            card, f"{card}: {words or 'nobody acts'}", tuple(bars), _text(value, metric), heat
        )

    return Runouts(
        METRICS[metric][1].format(name.upper()),
        [cell(card) for card in DECK],
        tuple(zip(colours, mean, strict=True)),
        _changes(rows, mean, player),
    )


def _metric(row: CardRow, metric: str, player: int) -> float:
    if metric in ("ev", "equity"):
        return float(getattr(row, metric)[player])
    if not row.strategy:
        return math.nan
    return row.change if metric == "change" else row.bets


def _text(value: float, metric: str) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:z.0f}" if metric == "ev" else f"{100 * value:.0f}"


def _changes(rows: Sequence[CardRow], mean: dict[str, float], player: int) -> list[ChangeLine]:
    """The mean of all cards, then the cards that change the mixture most."""
    acting = [row for row in rows if row.strategy]
    if not acting:
        return []
    known = [row for row in acting if not math.isnan(row.ev[player])]
    total = sum(row.weight for row in known) or 1.0
    ev = sum(row.weight * row.ev[player] for row in known) / total
    lines = [ChangeLine("", tuple((a, share, "") for a, share in mean.items()), ev)]
    for row in sorted(acting, key=lambda row: -row.change)[:NUM_CHANGES]:
        shares = tuple(
            (action, share, signed(100 * (share - mean[action]), 0))
            for action, share in row.strategy.items()
        )
        lines.append(ChangeLine(row.card, shares, row.ev[player]))
    return lines
