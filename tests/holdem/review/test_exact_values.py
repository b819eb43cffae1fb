"""The error of a solved decision: it holds when the decision is solved ten times as finely."""

import time
from dataclasses import replace
from itertools import count

import pytest

from riverboat.cards.card import parse_cards
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.histories.phh import PhhHand
from riverboat.holdem.review._decisions import Moment, followed
from riverboat.holdem.review._exact_values import ExactValues, UndeterminedError
from riverboat.holdem.review.report import ReviewOptions, review_hands
from riverboat.holdem.rules.state import Holdem

DECISIONS = (
    # The button's hand, the board, the betting and the action taken.
    ("9c5d", "TdTc3cKd6s", "r4c/cc/cc/c", "r96"),
    ("Qh3d", "Qc8s7s4sKc", "cc/cc/cc/c", "c"),
    ("Qd8h", "AhAc7sTdKs", "r4c/cr3c/cr5c/c", "r18"),
    ("KcTs", "Js4s4c2c8s", "r4c/cr3c/cc/r11", "r93"),
    ("QsTs", "Kc6c4sTc5h", "r6c/cr9c/cc/c", "r10"),
    ("As9d", "KhTc2sTd5h", "cc/cr3c/cc/r8", "r95"),
    ("KcJd", "Tc9c5s8c3c", "r6c/cc/r9c/c", "r23"),
    ("7c6c", "As9s2dQs8h", "cc/cr6c/cc/r5", "r92"),
    ("5h4c", "Qs6c5d8d4d", "cc/r2c/r12c/r11", "c"),
    ("Qs7s", "KsTc5h7c8s", "cr10c/r28r87c/cc/r2", "c"),  # a bound of 24 iterations was too small
    ("2s2c", "Qs6h5sQd", "r4c/cc/c", "r96"),
)
RIVERS = [each for each in DECISIONS if len(each[1]) == 10]
COARSE = 0.05
"""The error, as a share of the pot, at which the coarse solves stop."""


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    return Blueprint.load("shipped")


def moment_of(blueprint: Blueprint, decision: tuple[str, ...]) -> Moment:
    hand, board, history, action = decision
    game = Holdem(players=2, stacks=(100, 100))
    end = game.resume([[], parse_cards(hand)], parse_cards(board), history + action)
    *_, moment = followed(end, blueprint, 1)
    return moment


@pytest.mark.e2e
@pytest.mark.parametrize("decision", RIVERS, ids=lambda each: each[0])
def test_a_loss_stays_within_its_error_when_solved_ten_times_as_finely(
    blueprint: Blueprint, decision: tuple[str, ...]
) -> None:
    """At 0.5 % of the pot some of these losses are off by 40 % of the pot."""
    moment = moment_of(blueprint, decision)
    coarse = ExactValues(60.0, precision=COARSE).judge(moment)
    fine = ExactValues(60.0, precision=0.0, finest=1e-5).judge(moment)
    assert coarse is not None
    assert fine is not None
    assert coarse.error <= COARSE * moment.street_state.betting.pot
    assert abs(coarse.loss - fine.loss) <= coarse.error


@pytest.mark.slow
def test_the_same_on_a_turn(blueprint: Blueprint) -> None:
    moment = moment_of(blueprint, DECISIONS[-1])
    coarse, fine = (ExactValues(seconds).judge(moment) for seconds in (8.0, 25.0))
    assert coarse is not None
    assert fine is not None
    assert abs(coarse.loss - fine.loss) <= coarse.error


def test_what_the_solution_itself_does_is_no_mistake(blueprint: Blueprint) -> None:
    """A raise that the solution mixes in with this hand: its EV is that of the other actions."""
    hand, board, history, action = "9s8c", "8s7s4s6d6h", "r4c/r3c/cc/c", "r11"
    moment = moment_of(blueprint, (hand, board, history, action))
    judged = ExactValues(60.0, precision=0.001).judge(moment)
    assert judged is not None
    assert judged.taken.chance > 0.05
    assert judged.loss < 0.005
    end = moment.state.after(action)
    played = PhhHand(replace(end), fields={"players": ["Anna", "Bob"], "hand": 1})
    found = review_hands(
        [played], "Bob", blueprint, options=ReviewOptions(min_loss=0.0, seldom=0.05)
    )
    assert found.findings == []


def test_a_line_that_the_solution_never_takes_gets_no_verdict(blueprint: Blueprint) -> None:
    """The opponent raises in a spot where no hand of theirs does so: anything may be right."""
    moment = moment_of(blueprint, ("6c3s", "JsTs6s2sAs", "cc/r2c/r3c/r11", "r93"))
    with pytest.raises(UndeterminedError):
        ExactValues(1e9, precision=0.05).examine(moment)
    assert ExactValues(1.0).judge(moment) is None
    end = moment.state.after("r93")
    played = PhhHand(end, fields={"players": ["Anna", "Bob"], "hand": 1})
    found = review_hands([played], "Bob", blueprint, options=ReviewOptions(seconds=1e9))
    assert found.undetermined == 1
    assert not [finding for finding in found.findings if finding.street == "river"]


def test_seconds_count_work_and_not_the_time_of_day(blueprint: Blueprint) -> None:
    """On a busy machine the clock of the CPU stands still: the solve goes on to its end."""
    moment = moment_of(blueprint, RIVERS[0])
    patient = ExactValues(1e-6, finest=1e-5, clock=lambda: 0.0).judge(moment)
    assert patient is not None
    assert patient.error < patient.loss
    ticks = count()
    assert ExactValues(5.0, clock=lambda: float(next(ticks))).judge(moment) is None
    assert ExactValues().clock is time.process_time
