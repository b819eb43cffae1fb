"""Kernels for three players, run on the CPU by a small emulator, against the CPU's solver."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from emulated_device import EmulatedDevice, gpu_passes
from exact_three_way import RIVER, TURN, Doubles, slow_values
from riverboat.cards.card import card_text, parse_card
from riverboat.cards.combos import COMBO_CARDS
from riverboat.errors import TooLargeError
from riverboat.holdem.spots.cuda._three_way_launches import FIELDS
from riverboat.holdem.spots.cuda._three_way_launches import LAYOUT as LAYOUT3
from riverboat.holdem.spots.locks import parse_lock
from riverboat.holdem.spots.schedule import discounts
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot as ThreeWaySpot
from riverboat.holdem.spots.tree import TreeNode
from riverboat.runtime.cuda import Launch
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN
from riverboat.solvers.run import Limit


def with_live(text: str, cards: str) -> str:
    """The spot with all cards dead but these, those of the board and those of the ranges."""
    spot = ThreeWaySpot.from_toml(text)
    kept = {*spot.board, *(parse_card(card) for card in cards.split())}
    for seat in range(3):
        kept |= set(COMBO_CARDS[spot.hands(seat)].ravel().tolist())
    dead = [card_text(card) for card in range(52) if card not in kept]
    return text.replace("pot = 30", f'pot = 30\ndead = "{" ".join(dead)}"')


TIES = (
    RIVER.replace('"Ks Th 7s 4d 2c"', '"As Kd Qh Jc Ts"')
    .replace("KhQh,KcQc:0.5,9s8s,7h7d,AcQc", "99,87s,9s2s:0.5,AhAd,6h4h")
    .replace("KhJh,KcJc,ThTd,5s5c,AcJc:0.25", "99,76s,AhAc,5s5c:0.25")
    .replace("KdQd,KdJd,4h4c,8c8d,QsJs", "98s,54s,2h2c,AdAc,9s6s")
)
"""The board plays: every hand ties with every other, and shares cards with many."""
FLOP = with_live(
    """\
board = "Ks Kh 7s"
pot = 30
stacks = { sb = 40, bb = 25, btn = 30 }
[ranges]
sb = "AsQs,8s8h"
bb = "AhQh:0.5,AsAh"
btn = "AsQh,8s8h"
[sizes.flop]
sb = { bet = "a" }
bb = {}
btn = { bet = "a" }
""",
    "2c 2d Kc Kd",
)
"""Clubs and diamonds are alike, so some runouts stand for two."""
SPOTS = {
    "river": (RIVER, ()),
    "ties": (TIES, ()),
    "folded": (RIVER.replace("pot = 30", 'pot = 30\nfolded = "bb"'), ()),
    "locked": (RIVER, ("r:0=check:1", "r:0:c@KhJh=check:0.25,bet 15:0.75")),
    "turn": (with_live(TURN, "2c 9h"), ("r:0:c=check:0.5,bet 18:0.5",)),
    "flop": (FLOP, ()),
}


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> EmulatedDevice:
    return EmulatedDevice(tmp_path_factory.mktemp("kernels"))


def both(name: str, device: EmulatedDevice, **options: Any) -> tuple[SpotSolver, SpotSolver]:
    text, locks = SPOTS[name]
    spot, locked = ThreeWaySpot.from_toml(text), [parse_lock(lock) for lock in locks]
    mine = make_solver(spot, locks=locked)
    return mine, make_solver(spot, device="cuda", gpu=device, locks=locked, **options)


def test_the_struct_is_laid_out_alike_in_both_languages(tmp_path: Path) -> None:
    names = [name for group in FIELDS.values() for name in group]
    assert LAYOUT3.dtype.fields is not None
    checks = " ".join(
        f'static_assert(__builtin_offsetof(Job, {name}) == {LAYOUT3.dtype.fields[name][1]}, "");'
        for name in names
    )
    text = f"{LAYOUT3.text}\n{checks}\nKERNEL(nothing) {{ j.counter[0] = 7; }}\n"
    EmulatedDevice(tmp_path).compile({text: ("nothing",)})
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", SPOTS)
def test_passes_give_the_numbers_of_the_cpu(name: str, device: EmulatedDevice) -> None:
    mine, other = both(name, device)
    classes = mine.layout.boards
    assert (len(classes.stabilisers) > 1) is (name == "flop")
    mine.step(2)
    other.compile()
    factors = np.array(discounts(3), np.float32)
    for mode in (LEARN, BEST, AVERAGE):
        for seat in range(3):
            # From the same numbers: where a regret is all but zero rounding decides what follows.
            other.passes.restore(mine.regrets, mine.averages)
            wanted, found = (each.pass_values(seat, mode, factors) for each in (mine, other))
            assert_close(found, wanted)
            for pair in (mine.regrets, other.regrets), (mine.averages, other.averages):
                for one, two in zip(*pair, strict=True):
                    assert_close(two.values, one.values)


def assert_close(found: NDArray[np.float32], wanted: NDArray[np.float32]) -> None:
    scale = max(30.0, float(np.abs(wanted).max(initial=0)))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=3e-6 * scale)


@pytest.mark.parametrize("name", ["river", "locked"])
def test_iterations_give_the_strategies_and_gains_of_the_cpu(
    name: str, device: EmulatedDevice
) -> None:
    mine, other = both(name, device)
    for solver in (mine, other):
        solver.step(10)
    wanted, found = mine.evaluation(), other.evaluation()
    assert found.ev == pytest.approx(wanted.ev, abs=1e-5 * 30)
    assert found.gains == pytest.approx(wanted.gains, abs=1e-5 * 30)
    solved, answer = mine.result(), other.result()
    for node in mine.layout.tree.nodes:
        if node.actions:
            np.testing.assert_allclose(
                answer.strategy(node, 0), solved.strategy(node, 0), rtol=0, atol=1e-4
            )
    if name == "river":

        def strategies(node: TreeNode, dealt: tuple[int, ...]) -> Doubles:
            return answer.strategy(node, 0)

        for seat in range(3):
            slow = slow_values(other.spot, strategies, seat, best=True)
            assert found.best[seat] == pytest.approx(slow, abs=1e-5 * 30)


def test_files_move_between_devices(device: EmulatedDevice, tmp_path: Path) -> None:
    spot = ThreeWaySpot.from_toml(RIVER)
    solver = make_solver(spot, device="cuda", gpu=device)
    solver.run(Limit(target=0.01 * spot.pot))
    found = solver.evaluation()
    assert 0 <= found.total <= 0.01 * spot.pot
    solver.save(tmp_path / "gpu.rb")
    read = SpotSolver.load(tmp_path / "gpu.rb")
    assert read.iterations == solver.iterations
    assert read.evaluation().gains == pytest.approx(found.gains, abs=1e-5 * spot.pot)
    read.step(5)
    read.save(tmp_path / "cpu.rb")
    again = SpotSolver.load(tmp_path / "cpu.rb", device="cuda", gpu=device)
    for one, two in zip((*again.regrets, *again.averages), (*read.regrets, *read.averages),
                        strict=True):  # fmt: skip
        assert np.array_equal(one.values, two.values)
    again.step(3)
    solver.step(8)
    assert again.iterations == solver.iterations
    assert again.evaluation().ev == pytest.approx(solver.evaluation().ev, abs=0.01 * spot.pot)


def test_resume_on_the_device_is_exact(device: EmulatedDevice, tmp_path: Path) -> None:
    _, whole = both("locked", device)
    _, half = both("locked", device)
    whole.step(6)
    half.step(4)
    half.save(tmp_path / "half.rb")
    again = SpotSolver.load(tmp_path / "half.rb", device="cuda", gpu=device)
    again.step(2)
    for one, two in zip((*again.regrets, *again.averages), (*whole.regrets, *whole.averages),
                        strict=True):  # fmt: skip
        assert np.array_equal(one.values, two.values)


def test_rivers_by_turns_give_the_same_bits(device: EmulatedDevice) -> None:
    _, whole = both("turn", device)
    _, turns = both("turn", device, scratch=1)
    assert (gpu_passes(whole).launcher.turns, gpu_passes(turns).launcher.turns) == (
        whole.layout.boards.num_boards[-1],
        1,
    )
    assert turns.memory_bytes < whole.memory_bytes
    for solver in (whole, turns):
        solver.step(1)
    for one, two in zip(whole.regrets, turns.regrets, strict=True):
        assert np.array_equal(one.values, two.values)


def test_sums_do_not_depend_on_how_many_boards_go_at_a_time(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each warp sums up its share of the hands, so their number must be the same."""
    monkeypatch.setattr(device, "multiprocessors", 8)
    hands = "KhQh,JJ,99,88,66,55,33,22,A5s,A4s"
    spot = ThreeWaySpot.from_toml(with_live(TURN.replace("KhQh", hands), "2c 9h 3d"))
    found = []
    for scratch in (1, 1 << 30):
        solver = make_solver(spot, device="cuda", gpu=device, scratch=scratch)
        solver.compile()
        launches = [
            each for seat in range(3) for each in gpu_passes(solver).launcher.launches(seat, LEARN)
        ]
        ends = [each for each in launches if each.kernel == "weigh_ends"]
        found.append({(int(each.job["my_size"]), each.threads) for each in ends})
    assert found[0] == found[1]


class CountingDevice(EmulatedDevice):
    """Knows how many bytes were taken."""

    taken = 0

    def upload(self, array: NDArray[Any]) -> Any:
        self.taken += array.nbytes
        return super().upload(array)

    def zeros(self, size: int, kind: Any) -> Any:
        self.taken += size * np.dtype(kind).itemsize
        return super().zeros(size, kind)

    def record(self, launches: Any) -> Any:
        list[Launch](launches)
        return lambda: None


@pytest.mark.parametrize("name", ["turn", "flop", "locked"])
def test_memory_is_stated_before_it_is_taken(name: str, tmp_path: Path) -> None:
    counting = CountingDevice(tmp_path)
    _, solver = both(name, counting)
    stated = solver.memory_bytes
    assert counting.taken == 0
    solver.compile()
    assert 0.9 * stated - 4096 <= counting.taken <= stated, (counting.taken, stated)
    counting.free = stated - 1
    with pytest.raises(TooLargeError, match="GiB on the GPU, more than the"):
        both(name, counting)
