"""The duel's rules: hands, turns, shares, and what is refused."""

import random
from itertools import product

import pytest

from riverboat.errors import IllegalActionError, ParameterError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.games.duel import CARDS, Duel, DuelState, best_total, deal_shares
from riverboat.games.registry import make_game


def play(game: Duel, *moves: str) -> DuelState:
    state = game.start()
    for move in moves:
        state = state.after(move)
    return state


def test_the_deck_is_infinite() -> None:
    assert sum(CARDS.values()) == pytest.approx(1)
    assert CARDS[10] == 4 * CARDS[9] == pytest.approx(4 / 13)


@pytest.mark.parametrize(
    ("cards", "total"),
    [
        ((1, 10), 21),
        ((1, 1), 12),
        ((1, 1, 10), 12),
        ((1, 5, 10), 16),
        ((10, 10, 2), 0),
        ((7, 8), 15),
    ],
)
def test_an_ace_is_eleven_if_that_does_not_bust(cards: tuple[int, ...], total: int) -> None:
    assert best_total(sum(cards), 1 in cards) == total


@pytest.mark.parametrize(
    ("totals", "shares"),
    [
        ((20, 19, 18), (1, 0, 0)),
        ((20, 20, 18), (1 / 2, 1 / 2, 0)),
        ((20, 20, 20), (1 / 3, 1 / 3, 1 / 3)),
        ((0, 12, 0), (0, 1, 0)),
        ((0, 0, 17), (0, 0, 1)),
        ((0, 0, 0), (0, 0, 1)),
    ],
)
def test_the_best_hand_takes_the_pot(
    totals: tuple[int, int, int], shares: tuple[float, ...]
) -> None:
    assert deal_shares(*totals) == pytest.approx(shares)


def test_the_turn_passes_and_the_done_are_skipped() -> None:
    game = Duel((6, 6, 2), max_hits=2)
    state = play(game, "5", "9")
    assert state.actor == 0
    state = state.after("h")
    assert state.actor == CHANCE
    state = state.after("3")
    assert (state.actor, state.infoset(0), state.infoset(1)) == (1, "5|h3", "9|h3")
    state = state.after("s")
    assert state.actor == 0
    state = state.after("h").after("10")
    assert (state.actor, state.history) == (CHANCE, ("h3", "s", "h10"))


def test_a_sum_past_the_limit_ends_the_turn_and_a_bust_shows_at_the_end() -> None:
    hits = ("5", "5", "h", "10")
    assert play(Duel((10, 10, 5), 2), *hits, "s").actor == 0
    assert play(Duel((10, 10, 5), 2, ">=20"), *hits, "s").actor == CHANCE
    state = play(Duel((10, 10, 5), 2), *hits, "s", "h", "1", "10", "10")
    assert state.actor == TERMINAL
    assert state.payoffs() == (-2, 5, 0)


def test_the_dealer_draws_to_seventeen_and_stands_on_a_soft_one() -> None:
    stood = play(Duel((6, 6, 6)), "5", "5", "s", "s")
    assert stood.after("1").actor == TERMINAL
    assert stood.after("1").dealer_total == 17
    assert stood.after("10").actor == CHANCE
    assert stood.after("10").after("10").returns() == (1.5, 1.5)


@pytest.mark.parametrize("limit", [">20", ">=20"])
def test_payoffs_always_add_up_to_three(limit: str) -> None:
    generator = random.Random(5)
    for first, second, dealer in product((1, 6, 10), repeat=3):
        state = Duel((first, second, dealer), 3, limit).start()
        while state.actor != TERMINAL:
            legal = [card for card, _ in state.chance()] or list(state.actions())
            state = state.after(generator.choice(legal))
        assert sum(state.payoffs()) == pytest.approx(3)
        assert state.returns() == state.payoffs()[:2]


@pytest.mark.parametrize(
    "parameters",
    [
        {"cards": "6,6"},
        {"cards": "6,6,11"},
        {"cards": "0,6,2"},
        {"cards": "six"},
        {"max_hits": "0"},
        {"max_hits": "10"},
        {"limit": ">21"},
    ],
)
def test_bad_parameters_are_refused_by_name(parameters: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match="duel"):
        make_game("duel", parameters)


def test_a_card_cannot_be_played_and_an_action_not_be_dealt() -> None:
    for state, move in ((play(Duel(), "5", "5"), "7"), (play(Duel(), "5"), "s")):
        with pytest.raises(IllegalActionError):
            state.after(move)


def test_the_other_down_card_stays_hidden_until_the_end() -> None:
    state = play(Duel((6, 6, 2)), "5", "9", "s")
    assert "[9]" not in state.describe(0)
    assert "[5]" not in state.describe(1)
    assert "[9]" in state.after("s").after("10").after("10").describe(0)
