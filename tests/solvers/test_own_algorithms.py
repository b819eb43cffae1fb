"""What others add: a CFR variant as one line, a new algorithm as one file."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import riverboat as rb
from riverboat.errors import UsageError
from riverboat.games.registry import make_game
from riverboat.solvers import algorithms as table
from riverboat.solvers.algorithms import CONFIGS, CFRConfig
from riverboat.solvers.solve import solve

FICTITIOUS_PLAY = '''
"""Fictitious play (Brown 1951; Heinrich, Lanctot and Silver 2015 for game trees).

Each player in turn answers the others' averages as well as possible, and the answers' realisation
plans are averaged.
"""

import numpy as np

from riverboat.solvers.algorithms import Algorithm, register
from riverboat.solvers.solver import TreeSolver
from riverboat.trees.best_response import realise_plainly, respond


class FictitiousPlay(TreeSolver):
    def __init__(self, source, algorithm="fictitious-play", *, seed=0):
        super().__init__(source, algorithm, seed=seed)
        self.plans = realise_plainly(self.form, self.form.to_sequences(self.tree.uniform()))

    def state(self):
        return {"clock": self.clock, "gap": self.gap, "plans": self.plans}

    def probabilities(self):
        return self.form.to_slots(self.form.behaviour(self.plans))

    def iterate(self, iterations):
        for _ in range(iterations):
            for player in range(self.tree.num_players):
                answer = respond(self.form, self.probabilities(), player)
                plan = realise_plainly(self.form, self.form.to_sequences(answer))
                own = slice(int(self.form.bases[player]), int(self.form.bases[player + 1]))
                self.plans[own] += plan[own]
            self.clock[0] += 1


register(
    Algorithm("fictitious-play", "best responses to averages", "Brown 1951", FictitiousPlay)
)
'''


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Copies, so that what a test registers is gone after it."""
    monkeypatch.setattr(table, "OTHERS", dict(table.OTHERS))
    added = set(CONFIGS)
    yield
    for name in set(CONFIGS) - added:
        del CONFIGS[name]


@pytest.mark.usefixtures("tables")
def test_a_variant_of_cfr_is_one_line(tmp_path: Path) -> None:
    rb.register(CFRConfig("square-cfr+", gamma=2.0, plus=True, about="CFR+ weighted by t²"))

    game, file = make_game("kuhn"), tmp_path / "kuhn.rb"
    ours = solve(game, algorithm="square-cfr+", iterations=300)
    same = solve(game, algorithm="cfr+(gamma=2)", iterations=300)
    assert np.array_equal(ours.strategy.probabilities, same.strategy.probabilities)
    assert ours.exploitability < 1e-3
    ours.save(file)
    assert solve(game, resume=file, iterations=310).algorithm == "square-cfr+"
    assert solve(make_game("duel"), algorithm="square-cfr+", iterations=50).nash_conv < 1e-2
    assert solve(game, algorithm="square-cfr+(gamma=5):simultaneous", iterations=3).iterations == 3
    assert "square-cfr+" in table.algorithms()
    with pytest.raises(UsageError, match="already"):
        table.register(CFRConfig("square-cfr+"))


@pytest.mark.usefixtures("tables")
def test_a_new_algorithm_is_one_file(tmp_path: Path) -> None:
    module = load_file(tmp_path / "fictitious_play.py", FICTITIOUS_PLAY)
    assert module.FictitiousPlay.__name__ == "FictitiousPlay"

    game, file = make_game("leduc"), tmp_path / "leduc.rb"
    early, late = (
        solve(game, algorithm="fictitious-play", iterations=n, checkpoint=file) for n in (10, 300)
    )
    assert late.exploitability < early.exploitability / 3
    assert len(late.trace) > 10
    resumed = solve(game, resume=file, iterations=310)
    whole = solve(game, algorithm="fictitious-play", iterations=310)
    assert np.array_equal(resumed.strategy.probabilities, whole.strategy.probabilities)
    reached = solve(make_game("kuhn"), algorithm="fictitious-play", target=0.05)
    assert reached.exploitability <= 0.05


@pytest.mark.parametrize("name", ["auto", "lp", "cfr+", "two words", "sampled-x", ""])
def test_names_that_cannot_be_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        table.register(CFRConfig(name))


def load_file(path: Path, text: str) -> ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.pop(path.stem, None)
    spec.loader.exec_module(module)
    return module
