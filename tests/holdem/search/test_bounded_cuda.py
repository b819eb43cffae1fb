"""The re-solving gadget's kernel, run by the emulator, against the CPU's solver."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from emulated_device import EmulatedDevice, gpu_passes
from riverboat.holdem.search._resolving import bounded_solver, held_nodes
from riverboat.holdem.search._resolving_cuda import fetched_solution, leave_out
from riverboat.holdem.spots.layout import Layout, open_layout
from riverboat.holdem.spots.schedule import discounts
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot

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
FLOP = """
board = "Qs Jh 2h"
pot = 20
stack = 10
[ranges]
oop = "QQ,T9s"
ip = "AhKh,22"
[sizes.flop]
oop = {bet = "a"}
ip = {bet = "a"}
"""


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> EmulatedDevice:
    return EmulatedDevice(tmp_path_factory.mktemp("kernels"))


def opened(text: str) -> Layout:
    return open_layout(Spot.from_toml(text), chunk_bytes=0)


def even_bound(arena: Layout) -> np.ndarray:
    """A bound that binds for some hands: less than half of the pot for all."""
    return np.linspace(0.2, 0.7, 1326) * arena.spot.pot


@pytest.mark.parametrize("opponent", [0, 1])
@pytest.mark.parametrize(("text", "more"), [(RIVER, 1), (TURN, 0)], ids=["river", "turn"])
def test_the_gadget_learns_what_it_learns_on_the_cpu(
    text: str, more: int, opponent: int, device: EmulatedDevice
) -> None:
    """In the first iterations; later ties of regrets fall by rounding, and only values agree."""
    arena = opened(text)
    here = bounded_solver(arena, opponent, even_bound(arena))
    there = bounded_solver(opened(text), opponent, even_bound(arena), device="cuda", gpu=device)
    gpu_passes(there).discounts = discounts
    here.step(1 + more)
    there.step(1)
    there.step(more)
    places, wide = (
        gpu_passes(there).launcher.places[opponent],
        gpu_passes(there).launcher.widths[opponent],
    )
    choice = gpu_passes(there).choice_regrets.reshape(2, wide)[:, places]
    assert (
        np.abs(choice - here.passes.choice.regrets).max()
        < 1e-4 * np.abs(here.passes.choice.regrets).max()
    )
    assert np.abs(here.passes.choice.regrets).max() > arena.spot.pot
    # Between steps and afterwards the ranges are as they were.
    own = arena.weights[opponent][: len(places)]
    assert np.array_equal(gpu_passes(there).launcher.hands[opponent]["weights"][places], own)


@pytest.mark.parametrize("opponent", [0, 1])
def test_both_come_to_the_same_values(opponent: int, device: EmulatedDevice) -> None:
    arena = opened(RIVER)
    here = bounded_solver(arena, opponent, even_bound(arena))
    there = bounded_solver(opened(RIVER), opponent, even_bound(arena), device="cuda", gpu=device)
    free = bounded_solver(arena, opponent, None)
    for solver in (here, there, free):
        solver.step(200)
    wanted, found, unbound = (each.evaluation().best[opponent] for each in (here, there, free))
    assert found == pytest.approx(wanted, abs=0.002 * arena.spot.pot)
    assert abs(unbound - wanted) > 0.004 * arena.spot.pot


def test_what_the_opponent_may_take_bounds_their_value(device: EmulatedDevice) -> None:
    """With the values of a solution as the bound, his best response gets hardly more than them."""
    arena = opened(RIVER)
    first = bounded_solver(arena, 1, None)
    first.step(300)
    at = SolvedSpot(arena, (first.averages[0], first.averages[1]), {}).at()
    bound = np.full(1326, np.nan)
    bound[at.combos(1)] = at.evs(1)
    there = bounded_solver(opened(RIVER), 1, bound, device="cuda", gpu=device)
    there.step(150)
    found = there.evaluation()
    meets = at.meetings(1) * arena.weights[1][: len(at.combos(1))]
    allowed = float(meets @ np.nan_to_num(at.evs(1))) / float(meets.sum())
    assert found.best[1] < allowed + 0.01 * arena.spot.pot


@pytest.mark.parametrize(("text", "line", "card"), [(TURN, "X-B10-C", "2c"), (FLOP, "X-X", "3d")])
def test_values_where_the_next_street_begins_are_those_of_the_cpu(
    text: str, line: str, card: str, device: EmulatedDevice
) -> None:
    arena = opened(text)
    there = bounded_solver(arena, 1, None, device="cuda", gpu=device)
    there.step(3)
    outlined = fetched_solution(there, 1).at()
    whole = SolvedSpot(arena, (there.averages[0], there.averages[1]), {}).at()
    assert np.allclose(outlined.evs(0), whole.evs(0), atol=1e-4, equal_nan=True)
    for word in line.split("-"):
        outlined, whole = outlined.play(word), whole.play(word)
        assert np.allclose(outlined.reach[0], whole.reach[0], atol=1e-6)
    found, wanted = outlined.deal(card).evs(1), whole.deal(card).evs(1)
    assert np.isfinite(wanted).any()
    assert np.allclose(found, wanted, atol=1e-4, equal_nan=True)


def test_a_held_node_plays_as_before_and_rivers_keep_their_kernels(device: EmulatedDevice) -> None:
    arena = opened(TURN)
    first = bounded_solver(arena, 1, None)
    first.step(20)
    before = SolvedSpot(arena, (first.averages[0], first.averages[1]), {})
    held = held_nodes(arena, before, 0, [""])
    device.launched.clear()
    there = bounded_solver(opened(TURN), 1, None, held=held, device="cuda", gpu=device)
    there.step(2)
    assert np.abs(fetched_solution(there, 1).at().strategies - before.at().strategies).max() < 1e-6
    assert "river_any" not in device.launched


def test_kernels_that_are_not_ready_are_left_out_and_nothing_else_changes(tmp_path: Path) -> None:
    device = EmulatedDevice(tmp_path)
    first = bounded_solver(opened(TURN), 1, None, device="cuda", gpu=device)
    assert leave_out(first)
    first.step(3)
    assert "river_any" in device.launched
    again = bounded_solver(opened(TURN), 1, None, device="cuda", gpu=device)
    device.compile(gpu_passes(again).launcher.texts)
    assert leave_out(again) == {}
    again.passes.restore(first.regrets, first.averages)
    assert first.evaluation().ev == pytest.approx(again.evaluation().ev, abs=1e-4)
    again.step(1)
    assert "river_any" not in device.launched[-20:]
