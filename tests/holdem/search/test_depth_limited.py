"""Depth-limited flops: leaves beside hands played out by the readable rules, and solutions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from riverboat.cards.card import parse_cards
from riverboat.cards.combos import COMBO_CARDS, parse_combo
from riverboat.cards.equity import equity
from riverboat.cards.strength import strength
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.translation import follow
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.search._depth_limited import DepthLimitedSolver
from riverboat.holdem.search._flop_leaves import (
    CHOICES,
    FlopCards,
    LeafMatrix,
    continuation,
    leaf_matrix,
)
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._range_tracking import blueprint_start
from riverboat.holdem.search._street_search import FlopSearch, flop_menus
from riverboat.holdem.search.searcher import Searcher
from riverboat.holdem.spots.bet_sizes import sizes_text

BOARD, RUNOUTS = "Qs7h2d", 5
LINE = "r6r18c/cr27c/"
"""Sizes of the blueprint, 45 chips each in the middle, 55 behind: all its sizes are kept."""
OPTIONS = SearchOptions(seconds=0.5, iterations=30)


@cache
def _shipped() -> Blueprint:
    return Blueprint.load("shipped")


@cache
def _cards() -> FlopCards:
    return FlopCards(_shipped(), tuple(parse_cards(BOARD)))


@cache
def _leaf(ours: int) -> LeafMatrix:
    state = _shipped().rules.resume([[], []], parse_cards(BOARD + "9c"), LINE)
    play_on = continuation(_shipped(), follow(_shipped().abstract.tree, state).node)
    return leaf_matrix(_cards(), play_on, ours, RUNOUTS)


def _played(state: HoldemState, runout: list[int], opponent: int, way: int) -> float:
    """What player 0 wins, with the blueprint's real decisions and the opponent's bias."""
    if state.actor == TERMINAL:
        return state.returns()[0]
    if state.actor == CHANCE:
        return _played(state.deal([runout[len(state.board) - 3]]), runout, opponent, way)
    chances = _shipped().choices(state)
    if state.actor == opponent and way:
        kind = {"f": 1, "c": 2}
        chances = {a: 5 * p if kind.get(a, 3) == way else p for a, p in chances.items()}
    total = sum(chances.values())
    return sum(
        p / total * _played(state.after(action), runout, opponent, way)
        for action, p in chances.items()
        if p > 0
    )


@pytest.mark.parametrize("ours", [0, 1])
@pytest.mark.parametrize("hands", ["AhQd KsJs", "7s7c Ah9h", "8s6s QhJh"])
def test_a_leaf_is_what_the_blueprint_wins_when_it_plays_the_hands_out(
    ours: int, hands: str
) -> None:
    """Five runouts by the rules, action by action, and the exact equity for what they leave out."""
    mine, theirs = (parse_cards(text) for text in hands.split())
    leaf, cards = _leaf(ours), _cards()
    seats = [mine, theirs] if ours == 0 else [theirs, mine]
    half = leaf.half
    assert half == 45
    exact = equity(hands.split(), BOARD).equity[0]
    for way in range(len(CHOICES)):
        found = []
        for number in range(RUNOUTS):
            runout = list(cards.runout(number).cards)
            if set(runout) & {*mine, *theirs}:
                continue
            start = _shipped().rules.resume(seats, [*cards.board, runout[0]], LINE)
            won = _played(start, runout, 1 - ours, way) * (1 if ours == 0 else -1)
            full = [*cards.board, *runout]
            sign = np.sign(strength([*mine, *full]) - strength([*theirs, *full]))
            found.append(won - leaf.beta * half * sign)
        expected = np.mean(found) + leaf.beta * half * (2 * exact - 1)
        rows = [np.flatnonzero(cards.combos == parse_combo(h))[0] for h in hands.split()]
        got = leaf.steps[rows[0], len(CHOICES) * rows[1] + way] * leaf.step
        assert got == pytest.approx(expected, abs=2 * leaf.step + 1e-3)


def test_hands_that_share_a_card_win_nothing_from_each_other() -> None:
    cards, leaf = _cards(), _leaf(0)
    own = COMBO_CARDS[cards.combos]
    row = np.flatnonzero(cards.combos == parse_combo("AhQd"))[0]
    shares = np.isin(own, own[row]).any(axis=1)
    steps = leaf.steps[row].reshape(-1, len(CHOICES))
    assert not steps[shares].any()
    assert steps[~shares].any(axis=1).mean() > 0.9


def test_all_ins_are_the_exact_equities() -> None:
    cards = _cards()
    for first, second in (("AhQd", "KsJs"), ("7s7c", "Ah9h"), ("AsAd", "2h2c")):
        exact = equity([first, second], BOARD).equity[0]
        i, j = (np.flatnonzero(cards.combos == parse_combo(hand))[0] for hand in (first, second))
        assert cards.leads[i, j] == pytest.approx(2 * exact - 1, abs=1e-5)


def test_without_a_runout_a_leaf_is_the_pots_showdown() -> None:
    """The same where nobody can bet any more: 45 chips each, won or lost."""
    state = _shipped().rules.resume([[], []], parse_cards(BOARD + "9c"), LINE)
    play_on = continuation(_shipped(), follow(_shipped().abstract.tree, state).node)
    leaf = leaf_matrix(_cards(), play_on, 0, RUNOUTS, lambda: False)
    for way in range(len(CHOICES)):
        chips = leaf.steps[:, way :: len(CHOICES)] * leaf.step
        assert np.abs(chips - leaf.half * _cards().leads).max() <= leaf.step


@cache
def _game() -> tuple[FlopSearch, DepthLimitedSolver]:
    """A flop with 40 chips in the middle, some runouts, player 0 searching."""
    search = FlopSearch(_shipped(), OPTIONS)
    state = _shipped().rules.resume([[], []], parse_cards(BOARD), "r6r20c/")
    start, trail = blueprint_start(_shipped(), state, 1)
    plan = search._plan(start, trail, (), None)
    cards = search._cards_of(start.board)
    leaves = search._made(cards, plan, 0, np.inf, None)
    weights = (start.weights[0][cards.combos], start.weights[1][cards.combos])
    return search, DepthLimitedSolver(plan.flop, cards, leaves, 0, weights)


def _anew(solver: DepthLimitedSolver) -> DepthLimitedSolver:
    weights = tuple(each.astype(np.float64) for each in solver.weights)
    return DepthLimitedSolver(
        solver.flop, solver.cards, solver.leaves, solver.ours, (weights[0], weights[1])
    )


def test_solving_leaves_nothing_to_win_in_the_depth_limited_game() -> None:
    """Both best responses gain less than a thousandth of the pot of 40 together; it is zero-sum."""
    solver = _anew(_game()[1])
    found = []
    for _ in range(120):
        solver.step()
        if solver.iterations in (10, 120):
            found.append(solver.exploitability())
    assert 0 < found[1] < 0.04 < found[0]
    both = [
        float(solver.weights[player].astype(np.float64) @ solver.values(player)[0])
        for player in (0, 1)
    ]
    size = float(solver.weights[0] @ solver.meets(solver.weights[1]))
    assert sum(both) / size == pytest.approx(0, abs=1e-4)


@pytest.mark.e2e
def test_a_bounded_flop_leaves_no_hand_more_than_the_blueprint_does() -> None:
    """Burch et al. 2014, with the gadget alone; without the bound some hand gains chips."""
    search, game = _game()
    bound = game.best_response(1, search._blueprint_plans(game, 0))
    over = {}
    for name, forced in (("gadget", 0.0), ("unsafe", 1.0)):
        solver = _anew(game)
        solver.bound_by(bound, forced)
        for _ in range(150):
            solver.step()
        over[name] = np.nanmax(solver.best_response(1) - bound)
    assert over["gadget"] < 0.1  # 0.25 % of the pot
    assert over["unsafe"] > 5 * over["gadget"]


def test_the_tree_has_the_blueprints_sizes_and_its_leaves_the_blueprints_pots() -> None:
    """The shipped blueprint bets 0.33, 0.75 and 1.5 pots on the flop and raises 0.5 and 1."""
    menus = flop_menus(_shipped())
    assert [sizes_text(sizes.bet) for sizes, _ in menus] == [
        "33%,75%,150%,a",
        "33%,75%,a",
        "33%,75%,a",
        "75%,a",
        "75%,a",
    ]
    assert sizes_text(menus[0][0].raises) == "100%,a"
    state = _shipped().rules.resume([[], []], parse_cards(BOARD), "r6r18c/")
    start, trail = blueprint_start(_shipped(), state, 1)
    plan = FlopSearch(_shipped(), SearchOptions(seconds=20))._plan(start, trail, (), None)
    halves = [18 + plan.flop.tree.nodes[index].put[0] for index in plan.flop.turns]
    theirs = [continuation(_shipped(), turn).half for turn in plan.flop.turns.values()]
    assert len(set(plan.flop.turns.values())) == len(halves) > 6
    assert halves == theirs


def test_a_solve_that_is_cut_short_falls_back_on_the_blueprint() -> None:
    """After one iteration a plan is nearly uniform: the opponent would win far more from it."""
    state = _shipped().rules.resume([[], []], parse_cards(BOARD), "r6r20c/")
    start, trail = blueprint_start(_shipped(), state, 1)
    options = replace(OPTIONS, iterations=1)
    found = FlopSearch(_shipped(), options).solve(start, trail, (), 0, None)
    assert found is not None
    at = found[0].at()
    chances = _shipped().at(trail.node, _shipped().whole_board(start.board, 1))[at.combos(0)]
    checks = _shipped().abstract.tree.actions(trail.node).tolist().index(0)
    assert np.abs(at.strategies[0] - chances[:, checks]).max() < 1e-5


def test_the_player_thinks_about_the_flop_and_says_the_same_again() -> None:
    rules = _shipped().rules
    state = rules.resume([parse_cards("AhQd"), []], parse_cards(BOARD), "r6r20c/")
    first = Searcher(_shipped(), OPTIONS, clock=False)
    chances = first.chances(state)
    assert chances == Searcher(_shipped(), OPTIONS, clock=False).chances(state)
    assert sum(chances.values()) == pytest.approx(1)
    at = first.cursor_at(state)
    assert at is not None
    assert (at.pot, at.stacks) == (40, (80, 80))
    odd = rules.resume([parse_cards("AhQd"), []], parse_cards(BOARD), "r6r20c/cr17")
    there = first.cursor_at(odd)
    assert there is not None
    assert there.node_id == "r:0:c:b17"
    assert there.pot == 57
    checks = [action.letter for action in at.bet_actions].index("X")
    again = [action.letter for action in there.root.bet_actions].index("X")
    assert np.allclose(there.root.strategies[again], at.strategies[checks], atol=1e-5)
    values = there.action_evs()
    fold = [action.letter for action in there.bet_actions].index("F")
    assert np.nanmax(np.abs(values[fold])) < 1e-3
