"""Walk the betting with all hands of both players at once, to measure a player who can be asked.

At each decision the player who acts is asked for a strategy over all hands (a blueprint's table, or
a search that solves the rest of the hand), and all actions are followed at once. Values where the
betting ends are exact: over all pairs of hands, and over all cards to come after an
all-in. `MatchWalk` plays two players against each other; `AllHandsWalk` plays local best response
(strength/lbr.py) on one board: a fold, a call and a few raises are compared as if both players only
checked and called afterwards.

Asking a search takes seconds. So two things are sampled, both without bias: lines that few hands
take are dropped at random and count more where they stay, and only some of the lines that reach a
later street are played on. What is sampled is only how far such a line departs from its value if
both players check it down, which is known for every line (a control variate). A match has a second
one: the same points played on by the blueprint alone, which is quick, so that more are sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from math import comb
from typing import Any, NamedTuple, TypeVar

import numpy as np

from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import NUM_COMBOS
from riverboat.errors import ParameterError
from riverboat.games.base import CHANCE, TERMINAL, Action
from riverboat.holdem.blueprints.betting_tree import action_text, amount_of
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.pot_shares import (
    end_values,
    meets,
    pairs_times_pot,
    pot_share_table,
    shares_against,
    without,
)
from riverboat.holdem.rules.betting import CALL, FOLD, Betting
from riverboat.holdem.rules.state import HoldemState
from riverboat.runtime.array_types import F32, F64, I64

Policy = Callable[[HoldemState], tuple[tuple[Action, ...], F64]]
"""The actions of the player who acts, and (1326, A) how likely each is with each hand."""
T = TypeVar("T")


class Point(NamedTuple):
    """A node of the betting and each player's reach of it with each hand."""

    state: HoldemState
    ranges: tuple[F64, F64]  # (1326,) each; 1 for a hand that always comes

    @property
    def weight(self) -> float:
        """Pairs of hands that reach this node, times the pot."""
        return pairs_times_pot(self.state, *self.ranges)

    def after(self, action: Action, chances: F64) -> Point:
        """The point after an action that the acting player takes with these chances (1326,)."""
        ranges = list(self.ranges)
        ranges[self.state.actor] = ranges[self.state.actor] * chances
        return Point(self.state.after(action), (ranges[0], ranges[1]))

    def dealt(self, cards: tuple[int, ...]) -> Point:
        """The point after cards for the board."""
        state = self.state.deal(cards)
        return Point(state, (without(self.ranges[0], cards), without(self.ranges[1], cards)))

    def checked_down(self, seat: int) -> float:
        """Chips per game that a seat wins if betting ends here; a bet that was made is called.

        Divided by all pairs of hands that the board leaves. Where a player has folded: what that
        gives.
        """
        state = self.state
        calls = state.betting.to_call if state.actor >= 0 and all(state.betting.in_hand) else 0
        shares, pays = partial(shares_against, state.board), calls * (state.actor == seat)
        won = end_values(state.betting, seat, self.ranges[1 - seat], shares, calls, pays)
        return float(self.ranges[seat] @ won) / _num_pairs(len(state.board))


def _num_pairs(num_cards: int) -> int:
    """The number of pairs of hands that a board of that many cards leaves."""
    return comb(NUM_CARDS - num_cards, 2) * comb(50 - num_cards, 2)


@dataclass(frozen=True)
class Draws:
    """How many lines are sampled rather than enumerated."""

    lines: int = 3
    """Ends of a street that are played on by both players; 0 for all of them, with every card."""
    quick: int = 24  # Ends that are played on by the blueprint alone
    min_share: float = 0.1  # A line with a smaller part of all pairs times pot is dropped at random

    def __post_init__(self) -> None:
        if self.lines and self.quick % self.lines:
            raise ParameterError(f"{self.quick} quick draws are no multiple of {self.lines} lines.")


@dataclass(eq=False)
class MatchWalk:
    """What the player in `seat` wins when `player` sits there and `blueprint` in the other."""

    player: Policy
    blueprint: Policy
    seat: int
    rng: np.random.Generator
    draws: Draws = field(default_factory=Draws)
    asked: int = 0  # Decisions that the player was asked for

    def value(self, point: Point) -> float:
        """Chips from a point where a street begins, over all pairs that the board leaves."""
        return self._street(point, quick=False)

    def _street(self, point: Point, quick: bool) -> float:
        """Both play a street and all after it; the blueprint alone where it is to be `quick`."""
        ends: list[Point] = []
        total = self._follow(point, quick, self.draws.min_share * point.weight, ends)
        if not ends:
            return total
        if not self.draws.lines:
            return total + sum(
                self._street(end.dealt((card,)), quick) / len(cards)
                for end in ends
                for cards in [sorted(end.state.unseen())]
                for card in cards
            )
        total += sum(end.checked_down(self.seat) for end in ends)
        weight = np.array([end.weight for end in ends])
        chances = weight / weight.sum()
        num_draws = self.draws.lines if quick else self.draws.quick
        every = num_draws // self.draws.lines
        first = int(self.rng.integers(every))
        for number, chosen in enumerate(_spread(chances, num_draws, self.rng)):
            after = ends[chosen].dealt((int(self.rng.choice(sorted(ends[chosen].state.unseen()))),))
            plain = self._street(after, True)
            count = num_draws * chances[chosen]
            total += (plain - after.checked_down(self.seat)) / count
            if not quick and number % every == first:
                total += (self._street(after, False) - plain) * every / count
        return total

    def _follow(self, point: Point, quick: bool, min_share: float, ends: list[Point]) -> float:
        """What is won where the betting ends on this street; the other ends are put to `ends`."""
        state, weight = point.state, point.weight
        if weight <= 0:
            return 0.0
        if state.actor == TERMINAL or (state.actor == CHANCE and not state.betting.queue):
            return point.checked_down(self.seat)
        if state.actor == CHANCE:
            ends.append(point)
            return 0.0
        instead, more = 0.0, 1.0
        if weight < min_share and not quick:
            instead, more = point.checked_down(self.seat), min_share / weight
            if self.rng.random() * more >= 1:
                return instead
            point = Point(state, (point.ranges[0] * more, point.ranges[1]))
        if state.actor == self.seat and not quick:
            self.asked += 1
            actions, chances = self.player(state)
        else:
            actions, chances = self.blueprint(state)
        followed = sum(
            self._follow(point.after(action, chances[:, number]), quick, min_share, ends)
            for number, action in enumerate(actions)
        )
        return instead * (1 - more) + followed


def _spread(chances: F64, num_samples: int, rng: np.random.Generator) -> list[int]:
    """Sample numbers, each `num_samples` times its chance on average (systematic sampling)."""
    marks = (rng.random() + np.arange(num_samples)) / num_samples
    places = np.searchsorted(np.cumsum(chances), marks * chances.sum(), side="right")
    return [int(number) for number in np.minimum(places, len(chances) - 1)]


@dataclass(frozen=True, eq=False)
class _Entry:
    """A line that has reached another street."""

    state: HoldemState
    theirs: F64
    mine: F64
    weight: float  # Pairs of hands that reach this node, times the pot


@dataclass(eq=False)
class AllHandsWalk:
    """Local best response on one board, from a flop, turn or river on."""

    policy: Policy
    raises: Sequence[str]
    board: tuple[int, ...]  # All five cards
    seat: int  # The exploiter's
    rng: np.random.Generator
    lines: int = 0  # Lines to sample on each later street; 0 plays them all
    min_share: float = 0.0  # A line with a smaller part of all pairs times pot is dropped at random
    asked: int = 0  # Decisions that the player was asked for
    reached: int = 0  # Lines that reached a later street
    shares: dict[int, F32] = field(default_factory=dict)
    """Cards on the board → (1326, 1326) parts of the pot; found where they are missing."""
    _answers: dict[str, tuple[tuple[Action, ...], F64]] = field(default_factory=dict)
    _entries: list[_Entry] = field(default_factory=list)
    _whole: float = 0.0

    def value(self, state: HoldemState, theirs: F64, mine: F64) -> float:
        """Chips that the exploiter wins from here on: (1326,) weights of both players' hands.

        Divided by all pairs of hands that the board leaves, as if each came with weight one.
        """
        cards = self.board[: len(state.board)]
        theirs, mine = (without(weights, cards) for weights in (theirs, mine))
        self._whole = pairs_times_pot(state, theirs, mine)
        self.reached = 0
        total = self._follow(state, theirs, mine)
        while self._entries:
            entries, self._entries = self._entries, []
            self.reached += len(entries)
            total += sum(self._checked_down(entry) for entry in entries)
            for number, times in sample_by_weight(
                np.array([e.weight for e in entries]), self.lines, self.rng
            ):
                entry = entries[number]
                total += self._follow(entry.state, entry.theirs * times, entry.mine)
                total -= self._checked_down(entry) * times
        return total

    def _follow(self, state: HoldemState, theirs: F64, mine: F64) -> float:
        """What is won before another street begins; lines that reach one are noted."""
        weight = pairs_times_pot(state, theirs, mine)
        if weight <= 0:
            return 0.0
        if state.actor == TERMINAL or (state.actor == CHANCE and not state.betting.queue):
            return self._end(state.betting, len(state.board), theirs, mine)
        if weight < self.min_share * self._whole:
            stays = weight / (self.min_share * self._whole)
            if self.rng.random() >= stays:
                return 0.0
            theirs = theirs / stays
        if state.actor == CHANCE:
            card = self.board[len(state.board) : len(state.board) + 1]
            after = state.deal(list(card))
            there = without(theirs, card), without(mine, card)
            self._entries.append(_Entry(after, *there, pairs_times_pot(after, *there)))
            return 0.0
        if state.actor == self.seat:
            tokens, chosen = self._decide(state, theirs, mine)
            return sum(
                self._follow(state.after(token), theirs, np.where(chosen == number, mine, 0.0))
                for number, token in enumerate(tokens)
            )
        actions, chances = self._answer(state)
        return sum(
            self._follow(state.after(action), theirs * chances[:, number], mine)
            for number, action in enumerate(actions)
        )

    def _answer(self, state: HoldemState) -> tuple[tuple[Action, ...], F64]:
        if state.history not in self._answers:
            self.asked += 1
            self._answers[state.history] = self.policy(state)
        return self._answers[state.history]

    def _decide(self, state: HoldemState, theirs: F64, mine: F64) -> tuple[list[Action], I64]:
        """The exploiter's actions and which of them each hand takes."""
        betting, cards = state.betting, len(state.board)
        met = meets(theirs)
        tokens: list[Action] = [CALL, *([FOLD] if betting.to_call else [])]
        won = self._won(cards, theirs)
        values = [won * (betting.pot + betting.to_call) - met * betting.to_call]
        values += [np.zeros(NUM_COMBOS)] * (len(tokens) - 1)
        allowed = betting.raise_range()
        for amount in sorted(
            {amount_of(size, betting, allowed) for size in self.raises if allowed}
        ):
            token = f"r{amount}"
            put = amount - betting.bets[self.seat]
            asks = min(put - betting.to_call, betting.stacks[1 - self.seat])
            actions, chances = self._answer(state.after(token))
            folds = chances[:, actions.index(FOLD)] if FOLD in actions else 0.0
            staying = theirs * (1.0 - folds)
            stays = meets(staying)
            called = self._won(cards, staying) * (betting.pot + put + asks) - stays * put
            tokens.append(token)
            values.append((met - stays) * betting.pot + called)
        return tokens, np.argmax(np.stack(values), axis=0)

    def _checked_down(self, entry: _Entry) -> float:
        """What a line would win if betting ended there, on this board."""
        theirs, mine = (without(weights, self.board) for weights in (entry.theirs, entry.mine))
        return self._end(entry.state.betting, 5, theirs, mine)

    def _end(self, betting: Betting, cards: int, theirs: F64, mine: F64) -> float:
        """What is won where the betting is over, with that many cards on the board."""
        won = end_values(betting, self.seat, theirs, partial(self._won, cards))
        return float(mine @ won) / _num_pairs(cards)

    def _won(self, cards: int, theirs: F64) -> F64:
        """(1326,) the weight that each hand wins of what it meets if betting ends here."""
        if cards not in self.shares:
            self.shares[cards] = pot_share_table(self.board[:cards])
        return (self.shares[cards] @ theirs.astype(np.float32)).astype(np.float64)


def sample_by_weight(weight: F64, count: int, rng: np.random.Generator) -> list[tuple[int, float]]:
    """Sample about `count` indices with probability proportional to `weight`.

    Returns pairs of index and importance weight, the inverse of the probability of being sampled;
    an index whose probability would exceed one is always there.
    """
    if not count or count >= len(weight):
        return [(number, 1.0) for number in range(len(weight))]
    there = np.zeros(len(weight))
    while True:
        rest = there < 1
        free = count - int((~rest).sum())
        there[rest] = free * weight[rest] / max(float(weight[rest].sum()), 1e-300)
        if not (there[rest] > 1).any():
            break
        there = np.where(there > 1, 1.0, np.where(rest, 0.0, there))
    marks = np.floor(np.append(0.0, np.cumsum(there)) + rng.random() + 1e-12)
    return [(int(n), 1 / there[n]) for n in np.flatnonzero(np.diff(marks) > 0)]


class BlueprintLines:
    """Lines to a street of any board; those before the flop are followed once for all boards."""

    def __init__(self, blueprint: Blueprint) -> None:
        self.blueprint = blueprint
        start = blueprint.rules.with_hands([[], []])
        every = np.ones(NUM_COMBOS)
        self._to_the_flop = self._street_ends([(Point(start, (every, every)), 0)])

    def to(self, street: int, board: tuple[int, ...]) -> list[Point]:
        """Every betting line that reaches `street`, with both ranges at that point.

        Lines that ended earlier are omitted.
        """
        here, dealt = self._to_the_flop, 0
        for count in self.blueprint.rules.board_cards[1 : street + 1]:
            cards = board[dealt : dealt + count]
            dealt += count
            here = [(point.dealt(cards), node) for point, node in here]
            if dealt < len(board):
                here = self._street_ends(here)
        return [point for point, _ in here if point.weight > 0]

    def _street_ends(self, points: list[tuple[Point, int]]) -> list[tuple[Point, int]]:
        """The points, with their nodes in the blueprint's tree, at which the street is over."""
        tree, ends, waiting = self.blueprint.abstract.tree, [], list(reversed(points))
        while waiting:
            point, node = waiting.pop()
            state = point.state
            if state.actor == TERMINAL or not state.betting.queue or point.weight <= 0:
                continue
            if state.actor == CHANCE:
                ends.append((point, node))
                continue
            buckets = self.blueprint.whole_board(state.board, state.betting.street)
            chances = self.blueprint.at(node, buckets)
            for number, amount in enumerate(tree.actions(node).tolist()):
                after = point.after(action_text(amount), chances[:, number])
                waiting.append((after, tree.child(node, number)))
        return ends


@dataclass(frozen=True)
class LineDraw:
    """A board and a line to one of its streets, sampled from all lines that reach it."""

    number: int
    board: str
    line: str
    chance: float  # The probability with which this line was sampled
    lines: int  # How many reach the street

    def as_dict(self) -> dict[str, Any]:
        """For a file of draws."""
        return asdict(self)


def run_draws(
    draws: int,
    play: Callable[[Sequence[int]], Iterable[T]],
    progress: Callable[[int], None] | None = None,
) -> tuple[T, ...]:
    """All draws; `play` makes those of given numbers, in order."""
    if draws < 2:
        raise ParameterError(f"An interval needs at least 2 boards, not {draws}.")
    results: list[T] = []
    for one in play(range(draws)):
        results.append(one)
        if progress is not None:
            progress(len(results))
    return tuple(results)
