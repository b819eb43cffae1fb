"""How many hands a pair may become, and how often each number of them comes.

Cards are exchangeable, so the hands of a split have equal expectations and only the second cards
decide how many hands there are: a pair card drawn there is always split again while the table
allows it. The value is then a finite sum over the ways pair cards and others can come, by inclusion
and exclusion over k = 0, 1, 2, … further pair cards gone (after E. Farmer, "Analysis of
blackjack").
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb

from riverboat.blackjack.rules import RANKS, BlackjackRules, value

MAX_HANDS = 16
"""Where splitting has no limit. More hands would change the value of splitting by some 1e-12 for
one rank in thirteen; by 1e-3 for tens by value, which no strategy splits without a limit."""
_FIRST_TEN = RANKS.index("T")


def pairs_by_rank(rules: BlackjackRules, pair: int) -> bool:
    """Whether two cards 0…9 (A, 2, …, T) of that value are a pair only with the same rank."""
    return pair == 9 and rules.split_by == "rank"


def pair_cards_left(
    rules: BlackjackRules, cards: str, up: str, count: float, tens: Sequence[float], unit: float
) -> float | None:
    """Of two cards that are a pair: how many more would pair with it; None where they are none.

    `count` is how many cards of the first one's value the shoe holds without the up card, `tens`
    how many T, J, Q and K with it, `unit` what a card that is gone takes off them. Below zero where
    the shoe does not hold these cards.
    """
    first, second = cards[0], cards[1]
    if value(first) != value(second):
        return None
    if not pairs_by_rank(rules, value(first) - 1):
        return count - 2 * unit
    if first != second:
        return None
    return tens[RANKS.index(first) - _FIRST_TEN] - (2 + (up == first)) * unit


def max_hands(
    rules: BlackjackRules,
    pair: int,
    pair_left: float,
    unit: float,
    hands: int = 1,
    unlimited: int = MAX_HANDS,
) -> int:
    """The most hands a pair can become, with `pair_left` cards to come and `hands` held already.

    `unlimited` stands for the limit of a table that has none.
    """
    limit = (rules.split_limit(ace=pair == 0) or unlimited) - hands + 1
    return min(limit, 2 + int(pair_left)) if unit else limit


@cache
def split_counts(limit: int, removals: int) -> tuple[list[int], list[int]]:
    """How often a hand with any second card, and one with a card that does not pair, counts.

    By the number of further pair cards gone. Inclusion and exclusion: where `pairs` draws are pair
    cards and `others` are not, the value of a hand is Σ (−1)^i · C(others, i) · (its value with
    pairs + i gone).
    """
    any_card, other = [0] * removals, [0] * removals
    for pairs, others, rest, orders in split_sequences(limit):
        for counts, factor, kept in ((any_card, rest, others), (other, others, others - 1)):
            for i in range(min(kept, removals - 1 - pairs) + 1):
                counts[pairs + i] += (1 - 2 * (i % 2)) * orders * factor * comb(kept, i)
    return any_card, other


@cache
def split_sequences(limit: int) -> tuple[tuple[int, int, int, int], ...]:
    """How a split can go: (pair cards drawn, other cards drawn, hands left open, orders).

    Second cards are drawn one by one; each pair card makes a further hand until there are
    `limit`, and then the hands still open take any card.
    """
    ends = []
    orders = {(0, 0): 1}
    while orders:
        (pairs, others), count = next(iter(orders.items()))
        del orders[pairs, others]
        hands = 2 + pairs
        if hands == limit or others == hands:
            ends.append((pairs, others, hands - others, count))
            continue
        for state in ((pairs + 1, others), (pairs, others + 1)):
            orders[state] = orders.get(state, 0) + count
    return tuple(ends)
