"""The strength of a poker hand, written to be read: the oracle for the fast evaluators.

A card is an int 0…51 = 4·rank + suit, rank 0 the deuce and 12 the ace. `strength` takes one
to seven cards and finds the best hand of at most five among them. With fewer than five cards, as
reduced games have them, only pairs, trips and quads count beside the high cards.
"""

from __future__ import annotations

from collections.abc import Iterable

from riverboat.cards.plain_strength import CATEGORY_NAMES

__all__ = ["Strength", "category", "strength"]

Strength = tuple[int, ...]
"""Category first, then the ranks that break ties, most important first: compare with < and ==."""

(HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH) = range(9)

ACE, FIVE = 12, 3


def strength(cards: Iterable[int]) -> Strength:
    """How good the best hand of at most five of `cards` is; the greater tuple wins."""
    dealt = sorted(cards, reverse=True)
    ranks = [card >> 2 for card in dealt]
    # Among seven cards a flush leaves no room for quads or a full house.
    flush = _flush(dealt)
    if flush:
        top = _straight_top(flush)
        return (STRAIGHT_FLUSH, top) if top is not None else (FLUSH, *flush[:5])
    return _grouped(ranks)


def category(value: Strength) -> str:
    """The name of a strength's category."""
    return CATEGORY_NAMES[value[0]]


def _flush(cards: list[int]) -> list[int]:
    """All ranks of the suit that has five cards or more, highest first; empty if none has."""
    for suit in range(4):
        ranks = [card >> 2 for card in cards if card & 3 == suit]
        if len(ranks) >= 5:
            return ranks
    return []


def _straight_top(ranks: Iterable[int]) -> int | None:
    """The top rank of the best straight; the ace is also below the deuce."""
    held = set(ranks)
    for top in range(ACE, FIVE, -1):
        if all(rank in held for rank in range(top - 4, top + 1)):
            return top
    return FIVE if {ACE, 0, 1, 2, 3} <= held else None


def _grouped(ranks: list[int]) -> Strength:
    """The best hand without regard to suits."""
    distinct = sorted(set(ranks), reverse=True)
    count = {rank: ranks.count(rank) for rank in distinct}
    # Most copies first, then highest rank: the order in which a hand is read out.
    order = sorted(distinct, key=lambda rank: (-count[rank], -rank))
    first = order[0]
    if count[first] >= 4:
        return (QUADS, first, *[rank for rank in distinct if rank != first][:1])
    if count[first] == 3 and len(order) > 1 and count[order[1]] >= 2:
        return (FULL_HOUSE, first, max(rank for rank in order[1:] if count[rank] >= 2))
    top = _straight_top(distinct) if len(distinct) >= 5 else None
    if top is not None:
        return (STRAIGHT, top)
    if count[first] == 3:
        return (TRIPS, first, *[rank for rank in distinct if rank != first][:2])
    if count[first] == 2 and len(order) > 1 and count[order[1]] == 2:
        pairs = order[:2]
        return (TWO_PAIR, *pairs, *[rank for rank in distinct if rank not in pairs][:1])
    if count[first] == 2:
        return (PAIR, first, *[rank for rank in distinct if rank != first][:3])
    return (HIGH_CARD, *distinct[:5])
