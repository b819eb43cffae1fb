"""A spot solved so that the opponent gets no more than before: the re-solving gadget.

Burch, Johanson and Bowling, "Solving imperfect information games using decomposition" (AAAI 2014):
before the street the opponent looks at his hand and either takes what he had, `bound`, or plays
on. A strategy that keeps every hand at or below its bound then gives nothing away, whatever he
really holds. Where that is all that is asked for, any such strategy will do, and the range he is
thought to have is not used. So, as a departure, he must play on with a small part of that range:

    weight of his hand = forced · range + (1 − forced) · even · P(plays on)

`even` gives all hands the same weight, with the range's sum. By what the bound is broken is then at
most forced / (1 − forced) of what is gained against the range. With forced = 1 nothing is bounded:
that is unsafe solving.

A street solved again begins with what was learned when it was solved before.

After a bet that the tree did not have, the new tree has the old one in it, with the same hands,
ranges and cards. Regrets of nodes that both have are taken over, as after LEARNED iterations: the
discounts then treat them as an early part of this solve. The average begins anew. Actions and nodes
that the old tree did not have begin at zero.

It depends on the hand alone: the solve before is that of the player's own decision before.

A street solved with all that follows it, of which little is kept.

Kept are the street's own averages and values, and what a player's hands are worth where the next
street begins. A cursor may be dealt a card and tell that, but not go on from there.

What a blueprint leaves to its opponent: the best response, hand by hand, from a street on.

The blueprint's own tree from there on is laid out as a spot, its probabilities are written in as a
solver's averages, and one pass of the spot solver plays the best response over all cards to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import NUM_COMBOS
from riverboat.cards.ranges import Range
from riverboat.errors import RiverboatError
from riverboat.holdem.blueprints.betting_tree import ACTOR, END, NODE_WIDTH, BettingTree
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.translation import Trail
from riverboat.holdem.search.range_tracking import StreetStart
from riverboat.holdem.spots.engine.geometry import STEPS, PlayerStorage, SpotGeometry, open_geometry
from riverboat.holdem.spots.engine.passes import PassRunner
from riverboat.holdem.spots.engine.solver import BEST, LEARN, SpotSolver, discounts
from riverboat.holdem.spots.engine.tree import NodeKind, SpotTree, TreeNode
from riverboat.holdem.spots.locks import PlacedLock
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot, TreeOptions

__all__ = [
    "FORCED",
    "LEARNED",
    "BoundedSolver",
    "LearnedSpot",
    "StreetOutline",
    "blueprint_bound",
    "blueprint_spot",
    "gadget_weights",
    "held_nodes",
    "shared_nodes",
    "start_from",
    "write_blueprint",
]


FORCED = 0.05
Doubles = NDArray[np.float64]


class BoundedSolver(SpotSolver):
    """A solver in which `opponent` may take `bound` (1326,), in chips of the pot, instead.

    Without a bound it is the plain solver. Nodes in `held` play as they are told.
    """

    def __init__(
        self,
        arena: SpotGeometry,
        opponent: int,
        bound: Doubles | None,
        *,
        forced: float = FORCED,
        held: Sequence[PlacedLock] = (),
        threads: int = 1,
    ) -> None:
        super().__init__(arena, threads=threads, held=held)
        self.bounded = bound is not None
        if bound is None:
            return
        self.opponent = opponent
        self._stop, self._forced, self._free = gadget_weights(arena, opponent, bound, forced)
        self._choice = np.zeros((2, len(self._stop)))

    @property
    def choice(self) -> Doubles | None:
        """(2, H) the opponent's regrets for playing on and for stopping; None without a bound."""
        return self._choice if self.bounded else None

    def begin_at(self, iterations: int, choice: Doubles | None) -> None:
        """Go on as after so many iterations, with regrets that were learned elsewhere."""
        self.iterations = iterations
        for player in (0, 1):
            self.enforce_locks(player)
        if self.bounded and choice is not None:
            self._choice = choice.copy()

    def step(self, num_iterations: int = 1) -> None:
        """Do some iterations; the opponent's choice at the start is learned along."""
        if not self.bounded:
            super().step(num_iterations)
            return
        hands = self.geometry.runouts.hands[self.opponent]
        before = hands.weights.copy()
        for _ in range(num_iterations):
            weights = np.array(discounts(self.iterations), np.float32)
            for learner in (0, 1):
                if learner != self.opponent:
                    reach = self._forced + self._free * self._goes_on()
                    hands.weights[: len(reach)] = reach
                values = self.pass_values(learner, LEARN, weights)
                self.enforce_locks(learner)
                if learner == self.opponent:
                    self._learn(values[: self._choice.shape[1]].astype(np.float64), weights)
            self.iterations += 1
        hands.weights[...] = before

    def _goes_on(self) -> Doubles:
        """(H,) with which probability the opponent plays on with each hand."""
        positive = np.maximum(self._choice, 0)
        total = positive.sum(axis=0)
        return np.asarray(
            np.divide(positive[0], total, where=total > 0, out=np.full(len(total), 0.5))
        )

    def _learn(self, values: Doubles, weights: NDArray[np.float32]) -> None:
        on = self._goes_on()
        mean = on * values + (1 - on) * self._stop
        old = np.where(self._choice > 0, weights[0], weights[1])
        self._choice = self._choice * old + np.stack([values, self._stop]) - mean


def gadget_weights(
    arena: SpotGeometry, opponent: int, bound: Doubles, forced: float
) -> tuple[Doubles, Doubles, Doubles]:
    """(H,) what each hand takes in chips times meetings, and its weights: forced on, and free."""
    hands, meetings = arena.runouts.unranked[opponent], arena.meetings[opponent]
    own = hands.weights[: len(hands.combos)].astype(np.float64)
    playable = meetings > 0
    even = playable * (own.sum() / max(1, int(playable.sum())))
    ours = np.nan_to_num(bound[hands.combos] - arena.spot.pot / 2)
    return ours * meetings, forced * own, (1 - forced) * even


def held_nodes(
    arena: SpotGeometry, before: SolvedSpot, player: int, lines: Iterable[str]
) -> list[PlacedLock]:
    """A player's decisions after some lines of the first street, as an earlier solve has them.

    Both trees begin at the same point with the same ranges and have these lines in common.
    """
    found = []
    width, num = arena.plan.widths[player], len(arena.runouts.unranked[player].combos)
    mask = np.zeros(width, np.float32)
    mask[:num] = 1.0
    for line in lines:
        old, new = before.tree.nodes[0], arena.tree.nodes[0]
        for word in filter(None, line.split("-")):
            old = before.tree.nodes[old.children[_labels(old).index(word)]]
            new = arena.tree.nodes[new.children[_labels(new).index(word)]]
        rows = np.zeros((len(new.actions), width), np.float32)
        places = [_labels(new).index(label) for label in _labels(old)]
        rows[places, :num] = before.strategy(old, 0)
        start = int(arena.layout[0, player, 0]) + arena.plan.node_rows[new.index] * width
        found.append(PlacedLock(player, start, len(new.actions), mask, rows))
    return found


def _labels(node: TreeNode) -> list[str]:
    return [action.label for action in node.actions]


LEARNED = 16
"""Iterations that what was learned before counts as; there an average begins anew."""


class LearnedSpot(SolvedSpot):
    """A solved spot with the regrets of both players, and of the opponent's choice to play on."""

    def __init__(self, solver: BoundedSolver, device: str = "cpu") -> None:
        info = {"iterations": solver.iterations, "device": device}
        super().__init__(solver.geometry, (solver.averages[0], solver.averages[1]), info)
        self.regrets = (solver.regrets[0], solver.regrets[1])
        self.choice = solver.choice


def shared_nodes(old: SpotTree, new: SpotTree) -> list[tuple[TreeNode, TreeNode]]:
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
    old, new = before.geometry, solver.geometry
    if old.plan.widths != new.plan.widths or old.runouts.num_boards != new.runouts.num_boards:
        return False
    if solver.int16 or before.regrets[0].values.dtype != np.float32:
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
    of: SolvedSpot | BoundedSolver, numbers: PlayerStorage, street: int, player: int
) -> np.ndarray[tuple[int, int, int], np.dtype[np.float32]]:
    """(boards, rows, width) of a street's numbers."""
    start, each = of.geometry.layout[street, player].tolist()
    boards, width = of.geometry.runouts.num_boards[street], of.geometry.plan.widths[player]
    part = numbers.values[start : start + boards * each]
    return np.asarray(part).reshape(boards, each // width, width)


Floats = NDArray[np.float32]


class StreetOutline(SolvedSpot):
    """The first street of a solved spot, and the values at the roots of the second."""

    def __init__(
        self,
        arena: SpotGeometry,
        averages: tuple[PlayerStorage, PlayerStorage],
        info: Mapping[str, Any],
        *,
        values: Mapping[str, Floats],
        roots: Mapping[int, Floats],
    ) -> None:
        # A cursor goes to the second street without solving it again.
        super().__init__(arena, averages, info, streets_kept=2, values=values)
        self.roots = dict(roots)
        """Player → (roots of the next street, its boards, P) values."""

    @property
    def numbers_beside(self) -> int:
        """How many are kept beside the averages."""
        return sum(each.size for each in self.roots.values())

    def node_values(self, street: int, board: int, player: int) -> Floats:
        """As any solved spot has them; of the next street only its roots are told."""
        if street == 0:
            return super().node_values(street, board, player)
        arena = self.geometry
        nodes, size = self.street_nodes(street), len(arena.runouts.unranked[player].combos)
        found = np.full((len(nodes), arena.plan.widths[player]), np.nan, np.float32)
        for place, root in enumerate(arena.plan.root_nodes[street]):
            factor = np.float32(arena.plan.node_values[player][root].factor)
            found[nodes.index(root), :size] = self.roots[player][place, board, :size] * factor
        return found


NUMBERS_PER_SECOND = 65_000_000
"""A tree with more for each second of the budget has no bound: finding it takes a third of that."""
MOST_NUMBERS = 400_000_000
"""Nor has one with more: it would take half a gigabyte."""


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
    averages = arena.storage(ours, int16=True)
    write_blueprint(blueprint, arena, nodes, ours, averages)
    idle = arena.storage(opponent, int16=True)
    values = PassRunner(arena).values(opponent, BEST, averages, idle, idle)
    combos, mass = arena.runouts.hands[opponent].combos, arena.meetings[opponent]
    found = np.full(NUM_COMBOS, np.nan)
    per_hand = values[: len(combos)].astype(np.float64) / np.where(mass > 0, mass, np.nan)
    found[combos] = (per_hand + arena.spot.pot / 2) * (start.pot / arena.spot.pot)
    return found


def blueprint_spot(
    blueprint: Blueprint, start: StreetStart, trail: Trail
) -> tuple[SpotGeometry, dict[int, int]] | None:
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
        arena = open_geometry(spot, isomorphism=False)
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


def _same_nodes(tree: BettingTree, root: int, arena: SpotGeometry) -> dict[int, int]:
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
    arena: SpotGeometry,
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
    combos = arena.runouts.hands[player].combos
    width, first = arena.plan.widths[player], arena.spot.street
    tree = blueprint.abstract.tree
    for street, level in enumerate(arena.runouts.levels):
        name = first + street
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
