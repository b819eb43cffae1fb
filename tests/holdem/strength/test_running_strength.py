"""Figures told while they are measured: the exact one of Kuhn poker, and a stop half-way."""

import numpy as np
import pytest

from holdem_configs import KUHN
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.strength.measure import EXACT, StrengthStep, measure_running
from riverboat.holdem.blueprints.walk import openings


def uniform(table: dict[str, object]) -> Blueprint:
    abstract = AbstractGame.build(HoldemConfig.from_table(table))
    return Blueprint(abstract, np.ones(abstract.num_bytes // 8, np.uint16))


def test_a_small_game_is_told_exactly_and_matches_grow() -> None:
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


def test_whoever_listens_can_stop_it() -> None:
    steps: list[StrengthStep] = []

    def tell(step: StrengthStep) -> None:
        steps.append(step)
        if step.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_running(uniform(KUHN), tell, deals=50)
    assert steps[-1].done == 2


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
