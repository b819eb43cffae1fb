"""A spot made ready: betting tree, runouts, plans, sizes, and passes over all of it.

`measure(spot)` tells how large a spot is before anything is allocated. An geometry runs passes:
the learner's values against what the opponent plays by, on one thread or many. Blocks of boards of
the second street are shared out among threads, each writes its own part of the result, and parts
are added up in one order, so that any number of threads gives the same bits.

A player's regrets or averages: four-byte numbers, or two-byte ones with a scale for each row.

Of two-byte numbers a row's largest is ±32767, and the row's scale says what one step is worth;
four-byte numbers have no scales.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS
from riverboat.errors import TooLargeError
from riverboat.holdem.spots.engine.boards import BoardLevel, Runouts, build_runouts
from riverboat.holdem.spots.engine.plan import CHUNK_BYTES, SpotPlan, build_plan
from riverboat.holdem.spots.engine.tree import NodeKind, SpotTree, build_tree
from riverboat.holdem.spots.spot import Spot

__all__ = [
    "STEPS",
    "PassScratch",
    "PlayerStorage",
    "SpotGeometry",
    "SpotSize",
    "make_storage",
    "open_geometry",
]


STEPS = 32767
"""The largest two-byte number."""


class PlayerStorage(NamedTuple):
    """A player's regrets or averages."""

    values: Any
    """(elements,) float32 or int16."""
    scales: Any
    """(rows,) float32, for int16; else (1,)."""
    locked: Any = np.zeros(0, np.int64)
    """(locks,) where nodes begin that are told what to play, rising."""
    masks: Any = np.zeros(0, np.float32)
    """(locks · width,) one for hands that are told."""


def make_storage(elements: int, width: int, *, int16: bool) -> PlayerStorage:
    """All zero, for rows of `width`."""
    if int16:
        return PlayerStorage(np.zeros(elements, np.int16), np.zeros(elements // width, np.float32))
    return PlayerStorage(np.zeros(elements, np.float32), np.zeros(1, np.float32))


BLOCKS, LARGE = 16, 20_000_000
"""Blocks of boards; a spot with more numbers than LARGE has one for each board."""

Floats = NDArray[np.float32]


class SpotSize(NamedTuple):
    """How large a spot is."""

    nodes: int
    """Decision nodes over all boards that are kept."""
    infosets: int
    """Nodes times hands."""
    updates: int
    """Hand-actions that one iteration goes through, padding included."""
    float32: int
    """Bytes with four-byte numbers,"""
    int16: int
    """and with two-byte numbers and a scale for each row."""
    tables: int
    """Bytes of tables and scratch, in either case; included above."""

    def as_dict(self) -> dict[str, int]:
        return dict(self._asdict())


class PassScratch(NamedTuple):
    """What one thread works in."""

    reach: Floats
    rows: Floats
    lanes: Floats


@dataclass(frozen=True, eq=False)
class SpotGeometry:
    """A spot with its tree, boards and plans, and where each number of a player is kept."""

    spot: Spot
    tree: SpotTree
    runouts: Runouts
    plan: SpotPlan
    isomorphism: bool = True

    @property
    def num_streets(self) -> int:
        return len(self.plan.streets)

    @cached_property
    def layout(self) -> NDArray[np.int64]:
        """(3, 2, 2) by street and player: first element, elements of a board."""
        found = np.zeros((3, 2, 2), np.int64)
        for player in (0, 1):
            start = 0
            for street, boards in enumerate(self.runouts.num_boards):
                each = self.plan.rows_per_board[street][player] * self.plan.widths[player]
                found[street, player] = start, each
                start += each * boards
        return found

    def board_start(self, street: int, player: int, board: int) -> int:
        """First element of a board; `street` counts from the first one of the spot."""
        first, size = self.layout[street, player]
        return int(first + board * size)

    def storage(self, player: int, *, int16: bool = False) -> PlayerStorage:
        """Room for a player's regrets or averages."""
        return make_storage(self.elements(player), self.plan.widths[player], int16=int16)

    def elements(self, player: int, streets: int | None = None) -> int:
        """How many numbers a player's regrets have, on all streets or the first ones."""
        boards = self.runouts.num_boards[:streets]
        sizes = self.layout[: len(boards), player, 1]
        return int(sum(int(size) * count for size, count in zip(sizes, boards, strict=True)))

    @cached_property
    def size(self) -> SpotSize:
        boards, first = self.runouts.num_boards, self.spot.street
        hands = [len(self.runouts.unranked[player].combos) for player in (0, 1)]
        nodes = infosets = 0
        for node in self.tree.nodes:
            if node.kind == NodeKind.DECISION:
                nodes += boards[node.street - first]
                infosets += boards[node.street - first] * hands[node.player]
        updates = self.elements(0) + self.elements(1)
        rows = sum(self.elements(player) // self.plan.widths[player] for player in (0, 1))
        # Each hand of a river board has its place in the order and at most one group.
        ranked = boards[-1] * (8 * sum(hands) + 32)
        tables = sum(array.nbytes for hands_ in self.runouts.unranked for array in hands_) + (
            4 * (max(self.plan.reach_size) + max(self.plan.rows_size) + sum(self._gain_sizes))
        )
        tables += ranked
        return SpotSize(
            nodes, infosets, updates, 8 * updates + tables, 4 * updates + 8 * rows + tables, tables
        )

    @property
    def _gain_sizes(self) -> tuple[int, int]:
        if self.num_streets == 1:
            return 0, 0
        rows = (len(self.edges) - 1) * len(self.plan.root_nodes[1])
        return rows * self.plan.widths[0], rows * self.plan.widths[1]

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Where blocks of the second street's boards begin and end.

        A block is the least that a thread takes, and the order in which values are added up. It
        depends on the spot alone, so that any number of threads gives the same bits.
        """
        boards = self.runouts.num_boards[1]
        large = self.elements(0) + self.elements(1) > LARGE
        return np.linspace(0, boards, (boards if large else min(boards, BLOCKS)) + 1).astype(
            np.int64
        )

    def scratch(self) -> PassScratch:
        """A thread's own."""
        width = max(self.plan.widths)
        # Beyond all rows there is room for the new numbers of one node.
        most = 2 * max(len(node.actions) for node in self.tree.nodes) * width
        return PassScratch(
            np.zeros(max(self.plan.reach_size), np.float32),
            np.zeros(max(self.plan.rows_size) + most, np.float32),
            np.zeros(8 * (width + 1) + 416 + 16 * width, np.float32),
        )

    @cached_property
    def gains(self) -> tuple[Floats, Floats]:
        """For each learner the values of the second street's roots, block by block."""
        first, second = self._gain_sizes
        return np.zeros(first, np.float32), np.zeros(second, np.float32)

    def plans(self, learner: int) -> tuple[Any, ...]:
        """A learner's plans of the first street, the second, and the river."""
        found = [street[learner] for street in self.plan.streets]
        return (found[0], found[min(1, len(found) - 1)], found[-1])

    @cached_property
    def levels(self) -> tuple[BoardLevel, BoardLevel, BoardLevel]:
        """The boards of the same three."""
        found = self.runouts.levels
        return (found[0], found[min(1, len(found) - 1)], found[-1])

    @cached_property
    def meetings(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each player and hand, the weight of the opponent's hands that it can meet."""
        return self._meeting(0), self._meeting(1)

    def _meeting(self, player: int) -> NDArray[np.float64]:
        mine, theirs = self.runouts.unranked[player], self.runouts.unranked[1 - player]
        weights = np.zeros(1326)
        weights[theirs.combos] = theirs.weights[: len(theirs.combos)]
        cards = COMBO_CARDS.astype(np.int64)
        by_card = np.zeros(52)
        np.add.at(by_card, cards[:, 0], weights)
        np.add.at(by_card, cards[:, 1], weights)
        own = cards[mine.combos]
        return np.asarray(
            weights.sum() - by_card[own[:, 0]] - by_card[own[:, 1]] + weights[mine.combos]
        )

    @cached_property
    def deals(self) -> float:
        """The weight of all pairs of hands that can meet."""
        mine = self.runouts.unranked[0]
        return float(mine.weights[: len(mine.combos)].astype(np.float64) @ self.meetings[0])

    def mean(self, player: int, values: Floats) -> float:
        """A player's chips on average, from the root's values (P,); half of the pot is his."""
        mine = self.runouts.unranked[player]
        weights = mine.weights.astype(np.float64)
        return float(weights @ values.astype(np.float64)) / self.deals + self.spot.pot / 2

    def river_values(
        self,
        only: int,
        mode: int,
        numbers: tuple[tuple[PlayerStorage, PlayerStorage], tuple[PlayerStorage, PlayerStorage]],
        weights: Floats,
        scratch: PassScratch,
    ) -> Floats:
        """Passes over a spot that begins on the river: as many as `weights` (n, 3) has rows.

        For both players in turn, or `only` for one; `numbers` are each player's regrets and
        averages. The values (P,) of the last pass.
        """
        from riverboat.holdem.spots.engine.walk_kernels import play_river

        river = self.plan.streets[0]
        out = np.zeros(max(self.plan.widths), np.float32)
        play_river(
            len(weights), only, mode, (river[0], river[1]), self.runouts.levels[0],
            self.runouts.hands, numbers, weights, *scratch, out,
        )  # fmt: skip
        return out[: self.plan.widths[only]]

    def values(
        self,
        learner: int,
        mode: int,
        source: PlayerStorage,
        regrets: PlayerStorage,
        averages: PlayerStorage,
        weights: Floats,
        scratches: list[PassScratch],
        pool: ThreadPoolExecutor | None = None,
    ) -> Floats:
        """One pass for one learner: the values (P,) of his hands at the root, not normalised.

        For spots that begin before the river.
        """
        from riverboat.holdem.spots.engine.walk_kernels import close_root, play_boards

        plans, levels = self.plans(learner), self.levels
        mine, theirs = self.runouts.hands[learner], self.runouts.hands[1 - learner]
        out = np.zeros(self.plan.widths[learner], np.float32)
        arrays = (source, regrets, averages, weights)
        gains, counter = self.gains[learner], np.zeros(1, np.int64)

        def play(scratch: PassScratch) -> None:
            play_boards(
                self.num_streets, plans, levels, mine, theirs, learner, self.layout, self.edges,
                counter, mode, *arrays, *scratch, gains,
            )  # fmt: skip

        if pool is None or len(scratches) == 1:
            play(scratches[0])
        else:
            for _ in pool.map(play, scratches):
                pass
        close_root(
            plans, levels, mine, theirs, learner, self.layout, mode, *arrays, *scratches[0],
            gains, out,
        )  # fmt: skip
        return out


def open_geometry(
    spot: Spot, *, isomorphism: bool = True, chunk_bytes: int = CHUNK_BYTES
) -> SpotGeometry:
    """A spot made ready; what takes memory is allocated later."""
    tree = build_tree(spot)
    runouts = build_runouts(spot, isomorphism=isomorphism)
    plan = build_plan(tree, chunk_bytes=chunk_bytes)
    geometry = SpotGeometry(spot, tree, runouts, plan, isomorphism)
    if geometry.size.int16 > 1 << 46:
        raise TooLargeError("The spot has more nodes than any memory holds; give fewer sizes.")
    return geometry
