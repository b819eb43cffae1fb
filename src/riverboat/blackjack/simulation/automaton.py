"""A blackjack table as look-up tables for the simulation kernel.

Every fact is asked of the readable rules (blackjack/round.py), once for each hand that looks
alike to the player: which actions are open, when the dealer draws, what a finished hand wins
against a finished dealer. Hands look alike when total, softness, pair and options agree, and the
number of cards where a Charlie counts. Finished hands fall into classes by what they win.

With a counter, the count is cut into bins at every index in use; bins in which all decisions
agree share a level, so that the tables stay small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from riverboat.blackjack.charts import CODES, UPS, BlackjackChart
from riverboat.blackjack.round import Hand, Round
from riverboat.blackjack.rules import RANKS, BlackjackRules, points, value
from riverboat.blackjack.simulation.counting import Counter, Deviation
from riverboat.errors import ParameterError
from riverboat.runtime.array_types import I64, U8, U16, U64

SPLIT = np.uint64(0xFFFF)  # The code of "split" among the automaton's answers
TERMINAL = np.uint64(0x8000)
"""Codes from here on are a hand's final class (plus this), those below are rows to draw from."""
DEALER_DONE = np.uint64(0x8000)  # The same for the dealer's automaton


MAX_HANDS = 32  # Hands of a seat where the rules set no limit
ChartRow: TypeAlias = tuple[str, int]  # As Deviation.row
Plan: TypeAlias = tuple[tuple[Deviation, bool], ...]
"""Deviations, and whether the count has reached their index."""
_TENTHS = 10
_PROBES = ("AT", "T56", "TT", "T9", "T8", "T7", "T6")
"""Hands that distinguish any two finished dealers, and a Charlie."""
_REPORTED = range(-4, 9)  # True counts that get a bin of their own in a report


def _over(rules: BlackjackRules, hand: Hand, dealer: str) -> Round:
    return Round(rules, ((hand,),), dealer, ("N",))


class DealerRows:
    """Rows of the dealer's automaton; the first 13 are up cards."""

    def __init__(self, rules: BlackjackRules) -> None:
        self.rules = rules
        self.finals: list[str] = []
        charlie = ["2" * (rules.charlie - 1) + "3"] if rules.charlie else []
        self._probes = [Hand(cards, stood=True) for cards in (*_PROBES, *charlie)]
        self._signatures: dict[tuple[float, ...], int] = {}
        rows = list(RANKS)
        keys: dict[object, int] = {}
        table = []
        for cards in rows:
            codes = np.zeros(16, np.uint16)
            for i, rank in enumerate(RANKS):
                drawn = cards + rank
                if _over(rules, Hand("T6", stood=True), drawn).turn.wants == "over":
                    codes[i] = int(DEALER_DONE) + self.final(drawn)
                    continue
                key = (*points(drawn), len(drawn) if rules.dealer_charlie else 2)
                if key not in keys:
                    keys[key] = 16 * len(rows)
                    rows.append(drawn)
                codes[i] = keys[key]
            table.append(codes)
        self.table = np.concatenate(table)

    def final(self, cards: str) -> int:
        """The class of a finished dealer: what it does to the probe hands."""
        signature = tuple(_over(self.rules, hand, cards).payoffs()[0] for hand in self._probes)
        if signature not in self._signatures:
            self._signatures[signature] = len(self.finals)
            self.finals.append(cards)
        return self._signatures[signature]


@dataclass(frozen=True)
class _State:
    """Hands that look alike: one of them, and how many hands the seat has."""

    hand: Hand
    hands: int


class PlayerStates:
    """States and classes of the player's automaton, found by drawing every card to every hand."""

    def __init__(self, rules: BlackjackRules, dealer: DealerRows) -> None:
        self.rules, self.dealer = rules, dealer
        self.states: list[_State] = []
        self.classes: list[tuple[int, ...]] = []
        """Results in tenths against each of the dealer's classes, and whether the hand contests."""
        self._keys: dict[object, int] = {}
        self._ends: dict[object, int] = {}
        self._alike: dict[object, int] = {}
        self.ending(Hand("TTT"))  # the class that loses one bet is the first
        for rank in RANKS:
            self.state(Hand(rank, owed=True), 1)
        for rank in RANKS:
            if self.limit(rank) > 1:
                self.half(rank, more=False)
                self.half(rank, more=True)
        nexts = []
        for state in self.states:
            row = np.zeros(16, np.uint16)
            if state.hand.owed or "H" in self.options(state):
                for i, rank in enumerate(RANKS):
                    cards = state.hand.cards + rank
                    row[i] = self.state(replace(state.hand, cards=cards, owed=False), state.hands)
            nexts.append(row)
        self.nexts = np.concatenate(nexts)
        self.codes = [self._codes(16 * i, state) for i, state in enumerate(self.states)]
        """By state and up card: the code of each letter that is open."""

    def options(self, state: _State, up: str = "7") -> str:
        """The letters open to a hand, early surrender among them."""
        hand = state.hand
        seat = (hand, *[Hand("TT", stood=True)] * (state.hands - 1))
        table = Round(self.rules, (seat,), up, ("N",))
        options = table.options(0, 0)
        if state.hands >= MAX_HANDS:
            options = options.replace("P", "")
        early = len(hand.cards) == 2 and not hand.split and "R" in table.offers(0)
        return options + "R" * (early and bool(options))

    def state(self, hand: Hand, hands: int) -> int:
        """The number of a hand's state; a new one is queued with the row that doubles it."""
        size = len(hand.cards)
        options = "" if hand.owed else self.options(_State(hand, hands))
        key: object
        if hand.owed:
            key = (hand.cards, hand.split, hand.doubled, hands < self.limit(hand.cards[0]))
        elif not options:
            key = ("end", self.ending(hand))
        else:
            two = (hand.split, options, _pair(hand.cards)) if size == 2 else ()
            key = (*points(hand.cards), size if self.rules.charlie else min(size, 3), *two)
        if key not in self._keys:
            self._keys[key] = 16 * len(self.states)
            self.states.append(_State(hand, hands))
            if "D" in options:
                self.state(_doubled(hand), hands)
        return self._keys[key]

    def half(self, rank: str, *, more: bool) -> int:
        """The row of half a pair, while the seat may split again or not."""
        more = more and self.limit(rank) > 2
        return self.state(Hand(rank, owed=True, split=True), 2 if more else self.limit(rank))

    def limit(self, rank: str) -> int:
        return self.rules.split_limit(ace=rank == "A") or MAX_HANDS

    def ending(self, hand: Hand) -> int:
        """The number of a finished hand's class."""
        total, size = points(hand.cards)[0], len(hand.cards)
        alike = (min(total, 22), min(size, self.rules.charlie or 3), hand.bet, hand.surrendered)
        key = (*alike, hand.split and size == 2)
        if key not in self._alike:
            self._alike[key] = self._class(replace(hand, stood=True))
        return self._alike[key]

    def _class(self, hand: Hand) -> int:
        results = [
            round(_TENTHS * _over(self.rules, hand, cards).payoffs()[0])
            for cards in self.dealer.finals
        ]
        contests = _over(self.rules, hand, "T6").turn.wants == "card"
        row = (*results, int(contests))
        if row not in self._ends:
            self._ends[row] = 16 * len(self.classes)
            self.classes.append(row)
        return self._ends[row]

    def _codes(self, number: int, state: _State) -> list[dict[str, int]]:
        hand = state.hand
        if hand.owed:
            return [{"S": number}] * len(UPS)
        codes = {"H": number, "P": int(SPLIT), "S": int(TERMINAL) + self.ending(hand)}
        options = [self.options(state, up) for up in UPS]
        if any("D" in letters for letters in options):
            codes["D"] = self.state(_doubled(hand), state.hands)
        if any("R" in letters for letters in options):
            codes["R"] = int(TERMINAL) + self.ending(replace(hand, surrendered=True))
        return [{letter: codes[letter] for letter in letters or "S"} for letters in options]


def _doubled(hand: Hand) -> Hand:
    return replace(hand, bet=2 * hand.bet, doubled=True, owed=True)


def _pair(cards: str) -> int | None:
    """The value that a hand is a pair of, whether or not the table splits by rank."""
    same = len(cards) == 2 and value(cards[0]) == value(cards[1])
    return value(cards[0]) - 1 if same else None


def _rows(cards: str) -> list[ChartRow]:
    """The rows of a chart that a hand falls into: its pair's, then its total's."""
    total, soft = points(cards)
    pair = _pair(cards)
    rows: list[ChartRow] = [] if pair is None else [("pair", pair)]
    return [*rows, ("soft" if soft else "hard", total)]


def _preferences(chart: BlackjackChart, cards: str, up: int, plan: Plan) -> str:
    """Actions in order of preference: the chart's code with the deviations in force."""
    counts = [0] * len(UPS)
    for card in cards:
        counts[value(card) - 1] += 1
    hand = tuple(counts)
    *pair, row = _rows(cards)
    plain = CODES[chart.total_code(hand, up)]
    by_total = _deviate(plain, plan, row)
    if not pair:
        return by_total
    own = CODES[chart.code(hand, up)]
    return _deviate(by_total if own == plain else own, plan, pair[0]) + by_total


def _deviate(letters: str, plan: Plan, row: ChartRow) -> str:
    for deviation, reached in plan:
        action = deviation.action
        if deviation.row != row:
            continue
        if action in "SH":
            wanted = action if reached else "SH".replace(action, "")
            letters = letters.replace("S", wanted).replace("H", wanted)
        else:
            letters = (action if reached else "") + letters.replace(action, "")
    return letters


def _answers(player: PlayerStates, chart: BlackjackChart, plans: Sequence[Plan]) -> U16:
    """[L*S*16] the code of the chart's action under each plan, in every state, to every up."""
    table = np.zeros((len(plans), len(player.states), 16), np.uint16)
    columns = [value(rank) - 1 for rank in RANKS]
    for i, state in enumerate(player.states):
        cards = state.hand.cards
        rows = _rows(cards) if not state.hand.owed else []
        for up, codes in enumerate(player.codes[i]):
            where = [u for u, column in enumerate(columns) if column == up]
            if len(codes) == 1:
                table[:, i, where] = next(iter(codes.values()))
                continue
            known: dict[object, int] = {}
            for level, plan in enumerate(plans):
                here = tuple(p for p in plan if p[0].up == UPS[up] and p[0].row in rows)
                if here not in known:
                    letters = _preferences(chart, cards, up, here) + "S"
                    known[here] = next(codes[letter] for letter in letters if letter in codes)
                table[level, i, where] = known[here]
    return table.ravel()


@dataclass(frozen=True)
class CountTable:
    """The count as the kernel reads it: a bin for every number of cards out and running count."""

    edges: tuple[float, ...]  # Bin i holds the counts from edges[i-1] up to edges[i]
    bins: U8  # [(cards + 1) * width]
    width: int
    first: int  # The index of a fresh shoe's running count
    tags: tuple[int, ...]  # What each rank adds to the running count's index


def count_table(rules: BlackjackRules, counter: Counter | None) -> CountTable:
    """The bins of a counter at a table; one bin without a counter."""
    if counter is None or rules.decks == "infinite":
        if counter is not None:
            raise ParameterError("decks=infinite cannot be counted; take 1 to 8 decks.")
        cards = 13 if rules.decks == "infinite" else 52 * rules.decks
        bins = np.zeros(cards + 1, np.uint8)
        return CountTable((), bins, 1, 0, (0,) * len(RANKS))
    system, decks = counter.system, rules.decks
    indices = {index for index, _ in counter.ramp.steps}
    indices |= {deviation.index for deviation in counter.deviations}
    edges = sorted(indices | set(map(float, _REPORTED if system.true_count else ())))
    doubled = [int(2 * system.tags[value(rank) - 1]) for rank in RANKS]
    low = 4 * decks * sum(tag for tag in doubled if tag < 0)
    high = 4 * decks * sum(tag for tag in doubled if tag > 0)
    running = np.arange(low, high + 1) / 2 + system.initial(decks)
    cards_left = 52 * decks - np.arange(52 * decks + 1)
    if system.true_count:
        step = counter.resolution
        judged = np.maximum(step, np.floor(cards_left / step + 0.5) * step)
        counts = 52 * running[None, :] / judged[:, None]
    else:
        counts = np.broadcast_to(running, (len(cards_left), len(running)))
    bins = np.searchsorted(np.array(edges), counts, side="right").astype(np.uint8)
    return CountTable(tuple(edges), bins.ravel(), len(running), -low, tuple(doubled))


@dataclass(frozen=True)
class Automaton:
    """The arrays and codes that play_block takes; their shapes are written there."""

    nexts: U16
    answer: U16
    dealer: U16
    pay: I64
    ranks: U64
    bins: U8
    levels: U64
    insure: U8
    natural: int
    unplayed: int


def build_automaton(
    rules: BlackjackRules,
    chart: BlackjackChart,
    count: CountTable,
    deviations: Sequence[Deviation] = (),
    others: BlackjackChart | None = None,
) -> Automaton:
    """The tables for a player with `chart` and `deviations`.

    The other seats play `others`, or the same as the player where that is None.
    """
    dealer = DealerRows(rules)
    player = PlayerStates(rules, dealer)
    lows = (-np.inf, *count.edges)
    by_bin = [tuple((d, low >= d.index) for d in deviations if d.hand) for low in lows]
    plans = list(dict.fromkeys(by_bin))
    levels = [plans.index(plan) for plan in by_bin]
    answer = _answers(player, chart, plans)
    if others is None:
        levels += levels
    else:
        levels += [len(plans)] * len(lows)
        answer = np.concatenate([answer, _answers(player, others, [()])])
    pay = np.zeros((len(player.classes), 16), np.int64)
    for i, (*results, contests) in enumerate(player.classes):
        pay[i, : len(results)] = results
        pay[i, 15] = contests
    insures = [any(d.action == "I" and low >= d.index for d in deviations) for low in lows]
    return Automaton(
        nexts=player.nexts,
        answer=answer,
        dealer=dealer.table,
        pay=pay.ravel(),
        ranks=by_rank(player, count).ravel(),
        bins=count.bins,
        levels=np.array(levels, np.uint64) * np.uint64(len(player.nexts)),
        insure=np.array(insures, np.uint8) * np.uint8(rules.insurance),
        natural=int(DEALER_DONE) + dealer.final("AT"),
        unplayed=dealer.final("T7"),
    )


def by_rank(player: PlayerStates, count: CountTable) -> U64:
    """(5, 16) the array `ranks` of play_block."""
    table = np.zeros((5, 16), np.uint64)
    moves = 0 if player.rules.decks == "infinite" else count.width
    for i, rank in enumerate(RANKS):
        table[0, i] = (count.tags[i] + moves) % (1 << 64)
        table[1, i] = moves
        table[2, i] = player.limit(rank)
        if player.limit(rank) > 1:
            table[3:, i] = [player.half(rank, more=more) for more in (False, True)]
    return table
