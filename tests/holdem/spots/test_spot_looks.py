"""When a running solver looks at its exploitability."""

import pytest

from riverboat.holdem.spots.engine.solver import LookSchedule
from riverboat.solvers.run import Limit


def falling(iterations: int) -> float:
    """Exploitability that falls as the square of the iterations grows."""
    return 1000 / iterations**2


@pytest.mark.parametrize("reached", [45, 50, 60])
def test_the_next_look_is_where_a_square_reaches_the_target(reached: int) -> None:
    schedule = LookSchedule(Limit(target=falling(reached)), 0)
    schedule.note(40, falling(40))
    assert schedule.next_look == reached


def test_a_far_target_is_come_nearer_to_by_half_and_a_near_one_by_four() -> None:
    schedule = LookSchedule(Limit(target=falling(1000)), 0)
    schedule.note(40, falling(40))
    assert schedule.next_look == 60
    schedule.note(999, falling(999))
    assert schedule.next_look == 1003


def test_without_a_target_looks_are_an_eighth_apart() -> None:
    schedule = LookSchedule(Limit(iterations=10_000), 0)
    schedule.note(400, 1.0)
    assert schedule.next_look == 450
