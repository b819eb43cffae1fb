"""What a blueprint leaves to its opponent: the best response, hand by hand, from a street on.

The blueprint's own tree from there on is laid out as a spot, its probabilities are written in as a
solver's averages, and one pass of the spot solver plays the best response over all cards to come.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import NUM_COMBOS
from riverboat.cards.ranges import Range
from riverboat.errors import RiverboatError
from riverboat.holdem.abstraction.betting_tree import ACTOR, END, NODE_WIDTH, BettingTree
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.abstraction.translation import Trail
from riverboat.holdem.search.hand_so_far import StreetStart
from riverboat.holdem.spots.spot import Spot, TreeOptions
from riverboat.holdem.spots.spot_arena import SpotArena, open_arena
from riverboat.holdem.spots.spot_numbers import STEPS, Numbers
from riverboat.holdem.spots.spot_solver import BEST
from riverboat.holdem.spots.spot_tree import NodeKind, TreeNode

__all__ = ["blueprint_bound", "blueprint_spot", "write_blueprint"]

NUMBERS_PER_SECOND = 65_000_000
"""A tree with more for each second of the budget has no bound: finding it takes a third of that."""
MOST_NUMBERS = 400_000_000
"""Nor has one with more: it would take half a gigabyte."""
FLOP = 1
_NO_WEIGHTS = np.zeros(3, np.float32)
Doubles = NDArray[np.float64]


def blueprint_bound(
    blueprint: Blueprint, start: StreetStart, trail: Trail, opponent: int, seconds: float = 3.0
) -> Doubles | None:
    """(1326,) chips that each hand of the opponent wins at most from the blueprint from here on.

    In chips of the real pot. None where the blueprint has no such point, or one too large for a
    budget of `seconds`.
    """
    laid = blueprint_spot(blueprint, start, trail)
    most = min(MOST_NUMBERS, seconds * NUMBERS_PER_SECOND)
    if laid is None or laid[0].elements(0) + laid[0].elements(1) > most:
        return None
    arena, nodes = laid
    ours = 1 - opponent
    # Of the opponent's numbers none is ever touched, so they take no memory.
    averages = arena.numbers(ours, short=True)
    write_blueprint(blueprint, arena, nodes, ours, averages)
    idle = arena.numbers(opponent, short=True)
    if arena.num_streets == 1:
        pair = [(idle, idle), (idle, idle)]
        pair[ours] = (averages, averages)
        rows = _NO_WEIGHTS.reshape(1, 3)
        values = arena.river_values(opponent, BEST, (pair[0], pair[1]), rows, arena.scratch())
    else:
        values = arena.values(opponent, BEST, averages, idle, idle, _NO_WEIGHTS, [arena.scratch()])
    combos, mass = arena.runouts.hands[opponent].combos, arena.meetings[opponent]
    found = np.full(NUM_COMBOS, np.nan)
    per_hand = values[: len(combos)].astype(np.float64) / np.where(mass > 0, mass, np.nan)
    found[combos] = (per_hand + arena.spot.pot / 2) * (start.pot / arena.spot.pot)
    return found


def blueprint_spot(
    blueprint: Blueprint, start: StreetStart, trail: Trail
) -> tuple[SpotArena, dict[int, int]] | None:
    """The blueprint's tree from a street on as a spot, and its node at each of the spot's."""
    tree, now = blueprint.abstract.tree, trail.now
    if not trail.position(tree).on_tree or now.street != start.street or max(now.bets) > 0:
        return None
    stack = min(now.stacks)
    spot = Spot(
        board=start.board,
        pot=now.pot,
        stack=stack,
        ranges=(Range(start.weights[0]), Range(start.weights[1])),
        tree=TreeOptions(lines=tuple(_lines(tree, trail.node, stack))),
        dead=start.dead,
    )
    try:
        arena = open_arena(spot, isomorphism=False)
    except RiverboatError:
        return None
    return arena, _same_nodes(tree, trail.node, arena)


def _lines(tree: BettingTree, root: int, stack: int) -> list[str]:
    """Every line with a bet in the tree below a street's first node."""
    lines = []
    # Node, words so far, whose chips on this street, chips each put in on streets before.
    waiting: list[tuple[int, tuple[str, ...], tuple[int, int], int]] = [(root, (), (0, 0), 0)]
    while waiting:
        node, words, chips, base = waiting.pop()
        actor = _actor(tree, node)
        if actor == END:
            continue
        amounts = tree.actions(node).tolist()
        faced = chips[1 - actor]
        for i, amount in enumerate(amounts):
            child = tree.child(node, i)
            if amount < 0:
                continue
            if amount == 0:
                word = "C" if faced else "X"
                closes = faced or actor == 1
                after, new = ((0, 0), base + faced) if closes else (chips, base)
            else:
                letter = "A" if amount == stack - base else "R" if faced else "B"
                word, new = f"{letter}{amount}", base
                after = (amount, chips[1]) if actor == 0 else (chips[0], amount)
                lines.append("-".join((*words, word)))
            waiting.append((child, (*words, word), after, new))
    return lines


def _actor(tree: BettingTree, node: int) -> int:
    return int(tree.nodes[NODE_WIDTH * node + ACTOR])


def _same_nodes(tree: BettingTree, root: int, arena: SpotArena) -> dict[int, int]:
    """Decision node of the spot → the blueprint's."""
    found: dict[int, int] = {}
    waiting = [(arena.tree.nodes[0], root)]
    while waiting:
        node, theirs = waiting.pop()
        if node.kind == NodeKind.CHANCE:
            waiting.append((arena.tree.nodes[node.children[0]], theirs))
        if node.kind != NodeKind.DECISION:
            continue
        found[node.index] = theirs
        for child, place in zip(node.children, _places(tree, node, theirs), strict=True):
            waiting.append((arena.tree.nodes[child], tree.child(theirs, place)))
    return found


def _places(tree: BettingTree, node: TreeNode, theirs: int) -> list[int]:
    """Where each action of a spot's node stands among the blueprint's."""
    amounts = tree.actions(theirs).tolist()
    wanted = [
        -1 if action.letter == "F" else 0 if action.letter in "XC" else round(action.chips)
        for action in node.actions
    ]
    return [amounts.index(amount) for amount in wanted]


def write_blueprint(
    blueprint: Blueprint,
    arena: SpotArena,
    nodes: dict[int, int],
    player: int,
    averages: Numbers,
) -> None:
    """A player's probabilities of the blueprint at every node and board of a spot.

    Numbers of two bytes get them in parts of STEPS, which is finer than the blueprint's own.
    """
    short = averages.values.dtype == np.int16
    if short:
        averages.scales[...] = 1.0 / STEPS
    combos = arena.runouts.hands[player].combos
    width, first = arena.plan.widths[player], arena.spot.street
    tree = blueprint.abstract.tree
    for street, level in enumerate(arena.runouts.levels):
        name = FLOP + first + street
        every = np.arange(blueprint.abstract.buckets.num_buckets[name], dtype=np.uint32)
        by_bucket = {}
        for index, theirs in nodes.items():
            node = arena.tree.nodes[index]
            if node.street - first == street and node.player == player:
                table = blueprint.at(theirs, every)[:, _places(tree, node, theirs)]
                parts = np.rint(table.T * STEPS) if short else table.T
                by_bucket[arena.plan.node_rows[index]] = parts.astype(averages.values.dtype)
        start, each = arena.layout[street, player].tolist()
        for board, dealt in enumerate(level.cards[:, :street].tolist()):
            buckets = blueprint.whole_board((*arena.spot.board, *dealt), name)[combos]
            for row, chances in by_bucket.items():
                at = start + board * each + row * width
                rows = averages.values[at : at + len(chances) * width].reshape(-1, width)
                np.take(chances, buckets, axis=1, out=rows[:, : len(combos)], mode="clip")
