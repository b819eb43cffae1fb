"""Passes over a spot with hands of k cards on a GPU: tables, memory and launches.

The plans, numbers and tables are those of the CPU (`plan`, `_subset_tables`), so that what is
learned moves between devices as it is. A launch takes a whole street: reach goes down, what runs of
equally strong hands weigh is summed up, values come up again. The rivers behind one board of the
street before are played together; they are what takes memory. subsets.cu has the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from riverboat.cards.hands import hand_masks
from riverboat.holdem.spots._run_kernels import list_runs
from riverboat.holdem.spots._subset_tables import RUNS_OF_A_SUBSET, SubsetHands
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.locks import PlacedLock
from riverboat.holdem.spots.plan import StreetPlan, build_plan
from riverboat.runtime.array_types import F32, I32
from riverboat.runtime.cuda import GpuDevice, JobLayout, Launch, kernel_text
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN

LAYOUT = JobLayout(
    {
        "float*": (
            "reach", "lanes", "pieces", "sums", "totals", "rows", "rows_above", "regrets",
            "averages",
        ),
        "const float*": (
            "above", "source", "lane_factors", "child_factors", "combination_factors", "discounts",
            "lock_masks", "lock_values",
        ),
        "const u64*": ("my_masks", "their_masks", "board_masks"),
        "const int*": (
            "root_reach", "parent", "down", "lane_reach", "piece_board", "piece_start", "hand_of",
            "first_run", "run_base", "run_piece", "subsets", "runs", "same", "canonical",
            "stabiliser", "lane_values", "lane_met", "combinations", "combination_rows", "up",
            "child_rows", "root_rows", "chance_rows", "first_child", "first_member", "members",
            "renamed", "lock_rows", "lock_starts",
        ),
        "long long": ("their_first", "their_elements", "my_first", "my_elements"),
        "int": (
            "mode", "tiles", "num_here", "first_board", "num_above", "first_above", "num_roots",
            "num_down", "num_blocks", "shared_table", "num_pieces", "num_runs", "num_subsets",
            "num_combinations", "num_up", "my_size", "my_width", "their_size", "their_width",
            "stride", "num_even", "whole_sign", "num_locks",
        ),
    }
)  # fmt: skip
KERNELS = ("split_reach", "add_pieces", "weigh_runs", "ascend", "add_children", "enforce")
THREADS = 256
PIECE = 128
"""Hands that one thread adds up, at most: the longest runs have thousands."""
Fields = dict[str, Any]


class SubsetLaunches:
    """One spot on one device: regrets, averages, and the passes over them.

    Nothing but the plan is made before `prepare`.
    """

    def __init__(self, layout: Layout, device: GpuDevice, locks: Sequence[PlacedLock] = ()) -> None:
        self.layout, self.device = layout, device
        self.locks = [[lock for lock in locks if lock.player == player] for player in (0, 1)]
        # All river roots go together: kernels take a street at once.
        self.plan = build_plan(layout.tree, chunk_bytes=1 << 62)
        self.widths, self.levels = layout.widths, layout.boards.levels
        self.last = len(self.levels) - 1
        self.text = kernel_text(LAYOUT, "riverboat.holdem.spots.cuda", "subsets.cu", defines={})
        self._recorded: dict[tuple[int, int], Callable[[], None]] = {}
        self._enforcements: list[Callable[[], None]] = []

    @property
    def bytes(self) -> int:
        """What it takes on the device; known before anything is made."""
        layout, plan = self.layout, self.plan
        assert layout.subsets is not None
        first, second = layout.subsets
        boards = layout.boards.num_boards
        behind = max(np.diff(self.levels[-2].first_child)) if self.last else 1
        together = [*boards[:-1], int(behind)]
        subsets, width = first.first_run.shape[1] - 1, max(self.widths)
        runs = RUNS_OF_A_SUBSET * subsets
        # Every river has the runs of each hand, the hands of each run, and the runs' beginnings.
        rivers = boards[-1] * (8 * max(len(first.subsets), len(second.subsets)) + 8 * runs)
        scratch = 0
        for street, count in enumerate(together):
            lanes = max(self._num_lanes(street, learner) for learner in (0, 1))
            rows = max(plan.reach_size) + max(plan.rows_size)
            ends = lanes * (width + subsets + (2 * runs if street == self.last else subsets))
            scratch += 4 * count * (rows + ends)
        locked = sum(lock.mask.nbytes + lock.rows.nbytes for own in self.locks for lock in own)
        return int(8 * layout.updates + rivers + scratch + locked)

    def _num_lanes(self, street: int, learner: int) -> int:
        plan = self.plan.streets[street][learner]
        ends = plan.lane_reach if street == self.last else plan.opponent_reach
        return -(-len(ends) // 8) * 8

    def prepare(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Compile, make all tables and take all memory."""
        layout, device = self.layout, self.device
        device.compile({self.text: KERNELS}, progress)
        self.hands: tuple[SubsetHands, SubsetHands] = layout.tables
        self.regrets, self.averages = (
            [device.zeros(layout.elements(player), np.float32) for player in (0, 1)]
            for _ in range(2)
        )
        self.discounts = device.zeros(3, np.float32)
        self.players = [self._player_fields(player) for player in (0, 1)]
        self.slabs = self._slabs()
        self.static = [self._static_table(player) for player in (0, 1)]
        self.streets = [
            [self._street_fields(street, learner) for learner in (0, 1)]
            for street in range(self.last + 1)
        ]
        self._take_memory()

    def record(self) -> None:
        """Record all passes; names of kernels stand for what was made ready last."""
        for learner in (0, 1):
            for mode in (LEARN, BEST, AVERAGE):
                self._recorded[learner, mode] = self.device.record(self.launches(learner, mode))
        self._enforcements = [self.device.record(self._enforcement(who)) for who in (0, 1)]

    def play(self, learner: int, mode: int, discounts: F32) -> None:
        """One pass; only a LEARN pass uses the discounts."""
        if mode == LEARN:
            self.device.write(self.discounts, discounts)
        self._recorded[learner, mode]()

    def enforce(self, player: int) -> None:
        """Overwrite what a player learned at locked nodes with the locked strategies."""
        if self.locks[player]:
            self._enforcements[player]()

    def root_values(self, learner: int) -> F32:
        """(P,) the learner's values at the root, as the last pass left them."""
        row = int(self.plan.streets[0][learner].roots[0])
        values: F32 = self.device.download(
            self.buffers["rows"][0][row : row + self.widths[learner]]
        )
        return values

    def enter(self, player: int, weights: F32) -> None:
        """Give a player's hands (P,) other weights at the root."""
        self.device.write(self.players[1 - player]["my_foes"], weights)

    def launches(self, learner: int, mode: int) -> list[Launch]:
        """A pass: down all streets, through the rivers board by board above, and up again."""
        planned = []
        for street in range(self.last):
            fields = self._fields(street, learner, mode)
            planned += [self._over_hands("split_reach", fields, 1 - learner), *self._ends(fields)]
        for above in range(len(self.slabs)):
            fields = self._fields(self.last, learner, mode, above)
            planned += [self._over_hands("split_reach", fields, 1 - learner), *self._ends(fields)]
            planned.append(self._over_hands("ascend", fields, learner))
            if self.last:
                planned.append(self._to_parents(self.last, learner, fields, above, 1))
        for street in range(self.last - 1, -1, -1):
            fields = self._fields(street, learner, mode)
            planned.append(self._over_hands("ascend", fields, learner))
            if street:
                boards = len(self.levels[street - 1].cards)
                planned.append(self._to_parents(street, learner, fields, 0, boards))
        return planned

    def _fields(self, street: int, learner: int, mode: int, above: int = -1) -> Fields:
        """All arguments of a street's kernels; `above` is the board whose rivers are played."""
        other = 1 - learner
        fields = {**self.players[learner], **self.streets[street][learner], "mode": mode}
        fields |= {name: buffers[street] for name, buffers in self.buffers.items()}
        fields["above"] = self.buffers["reach"][street - 1] if street else fields["my_foes"]
        del fields["my_foes"]
        source = self.regrets if mode == LEARN else self.averages
        fields |= {
            "source": source[other], "regrets": self.regrets[learner],
            "averages": self.averages[learner], "discounts": self.discounts,
        }  # fmt: skip
        if street == self.last:
            first, last = self.edges[above], self.edges[above + 1]
            fields |= {"first_board": first, "num_here": last - first}
            fields |= self.slabs[above][learner]
        else:
            fields |= {"num_here": len(self.levels[street].cards), **self.static[learner]}
        return fields

    def _enforcement(self, player: int) -> list[Launch]:
        """The launch that writes a player's locked strategies, where there are any."""
        tiles = -(-self.widths[player] // THREADS)
        own = {"regrets": self.regrets[player], "averages": self.averages[player], "tiles": tiles}
        fields = {**self.players[player], **own}
        del fields["my_foes"]
        num_locks = fields["num_locks"]
        return [self._launch("enforce", tiles * num_locks, fields)] if num_locks else []

    def _over_hands(self, kernel: str, fields: Fields, player: int) -> Launch:
        tiles = -(-self.widths[player] // THREADS)
        return self._launch(kernel, tiles * fields["num_here"], {**fields, "tiles": tiles})

    def _ends(self, fields: Fields) -> list[Launch]:
        """What the opponent's hands weigh at all ends of a street."""
        boards, blocks = fields["num_here"], fields["num_blocks"]
        if not blocks:
            return []
        pieces = fields["num_pieces"] * (boards if fields["shared_table"] else 1)
        subsets = boards * fields["num_subsets"]
        return [
            self._launch(kernel, -(-blocks * count * 8 // THREADS), fields)
            for kernel, count in (("add_pieces", pieces), ("weigh_runs", subsets))
        ]

    def _to_parents(
        self, street: int, learner: int, fields: Fields, first: int, count: int
    ) -> Launch:
        """Bring the values of a street's roots to the street above."""
        tiles = -(-self.widths[learner] // THREADS)
        upper = self.levels[street - 1]
        more = {
            "rows_above": self.buffers["rows"][street - 1],
            "num_above": len(upper.cards), "first_above": first, "tiles": tiles,
            "stabiliser": self.streets[street - 1][learner]["stabiliser"],
        }  # fmt: skip
        return self._launch("add_children", tiles * count, {**fields, **more})

    def _launch(self, kernel: str, blocks: int, fields: Fields) -> Launch:
        job = LAYOUT.make(fields, self.device.address)
        return Launch(kernel, blocks, THREADS, 0, job)

    # Tables.

    def _numbers(self, values: Any) -> Any:
        """An array of whole numbers on the device, never empty."""
        array = np.asarray(values).astype(np.int32).ravel()
        return self.device.upload(array if array.size else np.zeros(1, np.int32))

    def _floats(self, values: Any) -> Any:
        array = np.asarray(values, np.float32).ravel()
        return self.device.upload(array if array.size else np.zeros(1, np.float32))

    def _player_fields(self, learner: int) -> Fields:
        mine, theirs = self.hands[learner], self.hands[1 - learner]
        hole_cards, their_width = mine.hole_cards, self.widths[1 - learner]
        same = mine.same >> 3
        return {
            "my_foes": self._floats(theirs.weights),
            "my_masks": self.device.upload(hand_masks(mine.cards)),
            "their_masks": self.device.upload(hand_masks(theirs.cards)),
            "same": self._numbers(np.where(same < their_width, same, -1)),
            "canonical": self._numbers(mine.canonical),
            "renamed": self._numbers(mine.renamed),
            "subsets": self._numbers(mine.subsets),
            "my_size": len(mine.combos), "my_width": self.widths[learner],
            "their_size": len(theirs.combos), "their_width": their_width,
            "stride": 1 << hole_cards,
            "num_even": (1 << hole_cards - 1) - (1 - hole_cards % 2),
            "whole_sign": 1 - 2 * (hole_cards % 2),
            "num_subsets": mine.first_run.shape[1] - 1,
            **self._lock_fields(learner),
        }  # fmt: skip

    def _lock_fields(self, player: int) -> Fields:
        """A player's locks: the row in which each begins, their hands and their strategies."""
        locks, width = self.locks[player], self.widths[player]
        rows = [lock.rows for lock in locks]
        return {
            "lock_rows": self._numbers([lock.start // width for lock in locks]),
            "lock_starts": self._numbers(np.cumsum([0, *map(len, rows)])),
            "lock_masks": self._floats([lock.mask for lock in locks]),
            "lock_values": self._floats(np.concatenate(rows) if rows else []),
            "num_locks": len(locks),
        }

    def _street_fields(self, street: int, learner: int) -> Fields:
        plan, level = self.plan.streets[street][learner], self.levels[street]
        own, other = self.widths[learner], self.widths[1 - learner]
        down, up, made = plan.down.copy(), plan.up.copy(), plan.combinations.copy()
        down[:, 1:] //= other
        up[:, 2:4] //= own
        made[:, 0] //= own
        roots, chances, parent = (np.zeros(1, np.int64) for _ in range(3))
        if street:
            above = self.plan.streets[street - 1][learner]
            roots, chances = above.chances[:, 0] // other, above.chances[:, 1] // own
            sizes = np.diff(self.levels[street - 1].first_child)
            parent = np.repeat(np.arange(len(sizes)), sizes)
        masks = np.bitwise_or.reduce(
            np.left_shift(np.uint64(1), level.cards.astype(np.uint64)), axis=1, initial=0
        )
        first, elements = self.layout.places[street, learner].tolist()
        their_first, their_elements = self.layout.places[street, 1 - learner].tolist()
        upper = self.levels[max(street - 1, 0)]
        return {
            "board_masks": self.device.upload(masks.astype(np.uint64)),
            "root_reach": self._numbers(roots), "num_roots": len(roots),
            "parent": self._numbers(parent),
            "num_above": len(upper.cards) if street else 0,
            "down": self._numbers(down), "num_down": len(down),
            "up": self._numbers(up), "num_up": len(up),
            "child_rows": self._numbers(plan.child_rows // own),
            "child_factors": self._floats(plan.child_factors),
            "combinations": self._numbers(made), "num_combinations": len(made),
            "combination_rows": self._numbers(plan.combination_rows // own),
            "combination_factors": self._floats(plan.combination_factors),
            "stabiliser": self._numbers(level.stabiliser),
            "root_rows": self._numbers(plan.roots // own), "chance_rows": self._numbers(chances),
            "first_child": self._numbers(upper.first_child),
            "first_member": self._numbers(level.first_member),
            "members": self._numbers(level.members),
            "my_first": first, "my_elements": elements,
            "their_first": their_first, "their_elements": their_elements,
            **self._lanes(plan, street == self.last, own, other),
        }  # fmt: skip

    def _lanes(self, plan: StreetPlan, river: bool, own: int, other: int) -> Fields:
        """The ends of a street in blocks of eight: showdowns, or folds before the river."""
        if river:
            reach, values, met = plan.lane_reach, plan.lane_values, plan.lane_opponent_reach
            win, draw, lose = plan.lane_factors.reshape(-1, 3, 8).transpose(1, 0, 2)
            factors = np.stack([(win + draw) / 2, draw + lose], axis=-1)
        else:
            blank = -len(plan.opponent_reach) % 8
            reach = np.pad(plan.opponent_reach[:, 0], (0, blank))
            met = np.pad(plan.opponent_reach[:, 1], (0, blank))
            values, factors = np.zeros_like(met), np.zeros((len(met), 2))
        return {
            "lane_reach": self._numbers(reach // other),
            "lane_values": self._numbers(values // own),
            "lane_met": self._numbers(met // own), "lane_factors": self._floats(factors),
            "num_blocks": len(reach) // 8,
        }  # fmt: skip

    def _slabs(self) -> list[list[Fields]]:
        """For each board before the river and each learner, the runs of the rivers behind it."""
        rivers = len(self.levels[-1].cards)
        edges = self.levels[-2].first_child.tolist() if self.last else [0, rivers]
        self.edges: list[int] = edges
        slabs = []
        with ThreadPoolExecutor() as pool:
            for first, last in pairwise(edges):
                boards = range(first, last)
                tables = [self._run_table(theirs, boards, pool) for theirs in self._different()]
                reads = [self._numbers(own.runs[first:last]) for own in self._different()]
                # A learner adds up the other's hands and reads the runs of their own.
                slabs.append([{**tables[-1], "runs": reads[0]}, {**tables[0], "runs": reads[-1]}])
        return slabs

    def _different(self) -> tuple[SubsetHands, ...]:
        """Both players' hands, or one where they are the same."""
        alike = self.hands[0].runs is self.hands[1].runs
        return self.hands[:1] if alike else self.hands

    def _run_table(self, theirs: SubsetHands, boards: range, pool: ThreadPoolExecutor) -> Fields:
        stride = 1 << theirs.hole_cards

        def listed(board: int) -> tuple[I32, I32, I32]:
            runs: tuple[I32, I32, I32] = list_runs(
                theirs.runs[board], stride, int(theirs.first_run[board, -1]), PIECE
            )
            return runs

        parts = list(pool.map(listed, boards))
        hands = np.cumsum([0] + [len(hand_of) for hand_of, _, _ in parts])
        pieces = np.cumsum([0] + [len(starts) for _, starts, _ in parts])
        runs = np.cumsum([0] + [len(firsts) for _, _, firsts in parts])
        starts = [part[1] + at for part, at in zip(parts, hands, strict=False)]
        firsts = [part[2] + at for part, at in zip(parts, pieces, strict=False)]
        return {
            "hand_of": self._numbers(np.concatenate([part[0] for part in parts])),
            "piece_start": self._numbers(np.concatenate([*starts, hands[-1:]])),
            "piece_board": self._numbers(np.repeat(np.arange(len(parts)), np.diff(pieces))),
            "run_piece": self._numbers(np.concatenate([*firsts, pieces[-1:]])),
            "run_base": self._numbers(runs), "num_runs": int(runs[-1]),
            "first_run": self._numbers(theirs.first_run[boards.start : boards.stop]),
            "num_pieces": int(pieces[-1]), "shared_table": 0,
        }  # fmt: skip

    def _static_table(self, learner: int) -> Fields:
        """One run for each subset: all hands, whatever their strength."""
        theirs = self.hands[1 - learner]
        num_subsets = theirs.first_run.shape[1] - 1
        hand_of, starts, firsts = list_runs(
            theirs.subsets, 1 << theirs.hole_cards, num_subsets, PIECE
        )
        return {
            "hand_of": self._numbers(hand_of),
            "piece_start": self._numbers(np.append(starts, len(hand_of))),
            "run_piece": self._numbers(np.append(firsts, len(starts))),
            "run_base": self._numbers([0]), "num_runs": num_subsets,
            "first_run": self._numbers(np.arange(num_subsets + 1)),
            "num_pieces": len(starts), "shared_table": 1,
        }  # fmt: skip

    def _take_memory(self) -> None:
        """Room for reach, ends and values of each street, as much as either learner needs."""
        names = ("reach", "lanes", "pieces", "sums", "totals", "rows")
        self.buffers: dict[str, list[Any]] = {name: [] for name in names}
        num_subsets = self.players[0]["num_subsets"]
        for street, level in enumerate(self.levels):
            boards, tables = len(level.cards), self.static
            if street == self.last:
                boards = int(np.diff(self.edges).max())
                tables = [table for slab in self.slabs for table in slab]
            blocks = max(own["num_blocks"] for own in self.streets[street])
            shared = boards if street < self.last else 1
            pieces = shared * max(table["num_pieces"] for table in tables)
            runs = max(table["num_runs"] for table in tables)
            for name, size in (
                ("reach", boards * max(self.plan.reach_size)),
                ("lanes", blocks * boards * 8 * max(self.widths)),
                ("pieces", blocks * 8 * pieces),
                ("sums", blocks * 8 * runs),
                ("totals", blocks * boards * 8 * num_subsets),
                ("rows", boards * max(self.plan.rows_size)),
            ):
                self.buffers[name].append(self.device.zeros(size, np.float32))
