"""Coaches: what they say about a decision is true."""

import pytest

from riverboat.games.base import Wagered
from riverboat.games.registry import make_game
from riverboat.players.coach import Advice, coach_for
from riverboat.players.player import View, view_of


def test_a_mixture_is_explained_and_a_pure_choice_is_not() -> None:
    """Facing a check with the jack, Kuhn's second player bluffs one time in three (Kuhn 1950)."""
    game = make_game("kuhn")
    advice = coach_for(game).advise(View(game, 1, "J|p", ("p", "b")))
    assert advice.chances["b"] == pytest.approx(1 / 3, abs=1e-3)
    assert advice.values["b"] == pytest.approx(advice.values["p"], abs=1e-3)
    assert any("a mixture: both moves are worth the same" in line for line in advice.lines())
    sure = coach_for(game).advise(View(game, 1, "K|b", ("p", "b")))
    assert sure.mixture == ("b",)
    assert not any("mixture" in line for line in sure.lines())


def test_pot_odds_are_the_share_of_the_pot_that_a_call_adds() -> None:
    game = make_game("kuhn")
    first = game.start().after("K").after("Q").after("b")
    assert isinstance(first, Wagered)
    assert first.stakes() == (3, 1)
    advice = Advice(view_of(game, first), {"p": 2 / 3, "b": 1 / 3}, {})
    assert advice.pot_odds == 0.25
    assert "pot odds: 1 to win 3" in advice.lines()[1]
    assert advice.cost("b") is None
    free = Advice(view_of(game, game.start().after("K").after("Q").after("p")), {}, {})
    assert free.pot_odds is None


def test_games_with_exact_values_are_coached_exactly() -> None:
    """Hitting 21 always busts."""
    game = make_game("twentyone")
    advice = coach_for(game).advise(View(game, 0, "29T|5", ("h", "s")))
    assert advice.values["h"] <= -1.0 + 1e-12
    assert advice.chances == {"h": 0.0, "s": 1.0}
    assert advice.lines()[0].startswith("best: stand 100%")
