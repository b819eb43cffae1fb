"""The public tree of a strategy."""

import pytest

from riverboat.games.registry import make_game
from riverboat.solvers.solve import solve
from riverboat.web.app.colours import COLOURS, move_colours
from riverboat.web.solve.points import public_point


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


def test_how_often_play_comes_to_a_point_adds_up():
    """Over all ends of Kuhn the reaches add up to one, and so do the hands and steps at a point."""
    game = make_game("kuhn")
    strategy = solve(game, iterations=50).strategy
    ends = 0.0
    histories: list[tuple[str, ...]] = [()]
    while histories:
        point = public_point(game, strategy, histories.pop())
        if point.actor == -2:
            ends += point.reach
            continue
        histories += [(*point.history, action) for action, _ in point.choices]
        if point.reach > 0:
            assert sum(point.shares.values()) == pytest.approx(1)
            assert sum(row.held for row in point.rows) == pytest.approx(1)
    assert ends == pytest.approx(1)


def test_a_bet_with_uniform_cards_is_held_by_who_bets():
    """Bayes in Kuhn: after a bet of J with 1/3 and K always, the bettor holds K in 3 of 4 hands."""

    class Bets:
        game, parameters = "kuhn", {}

        def lookup(self, player, infoset):
            bet = {"J": 1 / 3, "Q": 0.0, "K": 1.0}[infoset[0]]
            return {"p": 1 - bet, "b": bet}

    point = public_point(make_game("kuhn"), Bets(), ["b"])
    assert point.reach == pytest.approx(4 / 9)
    # A third of the deals has each card; the caller's queen meets J or K, and so on.
    assert [row.held for row in point.rows] == pytest.approx([3 / 8, 1 / 8, 4 / 8])


@pytest.mark.parametrize("name", ["kuhn", "leduc", "showdown"])
def test_a_move_has_one_colour_wherever_it_is_made(name):
    game = make_game(name)
    strategy = solve(game, iterations=2).strategy
    colours: dict[str, set[str]] = {}
    histories: list[tuple[str, ...]] = [()]
    while histories:
        point = public_point(game, strategy, histories.pop())
        if len(point.history) < 4:
            histories += [(*point.history, action) for action, _ in point.choices]
        if point.actor >= 0:
            for action, words in point.choices:
                colours.setdefault(words.split()[0], set()).add(point.colours[action])
    assert {"fold", "check", "call", "bet"} <= colours.keys()
    assert all(len(used) == 1 for used in colours.values())
    assert len({colours[word].pop() for word in ("fold", "check", "call", "bet")}) == 4


def test_moves_that_are_no_bets_have_colours_in_order():
    assert move_colours(["rock", "paper", "scissors"]) == COLOURS[:3]
    assert move_colours([]) == ()
