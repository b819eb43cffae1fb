"""When a running solver measures its exploitability."""

import math

import pytest

from riverboat.holdem.spots.schedule import next_evaluation


def falling(iterations: int) -> float:
    """Exploitability that falls as the square of the iterations grows."""
    return 1000 / iterations**2


@pytest.mark.parametrize("reached", [45, 50, 60])
def test_the_next_evaluation_is_where_a_square_reaches_the_target(reached: int) -> None:
    assert next_evaluation(40, falling(40), falling(reached)) == reached


def test_a_far_target_is_approached_by_half_and_a_near_one_by_four() -> None:
    assert next_evaluation(40, falling(40), falling(1000)) == 60
    assert next_evaluation(999, falling(999), falling(1000)) == 1003


def test_without_a_target_evaluations_are_an_eighth_apart() -> None:
    assert next_evaluation(400, 1.0, None) == 450


def test_a_run_measures_first_after_eight_iterations() -> None:
    assert next_evaluation(11, math.nan, 0.5) == 19
