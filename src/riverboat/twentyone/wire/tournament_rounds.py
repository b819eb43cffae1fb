"""Tournaments of twenty-one on paper: format, draw, ranking, and how significant the figures are.

The course's format is three tables of six, the top two of each in the final. In general entrants
are dealt into as few tables as hold them, as even as possible; the top `advance` of each table go
on until one table is left, the final. Where no more than `advance` sit at a table all of them go
on; one alone has a bye. All players at a table play against the same dealer's hand,
so players are compared round by round: Cochran's Q asks whether a whole table could be equally
good, McNemar's test whether the first two could.

W. G. Cochran, "The comparison of percentages in matched samples" (1950); Q. McNemar, "Note on the
sampling error of the difference between correlated proportions or percentages" (1947); E. B.
Wilson, "Probable inference, the law of succession, and statistical inference" (1927).

A Plan is what a tournament needs to go on after its host was stopped. A remote program may join
with a token, a word only it knows. Its SHA-256 is kept, and a program that shows the same token
later takes the same place again.
"""

from __future__ import annotations

import hashlib
import math
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from riverboat.errors import ParameterError, TooLargeError, UnknownNameError, UsageError
from riverboat.evaluation.estimates import Z95
from riverboat.twentyone.table import MAX_SEATS, Seat

RANKINGS = ("wins", "score")
MAX_ENTRANTS = 10_000  # Each remote one needs a connection of its own
LUCK = 0.05  # Below this probability a difference is not put down to luck


@dataclass(frozen=True)
class TournamentFormat:
    """How a tournament is run."""

    table_size: int = MAX_SEATS
    rounds: int = 1000
    advance: int = 2
    rank_by: str = "wins"

    def __post_init__(self) -> None:
        if not 2 <= self.table_size <= MAX_SEATS:
            raise ParameterError(f"A table seats 2 to {MAX_SEATS}, not {self.table_size}.")
        if self.rounds < 1:
            raise ParameterError(f"A table plays at least 1 round, not {self.rounds}.")
        if self.advance < 1:
            raise ParameterError(f"At least 1 must advance from a table, not {self.advance}.")
        if self.rank_by not in RANKINGS:
            raise UnknownNameError.among("ranking", self.rank_by, RANKINGS)

    def table_sizes(self, entrants: int) -> list[int]:
        """How many sit at each table of a stage, as even as possible."""
        tables = -(-entrants // self.table_size)
        return [entrants // tables + (n < entrants % tables) for n in range(tables)]

    def stages(self, entrants: int) -> list[list[int]]:
        """The table sizes of every stage up to the final."""
        if entrants < 2:
            raise UsageError("A tournament needs at least two entrants.")
        if entrants > MAX_ENTRANTS:
            raise TooLargeError(
                f"A tournament has at most {MAX_ENTRANTS:,} entrants, not {entrants:,}."
            )
        # Two tables must send no more than one table holds, or there is never a final.
        if entrants > self.table_size < 2 * self.advance:
            raise ParameterError(
                f"With {self.advance} advancing from tables of {self.table_size} there is never a"
                " final of one table; let fewer advance or seat more at a table."
            )
        sizes = [self.table_sizes(entrants)]
        while len(sizes[-1]) > 1:
            through = sum(min(size, self.advance) for size in sizes[-1])
            sizes.append(self.table_sizes(through))
        return sizes


def draw(names: Sequence[str], sizes: Sequence[int], rng: np.random.Generator) -> list[list[str]]:
    """Seat the entrants by lot."""
    order = [names[i] for i in rng.permutation(len(names))]
    tables, start = [], 0
    for size in sizes:
        tables.append(order[start : start + size])
        start += size
    return tables


@dataclass(frozen=True)
class Placing:
    """One entrant's result at one table."""

    rank: int
    name: str
    games: int
    wins: int
    pushes: int
    losses: int
    busts: int
    forfeits: int
    score: int
    low: float  # 95% interval of the probability to win a round
    high: float
    advanced: bool
    note: str = ""


@dataclass
class Comparison:
    """Counts of a table's rounds from which its players are compared."""

    players: int
    rounds: int = 0
    row_sum: int = 0
    row_square_sum: int = 0
    better: list[list[int]] = field(default_factory=list)
    """better[a][b]: rounds that a won and b did not."""

    def __post_init__(self) -> None:
        self.better = self.better or [[0] * self.players for _ in range(self.players)]

    def add(self, results: Sequence[str]) -> None:
        """One round's results, seat by seat."""
        won = [seat for seat, word in enumerate(results) if word == "WIN"]
        self.rounds += 1
        self.row_sum += len(won)
        self.row_square_sum += len(won) ** 2
        if 0 < len(won) < self.players:
            rest = [seat for seat in range(self.players) if seat not in won]
            for a in won:
                row = self.better[a]
                for b in rest:
                    row[b] += 1

    def all_equal(self, wins: Sequence[int]) -> float:
        """The probability of wins this far apart if all were equally good (Cochran's Q)."""
        k, total = self.players, sum(wins)
        below = k * self.row_sum - self.row_square_sum
        if below == 0:
            return 1.0
        q = (k - 1) * (k * sum(w * w for w in wins) - total**2) / below
        return chi_square_tail(q, k - 1)

    def two_equal(self, first: int, second: int) -> float:
        """The same for two players, from the rounds that only one of them won (McNemar)."""
        more, less = self.better[first][second], self.better[second][first]
        if more + less == 0:
            return 1.0
        return math.erfc(abs(more - less) / math.sqrt(2 * (more + less)))

    def rounds_to_separate(self, first: int, second: int) -> int | None:
        """Rounds after which a difference like this one would no longer pass for luck."""
        more, less = self.better[first][second], self.better[second][first]
        if more <= less:
            return None
        return math.ceil(self.rounds * (Z95**2) * (more + less) / (more - less) ** 2)


def chi_square_tail(x: float, freedom: int) -> float:
    """The probability that a chi-square variable with `freedom` degrees of freedom exceeds `x`.

    A finite sum of positive terms (Abramowitz and Stegun 26.4.4 and 26.4.5).
    """
    half, a = x / 2, freedom % 2 / 2
    if half <= 0:
        return 1.0
    tail = math.erfc(math.sqrt(half)) if a else 0.0
    while a < freedom / 2:
        tail += math.exp(a * math.log(half) - half - math.lgamma(a + 1))
        a += 1
    return min(tail, 1.0)


def wilson_interval(wins: int, games: int) -> tuple[float, float]:
    """The 95% interval of a probability from `wins` in `games`."""
    if games == 0:
        return 0.0, 1.0
    share, z2 = wins / games, Z95**2
    middle = (share + z2 / (2 * games)) / (1 + z2 / games)
    spread = share * (1 - share) / games + z2 / (4 * games**2)
    half = Z95 * math.sqrt(spread) / (1 + z2 / games)
    return max(0.0, middle - half), min(1.0, middle + half)


def rank(
    seats: Sequence[Seat], rank_by: str, advance: int, rng: np.random.Generator
) -> list[Placing]:
    """The placings of a table: by wins or score, then by the other, then by lot.

    A player that was folded out ranks behind all others and never advances.
    """
    first, second = ("wins", "score") if rank_by == "wins" else ("score", "wins")
    lots = {id(seat): lot for seat, lot in zip(seats, rng.permutation(len(seats)), strict=True)}

    def merit(seat: Seat) -> tuple[bool, int, int]:
        return (not seat.out, getattr(seat, first), getattr(seat, second))

    order = sorted(seats, key=lambda seat: (*merit(seat), lots[id(seat)]), reverse=True)
    placings = []
    for rank, seat in enumerate(order):
        tied = [other.name for other in order if other is not seat and merit(other) == merit(seat)]
        note = f"folded out: {seat.out}" if seat.out else ""
        if tied and not note:
            note = f"tied with {', '.join(tied)} on wins and score; placed by lot"
        low, high = wilson_interval(seat.wins, seat.rounds)
        figures: dict[str, Any] = {**seat.tally(), "score": seat.score, "low": low, "high": high}
        figures["advanced"] = rank < advance and not seat.out
        placings.append(Placing(rank + 1, seat.name, seat.rounds, **figures, note=note))
    return placings


@dataclass(frozen=True)
class StageTable:
    """One table's outcome."""

    stage: int
    table: int  # Both counted from 1, tables on through the stages
    placings: list[Placing]
    all_equal: float  # Probability of wins this far apart among equals
    verdict: str


def bye(stage: int, table: int, name: str, *, final: bool) -> StageTable:
    """The table of an entrant without an opponent."""
    note = "nobody else was left" if final else "a bye"
    placing = Placing(1, name, 0, 0, 0, 0, 0, 0, 0, *wilson_interval(0, 0), True, note)
    said = "No final was played, since nobody else was left." if final else ""
    return StageTable(stage, table, [placing], 1.0, said)


@dataclass(frozen=True)
class TournamentResult:
    """A tournament and its tables."""

    name: str
    seed: int
    started: str
    format: TournamentFormat
    tables: list[StageTable]
    withdrawn: list[str]  # Who left between two stages

    @property
    def final(self) -> StageTable:
        return self.tables[-1]

    @property
    def champion(self) -> str:
        """The winner; empty while no table was played."""
        return self.final.placings[0].name if self.tables else ""

    def as_dict(self) -> dict[str, Any]:
        verdict = self.final.verdict if self.tables else ""
        return {**asdict(self), "champion": self.champion, "verdict": verdict}


def verdict(placings: Sequence[Placing], seats: Sequence[Seat], comparison: Comparison) -> str:
    """One honest sentence on whether the first place was skill."""
    names = [seat.name for seat in seats]
    first, second = (names.index(placing.name) for placing in placings[:2])
    equal = comparison.two_equal(first, second)
    leader, next_one = placings[0].name, placings[1].name
    if (placings[0].wins, placings[0].score) == (placings[1].wins, placings[1].score):
        return f"{leader} and {next_one} are level; the first place was drawn by lot."
    if equal < LUCK:
        return (
            f"{leader} is better than {next_one}: between equals a lead like this comes up"
            f" in {equal:.2%} of matches."
        )
    needed = comparison.rounds_to_separate(first, second)
    more = f" If it is real, about {needed:,} rounds would show it." if needed else ""
    return (
        f"The lead of {leader} over {next_one} may well be luck: between equals one as large"
        f" comes up in {equal:.0%} of matches.{more}"
    )


def token_hash(token: str) -> str:
    """What is kept of a token; nothing of none."""
    return hashlib.sha256(token.encode()).hexdigest() if token else ""


@dataclass(frozen=True)
class Entrant:
    """Who plays."""

    name: str
    spec: str = ""  # The player of a local entrant, such as `basic`; empty for a remote program
    token: str = ""  # The hash of a remote program's token


@dataclass(frozen=True)
class Seating:
    """The tables of a stage as drawn."""

    stage: int
    final: bool
    first: int  # Number of its first table; the others follow
    tables: list[list[str]]


@dataclass
class Plan:
    """A tournament in progress."""

    name: str
    seed: int
    started: str
    format: TournamentFormat
    entrants: list[Entrant] = field(default_factory=list)
    seating: Seating | None = None  # Of the stage in play
    done: list[StageTable] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    attempt: int = 0  # How often the host was started again

    @classmethod
    def new(cls, name: str, form: TournamentFormat, seed: int | None = None) -> Plan:
        """A tournament that starts now; without a seed one is drawn."""
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return cls(name, secrets.randbits(64) if seed is None else seed, started, form)

    def result(self) -> TournamentResult:
        """What has been played so far."""
        tables = sorted(self.done, key=lambda table: table.table)
        return TournamentResult(
            self.name, self.seed, self.started, self.format, tables, self.withdrawn
        )

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Plan:
        """What as_dict gave."""
        seating = facts["seating"]
        return cls(
            str(facts["name"]),
            int(facts["seed"]),
            str(facts["started"]),
            TournamentFormat(**facts["format"]),
            [Entrant(**entrant) for entrant in facts["entrants"]],
            Seating(**seating) if seating else None,
            [
                StageTable(**{**table, "placings": [Placing(**p) for p in table["placings"]]})
                for table in facts["done"]
            ],
            [str(name) for name in facts["withdrawn"]],
            int(facts["attempt"]),
        )
