"""The searching player with a solution or book before the flop: no buckets there any more."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from riverboat.arena.hand import view_of
from riverboat.cards.card import parse_cards
from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES, class_of_combos, combo_index
from riverboat.errors import UsageError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._range_tracking import NOISE
from riverboat.holdem.search.measure_jobs import searching
from riverboat.holdem.search.player import SearchCoach
from riverboat.holdem.search.searcher import Searcher
from riverboat.players.roster import make_player

PAIRS = np.array([name[0] == name[1] for name in CLASS_NAMES], float)
SUITED = np.array([name.endswith("s") for name in CLASS_NAMES], float)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return saved(tmp_path, 50.0)


def saved(folder: Path, stack: float) -> Path:
    """The small blind raises pairs; the big blind calls with suited hands, else folds."""
    unknown, everything = np.full((2, NUM_CLASSES), np.nan), np.ones(NUM_CLASSES)
    first = PreflopNode(
        (), "sb", ("f", "r3"), np.stack([1 - PAIRS, PAIRS]), unknown, everything,
        {"sb": 0.5, "bb": 1.0},
    )  # fmt: skip
    second = PreflopNode(
        ("r3",), "bb", ("f", "c"), np.stack([1 - SUITED, SUITED]), unknown, everything,
        {"sb": 3.0, "bb": 1.0},
    )  # fmt: skip
    spec = {"game": "flops", "stacks": stack, "blinds": [0.5, 1]}
    path = folder / f"book-{stack:g}.rb"
    PreflopSolution("pairs", spec, ("sb", "bb"), [first, second], {}).save(path)
    return path


@cache
def shipped() -> Blueprint:
    return Blueprint.load("shipped")


def searcher(book: Path) -> Searcher:
    options = SearchOptions(seconds=0.5, iterations=3, safe=False, flop=False, preflop=str(book))
    return Searcher(shipped(), options, clock=False)


def hand_at(history: str, board: str, hole: str) -> HoldemState:
    rules = shipped().rules
    actor = rules.resume([[], []], parse_cards(board), history).actor
    hands = [parse_cards(hole) if player == actor else [] for player in (0, 1)]
    return rules.resume(hands, parse_cards(board), history)


def test_ranges_after_the_flop_are_the_books(book: Path) -> None:
    start, _ = searcher(book).first_start(hand_at("r6c/", "Qs7h2d", "AhQd"), Street.FLOP)
    classes = class_of_combos()
    for mine, taken in zip(start.weights, (SUITED, PAIRS), strict=True):
        assert mine == pytest.approx((1 - NOISE) * taken[classes] + NOISE)


def test_before_the_flop_the_book_plays(book: Path) -> None:
    thinker = searcher(book)
    assert thinker.chances(hand_at("", "", "9h9d")) == {"r6": 1.0}
    assert thinker.chances(hand_at("", "", "AhKd")) == {"f": 1.0}
    assert thinker.chances(hand_at("r6", "", "7h2h")) == {"c": 1.0}
    actions, chances = thinker.all_hands(hand_at("r6", "", "7h2h"))
    assert actions == ("f", "c")
    assert chances[combo_index(*parse_cards("AhKd"))].tolist() == [1.0, 0.0]


def test_off_the_book_the_blueprint_plays(book: Path) -> None:
    state = hand_at("r20", "", "7h2h")
    assert searcher(book).chances(state) == shipped().choices(state)
    start, _ = searcher(book).first_start(hand_at("r20c/", "Qs7h2d", "AhQd"), Street.FLOP)
    plain = Searcher(shipped()).first_start(hand_at("r20c/", "Qs7h2d", "AhQd"), Street.FLOP)[0]
    assert all(np.array_equal(a, b) for a, b in zip(start.weights, plain.weights, strict=True))


def test_the_coach_says_that_a_book_advises(book: Path) -> None:
    state = hand_at("r6", "", "7h2h")
    coach = SearchCoach(state.game, searcher(book))
    found = coach.advise(view_of(state.game, state))
    assert (found.source, found.chances["c"]) == ("book", 1.0)


def test_a_player_takes_the_book_from_its_name(book: Path) -> None:
    rules = shipped().rules
    text = f"search?seconds=0.5&iterations=3&flop=0&preflop={book}"
    player = make_player(rules, text)
    state = hand_at("", "", "9h9d")
    assert player.choose(view_of(rules, state), np.random.default_rng(0)) == "r6"


def test_books_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    for name, reason in (
        ("shipped", "2 players, and the book is for 6"),
        (str(saved(tmp_path, 20.0)), "a stack of 50 big blinds, and 20 in the book"),
    ):
        with pytest.raises(UsageError, match=reason):
            Searcher(shipped(), SearchOptions(preflop=name))


def test_what_is_measured_with_the_blueprint_before_the_flop_takes_no_book() -> None:
    with pytest.raises(UsageError, match="before the flop"):
        searching("search?preflop=book.rb")
