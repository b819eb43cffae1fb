"""A player at a seat: every question gets an answer, in time, whatever sits behind it."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riverboat.players.player import View
from riverboat.twentyone.game import DECK, HIT, STAND, Result
from riverboat.twentyone.learning.online import TABLE_METHODS, learning_player
from riverboat.twentyone.learning.players import SeatedPlayer, seat_greedy, seat_named
from riverboat.twentyone.learning.q_table import QTable

RNG = np.random.default_rng(0)
AFTER_A_BUST = ["Tc", "6d", "8h"]
ONE_CARD = ["Tc"]
NO_PACK = ["Ac"] * 6


def players() -> list[SeatedPlayer]:
    table = QTable.empty("points")
    learners = [learning_player("ada", QTable.empty("soft"), method) for method in TABLE_METHODS]
    return [
        seat_named("basic", RNG),
        seat_named("random", RNG),
        seat_named("mcts?simulations=10", RNG),
        seat_greedy("q", table, RNG),
        *(SeatedPlayer(learner, RNG) for learner in learners),
    ]


@pytest.mark.parametrize("seated", players(), ids=lambda seated: seated.name)
@pytest.mark.parametrize("up", ["8c", ""])
def test_a_question_that_is_none_is_answered(seated: SeatedPlayer, up: str) -> None:
    assert not seated.decide(AFTER_A_BUST, up)
    assert seated.decide(ONE_CARD, up)
    assert seated.decide(NO_PACK, up)
    assert not seated.decide([], up)
    for result in Result:
        seated.hand_over(AFTER_A_BUST, up, result)
        seated.hand_over(ONE_CARD, up, result)
    assert seated.trouble == ""


@given(st.lists(st.sampled_from(DECK), max_size=8), st.sampled_from(["", *DECK]))
def test_no_cards_are_too_strange(cards: list[str], up: str) -> None:
    for method in TABLE_METHODS:
        seated = SeatedPlayer(learning_player("ada", QTable.empty("points"), method), RNG)
        for n in range(len(cards) + 1):
            assert isinstance(seated.decide(cards[:n], up), bool)
        seated.hand_over(cards, up, Result.WIN)
        assert seated.trouble == ""


class Broken:
    name = "broken"

    def choose(self, view: View, rng: np.random.Generator) -> str:
        raise ZeroDivisionError("no idea")


def test_a_player_that_fails_draws_like_the_dealer_and_is_reported() -> None:
    seated = SeatedPlayer(Broken(), RNG)
    assert seated.decide(["Tc", "6d"], "8c")
    assert not seated.decide(["Tc", "7d"], "8c")
    assert seated.trouble == "ZeroDivisionError: no idea"


def test_a_searching_player_keeps_to_its_budget_once_it_is_warm() -> None:
    """By its own clock, what it has used of the processor: a busy machine does not count.

    Nor does garbage that Python happens to collect meanwhile: the best of three counts.
    """
    seated = seat_named("mcts?ms=5", RNG)
    seated.warm_up()
    for up in ("Ac", "7d", "Th"):
        for cards in (["Tc", "6d"], ["As", "4d"], ["2s", "5d", "7h"]):
            used = []
            for _ in range(3):
                began = time.thread_time()
                seated.decide(cards, up)
                used.append(time.thread_time() - began)
            assert min(used) < 0.02


def test_the_view_of_a_seat_says_what_is_seen() -> None:
    class Curious:
        name = "curious"

        def choose(self, view: View, rng: np.random.Generator) -> str:
            assert view.infoset == "A6|9"
            assert view.scene() == "hand 6d As   dealer ?? 9h"
            return STAND if view.actions == (HIT, STAND) else HIT

    seated = SeatedPlayer(Curious(), RNG)
    assert not seated.decide(["6d", "As"], "9h")
    assert seated.trouble == ""
