"""Local best response against somebody who is asked, and the search held to what it played."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from riverboat.cards.card import parse_cards
from riverboat.cli.main import app
from riverboat.errors import ParameterError, UsageError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.lbr import Exploiter, draw_boards, local_best_response
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.search._local_response import (
    MANY,
    LbrDraw,
    SearchLbr,
    SearchLbrResult,
    exploiter_sizes,
    search_lbr,
)
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._range_walk import sample_by_weight
from riverboat.holdem.search.searcher import Searcher

pytestmark = pytest.mark.e2e

QUICK = SearchOptions(seconds=600, iterations=4, sizes=())


@cache
def folder() -> SearchLbr:
    """An exploiter that only folds and calls: its tree is small."""
    return SearchLbr(Blueprint.load("shipped"), QUICK, (), lines=0, min_share=0.0)


@cache
def turn_of(number: int) -> SimpleNamespace:
    """A board, all lines to its turn, and the one that most hands take."""
    lbr = folder()
    board = draw_boards(number + 1, 3)[number]
    entries = lbr.exploiter.to_street(board, 2)
    place = int(np.argmax(entries.ranges.sum(axis=1) * entries.hands.sum(axis=1)))
    history, seat = lbr.exploiter.tree.history(int(entries.nodes[place]))
    return SimpleNamespace(board=board, entries=entries, place=place, history=history, seat=seat)


def test_up_to_the_turn_and_from_it_is_the_whole_board() -> None:
    lbr, turn = folder(), turn_of(0)
    every = np.arange(len(turn.entries.nodes))
    parts = turn.entries.before + lbr.exploiter.from_street(turn.entries, every)
    assert parts == pytest.approx(lbr.exploiter.on_board(turn.board), abs=1e-9)


def test_a_nodes_history_is_a_hand_that_stands_at_its_turn() -> None:
    lbr, turn = folder(), turn_of(0)
    for node, pot in zip(turn.entries.nodes.tolist(), turn.entries.pots.tolist(), strict=True):
        history, _ = lbr.exploiter.tree.history(node)
        state = lbr.blueprint.rules.resume([[], []], turn.board[:4].tolist(), history)
        assert (state.betting.street, state.betting.pot) == (2, pot)


@pytest.mark.parametrize("raises", [(), ("1p",)])
def test_a_walk_that_asks_the_blueprint_wins_what_the_kernel_says(raises: tuple[str, ...]) -> None:
    """Both play every hand and every line: one asks a table in a kernel, one the player."""
    lbr, turn = folder(), turn_of(1)
    if raises:
        lbr = SearchLbr(lbr.blueprint, QUICK, raises, lines=0, min_share=0.0)
        entries = lbr.exploiter.to_street(turn.board, 2)
        place = int(np.argmax(entries.ranges.sum(axis=1) * entries.hands.sum(axis=1)))
        history, seat = lbr.exploiter.tree.history(int(entries.nodes[place]))
        turn = SimpleNamespace(
            board=turn.board, entries=entries, place=place, history=history, seat=seat
        )
    walk = lbr.walk(lbr.blueprint.all_hands, turn.board, turn.seat, np.random.default_rng(0))
    found = lbr.play(walk, turn.entries, turn.place, turn.history)
    kernel = lbr.exploiter.from_street(turn.entries, np.array([turn.place]))
    assert found == pytest.approx(kernel, abs=1e-6)


def test_a_walk_from_the_flop_over_all_lines_wins_what_the_kernel_says_for_the_board() -> None:
    """Every line to the flop, and every line from there on to the river."""
    lbr, board = folder(), draw_boards(1, 3)[0]
    entries = lbr.exploiter.to_street(board, Street.FLOP)
    total = entries.before
    for place, node in enumerate(entries.nodes.tolist()):
        history, seat = lbr.exploiter.tree.history(node)
        walk = lbr.walk(lbr.blueprint.all_hands, board, seat, np.random.default_rng(0))
        total += lbr.play(walk, entries, place, history)
    assert total == pytest.approx(lbr.exploiter.on_board(board), abs=2e-5)


def test_many_of_few_are_drawn_so_that_sums_are_met() -> None:
    """Sizes 8, 1, 1 and 2 drawn: the first is always there, each other half of the time."""
    worth, rng = np.array([8.0, 1.0, 1.0]), np.random.default_rng(4)
    found = [sample_by_weight(worth, 2, rng) for _ in range(400)]
    assert all((0, 1.0) in each and len(each) == 2 for each in found)
    assert all(times == pytest.approx(2.0) for each in found for n, times in each if n)
    assert sum(any(n == 1 for n, _ in each) for each in found) == pytest.approx(200, abs=40)
    assert sample_by_weight(worth, 0, rng) == [(0, 1.0), (1, 1.0), (2, 1.0)]


def test_drawn_lines_from_the_flop_have_the_mean_of_all_lines() -> None:
    lbr, board = folder(), draw_boards(2, 3)[1]
    entries = lbr.exploiter.to_street(board, Street.FLOP)
    place = int(np.argmax(entries.ranges.sum(axis=1) * entries.hands.sum(axis=1)))
    history, seat = lbr.exploiter.tree.history(int(entries.nodes[place]))
    exact = lbr.exploiter.from_street(entries, np.array([place]))
    walk = lbr.walk(lbr.blueprint.all_hands, board, seat, np.random.default_rng(0))
    walk.lines, walk.min_share = 2, 0.1
    found = [lbr.play(walk, entries, place, history) for _ in range(24)]
    error = float(np.std(found)) / len(found) ** 0.5
    assert 0 < error < 0.2 * lbr.blueprint.rules.big_blind
    assert abs(float(np.mean(found)) - exact) < 4 * error


def test_with_many_raises_the_blueprint_is_walked_too_and_lines_are_those_of_the_whole_tree() -> (
    None
):
    """To the flop the cut tree has the lines, hands and values of the whole one."""
    lbr, board = folder(), draw_boards(1, 3)[0]
    cut = SearchLbr(lbr.blueprint, QUICK, MANY)
    assert not cut.whole
    small = Exploiter(lbr.blueprint, (), last=0)
    entries, whole = (
        small.to_street(board, Street.FLOP),
        lbr.exploiter.to_street(board, Street.FLOP),
    )
    assert entries.before == whole.before
    histories = [
        [each.tree.history(int(node)) for node in found.nodes]
        for each, found in ((small, entries), (lbr.exploiter, whole))
    ]
    assert histories[0] == histories[1]
    assert np.array_equal(entries.ranges, whole.ranges)
    # The same line walked and by the kernel.
    place = int(np.argmax(whole.ranges.sum(axis=1) * whole.hands.sum(axis=1)))
    exact = lbr.exploiter.from_street(whole, np.array([place]))
    lbr.whole, lbr.exploiter = False, small
    try:
        kept, total = lbr._from_blueprint(entries, place, 0.25, board)
    finally:
        lbr.whole, lbr.exploiter = True, Exploiter(lbr.blueprint, ())
    assert kept == pytest.approx(exact, abs=2e-5)
    assert total == 4 * kept


def test_a_draw_follows_from_its_number_alone_and_knows_its_board() -> None:
    lbr = folder()
    first = SearchLbr(lbr.blueprint, replace(QUICK, flop=False), (), lines=1, min_share=0.05)
    assert first.street == Street.TURN
    draw = first.draw(1, 5)
    assert draw == first.draw(1, 5)
    alone = local_best_response(lbr.blueprint, 2, raises=(), seed=5)
    assert draw.blueprint == pytest.approx(float(alone.boards[1]), abs=1e-9)


def test_the_figures_are_means_with_intervals() -> None:
    """Two draws by hand: differences −2/0.5 = −4 and 0, unit 2 chips: a mean of −1,000 mbb/g."""
    draws = tuple(
        LbrDraw(number, "", "", 0.5, 1, 3.0, 2.0, now, 0) for number, now in ((0, 0.0), (1, 2.0))
    )
    found = SearchLbrResult(draws, 2.0)
    assert found.difference.mean == pytest.approx(-1000)
    assert found.blueprint.mean == pytest.approx(1500)
    assert found.search.mean == pytest.approx(500)


def test_sizes_have_names() -> None:
    assert exploiter_sizes("fc") == ()
    assert exploiter_sizes("many") == MANY == exploiter_sizes("0.25p,0.33p,0.5p,0.75p,1p,1.5p,2p,a")


def test_one_board_has_no_interval() -> None:
    with pytest.raises(ParameterError, match="at least 2 boards"):
        search_lbr(folder().blueprint, QUICK, 1)


def test_the_command_measures_a_searching_player() -> None:
    words = [
        "holdem",
        "strength",
        "search:shipped?iterations=2&flop=0",
        "--lbr",
        "2",
        "--raises",
        "fc",
    ]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0
    assert "more than from the blueprint" in done.output
    for more in (["--baseline", "other.rb"], ["--lbr", "0"], ["--response", "5"]):
        refused = CliRunner().invoke(app, [*words, *more])
        assert isinstance(refused.exception, UsageError)


def test_after_an_odd_bet_the_search_still_plays_what_it_played_before() -> None:
    """OOP checks, 37 chips are bet: what he checked with is what the first solve says."""
    blueprint = folder().blueprint
    searcher = Searcher(blueprint, QUICK)
    board = parse_cards("Qs7h2d9c")
    first = searcher.cursor_at(blueprint.rules.resume([[], []], board, "r6r20c/cr20c/"))
    later = searcher.cursor_at(blueprint.rules.resume([[], []], board, "r6r20c/cr20c/cr37"))
    assert first is not None
    assert later is not None
    assert later.solved is not first.solved
    root = later.root
    assert [each.label for each in root.bet_actions] == [each.label for each in first.bet_actions]
    assert np.abs(root.strategies - first.strategies).max() < 1e-6
    assert np.abs(later.reach[0] - first.play("X").reach[0]).max() < 1e-6
