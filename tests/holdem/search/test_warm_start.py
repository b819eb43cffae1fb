"""A street solved again after an odd bet: begun with what was learned, it is closer at once.

Exploitability is exact: both best responses over all hands and cards.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from riverboat.cards.card import parse_cards
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.search._depth_limited import DepthLimitedSolver
from riverboat.holdem.search._options import SearchOptions, open_spot
from riverboat.holdem.search._range_tracking import StreetStart, blueprint_start
from riverboat.holdem.search._resolving import (
    WARM_ITERATIONS,
    bounded_solver,
    shared_nodes,
    solution_of,
    start_from,
)
from riverboat.holdem.search._street_search import FlopSearch

OPTIONS = SearchOptions(seconds=0.4)


@cache
def _shipped() -> Blueprint:
    return Blueprint.load("shipped")


def _start(history: str, board: str, street: int) -> StreetStart:
    state = _shipped().rules.resume([[], []], parse_cards(board), history)
    return blueprint_start(_shipped(), state, street)[0]


@pytest.mark.parametrize(
    ("history", "board", "odd"),
    [("r6r20c/cr20c/", "Qs7h2d9c", "r23"), ("r4c/cr6c/cr8c/", "Qs7h2d9c3s", "r13")],
)
def test_sixteen_iterations_on_from_an_earlier_solve_are_worth_more_than_sixteen_anew(
    history: str, board: str, odd: str
) -> None:
    start = _start(history, board, len(board) // 2 - 2)
    old = open_spot(start, (), OPTIONS)
    first = bounded_solver(old.layout, 1, None)
    first.step(60)
    arena = open_spot(start, ("c", odd), OPTIONS, old.menu).layout
    cold, warm = bounded_solver(arena, 1, None), bounded_solver(arena, 1, None)
    assert start_from(warm, solution_of(first))
    assert warm.iterations == WARM_ITERATIONS
    for solver in (cold, warm):
        solver.step(16)
    assert warm.measure() < 0.6 * cold.measure()


def test_too_little_is_not_taken_over() -> None:
    arena = open_spot(_start("r6r20c/cr20c/", "Qs7h2d9c", 2), (), OPTIONS).layout
    first = bounded_solver(arena, 1, None)
    first.step(WARM_ITERATIONS - 1)
    assert not start_from(bounded_solver(arena, 1, None), solution_of(first))


def test_the_old_tree_lies_in_the_new_one() -> None:
    start = _start("r6r20c/cr20c/", "Qs7h2d9c", 2)
    old = open_spot(start, (), OPTIONS)
    new = open_spot(start, ("c", "r23"), OPTIONS, old.menu).layout
    pairs = shared_nodes(old.layout.tree, new.tree)
    assert len(pairs) == old.layout.tree.num_decisions < new.tree.num_decisions
    assert all(first.put == second.put for first, second in pairs)


def test_a_flop_goes_on_from_what_it_learned() -> None:
    search = FlopSearch(_shipped(), OPTIONS)
    state = _shipped().rules.resume([[], []], parse_cards("Qs7h2d"), "r6r20c/")
    start, trail = blueprint_start(_shipped(), state, 1)

    def made(done: tuple[str, ...], menu: int | None) -> tuple[DepthLimitedSolver, int]:
        plan, cards = search._plan(start, trail, done, menu), search._cards_of(start.board)
        leaves = search._made(cards, plan, 0, np.inf, None)
        weights = (start.weights[0][cards.combos], start.weights[1][cards.combos])
        return DepthLimitedSolver(plan.flop, cards, leaves, 0, weights), plan.menu

    first, menu = made((), None)
    for _ in range(40):
        first.step()
    cold, warm = (made(("c", "r13"), menu)[0] for _ in range(2))
    warm.start_from(first.learned())
    for _ in range(8):
        cold.step()
        warm.step()
    assert warm.exploitability() < cold.exploitability()
