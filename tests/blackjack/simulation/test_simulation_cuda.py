"""The GPU's kernel, compiled as plain C, against exact values and the CPU's simulation."""

import ctypes
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from riverboat.blackjack.charts import published_chart
from riverboat.blackjack.rules import BlackjackRules
from riverboat.blackjack.simulation._shoe_cuda import kernel_text, plan_of
from riverboat.blackjack.simulation.counting import counter_from
from riverboat.blackjack.simulation.simulate import Simulation, SimulationResult, simulate
from riverboat.blackjack.simulation.tables import Tables
from riverboat.errors import UnknownNameError, UsageError
from riverboat.runtime.devices import choose_device, why_no_gpu

COMPILER = shutil.which("gcc") or shutil.which("cc")
HILO = counter_from("hilo")
FRESH = {
    "two decks, late surrender": Simulation(
        BlackjackRules(decks=2, h17=True, surrender="late"), penetration=0
    ),
    "Charlie, pairs by rank": Simulation(
        BlackjackRules(decks=3, charlie=5, dealer_charlie=True, split_by="rank"), penetration=0
    ),
    "infinite deck, no hole card": Simulation(
        BlackjackRules(decks="infinite", hole_card="enhc", max_split_hands=2)
    ),
}
SHOES = {
    "counting": Simulation(BlackjackRules(), counter=HILO),
    "counting at a deep shoe, second of two seats": Simulation(
        BlackjackRules(decks=1), counter=HILO, seats=2, seat=1, penetration=0.8
    ),
    "early surrender, other seats with a chart of their own": Simulation(
        BlackjackRules(decks=4, surrender="early"),
        counter=HILO,
        seats=3,
        seat=1,
        others=published_chart(BlackjackRules(decks=1, h17=True)),
    ),
    "unlimited splits, no hole card": Simulation(
        BlackjackRules(decks=2, hole_card="enhc", max_split_hands=0, max_split_hands_aces=0),
        counter=HILO,
    ),
}


def play(
    simulation: Simulation, runs: int, folder: Path, *, seed: int = 3, lanes: int = 1
) -> SimulationResult:
    """So many runs, shared out among `lanes` threads that play one after another."""
    if COMPILER is None:
        pytest.skip("there is no C compiler")
    tables = Tables.of(simulation)
    plan = plan_of(tables)
    source, library = (
        folder / "rounds.c",
        folder / f"rounds-{lanes}-{len(list(folder.iterdir()))}.so",
    )
    source.write_text(kernel_text(plan, HOST=1))
    command = [COMPILER, "-O2", "-w", "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(command, check=True)
    counts = np.zeros(tables.histogram().shape, np.uint32)
    arrays = [np.ascontiguousarray(array) for array in plan.arrays.values()]
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]
    kernel = ctypes.CDLL(str(library)).play
    for lane in range(lanes):
        numbers = map(ctypes.c_uint64, (seed, lane, lanes, runs))
        kernel(*pointers, *numbers, counts.ctypes.data_as(ctypes.c_void_p))
    return SimulationResult(simulation, seed, tables.count.edges, counts.astype(np.int64))


@pytest.mark.parametrize("name", FRESH)
def test_fresh_shoes_have_the_exact_value(name: str, tmp_path: Path) -> None:
    result = play(FRESH[name], 40_000, tmp_path)
    exact = FRESH[name].exact_ev()
    assert exact is not None
    assert result.rounds == 16 * 40_000
    assert abs(result.ev - exact) < 4 * result.stderr


@pytest.mark.parametrize("name", SHOES)
def test_whole_shoes_agree_with_the_cpu(name: str, tmp_path: Path) -> None:
    simulation = SHOES[name]
    result = play(simulation, 1_500, tmp_path)
    other = simulate(simulation, 2 * result.rounds, seed=8)
    assert abs(result.ev - other.ev) < 4 * np.hypot(result.stderr, other.stderr)
    # Two samples of the same results: chi-squared per degree of freedom is about 1.
    for axis in (0, 1):
        a, b = (one.histogram.sum(axis=axis).astype(float) for one in (result, other))
        often = a + b > 50
        spread = np.sqrt(b.sum() / a.sum())
        chi = ((a * spread - b / spread) ** 2 / (a + b + 1e-9))[often].sum()
        freedom = int(often.sum()) - 1
        # Rounds of one shoe share their cards, so counts vary somewhat more than by chance alone.
        assert chi < 3 * (freedom + 4 * np.sqrt(2 * freedom)), (name, axis, chi, freedom)


def test_the_sum_does_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    simulation = SHOES["counting"]
    one, seven = (play(simulation, 60, tmp_path, lanes=lanes) for lanes in (1, 7))
    assert (one.histogram == seven.histogram).all()
    assert (one.histogram != play(simulation, 60, tmp_path, seed=4).histogram).any()


def test_tags_of_any_size_give_the_same_play(tmp_path: Path) -> None:
    """A count of 64 for each point, and all indices 64 times as high, is the same count."""
    big = replace(
        HILO,
        system=replace(HILO.system, tags=tuple(64 * tag for tag in HILO.system.tags)),
        ramp=replace(HILO.ramp, steps=tuple((64 * at, bet) for at, bet in HILO.ramp.steps)),
        deviations=tuple(replace(d, index=64 * d.index) for d in HILO.deviations),
    )
    tables = [Tables.of(Simulation(BlackjackRules(decks=1), counter=each)) for each in (HILO, big)]
    assert [plan_of(each).defines["FAR_TAGS"] for each in tables] == [0, 1]
    results = [play(each.simulation, 60, tmp_path) for each in tables]
    assert (results[0].histogram.sum(axis=0) == results[1].histogram.sum(axis=0)).all()


@pytest.mark.parametrize("simulation", [*FRESH.values(), *SHOES.values()])
def test_uncontested_hands_are_paid_without_the_dealer(simulation: Simulation) -> None:
    """The kernel reads such hands against the dealer's class 0; all but a natural pay the same."""
    game = Tables.of(simulation).game
    pay = game.pay.reshape(-1, 16)
    quiet = pay[pay[:, 15] == 0]
    assert game.natural != 0x8000
    assert (quiet[:, 0] == quiet[:, game.unplayed]).all()


def test_devices_are_chosen_or_refused_with_a_reason() -> None:
    assert choose_device("cpu") == "cpu"
    with pytest.raises(UnknownNameError, match="no device called 'tpu'"):
        choose_device("tpu")
    if why_no_gpu():
        assert choose_device("auto") == "cpu"
        with pytest.raises(UsageError, match="no GPU to compute on"):
            simulate(SHOES["counting"], 10, device="cuda")


@pytest.mark.gpu
@pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "a GPU is there")
@pytest.mark.parametrize("name", [*FRESH, *SHOES])
def test_the_gpu_counts_what_plain_c_counts(name: str, tmp_path: Path) -> None:
    from riverboat.blackjack.simulation._shoe_cuda import FIRST_RUNS, play_parts

    simulation = {**FRESH, **SHOES}[name]
    counts = next(play_parts(Tables.of(simulation), 1, 3))
    assert (counts == play(simulation, FIRST_RUNS, tmp_path).histogram).all()
