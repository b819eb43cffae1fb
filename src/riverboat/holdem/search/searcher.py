"""Re-solve the current street of a hand.

Ranges come from the blueprint on the first street and from the previous solution afterwards. Where
a flop cannot be solved the blueprint plays it, and the turn is the first street. A street is solved
when the player first acts on it. An off-tree bet triggers a nested re-solve (Brown and Sandholm
2017), in which the player's earlier decisions are locked to the strategy they were taken from, so
that the range is the real one. A solution depends on the hand alone, not on earlier hands.

A deadline ends a solve early; how an answer comes by the clock on a busy machine is worker.py's.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from riverboat.cards.card import card_text
from riverboat.cards.combos import NUM_COMBOS, combo_index
from riverboat.errors import UsageError
from riverboat.games.base import Action
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.translation import Trail
from riverboat.holdem.preflop.following import BookRanges
from riverboat.holdem.rules.betting import Street, nearest_action
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.holdem.search._options import SearchOptions, open_spot
from riverboat.holdem.search._range_tracking import (
    NOISE,
    StreetStart,
    actions_on_street,
    blueprint_start,
    normalise_max,
)
from riverboat.holdem.search._resolving import amount_of_action, blueprint_bound, held_nodes
from riverboat.holdem.search._street_search import FlopSearch
from riverboat.holdem.search._street_solve import solve_street
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.lines import line_of
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.tree import BetAction
from riverboat.runtime.array_types import F64
from riverboat.runtime.last_used import LastUsed

KEPT_NUMBERS = 60_000_000  # Of all solved streets that are remembered: a quarter of a gigabyte
MIN_REACH = 1e-6
"""Reach of hands the solution never takes to the next street, so that no hand is ruled out."""
MIN_ITERATIONS = 8
"""Below this many iterations a flop or turn solve is discarded and the blueprint acts instead."""
CATCH_UP_SHARE = 0.4
"""Share of the remaining time for an earlier decision of a hand first seen in the middle."""
SOLVE_SHARE = 0.93  # Share of the time for a decision after which a solve should end
BOUND_TIME_SHARE = 0.6  # Share of the remaining time to wait for the opponent's bound
Bound = Future[F64 | None] | None


@dataclass(frozen=True, eq=False)
class SolvedStreet:
    """A street that was thought through."""

    start: StreetStart
    spot: SolvedSpot
    menu: int  # Which sizes its tree has
    iterations: int
    bounded: bool
    whole: bool = True
    """Whether the streets after it were solved with it; else their values are estimates."""

    @property
    def numbers(self) -> int:
        """The number of values kept in memory."""
        roots = sum(storage.size for storage in (self.spot.next_roots or {}).values())
        kept = sum(len(storage.values) for storage in self.spot.averages)
        return kept * (1 if self.spot.learned is None else 2) + roots


class _Decision(NamedTuple):
    """A street of a hand as `player` sees it after what was `done` on it."""

    state: HoldemState
    street: int
    done: tuple[Action, ...]
    player: int

    @property
    def key(self) -> tuple[object, ...]:
        """What the street is remembered by."""
        state, street = self.state, self.street
        board = state.board[: sum(state.game.board_cards[: street + 1])]
        return (street, self.player, board, *state.history.split("/")[:street], self.done)

    @property
    def own(self) -> list[tuple[Action, ...]]:
        """What was done before each decision of the player on this street, except this one."""
        return [self.done[:number] for number in range(len(self.done)) if number % 2 == self.player]


class Searcher:
    """Thinks about hands of one game with one blueprint.

    Without a `clock` no solve is cut short: measured on a busy machine, it plays as on a free one.
    """

    def __init__(
        self, blueprint: Blueprint, options: SearchOptions | None = None, *, clock: bool = True
    ) -> None:
        if blueprint.rules.players != 2 or blueprint.rules.betting_rules.fixed:
            raise UsageError("The player search needs a blueprint of heads-up no-limit hold'em.")
        self.blueprint, self.options = blueprint, options or SearchOptions()
        self.book = open_book(self.options, blueprint.rules)
        self._clock = clock
        self._solved: OrderedDict[tuple[object, ...], SolvedStreet | None] = OrderedDict()
        self._bounds: LastUsed[tuple[object, ...], tuple[StreetStart, Bound]] = LastUsed(16)
        self._late: dict[tuple[object, ...], None] = {}
        """Decisions the blueprint took because their solution was late."""
        self._flops = FlopSearch(blueprint, self.options)
        self._bound_pool = ThreadPoolExecutor(1)
        """Finds bounds: on a busy machine one may be late, and is then not waited for."""

    @property
    def first_street(self) -> int:
        """The first street that is searched."""
        return self.options.first_street

    def all_hands(self, state: HoldemState) -> tuple[tuple[Action, ...], F64]:
        """The acting player's actions and (1326, A) their probabilities with every hand."""
        at = self.cursor_at(state)
        if at is None:
            known = None if self.book is None else self.book.mixture(state)
            return known or self.blueprint.all_hands(state, self.options.salt)
        real = [real_action(action, state) for action in at.bet_actions]
        actions = list(dict.fromkeys(real))
        mixture = np.zeros((NUM_COMBOS, len(actions)))
        combos = at.combos(state.actor)
        for action, row in zip(real, at.strategies, strict=True):
            mixture[combos, actions.index(action)] += row
        missing = np.ones(NUM_COMBOS, bool)
        missing[combos] = False
        if missing.any():
            # Hands that its own solution never brings here: the blueprint plays them.
            theirs, chances = self.blueprint.all_hands(state, self.options.salt)
            for action in theirs:
                if action not in actions:
                    actions.append(action)
                    mixture = np.pad(mixture, ((0, 0), (0, 1)))
            for number, action in enumerate(theirs):
                mixture[missing, actions.index(action)] = chances[missing, number]
        return tuple(actions), mixture

    def chances(self, state: HoldemState) -> dict[Action, float]:
        """The acting player's actions with their probabilities for the hand they hold."""
        chosen = book_choices(self.book, state) or self.solved_chances(state)
        return chosen or self.blueprint.choices(state, self.options.salt)

    def solved_chances(
        self, state: HoldemState, deadline: float | None = None
    ) -> dict[Action, float] | None:
        """The solution's probabilities for the hand held; None where the blueprint plays it."""
        at = self.cursor_at(state, deadline)
        if at is None:
            return None
        rows = np.flatnonzero(at.combos(state.actor) == combo_index(*state.holes[state.actor]))
        if not len(rows):
            return None
        chances: dict[Action, float] = {}
        for action, chance in zip(at.bet_actions, at.strategies[:, rows[0]].tolist(), strict=True):
            real = real_action(action, state)
            chances[real] = chances.get(real, 0.0) + chance
        return chances

    def cursor_at(self, state: HoldemState, deadline: float | None = None) -> SpotCursor | None:
        """The solved point of a decision after the deal; None where the blueprint plays.

        The `deadline` is a moment of time.perf_counter, by default that of the options' seconds.
        """
        street = state.betting.street
        if street < self.first_street:
            return None
        if not self._clock:
            deadline = math.inf
        elif deadline is None:
            deadline = time.perf_counter() + SOLVE_SHARE * self.options.seconds
        done = actions_on_street(state, street)
        solved = self._street(_Decision(state, street, done, state.actor), deadline)
        return None if solved is None else walked(solved, done)

    def leave_to_blueprint(self, state: HoldemState) -> None:
        """Note that the blueprint took a decision because the solution was late.

        What was solved stays: later decisions reuse it.
        """
        street = state.betting.street
        done = actions_on_street(state, street)
        self._late[_Decision(state, street, done, state.actor).key] = None
        if len(self._late) > 10_000:
            self._late.clear()

    def first_start(self, state: HoldemState, street: int) -> tuple[StreetStart, Trail]:
        """Where a street begins by the book and the blueprint, and the blueprint's trail to it."""
        return blueprint_start(self.blueprint, state, street, self.options.salt, self.book)

    def _street(self, at: _Decision, deadline: float) -> SolvedStreet | None:
        """The street of a decision: solved before, or now.

        None for a decision that the blueprint takes, or took because time was over.
        """
        key = at.key
        if key in self._late:
            return None
        if key in self._solved:
            known = self._solved[key]
        else:
            before = None
            if at.own:  # what the player's last decision on this street was taken from
                before = self._street(at._replace(done=at.own[-1]), _sooner(deadline))
            if before is not None and has_line(before.spot, line_of(at.done, before.start.stack)):
                known = before
            else:
                known = self._think(at, before, deadline)
        self._solved[key] = known
        self._solved.move_to_end(key)
        while len(self._solved) > 1 and self._kept() > KEPT_NUMBERS:
            self._solved.popitem(last=False)
        return known

    def _kept(self) -> int:
        distinct = {id(street): street for street in self._solved.values() if street is not None}
        return sum(street.numbers for street in distinct.values())

    def _think(
        self, at: _Decision, before: SolvedStreet | None, deadline: float
    ) -> SolvedStreet | None:
        options, street, player = self.options, at.street, at.player
        if street == Street.FLOP and not options.exact_flop:
            return self._think_flop(at, before, deadline)
        start, bound = self._start(at.state, street, player, deadline)
        opened = open_spot(start, at.done, options, None if before is None else before.menu)
        held, last = [], None
        if before is not None:
            lines = [line_of(earlier, start.stack) for earlier in at.own]
            held, last = held_nodes(opened.layout, before.spot, player, lines), before.spot
        spot = solve_street(opened.layout, player, bound, held, options, street, deadline, last)
        iterations = int(spot.info["iterations"])
        enough = min(MIN_ITERATIONS, options.iterations_on(street))
        if iterations < enough and street < Street.RIVER:
            return None
        return SolvedStreet(start, spot, opened.menu, iterations, bound is not None)

    def _think_flop(
        self, at: _Decision, before: SolvedStreet | None, deadline: float
    ) -> SolvedStreet | None:
        """A flop up to the end of its betting, with the blueprint's values there."""
        start, trail = self.first_start(at.state, Street.FLOP)
        last = None if before is None else (before.spot, before.menu)
        solved = self._flops.solve(start, trail, at.done, at.player, last, deadline)
        if solved is None:
            return None
        spot, menu, bounded = solved
        return SolvedStreet(start, spot, menu, spot.info["iterations"], bounded, whole=False)

    def _start(
        self, state: HoldemState, street: int, player: int, deadline: float
    ) -> tuple[StreetStart, F64 | None]:
        """Where the street begins, and what the opponent may get at most, hand by hand."""
        other = 1 - player
        if street == self.first_street:
            return self._blueprint_start(state, street, other, None, deadline)
        done = actions_on_street(state, street - 1)
        last = self._street(_Decision(state, street - 1, done, player), _sooner(deadline))
        if last is None or not last.whole:
            return self._blueprint_start(state, street, other, last, deadline)
        at = walked(last, done).deal(card_text(state.board[street + 1]))
        # An opponent who plays otherwise may hold any hand: none is ruled out.
        reach = [np.maximum(normalise_max(at.reach[seat]), MIN_REACH) for seat in (0, 1)]
        put = round(at.node.put[0])
        start = StreetStart(
            street,
            state.board[: street + 2],
            last.start.pot + 2 * put,
            last.start.stack - put,
            (reach[0], reach[1]),
            last.start.dead,
        )
        if not self.options.safe:
            return start, None
        bound = np.full(NUM_COMBOS, np.nan)
        bound[at.combos(other)] = at.evs(other)
        return start, bound

    def _blueprint_start(
        self,
        state: HoldemState,
        street: int,
        other: int,
        last: SolvedStreet | None,
        deadline: float,
    ) -> tuple[StreetStart, F64 | None]:
        """Where a street begins that the blueprint would play from here on.

        The ranges are the blueprint's or, where the street before was solved, that solution's. The
        bound is the best response to the blueprint from here on; from a flop on it has too many
        lines and cards to be found in time.
        """
        key = (other, state.board[: street + 2], *state.history.split("/")[:street])

        def begin() -> tuple[StreetStart, Bound]:
            start, trail = self.first_start(state, street)
            if last is not None:
                start = _followed(start, last, actions_on_street(state, street - 1))
            if not self.options.safe or street == Street.FLOP:
                return start, None
            work = (self.blueprint, start, trail, other, self.options.seconds)
            return start, self._bound_pool.submit(blueprint_bound, *work)

        start, bound = self._bounds.get(key, begin)
        if bound is None:
            return start, None
        remaining = deadline - time.perf_counter()
        patience = None if remaining == math.inf else max(0.0, BOUND_TIME_SHARE * remaining)
        try:
            return start, bound.result(patience)
        except TimeoutError:
            return start, None


def open_book(options: SearchOptions, rules: Holdem) -> BookRanges | None:
    """The book of the options; one that does not fit the game is refused."""
    if not options.preflop:
        return None
    book = BookRanges.load(options.preflop)
    if reason := book.unfit(rules):
        raise UsageError(f"{options.preflop} does not fit: the table has {reason}.")
    return book


def book_choices(book: BookRanges | None, state: HoldemState) -> dict[Action, float] | None:
    """What a book does with the hand held; None where it does not know the decision."""
    mixture = None if book is None else book.mixture(state)
    if mixture is None:
        return None
    actions, chances = mixture
    hand = combo_index(*state.holes[state.actor])
    mix = zip(actions, chances[hand].tolist(), strict=True)
    return {action: chance for action, chance in mix if chance > 0}


def _sooner(deadline: float) -> float:
    """When to be done with an earlier decision that was not thought about when it came."""
    now = time.perf_counter()
    return deadline if deadline == math.inf else now + CATCH_UP_SHARE * max(0.0, deadline - now)


def _followed(start: StreetStart, last: SolvedStreet, done: tuple[Action, ...]) -> StreetStart:
    """The start with the ranges that the street before ended with, as it was solved.

    A thousandth of the ranges it began with stays, so that no hand is ruled out for good.
    """
    at = walked(last, done)
    weights = []
    for player in (0, 1):
        reach = normalise_max(np.clip(at.reach[player], 0, None))
        weights.append((1 - NOISE) * reach + NOISE * last.start.weights[player])
    return replace(start, weights=(weights[0], weights[1]))


def walked(solved: SolvedStreet, done: tuple[Action, ...]) -> SpotCursor:
    """The cursor after what was done on the street."""
    return solved.spot.at().along(line_of(done, solved.start.stack))


def has_line(spot: SolvedSpot, line: str) -> bool:
    """Whether a spot's tree has a line on its first street."""
    node = spot.tree.nodes[0]
    for word in filter(None, line.split("-")):
        labels = [action.label for action in node.actions]
        if word not in labels:
            return False
        node = spot.tree.nodes[node.children[labels.index(word)]]
    return True


def real_action(action: BetAction, state: HoldemState) -> Action:
    """A spot's action in the chips on the table."""
    return nearest_action(state.betting, amount_of_action(action))
