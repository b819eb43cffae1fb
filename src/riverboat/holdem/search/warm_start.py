"""A street solved again begins with what was learned when it was solved before.

After a bet that the tree did not have, the new tree has the old one in it, with the same hands,
ranges and cards. Regrets of nodes that both have are taken over, as after LEARNED iterations: the
discounts then treat them as an early part of this solve. The average begins anew. Actions and nodes
that the old tree did not have begin at zero.

It depends on the hand alone: the solve before is that of the player's own decision before.
"""

from __future__ import annotations

import numpy as np

from riverboat.holdem.search.bounded_solver import BoundedSolver
from riverboat.holdem.spots.solved_spot import SolvedSpot
from riverboat.holdem.spots.spot_numbers import Numbers
from riverboat.holdem.spots.spot_tree import BettingTree, NodeKind, TreeNode

__all__ = ["LEARNED", "LearnedSpot", "shared_nodes", "start_from"]

LEARNED = 16
"""Iterations that what was learned before counts as; there an average begins anew."""


class LearnedSpot(SolvedSpot):
    """A solved spot with the regrets of both players, and of the opponent's choice to play on."""

    def __init__(self, solver: BoundedSolver, device: str = "cpu") -> None:
        info = {"iterations": solver.iterations, "device": device}
        super().__init__(solver.arena, (solver.averages[0], solver.averages[1]), info)
        self.regrets = (solver.regrets[0], solver.regrets[1])
        self.choice = solver.choice


def shared_nodes(old: BettingTree, new: BettingTree) -> list[tuple[TreeNode, TreeNode]]:
    """The decisions that both trees have, on all streets."""
    found, waiting = [], [(old.nodes[0], new.nodes[0])]
    while waiting:
        first, second = waiting.pop()
        if first.kind != second.kind:
            continue
        if first.kind == NodeKind.CHANCE:
            waiting.append((old.nodes[first.children[0]], new.nodes[second.children[0]]))
        if first.kind != NodeKind.DECISION:
            continue
        found.append((first, second))
        labels = [action.label for action in second.actions]
        for action, child in zip(first.actions, first.children, strict=True):
            if action.label in labels:
                after = second.children[labels.index(action.label)]
                waiting.append((old.nodes[child], new.nodes[after]))
    return found


def start_from(solver: BoundedSolver, before: SolvedSpot) -> bool:
    """Take over what was learned before; whether there was enough of it."""
    if not isinstance(before, LearnedSpot) or before.info["iterations"] < LEARNED:
        return False
    old, new = before.arena, solver.arena
    if old.plan.widths != new.plan.widths or old.runouts.num_boards != new.runouts.num_boards:
        return False
    if solver.short or before.regrets[0].values.dtype != np.float32:
        return False
    for first, second in shared_nodes(old.tree, new.tree):
        player, street = first.player, first.street - old.spot.street
        labels = [action.label for action in second.actions]
        theirs = [i for i, action in enumerate(first.actions) if action.label in labels]
        ours = [labels.index(first.actions[i].label) for i in theirs]
        source = _rows(before, before.regrets[player], street, player)
        target = _rows(solver, solver.regrets[player], street, player)
        here, there = new.plan.node_rows[second.index], old.plan.node_rows[first.index]
        for i, k in zip(theirs, ours, strict=True):
            target[:, here + k] = source[:, there + i]
    solver.begin_at(LEARNED, before.choice)
    return True


def _rows(
    of: SolvedSpot | BoundedSolver, numbers: Numbers, street: int, player: int
) -> np.ndarray[tuple[int, int, int], np.dtype[np.float32]]:
    """(boards, rows, width) of a street's numbers."""
    start, each = of.arena.layout[street, player].tolist()
    boards, width = of.arena.runouts.num_boards[street], of.arena.plan.widths[player]
    part = numbers.values[start : start + boards * each]
    return np.asarray(part).reshape(boards, each // width, width)
