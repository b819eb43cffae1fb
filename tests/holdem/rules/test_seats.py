"""The button from hand to hand."""

import random

import pytest

from riverboat.errors import ParameterError
from riverboat.holdem.rules.state import Holdem
from riverboat.holdem.rules.table import Seats


def test_positions_start_left_of_the_button_and_skip_empty_seats() -> None:
    seats = Seats((100, 0, 50, 70), button=2)
    assert seats.order == (3, 0, 2)
    assert seats.stacks == (70, 100, 50)


def test_the_button_moves_to_the_next_seat_with_chips() -> None:
    seats = Seats((100, 100, 100), button=0)
    after = seats.after((-100, 50, 50))
    assert after == Seats((150, 0, 150), button=2)
    assert after.after((0, 0)).button == 0


def test_no_player_pays_the_big_blind_twice_running_when_two_are_left() -> None:
    # Seat 0 has the button, 1 the small blind, 2 the big blind; the button busts.
    after = Seats((100, 100, 100), button=0).after((50, 50, -100))
    assert after.chips == (0, 150, 150)
    assert after.button == 2
    assert after.order[0] == 1


def test_a_button_at_an_empty_seat_is_refused() -> None:
    with pytest.raises(ParameterError):
        Seats((100, 0), button=1)


def test_halves_of_a_chip_are_refused_rather_than_lost() -> None:
    with pytest.raises(ParameterError, match="odd_chips"):
        Seats((100, 100, 100), button=0).after((0.5, 0.5, -1))


def test_chips_stay_at_the_table_while_the_button_goes_round_to_the_last_player() -> None:
    rng = random.Random(4)
    for _ in range(20):
        seats = Seats(tuple(rng.randint(1, 60) for _ in range(rng.randint(2, 9))), button=0)
        total = sum(seats.chips)
        while len(seats.order) > 1:
            game = Holdem(players=len(seats.order), stacks=seats.stacks)
            deck = list(game.deck)
            rng.shuffle(deck)
            state = game.start().deal_from(deck)
            while state.actor >= 0:
                raises = state.betting.raise_range()
                state = state.after(f"r{raises[1]}" if raises and rng.random() < 0.3 else "c")
                state = state.deal_from(deck)
            after = seats.after(state.returns())
            assert sum(after.chips) == total
            assert after.chips[after.button] > 0
            if len(seats.order) == len(after.order):
                assert after.button == seats.order[0]
            seats = after
