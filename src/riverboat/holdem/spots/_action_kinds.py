"""What kind an action is: fold, check, call, bet or raise, an all-in being a bet or a raise."""

from __future__ import annotations

from riverboat.holdem.spots.tree import NodeKind, SpotTree, TreeNode
from riverboat.strategies.profiles import FACING


def num_bets(tree: SpotTree, node: TreeNode) -> int:
    """The number of bets and raises on the node's street before it."""
    count = 0
    while node.parent >= 0:
        above = tree.nodes[node.parent]
        if above.kind == NodeKind.CHANCE:
            break
        count += above.actions[above.children.index(node.index)].letter in "BRA"
        node = above
    return count


def facing(tree: SpotTree, node: TreeNode) -> str:
    """What the player who acts at a node faces: one of FACING."""
    return FACING[min(num_bets(tree, node), 2)]


def action_kinds(tree: SpotTree, node: TreeNode) -> tuple[str, ...]:
    """The kind of each action of a decision node."""
    aggressive = "raise" if num_bets(tree, node) else "bet"
    plain = {"F": "fold", "X": "check", "C": "call"}
    return tuple(plain.get(action.letter, aggressive) for action in node.actions)
