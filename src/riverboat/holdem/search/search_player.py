"""`search:FILE`: plays by a blueprint before the flop and thinks about the rest of the hand.

At a decision it follows both ranges through the hand, lays out the rest as a spot with the real
pot, stacks and bets, and solves it: all hands, on turn and river all cards to come, on the flop
the betting with the blueprint's values behind it. A bet that is not in the tree it solved before
is added, and the street is solved again. The same hand gives the same answer: trees and iterations
depend on the hand alone, and time only cuts a solve short. What has to be compiled is compiled
when the player is made. Options: `?seconds=3&threads=1&sizes=0.5p,1p,a&safe=1`.
"""

from __future__ import annotations

import numpy as np

from riverboat.cards.combos import combo_index
from riverboat.errors import UsageError
from riverboat.games.base import Action, Game
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.holdem.search.search_advice import SearchAdvice, range_grids
from riverboat.holdem.search.search_options import SearchOptions
from riverboat.holdem.search.search_warm_up import warm_up
from riverboat.holdem.search.searcher import Searcher, real_action
from riverboat.players.player import View
from riverboat.players.roster import PlayerSpec

__all__ = ["SearchCoach", "SearchPlayer", "search_player"]


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
