"""Passes of a learner on a GPU, for three players: plans by street, tables, memory, launches.

The same plans and numbers as on the CPU (`_three_way_plan`): regrets and averages lie alike, so
that files move between devices. Here a launch takes a whole street, all parts on all its boards. A
pass splits both opponents' reach down the streets, weighs hands at ends, and brings values up. The
river's boards may go by turns: its scratch is what takes memory. three_way.cu has the kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from riverboat.cards.combos import COMBO_CARDS
from riverboat.holdem.spots._three_way_plan import (
    CHANCE,
    END,
    OTHER,
    OWN,
    SEATS,
    LearnerPlan,
    opponents,
)
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.locks import PlacedLock
from riverboat.runtime.array_types import I64
from riverboat.runtime.cuda import GpuDevice, JobLayout, Launch, kernel_text
from riverboat.solvers.algorithms import LEARN

FIELDS: dict[str, tuple[str, ...]] = {
    "float*": ("reach", "values", "roots", "regrets", "averages", "weights"),
    "int*": ("counter",),
    "const float*": (
        "source", "weights_above", "reach_x", "reach_y", "pots", "child_paid", "share", "table",
        "lock_masks", "lock_values",
    ),
    "const int*": (
        "parts", "levels", "nodes", "tasks", "chances", "child_rows", "my_cards", "my_valid",
        "union_hands", "union_valid", "canonical", "renamed", "stabiliser", "parent", "last_card",
        "first_child", "first_member", "members", "lock_starts", "lock_rows",
    ),
    "const short*": ("my_order", "my_ranks", "union_order", "union_ranks"),
    "long long": ("first_element", "board_elements"),
    "int": (
        "mode", "first_board", "tiles", "num_parts", "num_rows", "above_rows", "num_tasks",
        "num_chances", "num_union", "num_locks", "my_width", "my_size", "width_x", "width_y",
        "rows_x", "rows_y", "value_rows",
    ),
}  # fmt: skip
"""C type → names. `my` is whose rows a kernel writes; x and y are the opponents in order."""
LAYOUT = JobLayout(FIELDS)
KERNELS = (
    "split_reach", "weigh_ends", "add_cards", "ascend_parts", "next_discounts", "enforce_locks",
)  # fmt: skip
TABLE = 256  # Iterations whose discounts lie on the GPU at a time
SCRATCH = 1 << 30
"""Bytes for the river's reach and values; boards beyond that go by turns."""
MAX_WARPS = 8
_PAIRS = 52 * 52
Fields = dict[str, Any]


@dataclass
class _Walk:
    """Nodes in the order of a pass: level by level, those of a level need only other levels."""

    parts: list[list[int]] = field(default_factory=list)  # Row of the root, row above, levels
    levels: list[int] = field(default_factory=list)
    nodes: list[list[int]] = field(default_factory=list)
    widest: int = 1

    def add(self, root: int, above: int, levels: Mapping[int, list[list[int]]]) -> None:
        begin = len(self.levels)
        for nodes in levels.values():
            self.levels.append(len(self.nodes))
            self.nodes += nodes
            self.widest = max(self.widest, len(nodes))
        self.parts.append([root, above, begin, len(self.levels)])


@dataclass
class StreetWork:
    """One learner's parts on one street; rows are counted on one board, over all parts."""

    parts: list[int]
    value_rows: int = 0
    reach_rows: list[int] = field(default_factory=lambda: [0, 0])
    down: tuple[_Walk, _Walk] = field(default_factory=lambda: (_Walk(), _Walk()))
    up: _Walk = field(default_factory=_Walk)
    child_rows: list[int] = field(default_factory=list)
    child_paid: list[float] = field(default_factory=list)
    tasks: list[list[int]] = field(default_factory=list)  # Where hands are weighed
    pots: list[list[float]] = field(default_factory=list)
    chances: list[list[int]] = field(default_factory=list)

    @property
    def numbers(self) -> int:
        """How many numbers of four bytes it has."""
        walks = [
            4 * len(walk.parts) + len(walk.levels) + 6 * len(walk.nodes)
            for walk in (*self.down, self.up)
        ]
        others = 2 * len(self.child_rows) + 7 * len(self.tasks) + 2 * len(self.chances)
        return sum(walks) + others

    def add(self, plan: LearnerPlan, part: int, above: Sequence[int], local: Mapping[int, int]
            ) -> Iterator[tuple[int, list[int]]]:  # fmt: skip
        """List a part; the parts below it with the rows of reach that they begin with."""
        span = range(int(plan.first[part]), int(plan.first[part + 1]))
        member_of = {int(plan.slot[m]): m for m in span}
        depth = {span[0]: 0}
        value, rows = self.value_rows, list(self.reach_rows)
        down: tuple[dict[int, list[list[int]]], ...] = ({}, {})
        up: dict[int, list[list[int]]] = {}
        for m in span:
            kind, num_actions, link = int(plan.kind[m]), int(plan.num_actions[m]), int(plan.link[m])
            row, slot = int(plan.row[m]), value + int(plan.slot[m])
            reach = [rows[seat] + int(plan.reach[seat, m]) for seat in (0, 1)]
            slots = [int(child_slot) for child_slot in plan.child_slot[link : link + num_actions]]
            # Slot 0 is a fold of the learner's: there is no node after it.
            depth |= {member_of[child_slot]: depth[m] + 1 for child_slot in slots if child_slot}
            if kind == CHANCE:
                self.chances.append([slot, local[int(plan.below[m])]])
                yield int(plan.below[m]), reach
            elif kind == END or (kind == OWN and plan.pays[m]):
                self.tasks.append([slot, *reach])
                self.pots.append(plan.pots[m].tolist() if kind == END else [0.0, 0.0, 0.0, 1.0])
            if kind == OTHER:
                seat = int(plan.seat[m])
                after = rows[seat] + int(plan.child_reach[link])
                down[seat].setdefault(depth[m], []).append([num_actions, row, reach[seat], after])
            if kind in (OWN, OTHER):
                node = [kind, num_actions, row, slot, len(self.child_rows), int(plan.pays[m])]
                up.setdefault(-depth[m], []).append(node)
                self.child_rows += [
                    value + child_slot if child_slot else -1 for child_slot in slots
                ]
                self.child_paid += plan.child_paid[link : link + num_actions].tolist()
        self.up.add(value + 1, 0, dict(sorted(up.items())))
        self.value_rows += max(member_of) + 1
        for seat in (0, 1):
            self.down[seat].add(rows[seat], above[seat], dict(sorted(down[seat].items())))
            self.reach_rows[seat] += int(plan.reach[seat, span[0] : span[-1] + 1].max()) + 1


def street_plans(layout: Layout, learner: int) -> list[StreetWork]:
    """A learner's parts, street by street; one who has folded before has none."""
    plan = layout.plans[learner][0]
    streets = [StreetWork([]) for _ in range(layout.num_streets)]
    for part, root in enumerate(layout.tree.roots):
        if plan.first[part] < plan.first[part + 1]:
            streets[root.street - layout.spot.street].parts.append(part)
    local = {part: position for work in streets for position, part in enumerate(work.parts)}
    above: dict[int, list[int]] = {0: [0, 0]}
    for work in streets:
        for part in work.parts:
            above |= dict(work.add(plan, part, above[part], local))
    return streets


class ThreeWayLaunches:
    """A spot of three players on a device. Nothing is allocated before `prepare`."""

    def __init__(
        self,
        layout: Layout,
        device: GpuDevice,
        locks: Sequence[PlacedLock] = (),
        *,
        scratch: int = SCRATCH,
    ) -> None:
        self.layout, self.device = layout, device
        self.locks = [[lock for lock in locks if lock.player == seat] for seat in SEATS]
        self.plans = [street_plans(layout, seat) for seat in SEATS]
        self.unions = [self._union(seat) for seat in SEATS]
        self.boards = layout.boards.num_boards
        folder = "riverboat.holdem.spots.cuda"
        text = kernel_text(LAYOUT, folder, "three_way.cu", defines={})
        self.texts: dict[str, Sequence[str]] = {text: KERNELS}
        board_size = max(sum(self._board_sizes(seat, -1)) for seat in SEATS)
        self.turns = min(self.boards[-1], max(1, scratch // (4 * max(board_size, 1))))
        """River boards that are played at a time."""
        self._kept: list[Any] = []

    def _union(self, learner: int) -> I64:
        """(U, 4) hands of both opponents: two cards, and the place in each range, or −1."""
        one, two = (self.layout.combos[seat] for seat in opponents(learner))
        both = np.union1d(one, two)
        places = np.full((2, 1326), -1, np.int64)
        for row, combos in zip(places, (one, two), strict=True):
            row[combos] = np.arange(len(combos))
        return np.column_stack([COMBO_CARDS[both].astype(np.int64), places[:, both].T])

    def _board_sizes(self, learner: int, street: int) -> list[int]:
        """The numbers that values and both opponents' reach take on one board."""
        plan, widths = self.plans[learner][street], self.layout.widths
        one, two = opponents(learner)
        rows = (plan.value_rows, *plan.reach_rows)
        return [n * widths[seat] for n, seat in zip(rows, (learner, one, two), strict=True)]

    @cached_property
    def _room(self) -> list[list[int]]:
        """By street the numbers of scratch, enough for any learner, and of the roots' values."""
        room, last = [], len(self.boards) - 1
        for street, boards in enumerate(self.boards):
            count = self.turns if street == last else boards
            sizes = zip(*(self._board_sizes(seat, street) for seat in SEATS), strict=True)
            roots = max(len(self.plans[s][street].parts) * self.layout.widths[s] for s in SEATS)
            room.append([count * max(size) for size in sizes] + [boards * roots])
        return room

    @property
    def bytes(self) -> int:
        """What it takes on the GPU; known before anything is allocated."""
        boards, layout, rivers = self.layout.boards, self.layout, self.boards[-1]
        locks = [(1 + len(lock.rows)) * len(lock.mask) for placed in self.locks for lock in placed]
        maps = 3 + len(boards.renamings) + len(boards.stabilisers)
        numbers = [
            2 * layout.updates, *map(sum, self._room),
            *(plan.numbers for plans in self.plans for plan in plans),
            *(rivers * (len(own) + 1) for own in layout.combos), maps * sum(layout.widths),
            *((4 + rivers) * len(own) + rivers for own in self.unions),
            *(5 * len(level.cards) + len(level.members) for level in boards.levels),
            3 * TABLE, sum(locks), 1000,
        ]  # fmt: skip
        return 4 * sum(numbers)

    # Tables.

    def prepare(self) -> None:
        """Take memory and make tables; kernels must be compiled."""
        zeros, layout = self.device.zeros, self.layout
        sizes = [layout.elements(seat) for seat in SEATS]
        self.regrets = [zeros(size, np.float32) for size in sizes]
        self.averages = [zeros(size, np.float32) for size in sizes]
        self.weights, self.counter = zeros(3, np.float32), zeros(1, np.int32)
        self.table = zeros(3 * TABLE, np.float32)
        self.scratch = [[zeros(size, np.float32) for size in sizes] for sizes in self._room]
        self._hands = [self._hand_fields(seat) for seat in SEATS]
        self.entries = [self.device.upload(layout.weights[seat].copy()) for seat in SEATS]
        """(P,) the weights with which each player's hands come to the root."""
        self._against = [self._union_fields(seat) for seat in SEATS]
        self._levels = [self._level_fields(street) for street in range(len(self.boards))]
        self._locked = [self._lock_fields(seat) for seat in SEATS]
        self._plans = [[self._plan_fields(plan) for plan in plans] for plans in self.plans]

    def _upload(self, numbers: Any, kind: Any = np.int32) -> Any:
        # A device has no arrays of nothing.
        return self.device.upload(np.append(np.asarray(numbers, kind).ravel(), kind(0)))

    def _hand_fields(self, seat: int) -> Fields:
        layout, ranked = self.layout, self.layout.ranked[seat]
        renamed, canonical = layout.maps[seat]
        spare = layout.widths[seat] - len(layout.hands[seat])
        return {
            "my_width": layout.widths[seat],
            "my_size": len(layout.combos[seat]),
            "my_cards": self._upload(np.pad(layout.hands[seat], ((0, spare), (0, 0)))),
            "my_order": self._upload(ranked.order, np.int16),
            "my_ranks": self._upload(ranked.ranks, np.int16),
            "my_valid": self._upload(ranked.num_valid),
            "renamed": self._upload(renamed),
            "canonical": self._upload(canonical),
        }

    def _union_fields(self, learner: int) -> Fields:
        """Both opponents' hands together, by strength on all river boards."""
        hands = self.unions[learner]
        ranks = np.full((self.boards[-1], len(hands)), -1, np.int16)
        boards = np.arange(self.boards[-1])[:, None]
        for seat, places in zip(opponents(learner), hands[:, 2:].T, strict=True):
            # By hand; those that the board blocks are below zero.
            ranked = self.layout.ranked[seat]
            own = np.empty_like(ranked.ranks)
            own[boards, ranked.order] = ranked.ranks
            ranks[:, places >= 0] = own[:, places[places >= 0]]
        order = np.argsort(ranks, axis=1, kind="stable")
        valid = (ranks >= 0).sum(axis=1)
        for row, count in zip(order, valid.tolist(), strict=True):
            row[:] = np.roll(row, count - len(row))
        return {
            "num_union": len(hands),
            "union_hands": self._upload(hands),
            "union_order": self._upload(order, np.int16),
            "union_ranks": self._upload(np.maximum(ranks, 0), np.int16),
            "union_valid": self._upload(valid),
        }

    def _level_fields(self, street: int) -> Fields:
        level, layout = self.layout.boards.levels[street], self.layout
        counts = np.diff(layout.boards.levels[street - 1].first_child) if street else [1]
        last = level.cards[:, -1] if level.cards.shape[1] else np.full(len(level.cards), -1)
        names = ("stabiliser", "first_child", "first_member", "members")
        return {
            **{name: self._upload(getattr(level, name)) for name in names},
            "last_card": self._upload(last),
            "parent": self._upload(np.repeat(np.arange(len(counts)), counts)),
            "share": self._upload([layout.card_share(street)], np.float32),
        }

    def _lock_fields(self, seat: int) -> Fields:
        locks = self.locks[seat]
        if not locks:
            return {"num_locks": 0}
        return {
            "num_locks": len(locks),
            "lock_rows": self._upload([k.start // self.layout.widths[seat] for k in locks]),
            "lock_starts": self._upload(np.cumsum([0, *(len(k.rows) for k in locks)])),
            "lock_masks": self._upload(np.stack([k.mask for k in locks]), np.float32),
            "lock_values": self._upload(np.concatenate([k.rows for k in locks]), np.float32),
        }

    def _plan_fields(self, plan: StreetWork) -> dict[str, Fields]:
        def walk(nodes_walk: _Walk) -> Fields:
            levels = [*nodes_walk.levels, len(nodes_walk.nodes)]
            lists = {"parts": nodes_walk.parts, "levels": levels, "nodes": nodes_walk.nodes}
            return {name: self._upload(numbers) for name, numbers in lists.items()}

        up = {"num_tasks": len(plan.tasks), "num_chances": len(plan.chances)}
        up |= {
            name: self._upload(getattr(plan, name), np.float32) for name in ("child_paid", "pots")
        }
        up |= {
            name: self._upload(getattr(plan, name)) for name in ("child_rows", "tasks", "chances")
        }
        return {"down0": walk(plan.down[0]), "down1": walk(plan.down[1]), "up": walk(plan.up) | up}

    # Launches.

    def launches(self, learner: int, mode: int) -> list[Launch]:
        """A pass; the root's values are left in `root_values`."""
        plans, last = self.plans[learner], len(self.boards) - 1
        planned: list[Launch] = []
        if not plans[0].parts:
            return planned
        for street in range(last):
            planned += self._down(learner, mode, street, 0, self.boards[street])
        for first in range(0, self.boards[-1], self.turns):
            if plans[last].parts:
                count = min(self.turns, self.boards[-1] - first)
                planned += self._down(learner, mode, last, first, count)
                planned += self._up(learner, mode, last, first, count)
        for street in reversed(range(last)):
            planned += self._cards(learner, street)
            planned += self._up(learner, mode, street, 0, self.boards[street])
        return planned

    def root_values(self, learner: int) -> Any:
        """(P,) where a pass leaves the values of the root."""
        return self.scratch[0][3][: self.layout.widths[learner]]

    def next_discounts(self) -> Launch:
        """Take the next row of the table."""
        fields = {"table": self.table, "counter": self.counter, "weights": self.weights}
        return self._launch("next_discounts", 1, 32, fields)

    def enforcement(self, seat: int) -> list[Launch]:
        """Write the locked strategies over what was learned."""
        num_locks = len(self.locks[seat])
        if not num_locks:
            return []
        return [self._launch("enforce_locks", num_locks, 256, self._own(seat, 0))]

    def _launch(
        self, kernel: str, blocks: int, threads: int, fields: Fields, *, shared: int = 0,
        lane: int = 0,
    ) -> Launch:  # fmt: skip
        self._kept.append(fields)
        job = LAYOUT.make(fields, self.device.address)
        return Launch(kernel, blocks, threads, shared, job, lane)

    def _own(self, seat: int, street: int) -> Fields:
        """What kernels know of a player on a street, whether learner or opponent."""
        first, size = self.layout.places[street, seat]
        return {
            **self._hands[seat], **self._levels[street], **self._locked[seat],
            "regrets": self.regrets[seat], "averages": self.averages[seat],
            "weights": self.weights, "first_element": int(first), "board_elements": int(size),
            "tiles": -(-self.layout.widths[seat] // 32),
        }  # fmt: skip

    def _down(
        self, learner: int, mode: int, street: int, first: int, count: int
    ) -> Iterator[Launch]:
        plan, fields = self.plans[learner][street], self._plans[learner][street]
        for which, seat in enumerate(opponents(learner)):
            job = self._own(seat, street) | fields[f"down{which}"]
            job |= {
                "source": (self.regrets if mode == LEARN else self.averages)[seat],
                "reach": self.scratch[street][1 + which], "num_rows": plan.reach_rows[which],
                "first_board": first, "num_parts": len(plan.parts),
            }  # fmt: skip
            if street:
                job["weights_above"] = self.scratch[street - 1][1 + which]
                job["above_rows"] = self.plans[learner][street - 1].reach_rows[which]
            else:
                job["weights_above"] = self.entries[seat]
            blocks = count * len(plan.parts) * job["tiles"]
            threads = 32 * min(MAX_WARPS, plan.down[which].widest)
            # Both opponents at the same time.
            yield self._launch("split_reach", blocks, threads, job, lane=1 + which)

    def _up(self, learner: int, mode: int, street: int, first: int, count: int) -> Iterator[Launch]:
        plan, fields = self.plans[learner][street], self._plans[learner][street]
        width_x, width_y = (self.layout.widths[seat] for seat in opponents(learner))
        values, reach_x, reach_y, roots = self.scratch[street]
        job = self._own(learner, street) | self._against[learner] | fields["up"]
        job |= {
            "values": values, "value_rows": plan.value_rows, "roots": roots, "mode": mode,
            "reach_x": reach_x, "rows_x": plan.reach_rows[0], "width_x": width_x,
            "reach_y": reach_y, "rows_y": plan.reach_rows[1], "width_y": width_y,
            "first_board": first, "num_parts": len(plan.parts),
        }  # fmt: skip
        if plan.tasks:
            blocks = count * len(plan.tasks)
            # A warp's beginning costs as much as some fifteen hands: few blocks need many warps.
            # Sums are taken warp by warp, so the number must not depend on how boards take turns.
            all_blocks = self.boards[street] * len(plan.tasks)
            hands_per_warp = 16 if all_blocks <= 8 * self.device.multiprocessors else 64
            warps = min(MAX_WARPS, -(-job["my_size"] // hands_per_warp))
            size = 12 * _PAIRS + 4 * (job["num_union"] + job["my_width"])
            yield self._launch("weigh_ends", blocks, 32 * warps, job, shared=size)
        blocks = count * len(plan.parts) * job["tiles"]
        yield self._launch("ascend_parts", blocks, 32 * min(MAX_WARPS, plan.up.widest), job)

    def _cards(self, learner: int, street: int) -> Iterator[Launch]:
        plan, fields = self.plans[learner][street], self._plans[learner][street]
        job, below = self._own(learner, street) | fields["up"], self._levels[street + 1]
        job |= {name: below[name] for name in ("last_card", "first_member", "members")}
        job |= {
            "num_parts": len(self.plans[learner][street + 1].parts),
            "roots": self.scratch[street + 1][3],
            "values": self.scratch[street][0], "value_rows": plan.value_rows,
        }  # fmt: skip
        blocks = self.boards[street] * len(plan.chances) * job["tiles"]
        if plan.chances:
            yield self._launch("add_cards", blocks, 32, job)
