"""Search on top of a blueprint: exact bounds, exact exploitability, and decisions that are kept."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from exact_measure import TurnGame
from riverboat.arena.hand import play_hand, view_of
from riverboat.cards.card import parse_cards
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.strength import strength
from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.games.registry import make_game
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.rules.table import deal_streets
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._range_tracking import blueprint_start
from riverboat.holdem.search._resolving import blueprint_bound, blueprint_spot, bounded_solver
from riverboat.holdem.search.player import SearchCoach
from riverboat.holdem.search.searcher import Searcher
from riverboat.holdem.spots.lines import line_of
from riverboat.holdem.spots.solver import SpotSolver
from riverboat.players.roster import make_player
from riverboat.solvers.algorithms import BEST

QUICK = SearchOptions(seconds=0.5, iterations=8)
NO_WEIGHTS = np.zeros(3, np.float32)


@cache
def shipped() -> Blueprint:
    return Blueprint.load("shipped")


def hand_at(history: str, board: str, hole: str = "AhQd") -> HoldemState:
    """The state as the player who acts sees it."""
    rules = shipped().rules
    actor = rules.resume([[], []], parse_cards(board), history).actor
    hands = [parse_cards(hole) if player == actor else [] for player in (0, 1)]
    return rules.resume(hands, parse_cards(board), history)


def test_actions_become_lines() -> None:
    assert line_of(("c", "r6", "r20", "c"), 90) == "X-B6-R20-C"
    assert line_of(("r90", "f"), 90) == "A90-F"
    assert line_of(("r200",), 90) == "A90"
    assert line_of((), 90) == ""
    assert line_of(("r90", "r120", "c"), 90) == "A90-C"


def test_ranges_are_the_products_of_the_blueprints_probabilities() -> None:
    """Preflop by hand: raise to 4, call; the noise of a thousandth is a thousandth."""
    blueprint, rules = shipped(), shipped().rules
    start, _ = blueprint_start(blueprint, hand_at("r4c/cc/", "Qs7h2d9c"), 2)
    expected = [np.ones(1326), np.ones(1326)]
    for history, board, action in (
        ("", "", "r4"),
        ("r4", "", "c"),
        ("r4c/", "Qs7h2d", "c"),
        ("r4c/c", "Qs7h2d", "c"),
    ):
        state = rules.resume([[], []], parse_cards(board), history)
        actions, chances = blueprint.all_hands(state)
        expected[state.actor] *= chances[:, actions.index(action)]
    live = ~np.isin(COMBO_CARDS, start.board).any(axis=1)
    for mine, theirs in zip(start.weights, expected, strict=True):
        scaled = theirs / theirs[live].max()
        assert np.abs(mine[live] / mine[live].max() - scaled[live]).max() < 4e-3
    assert (start.pot, start.stack) == (8, 96)


def test_the_bound_is_the_best_response_worked_out_with_matrices() -> None:
    """A river with 120 chips in the middle: every line by hand."""
    blueprint = shipped()
    state = hand_at("r6r20c/cr40c/cc/", "Qs7h2d9c3s")
    start, trail = blueprint_start(blueprint, state, 3)
    laid = blueprint_spot(blueprint, start, trail)
    assert laid is not None
    arena, nodes = laid
    board = list(start.board)
    live = np.flatnonzero(~np.isin(COMBO_CARDS, board).any(axis=1))
    power = [strength([*COMBO_CARDS[c].tolist(), *board]) for c in live]
    beats = np.sign(np.array([[(a > b) - (a < b) for b in power] for a in power]))
    cards = COMBO_CARDS[live]
    apart = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    buckets = blueprint.whole_board(start.board, 3)[live]
    for opponent in (0, 1):
        ours = 1 - opponent

        def value(index: int, reach: np.ndarray, opponent: int = opponent) -> np.ndarray:
            """(hands of the opponent,) sums over our hands with their reach, from half the pot."""
            node = arena.tree.nodes[index]
            half = arena.spot.pot / 2
            if node.kind == 2:
                won = half + node.put[node.player]
                return (apart @ reach) * (-won if node.player == opponent else won)
            if node.kind == 3:
                return ((beats * apart) @ reach) * (half + node.put[0])
            if node.player == opponent:
                return np.max([value(child, reach) for child in node.children], axis=0)
            theirs = nodes[index]
            chances = blueprint.at(theirs, buckets)
            amounts = blueprint.abstract.tree.actions(theirs).tolist()
            total = np.zeros(len(live))
            for action, child in zip(node.actions, node.children, strict=True):
                amount = {"F": -1, "X": 0, "C": 0}.get(action.letter, round(action.chips))
                total += value(child, reach * chances[:, amounts.index(amount)])
            return total

        reach = start.weights[ours][live]
        # The blueprint takes the bet of 40 for another one: its pot is scaled to the real one.
        pot = arena.spot.pot
        expected = (value(0, reach) / (apart @ reach) + pot / 2) * start.pot / pot
        bound = blueprint_bound(blueprint, start, trail, opponent)
        assert bound is not None
        assert np.nanmax(np.abs(bound[live] - expected)) < 1e-3


def test_limped_pots_have_a_bound_where_the_budget_allows() -> None:
    """The largest turn there is: 4 chips in the middle, 98 behind, 176 million numbers."""
    start, trail = blueprint_start(shipped(), hand_at("cc/cc/", "Qs7h2d9c"), 2)
    bound = blueprint_bound(shipped(), start, trail, 0, seconds=3)
    assert bound is not None
    live = ~np.isin(COMBO_CARDS, start.board).any(axis=1)
    assert np.nanmin(bound[live]) >= 0  # he can always give up and win nothing more
    nines = [i for i in np.flatnonzero(live) if set(COMBO_CARDS[i] // 4) == {7}]
    assert np.nanmin(bound[nines]) > start.pot  # a set wins more than the pot
    assert blueprint_bound(shipped(), start, trail, 0, seconds=1) is None


def _over(solver: SpotSolver, opponent: int, bound: np.ndarray) -> np.ndarray:
    """By how many chips each hand of the opponent gets more than its bound."""
    arena = solver.layout
    values = solver.pass_values(opponent, BEST)
    combos, mass = arena.combos[opponent], arena.meetings[opponent]
    return np.asarray(values[: len(combos)] / mass + arena.spot.pot / 2 - bound[combos])


def test_safe_solving_keeps_every_hand_at_its_bound_and_unsafe_does_not() -> None:
    """Burch et al. 2014: with the gadget alone no hand gains; the pot is 20 chips."""
    blueprint = shipped()
    start, trail = blueprint_start(blueprint, hand_at("r4c/cr6c/cc/", "Qs7h2d9c3s"), 3)
    bound = blueprint_bound(blueprint, start, trail, 1)
    assert bound is not None
    over = {}
    for name, forced in (("gadget", 0.0), ("safe", 0.05), ("unsafe", 1.0)):
        laid = blueprint_spot(blueprint, start, trail)
        assert laid is not None
        solver = bounded_solver(laid[0], 1, bound, forced=forced)
        solver.step(600)
        over[name] = _over(solver, 1, bound)
    assert over["gadget"].max() < 0.02  # a thousandth of the pot after 600 iterations
    assert over["safe"].max() < 0.2
    assert over["unsafe"].max() > 2
    weights = start.weights[1][laid[0].combos[1]]
    gain = {name: -float(weights @ np.nan_to_num(each)) for name, each in over.items()}
    assert gain["safe"] > 2 * gain["gadget"] > 0


@pytest.mark.e2e
def test_search_lowers_the_exact_exploitability_of_a_turn() -> None:
    blueprint = shipped()
    start, trail = blueprint_start(blueprint, hand_at("r6r20c/cr40c/", "AsKh8d8c"), 2)
    game = TurnGame.of(blueprint, start, trail)
    before = game.evaluation()
    after = game.evaluation(game.searched("safe", iterations=60))
    assert after.exploitability < before.exploitability
    for player in (0, 1):
        assert after.best[player] <= before.best[player] + 0.001 * start.pot


def test_a_decision_is_legal_sums_to_one_and_is_the_same_again() -> None:
    state = hand_at("r6r20c/cr20c/", "Qs7h2d9c")
    first = Searcher(shipped(), QUICK, clock=False).chances(state)
    assert first == Searcher(shipped(), QUICK, clock=False).chances(state)
    assert sum(first.values()) == pytest.approx(1)
    assert set(first) <= set(state.actions())


def test_a_bet_of_any_size_is_in_the_tree() -> None:
    """37 chips into 80 are no size of the tree; they are answered as they are."""
    searcher = Searcher(shipped(), QUICK, clock=False)
    state = hand_at("r6r20c/cr20c/r37", "Qs7h2d9c")
    at = searcher.cursor_at(state)
    assert at is not None
    assert at.node_id == "r:0:b37"
    assert at.pot == 80 + 37
    river = hand_at("r6r20c/cr20c/r37c/", "Qs7h2d9c3s")
    there = searcher.cursor_at(river)
    assert there is not None
    assert (there.pot, there.stacks) == (80 + 74, (23, 23))


def test_whole_hands_against_the_blueprint() -> None:
    game = shipped().rules
    seats = [make_player(game, "search?iterations=4"), make_player(game, "blueprint")]
    rng = np.random.default_rng(5)
    for hand in range(6):
        order = seats if hand % 2 else seats[::-1]
        record = play_hand(game, order, deal_streets(rng), [rng, rng])
        assert sum(record.returns) == 0


def test_the_coach_knows_what_moves_are_worth_from_the_turn_on() -> None:
    game = shipped().rules
    coach = SearchCoach(game, Searcher(shipped(), QUICK, clock=False))
    state = hand_at("r6r20c/cr20c/r60", "Qs7h2d9c")
    advice = coach.advise(view_of(game, state))
    assert advice.source == "search"
    assert advice.values["f"] == pytest.approx(0, abs=1e-3)
    assert set(advice.values) == {"f", "c"}
    early = coach.advise(view_of(game, hand_at("r6", "")))
    assert early.source == "blueprint"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("search?speed=3", "no option 'speed'"),
        ("search?seconds=0", "seconds is a number from 0.05 to 3600"),
        ("search?seconds=nan", "seconds is a number"),
        ("search?threads=x", "threads is a number"),
        ("search?sizes=0.5q", "no size"),
        ("search?device=gpu", "no device called 'gpu'"),
        ("search?sizes=xp", "no size"),
    ],
)
def test_options_that_cannot_be_are_refused(text: str, words: str) -> None:
    with pytest.raises((ParameterError, UnknownNameError, UsageError), match=words):
        make_player(shipped().rules, text)


def test_other_games_are_refused() -> None:
    with pytest.raises(UsageError, match="plays holdem, not kuhn"):
        make_player(make_game("kuhn"), "search")


def test_sizes_are_read_as_blueprints_and_as_spots_write_them() -> None:
    first = SearchOptions.read({"sizes": "0.5p;1p;a"}, "search")
    second = SearchOptions.read({"sizes": "50%,100%,a"}, "search")
    assert first.sizes == second.sizes
