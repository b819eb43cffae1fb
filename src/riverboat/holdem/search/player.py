"""`search:FILE`: plays by a blueprint before the flop and re-solves the rest of the hand.

At a decision both ranges are tracked through the hand, and the rest is laid out as a spot with the
real pot, stacks and bets: all hands, on turn and river all cards to come, on the flop the betting
with the blueprint's values at its end. An off-tree bet is added and the street is solved again. The
same hand gives the same answer: trees and iterations depend on the hand alone, and time only cuts a
solve short. Options: `?seconds=3&threads=1&sizes=0.5p,1p,a&safe=1`; with `preflop=FILE` a solution
or book takes the blueprint's place before the flop, and its ranges are those of the flop.

The answer comes by the clock: the search runs in a process of its own (worker.py); where it is late
the blueprint answers. On a new flop that takes 15 ms of CPU time, next to ten busy processes half a
second, so it is computed in the background; where even that is late a rule of thumb plays
(fallback_action.py).

A coach says what the search would do, what each action is worth, and what both players may hold. It
knows no more than the person it advises: the ranges are those the search solved with or, where the
blueprint plays, those that follow from it by Bayes' rule.
"""

from __future__ import annotations

import time
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from riverboat.cards.combos import COMBO_CARDS, class_of_combos, combo_index
from riverboat.drawing.hand_grid import HandGrid, grid_of_combos, grid_of_range
from riverboat.errors import UsageError
from riverboat.games.base import Action, Game
from riverboat.holdem.blueprints.blueprint import Blueprint, sample_action
from riverboat.holdem.blueprints.shipped import blueprint_path
from riverboat.holdem.rules.state import Holdem, HoldemState, is_texas_holdem
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._range_tracking import normalise_max
from riverboat.holdem.search._worker import give_back, no_collection, take_worker, warm_up_states
from riverboat.holdem.search.searcher import Searcher, book_choices, open_book, real_action
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.players.coach import Advice
from riverboat.players.player import View
from riverboat.players.roster import PlayerSpec
from riverboat.runtime.array_types import F64, Bools


@dataclass(frozen=True)
class SearchAdvice(Advice):
    """Advice with both ranges."""

    ranges: tuple[HandGrid, HandGrid] | None = None
    """The own range, with what each hand would do, and the opponent's."""


def range_grids(
    searcher: Searcher,
    state: HoldemState,
    actions: tuple[Action, ...],
    chances: F64,
    at: SpotCursor | None,
) -> tuple[HandGrid, HandGrid]:
    """Both ranges at `state`: of the player who acts, who mixes by `chances` (1326, A),
    and of the opponent. `at` is the solved point, None where the blueprint plays.
    """
    me = state.actor
    if at is not None:
        reach = at.reach
    else:
        here = state.betting.street + 1
        reach = searcher.first_start(state, here)[0].weights
    possible = _free_of(state.board)
    mine, theirs = (
        normalise_max(np.where(possible, np.clip(reach[player], 0.0, None), 0.0))
        for player in (me, 1 - me)
    )
    # The opponent's range is seen from the person's seat: without the person's own cards.
    free = _free_of((*state.board, *state.holes[me]))
    used = [number for number in range(len(actions)) if chances[possible, number].any()]
    kept = [actions[number] for number in used]
    labels = [state.action_words(action) for action in kept]
    classes = class_of_combos()
    own = grid_of_combos("your range", kept, labels, chances[:, used], mine, possible, classes)
    return own, grid_of_range("your opponent's range", theirs, free, classes)


def _free_of(cards: tuple[int, ...]) -> Bools:
    """(1326,) which hands hold none of the cards."""
    return np.asarray(~np.isin(COMBO_CARDS, cards).any(axis=1))


class SearchPlayer:
    """Samples from the strategy that a search in another process finds."""

    def __init__(self, spec: PlayerSpec, game: Holdem, blueprint: Blueprint) -> None:
        blueprint.check_game(game, spec.text)
        self.name, self.game, self.blueprint = spec.text, game, blueprint
        self.options = SearchOptions.read(spec.options, spec.text)
        self.book = open_book(self.options, game)
        for state in warm_up_states(blueprint):
            hands = [(1, 2), (3, 4)]
            here = state.game.resume(hands, state.board, state.history)
            blueprint.choices(here)
            blueprint.fallback_choices(here)
        self._background = ThreadPoolExecutor(1)
        self.sources: Counter[str] = Counter()
        """How many decisions after the deal came from "search", "blueprint" and "fallback"."""
        path = blueprint_path(spec.argument)
        book = self.options.preflop
        changed = 0 if book in ("", "shipped") else Path(book).stat().st_mtime_ns
        key = (game, path, path.stat().st_mtime_ns, self.options, changed)
        self._worker = take_worker(key, game, str(path), spec.options)
        weakref.finalize(self, give_back, key, self._worker)

    def chances(self, view: View) -> dict[Action, float]:
        """Each action it may take here with its probability, by its clock."""
        begin = time.perf_counter()
        with no_collection():
            state = self.game.observed(view.player, view.infoset)
            if not state.board:
                known = book_choices(self.book, state)
                return known or self.blueprint.choices(state, self.options.salt)
            usual = self._background.submit(self.blueprint.choices, state, self.options.salt)
            # An answer is ready from the first moment: at the end of the wait nothing is computed.
            ready = self.blueprint.fallback_choices(state)
            chosen = None
            if state.betting.street >= self.options.first_street:
                chosen = self._worker.ask(view.player, view.infoset, begin, self.options.seconds)
            if chosen is not None:
                self.sources["search"] += 1
                return chosen
            due = self._worker.punctuality.due(begin, self.options.seconds)
            remaining = due - time.perf_counter()
            try:
                chances = usual.result(max(0.0, remaining))
                self.sources["blueprint"] += 1
            except TimeoutError:
                chances = ready
                self.sources["fallback"] += 1
        return chances

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        return sample_action(self.chances(view), rng)


class SearchCoach:
    """Says what the search would do and, where it solved the rest, the EV of each move."""

    def __init__(self, game: Holdem, searcher: Searcher) -> None:
        searcher.blueprint.check_game(game)
        self.game, self.searcher, self.strategy = game, searcher, searcher.blueprint

    def advise(self, view: View) -> SearchAdvice:
        state = self.game.observed(view.player, view.infoset)
        actions, chances = self.searcher.all_hands(state)
        hand = combo_index(*state.holes[state.actor])
        mix = dict(zip(actions, chances[hand].tolist(), strict=True))
        at = self.searcher.cursor_at(state)
        values: dict[Action, float] = {}
        if at is not None:
            row = np.flatnonzero(at.combos(state.actor) == hand)
            if len(row):
                evs = at.action_evs()[:, int(row[0])].tolist()
                values = {
                    real_action(action, state): value
                    for action, value in zip(at.bet_actions, evs, strict=True)
                    if np.isfinite(value)
                }
        grids = range_grids(self.searcher, state, actions, chances, at)
        by_book = at is None and book_choices(self.searcher.book, state) is not None
        source = "search" if at is not None else "book" if by_book else "blueprint"
        return SearchAdvice(view, mix, values, source, grids)


def search_player(game: Game, spec: PlayerSpec, blueprint: Blueprint | None = None) -> SearchPlayer:
    """`search[:FILE][?seconds=3&…]`: a blueprint refined by search after the deal of the flop.

    It is ready to answer in time when it is returned: with an empty cache compiling takes about a
    minute here. Where the file was read already it can be given as `blueprint`.
    """
    if not is_texas_holdem(game):
        raise UsageError(f"The player {spec.text!r} plays holdem, not {game.name}.")
    blueprint = Blueprint.load(spec.argument) if blueprint is None else blueprint
    return SearchPlayer(spec, game, blueprint)
