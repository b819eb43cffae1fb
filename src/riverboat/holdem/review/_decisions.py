"""A player's decisions in a hand: both ranges, and the EV of each action by a blueprint.

Ranges are tracked by Bayes' rule: each action multiplies a player's weights by the blueprint's
probability of it, hand by hand. No player is the blueprint, so a little of every hand is kept.
Before the flop a book, where it knows the hand, is asked instead: it has no buckets.

An action's value is that of the hand held against the range it meets, when both players follow the
blueprint afterwards: exact on the river, over every river card on the turn, over sampled runouts
before. Chips are those of the blueprint's game, scaled to the real pot. The figures are worth as
much as the blueprint: they are no exact EVs, and small differences mean little.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import COMBO_CARDS, class_of_combos, combo_index
from riverboat.cards.strength import BLOCKED, board_strengths
from riverboat.evaluation.estimates import Z95
from riverboat.games.base import Action
from riverboat.holdem.blueprints.betting_tree import COST, NODE_WIDTH
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.range_following import (
    BlueprintReader,
    abstract_shares,
    follow_hand,
)
from riverboat.holdem.blueprints.translation import Trail, real_action
from riverboat.holdem.preflop.following import BookPlace, BookRanges
from riverboat.holdem.review._value_kernels import RunoutHands, Strategy, values_below
from riverboat.holdem.rules.betting import FOLD, parse_betting
from riverboat.holdem.rules.state import HoldemState
from riverboat.runtime.array_types import F64, U32

MIN_SHARE = 0.01
"""Share of a range that must take each action of a line for a blueprint to say something of what
follows: it has hardly been trained on lines that are rarer."""
DOUBT = 0.02  # The part of a decision that follows no blueprint: any hand may do anything with it


@dataclass(frozen=True, eq=False)
class Moment:
    """A decision that was taken."""

    state: HoldemState
    action: Action
    trail: Trail
    ranges: F64  # (P, 1326) before the action
    street_ranges: F64  # (P, 1326) at the beginning of the street
    street_state: HoldemState
    street_actions: tuple[Action, ...]  # What was done on this street before
    later: tuple[Action, ...] = ()  # What is done on this street from here on, this action first
    book: BookPlace | None = None  # The decision in a book, before the flop
    min_share: float = 1.0
    """Of all actions so far the rarest one's share of the range that could take it. Where it is
    near 0 the strategy hardly ever reaches the decision."""

    @property
    def player(self) -> int:
        return self.state.actor

    @property
    def combo(self) -> int:
        """The hand held."""
        return combo_index(*self.state.holes[self.player])

    @property
    def opponents(self) -> list[int]:
        """The others who are still in the hand."""
        in_hand = self.state.betting.in_hand
        return [p for p, here in enumerate(in_hand) if here and p != self.player]


def followed(
    end: HoldemState, blueprint: Blueprint | None, player: int, book: BookRanges | None = None
) -> Iterator[Moment]:
    """The decisions of a player in a hand that ended in `end`.

    Without a blueprint nobody's range is known: every hand is as likely as any other. Before the
    flop those of the book count as far as it knows the hand.
    """
    actions = parse_betting(end.history.split("/")[0])
    known = [] if book is None else book.places(end.game, actions)
    moments = all_followed(end, blueprint, known)
    return (moment for moment in moments if moment.player == player)


def all_followed(
    end: HoldemState, blueprint: Blueprint | None, known: Sequence[BookPlace | None]
) -> Iterator[Moment]:
    """The decisions of all players; `known` are the first ones in a book, None where it is not."""
    game = end.game
    start = game.with_hands(end.holes)
    chances = [None if book_place is None else book_place.chances for book_place in known]
    reader = BlueprintReader(blueprint, start, known=chances)
    actions = [action for action in parse_betting(end.history) if action != "/"]
    trail, min_share, street = reader.trail, 1.0, -1
    for number, step in enumerate(
        follow_hand(start, actions, end.board, reader.chances, noise=DOUBT)
    ):
        state, action, ranges = step.state, step.action, step.possible_ranges
        if action is None or state.actor < 0 or (action == FOLD and not state.betting.to_call):
            return  # a fold where checking is free: no blueprint knows it
        if state.betting.street != street:
            street, street_ranges, street_state, first = state.betting.street, ranges, state, number
        yield Moment(
            *(state, action, trail, ranges, street_ranges, street_state),
            *(tuple(actions[first:number]), tuple(_same_street(state, actions[number:]))),
            *(known[number] if number < len(known) else None, min_share),
        )
        if step.chances is not None:
            weights = ranges[state.actor]
            share = float(weights @ step.chances) / max(float(weights.sum()), 1e-300)
            min_share = min(min_share, share)
        trail = reader.trail


def _same_street(state: HoldemState, tokens: list[Action]) -> Iterator[Action]:
    """The actions up to the end of the street."""
    for token in tokens:
        yield token
        if token == FOLD and not state.betting.to_call:
            return
        state = state.after(token)
        if state.actor < 0:
            return


SAMPLES = 24  # Runouts for a flop or preflop decision
KNOWN = 0.1  # An action that a blueprint takes so often counts for the best one
SEED = 17


@dataclass(frozen=True)
class ActionValue:
    """One action that could have been taken."""

    action: Action
    words: str
    chance: float  # How often the strategy takes it with this hand
    ev: float  # Chips won from this point on, those put in before left out


@dataclass(frozen=True)
class Judgement:
    """A decision, its actions and what was lost, in chips of the hand."""

    actions: tuple[ActionValue, ...]
    taken: ActionValue
    """What was done; where the strategy does not know the size, between its neighbours."""
    loss: float  # EV of the best action less that of the one taken; not below 0
    error: float
    """Bound of the loss's error: half the 95 % interval where runouts were sampled, and of a solved
    spot how far the loss may move when it is solved more finely. nan where no bound is known: a
    blueprint on turn and river counts every card, but is itself an approximation."""
    source: str

    best: ActionValue  # The best of what the strategy itself does


def book_judgement(moment: Moment) -> Judgement | None:
    """What a decision before the flop cost by the book.

    None where the book has no EV of it, or was not trained with that hand.
    """
    book_place = moment.book
    if book_place is None:
        return None
    hand, betting = class_of_combos()[moment.combo], moment.state.betting
    if not book_place.node.knows(int(hand)):
        return None
    mix, evs = book_place.node.frequencies[:, hand], book_place.values[:, hand]
    known = (mix >= min(KNOWN, float(mix.max()))) & ~np.isnan(evs)
    if np.isnan(evs[book_place.number]) or not known.any():
        return None
    actions = book_place.real_actions(betting)
    actions[book_place.number] = moment.action
    values = [
        ActionValue(action, moment.state.action_words(action), chance, ev)
        for action, chance, ev in zip(actions, mix.tolist(), evs.tolist(), strict=True)
    ]
    top_ev = int(np.argmax(np.where(known, evs, -np.inf)))
    best, taken = values[top_ev], values[book_place.number]
    error = float(
        np.hypot(book_place.errors[top_ev, hand], book_place.errors[book_place.number, hand])
    )
    shown = tuple(value for value in values if not np.isnan(value.ev))
    return Judgement(shown, taken, max(0.0, best.ev - taken.ev), error, "book", best)


@dataclass(eq=False)
class BlueprintValues:
    """A blueprint asked about decisions."""

    blueprint: Blueprint
    samples: int = SAMPLES
    min_chance: float = 2e-4  # Lines that come up less often are left out
    _boards: list[tuple[int, ...]] = field(default_factory=list)

    def chance_taken(self, moment: Moment) -> float | None:
        """How likely the blueprint does what was done with the hand held; None off its tree."""
        position = moment.trail.position(self.blueprint.abstract.tree)
        if not position.on_tree:
            return None
        row = self._mix(moment, position.node)
        taken = abstract_shares(self.blueprint, moment.trail, moment.action)
        return float(sum(share * row[number] for share, number in taken))

    def _mix(self, moment: Moment, node: int) -> F64:
        """(A,) what the blueprint does at the node with the hand held."""
        bucket = self.buckets(moment.state.board)[moment.combo]
        return np.asarray(self.blueprint.at(node, np.array([bucket], np.uint32))[0])

    def buckets(self, board: tuple[int, ...]) -> U32:
        """(1326,) the buckets of all hands on a board, the flop in any order."""
        return self.blueprint.buckets_on((*sorted(board[:3]), *board[3:]))

    def judge(self, moment: Moment) -> Judgement | None:
        """What the decision cost; None where the blueprint cannot say."""
        tree = self.blueprint.abstract.tree
        position = moment.trail.position(tree)
        if not position.on_tree or len(moment.opponents) != 1:
            return None
        rows, weights = self._values(moment, position.node)
        if not len(weights) or weights.sum() <= 0:
            return None
        cost = int(tree.nodes[NODE_WIDTH * position.node + COST])
        scale = moment.state.betting.pot / max(position.betting.pot, 1)
        evs = (rows.sum(axis=0) / weights.sum() + cost) * scale
        mix = self._mix(moment, position.node)
        readings = abstract_shares(self.blueprint, moment.trail, moment.action)
        betting, words = moment.state.betting, moment.state.action_words
        values = []
        for number, (ev, chance) in enumerate(zip(evs.tolist(), mix.tolist(), strict=True)):
            action = real_action(tree, position, number, betting)
            values.append(ActionValue(action, words(action), chance, ev))
        value = sum(share * values[number].ev for share, number in readings)
        chance = sum(share * values[number].chance for share, number in readings)
        taken = ActionValue(moment.action, words(moment.action), chance, value)
        # What a blueprint hardly ever does it has not learned to answer either, so that its EV
        # there means nothing.
        known = mix >= min(KNOWN, float(mix.max()))
        best = int(np.argmax(np.where(known, evs, -np.inf)))
        gaps = rows[:, best] - sum(share * rows[:, number] for share, number in readings)
        loss = max(0.0, values[best].ev - value)
        sampled = len(moment.state.board) < 4
        error = _half_width(gaps, weights) * scale if sampled else math.nan
        return Judgement(_merged(values), taken, loss, error, "blueprint", values[best])

    def _values(self, moment: Moment, node: int) -> tuple[F64, F64]:
        """Per runout what each action comes to (R, A), and the weight of what is met there (R,)."""
        tree, blueprint = self.blueprint.abstract.tree, self.blueprint
        strategy = Strategy(
            tree.nodes, tree.children, tree.leaves, blueprint.slot_starts, tree.strides // 2,
            blueprint.weights,
        )  # fmt: skip
        hero, (opponent,) = moment.player, moment.opponents
        hand = moment.state.holes[hero]
        reach = np.where(np.isin(COMBO_CARDS, hand).any(axis=1), 0.0, moment.ranges[opponent])
        combo, rows, weights = moment.combo, [], []
        shape, streets = (tree.depth + 1, tree.widest), len(blueprint.rules.board_cards)
        for board in self._runouts(moment.state.board, hand):
            strengths = board_strengths(board).astype(np.int64)
            here = np.flatnonzero((reach > 0) & (strengths != BLOCKED))
            if not len(here):
                continue
            buckets = np.stack([self.buckets(board[:size]) for size in (0, 3, 4, 5)[:streets]])
            outcome = np.sign(strengths[combo] - strengths[here]).astype(np.int8)
            runout = RunoutHands(
                np.ascontiguousarray(buckets[:, combo]),
                np.ascontiguousarray(buckets[:, here]),
                reach[here],
                outcome,
            )
            out = np.zeros(len(tree.actions(node)))
            values_below(strategy, node, (hero, opponent), runout, shape, self.min_chance, out)
            rows.append(out)
            weights.append(float(reach[here].sum()))
        return np.array(rows), np.array(weights)

    def _runouts(self, board: tuple[int, ...], hand: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Whole boards: the one that lies there, every river, or a sample that stays the same."""
        if len(board) == 5:
            yield board
            return
        unseen = [card for card in range(NUM_CARDS) if card not in board and card not in hand]
        if len(board) == 4:
            yield from ((*board, card) for card in unseen)
            return
        if not board:
            # The same boards for every hand: their buckets are worked out once.
            if not self._boards:
                rng = np.random.default_rng(SEED)
                dealt = [rng.permutation(NUM_CARDS)[:5] for _ in range(2 * self.samples)]
                self._boards = [tuple(int(card) for card in cards) for cards in dealt]
            free = [whole for whole in self._boards if not set(whole) & set(hand)]
            yield from free[: self.samples]
            return
        rng = np.random.default_rng([SEED, *board])
        for _ in range(self.samples):
            yield (*board, *(int(card) for card in rng.permutation(unseen)[:2]))


def _half_width(gaps: F64, weights: F64) -> float:
    """Half the 95 % interval of a ratio of means."""
    count = len(gaps)
    if count < 2:
        return 0.0
    ratio = gaps.sum() / weights.sum()
    spread = float(np.sqrt(((gaps - ratio * weights) ** 2).sum() / (count - 1) / count))
    return Z95 * spread / float(weights.mean())


def _merged(values: list[ActionValue]) -> tuple[ActionValue, ...]:
    """Actions that come to the same in the chips that are left are one; the better EV counts."""
    by_action: dict[Action, ActionValue] = {}
    for value in values:
        before = by_action.get(value.action)
        if before is None:
            by_action[value.action] = value
        else:
            ev, chance = max(before.ev, value.ev), before.chance + value.chance
            by_action[value.action] = ActionValue(value.action, value.words, chance, ev)
    return tuple(by_action.values())
