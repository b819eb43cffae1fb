"""Trees of betting, grown over the rules: of spots, of the game before the flop, of blueprints.

The rules (`betting`) say who acts and what an action leads to. A **menu** says how much may be bet
or raised to at a point; each tree brings its own. `moves` are the actions that a menu leaves;
`grow_tree` goes from point to point and numbers them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from riverboat.holdem.rules.betting import Betting

Point = TypeVar("Point")
FOLDS, CALLS = -1, 0
"""What stands for a fold, and for a check or call, where a raise is the amount raised to."""


def moves(
    betting: Betting, amounts: Iterable[int], *, may_call: bool = True
) -> list[tuple[int, Betting]]:
    """The actions at a point, and the betting after each: fold, check or call, then the raises.

    `amounts` are the menu's, rising. Without `may_call` the player raises or folds.
    """
    following = [(FOLDS, betting.fold())] if betting.to_call else []
    if may_call:
        following.append((CALLS, betting.call()))
    following += [(amount, betting.raise_to(amount)) for amount in amounts]
    return following


def grow_tree(
    root: Point,
    expand: Callable[[Point], Sequence[Point]],
    *,
    max_nodes: int,
    max_depth: int | None = None,
    too_large: Callable[[], Exception],
    key: Callable[[Point], Hashable] | None = None,
) -> tuple[list[list[int]], int]:
    """Number all points, depth first, so that what is visited together lies together.

    Args:
        root: The first point, node 0.
        expand: Writes down the next node and returns the points after it in order.
        max_nodes, max_depth: Beyond these limits `too_large` is raised.
        key: Points with an equal key are one node, written down once; None stands for no other.

    Returns:
        The children of each node, and the depth of the deepest one.
    """
    children = list[list[int]]()
    known = dict[Hashable, int]()
    deepest = 0
    waiting = [(root, -1, 0)]
    while waiting:
        point, parent, depth = waiting.pop()
        same = None if key is None else key(point)
        node = None if same is None else known.get(same)
        if node is None:
            node = len(children)
            if node >= max_nodes or (max_depth is not None and depth > max_depth):
                raise too_large()
            if same is not None:
                known[same] = node
            children.append([])
            deepest = max(deepest, depth)
            for after in reversed(expand(point)):
                waiting.append((after, node, depth + 1))
        if parent >= 0:
            children[parent].append(node)
    return children, deepest
