"""Blackjack played by the million: what a strategy wins, by play instead of by analysis.

The rounds are cut into blocks of fixed size, each with its own stretch of the counter-based
generator, so that a result depends on the seed and the settings alone and not on the number of
threads. Results are counted, not summed: the histogram of every bin of the count is exact, and
all figures follow from it.

A block's tables are dealt in step and begin with fresh shoes, and each plays its last shoe to the
end, so that a run plays whole shoes: a few rounds more than were asked for.

`bankroll_fan` says where given shares of all players are after n rounds: the sum of results is
close to normal, with n times the mean and variance of one round (a round's result is bounded, so a
few hundred rounds are enough).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from riverboat.blackjack.simulation.result import CountRow, Simulation, SimulationResult
from riverboat.blackjack.simulation.tables import Tables
from riverboat.errors import ParameterError, TooLargeError
from riverboat.runtime.array_types import I64
from riverboat.runtime.devices import choose_device
from riverboat.runtime.stopping import current_stop, stop_on_signals

if TYPE_CHECKING:
    pass

__all__ = [
    "BankrollFan",
    "CountRow",
    "Simulation",
    "SimulationResult",
    "add_up",
    "bankroll_fan",
    "check_duration",
    "num_blocks",
    "play_blocks",
    "simulate",
]


BLOCK_ROUNDS = 1 << 20
COUNTERS_PER_BLOCK = 1 << 40
TRIAL_ROUNDS, GPU_TRIAL_ROUNDS = 200_000, 10_000_000_000
"""Rounds by which the time of a very long run is estimated."""
MAX_SECONDS = 30 * 24 * 3600.0  # A run that would take longer is refused

Progress = Callable[[int, int], None]  # Called with the rounds played and the rounds wanted
POINTS = 50


def simulate(
    simulation: Simulation,
    rounds: int,
    *,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
    device: str = "cpu",
) -> SimulationResult:
    """Play `rounds` rounds, and the last shoes to their end; the same for any number of threads.

    `device` is "cpu", "cuda" or "auto", which takes a GPU where there is one. A GPU deals other
    cards for the same seed, by the same odds.

    A stop (Ctrl-C) ends the run early with the blocks played so far; then `result.cut_short` is
    true.
    """
    if rounds < 1:
        raise ParameterError(f"rounds must be at least 1, not {rounds}.")
    if seed < 0:
        raise ParameterError(f"seed must be 0 or more, not {seed}.")
    if threads < 1:
        raise ParameterError(f"threads must be at least 1, not {threads}.")
    tables = _compiled(simulation)
    parts: Iterator[I64]
    if choose_device(device) == "cuda":
        from riverboat.blackjack.simulation._shoe_cuda import play_parts

        parts = play_parts(tables, rounds, seed)
    else:
        parts = _in_order(tables, _blocks(rounds, seed), threads)
    return add_up(tables, _until_stopped(parts), rounds, seed, progress)


def _until_stopped(parts: Iterator[I64]) -> Iterator[I64]:
    """The parts until a stop is requested, which interrupts, as in jobs.run_jobs."""
    for part in parts:
        yield part
        current_stop().check()


def check_duration(
    simulation: Simulation, rounds: int, *, threads: int = 1, device: str = "cpu"
) -> None:
    """Refuse a run that would take more than a month, after playing some of its rounds.

    Raises:
        TooLargeError: with the time that it would take.
    """
    trial = TRIAL_ROUNDS if device == "cpu" else GPU_TRIAL_ROUNDS
    if rounds <= 1000 * trial:
        return
    started = time.perf_counter()
    simulate(simulation, trial, device=device)
    per_second = trial / (time.perf_counter() - started) * (threads if device == "cpu" else 1)
    if rounds / per_second > MAX_SECONDS:
        raise TooLargeError.in_time("rounds", rounds, per_second)


def add_up(
    tables: Tables, parts: Iterable[I64], rounds: int, seed: int, progress: Progress | None
) -> SimulationResult:
    """The result of all parts of a run, or of those that were played before a stop."""
    histogram, done = tables.histogram(), 0
    with stop_on_signals() as stop:
        try:
            for part in parts:
                histogram += part
                done += int(part.sum())
                if progress:
                    progress(min(done, rounds), rounds)
        except KeyboardInterrupt:  # of `parts` or of `progress`
            stop.request()
            if not done:
                raise
    return SimulationResult(tables.simulation, seed, tables.count.edges, histogram, rounds)


@lru_cache(maxsize=8)
def _compiled(simulation: Simulation) -> Tables:
    return Tables.of(simulation)


def _scramble(seed: int) -> int:
    """A starting counter for a seed; neighbouring seeds are far apart."""
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def num_blocks(rounds: int) -> int:
    """The number of blocks of a run."""
    return -(-rounds // BLOCK_ROUNDS)


def play_blocks(tables: Tables, rounds: int, seed: int, first: int, last: int) -> I64:
    """Blocks `first` to before `last` of a run, as one histogram; those of all blocks add up."""
    histogram = tables.histogram()
    for block in _blocks(rounds, seed, first, last):
        histogram += tables.block(*block)
    return histogram


def _blocks(
    rounds: int, seed: int, first: int = 0, last: int | None = None
) -> Iterator[tuple[int, int]]:
    """Each block's rounds and its first counter."""
    from riverboat.runtime.compiled import GOLDEN

    start = _scramble(seed)
    for number in range(first, num_blocks(rounds) if last is None else last):
        counter = (start + number * int(GOLDEN) * COUNTERS_PER_BLOCK) % (1 << 64)
        yield min(BLOCK_ROUNDS, rounds - number * BLOCK_ROUNDS), counter


def _in_order(tables: Tables, blocks: Iterator[tuple[int, int]], threads: int) -> Iterator[I64]:
    """The blocks' histograms in their order, a few of them at a time."""
    if threads == 1:
        yield from (tables.block(*block) for block in blocks)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        running: deque[Future[I64]] = deque()
        for block in blocks:
            running.append(pool.submit(tables.block, *block))
            if len(running) > 2 * threads:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


@dataclass(frozen=True)
class BankrollFan:
    """The bands, the widest first, the middle last; in betting units."""

    rounds: list[int]
    bands: list[tuple[str, list[float], list[float]]]
    """Name, lower edge and upper edge by `rounds`; the middle is a band of no width."""


def bankroll_fan(
    result: SimulationResult, rounds: int, shares: Sequence[float] = (0.9, 0.5)
) -> BankrollFan:
    """The fan of what `result` says about a round, over that many rounds."""
    if rounds < 1:
        raise ParameterError(f"rounds must be at least 1, not {rounds}.")
    marks = sorted({rounds * i // POINTS for i in range(POINTS + 1)})
    middle = [result.ev * n for n in marks]
    bands = []
    for share in sorted(shares, reverse=True):
        width = NormalDist().inv_cdf((1 + share) / 2) * result.variance**0.5
        low = [mean - width * n**0.5 for mean, n in zip(middle, marks, strict=True)]
        high = [mean + width * n**0.5 for mean, n in zip(middle, marks, strict=True)]
        bands.append((f"{share:.0%} of players", low, high))
    return BankrollFan(marks, [*bands, ("expected", middle, list(middle))])
