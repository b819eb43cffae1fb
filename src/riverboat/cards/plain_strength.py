"""Hand strength in plain Python, to be read: the oracle of the compiled evaluators.

A card is an int 0…51 = 4·rank + suit, rank 0 the deuce and 12 the ace. `strength` takes one to
seven cards and finds the best hand of at most five among them. With fewer than five cards, as in
reduced games, only pairs, trips and quads count besides high cards.

One question at the prompt is answered here before compiled code would be loaded. A score is a
strength as one number: the category and then the ranks that decide, four bits each, most important
first. Sorted, the scores of all 7,462 hands that differ in value are the strengths 0…7461 of
riverboat.cards.strength.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

from riverboat.cards.card import RANK_NAMES

CATEGORY_NAMES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
(HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH) = range(9)
ACE = 12
Strength = tuple[int, ...]
"""Category first, then the ranks that break ties, most important first: compare with < and ==."""


def strength(cards: Iterable[int], *, lowest: int = 0, trips_first: bool = False) -> Strength:
    """How good the best hand of at most five of `cards` is; the greater tuple wins.

    `lowest` is the deck's lowest rank, before which the ace stands in the lowest straight. With
    `trips_first` three of a kind is taken where there is a straight too.
    """
    dealt = sorted(cards, reverse=True)
    # Among seven cards a flush leaves no room for quads or a full house.
    flush = _flush(dealt)
    if flush:
        top = _straight_top(flush, lowest)
        return (STRAIGHT_FLUSH, top) if top is not None else (FLUSH, *flush[:5])
    return grouped_strength([card >> 2 for card in dealt], lowest, trips_first)


def category(value: Strength) -> str:
    """The name of a strength's category."""
    return CATEGORY_NAMES[value[0]]


def strength_of_one(cards: Sequence[int]) -> int:
    """Strength 0…7461 of 5 to 7 different cards."""
    return bisect_left(all_scores(), score_of(cards))


def score_of(cards: Iterable[int]) -> int:
    """The score of the best five of 5 to 7 cards."""
    return score_of_strength(strength(cards))


def score_of_strength(value: Strength) -> int:
    """A strength as one number."""
    kind, *deciding = value
    score = kind
    for power in range(5):
        score = score << 4 | (deciding[power] if power < len(deciding) else 0)
    return score


@lru_cache(maxsize=1)
def all_scores() -> tuple[int, ...]:
    """The score of every strength, lowest first."""
    plain = (five for five in combinations_with_replacement(range(13), 5) if five[0] != five[4])
    # Suits in turn make no flush, and equal ranks are next to each other.
    hands = [[4 * rank + i % 4 for i, rank in enumerate(five)] for five in plain]
    hands += [[4 * rank for rank in five] for five in combinations(range(13), 5)]
    return tuple(sorted(map(score_of, hands)))


def describe_score(score: int) -> str:
    """A score in words, e.g. "two pair, aces and eights with a king"."""
    kind = score >> 20
    first, second, third = (RANK_NAMES[score >> shift & 15] for shift in (16, 12, 8))
    words = {
        0: f"high card, {first}",
        1: f"pair of {_plural(first)}",
        2: f"two pair, {_plural(first)} and {_plural(second)}",
        3: f"three of a kind, {_plural(first)}",
        4: f"straight, {first} high",
        5: f"flush, {first} high",
        6: f"full house, {_plural(first)} over {_plural(second)}",
        7: f"four of a kind, {_plural(first)}",
        8: "royal flush" if first == "ace" else f"straight flush, {first} high",
    }[kind]
    kicker = {0: second, 1: second, 2: third, 3: second, 7: second}.get(kind)
    article = "an" if kicker in ("ace", "eight") else "a"
    return words if kicker is None else f"{words} with {article} {kicker}"


def _plural(name: str) -> str:
    return name + ("es" if name == "six" else "s")


def _flush(cards: list[int]) -> list[int]:
    """All ranks of the suit that has five cards or more, highest first; empty if none has."""
    for suit in range(4):
        ranks = [card >> 2 for card in cards if card & 3 == suit]
        if len(ranks) >= 5:
            return ranks
    return []


def _straight_top(ranks: Iterable[int], lowest: int) -> int | None:
    """The top rank of the best straight; the ace is also below the deck's lowest rank."""
    held = set(ranks)
    for top in range(ACE, lowest + 3, -1):
        if all(rank in held for rank in range(top - 4, top + 1)):
            return top
    return lowest + 3 if {ACE, *range(lowest, lowest + 4)} <= held else None


def grouped_strength(ranks: Sequence[int], lowest: int = 0, trips_first: bool = False) -> Strength:
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
    top = _straight_top(distinct, lowest) if len(distinct) >= 5 else None
    if top is not None and not (trips_first and count[first] == 3):
        return (STRAIGHT, top)
    if count[first] == 3:
        return (TRIPS, first, *[rank for rank in distinct if rank != first][:2])
    if count[first] == 2 and len(order) > 1 and count[order[1]] == 2:
        pairs = order[:2]
        return (TWO_PAIR, *pairs, *[rank for rank in distinct if rank not in pairs][:1])
    if count[first] == 2:
        return (PAIR, first, *[rank for rank in distinct if rank != first][:3])
    return (HIGH_CARD, *distinct[:5])
