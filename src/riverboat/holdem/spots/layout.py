"""What a solver knows about a spot before it starts: tree, boards, hands, sizes, card removal.

A layout is data, the same for any number of players and on any device. `open_layout` makes it, and
with `memory` refuses a spot that cannot fit from a count of its betting lines, before the tree is
built. It says where the numbers of a node are kept: street by street, board by board, one row of
hands for each action of each node of the player.

What kernels read is made from it when they first ask: `plan` and `tables` by those for two players,
`plans` by those for three.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from riverboat.cards.hands import hand_cards, num_hands
from riverboat.errors import TooLargeError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots._boards import (
    BoardClasses,
    HandMaps,
    classify_boards,
    map_hands,
    padded,
    rename_hands,
)
from riverboat.holdem.spots._hand_tables import hand_tables
from riverboat.holdem.spots._meetings import meetings_with
from riverboat.holdem.spots._subset_tables import (
    SubsetHands,
    fixed_bytes,
    ranked_hands,
    subset_bytes,
    subset_hands,
)
from riverboat.holdem.spots._three_way_plan import LearnerPlan, PlanSizes, learner_plans
from riverboat.holdem.spots.plan import SpotPlan, build_plan
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.storage import PlayerStorage, make_storage
from riverboat.holdem.spots.tree import NodeKind, SpotTree, TreeNode, build_tree, count_rows
from riverboat.runtime.array_types import F32, F64, I16, I64

BLOCKS = 16  # Blocks of boards that threads take
LARGE_SPOT = 20_000_000
"""A spot with more numbers than this has one block for each board of its second street."""
MAX_BYTES = 1 << 46
COUNTED_BEYOND = 20
"""How many times the memory allowed is counted at most, to say what would fit."""


class SpotSize(NamedTuple):
    """How large a spot is, on the CPU."""

    nodes: int  # Decision nodes over all boards that are kept
    infosets: int  # Nodes times hands
    updates: int  # Hand-actions that one iteration goes through, padding included
    float32: int  # Bytes with four-byte numbers,
    int16: int  # and with two-byte numbers and a scale for each row, which only two players have
    tables: int  # Bytes of tables and scratch, in either case; included above
    fixed: int  # Those of them that fewer hands would not save

    def as_dict(self) -> dict[str, int]:
        return dict(self._asdict())


class RankedHands(NamedTuple):
    """One player's hands by strength on all river boards."""

    order: I16  # (river boards, H) weakest first, then those that the board blocks
    ranks: I16  # (river boards, H) the strengths of `order`
    num_valid: I64  # (river boards,) hands that are not blocked


@dataclass(frozen=True, eq=False)
class Layout:
    """A spot with its tree and boards, and where each number of a player is kept."""

    spot: Spot
    tree: SpotTree
    boards: BoardClasses
    isomorphism: bool = True
    chunk_bytes: int | None = None  # Scratch of some river roots together: see `build_plan`

    @property
    def num_players(self) -> int:
        return self.spot.num_players

    @property
    def num_streets(self) -> int:
        return len(self.boards.levels)

    # Hands.

    @cached_property
    def hands(self) -> tuple[I64, ...]:
        """By player the cards (H, k) of each hand, in rising order."""
        every = hand_cards(self.spot.hole_cards)
        return tuple(every[own].astype(np.int64) for own in self.combos)

    @cached_property
    def combos(self) -> tuple[I64, ...]:
        """By player the numbers (H,) of hands, those of `cards.hands`."""
        return tuple(self.spot.hands(player) for player in range(self.num_players))

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """By player P, the padded number of hands: the length of a row."""
        return tuple(padded(len(own)) for own in self.hands)

    @cached_property
    def weights(self) -> tuple[F32, ...]:
        """By player (P,) the weights of the range, zero beyond H."""
        rows = [np.zeros(width, np.float32) for width in self.widths]
        for player, row in enumerate(rows):
            row[: len(self.hands[player])] = self.spot.weights(player)
        return tuple(rows)

    @cached_property
    def maps(self) -> tuple[HandMaps, ...]:
        """By player, what renaming suits does to hands."""
        return tuple(map_hands(own, self.boards) for own in self.hands)

    def on_board(self, dealt: Sequence[int]) -> tuple[tuple[int, ...], tuple[I64, ...]]:
        """The boards on the way to some dealt cards, by street, and where hands are on the last.

        A runout may share its board with others: each player's hand is then kept at another index.
        """
        board, renamed = self.boards.find(dealt)
        indices = tuple(rename_hands(own, renamed) for own in self.hands)
        return self.boards.path(len(dealt), board), indices

    @cached_property
    def ranked(self) -> tuple[RankedHands, ...]:
        """By player the hands on every river board."""
        # Where a GPU ranks the hands, nothing here is compiled or even loaded.
        from riverboat.cards.strength import BLOCKED, board_strengths

        rivers = self.boards.levels[-1].cards.tolist()
        strengths = np.stack([board_strengths([*self.spot.board, *cards]) for cards in rivers])
        ranked = []
        for own in self.combos:
            values = strengths[:, own]
            order = np.argsort(values, axis=1, kind="stable")
            ranks = np.take_along_axis(values, order, axis=1)
            ranked.append(
                RankedHands(
                    np.ascontiguousarray(order.astype(np.int16)),
                    np.ascontiguousarray(ranks.astype(np.int16)),
                    (values != BLOCKED).sum(axis=1).astype(np.int64),
                )
            )
        return tuple(ranked)

    @cached_property
    def meetings(self) -> tuple[F64, ...]:
        """By player (H,) the weight of the others' hands that each hand can meet."""
        hole_cards = self.spot.hole_cards
        reach = np.zeros((self.num_players, num_hands(hole_cards)))
        for player, own in enumerate(self.combos):
            reach[player, own] = self.weights[player][: len(own)]
        return tuple(
            meetings_with(
                [reach[(player + k) % self.num_players] for k in range(1, self.num_players)],
                own,
                hole_cards,
            )
            for player, own in enumerate(self.combos)
        )

    @cached_property
    def deals(self) -> float:
        """The weight of all combinations of hands that can meet."""
        own = self.weights[0][: len(self.hands[0])]
        return float(own.astype(np.float64) @ self.meetings[0])

    def mean(self, player: int, values: F32) -> float:
        """A player's mean over all hands, from the root's values (P,)."""
        weights = self.weights[player].astype(np.float64)
        return float(weights @ values.astype(np.float64)) / self.deals

    def card_share(self, street: int) -> float:
        """One over the number of cards that may come after a street, given everybody's hand."""
        if street + 1 == self.num_streets:
            return 0.0
        held = self.num_players * self.spot.hole_cards
        return 1.0 / (self.spot.num_unseen - held - street)

    # Where numbers are kept. Streets count from the first one of the spot.

    @cached_property
    def places(self) -> I64:
        """(3, players, 2) by street and player: first element, elements of a board."""
        places = np.zeros((3, self.num_players, 2), np.int64)
        rows = self.tree.rows_per_board.tolist()
        for player, width in enumerate(self.widths):
            start = 0
            for street, boards in enumerate(self.boards.num_boards):
                size = rows[street][player] * width
                places[street, player] = start, size
                start += size * boards
        return places

    def board_start(self, street: int, player: int, board: int) -> int:
        """First element of a board."""
        first, size = self.places[street, player]
        return int(first + board * size)

    def start(self, node: TreeNode, board: int) -> int:
        """The first element of a decision node on a board of its street."""
        row = self.tree.node_rows[node.index] * self.widths[node.player]
        return self.board_start(node.street - self.spot.street, node.player, board) + row

    def elements(self, player: int, streets: int | None = None) -> int:
        """The size of a player's regrets, on all streets or the first ones."""
        boards = self.boards.num_boards[:streets]
        sizes = self.places[: len(boards), player, 1].tolist()
        return int(sum(size * count for size, count in zip(sizes, boards, strict=True)))

    def storage(self, player: int, *, int16: bool = False) -> PlayerStorage:
        """Room for a player's regrets or averages."""
        return make_storage(self.elements(player), self.widths[player], int16=int16)

    # How large it is.

    @cached_property
    def updates(self) -> int:
        """Hand-actions that one iteration goes through, padding included."""
        return sum(self.elements(player) for player in range(self.num_players))

    @cached_property
    def size(self) -> SpotSize:
        boards, first = self.boards.num_boards, self.spot.street
        hands = [len(own) for own in self.hands]
        nodes = infosets = 0
        for node in self.tree.nodes:
            if node.kind == NodeKind.DECISION:
                nodes += boards[node.street - first]
                infosets += boards[node.street - first] * hands[node.player]
        tables = self._tables_of_two() if self.num_players == 2 else self._tables_of_three()
        float32 = 8 * self.updates + tables
        rows = sum(self.elements(p) // width for p, width in enumerate(self.widths))
        short = 4 * self.updates + 8 * rows + tables if self.num_players == 2 else float32
        fixed = 0
        if self.subsets is not None:
            fixed = fixed_bytes(self.subsets, self.boards.num_boards[-1])
        return SpotSize(nodes, infosets, self.updates, float32, short, tables, fixed)

    def _tables_of_two(self) -> int:
        scratch = max(self.plan.reach_size) + max(self.plan.rows_size) + sum(self.gain_sizes)
        if self.subsets is not None:
            tables = sum(table.nbytes for own in self.subsets for table in own)
            return 4 * scratch + tables + subset_bytes(self.subsets, self.boards.num_boards[-1])
        hands, width = sum(len(own) for own in self.hands), sum(self.widths)
        maps = sum(array.nbytes for own in self.maps for array in own)
        # Of each hand its number, weight, cards and the opponent's same hand; then its maps.
        tables = 4 * scratch + 8 * hands + 28 * width + maps
        # Each hand of a river board has its place in the order and at most one group.
        return tables + self.boards.num_boards[-1] * (8 * hands + 32)

    def _tables_of_three(self) -> int:
        tables = self.boards.num_boards[-1] * 4 * sum(len(own) for own in self.hands)
        if self.num_streets > 1:
            # Values of each board of the second street, before they are added up.
            chances = sum(root.street == self.spot.street + 1 for root in self.tree.roots)
            tables += 4 * self.boards.num_boards[1] * chances * max(self.widths)
        return tables

    # What kernels for two and for three players read.

    @cached_property
    def plan(self) -> SpotPlan:
        """The schedules of two players."""
        return build_plan(self.tree, chunk_bytes=self.chunk_bytes)

    @cached_property
    def subsets(self) -> tuple[SubsetHands, SubsetHands] | None:
        """Of Omaha the hands of two players with the subsets of their cards, not ranked yet."""
        if self.spot.game != "omaha":
            return None
        return subset_hands(self.combos, self.weights, self.maps, self.spot.hole_cards)

    @cached_property
    def tables(self) -> Any:
        """The hands of two players on all boards: a `HandTables` each, or a `SubsetHands`."""
        if self.subsets is None:
            return hand_tables(self)
        # Numba is loaded here: a GPU ranks the hands by itself.
        from riverboat.cards.omaha import omaha_board_strengths

        rivers = self.boards.levels[-1].cards.tolist()
        boards = [[*self.spot.board, *cards] for cards in rivers]
        return ranked_hands(boards, self.subsets, omaha_board_strengths)

    @cached_property
    def plans(self) -> tuple[tuple[LearnerPlan, PlanSizes], ...]:
        """The schedules of three players, one for each learner."""
        return learner_plans(self.tree)

    @property
    def gain_sizes(self) -> tuple[int, int]:
        """For each of two learners the elements of what a pass adds up over the second street."""
        if self.num_streets == 1:
            return 0, 0
        rows = (len(self.edges) - 1) * len(self.plan.root_nodes[1])
        return rows * self.widths[0], rows * self.widths[1]

    @cached_property
    def edges(self) -> I64:
        """Where blocks of the second street's boards begin and end.

        A block is the least that a thread takes, and the order in which values are added up. It
        depends on the spot alone, so that any number of threads gives the same bits.
        """
        boards = self.boards.num_boards[1]
        blocks = boards if self.updates > LARGE_SPOT else min(boards, BLOCKS)
        return np.linspace(0, boards, blocks + 1).astype(np.int64)


def open_layout(
    spot: Spot,
    *,
    isomorphism: bool = True,
    chunk_bytes: int | None = None,
    memory: int | None = None,
) -> Layout:
    """The layout of a spot; what takes much memory is allocated later.

    Args:
        spot: The question.
        isomorphism: Keep one board for all runouts that differ by the names of suits only.
        chunk_bytes: Scratch that some river roots together may take (see `build_plan`).
        memory: Bytes allowed; a spot whose numbers alone need more, of two bytes where there are
            such, is refused before its tree is built.
    """
    boards = classify_boards(spot, isomorphism=isomorphism)
    if memory is not None:
        _refuse_if_larger(spot, boards, memory)
    layout = Layout(spot, build_tree(spot), boards, isomorphism, chunk_bytes)
    if 4 * layout.updates > MAX_BYTES:
        raise TooLargeError("The spot has more nodes than any memory holds; give fewer sizes.")
    return layout


def _refuse_if_larger(spot: Spot, boards: BoardClasses, memory: int) -> None:
    """Refuse a spot whose regrets and averages alone exceed the memory."""
    widths = np.array([padded(len(spot.hands(player))) for player in range(spot.num_players)])
    # A row has two numbers a hand: of two bytes, with two scales, or of four.
    row = 4.0 * widths + 8 if spot.num_players == 2 else 8.0 * widths
    costs = np.zeros((len(Street), spot.num_players))
    for street, count in enumerate(boards.num_boards, spot.street):
        costs[street] = count * row
    numbers = count_rows(spot, costs, COUNTED_BEYOND * memory)
    if numbers > memory:
        kind = ", even with 16-bit numbers" if spot.num_players == 2 else ""
        needed = numbers + _subset_table_bytes(spot, widths, boards.num_boards[-1])
        raise TooLargeError(
            f"The spot needs more than the {bytes_text(memory)} allowed{kind};"
            f" {what_would_fit(needed, memory)}."
        )


def _subset_table_bytes(spot: Spot, widths: I64, num_rivers: int) -> int:
    """Of Omaha the bytes of `SubsetHands.runs`, which grow with the hands as numbers do."""
    if spot.game != "omaha":
        return 0
    alike = np.array_equal(spot.hands(0), spot.hands(1))  # Both players then have one table
    hands = widths[0] if alike else widths.sum()
    return int(4 * num_rivers * hands) << spot.hole_cards


def what_would_fit(needed: float, memory: float, fixed: float = 0) -> str:
    """What to change in a spot that needs so many bytes, of which `fixed` do not shrink.

    The others grow with the number of hands, so a part of the hands fits.
    """
    percent = math.floor(95 * (memory - fixed) / (needed - fixed))
    if percent < 100 // COUNTED_BEYOND:
        return "give fewer sizes and smaller ranges"
    return f"with the same sizes about {percent} % of the hands would fit, or give fewer sizes"


def bytes_text(number: float) -> str:
    """As "1.25 GiB", "3.4 MiB" or "45.4 KiB"."""
    if number > 2**30 / 10:
        return f"{number / 2**30:.2f} GiB"
    return f"{number / 2**20:.1f} MiB" if number > 2**20 / 10 else f"{number / 2**10:.1f} KiB"
