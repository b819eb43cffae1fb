"""Regrets read from files, against their definition."""

import numpy as np
import pytest

from riverboat.evaluation.action_values import action_values, public_action_values
from riverboat.games.registry import make_game
from riverboat.solvers.result import read_regrets
from riverboat.solvers.sampling import SampledSolver
from riverboat.solvers.solve import solve
from riverboat.trees.game_tree import build_tree
from riverboat.trees.public_tree import build_public_tree


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_after_one_iteration_regrets_are_those_of_uniform_play(name, tmp_path):
    """r(a) = the others' reach of the infoset × (value of a − value of the infoset)."""
    game = make_game(name)
    solve(game, algorithm="cfr:simultaneous", iterations=1).save(tmp_path / "x.rb")
    regrets = read_regrets(tmp_path / "x.rb")
    assert regrets.iterations == 1
    tree = build_tree(game)
    values = action_values(tree, tree.uniform())
    for player in (0, 1):
        slot_player = np.repeat(tree.players, np.diff(tree.offsets))
        reach = tree.reach(np.where(slot_player == player, 1.0, tree.uniform()))
        for i in np.flatnonzero(tree.players == player).tolist():
            first, last = tree.offsets[i : i + 2]
            weight = reach[tree.infoset == i].sum()
            here = values[first:last]
            found = list(regrets.lookup(player, tree.infosets[i]).values())
            np.testing.assert_allclose(found, weight * (here - here.mean()), atol=1e-12)


def test_in_the_duel_too(tmp_path):
    game = make_game("duel")
    result = solve(game, algorithm="cfr:simultaneous", iterations=1)
    result.save(tmp_path / "x.rb")
    regrets = read_regrets(tmp_path / "x.rb")
    shapes = result.strategy.public.shapes
    tree = build_public_tree(shapes)
    uniform = np.ones((tree.num_slots, shapes.num_lanes))
    values = public_action_values(tree, uniform, 0)
    wanted = shapes.deal.sum(axis=1) * (values - values.mean(axis=0))
    for player, infoset, place, lane in result.strategy.public.infosets():
        if place.node == 0:
            found = list(regrets.lookup(player, infoset).values())
            np.testing.assert_allclose(found, wanted[:, lane], atol=1e-12)


def test_a_sampling_algorithm_plays_by_its_positive_regrets(tmp_path):
    result = solve(make_game("kuhn"), algorithm="es-mccfr", iterations=2_000, seed=2)
    result.save(tmp_path / "x.rb")
    regrets, solver = read_regrets(tmp_path / "x.rb"), result.solver
    assert isinstance(solver, SampledSolver)
    tree = solver.tree
    for i, infoset in enumerate(tree.infosets):
        first, last = tree.offsets[i : i + 2]
        positive = np.maximum(list(regrets.lookup(int(tree.players[i]), infoset).values()), 0)
        if positive.sum() > 0:
            share = positive / positive.sum()
            np.testing.assert_allclose(solver.current[first:last], share, atol=1e-12)


def test_a_file_without_a_solver_has_none(tmp_path):
    solve(make_game("kuhn"), algorithm="lp").save(tmp_path / "lp.rb")
    assert read_regrets(tmp_path / "lp.rb") is None
    solved = solve(make_game("kuhn"), iterations=5, algorithm="cfr")
    solved.strategy.save(tmp_path / "bare.rb")
    assert read_regrets(tmp_path / "bare.rb") is None
    solved.save(tmp_path / "whole.rb")
    assert read_regrets(tmp_path / "whole.rb").lookup(0, "no such infoset") == {}
