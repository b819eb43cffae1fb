"""Sampled matches and action values against exact expectations."""

import numpy as np
import pytest

from riverboat.errors import UsageError
from riverboat.evaluation.action_values import action_values, history_values
from riverboat.evaluation.sampled_matches import sample_match
from riverboat.games.registry import make_game
from riverboat.trees.game_tree import build_tree


def test_sampled_means_cover_the_exact_value() -> None:
    """Uniform against always-bet in Kuhn; the exact value comes from the whole tree."""
    tree = build_tree(make_game("kuhn"))
    uniform, bet = tree.uniform(), np.array([float(a == "b") for a in tree.actions])
    slot_player = np.repeat(tree.players, np.diff(tree.offsets))
    first = history_values(tree, np.where(slot_player == 0, uniform, bet))[0, 0]
    second = history_values(tree, np.where(slot_player == 1, uniform, bet))[0, 1]
    match = sample_match(tree, [uniform, bet], 400_000, seed=5)
    assert match.seat_mean[0, 0] == pytest.approx(first, abs=2 * match.seat_ci95[0, 0])
    assert match.seat_mean[0, 1] == pytest.approx(second, abs=2 * match.seat_ci95[0, 1])
    assert match.mean[0] == pytest.approx((first + second) / 2, abs=2 * match.ci95[0])
    assert match.mean.sum() == pytest.approx(0, abs=1e-12)


def test_a_match_does_not_depend_on_how_it_is_cut() -> None:
    tree = build_tree(make_game("leduc"))
    whole = sample_match(tree, [tree.uniform()] * 2, 70_000, seed=1)
    calls: list[int] = []
    again = sample_match(tree, [tree.uniform()] * 2, 70_000, seed=1, progress=calls.append)
    np.testing.assert_array_equal(whole.seat_mean, again.seat_mean)
    assert calls == [65_536, 70_000]


def test_three_players_rotate() -> None:
    tree = build_tree(make_game("kuhn", {"players": 3}))
    match = sample_match(tree, [tree.uniform()] * 3, 90_000, seed=2)
    assert match.mean.sum() == pytest.approx(0, abs=1e-12)
    exact = history_values(tree, tree.uniform())[0]
    for player in range(3):
        for seat in range(3):
            width = match.seat_ci95[player, seat]
            assert match.seat_mean[player, seat] == pytest.approx(exact[seat], abs=2.2 * width)


def test_a_wrong_number_of_strategies_is_refused() -> None:
    tree = build_tree(make_game("kuhn"))
    with pytest.raises(UsageError, match="takes 2 players"):
        sample_match(tree, [tree.uniform()], 10)


def test_action_values_in_kuhn_by_hand() -> None:
    """Against a uniform opponent, facing a bet: folding loses 1; a call wins 2 with the king,
    loses 2 with the jack, and with the queen meets jack or king equally often."""
    tree = build_tree(make_game("kuhn"))
    values = action_values(tree, tree.uniform())
    found = {
        (tree.infosets[i], tree.actions[s]): values[s]
        for i in range(tree.num_infosets)
        for s in range(int(tree.offsets[i]), int(tree.offsets[i + 1]))
    }
    for key, call in (("K|b", 2), ("Q|b", 0), ("J|b", -2), ("K|pb", 2), ("Q|pb", 0), ("J|pb", -2)):
        assert found[key, "p"] == pytest.approx(-1)
        assert found[key, "b"] == pytest.approx(call)
    # A king that bets is folded to or called equally often: (1 + 2) / 2.
    assert found["K|", "b"] == pytest.approx(1.5)
    # A king that passes: passed (+1), or bet at and then folding (−1) or calling (+2) equally.
    assert found["K|", "p"] == pytest.approx(0.5 * 1 + 0.5 * (0.5 * -1 + 0.5 * 2))
