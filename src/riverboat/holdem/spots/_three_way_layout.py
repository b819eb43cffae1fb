"""What a solver for three players knows before it starts: tree, boards, hands, plans, sizes.

The tree is cut into **parts**: the nodes of one street below one root, the first node of the street
on its betting line. A learner's plan lists the nodes of each part, parents first, without what
follows a fold of the learner: their hand is over there, whatever the others do.

Values count chips won from a node on; what the learner pays is taken off where they pay it. So an
end needs no term for what was put in before, and a fold is worth nothing.

Where the numbers of a node are kept: street by street, board by board, one row of hands for each
action of each node of the player.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from riverboat.cards.combos import COMBO_CARDS
from riverboat.errors import TooLargeError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots._boards import BoardClasses, classify_boards, padded, renamed_hands
from riverboat.holdem.spots._side_pots import raked_pots
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import NodeKind, SpotTree, TreeNode, build_tree, count_rows
from riverboat.runtime.array_types import F32, F64, I16, I64

OWN, OTHER, CHANCE, END = 0, 1, 2, 3
"""What a node is to the learner: their decision, an opponent's, a card, or the end."""


SEATS = (0, 1, 2)
NO_DISCOUNTS = np.ones(3, np.float32)


@dataclass(frozen=True, eq=False)
class Locked:
    """A player's locked nodes: where they begin, and which hands."""

    starts: I64 = field(default_factory=lambda: np.zeros(0, np.int64))
    masks: F32 = field(default_factory=lambda: np.zeros((0, 1), np.float32))  # (locks, P)


class LearnerPlan(NamedTuple):
    """The parts of the tree as one learner passes through them; K parts, M nodes, L children.

    Opponent 0 is the next player in order, opponent 1 the one after. Slots are places in scratch,
    counted anew in each part: of values (slot 0 holds zeros, slot 1 the root's values) and of each
    opponent's reach (slot 0 is the root's).
    """

    first: I64  # (K + 1,) where the nodes of each part begin
    kind: I64  # (M,)
    seat: I64  # (M,) of OTHER the opponent, 0 or 1
    num: I64  # (M,) actions
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


class RankedHands(NamedTuple):
    """One player's hands by strength on all river boards."""

    order: I16  # (river boards, H) weakest first, then those that the board blocks
    ranks: I16  # (river boards, H) the strengths of `order`
    num_valid: I64  # (river boards,) hands that are not blocked


class ThreeWaySize(NamedTuple):
    """How large a spot is."""

    nodes: int  # Decision nodes over all boards that are kept
    infosets: int  # Nodes times hands
    updates: int  # Hand-actions that one iteration goes through, padding included
    memory: int  # Bytes
    tables: int  # Bytes of tables; included above

    def as_dict(self) -> dict[str, int]:
        return dict(self._asdict())


def opponents(learner: int) -> tuple[int, int]:
    """The two others, in order of action after the learner."""
    return (learner + 1) % 3, (learner + 2) % 3


def street_roots(tree: SpotTree) -> list[TreeNode]:
    """The first node of each part: the tree's root, and what follows each card."""
    return [
        node
        for node in tree.nodes
        if node.parent < 0 or tree.nodes[node.parent].kind == NodeKind.CHANCE
    ]


class _PlanMaker:
    """Collects the arrays of a learner's plan."""

    def __init__(self, layout: ThreeWayLayout, learner: int) -> None:
        self.layout, self.learner = layout, learner
        self.tree, self.spot = layout.tree, layout.spot
        self.parts = {root.index: k for k, root in enumerate(layout.roots)}
        self.lists: dict[str, list[float]] = {
            name: [] for name in LearnerPlan._fields if name not in ("first", "reach", "pots")
        }
        self.reach: list[tuple[int, int]] = []
        self.pots: list[list[float]] = []
        streets = layout.num_streets
        self.most_values, self.most_reach = [2] * streets, [[1, 1] for _ in range(streets)]

    def make(self) -> tuple[LearnerPlan, PlanSizes]:
        first = [0]
        for root in self.layout.roots:
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
            row = self.layout.node_rows[node.index]
            seat = -1 if own else others.index(node.player)
            for action, child in zip(node.actions, node.children, strict=True):
                target = self.tree.nodes[child]
                paid = action.total - node.put[self.learner] if own else 0.0
                out = own and action.letter == "F"
                place, seen = 0, list(reach)
                if not out:
                    place = self.values
                    self.values += 1
                    if not own:
                        seen[seat] = self.used[seat]
                        self.used[seat] += 1
                    after.append((target, place, (seen[0], seen[1])))
                lists["child_slot"].append(place)
                lists["child_reach"].append(0 if own else seen[seat])
                lists["child_paid"].append(0.0 if out else paid)
                pays |= int(own and not out and paid > 0)
        values = (kind, seat, len(node.actions), row, slot, pays, below, node.index)
        names = ("kind", "seat", "num", "row", "slot", "pays", "below", "node")
        for name, value in zip(names, values, strict=True):
            lists[name].append(value)
        self.reach.append(reach)
        self.pots.append(pots)
        return after

    def _pots(self, node: TreeNode) -> list[float]:
        pots, back = raked_pots(self.spot, node.put, node.folded)
        one, two = opponents(self.learner)
        # An uncalled bet is returned: it is won from no opponent.
        found = [0.0, 0.0, 0.0, back[self.learner]]
        for pot in pots:
            if self.learner in pot.contenders:
                which = {(True, True): 0, (True, False): 1, (False, True): 2, (False, False): 3}
                found[which[one in pot.contenders, two in pot.contenders]] += pot.chips
        return found


@dataclass(frozen=True, eq=False)
class ThreeWayLayout:
    """A spot with its tree and boards, and where each number of a player is kept."""

    spot: Spot
    tree: SpotTree
    boards: BoardClasses
    isomorphism: bool = True

    @property
    def num_streets(self) -> int:
        return len(self.boards.levels)

    @cached_property
    def combos(self) -> tuple[I64, I64, I64]:
        first, second, third = (self.spot.hands(seat) for seat in SEATS)
        return first, second, third

    @cached_property
    def widths(self) -> tuple[int, int, int]:
        """The padded number of hands of each player."""
        first, second, third = (padded(len(own)) for own in self.combos)
        return first, second, third

    @cached_property
    def roots(self) -> list[TreeNode]:
        return street_roots(self.tree)

    @cached_property
    def node_rows(self) -> dict[int, int]:
        """Decision node → the first of its rows among those of its street and player."""
        return self._rows[0]

    @cached_property
    def rows_per_board(self) -> I64:
        """(streets, 3) rows of each player on one board."""
        return self._rows[1]

    @cached_property
    def _rows(self) -> tuple[dict[int, int], I64]:
        found, counts = {}, np.zeros((self.num_streets, 3), np.int64)
        for node in self.tree.nodes:
            if node.kind == NodeKind.DECISION:
                at = (node.street - self.spot.street, node.player)
                found[node.index] = int(counts[at])
                counts[at] += len(node.actions)
        return found, counts

    @cached_property
    def places(self) -> I64:
        """(streets, 3, 2) by street and player: first element, elements of a board."""
        found = np.zeros((self.num_streets, 3, 2), np.int64)
        for seat in SEATS:
            start = 0
            for street, boards in enumerate(self.boards.num_boards):
                each = int(self.rows_per_board[street, seat]) * self.widths[seat]
                found[street, seat] = start, each
                start += each * boards
        return found

    def start(self, node: TreeNode, board: int) -> int:
        """The first element of a decision node on a board of its street."""
        first, size = self.places[node.street - self.spot.street, node.player]
        row = self.node_rows[node.index]
        return int(first + board * size) + row * self.widths[node.player]

    def card_share(self, street: int) -> float:
        """One over the number of cards that may come after a street, given three hands."""
        return 1.0 / (self.spot.num_unseen - 6 - street) if street + 1 < self.num_streets else 0.0

    def elements(self, seat: int) -> int:
        """The size of a player's regrets."""
        sizes = self.places[:, seat, 1].tolist()
        return sum(s * count for s, count in zip(sizes, self.boards.num_boards, strict=True))

    @cached_property
    def plans(self) -> tuple[tuple[LearnerPlan, PlanSizes], ...]:
        """Of each learner."""
        return tuple(_PlanMaker(self, seat).make() for seat in SEATS)

    @cached_property
    def size(self) -> ThreeWaySize:
        boards, first = self.boards.num_boards, self.spot.street
        nodes = infosets = 0
        for node in self.tree.nodes:
            if node.kind == NodeKind.DECISION:
                nodes += boards[node.street - first]
                infosets += boards[node.street - first] * len(self.combos[node.player])
        updates = sum(self.elements(seat) for seat in SEATS)
        tables = boards[-1] * 4 * sum(map(len, self.combos))
        if self.num_streets > 1:
            # Values of each board of the second street, before they are added up.
            chances = sum(root.street == first + 1 for root in self.roots)
            tables += 4 * boards[1] * chances * max(self.widths)
        return ThreeWaySize(nodes, infosets, updates, 8 * updates + tables, tables)

    @cached_property
    def ranked(self) -> tuple[RankedHands, ...]:
        """Of each player the hands on every river board."""
        from riverboat.cards.strength import BLOCKED, board_strengths

        rivers = self.boards.levels[-1].cards.tolist()
        strengths = np.stack([board_strengths([*self.spot.board, *cards]) for cards in rivers])
        found = []
        for own in self.combos:
            values = strengths[:, own]
            order = np.argsort(values, axis=1, kind="stable")
            ranks = np.take_along_axis(values, order, axis=1)
            valid = (values != BLOCKED).sum(axis=1).astype(np.int64)
            found.append(
                RankedHands(
                    np.ascontiguousarray(order.astype(np.int16)),
                    np.ascontiguousarray(ranks.astype(np.int16)),
                    valid,
                )
            )
        return tuple(found)

    def hand_cards(self, seat: int) -> I64:
        """(2 P,) the low and the high card of each hand, one after the other."""
        cards = np.zeros((self.widths[seat], 2), np.int64)
        cards[: len(self.combos[seat])] = COMBO_CARDS[self.combos[seat]]
        return np.ascontiguousarray(cards.ravel())

    def hand_maps(self, seat: int) -> tuple[I64, I64]:
        """(renamings, P), (stabilisers, P) as `boards.HandTables` has them."""
        return renamed_hands(self.combos[seat], self.boards)

    def hand_weights(self, seat: int) -> F32:
        """(P,) the weights of the range."""
        weights = np.zeros(self.widths[seat], np.float32)
        weights[: len(self.combos[seat])] = self.spot.weights(seat)
        return weights

    @cached_property
    def root_meetings(self) -> tuple[F64, F64, F64]:
        """For each player and hand, the weight of all pairs of opponents' hands it can meet."""
        reach = [np.zeros(1326) for _ in SEATS]
        for seat in SEATS:
            reach[seat][self.combos[seat]] = self.spot.weights(seat)
        first, second, third = (
            pair_meetings(reach[(seat + 1) % 3], reach[(seat + 2) % 3], self.combos[seat])
            for seat in SEATS
        )
        return first, second, third

    def mean(self, seat: int, values: F32) -> float:
        """A player's mean in chips, from the root's values (P,)."""
        weights = self.spot.weights(seat)
        deals = float(weights @ self.root_meetings[seat])
        return float(weights @ values[: len(weights)].astype(np.float64)) / deals


def pair_meetings(one: F64, two: F64, combos: I64) -> F64:
    """(H,) for each combo, the weight of all pairs of two opponents' hands (1326,) it can meet.

    The formula of `contest_kernels` in float64, with matrices of cards.
    """
    cards = COMBO_CARDS.astype(np.int64)
    pairs = np.zeros((2, 52, 52))
    for matrix, weights in zip(pairs, (one, two), strict=True):
        matrix[cards[:, 0], cards[:, 1]] = weights
        matrix[cards[:, 1], cards[:, 0]] = weights
    by_card, shared = pairs.sum(axis=2), (pairs[0] * pairs[1]).sum(axis=1)
    low, high = cards[combos].T
    hands = np.arange(len(combos))
    left = by_card[:, None] - pairs[:, low] - pairs[:, high]
    left[:, hands, low] = left[:, hands, high] = 0.0
    own = pairs[:, low, high]
    totals = by_card.sum(axis=1)[:, None] / 2 - by_card[:, low] - by_card[:, high] + own
    same = shared.sum() / 2 - shared[low] - shared[high] + own[0] * own[1]
    met = totals[0] * totals[1] - (left[0] * left[1]).sum(axis=1) + same
    return np.asarray(np.maximum(met, 0.0))


def open_layout(
    spot: Spot, *, isomorphism: bool = True, memory: int | None = None
) -> ThreeWayLayout:
    """The layout of a spot; refused before anything is allocated if it exceeds the memory."""
    boards = classify_boards(spot, isomorphism=isomorphism)
    if memory is not None:
        _refuse_if_larger(spot, boards, memory)
    tree = build_tree(spot)
    layout = ThreeWayLayout(spot, tree, boards, isomorphism)
    if memory is not None and layout.size.memory > memory:
        raise TooLargeError(
            f"The spot needs {layout.size.memory / 2**30:.2f} GiB, more than the"
            f" {memory / 2**30:.2f} GiB allowed; give fewer sizes or smaller ranges."
        )
    return layout


def _refuse_if_larger(spot: Spot, boards: BoardClasses, memory: int) -> None:
    """Refuse a spot whose regrets and averages alone exceed the memory, before its tree is made."""
    costs = np.zeros((len(Street), len(SEATS)))
    for street, count in enumerate(boards.num_boards, spot.street):
        costs[street] = [8.0 * count * padded(len(spot.hands(seat))) for seat in SEATS]
    if count_rows(spot, costs, memory) > memory:
        raise TooLargeError(
            f"The spot needs more than the {memory / 2**30:.2f} GiB allowed; give fewer sizes or"
            " smaller ranges."
        )
