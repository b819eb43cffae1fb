"""What a poker hand is called in full: "two pair, Kings and Queens", "a flush, Queen high"."""

from __future__ import annotations

from riverboat.holdem.rules.hands import Strength

__all__ = ["hand_name"]

_ONE = (
    *("Deuce", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"),
    *("Jack", "Queen", "King", "Ace"),
)


def _many(rank: int) -> str:
    return _ONE[rank] + ("es" if _ONE[rank] == "Six" else "s")


def hand_name(value: Strength) -> str:
    """The name of a strength, as hand histories write it."""
    kind, ranks = value[0], value[1:]
    top = ranks[0]
    if kind in (4, 8):
        if kind == 8 and top == 12:
            return "a Royal Flush"
        # The ace is below the deuce in the lowest straight.
        low = _ONE[top - 4] if top >= 4 else "Ace"
        return f"a straight{' flush' if kind == 8 else ''}, {low} to {_ONE[top]}"
    names = {
        0: f"high card {_ONE[top]}",
        1: f"a pair of {_many(top)}",
        2: f"two pair, {_many(top)} and {_many(ranks[1])}" if len(ranks) > 1 else "",
        3: f"three of a kind, {_many(top)}",
        5: f"a flush, {_ONE[top]} high",
        6: f"a full house, {_many(top)} full of {_many(ranks[1])}" if len(ranks) > 1 else "",
        7: f"four of a kind, {_many(top)}",
    }
    return names[kind]
