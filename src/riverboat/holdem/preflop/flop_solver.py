"""Discounted CFR before the flop and after it, as one game of two players.

Before the flop the learner's values are those of 169 classes. Where a call sees the flop, the
opponent's reach goes into a `SpotSolver` for each flop of the set, whose pass gives the values of
all hands there; they are returned as sums over classes, weighted by the chance of the flop. So an
iteration is one iteration of every spot after the tree, in the same order and with the same
discounts; flops are shared among threads, and their values are added in one order.

Exploitability is that of the averages in the whole game: the best response before the flop goes
over best responses after it.

Cost of an iteration: the sum over all spots, 2.5 to 4 ns for each hand and action on one core.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import NUM_CLASSES, class_of_combos
from riverboat.errors import TooLargeError, UsageError
from riverboat.holdem.preflop.flop_game import (
    SEATS,
    SMALL_BLIND,
    FlopGame,
    FlopGameNode,
    FlopNodeKind,
    class_sums,
    hands_left,
)
from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.spots.cuda.launches import SharedScratch, device_bytes, scratch_bytes
from riverboat.holdem.spots.layout import Layout, open_layout
from riverboat.holdem.spots.schedule import discounts, next_evaluation
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.vector_cfr import Decision, PassValues, VectorCFR, matched
from riverboat.runtime.array_types import F64
from riverboat.runtime.cuda import CudaDevice, GpuDevice
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN
from riverboat.solvers.run import Autosave, Limit, ProgressCallback, run
from riverboat.strategies.files import Contents, RemoteArray, open_contents, write_arrays

CHECKPOINT = "preflop-checkpoint"
NO_FACTORS = (0.0, 0.0, 0.0)  # For passes that learn nothing
PAIRS_BEHIND = 1176 * 1081  # Ordered pairs of hands that a flop leaves


@dataclass(frozen=True)
class FlopGameSize:
    """What a game needs before anything is allocated."""

    spots: int
    updates: int  # Hand-actions that an iteration goes through
    float32: int  # Bytes with four-byte numbers,
    int16: int  # and with two-byte numbers

    def memory_bytes(self, *, int16: bool) -> int:
        return self.int16 if int16 else self.float32

    def checkpoint_bytes(self, *, int16: bool) -> int:
        """About the size of the file that a run goes on from: regrets and averages."""
        return self.updates * (4 if int16 else 8)


@dataclass(frozen=True)
class FlopGameEvaluation:
    """The value of the averages, in chips per hand, of the small and the big blind."""

    ev: tuple[float, float]
    best: tuple[float, float]  # Of a best response to the other's average

    @property
    def exploitability(self) -> float:
        """The mean of what the two best responses gain."""
        return (sum(self.best) - sum(self.ev)) / 2


def game_size(game: FlopGame, device: str = "cpu", memory: int | None = None) -> FlopGameSize:
    """How large a game is, from the trees alone; none that needs more than `memory` is built."""
    return open_spots(game, device, memory)[0]


def open_spots(
    game: FlopGame, device: str = "cpu", memory: int | None = None
) -> tuple[FlopGameSize, dict[int, list[Layout]]]:
    """The size of a game, and by node where a flop is seen the layout of every flop's spot.

    Layouts are kept as long as the spots so far fit in `memory`, at least with 16-bit numbers.
    """
    chunk_bytes = None if device == "cpu" else 0
    spots = updates = float32 = int16 = scratch = 0
    opened: dict[int, list[Layout]] = {}
    for node in game.nodes:
        for flop in game.flops if node.kind == FlopNodeKind.FLOP else ():
            try:
                layout = open_layout(game.spot(node, flop), chunk_bytes=chunk_bytes, memory=memory)
            except TooLargeError as error:
                where, why = "-".join(node.line), str(error).replace("ranges", "stacks")
                raise TooLargeError(
                    f"After {where}, on {flop.name} alone, {why[0].lower()}{why[1:]}"
                ) from None
            spots, updates = spots + 1, updates + layout.updates
            if device == "cpu":
                float32, int16 = float32 + layout.size.float32, int16 + layout.size.int16
            else:
                own = scratch_bytes(layout)
                scratch = max(scratch, own)
                float32 += device_bytes(layout, int16=False) - own
                int16 += device_bytes(layout, int16=True, half=True) - own
            if memory is None or int16 + 2 * scratch <= memory:
                opened.setdefault(node.index, []).append(layout)
            else:
                opened.clear()
    # All spots on a GPU work in the same scratch; some need more of it on one street than others.
    return FlopGameSize(spots, updates, float32 + 2 * scratch, int16 + 2 * scratch), opened


def open_checkpoint(path: str | Path, spec: Mapping[str, Any], device: str = "cpu") -> Contents:
    """Read a checkpoint of the same question, up to its numbers; all others are refused.

    Numbers of four bytes go on anywhere. Those of two bytes are whole numbers with a scale for each
    row on the CPU, and floating-point regrets and shares of one on a GPU.
    """
    with open_contents(path, CHECKPOINT) as contents:
        # Lists of a file may have been tuples.
        if contents.table("spec") != json.loads(json.dumps(dict(spec))):
            raise UsageError(f"{path} is a checkpoint of another game; solve anew.")
        short, made_on = contents.field("int16"), contents.header.get("device", "cpu")
        contents.need(type(short) is bool and made_on in ("cpu", "cuda"), "its header is wrong")
        contents.integer("iterations")
        contents.number("seconds")
    if short and made_on != device:
        raise UsageError(
            f"{path} has the 16-bit numbers of the device {made_on}, and those of {device} are of"
            f" another kind; resume it with the device {made_on}."
        )
    return contents


def _device_options(device: str, gpu: GpuDevice | None) -> dict[str, Any]:
    """All spots share one GPU, so that kernels are compiled once, and what they work in."""
    if device == "cpu":
        return {}
    gpu = CudaDevice() if gpu is None else gpu
    return {"gpu": gpu, "scratch": SharedScratch(gpu)}


class FlopGameSolver:
    """A game before the flop in the middle of being solved.

    Args:
        game: The question.
        equities: (169, 169) the row class's equity against the column class, over all boards.
        threads: Threads that share the flops.
        memory: Bytes allowed; numbers become 16-bit where that is needed.
        int16: Whether numbers have two bytes instead of four; by default the memory decides.
        device: Where the spots after the flop are: "cpu" or "cuda".
        gpu: The GPU, where it is not this machine's first.
        sized: Called with the size and whether numbers are 16-bit, before anything is allocated.
    """

    algorithm = "dcfr"

    def __init__(
        self,
        game: FlopGame,
        equities: F64,
        *,
        threads: int = 1,
        memory: int | None = None,
        int16: bool | None = None,
        device: str = "cpu",
        gpu: GpuDevice | None = None,
        sized: Callable[[FlopGameSize, bool], None] | None = None,
    ) -> None:
        self.game, self.threads, self.device = game, threads, device
        options = _device_options(device, gpu)
        if options:
            free = options["gpu"].free_memory()
            memory = free if memory is None else min(free, memory)
        self.size, opened = open_spots(game, device, memory)
        self.int16 = self._choose_storage(memory, int16)
        if sized is not None:
            sized(self.size, self.int16)
        if options:
            options["half"] = self.int16
        self.iterations = 0
        self.seconds = 0.0
        self.stopped = False
        self.last_evaluation: FlopGameEvaluation | None = None
        self._evaluated_at = -1
        self.meetings = game.meetings
        self.stakes = game.meetings * (2 * equities - 1)
        """What a pair of classes wins or loses of a stake of one, times its probability."""
        self._spots: dict[int, list[SpotSolver]] = {
            index: [
                make_solver(layout, device=device, int16=self.int16, **options)
                for layout in layouts
            ]
            for index, layouts in opened.items()
        }
        self._hands = [hands_left(flop.cards) for flop in game.flops]
        decisions = {
            node.index: Decision(node.player, node.children)
            for node in game.nodes
            if node.kind == FlopNodeKind.DECISION
        }
        self.cfr = VectorCFR(decisions, NUM_CLASSES, np.float64, by_reach=True)
        self.regrets, self.averages = self.cfr.regrets, self.cfr.averages
        self._pool: ThreadPoolExecutor | None = None

    def _choose_storage(self, memory: int | None, asked: bool | None) -> bool:
        for int16 in (False, True) if asked is None else (asked,):
            needed = self.size.memory_bytes(int16=int16)
            if memory is None or needed <= memory:
                return int16
        raise TooLargeError(
            f"The game needs {needed / 2**30:.1f} GiB with {16 if int16 else 32}-bit numbers for"
            f" {len(self.game.flops)} flops, more than the {(memory or 0) / 2**30:.1f} GiB allowed;"
            f" give {'more memory' if asked is False else 'fewer flops, fewer sizes'} or smaller"
            " stacks."
        )

    @property
    def memory_bytes(self) -> int:
        return self.size.memory_bytes(int16=self.int16)

    def compile(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Make all spots ready, before anything is learned; else the first iteration does it."""
        spots = [solver for solvers in self._spots.values() for solver in solvers]
        # The largest comes first: the others fit into what it works in.
        spots.sort(key=lambda solver: solver.layout.updates, reverse=True)
        # One compiled program does for all spots on the CPU.
        for number, solver in enumerate(spots if self.device != "cpu" else spots[-1:], 1):
            solver.compile()
            if progress is not None:
                progress(number, len(spots))

    # The algorithm.

    def step(self) -> None:
        """One iteration: a pass for each player, the second against the first one's new regrets."""
        factors = discounts(self.iterations)
        for learner in (0, 1):
            self._pass(learner, LEARN, factors)
        self.iterations += 1

    def evaluation(self) -> FlopGameEvaluation:
        """Exact best responses to the averages, and the value of the averages together."""
        best, ev = (
            (float(values[0].sum()), float(values[1].sum()))
            for values in (
                [self._pass(player, mode).values[0] for player in (0, 1)]
                for mode in (BEST, AVERAGE)
            )
        )
        self.last_evaluation = FlopGameEvaluation(ev, best)
        self._evaluated_at = self.iterations
        return self.last_evaluation

    def _pass(
        self, learner: int, mode: int, factors: tuple[float, float, float] = NO_FACTORS
    ) -> PassValues:
        """(169,) the learner's values at every node, by class, times the class's probability."""
        cfr, everything = self.cfr, np.ones(NUM_CLASSES)
        strategies = cfr.current() if mode == LEARN else cfr.average()

        def ends(reaches: Mapping[int, F64]) -> dict[int, F64]:
            return {
                node.index: self._outcome(node, learner, mode, reaches[node.index], factors)
                for node in self.game.nodes
                if node.kind != FlopNodeKind.DECISION
            }

        return cfr.run_pass(learner, mode, everything, strategies, ends, factors)

    def _outcome(
        self, node: FlopGameNode, learner: int, mode: int, reach: F64,
        factors: tuple[float, float, float],
    ) -> F64:  # fmt: skip
        """(169,) the learner's values where nobody decides before the flop any more."""
        if node.kind == FlopNodeKind.FOLD:
            won = -node.put[learner] if node.player == learner else node.put[1 - learner]
            return np.asarray(won * (self.meetings @ reach))
        if node.kind == FlopNodeKind.ALL_IN:
            half = (sum(node.put) - self.game.rake(sum(node.put))) / 2
            return np.asarray(
                half * (self.stakes @ reach) + (half - node.put[learner]) * (self.meetings @ reach)
            )
        return self.flop_values(node, learner, mode, reach, factors)

    def strategy(self, node: FlopGameNode) -> F64:
        """(actions, 169) the average strategy; uniform where nothing is learned."""
        return matched(self.averages[node.index])

    def flop_values(
        self, node: FlopGameNode, learner: int, mode: int, reach: F64,
        factors: tuple[float, float, float],
    ) -> F64:  # fmt: skip
        """(169,) the learner's values where the flop is seen, against the opponent's reach."""
        passing = partial(self._spot_values, node, learner, mode, reach, factors)
        numbers = range(len(self.game.flops))
        by_flop = map(passing, numbers) if self._pool is None else self._pool.map(passing, numbers)
        return np.asarray(np.sum(list(by_flop), axis=0))

    def _spot_values(
        self, node: FlopGameNode, learner: int, mode: int, reach: F64,
        factors: tuple[float, float, float], number: int,
    ) -> F64:  # fmt: skip
        solver, hands = self._spots[node.index][number], self._hands[number]
        # Out of position is the big blind, so players change numbers after the flop.
        player = 1 - learner
        by_hand = solver.pass_values(
            player, mode, np.array(factors, np.float32),
            reach={1 - player: reach[class_of_combos()[hands]]},
        )  # fmt: skip
        values = class_sums(by_hand[: len(hands)].astype(np.float64), hands)
        return np.asarray(values * (self.game.chances[number] / PAIRS_BEHIND))

    def values(self, player: int) -> dict[int, F64]:
        """Decision node → (actions, 169) a player's values of their actions under the averages.

        In chips won or lost in the whole hand, as the mean over the opponent's hands that reach the
        node; nan for classes that meet none.
        """
        values, reaches = self._pass(player, AVERAGE)
        by_action: dict[int, F64] = {}
        for index, (actor, children) in self.cfr.decisions.items():
            if actor == player:
                met = self.meetings @ reaches[index]
                own = np.stack([values[child] for child in children])
                by_action[index] = np.where(met > 0, own / np.where(met > 0, met, 1), np.nan)
        return by_action

    def reaches(self) -> dict[int, tuple[F64, F64]]:
        """Decision node → (169,) the probability with which each player plays towards it."""
        reaches = {0: (np.ones(NUM_CLASSES), np.ones(NUM_CLASSES))}
        for node in self.game.nodes:
            if node.kind == FlopNodeKind.DECISION:
                both, strategy = reaches[node.index], self.strategy(node)
                for child, share in zip(node.children, strategy, strict=True):
                    mine = both[node.player] * share
                    reaches[child] = (mine, both[1]) if node.player == 0 else (both[0], mine)
        return reaches

    def solution(self, spec: Mapping[str, Any]) -> PreflopSolution:
        """The averages with their values; `spec` is the question as its TOML has it."""
        game, reaches = self.game, self.reaches()
        values = self.values(0) | self.values(1)
        evaluation = self.last_evaluation or self.evaluation()
        seats = SEATS if game.first_player == SMALL_BLIND else SEATS[::-1]
        nodes = [
            PreflopNode(
                node.line,
                SEATS[node.player],
                node.actions,
                self.strategy(node),
                values[node.index],
                reaches[node.index][node.player],
                {seat: node.put[SEATS.index(seat)] for seat in seats},
            )
            for node in game.nodes
            if node.kind == FlopNodeKind.DECISION
        ]
        title = f"two players, {game.effective / game.blinds[1]:g} big blinds"
        info = {
            "algorithm": self.algorithm,
            "device": self.device,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "flops": [flop.name for flop in game.flops],
            "memory_bytes": self.memory_bytes,
            "exploitability": evaluation.exploitability,
            "ev": list(evaluation.ev),
            "best": list(evaluation.best),
            "gains": [best - ev for best, ev in zip(evaluation.best, evaluation.ev, strict=True)],
            "method": "exact",
            "unit": "chips",
            "stopped": self.stopped,
        }
        return PreflopSolution(title, spec, seats, nodes, info)

    # Files: a checkpoint holds all that the run needs to go on.

    def save_checkpoint(self, path: str | Path, spec: Mapping[str, Any]) -> None:
        """Write everything, after the flop too; `spec` is the question as its TOML has it."""
        header = {
            "spec": dict(spec),
            "iterations": self.iterations,
            "seconds": self.seconds,
            "int16": self.int16,
            "device": self.device,
        }
        write_arrays(path, CHECKPOINT, self._arrays(), header)

    def restore(self, kept: Contents) -> None:
        """Go on from what `open_checkpoint` returned, with numbers of as many bytes."""
        with kept:
            # One by one: all arrays of a file together would take as much memory as the game.
            for name, array in self._arrays().items():
                values = kept.array(name, array.dtype, shape=array.shape)
                if isinstance(array, RemoteArray):
                    array.put(values)
                else:
                    array[...] = values
        self.iterations, self.seconds = kept.integer("iterations"), kept.number("seconds")

    def _arrays(self) -> dict[str, NDArray[Any] | RemoteArray]:
        """Everything that was learned, by name; the arrays themselves."""
        arrays: dict[str, NDArray[Any] | RemoteArray] = {}
        for index, regrets in self.regrets.items():
            arrays[f"solver.regrets.{index}"] = regrets
            arrays[f"solver.averages.{index}"] = self.averages[index]
        for index, solvers in self._spots.items():
            for flop, solver in enumerate(solvers):
                for (name, player), array in solver.passes.stored().items():
                    arrays[f"solver.{name}.{index}.{flop}.{player}"] = array
        return arrays

    # A run.

    def run(
        self,
        limit: Limit,
        progress: ProgressCallback | None = None,
        *,
        autosave: Autosave | None = None,
    ) -> None:
        """Iterate until the limit; the target is exploitability in chips per hand."""
        with self._pooled():
            self.stopped = run(
                self,
                limit,
                progress=progress,
                autosave=autosave,
                marks=lambda done, figure: next_evaluation(done, figure, limit.target),
            )
            if self._evaluated_at != self.iterations:
                self.evaluate()

    def advance(self, count: int) -> None:
        """Do some iterations on the clock."""
        start = time.perf_counter()
        for _ in range(count):
            self.step()
        self.seconds += time.perf_counter() - start

    def evaluate(self) -> float:
        """Exploitability in chips per hand, measured on the clock."""
        start = time.perf_counter()
        exploitability = self.evaluation().exploitability
        self.seconds += time.perf_counter() - start
        return exploitability

    @contextmanager
    def _pooled(self) -> Iterator[None]:
        # Spots on a GPU share what they work in, so they take turns.
        if self.threads < 2 or self.device != "cpu":
            yield
            return
        with ThreadPoolExecutor(self.threads) as self._pool:
            try:
                yield
            finally:
                self._pool = None
