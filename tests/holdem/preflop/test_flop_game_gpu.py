"""A game before the flop on a real GPU: the numbers of the CPU, with four bytes and with two."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riverboat.holdem.preflop.flop_game import FlopGame
from riverboat.holdem.preflop.flop_question import read_flop_game, solve_flop_game
from riverboat.holdem.preflop.flop_solver import FlopGameSolver, game_size
from riverboat.holdem.spots.bet_sizes import PlayerSizes, TreeOptions, parse_sizes
from riverboat.holdem.spots.flops import Flop
from riverboat.runtime.array_types import F64
from riverboat.runtime.devices import why_no_gpu
from riverboat.solvers.run import Limit

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "there is a GPU"),
]


@pytest.fixture(scope="module")
def game() -> FlopGame:
    all_in = PlayerSizes(parse_sizes("a", "a test"), parse_sizes("a", "a test", raises=True))
    return FlopGame(
        (Flop((34, 18, 6), 3.0), Flop((47, 43, 36), 1.0)),
        stacks=(3.0, 3.0),
        raises={"open": all_in.raises, "iso": all_in.raises},
        sizes={"flop": (all_in, all_in)},
        tree=TreeOptions(raises=1),
    )


@pytest.fixture(scope="module")
def equities() -> F64:
    order = np.linspace(0.7, 0.3, 169)
    return np.asarray(0.5 + (order[:, None] - order[None, :]) / 2)


def solved(game: FlopGame, equities: F64, **options: Any) -> FlopGameSolver:
    solver = FlopGameSolver(game, equities, threads=2, **options)
    solver.run(Limit(iterations=30))
    return solver


def test_it_finds_what_the_cpu_finds(game: FlopGame, equities: F64) -> None:
    on_gpu, on_cpu = (solved(game, equities, device=device) for device in ("cuda", "cpu"))
    found, wanted = on_gpu.evaluation(), on_cpu.evaluation()
    assert found.ev == pytest.approx(wanted.ev, abs=1e-3)
    assert found.exploitability == pytest.approx(wanted.exploitability, abs=2e-3)


@pytest.mark.parametrize("int16", [False, True], ids=["float32", "16-bit"])
def test_a_stopped_run_goes_on_exactly(int16: bool, tmp_path: Path) -> None:
    """Through the call that the command makes: 4 iterations, then 4 more, and 8 in one run."""
    spec = {
        "game": "flops", "stacks": 3, "flops": ["Ts6s3s", "KsQsJs"],
        "preflop": {"open": "a", "iso": "a"}, "tree": {"raises": 1},
        "sizes": {"flop": {"oop": {"bet": "a"}, "ip": {"bet": "a"}}},
    }  # fmt: skip
    asked, held = read_flop_game(spec), tmp_path / "held.rb"
    memory = game_size(asked, "cuda").int16 if int16 else None
    options: dict[str, Any] = {"device": "cuda", "memory": memory}
    whole = solve_flop_game(asked, spec, iterations=8, **options)
    solve_flop_game(asked, spec, iterations=4, checkpoint=held, **options)
    found = solve_flop_game(asked, spec, iterations=8, resume=held, **options)
    assert found.info["iterations"] == 8
    for one, other in zip(found.nodes, whole.nodes, strict=True):
        np.testing.assert_array_equal(one.frequencies, other.frequencies)
        np.testing.assert_array_equal(one.values, other.values)


def test_numbers_of_two_bytes_find_nearly_the_same(game: FlopGame, equities: F64) -> None:
    least = game_size(game, "cuda").int16
    short = solved(game, equities, device="cuda", memory=least)
    assert short.int16
    whole = solved(game, equities, device="cuda")
    assert not whole.int16
    found, wanted = short.evaluation(), whole.evaluation()
    assert found.ev == pytest.approx(wanted.ev, abs=5e-3)
    assert found.exploitability < wanted.exploitability + 5e-3
