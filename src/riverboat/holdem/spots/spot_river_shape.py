"""The betting tree of a river as a kernel sees it: its shape, its states, and what is met in each.

River roots whose trees have the same shape share a kernel. A state is a way the opponent can have
played; what a hand meets there is counted where there is a showdown, and follows elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from riverboat.holdem.spots.spot_tree import BettingTree, NodeKind

__all__ = ["Outline", "Shape", "masses_of", "outlined", "shape_of", "terminals_of"]

Shape = tuple[Any, ...]
"""("own" | "their", children) for who acts, ("fold", whether the learner folds), or ("end",)."""


def shape_of(tree: BettingTree, root: int, learner: int) -> Shape:
    """The tree below a river root as a learner sees it."""
    node = tree.nodes[root]
    if node.kind == NodeKind.DECISION:
        children = tuple(shape_of(tree, child, learner) for child in node.children)
        return ("own" if node.player == learner else "their", children)
    return ("fold", node.player == learner) if node.kind == NodeKind.FOLD else ("end",)


def terminals_of(tree: BettingTree, root: int) -> list[int]:
    """The ends below a river root, in the order of `shape_of`."""
    node = tree.nodes[root]
    if node.kind != NodeKind.DECISION:
        return [root]
    return [end for child in node.children for end in terminals_of(tree, child)]


@dataclass
class Outline:
    """A shape with names: states are the ways the opponent can have played, 0 at the root."""

    own_rows: int = 0
    their_rows: int = 0
    num_states: int = 1
    num_ends: int = 0
    splits: list[tuple[int, list[int], int, bool]] = field(default_factory=list)
    """His nodes: state before, states after, first row, whether the first action is a fold."""
    shown: list[int] = field(default_factory=list)
    """States with a showdown: what is met there is counted."""
    tree: Any = None


def outlined(shape: Shape) -> Outline:
    """A shape with names for its rows, states and ends."""
    found = Outline()

    def walk(part: Shape, state: int) -> Any:
        if part[0] == "own":
            row = found.own_rows
            found.own_rows += len(part[1])
            return ("own", row, [walk(child, state) for child in part[1]])
        if part[0] == "their":
            row = found.their_rows
            after = list(range(found.num_states, found.num_states + len(part[1])))
            found.their_rows += len(after)
            found.num_states += len(after)
            found.splits.append((state, after, row, part[1][0][0] == "fold"))
            below = [walk(child, to) for child, to in zip(part[1], after, strict=True)]
            return ("their", below)
        end = found.num_ends
        found.num_ends += 1
        if part[0] == "end" and state not in found.shown:
            found.shown.append(state)
        return (*part[:2], end, state) if part[0] == "fold" else ("end", end, state)

    found.tree = walk(shape, 0)
    return found


def masses_of(outline: Outline) -> dict[int, dict[int, int]]:
    """For each state what is met there as a sum of what is met where there are showdowns."""
    known: dict[int, dict[int, int]] = {state: {state: 1} for state in outline.shown}

    def add(parts: list[tuple[dict[int, int], int]]) -> dict[int, int]:
        total: dict[int, int] = {}
        for part, sign in parts:
            for state, count in part.items():
                total[state] = total.get(state, 0) + sign * count
        return {state: count for state, count in total.items() if count}

    def mass(state: int) -> dict[int, int]:
        if state not in known:
            for before, after, _, folds in outline.splits:
                if folds and state == after[0]:
                    rest = [(mass(other), -1) for other in after[1:]]
                    known[state] = add([(mass(before), 1), *rest])
                    return known[state]
            # Some node without a fold splits this state into what has showdowns.
            after = next(each[1] for each in outline.splits if each[0] == state and not each[3])
            known[state] = add([(mass(each), 1) for each in after])
        return known[state]

    for state in range(outline.num_states):
        mass(state)
    return known
