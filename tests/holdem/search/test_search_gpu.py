"""The search on a real GPU, against the CPU's solver and the rules."""

from __future__ import annotations

import math

import numpy as np
import pytest

from emulated_device import gpu_passes
from riverboat.cards.card import parse_cards
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.search._options import SearchOptions, open_spot
from riverboat.holdem.search._range_tracking import StreetStart, blueprint_start
from riverboat.holdem.search._resolving import bounded_solver
from riverboat.holdem.search._street_solve import solve_street
from riverboat.holdem.search.searcher import Searcher
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.runtime.devices import why_no_gpu

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "there is a GPU"),
]


def test_a_bounded_turn_is_worth_what_the_cpu_says() -> None:
    """The same tree and bound, 300 iterations each: values agree to 0.5 % of the pot."""
    blueprint = Blueprint.load("shipped")
    state = blueprint.rules.resume([[], []], parse_cards("Qs7h2d9c"), "r6r20c/cr20c/")
    start, _ = blueprint_start(blueprint, state, 2)
    options = SearchOptions(seconds=3, iterations=300, device="cuda", sizes=())
    opened = open_spot(start, (), SearchOptions(seconds=0.2))
    bound = np.full(1326, 0.45 * start.pot)
    there = solve_street(opened.layout, 0, bound, (), options, 2, math.inf)
    solver = bounded_solver(opened.layout, 1, bound)
    solver.step(300)
    here = SolvedSpot(opened.layout, (solver.averages[0], solver.averages[1]), {})
    met = here.at().meetings(1) * here.at().weights(1)
    gap = np.abs(there.at().evs(1) - here.at().evs(1))
    assert float(met @ np.nan_to_num(gap)) / float(met.sum()) < 0.005 * start.pot


def test_a_flop_is_solved_and_a_turn_follows_from_it() -> None:
    blueprint = Blueprint.load("shipped")
    searcher = Searcher(blueprint, SearchOptions(device="cuda"), clock=False)
    flop = blueprint.rules.resume([[], []], parse_cards("Qs7h2d"), "r6c/cr7")
    at = searcher.cursor_at(flop)
    assert at is not None
    assert at.solved.info["iterations"] == SearchOptions(device="cuda").iterations_on(1)
    assert np.allclose(at.strategies.sum(axis=0), 1, atol=1e-4)
    # What both get adds up to the pot.
    root = at.root
    total = 0.0
    for player in (0, 1):
        met = root.meetings(player) * root.weights(player)
        total += float(met @ np.nan_to_num(root.evs(player))) / float(met.sum())
    assert total == pytest.approx(root.pot, abs=1e-3 * root.pot)
    turn = blueprint.rules.resume([[], []], parse_cards("Qs7h2d9c"), "r6c/cr7c/")
    later = searcher.cursor_at(turn)
    assert later is not None
    assert later.solved.spot.pot == 26
    actions, chances = searcher.all_hands(turn)
    assert np.allclose(chances.sum(axis=1), 1, atol=1e-3)
    assert len(actions) > 1


def test_usual_trees_are_made_ready_before_the_clock_runs() -> None:
    from riverboat.holdem.search._resolving_cuda import gpu, leave_out, precompile

    options = SearchOptions(device="cuda")
    precompile(options, 100, 2)
    weights = np.ones(1326)
    for text in ("Qs7h2d", "Qs7h2d9c"):
        board = tuple(parse_cards(text))
        start = StreetStart(len(board) - 2, board, 12, 94, (weights, weights))
        arena = open_spot(start, (), options).layout
        solver = bounded_solver(arena, 0, None, device="cuda", gpu=gpu())
        assert gpu().ready(gpu_passes(solver).launcher.texts)
        assert leave_out(solver) == {}
