"""What a simulation plays, and what its counted results say."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from riverboat.blackjack.charts import BlackjackChart, published_chart
from riverboat.blackjack.rules import BlackjackRules
from riverboat.blackjack.simulation.counting import Counter, Ramp
from riverboat.drawing.html import facts_table
from riverboat.errors import ParameterError
from riverboat.evaluation.estimates import Z95
from riverboat.runtime.array_types import F64, I64
from riverboat.runtime.tables import data_frame

_TENTHS = 10
ROUNDS_PER_HOUR = 100.0
FIGURES = ("ev", "stderr", "ci95", "variance", "ev_per_bet", "stderr_per_bet", "average_bet")
BANKROLL = 1000.0  # The bankroll that a report assumes by default


@dataclass(frozen=True)
class Simulation:
    """What is to be played."""

    rules: BlackjackRules
    chart: BlackjackChart | None = None
    """The strategy; the published chart for the rules where it is None."""
    counter: Counter | None = None
    seats: int = 1
    seat: int = 0  # The player's place, from the first to act
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

    def exact_ev(self) -> float | None:
        """The strategy's exact value, where analysis has one: fresh shoes, nothing counted."""
        from riverboat.blackjack.exact.analysis import analyse

        if self.counter or (self.penetration and self.rules.decks != "infinite"):
            return None
        chart = self.chart if self.chart is not None else published_chart(self.rules)
        return analyse(self.rules, strategy=chart).ev


class Measured:
    """A mean with its standard error."""

    stderr: float

    @property
    def ci95(self) -> float:
        """Half the width of the mean's 95 % interval."""
        return Z95 * self.stderr


@dataclass(frozen=True)
class CountRow(Measured):
    """What happened where the count, when the bet was made, was at least `low`."""

    low: float
    share: float
    bet: float
    ev: float  # Result per unit bet
    stderr: float


@dataclass(frozen=True, repr=False)
class SimulationResult:
    """Counts of results, and what follows from them; money is in betting units."""

    simulation: Simulation
    seed: int
    edges: tuple[float, ...]
    histogram: I64
    """(bins of the count, results): `zero` in the middle, a tenth of the bet from column to
    column."""
    wanted: int | None = None  # How many rounds were asked for

    @cached_property
    def rounds(self) -> int:
        """How many rounds were played: whole shoes, so a few more than were asked for."""
        return int(self.histogram.sum())

    @property
    def cut_short(self) -> bool:
        """Whether the run was stopped before all rounds were played."""
        return self.wanted is not None and self.rounds < self.wanted

    stopped = cut_short

    @cached_property
    def results(self) -> F64:
        """The result of each column, per unit bet."""
        width = self.histogram.shape[1]
        return np.arange(-(width // 2), width // 2 + 1, dtype=np.float64) / _TENTHS

    @cached_property
    def bets(self) -> F64:
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
    def ci95(self) -> float:
        """Half the width of the 95 % interval of `ev`."""
        return Z95 * self.stderr

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
        """Expectation and standard deviation of that many rounds."""
        return self.ev * rounds, math.sqrt(self.variance * rounds)

    def risk_of_ruin(self, bankroll: float) -> float:
        """The probability of ever losing `bankroll`: exp(−2·EV·bankroll/variance), 1 without edge.

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

    def to_frame(self, *, library: str | None = None) -> Any:
        """A data frame with a row for each bin of the count: share of rounds, bet, EV, interval."""
        names, rows = ("low", "share", "bet", "ev", "ci95"), self.by_count()
        return data_frame({name: [getattr(row, name) for row in rows] for name in names}, library)

    def by_count(self) -> tuple[CountRow, ...]:
        """The bins of the count, lowest first; those never met are left out."""
        rows = []
        for low, bet, counts in zip(
            (-math.inf, *self.edges), self.bets, self.histogram, strict=True
        ):
            num_rounds = int(counts.sum())
            if num_rounds:
                mean = float(counts @ self.results) / num_rounds
                square = float(counts @ self.results**2) / num_rounds
                error = math.sqrt(max(0.0, square - mean**2) / num_rounds)
                rows.append(CountRow(low, num_rounds / self.rounds, float(bet), mean, error))
        return tuple(rows)

    def __repr__(self) -> str:
        return (
            f"SimulationResult({self.rounds:,} rounds, {100 * self.ev:+z.4f} ±"
            f" {100 * self.ci95:.4f} % of a unit per round)"
        )

    def _repr_html_(self) -> str:
        n0 = f"{self.n0:,.0f} rounds" if self.n0 is not None else "none"
        facts = [
            ("rounds", f"{self.rounds:,}" + " (cut short)" * self.cut_short),
            ("EV per round", f"{self.ev:+z.6f} ± {self.ci95:.6f} units"),
            (
                "EV per unit bet",
                f"{100 * self.ev_per_bet:+z.4f} ± {100 * Z95 * self.stderr_per_bet:.4f} %",
            ),
            ("average bet", f"{self.average_bet:.4f} units"),
            ("standard deviation", f"{self.variance**0.5:.4f} units per round"),
            ("N0", n0),
        ]
        return facts_table(
            "Blackjack by play", facts, note=f"{self.simulation.rules.summary}; ± is 95 %"
        )

    def as_dict(
        self, rounds_per_hour: float = ROUNDS_PER_HOUR, bankroll: float = BANKROLL
    ) -> dict[str, Any]:
        """Every figure by name, as plain data."""
        simulation, counter = self.simulation, self.simulation.counter
        ev_per_hour, sd_per_hour = self.per_hour(rounds_per_hour)
        others = (
            None if simulation.seats == 1 else ("same" if simulation.others is None else "basic")
        )
        return {
            "rules": dataclasses.asdict(simulation.rules),
            "rounds": self.rounds,
            "cut_short": self.cut_short,
            "seats": simulation.seats,
            "seat": simulation.seat + 1,
            **{name: getattr(self, name) for name in FIGURES},
            "rounds_per_hour": rounds_per_hour,
            "ev_per_hour": ev_per_hour,
            "sd_per_hour": sd_per_hour,
            "n0": self.n0,
            "bankroll": bankroll,
            "risk_of_ruin": self.risk_of_ruin(bankroll),
            "count": counter.system.name if counter else None,
            "ramp": str(simulation.ramp),
            "deviations": [str(d) for d in counter.deviations] if counter else [],
            "resolution": counter.resolution if counter else None,
            "others": others,
            "penetration": simulation.penetration,
            "seed": self.seed,
            "by_count": [
                {
                    "from": None if row.low == -math.inf else row.low,
                    **{
                        name: getattr(row, name)
                        for name in ("share", "bet", "ev", "stderr", "ci95")
                    },
                }
                for row in (self.by_count() if counter else ())
            ],
        }
