"""The public tree of a strategy."""

import pytest

pytest.importorskip("nicegui")

from riverboat.games.registry import make_game
from riverboat.solvers.solve import solve
from riverboat.web.tree_walk import public_point


@pytest.fixture(scope="module")
def leduc():
    game = make_game("leduc")
    return game, solve(game, iterations=20).strategy


def test_all_hands_stand_at_a_public_point(leduc):
    game, strategy = leduc
    point = public_point(game, strategy, [])
    assert point.actor == 0
    assert [row.hand for row in point.rows] == sorted(game.deck)
    assert all(sum(row.chances.values()) == pytest.approx(1) for row in point.rows)


def test_the_board_is_chosen_and_then_belongs_to_nobody(leduc):
    game, strategy = leduc
    chance = public_point(game, strategy, ["c", "c"])
    assert chance.actor == -1
    assert {action for action, _ in chance.choices} == set(game.deck)
    after = public_point(game, strategy, ["c", "c", "Kh"])
    assert [row.hand for row in after.rows] == ["Jh", "Js", "Ks", "Qh", "Qs"]
    assert after.words == ("1: check", "2: check", "[Kh]")


def test_the_duel_shows_ten_down_cards():
    game = make_game("duel")
    point = public_point(game, solve(game, iterations=5).strategy, ["h", "7"])
    assert point.actor == 1
    assert [row.hand for row in point.rows] == [str(card) for card in range(1, 11)]


def test_a_way_that_is_none(leduc):
    game, strategy = leduc
    assert public_point(game, strategy, ["x"]) is None
    assert public_point(game, strategy, ["r", "f"]).actor == -2
    assert public_point(game, strategy, ["r", "f", "c"]) is None
