"""Spots of Omaha on a real GPU, against the CPU's solver and the prototype's values."""

import numpy as np
import pytest

from riverboat.cards.card import parse_cards
from riverboat.holdem.spots.locks import parse_lock
from riverboat.holdem.spots.solver import make_solver
from riverboat.holdem.spots.spot import Spot, make_spot
from riverboat.runtime.devices import why_no_gpu
from riverboat.solvers.run import Limit
from small_omaha import small_spot

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "there is a GPU"),
]
BOTH = {player: {"bet": "100%", "raise": "a"} for player in ("oop", "ip")}


def question(board: str, text: str) -> Spot:
    return make_spot(
        game="omaha", board=board, pot=100, stack=300, ranges=(text, text),
        sizes=dict.fromkeys(("flop", "turn", "river"), BOTH),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("board", "wanted"), [("Ks Th 7s 4d 2c", (46.70, 53.30)), ("Ks Th 7s 4d", (45.21, 54.79))]
)
def test_all_hands_have_the_values_of_the_prototype(
    board: str, wanted: tuple[float, float]
) -> None:
    solver = make_solver(question(board, "random"), device="cuda")
    solver.run(Limit(target=0.1))
    found = solver.evaluation()
    assert found.percent <= 0.1
    assert found.ev == pytest.approx(wanted, abs=0.1)


@pytest.mark.parametrize("hole_cards", [2, 3, 4, 5])
@pytest.mark.parametrize("board", ["Ks Kh 7s 4d 2c", "Ts 9s 8s 4d"])
@pytest.mark.parametrize("locked", [False, True])
def test_the_cpu_counts_the_same(board: str, hole_cards: int, locked: bool) -> None:
    spot = small_spot(board, hole_cards, 6, share=0.5)
    texts = ["r:0=check:0.25,bet 20:0.75", "r:0:c=check:1"] if locked else []
    locks = [parse_lock(text) for text in texts]
    cpu, gpu = (make_solver(spot, device=device, locks=locks) for device in ("cpu", "cuda"))
    for _ in range(4):
        for solver in (cpu, gpu):
            solver.passes.iterate(1)
        found, wanted = gpu.evaluation(), cpu.evaluation()
        assert found.best == pytest.approx(wanted.best, abs=1e-6 * spot.pot)
        assert found.ev == pytest.approx(wanted.ev, abs=1e-6 * spot.pot)
        # Where a regret is zero but for rounding the two would part.
        gpu.passes.restore(cpu.regrets, cpu.averages)
    if locked:
        assert gpu.result().at("r:0").strategies[1] == pytest.approx(0.75, abs=1e-6)


def test_the_same_bits_from_run_to_run() -> None:
    found = []
    for _ in range(2):
        solver = make_solver(question("9h 9d 6h 5h 2s", "10%"), device="cuda")
        solver.step(20)
        found.append(solver.averages[0].values)
    assert np.array_equal(*found)


def test_a_flop_is_solved() -> None:
    spot = question("Kh Kd 7s", "1%")
    solver = make_solver(spot, device="cuda")
    solver.run(Limit(target=0.5))
    assert solver.evaluation().percent <= 0.5
    root = solver.result().at("r:0")
    assert not np.isin(root.hole_cards(0), parse_cards("Kh Kd 7s")).any()
