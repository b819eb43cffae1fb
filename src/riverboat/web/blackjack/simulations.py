"""Simulated blackjack as a background job: rounds by the million, with what they say so far."""

from __future__ import annotations

import io
import itertools
import os
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from riverboat.errors import UsageError
from riverboat.web.app.problems import about
from riverboat.web.background import Job, Jobs, Workplace

if TYPE_CHECKING:
    from riverboat.blackjack.simulation.simulate import Simulation
    from riverboat.runtime.array_types import I64

MAX_ROUNDS = 10**11
HORIZON = 10_000
"""Rounds that the fan of bankrolls looks ahead."""
STEP_SECONDS = 0.3
"""About how long is played between two reports."""
STATE = "counts.npz"
STRATEGIES = {
    "published": "the printed chart",
    "best": "the best chart for the rules",
    "mimic-dealer": "as the dealer must",
    "never-bust": "never risking a bust",
}


@dataclass(frozen=True)
class SimulationOrder:
    """What is to be played: a table, a strategy, and how bets follow the count."""

    rules: dict[str, str]
    """As an address tells them."""
    rounds: int
    strategy: str = "published"
    count: str = ""
    """A counting system; empty where nothing is counted."""
    ramp: str = ""
    deviations: str = ""
    penetration: float = 0.75
    bankroll: float = 1000.0
    seed: int = 0
    resumable: ClassVar[bool] = True

    def parts(self) -> tuple[str, ...]:
        return ("rounds",)

    @property
    def title(self) -> str:
        """How much of what."""
        counted = f", counted by {self.count}" if self.count else ""
        return f"Blackjack, {self.rounds:,} rounds at {self.rules['rules']}{counted}"

    def check(self) -> None:
        """Refuse what cannot be played."""
        with about("rounds"):
            if not 1 <= self.rounds <= MAX_ROUNDS:
                raise UsageError(f"Play 1 to {MAX_ROUNDS:,} rounds, not {self.rounds:,}.")
        with about("bankroll"):
            if not 0 < self.bankroll < 1e12:
                raise UsageError("A bankroll is a number above 0.")
        self.simulation()

    def simulation(self) -> Simulation:
        """The same as blackjack's own word for it."""
        from riverboat.blackjack.exact.best_chart import named_chart
        from riverboat.blackjack.simulation.counting import Ramp, counter_from
        from riverboat.blackjack.simulation.simulate import Simulation
        from riverboat.web.blackjack.table import rules_of_query

        rules, counter = rules_of_query(self.rules), None
        with about("strategy"):
            chart = named_chart(self.strategy, rules)
        if self.count:
            with about("count"):
                counter_from(self.count)
            with about("ramp"):
                Ramp.parse(self.ramp) if self.ramp else None
            with about("deviations"):
                counter = counter_from(self.count, self.ramp or None, self.deviations or None)
        elif self.ramp or self.deviations:
            with about("count"):
                raise UsageError("Bets and plays by the count need a counting system.")
        with about("penetration"):
            return Simulation(rules, chart, counter, penetration=self.penetration)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SimulationOrder:
        return cls(**data)

    @classmethod
    def warm_up(cls) -> None:
        import riverboat.blackjack.simulation.simulate  # noqa: F401

    def work(self, place: Workplace) -> dict[str, Any]:
        """Play, from what the folder has; the same counts as `riverboat blackjack simulate`."""
        from riverboat.blackjack.simulation.simulate import num_blocks, play_blocks
        from riverboat.blackjack.simulation.tables import Tables
        from riverboat.runtime.stopping import current_stop

        tables, last = Tables.of(self.simulation()), num_blocks(self.rounds)
        state = place.folder / STATE
        histogram, first, seconds = _kept(state, tables.histogram())
        threads, size = os.cpu_count() or 1, 1
        facts: dict[str, Any] = {}
        with ThreadPoolExecutor(threads) as pool:
            while first < last and not current_stop().requested:
                began, end = time.perf_counter(), min(last, first + threads * size)
                edges = [first + (end - first) * i // threads for i in range(threads + 1)]
                stretches = list(itertools.pairwise(edges))
                for part in pool.map(
                    lambda stretch: play_blocks(tables, self.rounds, self.seed, *stretch), stretches
                ):
                    histogram += part
                took = time.perf_counter() - began
                first, seconds = end, seconds + took
                size = size if took > STEP_SECONDS else 2 * size
                _keep(state, histogram, first, seconds)
                facts = self._facts(histogram, tables.count.edges, seconds)
                place.report("facts", facts)
        return facts

    def _facts(self, histogram: I64, edges: tuple[float, ...], seconds: float) -> dict[str, Any]:
        from riverboat.blackjack.simulation.simulate import SimulationResult, bankroll_fan

        played = histogram.copy()
        result = SimulationResult(self.simulation(), self.seed, edges, played, self.rounds)
        fan = bankroll_fan(result, HORIZON)
        return {
            **result.as_dict(bankroll=self.bankroll),
            "strategy": self.strategy,
            "seconds": seconds,
            "rounds_per_second": result.rounds / seconds,
            "fan": {"rounds": fan.rounds, "bands": fan.bands},
        }


def _kept(path: Path, empty: I64) -> tuple[I64, int, float]:
    """Counts, the next block, and the seconds of an earlier process; else those of a new run."""
    import numpy as np

    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as kept:
            histogram, first, seconds = (
                kept["histogram"],
                int(kept["first"]),
                float(kept["seconds"]),
            )
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return empty, 0, 0.0
    fits = histogram.shape == empty.shape and histogram.dtype == empty.dtype and first >= 0
    return (histogram, first, seconds) if fits else (empty, 0, 0.0)


def _keep(path: Path, histogram: I64, first: int, seconds: float) -> None:
    import numpy as np

    from riverboat.runtime.storage import atomic_write

    data = io.BytesIO()
    np.savez(data, histogram=histogram, first=first, seconds=seconds)
    atomic_write(path, data.getvalue())


class SimulationRun(Job[SimulationOrder]):
    """A simulation and what it says so far."""

    @property
    def facts(self) -> dict[str, Any]:
        """The figures of `riverboat blackjack simulate --json`, and the fan of bankrolls."""
        return self.parts[0].facts

    @property
    def state(self) -> str:
        """How it stands: waiting, starting, running, done, stopped, or what went wrong."""
        return self.parts[0].state

    @property
    def share(self) -> float:
        """How much of it is played."""
        return min(1.0, float(self.facts.get("rounds", 0)) / self.order.rounds)


def simulation_runs(folder: Path) -> Jobs[SimulationRun]:
    """The simulations in a folder."""
    address = "/blackjack/simulate/{}"
    return Jobs(folder, SimulationOrder, SimulationRun, address=address, at_once=1)
