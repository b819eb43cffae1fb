"""The flop as a street of the searcher: solved like the turn, and the turn goes on from it."""

from __future__ import annotations

from functools import cache

import numpy as np

from riverboat.cards.card import parse_cards
from riverboat.cards.combos import COMBO_CARDS
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._range_tracking import blueprint_start, normalise_max
from riverboat.holdem.search._worker import warm_up_states
from riverboat.holdem.search.searcher import Searcher, real_action


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
    at = _searcher().cursor_at(state)
    assert at is not None
    assert (at.pot, at.stacks) == (40, (80, 80))
    start, _ = blueprint_start(_searcher().blueprint, state, 1)
    live = ~np.isin(COMBO_CARDS, start.board).any(axis=1)
    for player in (0, 1):
        assert np.allclose(at.reach[player][live], start.weights[player][live])


def test_the_turn_begins_with_the_ranges_that_the_flop_was_solved_for() -> None:
    flop = _searcher().cursor_at(_at("r6r20c/", "Qs7h2d"))
    assert flop is not None
    end = flop.play("check").play("check")
    turn = _searcher().cursor_at(_at("r6r20c/cc/", "Qs7h2d9c"))
    assert turn is not None
    assert (turn.pot, turn.stacks) == (40, (80, 80))
    live = ~np.isin(COMBO_CARDS, turn.board).any(axis=1)
    for player in (0, 1):
        expected = normalise_max(np.where(live, end.reach[player], 0.0))
        assert np.allclose(turn.reach[player], expected, atol=1e-6)


def test_a_bet_that_the_tree_does_not_have_solves_the_flop_again_with_it() -> None:
    state = _at("r6r20c/cr13", "Qs7h2d")
    at = _searcher().cursor_at(state)
    assert at is not None
    assert at.node_id == "r:0:c:b13"
    assert {real_action(action, state) for action in at.bet_actions} == {"f", "c", "r80"}
    first = _searcher().cursor_at(_at("r6r20c/", "Qs7h2d"))
    assert first is not None
    # His own check stays what he really played by, with each hand.
    again = at.root
    checks = [action.letter for action in first.bet_actions].index("X")
    assert np.allclose(again.strategies[checks], first.strategies[checks], atol=1e-6)


def test_before_the_flop_the_blueprint_plays() -> None:
    assert _searcher().cursor_at(_at("r6", "")) is None


def test_the_hand_that_compiles_everything_reaches_every_street_of_the_blueprint() -> None:
    """Where the blueprint's tree had no such flop nothing of it would be compiled."""
    blueprint = Blueprint.load("shipped")
    states = warm_up_states(blueprint)
    assert [len(state.board) for state in states] == [3, 3, 4, 4, 5, 5]
    for state in states:
        street = len(state.board) - 2
        assert state.betting.street == street
        trail = blueprint_start(blueprint, state, street)[1]
        assert trail.position(blueprint.abstract.tree).on_tree


def test_a_decision_left_to_the_blueprint_stays_with_it() -> None:
    """Later streets start from what the blueprint played."""
    blueprint, state = _searcher().blueprint, _at("r4c/", "Qs7h2d")
    searcher = Searcher(blueprint, SearchOptions(iterations=1), clock=False)
    searcher.leave_to_blueprint(state)
    assert searcher.cursor_at(state) is None
    actions, chances = searcher.all_hands(state)
    theirs, expected = blueprint.all_hands(state)
    assert actions == theirs
    assert np.array_equal(chances, expected)
