"""A decision at the table as the arrays that the search runs on.

The search plays any game in which one player meets only chance and a dealer without choices: every
rule set of blackjack, and twenty-one, which is blackjack without doubles, splits and naturals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from riverboat.blackjack.charts import published_chart
from riverboat.blackjack.exact.analysis import checked_shoe
from riverboat.blackjack.exact.forms import DOUBLE, SPLIT, STAND, SURRENDER, Hands
from riverboat.blackjack.exact.hand_tables import (
    chart_actions,
    dealer_trie,
    hand_table,
    hands_under,
)
from riverboat.blackjack.exact.splits import max_hands, pair_cards_left, split_sequences
from riverboat.blackjack.rules import BlackjackRules, parse_cards, parse_up_card, value
from riverboat.blackjack.search import _node_kernels as nodes
from riverboat.errors import ParameterError
from riverboat.players.player import View
from riverboat.runtime.array_types import F64, I8, I32, U8

MAX_RESPLITS = 4
"""Further hands considered where splitting has no limit; five pair cards more hardly ever come."""


@dataclass(frozen=True)
class Table:
    """What is played: the rules, and whether an ace and a ten are only 21 points."""

    rules: BlackjackRules
    plain_natural: bool = False

    @property
    def name(self) -> str:
        return "twentyone" if self.plain_natural else "blackjack"

    @property
    def words(self) -> str:
        """The whole table in words, the same for the same rules only."""
        return self.name if self.plain_natural else self.rules.summary


TWENTYONE = Table(
    BlackjackRules(
        decks=1,
        double_on="none",
        max_split_hands=1,
        max_split_hands_aces=1,
        hole_card="enhc",
        insurance=False,
        bj_pays=1.0,
    ),
    plain_natural=True,
)


@dataclass(frozen=True)
class Situation:
    """What the bot sees when it must decide."""

    table: Table
    hand: str  # Its cards, as ranks
    up: str
    hands: int = 1  # How many hands it has; above 1 this one came from a split of its first card
    shoe: tuple[int, ...] | None = None
    """The cards not seen before this hand and up card, both included: ten counts A, 2, …, T, or
    thirteen with T, J, Q, K apart; None for a fresh shoe."""

    @classmethod
    def of(
        cls, table: Table, hand: str, up: str, *, hands: int = 1, shoe: Sequence[int] | None = None
    ) -> Situation:
        """A situation from texts such as "8,8" and "10", checked."""
        cards, shown = parse_cards(hand), parse_up_card(up)
        if len(cards) < 2 or sum(map(value, cards)) > 21:
            raise ParameterError(
                f"A hand has two cards or more and at most 21 points, not {','.join(cards)}."
            )
        counts = None if shoe is None else checked_shoe(shoe)
        return cls(table, cards, shown, hands, counts)


@dataclass(frozen=True, eq=False)
class ShoeView(View):
    """A View of a table where cards lie open: with what has left the shoe."""

    situation: Situation | None = None


def hand_number(cards: str) -> int:
    """The number of a hand in hand_table."""
    return hand_table().number(value(card) - 1 for card in cards)


def shoe_counts(situation: Situation) -> tuple[F64, F64, float]:
    """Ten counts of the shoe, those of T, J, Q, K, and what a card seen takes off."""
    decks, given = situation.table.rules.decks, situation.shoe
    if given is not None:
        tens = given[9:] if len(given) == 13 else (given[9] / 4,) * 4
        return np.array([*given[:9], sum(given[9:])], float), np.array(tens, float), 1.0
    if decks == "infinite":
        return np.array([1.0] * 9 + [4.0]) / 13, np.ones(4) / 13, 0.0
    return np.array([4.0] * 9 + [16.0]) * decks, np.full(4, 4.0 * decks), 1.0


def _hands(table: Table, split: bool, aces: bool) -> Hands:
    """What every hand is, before a split or after one."""
    naturals = not table.plain_natural and (table.rules.combo or not split)
    return hands_under(table.rules, naturals=naturals, split=split, aces=aces)


@lru_cache(maxsize=256)
def _legal_actions(table: Table, split: bool, aces: bool, ten_or_ace_up: bool) -> U8:
    """(H,) legal actions as bits, splits apart; 1, standing alone, for hands that are settled."""
    rules, every, hands = table.rules, hand_table(), _hands(table, split, aces)
    settled = hands.final
    if not table.plain_natural:
        settled = settled | ((every.total == 21) & ~(bool(rules.charlie) & every.soft))
    asked_before = rules.surrender == "early" and rules.hole_card == "peek" and ten_or_ace_up
    may_surrender = not split and rules.surrender != "none" and not asked_before
    surrender = (every.size == 2) & may_surrender
    legal = 3 + (hands.doublable.astype(np.int64) << DOUBLE)
    legal += surrender.astype(np.int64) << SURRENDER
    return np.where(settled, 1 << STAND, legal).astype(np.uint8)


@lru_cache(maxsize=256)
def _chart_policy(table: Table, split: bool, aces: bool, up: int) -> I8:
    """(H,) what the published chart does with each hand, of stand, hit and double."""
    legal = _legal_actions(table, split, aces, up in (0, 9))
    doublable = (legal >> DOUBLE & 1).astype(np.bool_)
    policy = chart_actions(published_chart(table.rules), up, doublable)
    decided = (legal != 1 << STAND) & (hand_table().size >= 2)
    return np.where(decided, policy, STAND).astype(np.int8)


@lru_cache(maxsize=1)
def _hand_arrays() -> tuple[I32, F64]:
    hands = hand_table()
    return hands.child.astype(np.int32), hands.counts.astype(np.float64)


def _split_terms(situation: Situation, base: F64, tens: F64, unit: float) -> tuple[float, int]:
    """Unseen cards that would pair and further hands a split can make, −1 where it cannot."""
    rules, cards = situation.table.rules, situation.hand
    pair = value(cards[0]) - 1
    pair_left = None
    if len(cards) == 2:
        count = float(base[pair])
        pair_left = pair_cards_left(rules, cards, situation.up, count, tens.tolist(), unit)
    if pair_left is None:
        return 0.0, -1
    pair_left = max(0.0, pair_left)
    held = situation.hands
    hands = max_hands(rules, pair, pair_left, unit, held, unlimited=held + 1 + MAX_RESPLITS)
    return pair_left, min(hands - 2, MAX_RESPLITS)


@lru_cache(maxsize=8)
def _split_sequences(resplits: int) -> F64:
    return np.array(split_sequences(resplits + 2), np.float64)


def make_problem(
    situation: Situation, *, memory: F64 | None = None, greedy: bool = False
) -> nodes.Problem:
    """The arrays of a situation.

    `memory` (H, 5, 2): visits and mean remembered of each action with this up card; `greedy` lets
    rollouts follow it where it knows something.
    """
    table, rules = situation.table, situation.table.rules
    up, pair = value(situation.up) - 1, value(situation.hand[0]) - 1
    root = hand_number(situation.hand)
    base, tens, unit = shoe_counts(situation)
    base[up] -= unit
    child, counts = _hand_arrays()
    if (unit * counts[root] > base).any():
        raise ParameterError(
            f"The shoe does not hold {','.join(situation.hand)} and {situation.up} together."
        )
    pair_left, resplits = _split_terms(situation, base, tens, unit)
    split, high = situation.hands > 1, up in (0, 9)
    contexts = [(table, split, pair == 0), (table, True, pair == 0)]
    legal = np.array([_legal_actions(*context, high) for context in contexts])
    policy = np.array([_chart_policy(*context, up) for context in contexts])
    rank = np.array([_hands(*context).rank for context in contexts], np.int8)
    if resplits >= 0:
        legal[0, root] |= 1 << SPLIT
    if greedy and memory is not None:
        policy = _greedy(policy, legal, memory)
    hole = {0: 9, 9: 0}.get(up, -1)
    unseen = base - unit * counts[root]
    natural = float(unseen[hole] / max(1.0, unseen.sum()))
    peeked = rules.hole_card == "peek"
    late = rules.surrender == "late" and not peeked and hole >= 0
    trie = dealer_trie(up, rules.h17, rules.charlie if rules.dealer_charlie else 0)
    return nodes.Problem(
        child, counts, legal, rank, policy,
        np.zeros((1, 5, 2)) if memory is None else memory, trie, base, unit, hole,
        peeked and hole >= 0, rules.bj_pays, table.plain_natural,
        -0.5 - (natural / 2 if late else 0.0), root, pair, pair_left, max(resplits, 0),
        _split_sequences(max(resplits, 0)),
    )  # fmt: skip


def _greedy(policy: I8, legal: U8, memory: F64) -> I8:
    """The policy with the best action of stand, hit and double wherever two are remembered."""
    bits = (legal[:, :, None] >> np.arange(3)) & 1
    known = (memory[None, :, :3, 0] > 0) & (bits > 0)
    means = np.where(known, memory[None, :, :3, 1], -np.inf)
    return np.where(known.sum(2) > 1, means.argmax(2), policy).astype(np.int8)
