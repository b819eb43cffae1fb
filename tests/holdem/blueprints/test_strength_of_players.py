"""Strength figures against closed forms: duplicate deals, LBR, learned responses."""

from math import comb

import numpy as np
import pytest

from holdem_configs import LEDUC
from riverboat.evaluation.estimates import Z95
from riverboat.evaluation.exploitability import evaluate
from riverboat.games.base import Action
from riverboat.holdem.blueprints.abstract_play import (
    against,
    learned_response,
    seat_values,
    table_of,
)
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.duplicate_match import duplicate_match, pot_share_of
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.lbr import local_best_response
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.holdem.rules.state import HoldemState
from riverboat.solvers.run import Limit
from riverboat.trees.game_tree import build_tree

CONFIG = {
    "game": {"stacks": 20},
    "bets": {"preflop": "1p,a", "cap": 2},
    "cards": {"scheme": "percentile", "flop": 4, "turn": 4, "river": 4},
}


def pure(amount: int) -> Blueprint:
    """Always the action of this amount (−1 folds, 0 calls) where there is one, else a check."""
    abstract = AbstractGame.build(HoldemConfig.from_table(CONFIG))
    tree, buckets = abstract.tree, abstract.buckets.num_buckets
    blueprint = Blueprint(abstract, np.zeros(abstract.num_bytes // 8, np.uint16))
    starts = tree.starts(buckets) // 2
    for node in range(tree.num_nodes):
        amounts = tree.actions(node).tolist()
        if amounts:
            row, offset = (int(tree.nodes[8 * node + place]) for place in (3, 4))
            chosen = amounts.index(amount) if amount in amounts else amounts.index(0)
            rows = blueprint.weights[int(starts[row]) : int(starts[row + 1])]
            rows.reshape(buckets[row % 4], -1)[:, offset // 2 + chosen] = 65_535
    return blueprint


def call(state: HoldemState, rng: np.random.Generator) -> Action:
    return "c"


def fold(state: HoldemState, rng: np.random.Generator) -> Action:
    return "f" if state.betting.to_call else "c"


def test_duplicate_deals_between_equals_cancel_exactly() -> None:
    result = duplicate_match(pure(0), call, 40, seed=3)
    assert result.plain.mean == 0
    assert result.plain.ci95 == 0
    assert result.reduced.mean == pytest.approx(0)


def test_against_a_folder_a_folder_breaks_even_and_a_caller_wins_the_blinds() -> None:
    """The folder gives up half a blind as the button; as big blind he only checks."""
    result = duplicate_match(pure(-1), fold, 10, seed=1)
    assert result.plain.mean == 0
    assert [seat.mean for seat in result.seats] == [500, -500]


@pytest.mark.e2e
def test_averaging_over_the_range_keeps_the_mean_and_shrinks_the_interval() -> None:
    run = HoldemTrainer(AbstractGame.build(HoldemConfig.from_table(CONFIG)), seed=1)
    run.run(Limit(iterations=2 * 20_000))
    result = duplicate_match(run.blueprint(), call, 250, seed=5)
    assert result.reduced.ci95 < 0.9 * result.plain.ci95
    assert abs(result.reduced.mean - result.plain.mean) < result.plain.ci95


def test_luck_is_not_taken_out_where_boards_have_fewer_than_five_cards() -> None:
    """An average over five cards would be one of another game."""
    config = CONFIG | {"game": {"stacks": 20, "board_cards": [0, 3]}}
    config |= {"cards": {"scheme": "percentile", "flop": 4, "turn": 4, "river": 4}}
    abstract = AbstractGame.build(HoldemConfig.from_table(config))
    uniform = Blueprint(abstract, np.zeros(abstract.num_bytes // 8, np.uint16))
    result = duplicate_match(uniform, call, 30, seed=2)
    assert result.plain == result.reduced


def test_lbr_takes_every_blind_of_a_folder() -> None:
    """Half a blind when the folder is the button, the whole blind when LBR is: 750 a game."""
    found = local_best_response(pure(-1), 3, seed=1).estimate
    assert found.mean == pytest.approx(750)
    assert found.ci95 == pytest.approx(0, abs=1e-9)


def test_lbr_beats_a_caller() -> None:
    found = local_best_response(pure(0), 4, seed=1).estimate
    assert Z95 * found.mean > 3 * found.ci95


def test_hands_that_share_a_card_with_the_board_are_never_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Tables by isomorphic index have no entry for them."""
    blueprint = pure(0)
    buckets = blueprint.abstract.buckets
    asked: list[int] = []
    assign = type(buckets).assign

    def strict(self: object, cards: np.ndarray, players: int, out: np.ndarray) -> None:
        assert all(len(set(row)) == len(row) for row in cards.tolist())
        asked.append(len(cards))
        assign(self, cards, players, out)  # type: ignore[arg-type]

    monkeypatch.setattr(type(buckets), "assign", strict)
    local_best_response(blueprint, 2, seed=2)
    assert set(asked) == {comb(52 - size, 2) for size in (0, 3, 4, 5)}


def test_pot_share_against_one_hand_is_the_known_equity() -> None:
    """A set of aces on As Ks 2d against a flush draw, as the card engine counts it."""
    from riverboat.cards.card import parse_cards
    from riverboat.cards.combos import parse_combo
    from riverboat.cards.equity import equity as exact_equity

    weights = np.zeros(1326)
    weights[parse_combo("QsJs")] = 1
    hand, board = tuple(parse_cards("AhAd")), tuple(parse_cards("AsKs2d"))
    share = pot_share_of(hand, board, weights, np.random.default_rng(0))
    exact = exact_equity(["AhAd", "QsJs"], "AsKs2d")
    assert share == pytest.approx(exact.equity[0])


def test_a_learned_response_is_near_the_exact_one_and_not_above_it() -> None:
    run = HoldemTrainer(AbstractGame.build(HoldemConfig.from_table(LEDUC)), seed=1)
    run.run(Limit(iterations=2 * 4_000))
    blueprint = run.blueprint()
    table = table_of(blueprint)
    both, each = learned_response(run.abstract, table, deals=100_000, test_deals=200_000)
    exact = evaluate(build_tree(run.abstract.config.game), blueprint)
    for found, best in zip(each, exact.best_response, strict=True):
        assert found.mean <= 1000 * best + 2 * found.ci95
        assert found.mean >= 1000 * best - 100
    assert both.mean == pytest.approx(1000 * exact.exploitability, abs=100)


def test_seats_sum_to_zero_and_the_caller_is_beaten() -> None:
    table = {
        "game": {"players": 3, "stacks": 20},
        "bets": {"preflop": "a", "cap": 1, "history": "letters", "field": 2},
        "cards": CONFIG["cards"],
    }
    run = HoldemTrainer(AbstractGame.build(HoldemConfig.from_table(table)), seed=1)
    run.run(Limit(iterations=2 * 30_000))
    seats = seat_values(run.abstract, run.table, deals=20_000)
    assert sum(seat.mean for seat in seats) == pytest.approx(0, abs=1e-6)
    found = against(run.abstract, run.table, deals=20_000)
    assert Z95 * found.mean > 4 * found.ci95
