"""Blackjack played by the million: what a strategy wins, by play instead of by analysis.

The rounds are cut into blocks of fixed size, each with its own stretch of the counter-based
generator, so that a result depends on the seed and the settings alone and not on the number of
threads. Results are counted, not summed: the histogram of every bin of the count is exact, and
all figures follow from it.

A block's tables are dealt in step and begin with fresh shoes, and each plays its last shoe to the
end, so that a run plays whole shoes: a few rounds more than were asked for.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from riverboat.blackjack.charts import BlackjackChart, published_chart
from riverboat.blackjack.round import RANKS
from riverboat.blackjack.rules import BlackjackRules
from riverboat.blackjack.simulation.automaton import (
    MOST_HANDS,
    Automaton,
    CountTable,
    build_automaton,
    count_table,
)
from riverboat.blackjack.simulation.counting import Counter, Ramp
from riverboat.blackjack.simulation.simulation_kernels import LANES, Setup, play_block
from riverboat.errors import ParameterError
from riverboat.random_kernels import GOLDEN

__all__ = ["CountRow", "Simulation", "SimulationResult", "Tables", "simulate"]

BLOCK_ROUNDS = 1 << 20
ROUNDS_PER_TABLE = 1 << 12
"""A block plays no more tables than keep this many rounds each."""
COUNTERS_PER_BLOCK = 1 << 40
_TENTHS = 10
_WHOLE_WORD = (1 << 32) - 1

Progress = Callable[[int, int], None]
"""Called with the rounds played and the rounds wanted."""


@dataclass(frozen=True)
class Simulation:
    """What is to be played."""

    rules: BlackjackRules
    chart: BlackjackChart | None = None
    """The strategy; the published chart for the rules where it is None."""
    counter: Counter | None = None
    seats: int = 1
    seat: int = 0
    """The player's place, from the first to act."""
    others: BlackjackChart | None = None
    """What the other seats play; the same as the player, deviations too, where it is None."""
    penetration: float = 0.75
    """How much of the shoe is dealt before the cut card; 0 shuffles before every round."""

    def __post_init__(self) -> None:
        if not 1 <= self.seats <= 7:
            raise ParameterError(f"seats must be 1 to 7, not {self.seats}.")
        if not 0 <= self.seat < self.seats:
            raise ParameterError(
                f"seat must be 1 to {self.seats} (the number of seats), not {self.seat + 1}."
            )
        if not 0 <= self.penetration < 1:
            raise ParameterError(f"penetration must be from 0 to below 1, not {self.penetration}.")
        if self.counter and self.rules.decks == "infinite":
            raise ParameterError("decks=infinite cannot be counted; take 1 to 8 decks.")
        if self.shoe_size - self.cut < 2 * self.seats + 2 and self.rules.decks != "infinite":
            raise ParameterError(
                f"penetration {self.penetration:g} leaves too few cards behind the cut card"
                f" for {self.seats} seats; lower it."
            )

    @property
    def shoe_size(self) -> int:
        return 13 if self.rules.decks == "infinite" else 52 * self.rules.decks

    @property
    def cut(self) -> int:
        """Cards dealt before the shoe is shuffled; the infinite deck never gets there."""
        if self.rules.decks == "infinite":
            return 1
        return max(1, math.floor(self.penetration * self.shoe_size + 1e-9))

    @property
    def ramp(self) -> Ramp:
        return self.counter.ramp if self.counter else Ramp()


@dataclass(frozen=True)
class CountRow:
    """What happened where the count, when the bet was made, was at least `low`."""

    low: float
    share: float
    bet: float
    ev: float
    """Result per unit bet."""
    stderr: float


@dataclass(frozen=True)
class SimulationResult:
    """Counts of results, and what follows from them; money is in betting units."""

    simulation: Simulation
    seed: int
    edges: tuple[float, ...]
    histogram: NDArray[np.int64]
    """(bins of the count, results): `zero` in the middle, a tenth of the bet from column to
    column."""
    wanted: int | None = None
    """How many rounds were asked for."""

    @cached_property
    def rounds(self) -> int:
        """How many rounds were played: whole shoes, so a few more than were asked for."""
        return int(self.histogram.sum())

    @property
    def cut_short(self) -> bool:
        """Whether the run was stopped before all rounds were played."""
        return self.wanted is not None and self.rounds < self.wanted

    @cached_property
    def results(self) -> NDArray[np.float64]:
        """The result of each column, per unit bet."""
        width = self.histogram.shape[1]
        return np.arange(-(width // 2), width // 2 + 1, dtype=np.float64) / _TENTHS

    @cached_property
    def bets(self) -> NDArray[np.float64]:
        """The bet in each bin."""
        ramp = self.simulation.ramp
        return np.array([ramp.bet(low) for low in (-math.inf, *self.edges)])

    def _moment(self, bet_power: int, result_power: int) -> float:
        """The mean of bet ** bet_power * result ** result_power over the rounds."""
        by_bin = self.histogram @ self.results**result_power
        return float(self.bets**bet_power @ by_bin) / self.rounds

    @property
    def ev(self) -> float:
        """Units won per round."""
        return self._moment(1, 1)

    @property
    def variance(self) -> float:
        """The variance of a round's result."""
        return max(0.0, self._moment(2, 2) - self.ev**2)

    @property
    def stderr(self) -> float:
        """The standard error of `ev`."""
        return math.sqrt(self.variance / self.rounds)

    @property
    def average_bet(self) -> float:
        return self._moment(1, 0)

    @property
    def ev_per_bet(self) -> float:
        """Units won per unit bet at the start of a round; 0 where nothing was bet."""
        return self.ev / self.average_bet if self.average_bet else 0.0

    @property
    def stderr_per_bet(self) -> float:
        """The standard error of `ev_per_bet`, a ratio of two means (delta method)."""
        ratio = self.ev_per_bet
        spread = self._moment(2, 2) - 2 * ratio * self._moment(2, 1) + ratio**2 * self._moment(2, 0)
        error = math.sqrt(max(0.0, spread) / self.rounds)
        return error / self.average_bet if self.average_bet else 0.0

    @property
    def n0(self) -> float | None:
        """Rounds after which the expectation is as large as one standard deviation."""
        return self.variance / self.ev**2 if self.ev else None

    def per_hour(self, rounds: float) -> tuple[float, float]:
        """Expectation and standard deviation of so many rounds."""
        return self.ev * rounds, math.sqrt(self.variance * rounds)

    def risk_of_ruin(self, bankroll: float) -> float:
        """The chance ever to lose `bankroll` units, exp(−2·EV·bankroll/variance); 1 without edge.

        The formula is that of a diffusion (Sileo; Schlesinger, Blackjack Attack).
        """
        if self.ev <= 0:
            return 1.0
        return math.exp(-2 * self.ev * bankroll / self.variance) if self.variance else 0.0

    def merged(self, more: SimulationResult) -> SimulationResult:
        """Both results together; they must be of the same simulation."""
        if more.simulation != self.simulation:
            raise ParameterError("Only results of the same simulation can be added up.")
        counts = self.histogram + more.histogram
        return SimulationResult(self.simulation, self.seed, self.edges, counts)

    def by_count(self) -> tuple[CountRow, ...]:
        """The bins of the count, lowest first; those never met are left out."""
        rows = []
        for low, bet, counts in zip(
            (-math.inf, *self.edges), self.bets, self.histogram, strict=True
        ):
            num = int(counts.sum())
            if num:
                mean = float(counts @ self.results) / num
                square = float(counts @ self.results**2) / num
                error = math.sqrt(max(0.0, square - mean**2) / num)
                rows.append(CountRow(low, num / self.rounds, float(bet), mean, error))
        return tuple(rows)


def simulate(
    simulation: Simulation,
    rounds: int,
    *,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> SimulationResult:
    """Play `rounds` rounds, and the last shoes to their end; the same for any number of threads.

    Ctrl-C ends the run early with the blocks played so far; then `result.cut_short` is true.
    """
    if rounds < 1:
        raise ParameterError(f"rounds must be at least 1, not {rounds}.")
    if seed < 0:
        raise ParameterError(f"seed must be 0 or more, not {seed}.")
    if threads < 1:
        raise ParameterError(f"threads must be at least 1, not {threads}.")
    tables = _compiled(simulation)
    histogram = tables.histogram()
    done = 0
    try:
        for part in _in_order(tables, _blocks(rounds, seed), threads):
            histogram += part
            done += int(part.sum())
            if progress:
                progress(min(done, rounds), rounds)
    except KeyboardInterrupt:
        if not done:
            raise
    return SimulationResult(simulation, seed, tables.count.edges, histogram, rounds)


@dataclass(frozen=True)
class Tables:
    """A simulation compiled into the kernel's arrays."""

    simulation: Simulation
    game: Automaton
    count: CountTable

    @classmethod
    def of(cls, simulation: Simulation) -> Tables:
        rules, counter = simulation.rules, simulation.counter
        count = count_table(rules, counter)
        chart = simulation.chart or published_chart(rules)
        deviations = counter.deviations if counter else ()
        game = build_automaton(rules, chart, count, deviations, simulation.others)
        return cls(simulation, game, count)

    def histogram(self) -> NDArray[np.int64]:
        """An empty histogram, wide enough for every hand doubled and insured."""
        rules = self.simulation.rules
        limits = [rules.split_limit(ace=ace) or MOST_HANDS for ace in (False, True)]
        width = 2 * (2 * _TENTHS * max(limits) + _TENTHS) + 1
        return np.zeros((len(self.count.edges) + 1, width), np.int64)

    def block(self, rounds: int, counter: int) -> NDArray[np.int64]:
        """Rounds from fresh shoes with the random words from `counter` on, as a histogram."""
        tables = max(1, min(int(LANES), rounds // ROUNDS_PER_TABLE))
        fresh = np.repeat(np.arange(13, dtype=np.uint8), self.simulation.shoe_size // 13)
        return self._play(np.tile(fresh, tables), rounds, counter, _WHOLE_WORD)[0]

    def stacked(self, shoe: str, rounds: int = 1) -> tuple[NDArray[np.int64], int]:
        """Rounds from one shoe in the order it is in: the histogram and how many cards are out."""
        if len(shoe) != self.simulation.shoe_size:
            raise ParameterError(f"The shoe must have {self.simulation.shoe_size} cards.")
        cards = np.array([RANKS.index(rank) for rank in shoe], np.uint8)
        histogram, out = self._play(cards, rounds, 0, 0)
        return histogram, int(out[0])

    def _play(
        self, cards: NDArray[np.uint8], rounds: int, counter: int, mask: int
    ) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        game = self.game
        histogram = self.histogram()
        out = play_block(
            self._setup(mask),
            game.nexts,
            game.answer,
            game.house,
            game.pay,
            game.ranks,
            game.bins,
            game.levels,
            game.insure,
            cards,
            np.uint64(rounds),
            np.uint64(counter),
            histogram,
        )
        return histogram, out

    def _setup(self, mask: int) -> Setup:
        simulation = self.simulation
        infinite = simulation.rules.decks == "infinite"
        return Setup(
            size=np.uint64(simulation.shoe_size),
            step=np.uint64(0 if infinite else 1),
            cut=np.uint64(simulation.cut),
            first_count=np.uint64(self.count.first),
            width=np.uint64(self.count.width),
            mask=np.uint64(mask),
            seats=np.uint64(simulation.seats),
            seat=np.uint64(simulation.seat),
            natural=np.uint64(self.game.natural),
            unplayed=np.uint64(self.game.unplayed),
            peek=simulation.rules.hole_card == "peek",
            whole=mask > 0 and not infinite,
        )


@lru_cache(maxsize=8)
def _compiled(simulation: Simulation) -> Tables:
    return Tables.of(simulation)


def _scramble(seed: int) -> int:
    """A starting counter for a seed; neighbouring seeds are far apart."""
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def _blocks(rounds: int, seed: int) -> Iterator[tuple[int, int]]:
    """Each block's rounds and its first counter."""
    counter = _scramble(seed)
    for start in range(0, rounds, BLOCK_ROUNDS):
        yield min(BLOCK_ROUNDS, rounds - start), counter
        counter = (counter + int(GOLDEN) * COUNTERS_PER_BLOCK) % (1 << 64)


def _in_order(
    tables: Tables, blocks: Iterator[tuple[int, int]], threads: int
) -> Iterator[NDArray[np.int64]]:
    """The blocks' histograms in their order, a few of them at a time."""
    if threads == 1:
        yield from (tables.block(*block) for block in blocks)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        running: deque[Future[NDArray[np.int64]]] = deque()
        for block in blocks:
            running.append(pool.submit(tables.block, *block))
            if len(running) > 2 * threads:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
