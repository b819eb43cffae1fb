"""Two players on a GPU: the schedules of a spot's streets, and the launches of a pass.

A pass for one learner goes down the streets before the river, through all rivers, and up again. Its
launches never change, so they are made once. Three things differ from the CPU's passes:

- a block before the river reads a program for its root (`_programs`), one piece of numbers that
  streets.cu keeps in shared memory;
- river trees have kernels of their own, by shape (`_rivers`);
- where both players are all in before the river there is nothing to decide, so the rivers are not
  dealt: how often each hand beats each other one is counted once, and values are products with that
  table (`_allins`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from riverboat.holdem.spots import plan as col
from riverboat.holdem.spots.cuda._allins import AllIns, allin_bytes, allin_roots
from riverboat.holdem.spots.cuda._device_tables import (
    CARDS,
    STARTS,
    Fields,
    SpotTables,
    kernel_file,
    list_size_of,
    stride,
)
from riverboat.holdem.spots.cuda._programs import down_programs, up_programs
from riverboat.holdem.spots.cuda._rivers import fill_root_tables, sort_rivers
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.locks import PlacedLock
from riverboat.holdem.spots.plan import StreetPlan
from riverboat.runtime.array_types import F32, I64
from riverboat.runtime.cuda import GpuDevice, Launch
from riverboat.solvers.algorithms import BEST, LEARN

THREADS = 128  # Of a block before the river
RIVER_THREADS = 256
NEAR = 96 * 1024  # Bytes of shared memory that a root before the river may take


class SharedScratch:
    """What passes work in, shared by spots of which one is at work at a time.

    The largest spot should take it first: one that needs more gets its own.
    """

    def __init__(self, device: GpuDevice) -> None:
        self.device = device
        self._taken: dict[tuple[str, int, int], Any] = {}

    def zeros(self, name: str, learner: int, street: int, size: int) -> Any:
        """An array of a size; it holds what other spots have left there."""
        key = (name, learner, street)
        if key not in self._taken or self._taken[key].size < size:
            self._taken[key] = self.device.zeros(size, np.float32)
        return self._taken[key][: max(1, size)]


def scratch_bytes(layout: Layout) -> int:
    """What `SharedScratch` holds for a spot."""
    total, boards = 0, layout.boards.num_boards
    for player in (0, 1):
        size, other = (len(layout.combos[who]) for who in (player, 1 - player))
        for street, plans in enumerate(layout.plan.streets):
            shape = _Shape.of(plans[player], layout.widths, player)
            held = shape.rows * stride(size) + shape.reach * stride(other)
            if street == len(boards) - 1:
                held = len(plans[player].roots) * stride(size)
            total += 4 * boards[street] * held
    return total


def device_bytes(layout: Layout, *, int16: bool, half: bool = False) -> int:
    """What a spot takes on a GPU, with averages and regrets of two bytes or four."""
    total = scratch_bytes(layout)
    boards = layout.boards.num_boards
    for player in (0, 1):
        size, other = (len(layout.combos[who]) for who in (player, 1 - player))
        wide = stride(size)
        rows = layout.elements(player) // layout.widths[player]
        total += rows * wide * ((2 if int16 else 4) + (2 if half else 4))
        total += boards[-1] * (wide * (16 + 2 + 4) + 2 * (list_size_of(size) + STARTS))
        total += allin_bytes(layout, wide, other)
    return total + (64 << 20)


class _Shape(NamedTuple):
    """The rows that one street's schedule has for a board."""

    row_base: int  # What is taken from a row's number; row 0 stays
    rows: int
    reach: int  # Rows of reach that are split here

    @classmethod
    def of(cls, plan: StreetPlan, widths: Sequence[int], learner: int) -> _Shape:
        own = widths[learner]
        parts = (
            plan.up[:, col.UP_RESULT], plan.child_rows, plan.opponent_reach[:, col.REACH_ROW],
            plan.chances[:, col.CHANCE_ROW], plan.lane_values, plan.lane_opponent_reach,
            plan.combinations[:, col.COMBINE_RESULT], plan.roots,
        )  # fmt: skip
        rows = np.concatenate(parts) // own
        rows = rows[rows > 0]
        reach = 0
        if len(plan.down):
            # The roots of a river begin at the same row, so this is no sum.
            after = plan.down[:, col.DOWN_AFTER] // widths[1 - learner]
            reach = int((after + plan.down[:, col.DOWN_ACTIONS]).max() - after.min())
        return cls(int(rows.min()) - 1, int(rows.max() - rows.min()) + 2, reach)


class SpotLaunches(SpotTables):
    """All that a spot needs on a device; without `fused` rivers have no kernels of their own."""

    def __init__(
        self,
        layout: Layout,
        device: GpuDevice,
        locks: Sequence[PlacedLock] = (),
        *,
        int16: bool,
        half: bool = False,
        fused: bool = True,
        scratch: SharedScratch | None = None,
    ) -> None:
        super().__init__(layout, device, locks, int16=int16, half=half)
        self.scratch = SharedScratch(device) if scratch is None else scratch
        limit = device.shared_limit
        self.allin_roots = allin_roots(layout) if fused else []
        self.rivers = [sort_rivers(layout, learner, limit, fused=fused) for learner in (0, 1)]
        common = kernel_file("common.cu", defines={"SHORT": int(int16), "HALF": int(half)})
        for sort in (*self.rivers[0], *self.rivers[1]):
            for kernel in (sort.learn, sort.evaluate):
                if kernel is not None:
                    self.texts[common + kernel.text] = (kernel.name,)

    def prepare(self) -> None:
        """Take memory and make tables; kernels must be compiled."""
        super().prepare()
        self.streets = [self._street_fields(learner) for learner in (0, 1)]
        for learner in (0, 1):
            fill_root_tables(self.layout, learner, self.rivers[learner], self._upload)
        self.allins = None
        if self.allin_roots:
            self.allins = [AllIns(self, who, self._upload, self._job) for who in (0, 1)]

    def _street_fields(self, learner: int) -> list[Fields]:
        """By street: a learner's schedule, where the street's numbers lie, and its scratch."""
        layout, other = self.layout, 1 - learner
        streets: list[Fields] = []
        reach_first = 0
        for street, plans in enumerate(layout.plan.streets):
            plan, shape = plans[learner], _Shape.of(plans[learner], layout.widths, learner)
            own, theirs = layout.widths[learner], layout.widths[other]
            boards = layout.boards.num_boards[street]
            reach_count = shape.reach + (street == 0)
            fields: Fields = {
                **self._both(learner),
                **self.levels[street],
                **self.locked[learner],
                **self._schedule(plan, layout.widths, learner, shape),
                "is_first": int(street == 0),
                "num_roots": len(plan.roots),
                "my_first": int(layout.places[street, learner, 0]) // own,
                "my_rows": int(layout.tree.rows_per_board[street, learner]),
                "their_first": int(layout.places[street, other, 0]) // theirs,
                "their_rows": int(layout.tree.rows_per_board[street, other]),
                "reach_first": reach_first,
                "reach_first1": reach_first if street < 2 else streets[1]["reach_first"],
                "reach_count": reach_count,
                "rows_count": shape.rows,
            }
            if street > 0:
                fields["reach0"] = streets[0]["reach"]
            if street > 1:
                fields |= {f"{name}1": streets[1][name] for name in ("reach", "reach_count")}
            if street == layout.num_streets - 1:
                size = boards * len(plan.roots) * self.widths[learner]
                fields["root_values"] = self.scratch.zeros("root_values", learner, street, size)
            else:
                reach = boards * reach_count * self.widths[other]
                fields["reach"] = self.scratch.zeros("reach", learner, street, reach)
                rows = boards * shape.rows * self.widths[learner]
                fields["rows"] = self.scratch.zeros("rows", learner, street, rows)
            streets.append(fields)
            reach_first += reach_count
        for street in range(layout.num_streets - 1):
            streets[street].update(self._below(learner, street + 1, streets[street + 1]))
        return streets

    def _below(self, learner: int, street: int, fields: Fields) -> Fields:
        """Where a street's parent finds the values of its roots."""
        wide, num_roots = self.widths[learner], fields["num_roots"]
        if "root_values" in fields:
            values, stride = fields["root_values"], 1
            starts = np.arange(num_roots) * self.layout.boards.num_boards[street]
        else:
            values, stride, starts = fields["rows"], fields["rows_count"], fields["root_rows"]
        return {
            "below": values,
            "below_stride": stride * wide,
            "num_below": num_roots,
            "below_starts": self._upload(starts * wide, np.int64),
        }

    def _schedule(
        self, plan: StreetPlan, widths: Sequence[int], learner: int, shape: _Shape
    ) -> Fields:
        """A plan's arrays with rows counted from the street's first."""
        own, other = widths[learner], widths[1 - learner]

        def rows(offsets: I64) -> I64:
            return np.where(offsets > 0, offsets // own - shape.row_base, 0)

        down, up = plan.down.copy(), np.zeros((len(plan.up), 8), np.int64)
        down[:, col.DOWN_OFFSET :] //= other
        up[:, : col.UP_CHILD + 1] = plan.up
        up[:, col.UP_OFFSET] //= own
        up[:, col.UP_RESULT] = rows(up[:, col.UP_RESULT])
        pairs = [table.copy() for table in (plan.opponent_reach, plan.chances)]
        for table in pairs:
            table[:, col.CHANCE_REACH] //= other
            table[:, col.CHANCE_ROW] = rows(table[:, col.CHANCE_ROW])
        combinations = plan.combinations.copy()
        combinations[:, col.COMBINE_RESULT] = rows(combinations[:, col.COMBINE_RESULT])
        factors = plan.lane_factors.reshape(-1, 3, 8).transpose(0, 2, 1)
        near: Fields = {}
        if not len(plan.lane_reach):
            near = self._programs(plan, down, up, rows(plan.child_rows), pairs)
        return {
            **near,
            "down": self._upload(down),
            "up": self._upload(up),
            "child_rows": self._upload(rows(plan.child_rows)),
            "child_factors": self._upload(plan.child_factors, np.float32),
            "chunks": self._upload(plan.chunks),
            "lane_reach": self._upload(plan.lane_reach // other),
            "lane_values": self._upload(rows(plan.lane_values)),
            "lane_opponent_reach": self._upload(rows(plan.lane_opponent_reach)),
            "lane_factors": self._upload(factors, np.float32),
            "combinations": self._upload(combinations),
            "combination_rows": self._upload(rows(plan.combination_rows)),
            "combination_factors": self._upload(plan.combination_factors, np.float32),
            "opponent_reach": self._upload(pairs[0]),
            "num_opponent_reach": len(plan.opponent_reach),
            "chances": self._upload(pairs[1]),
            "chance_rows": pairs[1][:, col.CHANCE_ROW],
            "roots": self._upload(rows(plan.roots)),
            "root_rows": rows(plan.roots),
            "row_base": shape.row_base,
        }

    def _programs(
        self, plan: StreetPlan, down: I64, up: I64, child_rows: I64, pairs: list[I64]
    ) -> Fields:
        """The programs of blocks before the river."""
        nodes = [up[marks[col.CHUNK_UP] : marks[col.CHUNK_UP + 1]] for marks in plan.chunks]
        reads = []
        for marks in plan.chunks:
            folds = pairs[0][marks[col.CHUNK_REACH] : marks[col.CHUNK_REACH + 1]]
            dealt = pairs[1][marks[col.CHUNK_CHANCES] : marks[col.CHUNK_CHANCES + 1]]
            reads.append(np.concatenate([folds[:, col.REACH_ROW], dealt[:, col.CHANCE_ROW]]))
        downs = down_programs(down, plan.chunks)
        ups = up_programs(nodes, child_rows, plan.child_factors, reads)
        return {
            "down_programs": self._upload(downs.numbers),
            "down_size": downs.size,
            "up_programs": self._upload(ups.numbers),
            "up_size": ups.size,
            "near": (downs.shared(THREADS), ups.shared(THREADS)),
        }

    def launches(self, learner: int, mode: int, *, entry: Any = None) -> list[Launch]:
        """A pass; the root's values are then in `root_row`.

        `entry` (width,) are the weights with which the opponent's hands come to the root, where
        these are not those of their range.
        """
        other, streets = 1 - learner, self.streets[learner]
        task = {"mode": mode, "source": (self.regrets if mode == LEARN else self.averages)[other]}
        if entry is not None:
            task["their_weights"] = entry
        tiles = [-(-self.sizes[who] // THREADS) for who in (learner, other)]
        planned, upper = [], streets[:-1]
        for fields in upper:
            job = self._job({**fields, **task, "tiles": tiles[1]})
            blocks = fields["num_boards"] * fields["num_roots"] * tiles[1]
            shared = fields["near"][0]
            kernel, shared = ("descend_near", shared) if shared <= NEAR else ("descend", 0)
            planned.append(Launch(kernel, blocks, THREADS, shared, job))
        for fields in upper:
            if fields["num_opponent_reach"]:
                blocks = fields["num_boards"] * fields["num_opponent_reach"]
                shared = 4 * self.sizes[other]
                job = self._job({**fields, **task})
                planned.append(Launch("sum_opponent_reach", blocks, THREADS, shared, job, 1))
        if self.allins is not None:
            planned.append(self.allins[learner].launch())
        planned += self._river(learner, streets[-1], task)
        for fields in reversed(upper):
            job = self._job({**fields, **task, "tiles": tiles[0]})
            blocks = fields["num_boards"] * tiles[0]
            below = fields
            if self.allins is not None and fields is upper[-1]:
                below = {**fields, **self.allins[learner].others}
            if below["num_below"]:
                task_below = self._job({**below, **task, "tiles": tiles[0]})
                launch = Launch("add_boards", blocks * below["num_below"], THREADS, 0, task_below)
                planned.append(launch)
            shared = fields["near"][1]
            kernel, shared = ("ascend_near", shared) if shared <= NEAR else ("ascend", 0)
            planned.append(Launch(kernel, blocks * fields["num_roots"], THREADS, shared, job))
        return planned

    def _river(self, learner: int, fields: Fields, task: Fields) -> list[Launch]:
        """All rivers: a launch for each shape of tree, and one for those too large for that."""
        launches: list[Launch] = []
        general: list[int] = []
        locked = any(lock.start >= self._river_start(learner) for lock in self.locks[learner])
        for sort in self.rivers[learner]:
            if self.allins is not None and sort.roots[0] in self.allin_roots:
                continue
            kernel = sort.learn if task["mode"] == LEARN else sort.evaluate
            if kernel is None or (locked and task["mode"] == BEST):
                general += sort.roots
                continue
            job = self._job(
                {**fields, **task, "num_roots": len(sort.roots), "amounts": sort.amounts,
                 "river_roots": sort.table}
            )  # fmt: skip
            blocks = fields["num_boards"] * len(sort.roots) // kernel.roots
            lane = 2 + len(launches)
            launches.append(Launch(kernel.name, blocks, kernel.threads, kernel.shared, job, lane))
        if general:
            launches.append(self._any_river(learner, fields, task, general))
        return launches

    def _river_start(self, player: int) -> int:
        return int(self.layout.places[self.layout.num_streets - 1, player, 0])

    def _any_river(self, learner: int, fields: Fields, task: Fields, roots: list[int]) -> Launch:
        """River roots by their schedule, for trees of any shape."""
        size, wide = self.sizes[1 - learner], self.widths[1 - learner]
        shared = 16 * (2 * (size + 1) + 2 * size + 2 * CARDS)
        items = fields["num_boards"] * len(roots)
        blocks = min(items, self.device.multiprocessors * max(1, min(8, 220_000 // shared)))
        reach, rows = fields["reach_count"] * wide, fields["rows_count"] * self.widths[learner]
        more = {
            "num_roots": len(roots),
            "river_roots": self._upload(roots),
            "scratch_reach": self.device.zeros(blocks * reach, np.float32),
            "scratch_reach_size": reach,
            "scratch_rows": self.device.zeros(blocks * rows, np.float32),
            "scratch_rows_size": rows,
        }
        job = self._job({**fields, **task, **more})
        return Launch("river_any", blocks, RIVER_THREADS, shared, job, 2)

    def next_weights(self) -> Launch:
        """The discounts of the iteration that begins."""
        return Launch("next_weights", 1, 32, 0, self._job(self._both(0)))

    def enforcements(self) -> list[list[Launch]]:
        """For each player the launches that write locked strategies over what was learned."""
        return [
            [
                Launch("enforce", lock_fields["num_locks"], THREADS, 0,
                       self._job({**self._both(player), **lock_fields}))
            ]
            if lock_fields["num_locks"]
            else []
            for player, lock_fields in enumerate(self.locked)
        ]  # fmt: skip

    def weigh(self, learner: int, slot: int) -> Launch:
        """The weighted sum of the values that a pass left at the root, into a result."""
        fields = {"root_row": self.root_row(learner), "result": self.results[slot:]}
        return self.launch("weigh", learner, fields)

    def root_row(self, learner: int) -> Any:
        """Where a learner's pass leaves the values of the root."""
        first = self.streets[learner][0]
        if self.layout.num_streets == 1:
            return first["root_values"]
        return first["rows"][int(first["root_rows"][0]) * self.widths[learner] :]

    def launch(self, kernel: str, player: int, fields: Fields, *, blocks: int = 1) -> Launch:
        """A kernel with a player's fields and some more."""
        return Launch(kernel, blocks, 256, 0, self._job({**self._both(player), **fields}))

    def next_roots(self, learner: int) -> F32:
        """(roots of the second street, its boards, H) the values that a pass left there."""
        fields, wide, places = self.streets[learner][1], self.widths[learner], self.places[learner]
        boards, roots = fields["num_boards"], fields["num_roots"]
        if "root_values" in fields:
            values = self.device.download(fields["root_values"]).reshape(roots, boards, wide)
            # Where both are all in, a pass does not deal the rivers one by one.
            values[self.allin_roots] = np.nan
            return values[:, :, places]
        rows = fields["rows"].reshape(boards, fields["rows_count"], wide)
        downloaded = self.device.download(rows[:, fields["root_rows"]])
        return np.ascontiguousarray(downloaded.transpose(1, 0, 2)[:, :, places])
