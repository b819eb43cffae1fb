"""solve(): limits, auto's choices, checkpoints, Ctrl-C, refusals."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from riverboat.errors import (
    FileFormatError,
    RiverboatError,
    StorageError,
    UnknownNameError,
    UsageError,
)
from riverboat.evaluation.exploitability import evaluate
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.games.registry import make_game
from riverboat.solvers._choice import RACERS, Costs, choose_algorithm
from riverboat.solvers.run import Limit, Progress
from riverboat.solvers.solve import solve
from riverboat.strategies.strategy import load_strategy
from riverboat.trees.game_tree import build_tree
from riverboat.trees.sequence_form import sequence_form


@dataclass(frozen=True)
class Table:
    """A bimatrix game, or with one row player only a choice under chance."""

    name: ClassVar[str] = "table"
    title: ClassVar[str] = "Table"
    small: ClassVar[bool] = True
    payoffs: tuple[tuple[tuple[float, float], ...], ...] = ()
    utility_sum = None

    @property
    def num_players(self) -> int:
        return 2

    def start(self) -> Cell:
        return Cell(self)

    def action_label(self, action: str) -> str:
        return action


@dataclass(frozen=True)
class Cell:
    game: Table
    moves: str = ""

    @property
    def actor(self) -> int:
        return len(self.moves) if len(self.moves) < 2 else TERMINAL

    def actions(self) -> tuple[str, ...]:
        return tuple(str(i) for i in range(len(self.game.payoffs))) if self.actor >= 0 else ()

    def chance(self) -> tuple[tuple[str, float], ...]:
        return ()

    def after(self, action: str) -> Cell:
        return Cell(self.game, self.moves + action)

    def returns(self) -> tuple[float, ...]:
        return self.game.payoffs[int(self.moves[0])][int(self.moves[1])]

    def infoset(self, player: int) -> str:
        return "?"

    def describe(self, player: int | None) -> str:
        return self.moves


@dataclass(frozen=True)
class Guess:
    """One player sees a biased coin badly: guess heads (0.7), or be told for a fee of 0.1."""

    name: ClassVar[str] = "guess"
    title: ClassVar[str] = "Guess"
    small: ClassVar[bool] = True
    num_players = 1
    utility_sum = None

    def start(self) -> Coin:
        return Coin(self)

    def action_label(self, action: str) -> str:
        return action


@dataclass(frozen=True)
class Coin:
    game: Guess
    moves: str = ""

    @property
    def actor(self) -> int:
        if not self.moves:
            return CHANCE
        return TERMINAL if len(self.moves) > 1 and self.moves[-1] != "?" else 0

    def actions(self) -> tuple[str, ...]:
        if self.actor < 0:
            return ()
        return ("h", "t") if self.moves.endswith("?") else ("h", "t", "?")

    def chance(self) -> tuple[tuple[str, float], ...]:
        return (("h", 0.7), ("t", 0.3))

    def after(self, action: str) -> Coin:
        return Coin(self.game, self.moves + action)

    def returns(self) -> tuple[float, ...]:
        return (float(self.moves[0] == self.moves[-1]) - 0.1 * ("?" in self.moves),)

    def infoset(self, player: int) -> str:
        return self.moves if self.moves.endswith("?") else "unseen"

    def describe(self, player: int | None) -> str:
        return self.moves


def test_auto_takes_the_exact_lp_where_it_is_quick() -> None:
    for name, value in (("kuhn", -1 / 18), ("leduc", -0.0856064241), ("showdown", -0.0323642482)):
        result = solve(make_game(name))
        assert result.algorithm == "lp:refined"
        assert "LP" in result.reason
        assert result.value[0] == pytest.approx(value, abs=1e-10)
        assert result.exploitability < 1e-9


def test_auto_races_two_algorithms_where_the_lp_would_be_slow() -> None:
    result = solve(make_game("leduc"), costs=Costs(lp=1.0))
    assert result.algorithm in RACERS
    assert "race" in result.reason
    assert result.exploitability <= 1e-6
    assert result.value[0] == pytest.approx(-0.0856064241, abs=1e-6)


def test_auto_gives_up_on_an_lp_that_takes_too_long() -> None:
    costs = Costs(lp=1e-7, cfr=1e-13, long_shot=1e9)
    result = solve(make_game("leduc"), target=1e-5, costs=costs)
    assert result.reason.startswith("the exact LP was not done in")
    assert result.algorithm in RACERS
    assert result.exploitability <= 1e-5


def test_auto_by_kind_of_limit() -> None:
    form = sequence_form(build_tree(make_game("leduc")))
    assert choose_algorithm(form, Limit(iterations=10), 1e-6, Costs()).algorithm == "dcfr"
    assert choose_algorithm(form, Limit(seconds=10), 1e-6, Costs()).algorithm == "lp:refined"
    slow = Costs(lp=1e-7)
    assert choose_algorithm(form, Limit(seconds=1), 1e-6, slow).algorithm == "dcfr"
    assert choose_algorithm(form, Limit(target=1e-3), 1e-3, slow).algorithm == "dcfr"
    gives_up = choose_algorithm(form, Limit(target=1e-7), 1e-7, slow)
    assert gives_up.algorithm == "lp:refined"
    assert gives_up.give_up is not None


def test_one_player_is_solved_by_backward_induction() -> None:
    """Told for 0.1 he is always right: 0.9, more than the 0.7 of guessing heads."""
    result = solve(Guess())
    assert result.algorithm == "best-response"
    assert result.value == pytest.approx([0.9])
    assert result.exploitability == 0
    assert solve(Guess(), algorithm="cfr+", iterations=500).value == pytest.approx([0.9], abs=0.01)


def test_a_game_that_is_not_constant_sum() -> None:
    """The prisoner's dilemma has one equilibrium: both defect, (1, 1)."""
    game = Table(payoffs=(((3.0, 3.0), (0.0, 4.0)), ((4.0, 0.0), (1.0, 1.0))))
    result = solve(game)
    assert result.algorithm == "dcfr"
    assert "constant" in result.reason
    assert result.value == pytest.approx([1, 1], abs=1e-4)
    with pytest.raises(RiverboatError, match="not constant-sum"):
        solve(game, algorithm="lp")


def test_a_constant_sum_other_than_zero() -> None:
    """Sharing one chip: matching pennies over {0, 1} is worth a half to each."""
    game = Table(payoffs=(((1.0, 0.0), (0.0, 1.0)), ((0.0, 1.0), (1.0, 0.0))))
    for algorithm in ("lp", "cfr+", "es-mccfr"):
        assert solve(game, algorithm=algorithm).value == pytest.approx([0.5, 0.5], abs=1e-3)


def test_info_says_how_the_strategy_was_made() -> None:
    game = make_game("kuhn")
    result = solve(game, algorithm="cfr+", iterations=50, seed=4)
    info = result.strategy.info
    assert (info["algorithm"], info["iterations"], info["seed"]) == ("cfr+", 50, 4)
    assert (info["nodes"], info["infosets"]) == (58, 12)
    assert info["exploitability"] == pytest.approx(0.0027972506, abs=1e-9)
    assert info["nash_conv"] == pytest.approx(2 * info["exploitability"])
    assert evaluate(game, result.strategy).value == info["value"]
    assert info["reason"]
    assert info["seconds"] >= 0


def test_a_saved_result_is_a_strategy_and_goes_on_exactly(tmp_path: Path) -> None:
    game, path = make_game("leduc"), tmp_path / "leduc.rb"
    whole = solve(game, algorithm="pdcfr+", iterations=300)
    solve(game, algorithm="pdcfr+", iterations=100).save(path)
    assert load_strategy(path).info["iterations"] == 100
    second = solve(game, resume=path, iterations=300, checkpoint=path)
    assert second.algorithm == "pdcfr+"
    assert np.array_equal(second.strategy.probabilities, whole.strategy.probabilities)
    stored = load_strategy(path)
    assert stored.info["iterations"] == 300
    assert np.array_equal(stored.probabilities, whole.strategy.probabilities)


def test_checkpoints_are_written_on_the_way(tmp_path: Path) -> None:
    path, seen = tmp_path / "on-the-way.rb", []

    def look(progress: Progress) -> None:
        if path.exists():
            seen.append(load_strategy(path).info["iterations"])
        assert progress.exploitability > 0

    solve(
        make_game("leduc"),
        algorithm="cfr",
        iterations=20_000,
        checkpoint=path,
        checkpoint_seconds=1e-6,
        progress=look,
    )
    assert seen == sorted(set(seen))
    assert 0 < seen[0] < 20_000
    assert load_strategy(path).info["iterations"] == 20_000


@pytest.mark.parametrize("algorithm", ["dcfr", "es-mccfr"])
def test_ctrl_c_keeps_what_was_learned(algorithm: str, tmp_path: Path) -> None:
    path = tmp_path / "stopped.rb"

    def interrupt(progress: Progress) -> None:
        if progress.iterations > 100:
            raise KeyboardInterrupt

    result = solve(
        make_game("leduc"),
        algorithm=algorithm,
        iterations=10**9,
        progress=interrupt,
        checkpoint=path,
    )
    assert result.stopped
    assert 100 < result.iterations < 10**9
    assert load_strategy(path).info["iterations"] == result.iterations
    more = solve(make_game("leduc"), resume=path, iterations=result.iterations + 10)
    assert more.iterations == result.iterations + 10


def test_ctrl_c_during_the_race() -> None:
    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    result = solve(make_game("leduc"), progress=interrupt, costs=Costs(lp=1.0))
    assert result.stopped
    assert result.algorithm in RACERS


def test_a_limit_of_time_ends_the_run() -> None:
    result = solve(make_game("leduc"), algorithm="cfr", seconds=0.05)
    assert result.iterations > 0
    assert not result.stopped


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iterations": 10, "target": 1e-3}, "iterations and target contradict"),
        ({"target": 1e-3, "seconds": 2.0}, "target and seconds contradict"),
        ({"iterations": 0}, "at least 1"),
        ({"target": 0.0}, "above 0"),
        ({"target": float("nan")}, "above 0"),
        ({"seconds": -1.0}, "above 0"),
        ({"algorithm": "lp", "iterations": 5}, "no iterations"),
        ({"algorithm": "lp", "alternating": False}, "no choice of updates"),
    ],
)
def test_contradictory_limits_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(RiverboatError, match=message):
        solve(make_game("kuhn"), **options)  # type: ignore[arg-type]


def test_a_checkpoint_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="does not exist"):
        solve(make_game("kuhn"), checkpoint=tmp_path / "nowhere" / "kuhn.rb")


def test_an_unknown_algorithm_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'cfr\+'"):
        solve(make_game("kuhn"), algorithm="cfr++")


def test_only_a_file_of_the_same_game_and_algorithm_is_resumed(tmp_path: Path) -> None:
    path, exact = tmp_path / "kuhn.rb", tmp_path / "exact.rb"
    kuhn = make_game("kuhn")
    solve(kuhn, algorithm="cfr+", iterations=20).save(path)
    solve(kuhn, algorithm="lp").save(exact)
    with pytest.raises(UsageError, match="for kuhn, not for leduc"):
        solve(make_game("leduc"), resume=path, iterations=30)
    with pytest.raises(UsageError, match="players=2, not for kuhn players=3"):
        solve(make_game("kuhn", {"players": 3}), resume=path, iterations=30)
    with pytest.raises(UsageError, match=r"solved by cfr\+ and can only go on with it"):
        solve(kuhn, algorithm="dcfr", resume=path, iterations=30)
    with pytest.raises(UsageError, match="has 20 iterations already"):
        solve(kuhn, resume=path, iterations=10)
    with pytest.raises(FileFormatError, match="no solver to go on with"):
        solve(kuhn, resume=exact, iterations=30)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(FileFormatError, match="damaged"):
        solve(kuhn, resume=path, iterations=30)


def test_the_form_is_chosen_by_the_game() -> None:
    """The duel's game tree would take 34 GiB; its public tree has 133 nodes."""
    result = solve(make_game("duel", {"cards": (6, 6, 2)}))
    assert result.strategy.info["nodes"] == 133
    assert result.payoffs == pytest.approx((0.544146, 0.589950, 1.865904), abs=1e-4)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("blackjack", "riverboat blackjack ev"),
        ("twentyone", "riverboat train twentyone"),
        ("holdem", "riverboat train holdem"),
    ],
)
def test_games_that_solve_does_not_take_name_their_command(name: str, command: str) -> None:
    with pytest.raises(UsageError, match=command):
        solve(make_game(name))


def test_the_trace_is_in_the_result_and_in_its_file(tmp_path: Path) -> None:
    """OpenSpiel's CFRPlusSolver after 50 iterations of Kuhn: 0.0027972506."""
    game, path = make_game("kuhn"), tmp_path / "kuhn.rb"
    result = solve(game, algorithm="cfr+", iterations=50)
    marks = [p.iterations for p in result.trace]
    assert marks == [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50]
    assert result.trace[-1].exploitability == pytest.approx(0.0027972506, abs=1e-9)
    assert [p.seconds for p in result.trace] == sorted(p.seconds for p in result.trace)
    result.save(path)
    assert load_strategy(path).info["trace"][-1][0] == 50
    more = solve(game, resume=path, iterations=64)
    whole = solve(game, algorithm="cfr+", iterations=64)
    for ours, theirs in zip(more.trace, whole.trace, strict=True):
        assert (ours.iterations, ours.exploitability) == (theirs.iterations, theirs.exploitability)


def test_results_are_shown_in_one_line() -> None:
    text = repr(solve(make_game("leduc"), algorithm="cfr+", iterations=3))
    assert "\n" not in text
    assert len(text) < 200


def test_a_notebook_shows_the_curve() -> None:
    game = make_game("kuhn")
    page = solve(game, algorithm="cfr+", iterations=50)._repr_html_()
    assert page.count("<svg") == 1
    points = page.split('points="')[1].split('"')[0].split()
    heights = [float(point.split(",")[1]) for point in points]
    assert len(points) == 15
    assert heights[0] == min(heights)
    assert "<svg" not in solve(game, algorithm="lp")._repr_html_()
