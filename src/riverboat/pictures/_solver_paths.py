"""How a solver's strategy at one infoset moves: recorded, as a path in a triangle, as regrets.

`solver_path` records it iteration by iteration. `simplex` draws strategies over three actions as
points of a triangle: a corner is an action that is always taken, and the nearer a point is to a
corner, the likelier that action. `regret_path` draws what each action would have gained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from numpy.typing import ArrayLike

from riverboat.drawing.figures import Picture, Theme, drawing
from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.games.base import Action, Game
from riverboat.games.contract import check_game
from riverboat.games.registry import make_game
from riverboat.runtime.array_types import F64
from riverboat.solvers.algorithms import parse_algorithm
from riverboat.solvers.cfr import CFRSolver
from riverboat.trees.game_tree import build_tree

MAX_ITERATIONS = 200_000  # Iterations that are recorded one by one
Start = Mapping[Action, float]
CORNERS = np.array([[0.5, 3**0.5 / 2], [0.0, 0.0], [1.0, 0.0]])
"""Where the first, second and third action are certain."""


@dataclass(frozen=True, eq=False)
class SolverPath:
    """One infoset, iteration by iteration."""

    game: Game
    algorithm: str
    player: int
    infoset: str
    actions: tuple[Action, ...]
    current: F64  # (T, A) the strategy played in each iteration
    average: F64  # (T, A) the average after each iteration: what a solver gives back
    regrets: F64  # (T, A) the sum of regrets after each iteration, as the algorithm keeps it

    @property
    def labels(self) -> tuple[str, ...]:
        """The actions in words."""
        return tuple(self.game.action_label(action) for action in self.actions)

    @property
    def title(self) -> str:
        where = f" at {self.infoset}" if self.infoset.strip("?") else ""
        return f"{self.game.title}, player {self.player + 1}{where}: {self.algorithm}"


def solver_path(
    game: str | Game = "rps",
    infoset: str = "",
    *,
    player: int = 0,
    algorithm: str = "cfr",
    iterations: int = 1000,
    start: Start | None = None,
) -> SolverPath:
    """Run a member of the CFR family and write down what one infoset does.

    Without an infoset it is the player's first. `start` is what the player does there in the first
    iteration, such as {"r": 0.8, "p": 0.1, "s": 0.1}, kept as regrets of that size; without
    it all actions begin alike.
    """
    if not 1 <= iterations <= MAX_ITERATIONS:
        raise ParameterError(f"A path has 1 to {MAX_ITERATIONS:,} iterations, not {iterations:,}.")
    rules = make_game(game) if isinstance(game, str) else game
    if not rules.small:
        raise UsageError(f"{rules.name} has no tree of its own to walk; choose a small game.")
    spec = parse_algorithm(algorithm)
    if spec.config is None or spec.sampled or spec.name == "auto":
        raise UsageError(
            f"A path is recorded of CFR and its kin (cfr, cfr+, dcfr), not {algorithm}."
        )
    check_game(rules)
    solver = CFRSolver(build_tree(rules), spec.config)
    tree = solver.tree
    mine = [i for i in range(tree.num_infosets) if tree.players[i] == player]
    if not mine:
        raise ParameterError(f"{rules.name} has no player {player + 1}.")
    names = {tree.infosets[i]: i for i in mine}
    if infoset and infoset not in names:
        raise UnknownNameError.among("infoset", infoset, names)
    number = names[infoset] if infoset else mine[0]
    slots = slice(int(tree.offsets[number]), int(tree.offsets[number + 1]))
    actions = tree.actions[slots]
    if start is not None:
        first, regrets = solver.current(), np.zeros(tree.num_slots)
        first[slots] = regrets[slots] = _start(start, actions)
        solver.behaviour[...] = solver.form.to_sequences(first)
        solver.regrets[...] = solver.form.to_sequences(regrets)
    paths = np.zeros((3, iterations, len(actions)))
    for t in range(iterations):
        paths[0, t] = solver.current()[slots]
        solver.step()
        paths[1, t] = solver.probabilities()[slots]
        paths[2, t] = solver.form.to_slots(solver.regrets)[slots]
    return SolverPath(rules, solver.algorithm, player, tree.infosets[number], actions, *paths)


def _start(start: Start, actions: tuple[Action, ...]) -> list[float]:
    chances = [float(start.get(action, 0.0)) for action in actions]
    if set(start) - set(actions) or min(chances) < 0 or abs(sum(chances) - 1) > 1e-9:
        raise ParameterError(
            f"A start gives each of {', '.join(actions)} a probability; together they make 1."
        )
    return chances


def simplex(
    path: SolverPath | ArrayLike,
    *,
    labels: tuple[str, str, str] = ("rock", "paper", "scissors"),
    title: str = "",
    theme: str = "light",
) -> Picture:
    """The path of a strategy over three actions, dark where it is late, and that of its average.

    A path is what `solver_path` records, or strategies (T, 3) row by row, which are averaged here.
    """
    if isinstance(path, SolverPath):
        if len(path.actions) != 3:
            raise UsageError(
                f"A triangle shows three actions; {path.infoset!r} has {len(path.actions)}."
            )
        current, average = path.current, path.average
        first, second, third = path.labels
        labels, title = (first, second, third), title or path.title
    else:
        current = _strategies(path)
        average = np.cumsum(current, axis=0) / np.arange(1, len(current) + 1)[:, None]
    with drawing(theme, (5.6, 5.2)) as (figure, colours):
        axes = figure.add_subplot()
        _triangle(axes, labels, colours)
        _trail(axes, current @ CORNERS, colours)
        line = average @ CORNERS
        axes.plot(*line.T, color=colours.colours[1], linewidth=2.4, label="average")
        axes.plot(*line[-1], "o", color=colours.colours[1], markersize=8, zorder=5)
        axes.plot([], [], color=colours.colours[0], label="strategy of the iteration")
        axes.set_title(title or "The strategy moves, its average settles")
        axes.legend(loc="upper right", bbox_to_anchor=(1.02, 1.0))
        shares = ", ".join(
            f"{name} {share:.3f}" for name, share in zip(labels, average[-1].tolist(), strict=True)
        )
        axes.text(0.5, -0.13, f"average after {len(current):,}: {shares}", ha="center")
        return figure


def _strategies(path: ArrayLike) -> F64:
    strategies = np.asarray(path, np.float64)
    if strategies.ndim != 2 or strategies.shape[1] != 3 or not len(strategies):
        raise ParameterError(f"A path has the shape (T, 3), not {strategies.shape}.")
    if (strategies < -1e-9).any() or (np.abs(strategies.sum(axis=1) - 1) > 1e-6).any():
        raise ParameterError("Each row of a path holds three probabilities that add up to 1.")
    return strategies


def _triangle(axes: Axes, labels: tuple[str, str, str], colours: Theme) -> None:
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set(xlim=(-0.12, 1.12), ylim=(-0.17, 1.0))
    for share in (0.25, 0.5, 0.75):
        for i in range(3):
            ends = [share * CORNERS[i] + (1 - share) * CORNERS[j] for j in range(3) if j != i]
            axes.plot(*np.array(ends).T, color=colours.faint, linewidth=0.6, alpha=0.5)
    axes.plot(*np.vstack([CORNERS, CORNERS[:1]]).T, color=colours.ink, linewidth=1.2)
    axes.plot(*CORNERS.mean(axis=0), "+", color=colours.ink, markersize=9)
    places: list[dict[str, Any]] = [
        {"xytext": (0, 6), "ha": "center", "va": "bottom"},
        {"xytext": (-4, -6), "ha": "center", "va": "top"},
        {"xytext": (4, -6), "ha": "center", "va": "top"},
    ]
    for corner, label, alignment in zip(CORNERS, labels, places, strict=True):
        axes.annotate(label, tuple(corner), textcoords="offset points", weight="bold", **alignment)


def _trail(axes: Axes, points: F64, colours: Theme) -> None:
    """The path in pieces that grow darker; a path that stays is a point."""
    axes.plot(*points[0], "o", color=colours.colours[0], markersize=5, fillstyle="none")
    pieces = np.stack([points[:-1], points[1:]], axis=1)
    if len(pieces):
        strength = np.linspace(0.15, 0.9, len(pieces))
        lines = LineCollection(
            list(pieces), colors=colours.colours[0], alpha=strength.tolist(), linewidths=1.0
        )
        axes.add_collection(lines)
    axes.plot(*points[-1], "o", color=colours.colours[0], markersize=5)


def regret_path(
    game: str | Game | SolverPath = "kuhn",
    infoset: str = "",
    *,
    player: int = 0,
    algorithm: str = "cfr",
    iterations: int = 1000,
    title: str = "",
    theme: str = "light",
) -> Picture:
    """The regret of each action by iterations above, the strategy that follows from it below.

    Regret is drawn as the algorithm keeps it, summed over the iterations. Thin lines are the
    strategy of each iteration, thick ones its average. A path that was recorded may be given
    in place of a game.
    """
    if isinstance(game, SolverPath):
        path = game
    else:
        path = solver_path(game, infoset, player=player, algorithm=algorithm, iterations=iterations)
    steps = np.arange(1, len(path.current) + 1)
    with drawing(theme, (7.0, 5.4)) as (figure, colours):
        above, below = figure.subplots(2, 1, sharex=True)
        for i, label in enumerate(path.labels):
            colour = colours.colours[i % len(colours.colours)]
            above.plot(steps, path.regrets[:, i], color=colour, label=label)
            below.plot(steps, path.current[:, i], color=colour, linewidth=0.7, alpha=0.55)
            below.plot(steps, path.average[:, i], color=colour, linewidth=2.4)
            below.annotate(
                f"{path.average[-1, i]:.3f}",
                (steps[-1], path.average[-1, i]),
                textcoords="offset points",
                xytext=(5, 0),
                va="center",
                color=colour,
                annotation_clip=False,
            )
        above.axhline(0, color=colours.faint, linewidth=0.8)
        above.set(title=title or path.title, ylabel="regret so far")
        below.set(ylabel="probability", xlabel="iterations", ylim=(-0.03, 1.03))
        below.set_xscale("log")
        for axes in (above, below):
            axes.grid(visible=True)
        above.legend()
        return figure
