"""The CFR family on public trees: the same as on game trees, and the duel's equilibria."""

import functools
import os
import signal
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from riverboat.errors import FileFormatError, TooLargeError, UsageError
from riverboat.evaluation.exploitability import evaluate
from riverboat.games.base import TERMINAL, Game
from riverboat.games.duel import Duel, DuelState
from riverboat.games.registry import make_game
from riverboat.solvers._public_cfr import PublicCFRSolver
from riverboat.solvers.algorithms import CONFIGS
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.run import Limit, Progress
from riverboat.solvers.solve import solve
from riverboat.strategies.public_strategy import load_public_strategy
from riverboat.trees._duel_shapes import dealer_totals
from riverboat.trees.best_response import lane_values
from riverboat.trees.game_tree import GameTree, build_tree
from riverboat.trees.public_games import PublicGame, public_game, walk_shapes
from riverboat.trees.public_tree import build_public_tree

ALGORITHMS = [*CONFIGS, "cfr:simultaneous", "dcfr:simultaneous"]


@functools.cache
def both_trees(name: str) -> tuple[PublicGame, GameTree]:
    game = make_game(name)
    return public_game(game), build_tree(game)


def assert_agreement(public: PublicGame, tree: GameTree, algorithm: str, iterations: int) -> None:
    ours, theirs = PublicCFRSolver(public, algorithm), CFRSolver(tree, algorithm)
    for _ in range(iterations):
        ours.step()
        theirs.step()
        found, wanted = ours.evaluation(), theirs.evaluation()
        assert found.value == pytest.approx(wanted.value, abs=1e-9)
        assert found.best_response == pytest.approx(wanted.best_response, abs=1e-9)
    strategy, reference = ours.strategy(), theirs.strategy()
    for player, key in zip(reference.players.tolist(), reference.infosets, strict=True):
        wanted_here = reference.lookup(player, key)
        assert strategy.lookup(player, key) == pytest.approx(wanted_here, abs=1e-9)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", ["kuhn", "leduc", "showdown"])
def test_every_iteration_agrees_with_the_game_tree(name: str, algorithm: str) -> None:
    assert_agreement(*both_trees(name), algorithm, iterations=12)


@pytest.mark.parametrize(("name", "wanted"), [("leduc", 0.0341214565), ("kuhn", 0.0027972506)])
def test_cfr_plus_has_openspiels_exploitability(name: str, wanted: float) -> None:
    """OpenSpiel's CFRPlusSolver after 50 iterations."""
    solver = PublicCFRSolver(both_trees(name)[0], "cfr+")
    solver.advance(50)
    assert solver.evaluation().exploitability == pytest.approx(wanted, abs=1e-9)


@dataclass(frozen=True)
class FoldedState(DuelState):
    """A duel that ends before the dealer plays, with the payoffs that he gives on average."""

    @functools.cached_property
    def actor(self) -> int:
        over = len(self.downs) == 2 and self._scene[1] is None and self.history[-1:] != ("h",)
        return TERMINAL if over else super().actor

    def returns(self) -> tuple[float, ...]:
        chances = dealer_totals(self.game.cards[2])
        gains = [self.game.payoffs(self.seats, self.downs, total)[:2] for total in range(22)]
        first, second = chances @ np.array(gains)
        return float(first), float(second)


@dataclass(frozen=True)
class FoldedDuel(Duel):
    def start(self) -> FoldedState:
        return FoldedState(self)


@pytest.mark.parametrize("algorithm", ["cfr+", "pdcfr+"])
def test_the_duel_agrees_with_its_game_tree(algorithm: str) -> None:
    cards = (1, 7, 9)
    tree = build_tree(cast(Game, FoldedDuel(cards)))
    assert_agreement(public_game(Duel(cards)), tree, algorithm, iterations=8)


@pytest.mark.parametrize("cards", [(3, 8, 10), (10, 1, 2)])
def test_the_duels_shapes_equal_those_walked_from_its_rules(cards: tuple[int, ...]) -> None:
    game = Duel(cards)
    built = build_public_tree(public_game(game).shapes)
    walked = build_public_tree(walk_shapes(cast(Game, FoldedDuel(cards)))[0])
    weights = np.random.default_rng(8).random((built.num_slots, 10))
    assert walked.num_slots == built.num_slots
    assert walked.shapes.num_public_nodes == built.shapes.num_public_nodes
    for responder in (-1, 0, 1):
        found, wanted = (lane_values(tree, weights, responder) for tree in (built, walked))
        assert found == pytest.approx(wanted, abs=1e-13)


@pytest.mark.slow
def test_plays_of_the_readable_rules_earn_what_the_tree_says() -> None:
    """Dealer, hits and all, drawn card by card; within four standard errors."""
    rng = np.random.default_rng(11)
    strategy = solve(Duel((9, 4, 6), 2), iterations=5).strategy
    wanted = evaluate(strategy).value
    gains = []
    for _ in range(40_000):
        state = Duel((9, 4, 6), 2).start()
        while state.actor != TERMINAL:
            known = dict(state.chance())
            if state.actor >= 0:
                known = strategy.lookup(state.actor, state.infoset(state.actor)) or {}
            mark = int(np.searchsorted(np.cumsum(list(known.values())), rng.random()))
            state = state.after(list(known)[min(mark, len(known) - 1)])
        gains.append(state.returns())
    error = np.std(gains, axis=0) / len(gains) ** 0.5
    assert np.all(np.abs(np.mean(gains, axis=0) - wanted) < 4 * error)


@pytest.mark.parametrize(
    ("cards", "wanted"),
    [((6, 6, 2), (0.544146, 0.589950, 1.865904)), ((10, 10, 10), (0.910041, 0.910041, 1.179918))],
)
def test_reference_equilibrium_payoffs(cards: tuple[int, ...], wanted: tuple[float, ...]) -> None:
    """The payoffs that the description of the rules gives for max_hits 1."""
    for algorithm in ("cfr+", "pdcfr+"):
        result = solve(Duel(cards), algorithm=algorithm, iterations=2000)
        assert result.nash_conv < 1e-5
        assert result.payoffs == pytest.approx(wanted, abs=1e-4)
        assert sum(result.payoffs) == pytest.approx(3)


@pytest.mark.parametrize("max_hits", [1, 2])
@pytest.mark.parametrize("cards", [(6, 6, 2), (10, 10, 10), (1, 5, 9), (2, 10, 1)])
def test_nash_conv_of_the_duel_is_small(cards: tuple[int, ...], max_hits: int) -> None:
    result = solve(Duel(cards, max_hits), iterations=150)
    assert 0 <= result.nash_conv < 1e-4
    assert result.strategy.info["nodes"] == (133, 13_553)[max_hits - 1]
    assert result.strategy.info["infosets"] == (120, 12_320)[max_hits - 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cards", "max_hits", "limit"),
    [((10, 10, 10), 4, ">20"), ((6, 6, 2), 3, ">20"), ((1, 1, 1), 3, ">=20")],
)
def test_nash_conv_of_the_deep_duel_is_small(
    cards: tuple[int, ...], max_hits: int, limit: str
) -> None:
    result = solve(Duel(cards, max_hits, limit), iterations=100)
    assert 0 <= result.nash_conv < 1e-4


def state_bits(solver: PublicCFRSolver) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in solver.state().items()}


@pytest.mark.parametrize("algorithm", ["cfr+", "pdcfr+", "dcfr:simultaneous"])
def test_two_threads_give_the_same_bits_as_one(algorithm: str) -> None:
    public = public_game(Duel((10, 10, 10), 3))
    alone = PublicCFRSolver(public, algorithm)
    together = PublicCFRSolver(public, algorithm, threads=2)
    for solver in (alone, together):
        solver.advance(3)
    assert state_bits(alone) == state_bits(together)


@pytest.mark.parametrize(
    ("algorithm", "sampled"), [("cfr+", False), ("pdcfr+", False), ("dcfr", True)]
)
def test_a_resumed_run_equals_the_uninterrupted_one(
    algorithm: str, sampled: bool, tmp_path: Path
) -> None:
    public = public_game(Duel((6, 6, 2), 2))
    whole = PublicCFRSolver(public, algorithm, sampled=sampled, seed=7)
    whole.advance(20)
    first = PublicCFRSolver(public, algorithm, sampled=sampled, seed=7)
    first.advance(9)
    first.save(tmp_path / "half.rb")
    second = PublicCFRSolver.load(tmp_path / "half.rb")
    second.advance(11)
    assert state_bits(second) == state_bits(whole)
    assert second.evaluation() == whole.evaluation()


def test_sampled_triples_come_close_to_the_equilibrium() -> None:
    """Chance-sampled CFR+; the bound is what sampling noise leaves after so many triples."""
    result = solve(Duel((6, 6, 2)), algorithm="sampled-cfr+", iterations=200_000, seed=1)
    assert result.nash_conv < 5e-3
    assert result.payoffs == pytest.approx((0.544146, 0.589950, 1.865904), abs=2e-2)
    other = solve(Duel((6, 6, 2)), algorithm="sampled-cfr+", iterations=1000, seed=2)
    assert (
        other.value
        != solve(Duel((6, 6, 2)), algorithm="sampled-cfr+", iterations=1000, seed=3).value
    )


def test_sampling_works_where_cards_depend_on_each_other() -> None:
    result = solve(public_game(make_game("showdown")), algorithm="cs-cfr", iterations=100_000)
    assert result.value[0] == pytest.approx(-2487353 / 76854960, abs=0.01)


def test_a_target_stops_the_run() -> None:
    result = solve(Duel((6, 6, 2)), target=1e-5)
    assert result.exploitability <= 1e-5
    assert result.iterations < 1000


def test_without_a_limit_the_default_target_is_reached() -> None:
    result = solve(public_game(make_game("leduc")))
    assert result.exploitability <= 1e-6
    assert result.value[0] == pytest.approx(-0.0856064241, abs=1e-5)


def test_an_interrupted_run_keeps_whole_iterations() -> None:
    def interrupt(now: Progress) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    public = public_game(Duel((6, 6, 2), 2))
    solver = PublicCFRSolver(public, "cfr+")
    solver.run(Limit(iterations=10**9), interrupt)
    assert solver.stopped
    whole = PublicCFRSolver(public, "cfr+")
    whole.advance(solver.iterations)
    assert state_bits(solver) == state_bits(whole)


def test_what_a_public_tree_cannot_do_is_refused(tmp_path: Path) -> None:
    game: Game = Duel((6, 6, 2))
    refusals: list[dict[str, Any]] = [
        {"algorithm": "lp"},
        {"algorithm": "es-mccfr"},
        {"threads": 0},
        {"iterations": 5, "target": 1e-3},
    ]
    for options in refusals:
        with pytest.raises(UsageError):
            solve(game, **options)
    with pytest.raises(TooLargeError, match="max_hits"):
        solve(Duel((6, 6, 2), 3), memory_limit=10**6)
    file = tmp_path / "duel.rb"
    solve(game, iterations=20, checkpoint=file)
    with pytest.raises(UsageError, match="same parameters"):
        solve(replace(Duel(), max_hits=2), iterations=30, resume=file)
    with pytest.raises(UsageError, match="can only go on"):
        solve(game, algorithm="cfr+", iterations=30, resume=file)
    with pytest.raises(UsageError, match="already"):
        solve(game, iterations=10, resume=file)
    assert solve(game, iterations=30, resume=file).iterations == 30
    file.write_bytes(file.read_bytes()[:2000])
    with pytest.raises(FileFormatError):
        solve(game, iterations=30, resume=file)


def test_one_frame_serves_both_trees(tmp_path: Path) -> None:
    """A limit, a result and a file mean the same on a game tree and on a public one."""
    game, file = make_game("kuhn"), tmp_path / "kuhn.rb"
    plain = solve(game, algorithm="dcfr", iterations=50, seed=3, checkpoint=file)
    public = solve(public_game(game), algorithm="dcfr", iterations=50, seed=3, checkpoint=file)
    assert type(plain) is type(public)
    assert set(plain.strategy.info) == set(public.strategy.info)
    assert public.value == pytest.approx(plain.value, abs=1e-12)
    assert public.payoffs == public.value
    assert dict(load_public_strategy(file).info) == public.strategy.info
    with pytest.raises(UsageError, match="was solved by dcfr and can only go on with it"):
        solve(game, algorithm="cfr+", iterations=60, resume=file)


def test_the_house_gets_the_rest() -> None:
    result = solve(Duel((6, 6, 2)), iterations=20)
    assert len(result.payoffs) == 3
    assert sum(result.payoffs) == pytest.approx(Duel((6, 6, 2)).house_sum)
