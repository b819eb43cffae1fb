"""What exact analysis and search need to know about cards before any shoe is given.

HandTable numbers every hand of at most 21 hard points by its composition; `hands_under` says what a
table's rules make of each (round.py has the same rules for one hand). A dealer trie holds
every multiset of cards with which the dealer can end on 17 to 21 from a given up card, and in
how many orders it can be drawn without stopping earlier; multisets in sorted order share their
beginnings, so that one pass over the trie prices all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from riverboat.blackjack.charts import CODES, FIRST_HARD, FIRST_SOFT, BlackjackChart
from riverboat.blackjack.exact.forms import CHARLIE, DOUBLE, HIT, NATURAL, STAND, Hands, Trie
from riverboat.blackjack.rules import BlackjackRules
from riverboat.runtime.array_types import I8, I64, Bools

Counts = tuple[int, ...]

FIRST_SOFT_CELL = 22 - FIRST_HARD
FIRST_PAIR_CELL = FIRST_SOFT_CELL + 22 - FIRST_SOFT
NUM_CELLS = FIRST_PAIR_CELL + 10
"""The cells of one column of a chart: hard totals, soft totals, pairs."""


@dataclass(frozen=True, eq=False)
class HandTable:
    """All hands by composition, ascending in hard points; number 0 is the empty hand."""

    index: dict[Counts, int]
    counts: I64  # (H, 10) cards A, 2…9, T
    size: I64  # (H,) number of cards
    total: I64  # (H,) points with an ace as 11 where that fits
    soft: Bools  # (H,)
    child: I64  # (H, 10) the hand after one more card, or -1 for a bust
    cell: I64  # (H,) the chart's cell for the hand's total: 0…17 hard 4…21, 18…27 soft 12…21
    pair_cell: I64  # (H,) 28…37 for a pair of A, 2, …, T, or -1

    def number(self, cards: Iterable[int]) -> int:
        """The number of a hand of cards 0…9 (A, 2, …, T)."""
        counts = [0] * 10
        for card in cards:
            counts[card] += 1
        return self.index[tuple(counts)]


@lru_cache(maxsize=1)
def hand_table() -> HandTable:
    """The table, built once."""
    levels: list[dict[Counts, None]] = [{} for _ in range(22)]
    levels[0][(0,) * 10] = None
    for points, level in enumerate(levels):
        for hand in level:
            for card in range(min(10, 21 - points)):
                levels[points + card + 1][_with(hand, card)] = None
    hands = [hand for level in levels for hand in level]
    index = {hand: number for number, hand in enumerate(hands)}
    counts = np.array(hands, np.int64)
    hard = counts @ np.arange(1, 11)
    soft = (counts[:, 0] > 0) & (hard <= 11)
    rows = [[index.get(_with(hand, card), -1) for card in range(10)] for hand in hands]
    child = np.array(rows, np.int64)
    size, total = counts.sum(1), hard + 10 * soft
    cell = np.where(soft, FIRST_SOFT_CELL + total - FIRST_SOFT, total - FIRST_HARD)
    pair = (size == 2) & (counts.max(1) == 2)
    cell = np.where(size > 1, cell, 0)
    pair_cell = np.where(pair, FIRST_PAIR_CELL + counts.argmax(1), -1)
    return HandTable(index, counts, size, total, soft, child, cell, pair_cell)


def _with(hand: Counts, card: int) -> Counts:
    return (*hand[:card], hand[card] + 1, *hand[card + 1 :])


@lru_cache(maxsize=64)
def hands_under(
    rules: BlackjackRules, *, naturals: bool, split: bool = False, aces: bool = False
) -> Hands:
    """What every hand is under the rules, by hand number: before a split, or after one of `aces`.

    `naturals`: whether an ace and a ten is settled as a natural. Other hands of 21 points are not
    final here: the exact analysis prices their draws too.
    """
    table = hand_table()
    two_cards = table.size == 2
    charlie = table.size >= (rules.charlie or 22)
    natural = two_cards & (table.total == 21) & naturals
    rank = np.where(table.total >= 17, table.total - 17, -1)
    rank = np.where(natural, NATURAL, np.where(charlie, CHARLIE, rank))
    final = charlie | natural
    if split and aces and not rules.hit_split_aces:
        final = final | two_cards
    doublable = np.zeros(len(rank), np.bool_)
    if rules.das or not split:
        for hand in np.nonzero(two_cards)[0].tolist():
            doublable[hand] = rules.can_double(int(table.total[hand]), bool(table.soft[hand]))
    return Hands(table.child, table.counts, rank, final, doublable)


def chart_actions(chart: BlackjackChart, up: int, doublable: Bools) -> I8:
    """(H,) stand, hit or double: what a chart does with each hand short of split and surrender."""
    table = hand_table()
    rows = (*chart.hard, *chart.soft, *chart.pairs)
    letters = {"S": STAND, "H": HIT, "D": DOUBLE}
    played = np.full((2, NUM_CELLS), -1, np.int8)
    """By whether doubling is allowed; -1 where the code leaves it to the total's cell."""
    for cell, row in enumerate(rows):
        for may_double, allowed in enumerate(("SH", "SHD")):
            action = next((c for c in CODES[row[up]] if c in allowed), None)
            if action is not None:
                played[may_double, cell] = letters[action]
    may = doublable.astype(np.int64)
    own = np.where(table.pair_cell >= 0, played[may, table.pair_cell], -1)
    return np.where(own >= 0, own, np.maximum(played[may, table.cell], STAND))


@cache
def dealer_trie(up: int, h17: bool, charlie: int) -> Trie:
    """The dealer's finished hands; `charlie` is the size of a dealer's Charlie, or 0."""
    ends = _dealer_ends(up, h17)
    prefixes = {hand[:length] for hand in ends for length in range(1, len(hand) + 1)}
    order = sorted(prefixes)
    rows = [
        (
            len(hand),
            hand[-1],
            hand.count(hand[-1]) - 1,
            _category(up, hand, charlie) if hand in ends else -1,
        )
        for hand in order
    ]
    orders = [float(ends.get(hand, 0)) for hand in order]
    return Trie(np.array(rows, np.int64).T.copy(), np.array(orders))


def _dealer_ends(up: int, h17: bool) -> Counter[Counts]:
    """Sorted draws (hole card included) that end on 17 to 21, naturals apart, with orders."""
    ends: Counter[Counts] = Counter()
    drawing: Counter[Counts] = Counter({(): 1})
    while drawing:
        longer: Counter[Counts] = Counter()
        for hand, ways in drawing.items():
            for card in range(10):
                drawn = tuple(sorted((*hand, card)))
                hard = up + 1 + sum(drawn) + len(drawn)
                soft = hard <= 11 and (up == 0 or drawn[0] == 0)
                total = hard + 10 * soft
                if total < 17 or (total == 17 and soft and h17):
                    longer[drawn] += ways
                elif total <= 21 and not (total == 21 and len(drawn) == 1):
                    ends[drawn] += ways
        drawing = longer
    return ends


def _category(up: int, hand: Counts, charlie: int) -> int:
    if charlie and len(hand) + 1 == charlie:
        return CHARLIE
    hard = up + 1 + sum(hand) + len(hand)
    soft = hard <= 11 and (up == 0 or hand[0] == 0)
    return hard + 10 * soft - 17
