"""What a seat sees of a table: never a card that is not its own."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi")

import riverboat
from riverboat.arena.hand import chance_move
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.games.registry import GAMES, make_game
from riverboat.web.app.card_pictures import BACK, card
from riverboat.web.app.game_cards import game_cards
from riverboat.web.app.templates import macro, part
from riverboat.web.play.felt import felt_of, may_see, scene_of

SHOWN = list(GAMES)


def draw_scene(*asked):
    """The felt as a page draws it."""
    return macro("play/felt.html", "felt")(felt_of(*asked))


def playthrough(name, rng):
    state = make_game(name).start()
    while state.actor != TERMINAL:
        yield state
        if state.actor == CHANCE:
            state = state.after(chance_move(state, rng))
        else:
            actions = state.actions()
            state = state.after(actions[int(rng.integers(min(3, len(actions))))])
    yield state


@pytest.mark.parametrize("name", SHOWN)
def test_every_state_of_every_game_can_be_drawn(name):
    game, rng = make_game(name), np.random.default_rng(5)
    for _ in range(5):
        for state in playthrough(name, rng):
            for viewer in (None, *range(game.num_players)):
                drawn = draw_scene(game, state, ["a<b"] * 9, viewer, may_see(state, viewer))
                assert "a<b" not in drawn


@pytest.mark.e2e
@pytest.mark.parametrize("name", SHOWN)
def test_a_scene_depends_only_on_what_the_seat_knows(name):
    """Two states that one seat cannot tell apart look the same from there."""
    game, rng = make_game(name), np.random.default_rng(7)
    seen: dict[tuple[int, str], str] = {}
    compared = 0
    for _ in range(400 if game.num_players > 1 else 60):
        for state in playthrough(name, rng):
            if state.actor < 0:
                continue
            for viewer in range(game.num_players):
                key = (viewer, f"{state.actor}{state.infoset(viewer)}")
                drawn = draw_scene(game, state, ["x"] * 9, viewer, may_see(state, viewer))
                if name == "twentyone":  # suits are drawn and no part of the infoset
                    continue
                compared += key in seen
                assert seen.setdefault(key, drawn) == drawn
    # With so many cards two deals are rarely alike.
    assert compared or name in ("holdem", "omaha", "shortdeck", "twentyone")


def test_hidden_cards_are_not_in_the_page():
    rng = np.random.default_rng(1)
    game = make_game("holdem", {"players": 3})
    state = game.start()
    while state.actor == CHANCE:
        state = state.after(chance_move(state, rng))
    scene = scene_of(game, state, may_see(state, 0))
    assert [place.cards[0] == "??" for place in scene.seats] == [False, True, True]
    drawn = draw_scene(game, state, ["a", "b", "c"], 0, may_see(state, 0))
    assert drawn.count("face down") == 4
    assert drawn.count("<title>") == 6


def test_after_a_fold_nobody_sees_the_cards_unless_the_end_is_open():
    game = make_game("leduc")
    state = game.start().after("Ks").after("Js").after("r").after("f")
    assert not may_see(state, 0, open_end=False)(1)
    assert may_see(state, 0, open_end=True)(1)
    called = game.start().after("Ks").after("Js").after("c").after("c").after("Qs")
    called = called.after("c").after("c")
    assert may_see(called, 0, open_end=False)(1)
    assert card("Js") in draw_scene(game, called, ["a", "b"], 0, may_see(called, 0))


def test_a_game_of_ones_own_brings_its_line_its_art_and_its_scene():
    """examples/my_game.py is one file that no screen knows."""
    try:
        runpy.run_path(str(Path(riverboat.__file__).with_name("examples") / "my_game.py"))
        page = part("games.html", games=game_cards(), level=2)
        assert "Two coins, and two heads pay double." in page
        assert card("H") in page
        assert 'href="/play/pennies"' in page
        game = make_game("pennies")
        state = game.start().after("h")
        own, other = (draw_scene(game, state, ["a", "b"], p, may_see(state, p)) for p in (0, 1))
        assert card("H") in own
        assert card("H") not in other
        assert card(BACK) in other
    finally:
        GAMES.pop("pennies", None)


class InWords:
    """A state of a game that brings no picture."""

    actor = 0

    def describe(self, player):
        return "a king <b>" if player == 0 else "a card"


def test_a_game_without_a_scene_is_shown_by_its_own_words():
    game = make_game("kuhn")
    state: Any = InWords()
    assert scene_of(game, state, may_see(state, 0)) is None
    assert "a king &lt;b&gt;" in draw_scene(game, state, ["a"], 0, may_see(state, 0))


def test_blackjack_shows_both_hands_of_a_split_and_the_hole_card_at_the_end_only():
    game = make_game("blackjack")
    state = game.start()
    for move in ("8", "6", "8", "T", "P", "3"):  # own, up, own, hole; the first eight gets a three
        state = state.after(move)
    felt = felt_of(game, state, ["Ada"], 0, may_see(state, 0))
    assert felt.own.cards == ["8", "3"]
    assert (felt.own.note, felt.own.title) == ("11 points, bet 1", "hand 1")
    assert [(seat.name, seat.cards) for seat in felt.others] == [("Ada", ["8"])]
    assert felt.dealer.cards == ["6", BACK]
    for move in ("D", "T", "9", "S", "5"):
        state = state.after(move)
    felt = felt_of(game, state, ["Ada"], 0, may_see(state, 0))
    assert (felt.own.note, felt.others[0].note) == ("21 points, bet 2", "17 points, bet 1")
    assert (felt.dealer.cards, felt.dealer.note) == (["6", "T", "5"], "21 points")
    assert state.returns() == (-1.0,)  # a push of two, a loss of one
