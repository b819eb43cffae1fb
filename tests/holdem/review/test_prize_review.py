"""Hands reviewed for prizes: losses by ICM, and what only chips could price."""

from decimal import Decimal
from pathlib import Path

import pytest

import riverboat as rb
from commands import Command
from riverboat.cards.card import parse_cards
from riverboat.cards.combos import CLASS_NAMES
from riverboat.errors import ParameterError, UsageError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.histories.hand import PhhHand
from riverboat.holdem.preflop.following import BookRanges
from riverboat.holdem.review.report import Finding, Review, ReviewOptions, review_hands
from riverboat.holdem.rules.icm import icm
from riverboat.holdem.rules.state import Holdem

PLACES = [50, 30, 20]
ALL_IN_FOLDED = "r20c/cr20c/cr25c/cr35f"
"""The button bets its last 35 into 130 on the river, and the big blind folds."""


def reviewed(game: Holdem, history: str, board: str, book: BookRanges | None = None,
             hand: str = "9s8s", **options) -> Review:  # fmt: skip
    """The hands of Anna, who sits left of the button."""
    state = game.resume([parse_cards(hand), parse_cards("KcTd")], parse_cards(board), history)
    played = PhhHand(state, Decimal("0.5"), fields={"players": ["Anna", "Bob"], "hand": 1})
    chosen = ReviewOptions(**options)
    return review_hands([played], "Anna", Blueprint.load("shipped"), book=book, options=chosen)


def folded_in(found: Review) -> Finding:
    return next(each for each in found.findings if each.judgement.taken.words == "fold")


@pytest.mark.parametrize("bounty", [0, 4])
def test_folding_the_nuts_costs_what_icm_says(bounty: int) -> None:
    payouts = {"places": PLACES, "others": [50], "bounty": bounty}
    found = reviewed(
        Holdem(stacks=(100, 100)), ALL_IN_FOLDED, "5s6s7s2d3h", payouts=payouts, seconds=0.5
    )
    finding = folded_in(found)
    called, folded = icm([200, 0, 50], PLACES)[0] + bounty, icm([35, 165, 50], PLACES)[0]
    assert finding.judgement.source == "solver"
    assert finding.lost == pytest.approx(called - folded, abs=1e-3)
    facts = found.as_dict()
    assert facts["lost_prizes"] == pytest.approx(found.lost)
    assert facts["findings"][0]["loss_prizes"] == pytest.approx(found.worst[0].lost)
    for losses in (finding, found):
        with pytest.raises(UsageError, match="prizes and not big blinds"):
            _ = losses.loss_bb if isinstance(losses, Finding) else losses.lost_bb
    # Before the flop and on it nothing is solved for prizes.
    assert found.decisions == 7
    assert found.unpriced >= 3


def test_a_longer_stack_keeps_what_cannot_be_lost() -> None:
    found = reviewed(
        Holdem(stacks=(100, 130)), ALL_IN_FOLDED, "5s6s7s2d3h",
        payouts={"places": PLACES, "others": [50]}, seconds=0.5,
    )  # fmt: skip
    finding = folded_in(found)
    wanted = icm([200, 30, 50], PLACES)[0] - icm([35, 195, 50], PLACES)[0]
    assert finding.lost == pytest.approx(wanted, abs=1e-3)


def test_a_solution_for_prizes_prices_decisions_before_the_flop() -> None:
    payouts = {"places": PLACES, "others": [20]}
    book = BookRanges(rb.solve(rb.preflop(stacks=[50, 50], payouts=payouts), iterations=200))
    found = reviewed(
        Holdem(stacks=(100, 100)), "r100f", "", book, hand="AsAh", payouts=payouts, solve=False
    )
    (finding,) = found.findings
    node = book.solution.node("a")
    fold, call = node.values[:, CLASS_NAMES.index("AA")]
    assert finding.lost == pytest.approx(call - fold, rel=1e-6)
    assert finding.judgement.best.words == "call 98 (all-in)"


def test_prizes_that_do_not_fit_are_refused() -> None:
    book = BookRanges(rb.solve(rb.preflop(stacks=[50, 50], payouts=[70, 30]), iterations=5))
    game = Holdem(stacks=(100, 100))
    with pytest.raises(UsageError, match="other prizes"):
        reviewed(game, "f", "", book, payouts=PLACES)
    with pytest.raises(UsageError, match="name them"):
        reviewed(game, "f", "", book)
    with pytest.raises(ParameterError, match="never rise"):
        reviewed(game, "f", "", payouts=[30, 70])
    with pytest.raises(UsageError, match="solved"):
        reviewed(game, "f", "", payouts=[70, 30], solve=False)


@pytest.mark.e2e
def test_the_command_reviews_for_prizes(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command("example", "hands.phhs")
    ask = ("review", "hands.phhs", "--payouts", "50,30,20", "--others", 100, "--seconds", 0.1)
    assert "solved for prizes" in command(*ask).out
    assert "never rise" in command.refused("review", "hands.phhs", "--payouts", "30,70")
