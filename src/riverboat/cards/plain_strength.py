"""The categories of a poker hand, weakest first.

The strength of one hand in plain Python: the same numbers as `strength`, without its tables.

One question at the prompt is answered before compiled code would be loaded. A score is the
category and then the ranks that decide, four bits each, most important first; sorted, the scores
of all 7,462 hands that differ in value are the strengths 0…7461.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

from riverboat.cards.card import RANK_NAMES

__all__ = ["CATEGORY_NAMES", "all_scores", "describe_score", "score_of", "strength_of_one"]


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


_WHEEL = (12, 3, 2, 1, 0)
_SHAPES = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}
"""How many cards there are of each rank, most first → the category without straight and flush."""


def strength_of_one(cards: Sequence[int]) -> int:
    """Strength 0…7461 of 5 to 7 different cards."""
    return bisect_left(all_scores(), score_of(cards))


def score_of(cards: Sequence[int]) -> int:
    """The score of the best five of 5 to 7 cards."""
    return max(
        _score([card >> 2 for card in five], len({card & 3 for card in five}) == 1)
        for five in combinations(cards, 5)
    )


@lru_cache(maxsize=1)
def all_scores() -> tuple[int, ...]:
    """The score of every strength, lowest first."""
    plain = (five for five in combinations_with_replacement(range(13), 5) if five[0] != five[4])
    scores = [_score(five, False) for five in plain]
    scores += [_score(five, True) for five in combinations(range(13), 5)]
    return tuple(sorted(scores))


def _score(ranks: Sequence[int], flush: bool) -> int:
    """The score of five ranks, all of one suit or not."""
    different = sorted(set(ranks), key=lambda rank: (-ranks.count(rank), -rank))
    category = _SHAPES[tuple(ranks.count(rank) for rank in different)]
    deciding = different
    if len(different) == 5:
        wheel = tuple(different) == _WHEEL
        if wheel or different[0] - different[4] == 4:
            category, deciding = 4, [3 if wheel else different[0]]
        if flush:
            category = 8 if category == 4 else 5
    score = category
    for place in range(5):
        score = score << 4 | (deciding[place] if place < len(deciding) else 0)
    return score


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
    return words if kicker is None else f"{words} with {_article(kicker)} {kicker}"


def _plural(name: str) -> str:
    return name + ("es" if name == "six" else "s")


def _article(name: str) -> str:
    return "an" if name in ("ace", "eight") else "a"
