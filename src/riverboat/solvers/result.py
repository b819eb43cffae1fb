"""SolveResult: what a solve found, for people, notebooks and programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from riverboat.evaluation.curve_plot import curve_svg
from riverboat.games.base import Game
from riverboat.notebook import Cell, facts_table
from riverboat.solvers.checkpoints import save_any_strategy
from riverboat.solvers.limits import Progress
from riverboat.solvers.solver import Solver
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.strategies.strategy import Strategy
from riverboat.trees.best_response import Evaluation

__all__ = ["SolveResult", "caveat"]

NO_GUARANTEE = (
    "CFR promises an equilibrium only for two players whose payoffs add up to a constant;"
    " here NashConv says how close this is to one."
)

AnyStrategy = TypeVar("AnyStrategy", Strategy, PublicStrategy)


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
    """Whether Ctrl-C ended it before its limit."""
    solver: Solver | None = None
    """To go on with; None after the LP."""
    trace: tuple[Progress, ...] = field(default=())
    """Exploitability after 1, 2, 3, 4, 5, 6, 8, 10, 13, 16 … iterations and at the end."""

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
        return self.evaluation.exploitability

    def save(self, path: str | Path) -> None:
        """Write the strategy, and beside it what resuming needs."""
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
            "nodes": info["nodes"],
            "infosets": info["infosets"],
            "seed": info["seed"],
            "device": info["device"],
            **({"device_note": info["device_note"]} if "device_note" in info else {}),
            "stopped": self.stopped,
            "note": info["note"],
            "trace": info["trace"],
        }

    def __repr__(self) -> str:
        value = " ".join(f"{value:+.6f}" for value in self.value)
        return (
            f"<SolveResult {self.strategy.game} by {self.algorithm}: value {value},"
            f" exploitability {self.exploitability:.2g}, {self.iterations:,} iterations"
            f" in {self.seconds:.3g} s>"
        )

    def _repr_html_(self) -> str:
        facts: list[tuple[str, Cell]] = [
            ("algorithm", f"{self.algorithm}: {self.reason}"),
            ("iterations", f"{self.iterations:,} in {self.seconds:.3g} s"),
            ("value", "  ".join(f"{value:+.6f}" for value in self.value)),
            ("exploitability", f"{self.exploitability:.3g}"),
            ("infosets", len(self.strategy)),
        ]
        note = str(self.strategy.info.get("note", ""))
        table = facts_table(f"{self.strategy.title}, solved", facts, note=note)
        if len(self.trace) < 2:
            return table
        curve = [(point.iterations, point.exploitability) for point in self.trace]
        return f"{table}<div>exploitability by iterations</div>{curve_svg(curve)}"
