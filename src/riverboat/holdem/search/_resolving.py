"""Solve a street again during play: the re-solving gadget, its bound, and a warm start.

*The gadget* (`spots.first_choice`): before the street the opponent looks at their hand and either
takes what they had, the bound, or plays on. A strategy that keeps every hand at or below its bound
gives nothing away, whatever the opponent really holds. If that were all, any such strategy would
do, and the opponent's range would not be used; so a small part of it must play on. Were it all of
it, nothing would be bounded: that is unsafe solving.

*The bound* is what the blueprint leaves to its opponent: the best response, hand by hand. The
blueprint's tree from the street on is laid out as a spot, its probabilities are written in as a
solver's averages, and one pass plays the best response over all cards to come.

*The warm start*: after an off-tree bet the new tree contains the old one, with the same hands,
ranges and cards. Regrets of nodes that both have are taken over as after WARM_ITERATIONS
iterations, so that the discounts treat them as an early part of this solve; averages and new
actions begin at zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from riverboat.cards.combos import NUM_COMBOS
from riverboat.cards.ranges import Range
from riverboat.errors import RiverboatError
from riverboat.holdem.blueprints.betting_tree import ACTOR, END, NODE_WIDTH, BettingTree
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.translation import Trail
from riverboat.holdem.search._range_tracking import StreetStart
from riverboat.holdem.spots.bet_sizes import TreeOptions
from riverboat.holdem.spots.first_choice import FirstChoice
from riverboat.holdem.spots.layout import Layout, open_layout
from riverboat.holdem.spots.locks import PlacedLock
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.storage import STEPS, PlayerStorage
from riverboat.holdem.spots.tree import BetAction, NodeKind, SpotTree, TreeNode
from riverboat.holdem.spots.two_way_passes import PassRunner
from riverboat.runtime.array_types import F64
from riverboat.solvers.algorithms import BEST

FORCED = 0.05  # Part of the opponent's range that must play on
WARM_ITERATIONS = 16  # Iterations that a warm start counts as; there an average begins anew
NUMBERS_PER_SECOND = 65_000_000
"""A tree with more for each second of the budget has no bound: finding it takes a third of that."""
MAX_NUMBERS = 400_000_000  # Nor has one with more: it would take half a gigabyte


class LearnedRegrets(NamedTuple):
    """What a later solve of the same street starts from."""

    regrets: tuple[PlayerStorage, PlayerStorage]
    choice: F64 | None  # Regrets of the opponent's choice to play on


def bounded_solver(
    layout: Layout, opponent: int, bound: F64 | None, *, forced: float = FORCED, **options: Any
) -> SpotSolver:
    """A solver in which `opponent` may take `bound` (1326,), in chips of the pot, instead.

    Without a bound it is the plain solver. `options` are those of `make_solver`.
    """
    choice = None if bound is None else FirstChoice.at_root(layout, opponent, bound, forced)
    return make_solver(layout, choice=choice, **options)


def solution_of(solver: SpotSolver) -> SolvedSpot:
    """The averages, with what a later solve of the street may start from."""
    first, second = solver.regrets
    choice = solver.passes.choice
    return SolvedSpot(
        solver.layout,
        solver.averages,
        {"iterations": solver.iterations, "device": solver.device_name},
        learned=LearnedRegrets((first, second), None if choice is None else choice.regrets),
    )


def held_nodes(
    layout: Layout, before: SolvedSpot, player: int, lines: Iterable[str]
) -> list[PlacedLock]:
    """A player's decisions after some lines of the first street, as an earlier solve has them.

    Both trees begin at the same point with the same ranges and have these lines in common.
    """
    locks = []
    width, num_hands = layout.widths[player], len(layout.combos[player])
    mask = np.zeros(width, np.float32)
    mask[:num_hands] = 1.0
    for line in lines:
        old, new = before.tree.nodes[0], layout.tree.nodes[0]
        for word in filter(None, line.split("-")):
            old = before.tree.nodes[old.children[_labels(old).index(word)]]
            new = layout.tree.nodes[new.children[_labels(new).index(word)]]
        rows = np.zeros((len(new.actions), width), np.float32)
        places = [_labels(new).index(label) for label in _labels(old)]
        rows[places, :num_hands] = before.strategy(old, 0)
        locks.append(PlacedLock(player, layout.start(new, 0), mask, rows))
    return locks


def amount_of_action(action: BetAction) -> float:
    """A spot's action as a blueprint writes it: chips to raise to, 0 a call, −1 a fold."""
    return {"F": -1.0, "X": 0.0, "C": 0.0}.get(action.letter, action.chips)


def _labels(node: TreeNode) -> list[str]:
    return [action.label for action in node.actions]


def shared_nodes(old: SpotTree, new: SpotTree) -> list[tuple[TreeNode, TreeNode]]:
    """The decisions that both trees have, on all streets."""
    pairs, waiting = [], [(old.nodes[0], new.nodes[0])]
    while waiting:
        first, second = waiting.pop()
        if first.kind != second.kind:
            continue
        if first.kind == NodeKind.CHANCE:
            waiting.append((old.nodes[first.children[0]], new.nodes[second.children[0]]))
        if first.kind != NodeKind.DECISION:
            continue
        pairs.append((first, second))
        labels = _labels(second)
        for action, child in zip(first.actions, first.children, strict=True):
            if action.label in labels:
                after = second.children[labels.index(action.label)]
                waiting.append((old.nodes[child], new.nodes[after]))
    return pairs


def start_from(solver: SpotSolver, before: SolvedSpot) -> bool:
    """Take over the regrets of a solution; whether it has enough of them."""
    learned = before.learned
    if not isinstance(learned, LearnedRegrets) or before.info["iterations"] < WARM_ITERATIONS:
        return False
    old, new = before.layout, solver.layout
    if old.widths != new.widths or old.boards.num_boards != new.boards.num_boards:
        return False
    if solver.int16 or learned.regrets[0].values.dtype != np.float32:
        return False
    for first, second in shared_nodes(old.tree, new.tree):
        player, street = first.player, first.street - old.spot.street
        labels = _labels(second)
        theirs = [i for i, action in enumerate(first.actions) if action.label in labels]
        ours = [labels.index(first.actions[i].label) for i in theirs]
        source = _rows(old, learned.regrets[player], street, player)
        target = _rows(new, solver.regrets[player], street, player)
        here, there = new.tree.node_rows[second.index], old.tree.node_rows[first.index]
        for i, k in zip(theirs, ours, strict=True):
            target[:, here + k] = source[:, there + i]
    solver.begin_at(WARM_ITERATIONS, solver.regrets, solver.averages)
    if solver.passes.choice is not None and learned.choice is not None:
        solver.passes.choice.regrets = learned.choice.copy()
    return True


def _rows(
    layout: Layout, numbers: PlayerStorage, street: int, player: int
) -> np.ndarray[tuple[int, int, int], np.dtype[np.float32]]:
    """(boards, rows, width) of a street's numbers."""
    start, numbers_per_board = layout.places[street, player].tolist()
    boards, width = layout.boards.num_boards[street], layout.widths[player]
    part = numbers.values[start : start + boards * numbers_per_board]
    return np.asarray(part).reshape(boards, numbers_per_board // width, width)


def blueprint_bound(
    blueprint: Blueprint, start: StreetStart, trail: Trail, opponent: int, seconds: float = 3.0
) -> F64 | None:
    """(1326,) chips that each hand of the opponent wins at most from the blueprint from here on.

    In chips of the real pot. None where the blueprint has no such point, or one too large for a
    budget of `seconds`.
    """
    laid = blueprint_spot(blueprint, start, trail)
    most = min(MAX_NUMBERS, seconds * NUMBERS_PER_SECOND)
    if laid is None or laid[0].elements(0) + laid[0].elements(1) > most:
        return None
    layout, nodes = laid
    ours = 1 - opponent
    # Of the opponent's numbers none is ever touched, so they take no memory.
    averages = layout.storage(ours, int16=True)
    write_blueprint(blueprint, layout, nodes, ours, averages)
    idle = layout.storage(opponent, int16=True)
    values = PassRunner(layout).values(opponent, BEST, averages, idle, idle)
    combos, met = layout.combos[opponent], layout.meetings[opponent]
    bound = np.full(NUM_COMBOS, np.nan)
    per_hand = values[: len(combos)].astype(np.float64) / np.where(met > 0, met, np.nan)
    bound[combos] = (per_hand + layout.spot.pot / 2) * (start.pot / layout.spot.pot)
    return bound


def blueprint_spot(
    blueprint: Blueprint, start: StreetStart, trail: Trail
) -> tuple[Layout, dict[int, int]] | None:
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
        layout = open_layout(spot, isomorphism=False)
    except RiverboatError:
        return None
    return layout, _same_nodes(tree, trail.node, layout)


def _lines(tree: BettingTree, root: int, stack: int) -> list[str]:
    """Every line with a bet in the tree below a street's first node."""
    lines = []
    # Node, words so far, whose chips on this street, chips each put in on streets before.
    waiting: list[tuple[int, tuple[str, ...], tuple[int, int], int]] = [(root, (), (0, 0), 0)]
    while waiting:
        node, words, chips, base = waiting.pop()
        actor = int(tree.nodes[NODE_WIDTH * node + ACTOR])
        if actor == END:
            continue
        faced = chips[1 - actor]
        for i, amount in enumerate(tree.actions(node).tolist()):
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
            waiting.append((tree.child(node, i), (*words, word), after, new))
    return lines


def _same_nodes(tree: BettingTree, root: int, layout: Layout) -> dict[int, int]:
    """Decision node of the spot → the blueprint's."""
    same: dict[int, int] = {}
    waiting = [(layout.tree.nodes[0], root)]
    while waiting:
        node, theirs = waiting.pop()
        if node.kind == NodeKind.CHANCE:
            waiting.append((layout.tree.nodes[node.children[0]], theirs))
        if node.kind != NodeKind.DECISION:
            continue
        same[node.index] = theirs
        for child, action in zip(node.children, _places(tree, node, theirs), strict=True):
            waiting.append((layout.tree.nodes[child], tree.child(theirs, action)))
    return same


def _places(tree: BettingTree, node: TreeNode, theirs: int) -> list[int]:
    """The index of each action of a spot's node among the blueprint's actions."""
    amounts = tree.actions(theirs).tolist()
    return [amounts.index(round(amount_of_action(action))) for action in node.actions]


def write_blueprint(
    blueprint: Blueprint,
    layout: Layout,
    nodes: dict[int, int],
    player: int,
    averages: PlayerStorage,
) -> None:
    """A player's probabilities of the blueprint at every node and board of a spot.

    16-bit storage gets them in parts of STEPS, which is finer than the blueprint's own.
    """
    short = averages.values.dtype == np.int16
    if short:
        averages.scales[...] = 1.0 / STEPS
    combos = layout.combos[player]
    width, first = layout.widths[player], layout.spot.street
    tree = blueprint.abstract.tree
    for street, level in enumerate(layout.boards.levels):
        name = first + street
        every = np.arange(blueprint.abstract.buckets.num_buckets[name], dtype=np.uint32)
        by_bucket = {}
        for index, theirs in nodes.items():
            node = layout.tree.nodes[index]
            if node.street - first == street and node.player == player:
                table = blueprint.at(theirs, every)[:, _places(tree, node, theirs)]
                parts = np.rint(table.T * STEPS) if short else table.T
                by_bucket[layout.tree.node_rows[index]] = parts.astype(averages.values.dtype)
        start, numbers_per_board = layout.places[street, player].tolist()
        for board, dealt in enumerate(level.cards[:, :street].tolist()):
            buckets = blueprint.whole_board((*layout.spot.board, *dealt), name)[combos]
            for row, chances in by_bucket.items():
                at = start + board * numbers_per_board + row * width
                rows = averages.values[at : at + len(chances) * width].reshape(-1, width)
                np.take(chances, buckets, axis=1, out=rows[:, : len(combos)], mode="clip")
