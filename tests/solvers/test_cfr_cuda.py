"""The CFR family's kernels for a GPU, run on the CPU by a small emulator, against the CPU's."""

from pathlib import Path

import numpy as np
import pytest

from emulated_device import EmulatedDevice
from riverboat.errors import TooLargeError, UsageError
from riverboat.games.duel import Duel
from riverboat.games.registry import make_game
from riverboat.runtime.cuda import JobLayout
from riverboat.runtime.devices import why_no_gpu
from riverboat.solvers import _passes_cuda as public_passes_cuda
from riverboat.solvers import _passes_cuda as sequence_passes_cuda
from riverboat.solvers._cfr_cuda import CudaCFRSolver, CudaPublicCFRSolver
from riverboat.solvers._choice import (
    Costs,
    DeviceChoice,
    choose_on_gpu,
    device_choice,
    make_solver,
    sequence_size,
)
from riverboat.solvers._public_cfr import PublicCFRSolver
from riverboat.solvers.algorithms import CONFIGS, parse_algorithm
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.run import Limit
from riverboat.solvers.solve import solve
from riverboat.solvers.solver import Solver, read_checkpoint
from riverboat.strategies.files import read_arrays
from riverboat.strategies.public_strategy import PUBLIC_KIND
from riverboat.trees.game_tree import build_tree
from riverboat.trees.public_games import public_game
from riverboat.trees.public_tree import build_public_tree
from riverboat.trees.sequence_form import sequence_form

ALGORITHMS = [*CONFIGS, "cfr:simultaneous", "pdcfr+:simultaneous"]


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> EmulatedDevice:
    return EmulatedDevice(tmp_path_factory.mktemp("kernels"))


def assert_same_bits(found: Solver, wanted: Solver) -> None:
    state = found.state()
    for name, array in wanted.state().items():
        assert np.array_equal(state[name], array, equal_nan=True), name


@pytest.mark.parametrize("module", [sequence_passes_cuda, public_passes_cuda])
def test_the_structs_are_laid_out_alike_in_both_languages(module: object, tmp_path: Path) -> None:
    layout = JobLayout(module.FIELDS)  # type: ignore[attr-defined]
    fields = layout.dtype.fields
    assert fields is not None
    checks = " ".join(
        f'static_assert(__builtin_offsetof(Job, {name}) == {place[1]}, "{name}");'
        for name, place in fields.items()
    )
    text = f"struct Rule;\n{layout.text}\n{checks}\nKERNEL(nothing) {{}}\n"
    EmulatedDevice(tmp_path).compile({text: ("nothing",)})


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_member_has_the_cpus_bits_on_a_game_tree(
    algorithm: str, device: EmulatedDevice
) -> None:
    for game in (make_game("kuhn"), make_game("kuhn", {"players": 3})):
        tree = build_tree(game)
        cpu, gpu = CFRSolver(tree, algorithm), CudaCFRSolver(tree, algorithm, device=device)
        cpu.iterate(9)
        gpu.iterate(4)
        gpu.iterate(5)
        assert_same_bits(gpu, cpu)
        assert np.array_equal(gpu.current(), cpu.current())
        assert gpu.evaluation() == cpu.evaluation()


def test_leduc_has_the_cpus_bits_and_its_nash_conv(device: EmulatedDevice) -> None:
    tree = build_tree(make_game("leduc"))
    cpu, gpu = CFRSolver(tree, "pdcfr+"), CudaCFRSolver(tree, "pdcfr+", device=device)
    cpu.iterate(40)
    gpu.iterate(40)
    assert_same_bits(gpu, cpu)
    assert gpu.nash_conv() == pytest.approx(cpu.nash_conv(), abs=1e-13)
    # OpenSpiel's CFRPlusSolver after 50 iterations.
    plus = CudaCFRSolver(tree, "cfr+", device=device)
    plus.iterate(50)
    assert plus.nash_conv() / 2 == pytest.approx(0.0341214565, abs=1e-9)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_member_has_the_cpus_bits_on_a_public_tree(
    algorithm: str, device: EmulatedDevice
) -> None:
    for game in (make_game("kuhn"), make_game("duel")):
        public = public_game(game)
        cpu = PublicCFRSolver(public, algorithm)
        gpu = CudaPublicCFRSolver(public, algorithm, device=device)
        cpu.iterate(9)
        gpu.iterate(4)
        gpu.evaluation()  # it works in the place where plans are kept
        gpu.iterate(5)
        assert_same_bits(gpu, cpu)
        assert gpu.evaluation() == cpu.evaluation()


@pytest.mark.parametrize("name", ["leduc", "showdown", "duel"])
def test_trees_of_many_depths_have_the_cpus_bits(name: str, device: EmulatedDevice) -> None:
    public = public_game(Duel((1, 9, 2), 2) if name == "duel" else make_game(name))
    cpu = PublicCFRSolver(public, "pdcfr+")
    gpu = CudaPublicCFRSolver(public, "pdcfr+", device=device)
    cpu.iterate(5)
    gpu.iterate(5)
    assert_same_bits(gpu, cpu)
    assert gpu.evaluation() == cpu.evaluation()


def test_known_values_are_found(device: EmulatedDevice) -> None:
    kuhn = solve(make_game("kuhn"), device=device, iterations=300, algorithm="sapcfr+")
    assert kuhn.exploitability <= 1e-4
    assert kuhn.value[0] == pytest.approx(-1 / 18, abs=1e-4)
    leduc = solve(make_game("leduc"), device=device, iterations=200, algorithm="sapcfr+")
    assert leduc.value[0] == pytest.approx(-0.0856064241, abs=leduc.nash_conv)
    assert leduc.nash_conv < 0.01
    duel = solve(make_game("duel"), device=device, target=1e-6)
    assert duel.payoffs == pytest.approx([0.544146, 0.589950, 1.865904], abs=3e-6)


def test_a_solve_stops_at_the_same_iteration_with_the_same_trace(device: EmulatedDevice) -> None:
    game = make_game("duel")
    cpu, gpu = (solve(game, target=1e-4, device=where) for where in ("cpu", device))
    assert (gpu.iterations, gpu.algorithm) == (cpu.iterations, cpu.algorithm)
    assert [point.exploitability for point in gpu.trace] == [
        point.exploitability for point in cpu.trace
    ]
    assert (cpu.as_dict()["device"], gpu.as_dict()["device"]) == ("cpu", "cuda")


def test_files_go_from_one_device_to_the_other(device: EmulatedDevice, tmp_path: Path) -> None:
    game, begun, ended = make_game("duel"), tmp_path / "begun.rb", tmp_path / "ended.rb"
    whole = solve(game, iterations=30, checkpoint=tmp_path / "whole.rb")
    solve(game, iterations=10, device=device, checkpoint=begun)
    solve(game, iterations=20, resume=begun, checkpoint=ended)
    back = solve(game, iterations=30, resume=ended, device=device, checkpoint=ended)
    assert np.array_equal(back.strategy.weights, whole.strategy.weights)
    wanted, found = (
        read_arrays(tmp_path / f"{name}.rb", PUBLIC_KIND)[0] for name in ("whole", "ended")
    )
    assert wanted.keys() == found.keys()
    assert all(np.array_equal(found[name], wanted[name]) for name in wanted)


def test_a_game_tree_is_resumed_on_a_gpu(device: EmulatedDevice, tmp_path: Path) -> None:
    game, path = make_game("kuhn"), tmp_path / "kuhn.rb"
    whole = solve(game, algorithm="dcfr", iterations=30)
    solve(game, algorithm="dcfr", iterations=10, checkpoint=path)
    solver = CudaCFRSolver(build_tree(game), "dcfr", device=device)
    solver.iterate(3)
    solver.restore(read_checkpoint(path))
    solver.iterate(20)
    assert np.array_equal(solver.probabilities(), whole.strategy.probabilities)


def test_auto_takes_a_member_of_the_family_on_a_gpu(device: EmulatedDevice) -> None:
    found = solve(make_game("kuhn"), device=device, target=0.02)
    assert found.algorithm == "dcfr"
    assert "GPU" in found.reason
    assert found.exploitability <= 0.02
    form = sequence_form(build_tree(make_game("leduc")))
    assert choose_on_gpu(form, None, 1e-6, Costs()).algorithm == "race"
    assert choose_on_gpu(form, Limit(seconds=100.0), 1e-6, Costs()).algorithm == "dcfr"


@pytest.mark.parametrize("algorithm", ["lp", "es-mccfr"])
def test_what_a_gpu_cannot_do_is_refused(algorithm: str, device: EmulatedDevice) -> None:
    with pytest.raises(UsageError, match=f"{algorithm} runs on the CPU only"):
        solve(make_game("kuhn"), algorithm=algorithm, device=device)


def test_sampled_hands_and_threads_are_refused_on_a_gpu(device: EmulatedDevice) -> None:
    with pytest.raises(UsageError, match="threads are for the CPU"):
        CudaPublicCFRSolver(public_game(make_game("duel")), threads=2, device=device)
    with pytest.raises(UsageError, match=r"sampled-cfr\+ runs on the CPU only"):
        solve(make_game("duel"), algorithm="sampled-cfr+", device=device)


def test_what_does_not_fit_is_refused_before_it_is_tried(device: EmulatedDevice) -> None:
    small = EmulatedDevice(device.folder, free=1000)
    with pytest.raises(TooLargeError, match="of the GPU's memory, of which 1000 bytes are free"):
        solve(make_game("kuhn"), algorithm="cfr", iterations=1, device=small)
    form, costs = sequence_form(build_tree(make_game("kuhn"))), Costs(gpu_from_sequences=5)
    solver = make_solver(form, parse_algorithm("dcfr"), DeviceChoice("auto", small), costs=costs)
    assert solver.device_name == "cpu"
    assert "memory" in solver.device_note


def test_auto_takes_a_gpu_from_the_size_on_where_it_wins(device: EmulatedDevice) -> None:
    form = sequence_form(build_tree(make_game("kuhn")))
    size = sequence_size(form)

    def choose(algorithm: str, gpu_from: int) -> tuple[str, str]:
        where, costs = DeviceChoice("auto", device), Costs(gpu_from_sequences=gpu_from)
        solver = make_solver(form, parse_algorithm(algorithm), where, costs=costs)
        return solver.device_name, solver.device_note

    assert choose("dcfr", size) == ("cuda", "")
    assert choose("dcfr", size + 1) == ("cpu", "the game is so small that a GPU would be slower.")
    assert choose("es-mccfr", size) == ("cpu", "es-mccfr does not run on a GPU.")


def test_without_a_gpu_there_is_one_sentence() -> None:
    if not why_no_gpu():
        pytest.skip("there is a GPU")
    with pytest.raises(UsageError, match="There is no GPU to compute on"):
        solve(make_game("kuhn"), device="cuda")
    found = solve(make_game("kuhn"), device="auto")
    assert found.as_dict()["device"] == "cpu"
    assert found.as_dict()["device_note"] == why_no_gpu()
    assert device_choice("cpu").note == ""


def test_slices_hold_every_payoff_once() -> None:
    form = sequence_form(build_tree(make_game("leduc")))
    tables = sequence_passes_cuda.lay_out(form)
    assert np.sort(tables.payoffs[tables.payoffs != 0]).tolist() == np.sort(form.values).tolist()
    assert sorted(tables.later.tolist()) == list(range(len(form.infosets)))
    assert sum(n for levels in tables.levels for _, n in levels) == len(form.infosets)


def test_levels_hold_every_node_once_and_children_follow_each_other() -> None:
    shapes = public_game(Duel((6, 6, 2), 2)).shapes
    tree = build_public_tree(shapes)
    levels = public_passes_cuda.by_levels(tree)
    assert sorted(levels.slots.tolist()) == tree.node_slot[:-1].tolist()
    assert sum(count for _, count in levels.depths) == tree.num_nodes
    for node, shape in enumerate(levels.shapes.tolist()):
        first, last = shapes.edge_offsets[shape], shapes.edge_offsets[shape + 1]
        below = levels.shapes[levels.children[node] : levels.children[node] + last - first]
        assert np.array_equal(below, shapes.edge_child[first:last])
