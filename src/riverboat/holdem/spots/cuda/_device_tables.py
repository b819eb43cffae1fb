"""A spot's tables on a GPU: both players' hands on all boards, locks, and room for all numbers.

Regrets and averages lie as in the layout, street by street, board by board, a row of hands for
each action of each node, with another stride and another order of hands.

All kernels take one struct by value, a job. `FIELDS` is its only description; its text for CUDA and
its layout for NumPy come from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.locks import PlacedLock
from riverboat.runtime.array_types import I32, I64
from riverboat.runtime.cuda import GpuDevice, JobLayout, Launch, kernel_text

FIELDS: dict[str, tuple[str, ...]] = {
    # What both players have learned; averages are Kept, the source is either.
    "const void*": ("source",),
    "void*": ("averages",),
    "float*": (
        "regrets", "weights", "reach", "rows", "root_values", "scratch_reach", "scratch_rows",
    ),
    "double*": ("result",),
    "int*": ("counter", "strengths", "my_valid"),
    "u16*": ("my_starts", "my_list", "my_places"),
    "uint4*": ("records",),
    "signed char*": ("equities",),
    "const float*": (
        "table", "reach0", "reach1", "below", "child_factors", "lane_factors",
        "combination_factors", "my_weights", "their_weights", "lock_masks", "lock_values",
        "root_row", "amounts",
    ),
    "const int*": (
        "down", "up", "child_rows", "chunks", "lane_reach", "lane_values", "lane_opponent_reach",
        "combinations", "combination_rows", "opponent_reach", "chances", "roots", "parent",
        "links", "stabiliser", "canonical", "renamed", "their_renamed", "my_cards", "their_cards",
        "same", "card_starts", "card_list", "their_strengths", "their_valid", "lock_rows",
        "lock_starts", "river_roots", "down_programs", "up_programs",
    ),
    "const u64*": ("dealt", "river_bits"),
    "const long long*": ("below_starts",),
    "const u16*": ("their_starts", "their_list", "their_places"),
    "long long": ("below_stride", "scratch_reach_size", "scratch_rows_size"),
    "int": (
        "mode", "is_first", "my_width", "their_width", "my_size", "their_size", "my_list_size",
        "their_list_size", "num_boards", "num_roots", "num_below", "num_opponent_reach",
        "num_locks", "num_links", "num_planes",
        "tiles", "my_first", "my_rows", "their_first", "their_rows", "reach_first", "reach_first1",
        "reach_count", "reach_count1", "rows_count", "down_size", "up_size",
    ),
}  # fmt: skip
"""C type → names. Rows and boards are counted, not bytes; `my` is the learner, `their` the other.

A width is the stride of a player's rows, a size the number of their hands.
"""

LAYOUT = JobLayout(FIELDS)
JOB = LAYOUT.dtype
CARDS = 52
TABLE = 256  # Iterations whose discounts lie on the GPU at a time
STARTS = 168  # Numbers about the lists of cards, for each board
KERNELS = {
    ("streets.cu",): (
        "descend", "sum_opponent_reach", "add_boards", "ascend", "descend_near", "ascend_near",
        "river_any", "next_weights", "enforce", "weigh",
    ),
    ("tables.cu", "allins.cu"): (
        "rank_hands", "place_hands", "record_hands", "count_equities", "value_allins",
    ),
}  # fmt: skip
"""Files that are compiled together → their kernels. Two halves take less time than the whole."""
_OF_BOTH = (
    "size", "width", "list_size", "cards", "weights", "valid", "starts", "list", "places",
)  # fmt: skip
_OF_LEARNER = ("same", "renamed", "canonical", "strengths", "records")
Fields = dict[str, Any]
_OWN_FIELDS = {"root_rows", "chance_rows", "row_base", "near"}


def kernel_file(*names: str, defines: Mapping[str, int]) -> str:
    """The text of some .cu files of this folder, after the struct and the #defines."""
    return kernel_text(LAYOUT, "riverboat.holdem.spots.cuda", *names, defines=defines)


def stride(size: int) -> int:
    """Hands that a row has room for."""
    return -(-size // 32) * 32


def by_rank(combos: I64) -> I64:
    """Hands by the ranks of their cards, then by suits.

    Neighbours then are of similar strength and have cards in common: where threads side by side
    look something up, they meet at the same places of shared memory.
    """
    low, high = np.sort(COMBO_CARDS[combos].astype(np.int64), axis=1).T
    return np.lexsort((high % 4, low % 4, low // 4, high // 4))


def list_size_of(size: int) -> int:
    """Room for the lists of all cards: each hand twice, each card in fours, in whole words."""
    return (2 * size + 3 * CARDS + 4 + 7) & ~7


class SpotTables:
    """A spot's numbers, hands, boards and locks on a device."""

    def __init__(
        self,
        layout: Layout,
        device: GpuDevice,
        locks: Sequence[PlacedLock],
        *,
        int16: bool,
        half: bool = False,
    ) -> None:
        self.layout, self.device, self.int16, self.half = layout, device, int16, half
        self.locks = [[lock for lock in locks if lock.player == player] for player in (0, 1)]
        self.sizes = [len(layout.combos[player]) for player in (0, 1)]
        self.widths = [stride(size) for size in self.sizes]
        self.orders = [by_rank(layout.combos[player]) for player in (0, 1)]
        """For each player the hands in the order of the device, as the layout counts them."""
        self.places = [np.argsort(order) for order in self.orders]
        """And where each hand of the layout stands."""
        self.texts: dict[str, Sequence[str]] = {
            kernel_file(
                "common.cu", *files, defines={"SHORT": int(int16), "HALF": int(half)}
            ): kernels
            for files, kernels in KERNELS.items()
        }
        self._kept: list[Any] = []

    def prepare(self) -> None:
        """Take memory and make tables; kernels must be compiled."""
        device, layout = self.device, self.layout
        rows = [layout.elements(player) // layout.widths[player] for player in (0, 1)]
        sizes = [count * width for count, width in zip(rows, self.widths, strict=True)]
        learned = np.uint16 if self.half else np.float32
        self.regrets = [device.zeros(size, learned) for size in sizes]
        kind = np.uint16 if self.int16 else np.float32
        self.averages = [device.zeros(size, kind) for size in sizes]
        self.weights = device.zeros(4, np.float32)
        self.table = device.zeros(4 * TABLE, np.float32)
        self.counter = device.zeros(1, np.int32)
        self.results = device.zeros(4, np.float64)
        self.hands = [self._hand_fields(player) for player in (0, 1)]
        self.levels = [self._level_fields(street) for street in range(layout.num_streets)]
        self.locked = [self._lock_fields(player) for player in (0, 1)]
        self._make_tables()

    def _upload(self, array: Any, kind: Any = np.int32) -> Any:
        return self.device.upload(np.ascontiguousarray(array, kind))

    def _hand_fields(self, player: int) -> Fields:
        """One player's hands, and room for their tables on all river boards."""
        layout = self.layout
        size, wide = self.sizes[player], self.widths[player]
        boards, zeros = layout.boards.num_boards[-1], self.device.zeros
        order, places, theirs = self.orders[player], self.places[player], self.places[1 - player]
        cards = layout.hands[player][order].astype(np.int32)
        same = np.full(1326, -1, np.int64)
        same[layout.combos[1 - player]] = theirs
        same = same[layout.combos[player][order]]
        lists = [np.flatnonzero((cards == card).any(axis=1)) for card in range(CARDS)]
        starts = np.append(0, np.cumsum([len(hands) for hands in lists]))
        weights = np.zeros(wide, np.float32)
        weights[:size] = layout.weights[player][order]
        list_size = list_size_of(size)
        return {
            "size": size,
            "width": wide,
            "list_size": list_size,
            "cards": self._upload(cards.ravel()),
            "same": self._upload(_wide(same[None], wide)),
            "renamed": self._upload(_wide(places[layout.maps[player].renamed[:, order]], wide)),
            "canonical": self._upload(_wide(places[layout.maps[player].canonical[:, order]], wide)),
            "weights": self._upload(weights, np.float32),
            "card_starts": self._upload(starts),
            "card_list": self._upload(np.concatenate(lists)),
            "strengths": zeros(boards * wide, np.int32),
            "valid": zeros(boards, np.int32),
            "starts": zeros(boards * STARTS, np.uint16),
            "list": zeros(boards * list_size, np.uint16),
            "places": zeros(boards * wide, np.uint16),
            "records": zeros(4 * boards * wide, np.uint32),
        }

    def _level_fields(self, street: int) -> Fields:
        level = self.layout.boards.levels[street]
        dealt = np.zeros(len(level.cards), np.uint64)
        for column in level.cards.T:
            dealt |= np.uint64(1) << column.astype(np.uint64)
        spot_bits = np.uint64(sum(1 << card for card in self.layout.boards.board))
        fields: Fields = {
            "num_boards": len(level.cards),
            "stabiliser": self._upload(level.stabiliser),
            "dealt": self._upload(dealt, np.uint64),
            "river_bits": self._upload(dealt | spot_bits, np.uint64),
        }
        if street > 0:
            above = self.layout.boards.levels[street - 1]
            counts = np.diff(above.first_child)
            fields["parent"] = self._upload(np.repeat(np.arange(len(counts)), counts))
        if street + 1 < self.layout.num_streets:
            below = self.layout.boards.levels[street + 1]
            # As many cards can come on every board: what it has less than 52.
            children = np.repeat(np.arange(len(below.cards)), np.diff(below.first_member))
            fields["links"] = self._upload(np.column_stack([children, below.members]))
            fields["num_links"] = len(children) // len(level.cards)
        return fields

    def _lock_fields(self, player: int) -> Fields:
        locks, size, wide = self.locks[player], self.sizes[player], self.widths[player]
        if not locks:
            return {"num_locks": 0}
        width = self.layout.widths[player]
        masks = np.zeros((len(locks), wide), np.float32)
        order = self.orders[player]
        masks[:, :size] = np.stack([lock.mask for lock in locks])[:, order]
        starts = np.cumsum([0, *(len(lock.rows) for lock in locks)])
        values = np.zeros((int(starts[-1]), wide), np.float32)
        values[:, :size] = np.concatenate([lock.rows for lock in locks])[:, order]
        return {
            "num_locks": len(locks),
            "lock_rows": self._upload([lock.start // width for lock in locks]),
            "lock_starts": self._upload(starts),
            "lock_masks": self._upload(masks, np.float32),
            "lock_values": self._upload(values, np.float32),
        }

    def _both(self, learner: int) -> Fields:
        """The fields of both players' hands, as one learner sees them."""
        mine, theirs = self.hands[learner], self.hands[1 - learner]
        return {
            **{f"my_{name}": mine[name] for name in _OF_BOTH},
            **{f"their_{name}": theirs[name] for name in (*_OF_BOTH, "strengths", "renamed")},
            **{name: mine[name] for name in _OF_LEARNER},
            "card_starts": theirs["card_starts"],
            "card_list": theirs["card_list"],
            "regrets": self.regrets[learner],
            "averages": self.averages[learner],
            "weights": self.weights,
            "table": self.table,
            "counter": self.counter,
        }

    def _make_tables(self) -> None:
        boards = self.layout.boards.num_boards[-1]
        launches = []
        for kernel in ("rank_hands", "place_hands", "record_hands"):
            for learner in (0, 1):
                fields = {**self._both(learner), **self.levels[-1]}
                wide = self.widths[1 - learner if kernel == "record_hands" else learner]
                shared = 0 if kernel == "rank_hands" else 8 * wide
                launches.append(Launch(kernel, boards, 256, shared, self._job(fields)))
        self.device.record(launches)()

    def _job(self, fields: Mapping[str, Any]) -> Any:
        known = {name: value for name, value in fields.items() if name not in _OWN_FIELDS}
        self._kept.append(known)
        return LAYOUT.make(known, self.device.address)


def _wide(rows: NDArray[Any], width: int) -> I32:
    """Rows with room beyond their hands."""
    padded_rows = np.zeros((len(rows), width), np.int32)
    padded_rows[:, : rows.shape[1]] = rows
    return padded_rows
