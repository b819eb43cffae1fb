"""`search:FILE`: plays by a blueprint up to the flop and solves the rest of the hand from the turn.

At a decision on the turn or river it follows both ranges through the hand, lays out the rest as a
spot with the real pot, stacks and bets, and solves it: all hands, all cards to come. A bet that is
not in the tree it solved before is added, and the street is solved again. On the flop it plays the
blueprint. The same hand gives the same answer: trees and iterations depend on the hand alone, and
time only cuts a solve short. Options: `?seconds=3&threads=1&sizes=0.5p,1p,a&safe=1`.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import NUM_COMBOS, combo_index
from riverboat.errors import UsageError
from riverboat.games.base import Action, Game
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.rules.actions import CALL, FOLD
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.holdem.search.blueprint_bounds import blueprint_bound
from riverboat.holdem.search.bounded_solver import BoundedSolver
from riverboat.holdem.search.hand_so_far import (
    StreetStart,
    blueprint_start,
    likeliest_at_one,
    line_of,
    tokens_on,
)
from riverboat.holdem.search.search_options import SearchOptions, open_spot
from riverboat.holdem.spots.solved_spot import SolvedSpot
from riverboat.holdem.spots.spot_cursor import SpotCursor
from riverboat.holdem.spots.spot_solver import SpotSolver
from riverboat.holdem.spots.spot_tree import BetAction
from riverboat.players.coach import Advice
from riverboat.players.player import View
from riverboat.players.roster import PlayerSpec

__all__ = ["SearchCoach", "SearchPlayer", "Searcher", "search_player"]

TURN, RIVER = 2, 3
KEPT = 64
"""Solved streets that are remembered: a match comes back to the hand it is in, not to others."""
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class _Solved:
    """A street that was thought through."""

    start: StreetStart
    spot: SolvedSpot
    iterations: int
    bounded: bool


class Searcher:
    """Thinks about hands of one game with one blueprint."""

    def __init__(self, blueprint: Blueprint, options: SearchOptions | None = None) -> None:
        if blueprint.rules.players != 2 or blueprint.rules.betting_rules.fixed:
            raise UsageError("The player search needs a blueprint of heads-up no-limit hold'em.")
        self.blueprint, self.options = blueprint, options or SearchOptions()
        self._solved: OrderedDict[tuple[object, ...], _Solved] = OrderedDict()

    def chances(self, state: HoldemState) -> dict[Action, float]:
        """The acting player's actions with their probabilities for the hand he holds."""
        at = self.look(state)
        if at is None:
            return self.blueprint.choices(state, self.options.salt)
        place = np.flatnonzero(at.combos(state.actor) == _combo(state))
        if not len(place):
            return self.blueprint.choices(state, self.options.salt)
        mix: dict[Action, float] = {}
        for action, chance in zip(
            at.bet_actions, at.strategies[:, int(place[0])].tolist(), strict=True
        ):
            real = _real(action, state)
            mix[real] = mix.get(real, 0.0) + chance
        return mix

    def look(self, state: HoldemState) -> SpotCursor | None:
        """The solved point of a decision on the turn or river; None where the blueprint plays."""
        if state.betting.street < TURN:
            return None
        deadline = time.perf_counter() + self.options.seconds
        return _walk(self._street(state, state.betting.street, deadline), state)

    def _street(self, state: HoldemState, street: int, deadline: float) -> _Solved:
        """The street solved with all that was done on it in the tree, now or before."""
        done = tokens_on(state, street)
        board = state.board[: sum(state.game.board_cards[: street + 1])]
        key = (
            street,
            state.actor if self.options.safe else -1,
            board,
            *state.history.split("/")[:street],
        )
        known = self._solved.get((*key, done)) or self._fitting(key, done)
        if known is None:
            known = self._think(state, street, done, deadline)
        self._solved[(*key, done)] = known
        while len(self._solved) > KEPT:
            self._solved.popitem(last=False)
        return known

    def _fitting(self, key: tuple[object, ...], done: tuple[Action, ...]) -> _Solved | None:
        """A solve of the same street made earlier in the hand that has this line in its tree."""
        for number in range(len(done) - 1, -1, -1):
            known = self._solved.get((*key, done[:number]))
            if known is not None and _has(known.spot, line_of(done, known.start.stack)):
                return known
        return None

    def _think(
        self, state: HoldemState, street: int, done: tuple[Action, ...], deadline: float
    ) -> _Solved:
        start, bound = self._start(state, street, deadline)
        arena, options = open_spot(start, done, self.options), self.options
        solver: SpotSolver
        if bound is None:
            solver = SpotSolver(arena, threads=options.threads)
        else:
            solver = BoundedSolver(arena, 1 - state.actor, bound, threads=options.threads)
        pooled = options.threads > 1 and arena.num_streets > 1
        with ThreadPoolExecutor(options.threads) if pooled else nullcontext() as pool:
            _run(solver, options.iterations_on(street), deadline, pool)
        averages = (solver.averages[0], solver.averages[1])
        spot = SolvedSpot(arena, averages, {"iterations": solver.iterations})
        return _Solved(start, spot, solver.iterations, bound is not None)

    def _start(
        self, state: HoldemState, street: int, deadline: float
    ) -> tuple[StreetStart, Doubles | None]:
        """Where the street begins, and what the opponent may get at most, hand by hand."""
        other = 1 - state.actor
        if street == TURN:
            start, trail = blueprint_start(self.blueprint, state, TURN, self.options.salt)
            safe = self.options.safe
            return start, blueprint_bound(self.blueprint, start, trail, other) if safe else None
        turn = self._street(state, TURN, deadline)
        at = _walk(turn, state, whole=True)
        reach = [likeliest_at_one(np.clip(at.reach[player], 0, None)) for player in (0, 1)]
        put = round(at.node.put[0])
        start = StreetStart(
            RIVER,
            state.board[:5],
            turn.start.pot + 2 * put,
            turn.start.stack - put,
            (reach[0], reach[1]),
        )
        if not self.options.safe:
            return start, None
        bound = np.full(NUM_COMBOS, np.nan)
        bound[at.combos(other)] = at.evs(other)
        return start, bound


def _run(
    solver: SpotSolver, iterations: int, deadline: float, pool: ThreadPoolExecutor | None
) -> None:
    """Iterate to the number, or as long as another iteration ends in time; once at least."""
    chunk, longest = 1, 0.0
    while solver.iterations < iterations:
        before = time.perf_counter()
        if solver.iterations and before + longest > deadline:
            return
        solver.step(min(chunk, iterations - solver.iterations), pool)
        took = time.perf_counter() - before
        if solver.arena.num_streets == 1:
            chunk = 10
        longest = max(longest, took) if solver.iterations > chunk else took


def _walk(solved: _Solved, state: HoldemState, *, whole: bool = False) -> SpotCursor:
    """The cursor after what was done on the street; with `whole` also after the river card."""
    at = solved.spot.at()
    line = line_of(tokens_on(state, solved.start.street), solved.start.stack)
    for word in filter(None, line.split("-")):
        at = at.play(word)
    if whole:
        from riverboat.cards.card import card_text

        at = at.deal(card_text(state.board[4]))
    return at


def _has(spot: SolvedSpot, line: str) -> bool:
    node = spot.tree.nodes[0]
    for word in filter(None, line.split("-")):
        labels = [action.label for action in node.actions]
        if word not in labels:
            return False
        node = spot.tree.nodes[node.children[labels.index(word)]]
    return True


def _combo(state: HoldemState) -> int:
    low, high = sorted(state.holes[state.actor])
    return combo_index(low, high)


def _real(action: BetAction, state: HoldemState) -> Action:
    """A spot's action in the chips on the table."""
    betting = state.betting
    if action.letter == "F":
        return FOLD if betting.to_call else CALL
    allowed = betting.raise_range()
    if action.letter in "XC" or allowed is None:
        return CALL
    return f"r{min(max(round(action.chips), allowed[0]), allowed[1])}"


class SearchPlayer:
    """Draws from what the searcher found."""

    def __init__(self, name: str, game: Holdem, searcher: Searcher) -> None:
        searcher.blueprint.check_game(game, name)
        self.name, self.game, self.searcher = name, game, searcher

    def chances(self, view: View) -> dict[Action, float]:
        """Each action it may take here with its probability."""
        return self.searcher.chances(self.game.observed(view.player, view.infoset))

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        chances = self.chances(view)
        mark, total = rng.random() * sum(chances.values()), 0.0
        for action, chance in chances.items():
            total += chance
            if mark < total:
                return action
        return max(chances, key=lambda action: chances[action])


class SearchCoach:
    """Says what the search would do and, where it solved the rest, what each move is worth."""

    def __init__(self, game: Holdem, searcher: Searcher) -> None:
        searcher.blueprint.check_game(game)
        self.game, self.searcher, self.strategy = game, searcher, searcher.blueprint

    def advise(self, view: View) -> Advice:
        state = self.game.observed(view.player, view.infoset)
        mix, at = self.searcher.chances(state), self.searcher.look(state)
        values: dict[Action, float] = {}
        if at is not None:
            place = np.flatnonzero(at.combos(state.actor) == _combo(state))
            if len(place):
                evs = at.action_evs()[:, int(place[0])].tolist()
                values = {
                    _real(action, state): value
                    for action, value in zip(at.bet_actions, evs, strict=True)
                    if np.isfinite(value)
                }
        return Advice(view, mix, values, source="search" if at is not None else "blueprint")


def search_player(game: Game, spec: PlayerSpec, blueprint: Blueprint | None = None) -> SearchPlayer:
    """`search[:FILE][?seconds=3&…]`: a blueprint that thinks on turn and river.

    The file is read unless its `blueprint` is given.
    """
    if not isinstance(game, Holdem):
        raise UsageError(f"The player {spec.text!r} plays holdem, not {game.name}.")
    options = SearchOptions.read(spec.options, spec.text)
    blueprint = Blueprint.load(spec.argument) if blueprint is None else blueprint
    return SearchPlayer(spec.text, game, Searcher(blueprint, options))
