"""The CFR family on public trees: the same as on game trees, and the duel's equilibria."""

from pathlib import Path

import numpy as np
import pytest

from riverboat.errors import FileFormatError, TooLargeError, UsageError
from riverboat.games.duel import Duel
from riverboat.games.registry import make_game
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.config import CONFIGS
from riverboat.solvers.limits import Limit
from riverboat.solvers.public_cfr import PublicCFRSolver
from riverboat.trees.game_tree import build_tree
from riverboat.trees.public_games import public_game

ALGORITHMS = [*CONFIGS, "cfr:simultaneous", "cfr+:simultaneous", "pdcfr+:simultaneous"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", ["kuhn", "leduc", "showdown"])
def test_every_iteration_agrees_with_the_game_tree(name: str, algorithm: str) -> None:
    game = make_game(name)
    ours = PublicCFRSolver(public_game(game), algorithm)
    theirs = CFRSolver(build_tree(game), algorithm)
    for _ in range(12):
        ours.step()
        theirs.step()
        found, wanted = ours.evaluation(), theirs.evaluation()
        assert found.value == pytest.approx(wanted.value, abs=1e-9)
        assert found.best_response == pytest.approx(wanted.best_response, abs=1e-9)
    strategy, reference = ours.strategy(), theirs.strategy()
    for player, key in zip(reference.players.tolist(), reference.infosets, strict=True):
        assert strategy.lookup(player, key) == pytest.approx(
            reference.lookup(player, key), abs=1e-9
        )
