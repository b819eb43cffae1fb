"""The rules of twenty-one."""

import numpy as np
import pytest

from riverboat.errors import IllegalActionError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.games.registry import make_game
from riverboat.twentyone.game import (
    HIT,
    STAND,
    Result,
    TwentyOne,
    TwentyOneState,
    infoset_of,
    is_soft,
    points,
    result,
)


def deal(*moves: str) -> TwentyOneState:
    state = TwentyOne().start()
    for move in moves:
        state = state.after(move)
    return state


@pytest.mark.parametrize(
    ("hand", "total", "soft"),
    [
        ("As Kd", 21, True),
        ("As Ad", 12, True),
        ("As Ad 9c", 21, True),
        ("As Ad Tc", 12, False),
        ("As Ad 9c Kh", 21, False),
        ("As 6d Tc", 17, False),
        ("Ks Qd 2c", 22, False),
        ("As Ah Ad Ac 7s", 21, True),
    ],
)
def test_an_ace_counts_eleven_where_that_is_no_bust(hand: str, total: int, soft: bool) -> None:
    assert points(hand.split()) == total
    assert is_soft(hand.split()) == soft


@pytest.mark.parametrize(
    ("hand", "dealer", "outcome"),
    [
        ("Ks Qs", "9s Td", Result.WIN),
        ("Ks 2s", "9s 4d Kc", Result.WIN),
        ("Ks 7s", "9s Td", Result.LOSE),
        ("Ks Qs 2d", "9s 7d Kc", Result.BUST),
        ("As Ks", "7s 7d 7c", Result.PUSH),
    ],
)
def test_results(hand: str, dealer: str, outcome: Result) -> None:
    assert result(hand.split(), dealer.split()) is outcome


def test_deal_order_and_a_whole_game() -> None:
    state = deal("5s", "Kd", "6s", "6d")
    assert (state.hand, state.dealer) == (("5s", "6s"), ("Kd", "6d"))
    assert state.actor == 0
    assert state.infoset(0) == "56|6"
    assert "Kd" not in state.describe(0)
    state = state.after(HIT)
    assert state.actor == CHANCE
    state = state.after("Th")
    assert state.actor == 0, "the player decides at 21 too"
    state = state.after(STAND)
    assert state.actor == CHANCE
    state = state.after("5d")
    assert (state.actor, state.returns()) == (TERMINAL, (0.0,))


def test_the_dealer_stands_on_soft_seventeen_and_a_bust_ends_the_game() -> None:
    assert deal("5s", "Ad", "6s", "6d", STAND).actor == TERMINAL
    bust = deal("Ts", "2d", "6s", "6d", HIT, "Th")
    assert (bust.actor, bust.result()) == (TERMINAL, Result.BUST)


def test_moves_out_of_turn_are_refused() -> None:
    for moves in (("h",), ("5s", "5s"), ("5s", "6s", "7s", "8s", "9s"), ("Xx",)):
        with pytest.raises(IllegalActionError):
            deal(*moves)
    with pytest.raises(IllegalActionError):
        deal("5s").returns()


def test_random_games_keep_the_laws() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        state = make_game("twentyone").start()
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                outcomes = state.chance()
                assert sum(p for _, p in outcomes) == pytest.approx(1)
                state = state.after(outcomes[int(rng.integers(len(outcomes)))][0])
            else:
                state = state.after(state.actions()[int(rng.integers(2))])
        assert state.returns()[0] in (-1.0, 0.0, 1.0)


def test_an_infoset_forgets_suits_and_order() -> None:
    assert infoset_of(["Kd", "As", "2c"], "Jh") == "A2T|T"
