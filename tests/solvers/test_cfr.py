"""The CFR family against a plain recursive version, OpenSpiel, and published values."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riverboat.errors import FileFormatError, ParameterError, UnknownNameError
from riverboat.games.base import CHANCE, TERMINAL, Game
from riverboat.games.kuhn import Kuhn, KuhnState
from riverboat.games.registry import make_game
from riverboat.solvers.algorithms import (
    CONFIGS,
    CFRConfig,
    cfr_config,
    config_text,
    parse_algorithm,
)
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.run import Limit
from riverboat.trees.game_tree import GameTree, build_tree

VARIANTS = [*CONFIGS, "dcfr(1.2,-0.5,3)", "pcfr+(gamma=5,prediction=0.5)", "linear:simultaneous"]


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    return build_tree(make_game("kuhn"))


@pytest.fixture(scope="module")
def leduc() -> GameTree:
    return build_tree(make_game("leduc"))


@dataclass(frozen=True)
class Untied(Kuhn):
    """Kuhn with payoffs moved a little, play by play: no ties that rounding would have to break."""

    def start(self) -> UntiedState:
        return UntiedState(self)


class UntiedState(KuhnState):
    def after(self, action: str) -> UntiedState:
        below = super().after(action)
        return UntiedState(below.game, below.cards, below.bets)

    def returns(self) -> tuple[float, ...]:
        key = sum(ord(c) * 7.3**i for i, c in enumerate(self.cards + self.bets))
        return tuple(r + 0.2 * math.sin(key + p) for p, r in enumerate(super().returns()))


class Reference:
    """The family over the rules themselves, by recursion and dictionaries."""

    def __init__(self, game: Game, config: CFRConfig) -> None:
        self.game, self.config, self.t = game, config, 0
        self.regrets: dict[Any, np.ndarray] = {}
        self.strategy: dict[Any, np.ndarray] = {}
        self.average: dict[Any, np.ndarray] = {}

    def iterate(self) -> None:
        self.t += 1
        players = range(self.game.num_players)
        for group in [[p] for p in players] if self.config.alternating else [list(players)]:
            newest: dict[Any, np.ndarray] = defaultdict(lambda: np.zeros(1))
            self.visit(self.game.start(), np.ones(len(players)), 1.0, group, newest, set())
            for key, regret in newest.items():
                self.update(key, regret)

    def visit(
        self, state: Any, reach: np.ndarray, chance: float, group: list[int], newest: Any, seen: Any
    ) -> np.ndarray:
        if state.actor == TERMINAL:
            return np.array(state.returns())
        if state.actor == CHANCE:
            return sum(
                p * self.visit(state.after(a), reach, chance * p, group, newest, seen)
                for a, p in state.chance()
            )
        key, actions = (state.actor, state.infoset(state.actor)), state.actions()
        for table, first in (
            (self.regrets, 0.0),
            (self.average, 0.0),
            (self.strategy, 1 / len(actions)),
        ):
            table.setdefault(key, np.full(len(actions), first))
        mixed, values = self.strategy[key], []
        for action, probability in zip(actions, mixed, strict=True):
            below = reach.copy()
            below[state.actor] *= probability
            values.append(self.visit(state.after(action), below, chance, group, newest, seen))
        value = sum(p * v for p, v in zip(mixed, values, strict=True))
        if state.actor in group:
            others = chance * np.prod(np.delete(reach, state.actor))
            gains = np.array([v[state.actor] for v in values]) - value[state.actor]
            newest[key] = newest[key] + others * gains
            if key not in seen:
                weight = self.t**self.config.gamma * reach[state.actor]
                self.average[key] += weight * mixed
                seen.add(key)
        return np.asarray(value)

    def update(self, key: Any, newest: np.ndarray) -> None:
        config, old = self.config, self.regrets[key]
        kept = np.where(
            old > 0, old * share(self.t - 1, config.alpha), old * share(self.t - 1, config.beta)
        )
        regrets = kept + newest
        if config.plus:
            regrets = np.maximum(regrets, 0)
        self.regrets[key] = regrets
        scale = share(self.t, config.alpha) if config.prediction else 1.0
        weights = np.maximum(scale * regrets + config.prediction * newest, 0)
        total = weights.sum()
        self.strategy[key] = weights / total if total > 0 else np.full_like(old, 1 / len(old))


def share(t: float, exponent: float) -> float:
    if math.isinf(exponent):
        return float(exponent > 0)
    return float(t**exponent / (t**exponent + 1)) if t or exponent >= 0 else 1.0


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("text", VARIANTS)
def test_iterations_equal_the_plain_recursion(text: str, players: int) -> None:
    game = Untied(players=players)
    config = parse_algorithm(text).config
    reference, solver = Reference(game, config), CFRSolver(build_tree(game), config)
    for _ in range(18 // players // (players - 1)):
        reference.iterate()
        solver.step()
    tree = solver.tree
    keys = zip(tree.players.tolist(), tree.infosets, strict=True)
    current, average = solver.current(), solver.probabilities()
    for i, key in enumerate(keys):
        slots = slice(int(tree.offsets[i]), int(tree.offsets[i + 1]))
        assert current[slots] == pytest.approx(reference.strategy[key], abs=1e-9)
        expected = reference.average[key] / reference.average[key].sum()
        assert average[slots] == pytest.approx(expected, abs=1e-9)


def test_openspiel_exploitability_of_cfr_plus(kuhn: GameTree, leduc: GameTree) -> None:
    """OpenSpiel's CFRPlusSolver after 50 iterations: Kuhn 0.0027972506, Leduc 0.0341214565."""
    for tree, expected in ((kuhn, 0.0027972506), (leduc, 0.0341214565)):
        solver = CFRSolver(tree, "cfr+")
        solver.run(Limit(iterations=50))
        assert solver.evaluation().exploitability == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["cfr", "cfr+"])
def test_openspiel_itself(name: str, kuhn: GameTree) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("kuhn_poker")
    theirs = {"cfr": pyspiel.CFRSolver, "cfr+": pyspiel.CFRPlusSolver}[name](game)
    ours = CFRSolver(kuhn, name)
    for _ in range(5):
        for _ in range(20):
            theirs.evaluate_and_update_policy()
            ours.step()
        expected = pyspiel.exploitability(game, theirs.average_policy())
        assert ours.evaluation().exploitability == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cfr", "cfr+"])
def test_openspiel_itself_on_leduc(name: str, leduc: GameTree) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("leduc_poker")
    theirs = {"cfr": pyspiel.CFRSolver, "cfr+": pyspiel.CFRPlusSolver}[name](game)
    ours = CFRSolver(leduc, name)
    for _ in range(50):
        theirs.evaluate_and_update_policy()
        ours.step()
    expected = pyspiel.exploitability(game, theirs.average_policy())
    assert ours.evaluation().exploitability == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("name", list(CONFIGS))
def test_every_variant_converges(name: str, alternating: bool, leduc: GameTree) -> None:
    """Exploitability falls to a fiftieth or less; CFR and linear CFR are the slowest here."""
    solver = CFRSolver(leduc, cfr_config(name, alternating=alternating))
    solver.run(Limit(iterations=10))
    early = solver.evaluation().exploitability
    solver.run(Limit(iterations=6000))
    late = solver.evaluation().exploitability
    assert late < early / 50


@pytest.mark.parametrize("name", ["dcfr", "sapcfr+", "pdcfr+"])
def test_leduc_value_by_iteration(name: str, leduc: GameTree) -> None:
    """−0.0856064241, with an error of at most the NashConv that is left."""
    solver = CFRSolver(leduc, name)
    solver.run(Limit(target=1e-5, iterations=30_000))
    found = solver.evaluation()
    assert found.exploitability <= 1e-5
    assert found.value[0] == pytest.approx(-0.0856064241, abs=found.nash_conv)


def test_three_players_come_close_to_an_equilibrium() -> None:
    """Nothing guarantees it; in three-player Kuhn NashConv falls below 1e-3 all the same."""
    tree = build_tree(make_game("kuhn", {"players": 3}))
    solver = CFRSolver(tree, "cfr+")
    solver.run(Limit(iterations=2000))
    assert solver.evaluation().nash_conv < 1e-3


@pytest.mark.parametrize("text", ["cfr", "dcfr", "sapcfr+", "pcfr+(gamma=5):simultaneous"])
def test_resume_equals_uninterrupted(text: str, leduc: GameTree, tmp_path: Path) -> None:
    whole = CFRSolver(leduc, text, seed=3)
    whole.run(Limit(iterations=157))
    first = CFRSolver(leduc, text, seed=3)
    first.run(Limit(iterations=64))
    first.save(tmp_path / "half.rb")
    second = CFRSolver.load(tmp_path / "half.rb")
    assert second.algorithm == text
    assert second.seed == 3
    for _ in range(93):
        second.step()
    for name, array in whole.state().items():
        assert np.array_equal(array, second.state()[name], equal_nan=True), name


def test_a_target_stops_at_the_same_iteration_after_a_resume(
    leduc: GameTree, tmp_path: Path
) -> None:
    whole = CFRSolver(leduc, "dcfr")
    whole.run(Limit(target=1e-3))
    first = CFRSolver(leduc, "dcfr")
    first.run(Limit(iterations=100, target=1e-3))
    first.save(tmp_path / "half.rb")
    second = CFRSolver.load(tmp_path / "half.rb")
    second.run(Limit(target=1e-3))
    assert second.iterations == whole.iterations
    assert np.array_equal(second.average, whole.average)
    assert whole.evaluation().exploitability <= 1e-3


def test_a_solver_takes_only_its_own_state(kuhn: GameTree, leduc: GameTree, tmp_path: Path) -> None:
    from riverboat.errors import UsageError
    from riverboat.solvers.solver import read_checkpoint

    solver = CFRSolver(kuhn, "cfr+")
    solver.run(Limit(iterations=5))
    solver.save(tmp_path / "kuhn.rb")
    saved = read_checkpoint(tmp_path / "kuhn.rb")
    with pytest.raises(FileFormatError, match=r"solved by cfr\+, not by dcfr"):
        CFRSolver(kuhn, "dcfr").restore(saved)
    with pytest.raises(UsageError, match="for kuhn, not for leduc"):
        CFRSolver(leduc, "cfr+").restore(saved)
    saved.arrays["regrets"] = saved.arrays["regrets"][:-1]
    with pytest.raises(FileFormatError, match="regrets cannot be read"):
        CFRSolver(kuhn, "cfr+").restore(saved)


@pytest.mark.parametrize("text", [*VARIANTS, "dcfr(inf,-inf,2)", "cfr+:simultaneous"])
def test_algorithm_texts_round_trip(text: str) -> None:
    assert config_text(parse_algorithm(text).config) == text


def test_names_of_the_literature_are_known() -> None:
    assert parse_algorithm("External-Sampling").name == "es-mccfr"
    assert parse_algorithm("outcome_sampling").name == "os-mccfr"
    assert parse_algorithm("linear_cfr").name == "linear"


@pytest.mark.parametrize(
    "text",
    ["dcfr(1.5,0)", "dcfr(a,b,c)", "cfr(1)", "lp(3)", "pcfr+(delta=1)", "es-mccfr:simultaneous"],
)
def test_bad_parameters_of_algorithms_are_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        parse_algorithm(text)


@pytest.mark.parametrize("text", ["cfr++", "", "dcfr(1", "newton"])
def test_unknown_algorithms_are_refused(text: str) -> None:
    with pytest.raises(UnknownNameError, match="no algorithm called"):
        parse_algorithm(text)


@pytest.mark.parametrize("written", ["dfcr", "dcfr:alhpa=1", "dcf(1.5,0,2)"])
def test_an_unknown_algorithm_gets_a_suggestion(written: str) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'dcfr'"):
        parse_algorithm(written)
