"""Figures told while they are measured: the exact one of Kuhn poker, and a stop half-way."""

import json
from typing import Any

import numpy as np
import pytest

from holdem_configs import KUHN
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.measure import EXACT, Found, StrengthStep, measure_running
from riverboat.holdem.blueprints.walk import openings


def uniform(table: dict[str, object]) -> Blueprint:
    abstract = AbstractGame.build(HoldemConfig.from_table(table))
    return Blueprint(abstract, np.ones(abstract.num_bytes // 8, np.uint16))


def test_a_small_game_is_measured_exactly_and_matches_grow() -> None:
    """Against uniform play in Kuhn poker best responses win 5/12 and 1/2, 11/24 on average."""
    steps: list[StrengthStep] = []
    measure_running(uniform(KUHN), steps.append, deals=4)
    assert steps[0].name == EXACT
    assert steps[0].estimate is not None
    assert steps[0].estimate.mean == pytest.approx(1000 * 11 / 24)
    assert steps[0].estimate.ci95 == 0
    calls = [step for step in steps if step.name == "against call"]
    assert [step.done for step in calls] == [0, 1, 2, 3, 4, 4]
    assert [step.estimate is None for step in calls] == [True] * 5 + [False]


def test_a_listener_can_stop_it() -> None:
    steps: list[StrengthStep] = []

    def tell(step: StrengthStep) -> None:
        steps.append(step)
        if step.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_running(uniform(KUHN), tell, deals=50)
    assert steps[-1].done == 2


def test_a_measurement_goes_on_from_what_was_found() -> None:
    """Stopped, kept as JSON and continued, it reports the same figures as in one go."""
    whole: list[StrengthStep] = []
    measure_running(uniform(KUHN), whole.append, deals=120)
    found = Found()

    def tell(step: StrengthStep) -> None:
        if step.name == "against call" and step.done == 70:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_running(uniform(KUHN), tell, deals=120, found=found)
    assert [len(each) for each in found.stretches.values()] == [3, 1]
    kept = Found.from_dict(json.loads(json.dumps(found.as_dict())))
    rest: list[StrengthStep] = []
    measure_running(uniform(KUHN), rest.append, deals=120, found=kept)
    assert [s for s in rest if s.estimate] == [s for s in whole if s.estimate]
    assert [s.done for s in rest if s.name == "against rules"] == [0, 120]  # nothing played again
    assert [s.done for s in rest if s.name == "against call"] == [0, *range(51, 121), 120]


@pytest.mark.parametrize(
    "data",
    [
        {"boards": ["x"], "stretches": {}},
        {"boards": [float("nan")], "stretches": {}},
        {"boards": [], "stretches": {"call": [[1.0]]}},
        {"boards": [], "stretches": {"call": [[[[1.0], [2.0]]]]}},
    ],
)
def test_found_results_that_are_damaged_are_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        Found.from_dict(data)


def test_every_seat_but_the_big_blind_opens() -> None:
    three = uniform(
        {
            "game": {"players": 3, "stacks": 8},
            "bets": {"preflop": "a", "cap": 1},
            "cards": {"scheme": "percentile", "flop": 1, "turn": 1, "river": 1},
        }
    )
    found = openings(three)
    assert [(path, at.seat) for path, at in found] == [("", "button"), ("f", "small blind")]
