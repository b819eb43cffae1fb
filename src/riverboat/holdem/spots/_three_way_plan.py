"""The tree of three players as their kernels follow it: part by part, for each learner.

The tree is cut into **parts**: the nodes of one street below one root, the first node of the street
on its betting line. A learner's plan lists the nodes of each part, parents first, without what
follows a fold of the learner: their hand is over there, whatever the others do.

Values count chips won from a node on; what the learner pays is taken off where they pay it. So an
end needs no term for what was put in before, and a fold is worth nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots._side_pots import raked_pots
from riverboat.holdem.spots.tree import NodeKind, SpotTree, TreeNode
from riverboat.runtime.array_types import F32, I64

OWN, OTHER, CHANCE, END = 0, 1, 2, 3
"""What a node is to the learner: their decision, an opponent's, a card, or the end."""
SEATS = (0, 1, 2)


class LearnerPlan(NamedTuple):
    """The parts of the tree as one learner passes through them; K parts, M nodes, L children.

    Opponent 0 is the next player in order, opponent 1 the one after. Slots are places in scratch,
    counted anew in each part: of values (slot 0 holds zeros, slot 1 the root's values) and of each
    opponent's reach (slot 0 is the root's).
    """

    first: I64  # (K + 1,) where the nodes of each part begin
    kind: I64  # (M,)
    seat: I64  # (M,) of OTHER the opponent, 0 or 1
    num_actions: I64  # (M,)
    row: I64  # (M,) the first of the rows on a board, in the storage of the player who acts
    slot: I64  # (M,) of values
    reach: I64  # (2, M) slots of both opponents' reach
    link: I64  # (M,) where the children begin
    child_slot: I64  # (L,) of values
    child_reach: I64  # (L,) of OTHER the slot of the opponent's reach after the action
    child_paid: F32  # (L,) of OWN the chips paid for the action
    pays: I64  # (M,) 1 where some action of the learner costs chips
    below: I64  # (M,) of CHANCE the part that follows
    pots: F32
    """(M, 4) of END the chips that the learner contends for with both, with opponent 0 alone, with
    opponent 1 alone, and with nobody."""
    node: I64  # (M,) the node's index in the tree


@dataclass(frozen=True, eq=False)
class PlanSizes:
    """The most slots that a part needs, by street counted from the first one of the spot."""

    values: tuple[int, ...]
    reach: tuple[tuple[int, int], ...]


def opponents(learner: int) -> tuple[int, int]:
    """The two others, in order of action after the learner."""
    return (learner + 1) % 3, (learner + 2) % 3


def learner_plans(tree: SpotTree) -> tuple[tuple[LearnerPlan, PlanSizes], ...]:
    """The plan of each learner."""
    return tuple(_PlanMaker(tree, seat).make() for seat in SEATS)


class _PlanMaker:
    """Collects the arrays of a learner's plan."""

    def __init__(self, tree: SpotTree, learner: int) -> None:
        self.learner, self.tree, self.spot = learner, tree, tree.spot
        self.parts = {root.index: k for k, root in enumerate(tree.roots)}
        self.lists: dict[str, list[float]] = {
            name: [] for name in LearnerPlan._fields if name not in ("first", "reach", "pots")
        }
        self.reach: list[tuple[int, int]] = []
        self.pots: list[list[float]] = []
        streets = Street.RIVER + 1 - tree.spot.street
        self.most_values, self.most_reach = [2] * streets, [[1, 1] for _ in range(streets)]

    def make(self) -> tuple[LearnerPlan, PlanSizes]:
        first = [0]
        for root in self.tree.roots:
            self._part(root)
            first.append(len(self.reach))
        lists = self.lists
        plan = LearnerPlan(
            first=np.array(first, np.int64),
            reach=np.ascontiguousarray(np.array(self.reach, np.int64).reshape(-1, 2).T),
            pots=np.array(self.pots, np.float32).reshape(-1, 4),
            child_paid=np.array(lists.pop("child_paid"), np.float32),
            **{name: np.array(values, np.int64) for name, values in lists.items()},
        )
        sizes = PlanSizes(
            tuple(self.most_values), tuple((one, two) for one, two in self.most_reach)
        )
        return plan, sizes

    def _part(self, root: TreeNode) -> None:
        if self.learner in root.folded:
            # The part is never entered: it is below a fold of the learner.
            return
        street = root.street - self.spot.street
        self.values, self.used = 2, [1, 1]
        waiting = [(root, 1, (0, 0))]
        while waiting:
            node, slot, reach = waiting.pop()
            waiting += reversed(self._node(node, slot, reach))
        self.most_values[street] = max(self.most_values[street], self.values)
        for which in (0, 1):
            self.most_reach[street][which] = max(self.most_reach[street][which], self.used[which])

    def _node(
        self, node: TreeNode, slot: int, reach: tuple[int, int]
    ) -> list[tuple[TreeNode, int, tuple[int, int]]]:
        """List a node; what is listed after it."""
        lists, others = self.lists, opponents(self.learner)
        own = node.kind == NodeKind.DECISION and node.player == self.learner
        kinds = {NodeKind.CHANCE: CHANCE, NodeKind.FOLD: END, NodeKind.SHOWDOWN: END}
        kind = kinds.get(node.kind, OWN if own else OTHER)
        row, below, seat, pays = 0, -1, -1, 0
        pots = [0.0] * 4
        lists["link"].append(len(lists["child_slot"]))
        after = []
        if kind == CHANCE:
            below = self.parts[node.children[0]]
        elif kind == END:
            pots = self._pots(node)
        else:
            row = self.tree.node_rows[node.index]
            seat = -1 if own else others.index(node.player)
            for action, child in zip(node.actions, node.children, strict=True):
                target = self.tree.nodes[child]
                paid = action.total - node.put[self.learner] if own else 0.0
                out = own and action.letter == "F"
                value_slot, seen = 0, list(reach)
                if not out:
                    value_slot = self.values
                    self.values += 1
                    if not own:
                        seen[seat] = self.used[seat]
                        self.used[seat] += 1
                    after.append((target, value_slot, (seen[0], seen[1])))
                lists["child_slot"].append(value_slot)
                lists["child_reach"].append(0 if own else seen[seat])
                lists["child_paid"].append(0.0 if out else paid)
                pays |= int(own and not out and paid > 0)
        values = (kind, seat, len(node.actions), row, slot, pays, below, node.index)
        names = ("kind", "seat", "num_actions", "row", "slot", "pays", "below", "node")
        for name, value in zip(names, values, strict=True):
            lists[name].append(value)
        self.reach.append(reach)
        self.pots.append(pots)
        return after

    def _pots(self, node: TreeNode) -> list[float]:
        pots, back = raked_pots(self.spot, node.put, node.folded)
        one, two = opponents(self.learner)
        # An uncalled bet is returned: it is won from no opponent.
        chips = [0.0, 0.0, 0.0, back[self.learner]]
        for pot in pots:
            if self.learner in pot.contenders:
                which = {(True, True): 0, (True, False): 1, (False, True): 2, (False, False): 3}
                chips[which[one in pot.contenders, two in pot.contenders]] += pot.chips
        return chips
