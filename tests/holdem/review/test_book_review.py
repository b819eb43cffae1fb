"""Hands reviewed with a book before the flop: its ranges, its EVs, and where it is left."""

from decimal import Decimal

import numpy as np
import pytest

from commands import Command
from riverboat.cards.card import parse_cards
from riverboat.cards.combos import CLASS_NAMES, COMBO_CARDS, NUM_CLASSES, class_of_combos
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.histories.hand import PhhHand
from riverboat.holdem.preflop.following import BookRanges
from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.review._decisions import DOUBT, followed
from riverboat.holdem.review.report import Review, ReviewOptions, review_hands
from riverboat.holdem.rules.state import Holdem, HoldemState

PAIRS = np.array([name[0] == name[1] for name in CLASS_NAMES], float)


def solution(stack: float) -> PreflopSolution:
    """The small blind raises pairs and folds the rest; the big blind calls half of its hands."""
    half = np.full(NUM_CLASSES, 0.5)
    first = PreflopNode(
        (), "sb", ("f", "r3"), np.stack([1 - PAIRS, PAIRS]),
        np.stack([np.full(NUM_CLASSES, -0.5), 4 * PAIRS - 1]), np.ones(NUM_CLASSES),
        {"sb": 0.5, "bb": 1.0},
    )  # fmt: skip
    second = PreflopNode(
        ("r3",), "bb", ("f", "c"), np.stack([half, half]),
        np.full((2, NUM_CLASSES), np.nan), np.ones(NUM_CLASSES), {"sb": 3.0, "bb": 1.0},
    )  # fmt: skip
    spec = {"game": "flops", "stacks": stack, "blinds": [0.5, 1]}
    return PreflopSolution("pairs", spec, ("sb", "bb"), [first, second], {"unit": "chips"})


def played(history: str, board: str, big_blind: str, button: str, players: int = 2) -> HoldemState:
    game = Holdem(players=players, stacks=(100,))
    hands = [parse_cards(big_blind), parse_cards(button)] + [parse_cards("2c2d")] * (players - 2)
    return game.resume(hands, parse_cards(board), history)


def reviewed(state: HoldemState, player: str, stack: float = 50) -> Review:
    names = ["Anna", "Bob", "Cleo"][: state.game.players]
    hand = PhhHand(state, Decimal("0.5"), fields={"players": names, "hand": 1})
    book = BookRanges(solution(stack))
    options = ReviewOptions(solve=False)
    return review_hands([hand], player, Blueprint.load("shipped"), book=book, options=options)


def test_ranges_on_the_flop_are_the_books():
    state = played("r6c/c", "QsJh2h", "AcKd", "9c9d")
    book = BookRanges(solution(50))
    *_, flop = followed(state, Blueprint.load("shipped"), 0, book)
    dead = np.isin(COMBO_CARDS, parse_cards("QsJh2h")).any(axis=1)
    wanted = np.where(dead, 0.0, (1 - DOUBT) * PAIRS[class_of_combos()] + DOUBT)
    assert flop.street_ranges[1] == pytest.approx(wanted)
    mine = np.where(dead, 0.0, (1 - DOUBT) * 0.5 + DOUBT)
    assert flop.street_ranges[0] == pytest.approx(mine)


def test_a_decision_is_priced_by_the_book():
    found = reviewed(played("f", "", "AcKd", "9c9d"), "Bob")
    (finding,) = found.findings
    # Folding a pair loses the raise's three big blinds and the half one that was posted.
    assert finding.loss_bb == pytest.approx(3.5)
    assert finding.judgement.source == "book"
    assert finding.judgement.best.words == "raise to 6"
    assert not found.off_book


def test_a_table_that_only_the_book_fits_is_reviewed_before_the_flop():
    """The shipped blueprint is for two players; the shipped book has six."""
    hands = ["2c3d", "9c8d", "KcQd", "KhQs", "JhTs", "AcAd"]
    state = Holdem(players=6, stacks=(200,)).resume([parse_cards(h) for h in hands], [], "ffff")
    names = ["Sam", "Bea", "Uma", "Hal", "Cora", "Ben"]
    hand = PhhHand(state, Decimal(1), fields={"players": names, "hand": 1})
    book = BookRanges.load("shipped")
    found = review_hands([hand], "Ben", Blueprint.load("shipped"), book=book)
    # The button folds aces, which the book never does.
    assert (found.hands, found.decisions, found.seldom) == (1, 1, 1)
    (finding,) = found.findings
    assert finding.loss_bb > 1
    assert finding.judgement.best.words == "raise to 5"
    assert not found.passed


@pytest.mark.parametrize(("history", "decisions"), [("r5r18cr60fff", 0), ("r5ffffr16r41r200", 2)])
def test_an_untrained_decision_gets_no_verdict(history, decisions):
    """Aces that raise are no mistake where the shipped book has hardly ever been."""
    hands = ["2c3d", "AcAd", "KcQd", "KhQs", "AhAs", "9c8d"]
    game = Holdem(players=6, stacks=(200,))
    state = game.resume([parse_cards(hand) for hand in hands], [], history)
    names = ["Sam", "Bea", "Uma", "Hal", "Cora", "Ben"]
    hand = PhhHand(state, Decimal(1), fields={"players": names, "hand": 1})
    player = "Bea" if decisions else "Ben"
    book = BookRanges.load("shipped")
    found = review_hands([hand], player, Blueprint.load("shipped"), book=book)
    assert (found.decisions, found.findings) == (decisions, [])


def test_the_shipped_book_is_taken_where_six_sit():
    hands = ["2c3d", "9c8d", "KcQd", "KhQs", "JhTs", "AcAd"]
    names = ["Sam", "Bea", "Uma", "Hal", "Cora", "Ben"]

    def review_of(players: int, stack: int) -> Review:
        game = Holdem(players=players, stacks=(stack,))
        state = game.resume([parse_cards(hand) for hand in hands[-players:]], [], "ffff")
        hand = PhhHand(state, Decimal(1), fields={"players": names[-players:], "hand": 1})
        return review_hands([hand], "Ben", Blueprint.load("shipped"))

    found = review_of(6, 200)
    assert (found.hands, found.by_book, len(found.findings)) == (1, 1, 1)
    assert found.as_dict()["by_book"] == 1
    short = review_of(6, 80)
    assert short.off_book == {"a stack of 40 big blinds, and 100 in the book": 1}
    assert short.passed == {"6 players, and the blueprint is for 2": 1}
    five = review_of(5, 200)
    assert (five.hands, five.by_book, five.off_book) == (0, 0, {})


def test_what_the_book_does_often_costs_nothing():
    found = reviewed(played("f", "", "AcKd", "9c8d"), "Bob")
    assert found.decisions == 1
    assert found.findings == []


@pytest.mark.parametrize(
    ("history", "stack", "words"),
    [
        ("r6c/c", 20.0, "a stack of 50 big blinds, and 20 in the book"),
        ("r20c/c", 50.0, "a line that the book does not have"),
        ("c", 50.0, "a line that the book does not have"),
    ],
)
def test_where_the_book_does_not_fit_is_counted(history, stack, words):
    found = reviewed(
        played(history, "QsJh2h"[: 6 * ("/" in history)], "AcKd", "9c9d"), "Anna", stack
    )
    assert found.off_book == {words: 1}
    assert found.hands == 1


@pytest.mark.e2e
def test_the_command_takes_a_book(command: Command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solution(100).save("book.rb")
    assert command("example", "hands.phhs").code == 0
    answer = command("review", "hands.phhs", "--no-solve", "--preflop", "book.rb")
    assert answer.code == 0
    assert "Without the book" in answer.out
    facts = command("review", "hands.phhs", "--no-solve", "--preflop", "book.rb", "--json").json
    assert facts["off_book"]
    assert "no.rb" in command.refused("review", "hands.phhs", "--preflop", "no.rb")
