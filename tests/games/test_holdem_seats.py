"""The button from hand to hand."""

import pytest

from riverboat.errors import ParameterError
from riverboat.games.holdem_seats import Seats


def test_positions_start_left_of_the_button_and_skip_empty_seats() -> None:
    seats = Seats((100, 0, 50, 70), button=2)
    assert seats.order == (3, 0, 2)
    assert seats.stacks == (70, 100, 50)


def test_the_button_moves_to_the_next_seat_with_chips() -> None:
    seats = Seats((100, 100, 100), button=0)
    after = seats.after((-100, 50, 50))
    assert after == Seats((150, 0, 150), button=2)
    assert after.after((0, 0)).button == 0


def test_nobody_pays_the_big_blind_twice_running_when_two_are_left() -> None:
    # Seat 0 has the button, 1 the small blind, 2 the big blind; the button busts.
    after = Seats((100, 100, 100), button=0).after((50, 50, -100))
    assert after.chips == (0, 150, 150)
    assert after.button == 2
    assert after.order[0] == 1


def test_a_button_at_an_empty_seat_is_refused() -> None:
    with pytest.raises(ParameterError):
        Seats((100, 0), button=1)
