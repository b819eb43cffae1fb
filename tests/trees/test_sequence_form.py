"""SequenceForm: folding loses nothing."""

from __future__ import annotations

import numpy as np
import pytest

from riverboat.games.registry import make_game
from riverboat.trees import best_response
from riverboat.trees.best_response import evaluate_profile
from riverboat.trees.game_tree import GameTree, build_tree
from riverboat.trees.sequence_form import sequence_form


def random_profile(tree: GameTree, rng: np.random.Generator) -> np.ndarray:
    weights = rng.exponential(size=tree.num_slots)
    return weights / np.repeat(np.add.reduceat(weights, tree.offsets[:-1]), np.diff(tree.offsets))


def test_leduc_folds_to_a_small_sparse_matrix() -> None:
    """The sizes the issue states: 1,093 × 1,093 with 4,920 non-zeros."""
    form = sequence_form(build_tree(make_game("leduc")))
    assert np.diff(form.bases.astype(int)).tolist() == [1093, 1093]
    first = int(form.rows[int(form.bases[1])])
    assert (first, len(form.values) - first) == (4920, 4920)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("rps", {"rock_stake": 3}),
        ("kuhn", {}),
        ("kuhn", {"players": 3}),
        ("leduc", {"ranks": 2}),
        ("liars_dice", {"faces": 3}),
        ("showdown", {"cards": 5}),
    ],
)
def test_values_equal_the_sum_over_all_plays(name: str, parameters: dict[str, int]) -> None:
    tree = build_tree(make_game(name, parameters))
    form = sequence_form(tree)
    rng = np.random.default_rng(5)
    for _ in range(5):
        profile = random_profile(tree, rng)
        expected = tree.reach(profile)[tree.terminals] @ tree.returns
        assert evaluate_profile(form, profile).value == pytest.approx(expected.tolist(), abs=1e-12)


def test_slots_and_sequences_translate_both_ways() -> None:
    tree = build_tree(make_game("leduc"))
    form = sequence_form(tree)
    by_slot = np.random.default_rng(0).random(tree.num_slots)
    assert np.array_equal(form.to_slots(form.to_sequences(by_slot)), by_slot)
    groups = form.groups.astype(int)
    assert sorted(form.infosets.tolist()) == list(range(tree.num_infosets))
    for first, n, k, place in groups.tolist():
        for i in range(n):
            infoset = form.infosets[place + i]
            slots = form.slots[first + i : first + n * k : n]
            expected = range(int(tree.offsets[infoset]), int(tree.offsets[infoset + 1]))
            assert slots.tolist() == list(expected)
            assert form.parents[place + i] < first


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("kuhn", {}), ("kuhn", {"players": 3}), ("leduc", {}), ("liars_dice", {"faces": 3})],
)
def test_the_compiled_evaluation_equals_the_plain_one(
    name: str, parameters: dict[str, int]
) -> None:
    form = sequence_form(build_tree(make_game(name, parameters)))
    rng = np.random.default_rng(5)
    for _ in range(3):
        weights = form.to_sequences(rng.random(form.tree.num_slots))
        probabilities = form.to_slots(form.behaviour(weights))
        ours = best_response.evaluate_profile(form, probabilities, compiled_from=0)
        plain = best_response.evaluate_plainly(form, probabilities)
        assert ours.value == pytest.approx(plain.value, abs=1e-12)
        assert ours.best_response == pytest.approx(plain.best_response, abs=1e-12)


def test_a_notebook_shows_the_sizes() -> None:
    """Kuhn: each of two players has 6 infosets with 2 actions and the empty sequence; every end
    is an entry of each player."""
    page = sequence_form(build_tree(make_game("kuhn")))._repr_html_()
    assert "Sequence form of Kuhn" in page
    assert "26" in page
    assert f"{2 * 30}" in page
