"""The infosets of an abstract game by name: bucket and betting, as in "17|r6c/r12".

The betting is what led there first, streets ended by "/"; with one-letter histories other ways may
lead to the same infoset. A real infoset ("AsKd|Qs8h2c|cr6c/") has two bars, an abstract one one.
"""

from __future__ import annotations

from collections.abc import Iterator

from riverboat.holdem.abstraction.betting_tree import (
    ACTOR,
    END,
    NODE_WIDTH,
    OFFSET,
    ROW,
    BettingTree,
)

__all__ = ["action_text", "decisions"]


def action_text(amount: int) -> str:
    """An action of the tree as the rules write it: "f", "c" or "r60"."""
    return {-1: "f", 0: "c"}.get(amount, f"r{amount}")


def decisions(tree: BettingTree) -> Iterator[tuple[int, int, int, str]]:
    """One node of every infoset: the node, who acts, the street, and the betting in words."""
    streets, seen, visited = tree.game.num_streets, set[tuple[int, int]](), set[int]()
    waiting = [(0, 0, "")]
    while waiting:
        node, before, text = waiting.pop()
        if node in visited:
            continue
        visited.add(node)
        actor, row, offset = (
            int(tree.nodes[NODE_WIDTH * node + place]) for place in (ACTOR, ROW, OFFSET)
        )
        if actor == END:
            continue
        street = row % streets
        text += "/" * (street - before)
        if (row, offset) not in seen:
            seen.add((row, offset))
            yield node, actor, street, text
        moves = [action_text(amount) for amount in tree.actions(node).tolist()]
        waiting += [
            (tree.child(node, i), street, text + move) for i, move in reversed([*enumerate(moves)])
        ]
