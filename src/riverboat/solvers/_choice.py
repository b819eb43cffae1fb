"""What `auto` solves a game with, where a solve runs, and why.

The simplex method of the LP takes some 2 ns × sequences × entries at worst, often far less, and
its answer is exact. DCFR takes about 2,000 iterations to an exploitability of 1e-4 and SAPCFR+
10,000 to 1e-6, at about a nanosecond an entry and a sequence (docs/performance.md). Below 1e-4
neither is always the quicker, so they race: both run to stage after stage, and the one that falls
clearly behind is dropped.

A GPU takes the members of the CFR family that go through the whole tree. `auto` takes it from the
size on where an iteration is quicker there (docs/performance.md has the table): its launches alone
take 20 to 100 µs, however small the tree is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from riverboat.errors import TooLargeError, UsageError
from riverboat.runtime.cuda import GpuDevice
from riverboat.runtime.devices import choose_device, why_no_gpu
from riverboat.solvers._public_cfr import PublicCFRSolver
from riverboat.solvers.algorithms import CONFIGS, AlgorithmSpec, algorithms
from riverboat.solvers.run import Limit
from riverboat.solvers.solver import Solver
from riverboat.trees.public_games import PublicGame
from riverboat.trees.public_tree import MEMORY_LIMIT
from riverboat.trees.sequence_form import SequenceForm

DEFAULT_TARGET = 1e-6  # Exploitability at which a run without a limit stops

COARSE = 1e-4  # Exploitability down to which DCFR is the most robust
AT_ONCE = 0.5  # Seconds that need no weighing up
REFINED = 2.5  # How much longer the refined LP takes than the plain one
MAX_LP_TIME = 4.0  # How many times CFR's seconds such a long shot may take
EXACT = "lp:refined"
PICKED = "of all equilibria the one that answers mistakes best"

RACE = "race"
RACERS = ("dcfr", "sapcfr+")
RACE_START = 500  # Iterations of the first stage; each later one doubles them
RACE_FACTOR = 3.0  # A racer this many times worse than the other is dropped


@dataclass(frozen=True)
class Costs:
    """What `auto` reckons with."""

    lp: float = 1.8e-9  # Seconds of the LP for each sequence × entry
    cfr: float = 1.0e-9  # Seconds of an iteration for each sequence and entry
    long_shot: float = 20.0
    """How much longer than CFR the LP may look and still be tried; its estimate is pessimistic."""
    gpu_from_sequences: int = 100_000
    """Payoffs and sequences of a game tree from which on a GPU is quicker: at 68,000 both take
    65 µs, at 310,000 the GPU is four times as fast (benchmarks/gpu_trees.py)."""
    gpu_from_lanes: int = 5_000
    """Actions × hands of a public tree from which on a GPU is quicker: at 240 it takes five times
    as long, at 24,640 an eleventh; the CPU's 21 ns for each meet the GPU's 21 to 48 µs below
    2,500."""


COSTS = Costs()


@dataclass(frozen=True)
class Choice:
    """An algorithm, or the LP with seconds after which to give up on it, or a race."""

    algorithm: str
    reason: str
    give_up: float | None = None


def choose(
    form: SequenceForm | PublicGame, limit: Limit | None, device: DeviceChoice, costs: Costs
) -> Choice:
    """What `auto` takes for a game on either kind of tree."""
    if isinstance(form, PublicGame):
        return Choice("pdcfr+", "the quickest on public trees")
    target = (limit.target if limit is not None else None) or DEFAULT_TARGET
    if device.wanted == "cuda":
        return choose_on_gpu(form, limit, target, costs)
    return choose_algorithm(form, limit, target, costs)


def choose_algorithm(
    form: SequenceForm, limit: Limit | None, target: float, costs: Costs
) -> Choice:
    """The algorithm for a game; `target` is the exploitability to reach without a limit."""
    players, entries = form.num_players, len(form.values)
    if players == 1:
        return Choice("best-response", "one player: backward induction is exact")
    if players > 2 or not form.tree.constant_sum:
        kind = f"{players} players" if players > 2 else "payoffs that do not add up to a constant"
        return Choice("dcfr", f"{kind}: no algorithm is sure to converge, DCFR usually does")
    lp = costs.lp * form.num_sequences * entries
    refined = REFINED * lp
    if limit is not None and limit.iterations is not None:
        return Choice("dcfr", "a number of iterations is asked for: DCFR is the most robust")
    if limit is not None and limit.seconds is not None:
        if refined <= min(AT_ONCE, limit.seconds / 4):
            return Choice(EXACT, f"the exact LP is quick at this size; {PICKED}")
        return Choice("dcfr", "a limit of time too short for the exact LP: DCFR is most robust")
    iterations = 2_000 if target >= COARSE else 10_000
    cfr = costs.cfr * iterations * (entries + form.num_sequences)
    if refined <= AT_ONCE or refined <= cfr:
        return Choice(EXACT, f"the exact LP is quick at this size; {PICKED}")
    if target >= COARSE:
        return Choice("dcfr", f"quicker than the LP to {target:g} at this size")
    if lp <= costs.long_shot * cfr:
        reason = (
            f"the exact LP was done within the {MAX_LP_TIME * cfr:.2g} s it was given; {PICKED}"
        )
        return Choice(EXACT, reason, give_up=MAX_LP_TIME * cfr)
    return Choice(RACE, "too large for the exact LP")


def choose_on_gpu(form: SequenceForm, limit: Limit | None, target: float, costs: Costs) -> Choice:
    """The same where a GPU is asked for, which has the CFR family only."""
    choice = choose_algorithm(form, limit, target, costs)
    if choice.algorithm in (RACE, "dcfr"):
        return choice
    timed = limit is not None and limit.seconds is not None
    return Choice("dcfr" if timed or target >= COARSE else RACE, "a GPU has the CFR family only")


@dataclass(frozen=True)
class DeviceChoice:
    """Where a solve was asked to run: "cpu", "cuda", or "auto" where there is a GPU."""

    wanted: str
    gpu: GpuDevice | None = None  # The GPU that was given; else the current one
    note: str = ""  # Why `auto` became "cpu"


def device_choice(wanted: str | GpuDevice, threads: int = 1) -> DeviceChoice:
    """Where "auto", "cpu", "cuda" or a device itself lets a solve run."""
    if not isinstance(wanted, str):
        return DeviceChoice("cuda", wanted)
    if choose_device(wanted) == "cpu":
        return DeviceChoice("cpu", note=why_no_gpu() if wanted == "auto" else "")
    if wanted == "cuda" and threads != 1:
        raise UsageError("Threads are for the CPU; leave them out, or choose the device cpu.")
    return DeviceChoice(wanted)


def make_solver(
    form: SequenceForm | PublicGame,
    spec: AlgorithmSpec,
    device: DeviceChoice,
    *,
    seed: int = 0,
    threads: int = 1,
    memory_limit: int | None = None,
    costs: Costs = COSTS,
) -> Solver:
    """The solver, on the GPU where that is asked for, or is possible and quicker."""
    note = device.note if device.wanted == "cpu" else _against_gpu(form, spec, device, costs)
    memory_limit = MEMORY_LIMIT if memory_limit is None else memory_limit
    if device.wanted != "cpu" and not note:
        from riverboat.solvers._cfr_cuda import CudaCFRSolver, CudaPublicCFRSolver

        config, gpu = spec.config, device.gpu
        try:
            if isinstance(form, SequenceForm):
                return CudaCFRSolver(form, config, seed=seed, device=gpu)
            return CudaPublicCFRSolver(
                form, config, seed=seed, memory_limit=memory_limit, device=gpu
            )
        except TooLargeError as error:
            if device.wanted == "cuda":
                raise
            note = str(error)
    solver: Solver
    if isinstance(form, SequenceForm):
        solver = algorithms()[spec.name].make(form, spec.text, seed=seed)
    else:
        options: dict[str, Any] = {"threads": threads, "memory_limit": memory_limit}
        solver = PublicCFRSolver(form, spec.config, sampled=spec.sampled, seed=seed, **options)
    solver.device_note = note
    return solver


def _against_gpu(
    form: SequenceForm | PublicGame, spec: AlgorithmSpec, device: DeviceChoice, costs: Costs
) -> str:
    """Why a GPU is not taken; with `cuda` that is refused."""
    if spec.family is None or spec.sampled:
        if device.wanted == "cuda":
            raise UsageError(
                f"{spec.text} runs on the CPU only; on a GPU choose one of {', '.join(CONFIGS)}."
            )
        return f"{spec.text} does not run on a GPU."
    if isinstance(form, PublicGame):
        small = form.shapes.num_tree_slots * form.shapes.num_lanes < costs.gpu_from_lanes
    else:
        small = sequence_size(form) < costs.gpu_from_sequences
    if device.wanted == "auto" and small:
        return "the game is so small that a GPU would be slower."
    return ""


def sequence_size(form: SequenceForm) -> int:
    """What an iteration on a game tree costs: payoffs and sequences."""
    return len(form.values) + form.num_sequences
