"""Exact regret of the learners of twenty-one as they train: what docs/twentyone.md shows.

`python benchmarks/twentyone_convergence.py [games] [seeds] [folder for pictures]`; by default
10⁷ games and 5 seeds, about a minute and a half.
"""

from __future__ import annotations

import sys
from pathlib import Path

from riverboat import pictures
from riverboat.solvers.run import Limit
from riverboat.twentyone.learning.information import INFORMATION
from riverboat.twentyone.learning.learner import METHODS, Trainer
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.learning.regret import train


def mean_curve(
    method: str, state: str, games: int, seeds: int, objective: str = "reward"
) -> list[tuple[int, float]]:
    """Regret averaged over seeds, and a line with the last one's mean and worst."""
    curves = []
    for seed in range(seeds):
        trainer = Trainer(QTable.empty(state, objective), method=method, seed=seed)
        train(trainer, Limit(iterations=games))
        curves.append(trainer.curve)
    mean = [
        (points[0][0], sum(r for _, r in points) / seeds) for points in zip(*curves, strict=True)
    ]
    shown = "".join(f"{regret:10.1e}" for played, regret in mean if str(played)[0] == "1")
    worst = max(curve[-1][1] for curve in curves)
    print(f"{method:11} {state:12} {objective:7}{shown}   worst {worst:.1e}", flush=True)
    return mean


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    folder = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    print("mean regret a game after 1e3, 1e4, … games")
    curves = {
        (method, state): mean_curve(method, state, games, seeds)
        for state in INFORMATION
        for method in METHODS
    }
    for state in INFORMATION:
        mean_curve("on-policy", state, games, seeds, "wins")
    if folder:
        methods = {method: curves[method, "points"] for method in METHODS}
        states = {state: curves["on-policy", state] for state in INFORMATION}
        title = "Twenty-one: regret of five learners, state (points, up card)"
        pictures.save(pictures.curves(title, methods), folder / "training-methods.svg")
        title = "Twenty-one: on-policy control, three kinds of state"
        pictures.save(pictures.curves(title, states), folder / "training-states.svg")


if __name__ == "__main__":
    main()
