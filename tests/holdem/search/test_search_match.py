"""A match of all hands: against single hands by the rules, drawn against exact, as a command."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from riverboat.cards.card import card_text, parse_cards
from riverboat.cards.combos import COMBO_CARDS, NUM_COMBOS, combo_index
from riverboat.cli.main import app
from riverboat.errors import ParameterError, UsageError
from riverboat.games.base import CHANCE, TERMINAL, Action
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.rules.betting import parse_betting
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._range_walk import BlueprintLines, Draws, MatchWalk, Point
from riverboat.holdem.search._search_match import (
    MatchDraw,
    SearchMatch,
    SearchMatchResult,
    search_match,
)

pytestmark = pytest.mark.e2e

QUICK = SearchOptions(seconds=0.05, iterations=2, safe=False, flop=False)
TURN = "Qs7h2d9c"


@cache
def shipped() -> Blueprint:
    return Blueprint.load("shipped")


def policy(state: HoldemState, salt: int) -> tuple[tuple[Action, ...], NDArray[np.float64]]:
    """Somebody who checks, calls, folds or is all-in, by a fixed mix for each hand and point."""
    actions = [action for action in ("f", "c") if action in state.actions()]
    allowed = state.betting.raise_range()
    if allowed is not None and state.betting.raises < 1:
        actions.append(f"r{allowed[1]}")
    return tuple(actions), mix(state.history, salt, len(actions))


@cache
def mix(history: str, salt: int, count: int) -> NDArray[np.float64]:
    parts = np.random.default_rng([salt, *history.encode()]).random((NUM_COMBOS, count))
    return np.asarray(parts / parts.sum(axis=1, keepdims=True))


def me(state: HoldemState) -> tuple[tuple[Action, ...], NDArray[np.float64]]:
    return policy(state, 1)


def you(state: HoldemState) -> tuple[tuple[Action, ...], NDArray[np.float64]]:
    return policy(state, 2)


def one_hand(state: HoldemState, hands: tuple[int, int], seat: int) -> float:
    """What the seat wins with these two hands, by the readable rules, card by card."""
    if state.actor == TERMINAL:
        return state.returns()[seat]
    if state.actor == CHANCE:
        return sum(
            chance * one_hand(state.after(card), hands, seat) for card, chance in state.chance()
        )
    actions, chances = (me if state.actor == seat else you)(state)
    mine = hands[state.actor]
    return sum(
        chances[mine, number] * one_hand(state.after(action), hands, seat)
        for number, action in enumerate(actions)
    )


def point_of(hands: list[list[str]]) -> Point:
    """A limped and checked pot at a turn, with a few hands each."""
    state = shipped().rules.resume([[], []], parse_cards(TURN), "cc/cc/")
    ranges = np.zeros((2, NUM_COMBOS))
    for player, texts in enumerate(hands):
        for number, text in enumerate(texts):
            ranges[player, combo_index(*sorted(parse_cards(text)))] = 1 / (1 + number)
    return Point(state, (ranges[0], ranges[1]))


HANDS = [["QhQd", "6c5c", "AsKs"], ["9s9d", "AcKs", "Jd3h"]]


@pytest.mark.parametrize("seat", [0, 1])
def test_all_hands_at_once_win_what_single_hands_win_by_the_rules(seat: int) -> None:
    point = point_of(HANDS)
    walk = MatchWalk(me, you, seat, np.random.default_rng(0), Draws(lines=0, min_share=0.0))
    expected = 0.0
    for first, second in product(*[np.flatnonzero(each).tolist() for each in point.ranges]):
        cards = [COMBO_CARDS[first].tolist(), COMBO_CARDS[second].tolist()]
        if set(cards[0]) & set(cards[1]):
            continue
        state = shipped().rules.resume(cards, parse_cards(TURN), "cc/cc/")
        weight = point.ranges[0][first] * point.ranges[1][second]
        expected += weight * one_hand(state, (first, second), seat)
    pairs = (48 * 47 // 2) * (46 * 45 // 2)
    assert walk.value(point) * pairs == pytest.approx(expected, abs=1e-4)


def test_drawn_lines_and_cards_have_the_mean_of_all() -> None:
    point = point_of(HANDS)
    exact = MatchWalk(me, you, 1, np.random.default_rng(0), Draws(0, 0, 0.0)).value(point)
    walk = MatchWalk(me, you, 1, np.random.default_rng(1), Draws(1, 2, 0.3))
    found = [walk.value(point) for _ in range(60)]
    error = float(np.std(found)) / len(found) ** 0.5
    assert error > 0
    assert abs(float(np.mean(found)) - exact) < 4 * error


def test_the_blueprint_gains_nothing_from_itself() -> None:
    match = SearchMatch(shipped(), QUICK, Draws(1, 3, 0.2))
    draw = match.played(0, 1, shipped().all_hands)
    assert abs(draw.wins[0]) > 1e-4
    assert draw.gain == pytest.approx(0.0, abs=1e-6 * abs(draw.wins[0]) / draw.chance)


def test_a_line_has_the_hands_that_the_blueprint_brings_there() -> None:
    """Each hand's weight is the product of what the blueprint says when asked about the hand."""
    board = tuple(parse_cards(TURN))
    points = BlueprintLines(shipped()).to(2, board)
    assert len({point.state.history for point in points}) == len(points)
    for point in points[:: len(points) // 7]:
        for text in ("AsAd", "KhJh", "8c3d"):
            hand = parse_cards(text)
            weights = [float(each[combo_index(*sorted(hand))]) for each in point.ranges]
            assert weights == pytest.approx(_asked(point.state.history, board, hand))


def _asked(history: str, board: tuple[int, ...], hand: list[int]) -> list[float]:
    """How likely each seat comes through a history with a hand, decision by decision."""
    found = []
    for seat in (0, 1):
        hands: list[list[int]] = [[], []]
        hands[seat] = hand
        state, likely, cards = shipped().rules.with_hands(hands), 1.0, list(board)
        for token in parse_betting(history):
            if token == "/":
                count = state.pending
                state, cards = state.deal(cards[:count]), cards[count:]
                continue
            if state.actor == seat:
                likely *= shipped().choices(state).get(token, 0.0)
            state = state.after(token)
        found.append(likely)
    return found


def test_a_draw_follows_from_its_number_alone() -> None:
    match = SearchMatch(shipped(), QUICK, Draws(1, 1, 0.5))
    draw = match.draw(1, 5)
    assert draw == match.draw(1, 5)
    assert MatchDraw.from_dict(draw.as_dict()) == draw
    assert draw.board == "".join(map(card_text, parse_cards(draw.board)))


def test_the_figure_is_a_mean_with_its_interval() -> None:
    """Two draws by hand: (1 + 1) / (2 · 0.5) = 2 chips and 0, unit 2 chips: 500 mbb/g."""
    draws = tuple(
        MatchDraw(number, "", "", 0.5, 1, (won, won), 0) for number, won in ((0, 1.0), (1, 0.0))
    )
    assert SearchMatchResult(draws, 2.0).wins.mean == pytest.approx(500)


def test_what_cannot_be_matched_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least 2 boards"):
        search_match(shipped(), QUICK, 1)
    with pytest.raises(ParameterError, match="multiple"):
        Draws(lines=2, quick=3)
    words = ["holdem", "strength", "search:shipped"]
    for more in (["--against", "rules"], ["--deals", "5"], ["--lbr", "0"], ["--threads", "2"]):
        refused = CliRunner().invoke(app, [*words, *more])
        assert isinstance(refused.exception, UsageError), more


@pytest.mark.slow
def test_the_command_matches_the_search_with_its_blueprint() -> None:
    words = ["holdem", "strength", "search:shipped?iterations=2&safe=0&seconds=0.05&flop=0"]
    done = CliRunner().invoke(app, [*words, "--against", "blueprint", "--deals", "2"])
    assert done.exit_code == 0
    assert "search wins from its blueprint" in done.output
    assert "2 boards" in done.output


@pytest.mark.slow
def test_the_benchmark_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    program = Path(__file__).parents[3] / "benchmarks" / "search_match.py"
    player = "search:shipped?iterations=2&safe=0&seconds=0.05&flop=0"
    words = [sys.executable, str(program), "--player", player, "--kept", str(tmp_path / "kept")]

    def told(draws: int) -> list[str]:
        done = subprocess.run([*words, "--draws", str(draws)], capture_output=True, check=True)
        return done.stdout.decode().splitlines()

    first, second = told(2), told(3)
    assert second[:2] == first[:2]
    assert len((tmp_path / "kept").read_text().splitlines()) == 3
    assert "search wins from its blueprint" in second[-1]
