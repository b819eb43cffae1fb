"""The betting of a flop laid beside a blueprint's: who plays on how where it ends.

A node of the tree has the point of the blueprint that its line is understood as. A bet that the
blueprint does not have is the likelier of the two sizes it lies between. Where the flop's betting
ends, what follows is the blueprint's turn at that point; its chips are scaled by the real pot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.games.base import Action
from riverboat.holdem.abstraction.bets import between, pot_share
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.abstraction.translation import Trail
from riverboat.holdem.rules.actions import CALL
from riverboat.holdem.spots.spot_tree import BetAction, BettingTree, NodeKind, TreeNode

__all__ = ["FlopTree", "blueprint_chances", "lay_beside"]

FLOP, TURN = 1, 2
Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FlopTree:
    """The flop's nodes of a spot's tree, parents first."""

    tree: BettingTree
    nodes: tuple[TreeNode, ...]
    trails: dict[int, Trail]
    """By node: the real betting and how the blueprint understands it."""
    turns: dict[int, int]
    """Where the betting ends and goes on on the turn: the blueprint's first node there."""


def lay_beside(tree: BettingTree, blueprint: Blueprint, trail: Trail) -> FlopTree:
    """A spot's tree on a flop beside the blueprint's from `trail`, where the flop begins."""
    theirs = blueprint.abstract.tree
    trails, turns, nodes = {0: trail}, dict[int, int](), list[TreeNode]()
    for node in tree.nodes:
        if node.street != tree.spot.street:
            continue
        nodes.append(node)
        here = trails[node.index]
        if node.kind == NodeKind.CHANCE and node.put[0] < tree.spot.stack:
            place = None if here.over else here.position(theirs)
            if place is not None and place.on_tree and place.betting.street == TURN:
                turns[node.index] = place.node
        if node.kind != NodeKind.DECISION:
            continue
        for action, child in zip(node.actions, node.children, strict=True):
            trails[child] = here if action.letter == "F" else _after(here, action, blueprint)
    return FlopTree(tree, tuple(nodes), trails, turns)


def _after(trail: Trail, action: BetAction, blueprint: Blueprint) -> Trail:
    """The likelier reading of an action; one that does not end the abstract hand is preferred."""
    if trail.over:
        return trail
    readings = trail.readings(blueprint.abstract.tree, _token(trail, action))
    below, best, found = 0.0, (False, 0.0), readings[0][1]
    for bound, after in readings:
        rank = bool(after.now.queue), bound - below
        below = bound
        if rank > best:
            best, found = rank, after
    return found


def _token(trail: Trail, action: BetAction) -> Action:
    """A spot's action in the real betting."""
    allowed = trail.real.raise_range()
    if action.letter in "XC" or allowed is None:
        return CALL
    most = allowed[1] if action.letter == "A" else action.chips
    return f"r{min(max(round(most), allowed[0]), allowed[1])}"


def blueprint_chances(
    flop: FlopTree, node: TreeNode, blueprint: Blueprint, board: tuple[int, ...]
) -> Doubles:
    """(actions, 1326) how the blueprint plays at a node of the tree, with every hand.

    A size that the tree does not have counts as those it lies between, in parts.
    """
    theirs, trail = blueprint.abstract.tree, flop.trails[node.index]
    letters = [action.letter for action in node.actions]
    passive = next(i for i, letter in enumerate(letters) if letter in "XC")
    if trail.over or not trail.position(theirs).on_tree or trail.now.street != FLOP:
        found = np.zeros((len(letters), 1326))
        found[passive] = 1.0
        return found
    chances = blueprint.at(trail.node, blueprint.whole_board(board, FLOP)).T
    found = np.zeros((len(letters), chances.shape[1]))
    bets = [i for i, letter in enumerate(letters) if letter in "BRA"]
    shares = [pot_share(trail.real, round(node.actions[i].chips)) for i in bets]
    most = trail.now.raise_range()
    for row, amount in zip(chances, theirs.actions(trail.node).tolist(), strict=True):
        if amount < 0:
            found[letters.index("F") if "F" in letters else passive] += row
        elif amount == 0 or not bets:
            found[passive] += row
        elif letters[-1] == "A" and most is not None and amount == most[1]:
            found[-1] += row
        else:
            low, high, part = between(shares, pot_share(trail.now, amount))
            found[bets[low]] += part * row
            found[bets[high]] += (1 - part) * row
    return found
