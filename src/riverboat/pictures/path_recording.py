"""What happens at one infoset while CFR learns: its strategy, the average, its regrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.games.base import Action, Game
from riverboat.games.registry import make_game
from riverboat.runtime.array_types import F64
from riverboat.solvers.algorithms import parse_algorithm
from riverboat.solvers.cfr import CFRSolver
from riverboat.trees.game_tree import build_tree

MOST = 200_000
"""Iterations that are recorded one by one."""
Start = Mapping[Action, float]


@dataclass(frozen=True, eq=False)
class SolverPath:
    """One infoset, iteration by iteration."""

    game: Game
    algorithm: str
    player: int
    infoset: str
    actions: tuple[Action, ...]
    current: F64
    """(T, A) the strategy played in each iteration."""
    average: F64
    """(T, A) the average after each iteration: what a solver gives back."""
    regrets: F64
    """(T, A) the sum of regrets after each iteration, as the algorithm keeps it."""

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
    iteration, such as {"r": 0.8, "p": 0.1, "s": 0.1}, kept as regrets of that size; otherwise he
    begins with all actions alike.
    """
    if not 1 <= iterations <= MOST:
        raise ParameterError(f"A path has 1 to {MOST:,} iterations, not {iterations:,}.")
    rules = make_game(game) if isinstance(game, str) else game
    if not rules.small:
        raise UsageError(f"{rules.name} has no tree of its own to walk; choose a small game.")
    spec = parse_algorithm(algorithm)
    if spec.config is None or spec.sampled or spec.name == "auto":
        raise UsageError(
            f"A path is recorded of CFR and its kin (cfr, cfr+, dcfr), not {algorithm}."
        )
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
    found = np.zeros((3, iterations, len(actions)))
    for t in range(iterations):
        found[0, t] = solver.current()[slots]
        solver.step()
        found[1, t] = solver.probabilities()[slots]
        found[2, t] = solver.form.to_slots(solver.regrets)[slots]
    return SolverPath(rules, solver.algorithm, player, tree.infosets[number], actions, *found)


def _start(start: Start, actions: tuple[Action, ...]) -> list[float]:
    chances = [float(start.get(action, 0.0)) for action in actions]
    if set(start) - set(actions) or min(chances) < 0 or abs(sum(chances) - 1) > 1e-9:
        raise ParameterError(
            f"A start gives each of {', '.join(actions)} a probability; together they make 1."
        )
    return chances
