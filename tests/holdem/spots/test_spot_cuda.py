"""The kernels of spots for a GPU, run on the CPU by a small emulator, against the CPU's solver."""

from pathlib import Path

import numpy as np
import pytest

from emulated_device import EmulatedDevice, gpu_passes
from riverboat.cards.combos import class_of_combos
from riverboat.errors import TooLargeError
from riverboat.holdem.spots.cuda._allins import allin_roots
from riverboat.holdem.spots.cuda._device_tables import FIELDS, JOB, LAYOUT
from riverboat.holdem.spots.cuda.launches import SharedScratch, SpotLaunches, device_bytes
from riverboat.holdem.spots.layout import open_layout
from riverboat.holdem.spots.locks import parse_lock
from riverboat.holdem.spots.outline import outline
from riverboat.holdem.spots.schedule import discounts
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN
from riverboat.solvers.run import Limit

RIVER = """
board = "Qs Jh 2h 8d 3c"
pot = 20
stack = 60
[ranges]
oop = "QQ-88,AQs,KQs,JTs,AJo"
ip = "JJ-77,AJs+,KJs,T9s,AQo:0.5"
[sizes.river]
oop = {bet = "50%,100%", raise = "60%"}
ip = {bet = "50%", raise = "60%"}
[rake]
rate = 0.05
cap = 3
"""
TURN = """
board = "Qs Jh 2h 8h"
pot = 20
stack = 30
[ranges]
oop = "QQ,AhKh,KQs,T9s"
ip = "JJ,AJs,98s"
[sizes.turn]
oop = {bet = "50%", raise = "a"}
ip = {bet = "50%", raise = "a"}
"""
WIDE = TURN.replace('oop = {bet = "50%",', 'oop = {bet = "25%,50%,75%,100%",')
"""A node with more actions than kernels have in registers."""
LOCKS = ("r:0@QQ,JJ=check:1", "r:0:c=check:0.5,bet 10:0.5")


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> EmulatedDevice:
    return EmulatedDevice(tmp_path_factory.mktemp("kernels"))


def test_the_struct_is_laid_out_alike_in_both_languages(tmp_path: Path) -> None:
    device = EmulatedDevice(tmp_path)
    names = [name for group in FIELDS.values() for name in group]
    checks = " ".join(
        f'static_assert(__builtin_offsetof(Job, {name}) == {JOB.fields[name][1]}, "{name}");'
        for name in names
        if JOB.fields is not None
    )
    text = f"{LAYOUT.text}\n{checks}\nKERNEL(nothing) {{ ((int*)j.counter)[0] = 7; }}\n"
    device.compile({text: ("nothing",)})
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("text", [RIVER, TURN], ids=["river", "turn"])
def test_tables_of_hands_are_those_of_the_cpu(text: str, device: EmulatedDevice) -> None:
    arena = open_layout(Spot.from_toml(text), chunk_bytes=0)
    passes = SpotLaunches(arena, device, int16=False)
    device.compile(passes.texts)
    passes.prepare()
    for player in (0, 1):
        hands, wide = arena.tables[player], passes.widths[player]
        places = passes.hands[player]["places"].reshape(-1, wide)[:, passes.places[player]]
        for board, found in enumerate(places):
            valid = hands.num_valid[board]
            ends = hands.groups[hands.first_group[board] : hands.first_group[board + 1], 0]
            assert sorted(found[found != 0xFFFF]) == list(range(valid))
            assert np.all(found[hands.order[board, valid:]] == 0xFFFF)
            # Hands of equal strength may stand in any order.
            groups = np.searchsorted(ends, np.arange(valid), side="right")
            by_strength = found[hands.order[board, :valid]]
            assert np.array_equal(np.searchsorted(ends, by_strength, side="right"), groups)


@pytest.mark.parametrize("text", [RIVER, TURN, WIDE], ids=["river", "turn", "wide"])
@pytest.mark.parametrize("mode", [0, 1, 2], ids=["learn", "best", "average"])
def test_a_pass_gives_the_values_of_the_cpu(text: str, mode: int, device: EmulatedDevice) -> None:
    on_cpu = make_solver(Spot.from_toml(text))
    on_cpu.step(3)
    other = make_solver(on_cpu.spot, device="cuda", gpu=device)
    other.begin_at(3, on_cpu.regrets, on_cpu.averages)
    other.compile()
    weights = np.array(discounts(3), np.float32)
    device.write(gpu_passes(other).launcher.weights, np.array([*weights, 1.0], np.float32))
    for player in (0, 1):
        wanted = on_cpu.pass_values(player, mode, weights)
        device.record(
            [
                *gpu_passes(other).launcher.launches(player, mode),
                gpu_passes(other).launcher.weigh(player, 0),
            ]
        )()
        total = float(on_cpu.layout.weights[player] @ wanted)
        assert gpu_passes(other).launcher.results[0] == pytest.approx(total, rel=2e-6, abs=1e-2)
        if mode == 0:
            # Both go on from the same numbers: where regrets cross zero rounding would decide.
            break


def test_a_pass_takes_other_weights_of_the_opponents_hands(device: EmulatedDevice) -> None:
    """What a game before the flop asks of the spots behind it."""
    on_cpu = make_solver(Spot.from_toml(TURN))
    on_cpu.step(3)
    other = make_solver(on_cpu.spot, device="cuda", gpu=device)
    other.passes.restore(on_cpu.regrets, on_cpu.averages)
    # Another spot's kernels are made ready in between.
    make_solver(Spot.from_toml(RIVER), device="cuda", gpu=device).step(1)
    weights = np.array(discounts(3), np.float32)
    for mode in (BEST, AVERAGE, LEARN):
        for player in (0, 1):
            hands = on_cpu.layout.combos[1 - player]
            # The same for hands that differ by suits only, as boards are counted up to suits.
            reach = np.linspace(0.1, 0.9, 169)[class_of_combos()[hands]]
            wanted = on_cpu.pass_values(player, mode, weights, reach={1 - player: reach})
            found = other.pass_values(player, mode, weights, reach={1 - player: reach})
            np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-3)
            if mode == LEARN:
                break  # Both go on from the same numbers: where regrets cross zero rounding decides
    num, width = len(on_cpu.layout.combos[0]), on_cpu.layout.widths[0]
    pair = [each.regrets[0].values.reshape(-1, width)[:, :num] for each in (other, on_cpu)]
    np.testing.assert_allclose(pair[0], pair[1], rtol=1e-4, atol=1e-2)


def test_spots_that_share_their_scratch_do_not_disturb_each_other(device: EmulatedDevice) -> None:
    spots = [Spot.from_toml(text) for text in (WIDE, TURN)]
    scratch = SharedScratch(device)
    sharing = [make_solver(spot, device="cuda", gpu=device, scratch=scratch) for spot in spots]
    for solver in sharing:
        solver.compile()
    for _ in range(3):
        for solver in sharing:
            solver.step(1)
    for solver, spot in zip(sharing, spots, strict=True):
        alone = make_solver(spot, device="cuda", gpu=device)
        alone.step(3)
        np.testing.assert_array_equal(solver.regrets[0].values, alone.regrets[0].values)
        assert solver.evaluation() == alone.evaluation()


@pytest.mark.e2e
@pytest.mark.parametrize("text", [RIVER, TURN], ids=["river", "turn"])
def test_regrets_of_two_bytes_find_nearly_the_same(text: str, device: EmulatedDevice) -> None:
    spot = Spot.from_toml(text)
    short = make_solver(spot, device="cuda", gpu=device, int16=True, half=True)
    short.step(60)
    whole = make_solver(spot, device="cuda", gpu=device)
    whole.step(60)
    found, wanted = short.evaluation(), whole.evaluation()
    assert found.percent < max(1.5 * wanted.percent, 0.3)
    assert found.ev == pytest.approx(wanted.ev, abs=0.005 * spot.pot)
    again = make_solver(spot, device="cuda", gpu=device, int16=True, half=True)
    again.passes.iterations = 60
    again.passes.restore(short.regrets, short.averages)
    np.testing.assert_array_equal(again.regrets[0].values, short.regrets[0].values)


@pytest.mark.parametrize("locks", [(), LOCKS], ids=["free", "locked"])
@pytest.mark.parametrize("int16", [False, True], ids=["float32", "16-bit"])
def test_a_river_is_solved_saved_and_gone_on_with(
    locks: tuple[str, ...], int16: bool, device: EmulatedDevice, tmp_path: Path
) -> None:
    spot, told = Spot.from_toml(RIVER), [parse_lock(text) for text in locks]
    solver = make_solver(spot, device="cuda", gpu=device, int16=int16, locks=told)
    solver.step(150)
    other = make_solver(spot, locks=told)
    other.step(150)
    found, wanted = solver.evaluation(), other.evaluation()
    assert found.percent < 0.05
    assert wanted.percent < 0.05
    assert found.ev == pytest.approx(wanted.ev, abs=0.0005 * spot.pot)
    solver.save(tmp_path / "spot.rb")
    read = SpotSolver.load(tmp_path / "spot.rb")
    # The same averages, judged on the CPU, are worth the same.
    assert read.evaluation().percent == pytest.approx(found.percent, abs=1e-4)
    assert read.iterations == 150
    assert read.locks == solver.locks
    if locks:
        queens = read.result().at("r:0").figures("QhQd", 0)
        assert queens.strategy is not None
        assert queens.strategy["check"] == 1.0


def test_going_on_from_a_file_of_the_cpu_is_going_on(
    device: EmulatedDevice, tmp_path: Path
) -> None:
    spot = Spot.from_toml(RIVER)
    whole = make_solver(spot, device="cuda", gpu=device)
    whole.step(20)
    half = make_solver(spot, device="cuda", gpu=device)
    half.step(12)
    half.save(tmp_path / "half.rb")
    on_cpu = SpotSolver.load(tmp_path / "half.rb")
    rest = make_solver(on_cpu.layout, device="cuda", gpu=device)
    rest.passes.iterations = on_cpu.iterations
    rest.passes.restore(on_cpu.regrets, on_cpu.averages)
    rest.step(8)
    for mine, theirs in zip(whole.averages, rest.averages, strict=True):
        assert np.array_equal(mine.values, theirs.values)


def test_values_add_up_to_the_pot_where_suits_are_alike(device: EmulatedDevice) -> None:
    spot = Spot.from_toml(TURN)
    solver = make_solver(spot, device="cuda", gpu=device)
    assert solver.layout.boards.num_boards[1] < 48
    solver.step(10)
    found = solver.evaluation()
    assert sum(found.ev) == pytest.approx(spot.pot, abs=1e-6 * spot.pot)
    assert solver.measure() == pytest.approx(found.exploitability, abs=1e-5)
    for player in (0, 1):
        same = solver.layout.maps[player].canonical[1]
        rows = solver.regrets[player].values.reshape(-1, len(same))
        first = solver.layout.tree.rows_per_board[0][player]
        assert np.array_equal(rows[:first], rows[:first, same])


def test_memory_is_reported_first_and_what_does_not_fit_is_refused(device: EmulatedDevice) -> None:
    spot = Spot.from_toml(TURN)
    arena = open_layout(spot)
    assert device_bytes(arena, int16=True) < device_bytes(arena, int16=False)
    between = (device_bytes(arena, int16=True) + device_bytes(arena, int16=False)) // 2
    assert make_solver(spot, device="cuda", gpu=device, memory=between).storage == "16-bit averages"
    with pytest.raises(TooLargeError, match="on the GPU"):
        make_solver(spot, device="cuda", gpu=device, memory=1 << 20)


def test_an_outline_reads_as_the_whole_does(device: EmulatedDevice) -> None:
    solver = make_solver(Spot.from_toml(TURN), device="cuda", gpu=device)
    solver.step(8)
    whole, first = solver.result(), outline(solver)
    assert first.streets_kept == 1
    for node in ("r:0", "r:0:c", "r:0:b10"):
        for player in (0, 1):
            wanted, found = whole.at(node).summary(player), first.at(node).summary(player)
            assert found.ev == pytest.approx(wanted.ev, abs=1e-4)
            assert found.strategy == pytest.approx(wanted.strategy)


@pytest.mark.parametrize("rake", ["", "[rake]\nrate = 0.05\ncap = 3\n"], ids=["free", "raked"])
def test_rivers_by_schedule_and_by_kernels_of_their_own_agree(
    rake: str, device: EmulatedDevice
) -> None:
    arena = open_layout(Spot.from_toml(TURN + rake), chunk_bytes=0)
    # Both kinds of river are there: with decisions, and after an all-in.
    assert 0 < len(allin_roots(arena)) < len(arena.plan.root_nodes[-1])
    values = []
    for fused in (True, False):
        passes = SpotLaunches(arena, device, int16=False, fused=fused)
        device.compile(passes.texts)
        passes.prepare()
        before = len(device.launched)
        for player in (0, 1):
            device.record([*passes.launches(player, 1), passes.weigh(player, player)])()
        assert ("river_any" in device.launched[before:]) is not fused
        assert ("value_allins" in device.launched[before:]) is fused
        values.append(passes.results[:2].copy())
    assert values[0] == pytest.approx(values[1], rel=1e-6)


def test_a_run_towards_a_target_reaches_it_and_can_be_gone_on_with(
    device: EmulatedDevice, tmp_path: Path
) -> None:
    spot = Spot.from_toml(RIVER)
    solver = make_solver(spot, device="cuda", gpu=device)
    solver.run(Limit(target=0.003 * spot.pot))
    found = solver.evaluation()
    assert found.percent <= 0.3
    solver.save(tmp_path / "spot.rb")
    read = SpotSolver.load(tmp_path / "spot.rb")
    assert read.evaluation().percent == pytest.approx(found.percent, abs=1e-4)
    read.run(Limit(target=0.001 * spot.pot))
    assert read.evaluation().percent <= 0.1
    assert not solver.stopped
