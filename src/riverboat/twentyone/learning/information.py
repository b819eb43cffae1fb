"""What a player of twenty-one looks at: three kinds of information, from coarse to complete.

| kind | a hand becomes | labels | keys with the up card |
|---|---|---|---|
| points | its points, "16" | 18 | 180 |
| soft | its points, hard or soft, "h16" or "s16" | 28 | 280 |
| composition | its cards by value, "A5" | 2,008 | 20,080 |

A key is a label, a bar and the dealer's open card: "16|T". Row `label × 10 + up card − 1` of a
table belongs to it, with labels in the order given here.
"""

from __future__ import annotations

from functools import cache

from riverboat.errors import UnknownNameError
from riverboat.twentyone.game import MAX_POINTS, VALUES, is_soft, points

INFORMATION = ("points", "soft", "composition")

_COPIES = dict.fromkeys(VALUES, 4) | {"T": 16}


@cache
def hands() -> tuple[str, ...]:
    """Every hand of two cards or more within 21 that one pack can give, fewest cards first."""
    texts: list[str] = []
    level = list(VALUES)
    while level:
        level = [
            hand + value
            for hand in level
            for value in VALUES[VALUES.index(hand[-1]) :]
            if hand.count(value) < _COPIES[value] and points(hand + value) <= MAX_POINTS
        ]
        texts += level
    return tuple(texts)


@cache
def labels(kind: str) -> tuple[str, ...]:
    """The labels of a kind of information, in the order of a table's rows."""
    if kind == "points":
        return tuple(str(total) for total in range(4, MAX_POINTS + 1))
    if kind == "soft":
        hard = (f"h{total}" for total in range(4, MAX_POINTS + 1))
        return (*hard, *(f"s{total}" for total in range(12, MAX_POINTS + 1)))
    if kind == "composition":
        return hands()
    raise UnknownNameError.among("kind of state", kind, INFORMATION)


@cache
def keys(kind: str) -> tuple[str, ...]:
    """The keys of a kind of information, row by row."""
    return tuple(f"{label}|{up}" for label in labels(kind) for up in VALUES)


def hand_label(kind: str, hand: str) -> str:
    """What a hand such as "A5" is to a player who looks at `kind`."""
    if kind == "composition":
        return hand
    total = str(points(hand))
    if kind == "points":
        return total
    return ("s" if is_soft(hand) else "h") + total


def state_key(kind: str, infoset: str) -> str:
    """The key that an infoset of the game falls under: "A5|T" is "16|T" to points."""
    hand, _, up = infoset.partition("|")
    return f"{hand_label(kind, hand)}|{up}"
