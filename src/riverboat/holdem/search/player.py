"""What a thinking coach says: the mix and its worth, and what both players may hold.

The ranges are those that the search solved with, or where the blueprint plays those that follow
from it by Bayes' rule. A coach knows no more than the person it sits behind: the opponent's range
is what he may hold after what he did, and the own one is what he must think of the person's.

Compiles what the searching player needs, before any clock runs.

Kernels are compiled when they are first called and then kept on the disk. With an empty cache that
takes about a minute, far more than a decision may. So a small hand is thought through once when
the first searching player of a process is made: a flop, a turn and a river, each with a bet that
is not in the tree. With all kernels on the disk it takes about a second.

`search:FILE`: plays by a blueprint before the flop and thinks about the rest of the hand.

At a decision it follows both ranges through the hand, lays out the rest as a spot with the real
pot, stacks and bets, and solves it: all hands, on turn and river all cards to come, on the flop
the betting with the blueprint's values behind it. A bet that is not in the tree it solved before
is added, and the street is solved again. The same hand gives the same answer: trees and iterations
depend on the hand alone, and time only cuts a solve short. What has to be compiled is compiled
when the player is made. Options: `?seconds=3&threads=1&sizes=0.5p,1p,a&safe=1`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS, class_of_combos, combo_index
from riverboat.drawing.hand_grid import HandGrid, grid_of_combos, grid_of_range
from riverboat.errors import UsageError
from riverboat.games.base import Action, Game
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.holdem.search.options import SearchOptions
from riverboat.holdem.search.range_tracking import blueprint_start, likeliest_at_one
from riverboat.holdem.search.resolving_cuda import ready_usual
from riverboat.holdem.search.searcher import Searcher, real_action
from riverboat.holdem.spots.bet_sizes import ALL_IN
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.players.coach import Advice
from riverboat.players.player import View
from riverboat.players.roster import PlayerSpec

__all__ = ["SearchAdvice", "SearchCoach", "SearchPlayer", "range_grids", "search_player", "warm_up"]


Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class SearchAdvice(Advice):
    """Advice with both ranges."""

    ranges: tuple[HandGrid, HandGrid] | None = None
    """The own range, with what each hand would do, and the opponent's."""


def range_grids(
    searcher: Searcher,
    state: HoldemState,
    actions: tuple[Action, ...],
    chances: Doubles,
    at: SpotCursor | None,
) -> tuple[HandGrid, HandGrid]:
    """Both ranges where `state` stands: of the player who acts, who mixes by `chances` (1326, A),
    and of his opponent. `at` is the solved point, None where the blueprint plays.
    """
    me = state.actor
    if at is not None:
        reach = at.reach
    else:
        here = state.betting.street + 1
        reach = blueprint_start(searcher.blueprint, state, here, searcher.options.salt)[0].weights
    possible = _free_of(state.board)
    mine, theirs = (
        likeliest_at_one(np.where(possible, np.clip(reach[player], 0.0, None), 0.0))
        for player in (me, 1 - me)
    )
    # What he may hold is seen from the person's seat: none of the person's own cards.
    left = _free_of((*state.board, *state.holes[me]))
    used = [number for number in range(len(actions)) if chances[possible, number].any()]
    kept = [actions[number] for number in used]
    labels = [state.action_words(action) for action in kept]
    classes = class_of_combos()
    own = grid_of_combos("your range", kept, labels, chances[:, used], mine, possible, classes)
    return own, grid_of_range("your opponent's range", theirs, left, classes)


def _free_of(cards: tuple[int, ...]) -> NDArray[np.bool_]:
    """(1326,) which hands hold none of the cards."""
    return np.asarray(~np.isin(COMBO_CARDS, cards).any(axis=1))


BOARD = (41, 23, 0, 30, 6)
"""Any cards."""


_done: set[tuple[Holdem, bool, bool]] = set()


def warm_up(blueprint: Blueprint, options: SearchOptions) -> None:
    """Make all kernels ready that a player with these options may call; once in a process."""
    rules, kind = blueprint.rules, (blueprint.rules, options.flop, options.safe)
    if kind not in _done:
        small = SearchOptions(
            sizes=(ALL_IN,), iterations=1, flop=options.flop, safe=options.safe, seconds=3.0
        )
        searcher = Searcher(blueprint, small, clock=False)
        for history, cards in _hand(blueprint):
            searcher.all_hands(rules.resume([[], []], BOARD[:cards], history))
        _done.add(kind)
    if options.device == "cuda":
        ready_usual(options, min(rules.betting_rules.stacks), rules.big_blind)


def _hand(blueprint: Blueprint) -> list[tuple[str, int]]:
    """A hand with a large pot, where trees are small: betting and number of cards."""
    history, found = _opening(blueprint), []
    for cards in (3, 4, 5):
        found.append((history, cards))
        state = blueprint.rules.resume([[], []], BOARD[:cards], history + "c")
        allowed = state.betting.raise_range()
        if allowed is not None and allowed[0] < allowed[1]:
            found.append((f"{history}cr{allowed[0]}", cards))
        history += "cc/"
    return found


def _opening(blueprint: Blueprint) -> str:
    """Two of the blueprint's largest raises that are not all-in, and calls up to the flop."""
    tree, state = blueprint.abstract.tree, blueprint.rules.resume([[], []], (), "")
    node, raises = 0, 0
    while state.betting.street == 0 and state.actor >= 0:
        allowed, amounts = state.betting.raise_range(), tree.actions(node).tolist()
        some = [a for a in amounts if allowed is not None and 0 < a < allowed[1]]
        token = f"r{some[-1]}" if some and raises < 2 else "c"
        raises += token != "c"
        node = tree.child(node, amounts.index(some[-1] if token != "c" else 0))
        state = state.after(token)
    return state.history if state.history.endswith("/") else state.history + "/"


def _combo(state: HoldemState) -> int:
    low, high = sorted(state.holes[state.actor])
    return combo_index(low, high)


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

    def advise(self, view: View) -> SearchAdvice:
        state = self.game.observed(view.player, view.infoset)
        actions, chances = self.searcher.all_hands(state)
        mix = dict(zip(actions, chances[_combo(state)].tolist(), strict=True))
        at = self.searcher.look(state)
        values: dict[Action, float] = {}
        if at is not None:
            place = np.flatnonzero(at.combos(state.actor) == _combo(state))
            if len(place):
                evs = at.action_evs()[:, int(place[0])].tolist()
                values = {
                    real_action(action, state): value
                    for action, value in zip(at.bet_actions, evs, strict=True)
                    if np.isfinite(value)
                }
        grids = range_grids(self.searcher, state, actions, chances, at)
        source = "search" if at is not None else "blueprint"
        return SearchAdvice(view, mix, values, source, grids)


def search_player(game: Game, spec: PlayerSpec, blueprint: Blueprint | None = None) -> SearchPlayer:
    """`search[:FILE][?seconds=3&…]`: a blueprint that thinks after the deal of the flop.

    It is ready to answer in time when it is returned: with an empty cache compiling takes about a
    minute here. The file is read unless its `blueprint` is given.
    """
    if not isinstance(game, Holdem):
        raise UsageError(f"The player {spec.text!r} plays holdem, not {game.name}.")
    options = SearchOptions.read(spec.options, spec.text)
    blueprint = Blueprint.load(spec.argument) if blueprint is None else blueprint
    player = SearchPlayer(spec.text, game, Searcher(blueprint, options))
    warm_up(blueprint, options)
    return player
