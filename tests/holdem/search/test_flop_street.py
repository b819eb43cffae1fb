"""The flop as a street of the searcher: solved like the turn, and the turn goes on from it."""

from __future__ import annotations

from functools import cache
from threading import Event
from typing import Any

import numpy as np

from riverboat.cards.card import parse_cards
from riverboat.cards.combos import COMBO_CARDS
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.search.options import SearchOptions
from riverboat.holdem.search.player import BOARD, _hand
from riverboat.holdem.search.range_tracking import blueprint_start, likeliest_at_one
from riverboat.holdem.search.searcher import Searcher, SolvedStreet, real_action


class _ToTheEnd(SearchOptions):
    """All-in or nothing, a tree so small that a flop is solved to the end."""

    @property
    def exact_flop(self) -> bool:
        return True


@cache
def _searcher() -> Searcher:
    options = _ToTheEnd.read({"sizes": "a", "iterations": "1"}, "search")
    return Searcher(Blueprint.load("shipped"), options, clock=False)


def _at(history: str, board: str) -> HoldemState:
    return _searcher().blueprint.rules.resume([[], []], parse_cards(board), history)


def test_the_flop_begins_with_the_blueprints_ranges_and_the_real_pot() -> None:
    state = _at("r6r20c/", "Qs7h2d")
    at = _searcher().look(state)
    assert at is not None
    assert (at.pot, at.stacks) == (40, (80, 80))
    start, _ = blueprint_start(_searcher().blueprint, state, 1)
    live = ~np.isin(COMBO_CARDS, start.board).any(axis=1)
    for player in (0, 1):
        assert np.allclose(at.reach[player][live], start.weights[player][live])


def test_the_turn_begins_with_the_ranges_that_the_flop_was_solved_for() -> None:
    flop = _searcher().look(_at("r6r20c/", "Qs7h2d"))
    assert flop is not None
    end = flop.play("check").play("check")
    turn = _searcher().look(_at("r6r20c/cc/", "Qs7h2d9c"))
    assert turn is not None
    assert (turn.pot, turn.stacks) == (40, (80, 80))
    live = ~np.isin(COMBO_CARDS, turn.board).any(axis=1)
    for player in (0, 1):
        expected = likeliest_at_one(np.where(live, end.reach[player], 0.0))
        assert np.allclose(turn.reach[player], expected, atol=1e-6)


def test_a_bet_that_the_tree_does_not_have_solves_the_flop_again_with_it() -> None:
    state = _at("r6r20c/cr13", "Qs7h2d")
    at = _searcher().look(state)
    assert at is not None
    assert at.node_id == "r:0:c:b13"
    assert {real_action(action, state) for action in at.bet_actions} == {"f", "c", "r80"}
    first = _searcher().look(_at("r6r20c/", "Qs7h2d"))
    assert first is not None
    # His own check stays what he really played by, with each hand.
    again = at.root
    checks = [action.letter for action in first.bet_actions].index("X")
    assert np.allclose(again.strategies[checks], first.strategies[checks], atol=1e-6)


def test_before_the_flop_the_blueprint_plays() -> None:
    assert _searcher().look(_at("r6", "")) is None


def test_the_hand_that_compiles_everything_reaches_every_street_of_the_blueprint() -> None:
    """Where the blueprint's tree had no such flop nothing of it would be compiled."""
    blueprint = Blueprint.load("shipped")
    steps = _hand(blueprint)
    assert [cards for _, cards in steps] == [3, 3, 4, 4, 5, 5]
    for history, cards in steps:
        state = blueprint.rules.resume([[], []], BOARD[:cards], history)
        assert state.betting.street == cards - 2
        assert (
            blueprint_start(blueprint, state, cards - 2)[1]
            .position(blueprint.abstract.tree)
            .on_tree
        )


class SlowSearcher(Searcher):
    """Does not begin to think before it may."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.may_begin = Event()

    def _street(self, *given: Any) -> SolvedStreet | None:
        self.may_begin.wait(60)
        return super()._street(*given)


def test_what_is_not_thought_through_in_time_the_blueprint_plays() -> None:
    blueprint, state = _searcher().blueprint, _at("r4c/", "Qs7h2d")
    searcher = SlowSearcher(blueprint, SearchOptions(seconds=0.05))
    actions, chances = searcher.all_hands(state)
    theirs, expected = blueprint.all_hands(state)
    assert actions == theirs
    assert np.array_equal(chances, expected)
    searcher.may_begin.set()
    # That decision was the blueprint's for good: later streets start from what it played.
    assert searcher.look(state) is None
