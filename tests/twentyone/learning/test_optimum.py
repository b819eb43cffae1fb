"""Exact twenty-one against an independent enumeration (tests/data/twentyone_52_cards.json)."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riverboat.twentyone.game import VALUES
from riverboat.twentyone.learning.information import hands, keys, labels
from riverboat.twentyone.learning.optimum import (
    Outcome,
    dealer_probabilities,
    evaluate,
    hands_of,
    optimum,
    q_values,
    row_decisions,
)

REFERENCE: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "data" / "twentyone_52_cards.json").read_text()
)
DETAIL = {"reward": "maximise_expected_reward", "wins": "maximise_win_probability"}
STATES = {
    "points": "state_points_and_up_card",
    "soft": "state_points_soft_and_up_card",
    "composition": "state_full_composition",
}


def assert_outcome(outcome: Outcome, expected: dict[str, float]) -> None:
    found = (outcome.reward, outcome.win, outcome.push, outcome.lose)
    wanted = tuple(expected[name] for name in ("ev", "p_win", "p_push", "p_lose"))
    assert found == pytest.approx(wanted, abs=2e-12)


def hit_below(limit: int) -> np.ndarray:
    return np.repeat((hands_of().points < limit)[:, None], 10, axis=1).astype(np.int8)


@pytest.mark.parametrize("objective", DETAIL)
@pytest.mark.parametrize("state", STATES)
def test_optimum(state: str, objective: str) -> None:
    outcome, _ = optimum(state, objective)
    assert_outcome(outcome, REFERENCE[DETAIL[objective]][STATES[state]])


@pytest.mark.parametrize("objective", DETAIL)
def test_best_strategies(objective: str) -> None:
    detail = REFERENCE[DETAIL[objective]]
    for state, parts in (
        ("points", {"": detail["policy_points_and_up_card"]["hit_points_by_up_card"]}),
        (
            "soft",
            {
                "h": detail["policy_points_soft_and_up_card"]["hit_hard_totals_by_up_card"],
                "s": detail["policy_points_soft_and_up_card"]["hit_soft_totals_by_up_card"],
            },
        ),
    ):
        _, best = optimum(state, objective)
        found = {key for key, hit in zip(keys(state), best, strict=True) if hit}
        # The reference lists totals from 12; below, an optimum hits whatever it holds.
        wanted = {
            f"{prefix}{total}|{VALUES[int(up) - 1]}"
            for prefix, table in parts.items()
            for up, totals in table.items()
            for total in totals
        }
        low = {key for key in found if int(key.partition("|")[0].lstrip("hs")) < 12}
        assert len(low) == 80
        assert found - low == wanted


@pytest.mark.parametrize("objective", DETAIL)
def test_hands_that_every_card_decides_otherwise(objective: str) -> None:
    totals = row_decisions("soft", optimum("soft", objective)[1])
    single = row_decisions("composition", optimum("composition", objective)[1])
    _, visits = q_values("composition", objective, single)

    def named(chosen: np.ndarray) -> set[tuple[str, int, str]]:
        found = zip(*np.nonzero(chosen), strict=True)
        return {(hands()[h], up + 1, "hit" if single[h, up] else "stand") for h, up in found}

    listed = REFERENCE[DETAIL[objective]]["composition_exceptions_vs_points_soft_policy"]
    expected = {(hand, int(up), action) for hand, up, action in listed}
    # The list leaves out hands that sensible play never holds.
    assert named((visits.reshape(-1, 10) > 0) & (totals != single)) <= expected
    assert expected <= named(totals != single)


@pytest.mark.parametrize(
    ("name", "hits"),
    [
        ("baseline_mimic_dealer_hit_below_17", lambda: hit_below(17)),
        ("baseline_never_bust_stand_at_12_or_more", lambda: hit_below(12)),
        ("baseline_always_stand", lambda: hit_below(0)),
        ("baseline_uniform_random_everywhere", lambda: 0.5 * hit_below(22)),
        ("baseline_uniform_random_stand_at_21", lambda: 0.5 * hit_below(21)),
    ],
)
def test_plain_strategies(name: str, hits: Any) -> None:
    assert_outcome(evaluate(hits()), REFERENCE[name])


def test_dealer_by_open_card() -> None:
    deal = hands_of().deal
    for up, expected in REFERENCE["dealer_final_probabilities_by_up_card"].items():
        column = int(up) - 1
        found = deal[:, column] @ dealer_probabilities()[column] / deal[:, column].sum()
        wanted = [expected[end] for end in ("17", "18", "19", "20", "21", "bust")]
        np.testing.assert_allclose(found, wanted, atol=6e-11)


@pytest.mark.parametrize("objective", DETAIL)
@pytest.mark.parametrize("behaviour", ["optimal_points_policy", "uniform_random_behaviour"])
def test_averages_of_hit_and_stand(objective: str, behaviour: str) -> None:
    if behaviour == "optimal_points_policy":
        hits: Any = row_decisions("points", optimum("points", objective)[1])
        name = "q_under_optimal_points_policy"
    else:
        hits, name = 0.5 * hit_below(21), "q_under_uniform_random_behaviour_stand_at_21"
    averages, visits = q_values("points", objective, hits)
    for key, (hit, stand, visited) in REFERENCE[DETAIL[objective]][name].items():
        total, _, up = key.partition(",")
        row = (int(total) - 4) * 10 + int(up) - 1
        found = (*averages[row], visits[row])
        assert found == pytest.approx((hit, stand, visited), abs=6e-11)


def test_tables_that_know_nothing_draw_like_the_dealer() -> None:
    for state in STATES:
        unknown = np.full(10 * len(labels(state)), -1, np.int8)
        np.testing.assert_array_equal(row_decisions(state, unknown), hit_below(17))
