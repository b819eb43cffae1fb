"""SolveResult: what a solve found; its course as a table; the regrets of a saved solve.

Comparison: several algorithms on one game, those that sample with several seeds.

    regrets = read_regrets("leduc.rb")      # None where the file holds no iterating solver
    regrets.lookup(0, "Kh|")                # {"c": 0.0, "r": 12.3}

Regrets are counterfactual: summed over the iterations, weighted by how often chance and the other
players bring the infoset about. Discounting members of the family let old ones fade, and the plus
variants hold no negative ones. Regret divided by the iterations goes to zero at an equilibrium.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from riverboat.drawing.html import Cell, facts_table, html_table, join, tag
from riverboat.drawing.svg import curve_svg
from riverboat.games.base import Action, Game
from riverboat.runtime.plugins import find
from riverboat.runtime.tables import csv_text, data_frame
from riverboat.solvers.algorithms import parse_algorithm
from riverboat.solvers.run import Progress
from riverboat.solvers.solver import Solver, read_checkpoint, save_any_strategy
from riverboat.strategies.files import read_header
from riverboat.strategies.public_strategy import PUBLIC_KIND, PublicStrategy
from riverboat.strategies.strategy import KIND, Strategy
from riverboat.trees.best_response import Evaluation
from riverboat.trees.game_tree import build_tree
from riverboat.trees.sequence_form import sequence_form

NO_GUARANTEE = (
    "CFR promises an equilibrium only for two players whose payoffs add up to a constant;"
    " here NashConv says how close this is to one."
)

AnyStrategy = TypeVar("AnyStrategy", Strategy, PublicStrategy)
COLUMNS = ("algorithm", "iterations", "seconds", "exploitability")


def caveat(game: Game) -> str:
    """What must be known to read a solution of this game; empty for most."""
    zero_sum = game.num_players == 2 and game.utility_sum is not None
    return "" if zero_sum or game.num_players == 1 else NO_GUARANTEE


@dataclass(frozen=True, repr=False)
class SolveResult(Generic[AnyStrategy]):
    """What a solve found; the facts are in the strategy's `info` too, so a file carries them."""

    strategy: AnyStrategy
    evaluation: Evaluation
    algorithm: str
    reason: str
    iterations: int
    seconds: float
    stopped: bool = False
    """Whether a stop ended it before its limit."""
    solver: Solver | None = None
    """To go on with; None after the LP."""
    trace: tuple[Progress, ...] = field(default=())
    """Exploitability after 1, 2, 3, 4, 5, 6, 8, 10, 13, 16 … iterations and at the end."""
    file: Path | None = None
    """Where it was saved; elsewhere than asked for if there was no room."""

    @property
    def value(self) -> list[float]:
        return self.evaluation.value

    @property
    def payoffs(self) -> list[float]:
        """The players' values and, where the game has one, the house's."""
        return list(self.strategy.info.get("payoffs", self.value))

    @property
    def nash_conv(self) -> float:
        return self.evaluation.nash_conv

    @property
    def exploitability(self) -> float:
        """NashConv / players."""
        return self.evaluation.exploitability

    def save(self, path: str | Path) -> None:
        """Write the strategy and the state that resuming needs."""
        if self.solver is not None:
            self.solver.save(path, self.strategy.info)
        else:
            save_any_strategy(path, self.strategy)

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program: what `riverboat solve --json` prints."""
        info = self.strategy.info
        return {
            "game": self.strategy.game,
            "parameters": dict(self.strategy.parameters),
            "algorithm": self.algorithm,
            "reason": self.reason,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "build_seconds": info["build_seconds"],
            "value": self.value,
            **({"payoffs": info["payoffs"]} if "payoffs" in info else {}),
            "best_response": self.evaluation.best_response,
            "exploitability": self.exploitability,
            "nash_conv": self.nash_conv,
            **{name: info[name] for name in ("nodes", "infosets", "seed", "device")},
            **({"device_note": info["device_note"]} if "device_note" in info else {}),
            "stopped": self.stopped,
            "note": info["note"],
            "trace": info["trace"],
        }

    def to_frame(self, *, library: str | None = None) -> Any:
        """A data frame of its trace, a row for each evaluation."""
        return data_frame(
            {name: [getattr(point, name) for point in self.trace] for name in COLUMNS}, library
        )

    def __repr__(self) -> str:
        value = " ".join(f"{value:+z.6f}" for value in self.value)
        return (
            f"<SolveResult {self.strategy.game} by {self.algorithm}: value {value},"
            f" exploitability {self.exploitability:.2g}, {self.iterations:,} iterations"
            f" in {self.seconds:.3g} s>"
        )

    def _repr_html_(self) -> str:
        facts: list[tuple[str, Cell]] = [
            ("algorithm", f"{self.algorithm}: {self.reason}"),
            ("iterations", f"{self.iterations:,} in {self.seconds:.3g} s"),
            ("value", "  ".join(f"{value:+z.6f}" for value in self.value)),
            ("exploitability", f"{self.exploitability:.3g}"),
            ("infosets", len(self.strategy)),
        ]
        note = str(self.strategy.info.get("note", ""))
        table = facts_table(f"{self.strategy.title}, solved", facts, note=note)
        if len(self.trace) < 2:
            return table
        curve = [(point.iterations, point.exploitability) for point in self.trace]
        return join(table, tag("div", "exploitability by iterations"), curve_svg(curve))


Run: TypeAlias = tuple[str, int]
"""An algorithm's text and a seed."""


@dataclass(frozen=True, repr=False)
class Comparison:
    """The runs of a comparison and what each found."""

    title: str
    runs: tuple[Run, ...]
    results: tuple[SolveResult[Any], ...]
    stopped: bool = False
    """Whether Ctrl-C ended it before all runs were done."""

    def __iter__(self) -> Iterator[SolveResult[Any]]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, run: str | Run) -> Any:
        """The results of an algorithm, or the one of (algorithm, seed)."""
        done = list(zip(self.runs, self.results, strict=True))
        results = [result for one, result in done if run in (one, one[0])]
        if not results:
            raise KeyError(run)
        return results if isinstance(run, str) else results[0]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Their names, as they were given."""
        return tuple(dict.fromkeys(name for name, _ in self.runs))

    def rows(self) -> list[tuple[str, ...]]:
        """A line for each algorithm: seeds, iterations, seconds, median, lowest and highest."""
        lines: list[tuple[str, ...]] = []
        for name in self.algorithms:
            results = self[name]
            ends = [result.exploitability for result in results]
            lines.append(
                (
                    name,
                    str(len(results)),
                    f"{median(result.iterations for result in results):,.0f}",
                    f"{median(result.seconds for result in results):.3g}",
                    f"{median(ends):.3g}",
                    f"{min(ends):.3g} to {max(ends):.3g}" if len(ends) > 1 else "",
                )
            )
        return lines

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program: those of every run."""
        done = zip(self.runs, self.results, strict=True)
        return {"runs": [{"seed": seed, **result.as_dict()} for (_, seed), result in done]}

    def to_frame(self, *, library: str | None = None) -> Any:
        """A data frame with a row for each point of each run's trace."""
        points = [
            (name, seed, point.iterations, point.seconds, point.exploitability)
            for (name, seed), result in zip(self.runs, self.results, strict=True)
            for point in result.trace
        ]
        heads = ("algorithm", "seed", "iterations", "seconds", "exploitability")
        return data_frame(
            dict(zip(heads, map(list, zip(*points, strict=True)), strict=True)), library
        )

    def plot(self, *, by: str = "iterations", title: str = "", theme: str = "light") -> Any:
        """Medians over the seeds, with bands from the lowest to the highest; needs Matplotlib."""
        draw = find("riverboat.pictures:convergence")
        return draw(self, by=by, title=title or self.title, theme=theme)

    def __repr__(self) -> str:
        ends = ", ".join(f"{row[0]} {row[4]}" for row in self.rows())
        return f"<Comparison {self.title}, {len(self)} runs, exploitability: {ends}>"

    def _repr_html_(self) -> str:
        heads = ("algorithm", "seeds", "iterations", "seconds", "exploitability", "lowest, highest")
        return html_table(heads, self.rows(), title=self.title)


def trace_csv(results: Iterable[SolveResult[Any]]) -> str:
    """A row for each point of each trace: algorithm, iterations, seconds, exploitability."""
    points = (point for result in results for point in result.trace)
    return csv_text(COLUMNS, ([getattr(point, name) for name in COLUMNS] for point in points))


@dataclass(frozen=True, eq=False)
class Regrets:
    """The regrets of a solver at the end of its work."""

    strategy: Strategy | PublicStrategy
    values: NDArray[np.float64]  # (A,) by slot of the strategy, or (S, L) on a public tree
    iterations: int

    def lookup(self, player: int, infoset: str) -> dict[Action, float]:
        """The cumulative regret of each action; empty where the infoset is not known."""
        if isinstance(self.strategy, PublicStrategy):
            located = self.strategy.public.locate(player, infoset)
            if located is None:
                return {}
            place, lane = located
            actions = self.strategy.public.shapes.actions(place.shape)
            rows = self.values[place.slot : place.slot + len(actions), lane]
            return dict(zip(actions, rows.tolist(), strict=True))
        i = self.strategy.index.get((player, infoset))
        if i is None:
            return {}
        first, last = int(self.strategy.offsets[i]), int(self.strategy.offsets[i + 1])
        here = self.values[first:last].tolist()
        return dict(zip(self.strategy.actions[first:last], here, strict=True))


def read_regrets(path: str | Path) -> Regrets | None:
    """The regrets in a file; None where an exact algorithm made it, or only its strategy is left.

    A solver that keeps no array `regrets` in its state has none to show either.
    """
    if "solver" not in read_header(path, KIND, PUBLIC_KIND):
        return None
    saved = read_checkpoint(path)
    values = saved.arrays.get("regrets")
    if values is None or "clock" not in saved.arrays:
        return None
    strategy = saved.strategy
    if isinstance(strategy, PublicStrategy):
        values = values.reshape(strategy.weights.shape)
    elif parse_algorithm(saved.algorithm).family is not None:
        values = sequence_form(build_tree(saved.game())).to_slots(values)
    return Regrets(strategy, values, int(saved.arrays["clock"][0]))
