"""What the next card does to a spot: the betting, the EVs and the equities on each card.

rows = next_cards(solved.at("r:0:c:c"))
max(rows, key=lambda row: row.change).card          the card that changes the betting most
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from riverboat.errors import UsageError
from riverboat.holdem.spots.spot_cursor import SpotCursor
from riverboat.holdem.spots.spot_tree import NodeKind

__all__ = ["CardRow", "mean_mix", "next_cards"]


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
