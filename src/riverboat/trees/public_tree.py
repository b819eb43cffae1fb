"""PublicTree: public actions and public cards only; a private hand is one lane of a vector.

A game comes in as PublicShapes, a graph without cycles in which a public situation that recurs on
many paths stands once: who acts, which actions there are, where they lead, and the payoffs of
those that end the play. Players still remember the whole path, so the graph is unfolded into a
tree whose nodes each have regrets of their own; but a node is only the number of the edge by
which it is entered, and all else is looked up in its shape.

Chance after an action needs no node: an edge carries the action, the card's probability and the
label. Ends need no node either. All ends below one action are reached with the same hands, so
their payoffs are added up, weighted by their cards' probabilities, into one table a slot (a slot
is one action of one shape), shared by all nodes of that shape. A table also holds the probability
of each pair of hands, so that a game whose cards depend on each other is only different data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riverboat.drawing.html import Cell, facts_table
from riverboat.errors import TooLargeError

MEMORY_LIMIT = 8 * 2**30
"""Bytes that a tree with its regrets may take unless another limit is given."""

NODE_BYTES = 4 + 2 + 8


class Place(NamedTuple):
    """A node of the tree, its shape, and its first slot."""

    node: int
    shape: int
    slot: int


ROOT = Place(0, 0, 0)


@dataclass(frozen=True, eq=False, repr=False)
class PublicShapes:
    """H shapes, their slots (actions) and the edges between them; shape 0 is the root."""

    lanes: tuple[tuple[str, ...], tuple[str, ...]]  # Each player's private hands by name
    deal: NDArray[np.float64]
    """(L, L) the probability of each pair of hands, player 0's first; L is the larger number."""
    actor: NDArray[np.int8]  # (H,) 0, 1, or −1 for chance, which has one slot
    slot_offsets: NDArray[np.int64]  # (H + 1,) a shape's slots
    slot_labels: tuple[str, ...]  # (K,) the action's name
    slot_table: NDArray[np.int32]  # (K,) the table of payoffs of the ends below this action, or −1
    num_ends: NDArray[np.int64]  # (H,) ends that follow a shape directly
    num_hands: NDArray[np.int64]
    """(H,) hands that the acting player can hold here: the infosets of a node."""
    edge_offsets: NDArray[np.int64]  # (H + 1,) a shape's edges, in the order of its slots
    edge_slot: NDArray[np.int8]
    """(E + 1,) the action taken, counted within the shape; the last edge leads to the root."""
    edge_weight: NDArray[np.float64]  # (E + 1,) the probability of the public card that follows
    edge_child: NDArray[np.int32]
    """(E + 1,) a shape with a higher number than the one the edge leaves."""
    edge_labels: tuple[str, ...]  # (E + 1,) the public card's name, or nothing
    num_tables: int
    make_payoffs: Callable[[], NDArray[np.float64]]
    """Makes `payoffs` when they are needed: a tree that does not fit is refused without them."""

    @cached_property
    def payoffs(self) -> NDArray[np.float64]:
        """(2, T, L, L) for each player and table, other's hand by own hand, times `deal`."""
        return self.make_payoffs()

    @property
    def num_lanes(self) -> int:
        return int(self.deal.shape[0])

    @cached_property
    def num_slots(self) -> NDArray[np.int64]:
        """(H,) actions of a shape."""
        return np.diff(self.slot_offsets)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """(H,) nodes below and including one of this shape."""
        return self._sum_below(np.ones(self.actor.size, np.int64))

    @property
    def num_nodes(self) -> int:
        """Nodes that decide or deal, of the whole tree."""
        return int(self.sizes[0])

    @cached_property
    def num_public_nodes(self) -> int:
        """Nodes and ends of the whole tree."""
        return int(self._sum_below(self.num_ends + 1)[0])

    @cached_property
    def slots_below(self) -> NDArray[np.int64]:
        """(H,) slots of a node of this shape and of all below it."""
        return self._sum_below(self.num_slots)

    @property
    def num_tree_slots(self) -> int:
        """Slots of the whole tree."""
        return int(self.slots_below[0])

    @cached_property
    def num_infosets(self) -> int:
        """Infosets of the whole tree, both players'."""
        return int(self._sum_below(np.where(self.actor >= 0, self.num_hands, 0))[0])

    @cached_property
    def max_depth(self) -> int:
        """Nodes on the longest path."""
        depth = np.ones(self.actor.size, np.int64)
        for shape in range(self.actor.size - 1, -1, -1):
            below = self.edge_child[self.edge_offsets[shape] : self.edge_offsets[shape + 1]]
            if below.size:
                depth[shape] = 1 + depth[below].max()
        return int(depth[0])

    def memory(self, num_arrays: int = 2) -> int:
        """Bytes of the tree and of `num_arrays` numbers a slot and lane, before it is built."""
        numbers = self.num_tree_slots * self.num_lanes * num_arrays
        tables = 2 * self.num_tables * self.num_lanes**2
        return 8 * (numbers + tables) + NODE_BYTES * self.num_nodes

    def children(self, place: Place) -> Iterator[tuple[int, str, Place]]:
        """The action, the public card after it, and where they lead; ends are left out."""
        node, slot = place.node + 1, place.slot + int(self.num_slots[place.shape])
        first, last = self.edge_offsets[place.shape], self.edge_offsets[place.shape + 1]
        for edge in range(int(first), int(last)):
            below = int(self.edge_child[edge])
            yield int(self.edge_slot[edge]), self.edge_labels[edge], Place(node, below, slot)
            node += int(self.sizes[below])
            slot += int(self.slots_below[below])

    def child(self, place: Place, action: int, label: str) -> Place | None:
        """Where an action and the public card after it lead; None for an end or a wrong card."""
        for slot, card, below in self.children(place):
            if slot == action and card == label:
                return below
        return None

    def find(self, path: Sequence[tuple[int, str]]) -> Place | None:
        """The place after a path of (action, public card) steps from the root."""
        place: Place | None = ROOT
        for action, label in path:
            if place is None:
                break
            place = self.child(place, action, label)
        return place

    def nodes(self) -> Iterator[tuple[Place, tuple[str, ...]]]:
        """Every node that decides or deals, parents first, with the moves (`s`, `h7`) to it."""
        stack: list[tuple[Place, tuple[str, ...]]] = [(ROOT, ())]
        while stack:
            place, path = stack.pop()
            yield place, path
            actions = self.actions(place.shape)
            below = [
                (child, (*path, actions[slot] + label))
                for slot, label, child in self.children(place)
            ]
            stack.extend(reversed(below))

    def actions(self, shape: int) -> tuple[str, ...]:
        """The names of a shape's actions."""
        return self.slot_labels[self.slot_offsets[shape] : self.slot_offsets[shape + 1]]

    def __repr__(self) -> str:
        return f"<PublicShapes {self._sizes()}, {self.actor.size:,} shapes>"

    def _repr_html_(self) -> str:
        facts: list[tuple[str, Cell]] = [
            ("public nodes, ends included", self.num_public_nodes),
            ("nodes that decide or deal", self.num_nodes),
            ("shapes they share", self.actor.size),
            ("hands", self.num_lanes),
            ("infosets", self.num_infosets),
            ("bytes with two numbers per action and hand", self.memory()),
        ]
        return facts_table("Public tree", facts)

    def _sizes(self) -> str:
        return (
            f"{self.num_public_nodes:,} public nodes × {self.num_lanes} hands,"
            f" {self.num_infosets:,} infosets"
        )

    def _sum_below(self, own: NDArray[np.int64]) -> NDArray[np.int64]:
        """(H,) the sum of `own` over the subtree of each shape."""
        total = own.astype(np.int64)
        for shape in range(self.actor.size - 1, -1, -1):
            below = self.edge_child[self.edge_offsets[shape] : self.edge_offsets[shape + 1]]
            total[shape] += total[below].sum()
        return total


@dataclass(frozen=True, eq=False, repr=False)
class PublicTree:
    """The shapes unfolded: N nodes depth-first, a subtree in one piece."""

    shapes: PublicShapes
    node_edge: NDArray[np.int32]
    """(N,) the edge by which a node is entered; `edge_child` of it is the node's shape."""
    node_depth: NDArray[np.int16]  # (N,) nodes above it
    node_slot: NDArray[np.int64]  # (N + 1,) first slot

    @property
    def num_nodes(self) -> int:
        return int(self.node_edge.size)

    @property
    def num_slots(self) -> int:
        return int(self.node_slot[-1])

    def __repr__(self) -> str:
        return f"<PublicTree {self.shapes._sizes()}>"

    def _repr_html_(self) -> str:
        return self.shapes._repr_html_()


def build_public_tree(
    shapes: PublicShapes, *, num_arrays: int = 2, memory_limit: int = MEMORY_LIMIT
) -> PublicTree:
    """The tree; TooLargeError where it and `num_arrays` numbers a slot and lane do not fit."""
    from riverboat.trees._public_kernels import unfold

    check_memory(shapes, num_arrays, memory_limit)
    node_edge = np.empty(shapes.num_nodes, np.int32)
    node_depth = np.empty(shapes.num_nodes, np.int16)
    node_slot = np.empty(shapes.num_nodes + 1, np.int64)
    unfold(
        shapes.edge_offsets,
        shapes.edge_child,
        shapes.num_slots,
        shapes.max_depth,
        node_edge,
        node_depth,
        node_slot,
    )
    return PublicTree(shapes, node_edge, node_depth, node_slot)


def load_kernels() -> None:
    """Have the kernel compiled or read from its cache, which is no part of building a tree."""
    from riverboat.trees._public_kernels import unfold

    unfold(
        np.zeros(2, np.int64),
        np.zeros(1, np.int32),
        np.ones(1, np.int64),
        1,
        np.empty(1, np.int32),
        np.empty(1, np.int16),
        np.empty(2, np.int64),
    )


def check_memory(shapes: PublicShapes, num_arrays: int, memory_limit: int) -> None:
    """Refuse a tree that does not fit, before anything is allocated."""
    needed = shapes.memory(num_arrays)
    if needed > memory_limit:
        raise TooLargeError(
            f"The public tree has {shapes.num_public_nodes:,} nodes and takes"
            f" {needed / 2**30:,.1f} GiB, above the limit of {memory_limit / 2**30:,.1f} GiB;"
            " choose a smaller game (for the duel: fewer max_hits) or a higher memory limit."
        )
