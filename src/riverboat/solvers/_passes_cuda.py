"""Trees laid out for a GPU, and the passes of the CFR family over them.

An iteration goes through the players. On a sequence form each gets one kernel for the gains of all
sequences, one for each depth of the infosets from the last to the first, and one for each depth
from the first to the last for the plan (cfr_sequences.cu). On a public tree each gets one for each
depth of the tree from the last to the first, which finds values and learns, and then one for each
depth of own nodes from the first to the last, for the reach of the actions (cfr_lanes.cu).
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riverboat.runtime.array_types import I32, I64
from riverboat.runtime.cuda import GpuDevice, JobLayout, Launch, kernel_text
from riverboat.solvers._run_cuda import RULE_FIELDS, THREADS, CudaRun
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN, CFRConfig
from riverboat.trees.best_response import tree_arrays
from riverboat.trees.public_tree import PublicShapes, PublicTree
from riverboat.trees.sequence_form import SequenceForm

KERNELS = ("tick", "earn", "learn", "respond", "realise", "spread", "weigh", "conclude")
FIELDS: dict[str, tuple[str, ...]] = {
    **RULE_FIELDS,
    "double*": (
        "behaviour", "regrets", "average", "plan", "gains", "values", "parts", "result",
    ),
    "const double*": ("payoffs",),
    "const unsigned*": ("parents", "others"),
    "const int*": (
        "starts", "strides", "actions", "later_starts", "later", "slice_rows", "lengths",
    ),
    "const long long*": ("slice_starts",),
    "long long": ("num_entries",),
    "int": ("first", "count", "mode", "player"),
}  # fmt: skip
LAYOUT = JobLayout(FIELDS)
SLICE = 32  # Sequences whose payoffs stand side by side
PARTS = 64  # Blocks that add up what a player gets; a fixed number, for the same bits on every GPU
PUBLIC_KERNELS = ("tick", "rise", "descend")
PUBLIC_FIELDS: dict[str, tuple[str, ...]] = {
    **RULE_FIELDS,
    "double*": ("regrets", "last", "weights", "plan", "values"),
    "const double*": ("payoffs", "edge_weight"),
    "const int*": (
        "shapes", "slots", "children", "reach", "own_nodes",
        "actors", "slot_offsets", "slot_table", "edge_offsets", "edge_slot",
    ),
    "int": ("first", "count", "mode", "player", "is_next", "num_tables"),
}  # fmt: skip
PUBLIC_LAYOUT = JobLayout(PUBLIC_FIELDS)


class SequenceTables(NamedTuple):
    """S sequences, I infosets, Z slices, E entries with the empty ones of the slices."""

    starts: NDArray[np.int32]  # (I,) the first sequence of an infoset
    strides: NDArray[np.int32]  # (I,) from one action's sequence to the next
    actions: NDArray[np.int32]  # (I,)
    levels: list[list[tuple[int, int]]]  # for each player and depth: first infoset and number
    later_starts: NDArray[np.int32]  # (S + 1,)
    later: NDArray[np.int32]  # (I,) the infosets that follow a sequence, in the CPU's order
    slices: list[tuple[int, int]]  # for each player: first place in `slice_rows`, and number
    slice_rows: NDArray[np.int32]  # (Z * 32,) a sequence, or −1
    lengths: NDArray[np.int32]  # (Z * 32,)
    slice_starts: NDArray[np.int64]  # (Z,)
    others: NDArray[np.uint32]  # (P − 1, E)
    payoffs: NDArray[np.float64]  # (E,)

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self if isinstance(array, np.ndarray))


def lay_out(form: SequenceForm) -> SequenceTables:
    """The tables of a form."""
    groups = form.groups.astype(np.int64)
    inside = [np.arange(n) for n in groups[:, 1]]
    starts = np.concatenate([first + i for first, i in zip(groups[:, 0], inside, strict=True)])
    count = groups[:, 1]
    order, later_starts = _later(form, np.repeat(np.arange(len(groups)), count))
    return SequenceTables(
        starts.astype(np.int32),
        np.repeat(groups[:, 1], count).astype(np.int32),
        np.repeat(groups[:, 2], count).astype(np.int32),
        _levels(form, groups),
        later_starts,
        order,
        *_slices(form),
    )


def _levels(form: SequenceForm, groups: NDArray[np.int64]) -> list[list[tuple[int, int]]]:
    """A depth's infosets stand together: an infoset is one deeper than what leads to it."""
    owner = np.full(form.num_sequences, -1, np.int64)
    depth = np.zeros(len(groups), np.int64)
    for g, (first, n, k, infoset) in enumerate(groups.tolist()):
        above = owner[int(form.parents[infoset])]
        depth[g] = 0 if above < 0 else depth[above] + 1
        owner[first : first + n * k] = g
    levels: list[list[tuple[int, int]]] = []
    offsets = form.group_offsets.astype(np.int64).tolist()
    for player in range(form.num_players):
        mine = range(offsets[player], offsets[player + 1])
        spans: list[tuple[int, int]] = []
        for level in range(int(depth[list(mine)].max()) + 1 if mine else 0):
            here = [g for g in mine if depth[g] == level]
            spans.append((int(groups[here[0], 3]), int(groups[here, 1].sum())))
        levels.append(spans)
    return levels


def _later(
    form: SequenceForm, group: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """(I,) infosets by the sequence that leads to them, later groups first, and (S + 1,) starts."""
    parents = form.parents.astype(np.int64)
    order = np.lexsort((np.arange(parents.size), -group, parents))
    counts = np.bincount(parents, minlength=form.num_sequences)
    return order.astype(np.int32), np.concatenate(([0], np.cumsum(counts))).astype(np.int32)


def _slices(form: SequenceForm) -> tuple[Any, ...]:
    """Entries in slices of 32 sequences of a player, the longest first."""
    rows, bases = form.rows.astype(np.int64), form.bases.astype(np.int64).tolist()
    length = np.diff(rows)
    places: list[NDArray[np.int64]] = []
    slices: list[tuple[int, int]] = []
    first = 0
    for begin, end in itertools.pairwise(bases):
        mine = begin + np.argsort(-length[begin:end], kind="stable")
        padded = np.full(-(-mine.size // SLICE) * SLICE, -1, np.int64)
        padded[: mine.size] = mine
        places.append(padded)
        slices.append((first, padded.size))
        first += padded.size
    slice_rows = np.concatenate(places)
    lengths = np.where(slice_rows >= 0, length[slice_rows], 0)
    widths = lengths.reshape(-1, SLICE).max(axis=1)
    slice_starts = np.concatenate(([0], np.cumsum(widths * SLICE)))
    # Entry e of a sequence stands at the start of its slice + 32 e + its place in the slice.
    place_of = np.empty(form.num_sequences, np.int64)
    real = np.flatnonzero(slice_rows >= 0)
    place_of[slice_rows[real]] = real
    sequence = np.repeat(np.arange(form.num_sequences), length)
    at = place_of[sequence]
    inside = np.arange(len(form.values)) - rows[sequence]
    target = slice_starts[at // SLICE] + SLICE * inside + at % SLICE
    payoffs = np.zeros(int(slice_starts[-1]))
    payoffs[target] = form.values
    others = np.zeros((form.others.shape[1], payoffs.size), np.uint32)
    others[:, target] = form.others.T
    narrow = slice_rows.astype(np.int32), lengths.astype(np.int32)
    return slices, *narrow, slice_starts[:-1], others, payoffs


def sequence_text(num_others: int) -> str:
    """The kernels for this number of other players."""
    return kernel_text(
        LAYOUT,
        "riverboat.solvers",
        "cfr_rule.cu",
        "cfr_sequences.cu",
        defines={"OTHERS": num_others},
        before="struct Rule;\n",
    )


class SequencePasses:
    """Recorded passes over a form: an iteration, the plans, and NashConv of the average."""

    def __init__(
        self,
        form: SequenceForm,
        tables: SequenceTables,
        device: GpuDevice,
        config: CFRConfig,
        host: dict[str, NDArray[Any]],
    ) -> None:
        self.form, self.tables, self.config = form, tables, config
        self.run = CudaRun(device, LAYOUT, config, host)
        arrays, size = self.run.arrays, form.num_sequences
        for name in SequenceTables._fields:
            table = getattr(tables, name)
            if isinstance(table, np.ndarray):
                arrays[name] = device.upload(table.ravel())
        arrays["parents"] = device.upload(form.parents)
        arrays["plan"] = device.upload(np.ones(size))
        arrays["gains"] = device.zeros(size, np.float64)
        arrays["values"] = device.zeros(len(form.parents), np.float64)
        arrays["parts"] = device.zeros(PARTS, np.float64)
        arrays["result"] = device.zeros(2 * form.num_players, np.float64)
        self._average_plan = device.upload(np.ones(size))
        self._settings = {"num_entries": len(tables.payoffs)}
        self.play_iteration = self.run.record(self._iteration())
        self.play_plans = self.run.record(
            [launch for player in range(form.num_players) for launch in self._realise(player)]
        )
        self.play_gap = self.run.record(self._gap())

    def iterate(self, clock: NDArray[np.int64], iterations: int) -> None:
        """Run that many iterations, from the newer copy of the arrays."""
        if self.run.send():
            self.play_plans()
        self.run.iterate(clock, iterations, self.play_iteration)

    def nash_conv(self) -> float:
        """What all players together could gain against the average."""
        self.run.send()
        self.play_gap()
        values = self.run.device.download(self.run.arrays["result"])
        return float(sum(best - value for value, best in values.reshape(-1, 2).tolist()))

    def _launch(self, kernel: str, first: int, count: int, **fields: Any) -> Launch:
        arguments = {**self._settings, "first": first, "count": count, **fields}
        block = THREADS if kernel in ("weigh", "conclude") else 128
        threads = PARTS * block if kernel == "weigh" else count
        return self.run.launch(kernel, threads, arguments, block=block)

    def _iteration(self) -> list[Launch]:
        launches: list[Launch] = []
        for player, (first, count) in enumerate(self.tables.slices):
            launches.append(self._launch("earn", first, count, mode=LEARN))
            launches += [self._launch("learn", *level) for level in self._upwards(player)]
            if self.config.alternating:
                launches += self._realise(player)
        if not self.config.alternating:
            for player in range(self.form.num_players):
                launches += self._realise(player)
        return [*launches, self._launch("tick", 0, 1)]

    def _upwards(self, player: int) -> list[tuple[int, int]]:
        return self.tables.levels[player][::-1]

    def _realise(self, player: int) -> list[Launch]:
        return [self._launch("realise", *level) for level in self.tables.levels[player]]

    def _gap(self) -> list[Launch]:
        launches: list[Launch] = []
        bases = self.form.bases.astype(np.int64).tolist()
        for begin, end in itertools.pairwise(bases):
            launches.append(self._launch("spread", begin, end - begin, plan=self._average_plan))
        for player, (first, count) in enumerate(self.tables.slices):
            whole = bases[player], bases[player + 1] - bases[player]
            arguments: dict[str, Any] = {"plan": self._average_plan, "mode": BEST, "player": player}
            launches.append(self._launch("earn", first, count, **arguments))
            launches.append(self._launch("weigh", *whole, **arguments))
            launches += [
                self._launch("respond", *level, **arguments) for level in self._upwards(player)
            ]
            launches.append(self._launch("conclude", whole[0], PARTS, **arguments))
        return launches


def sequence_bytes(form: SequenceForm, tables: SequenceTables) -> int:
    """Bytes that a solve takes on the GPU."""
    return tables.nbytes + 8 * (6 * form.num_sequences + len(form.parents)) + form.parents.nbytes


class PublicLevels(NamedTuple):
    """N nodes by depth, and each player's own nodes by how many of them lie above."""

    shapes: I32  # (N,)
    slots: I32  # (N,)
    children: I32  # (N,)
    reach: I32  # (2 * N,)
    own_nodes: I32  # (N,) decision nodes
    depths: list[tuple[int, int]]  # for each depth: first node and number
    own_depths: list[list[tuple[int, int]]]  # for each player: first place in `own_nodes`, number


def by_levels(tree: PublicTree) -> PublicLevels:
    """The tree by depth."""
    from riverboat.trees.jitted import LevelArrays, number_levels

    size = tree.num_nodes
    count = np.bincount(tree.node_depth, minlength=tree.shapes.max_depth).astype(np.int64)
    offsets: I64 = np.concatenate(([0], np.cumsum(count)))
    arrays = LevelArrays(*(np.empty(n, np.int32) for n in (size, size, size, 2 * size, size)))
    number_levels(tree_arrays(tree, fixed=False), offsets, arrays)
    actor = tree.shapes.actor[arrays.shapes]
    order = np.lexsort((arrays.own_depth, actor))
    first = int(np.count_nonzero(actor < 0))
    own_depths: list[list[tuple[int, int]]] = []
    for player in (0, 1):
        widths = np.bincount(arrays.own_depth[actor == player])
        starts = first + np.concatenate(([0], np.cumsum(widths)))
        own_depths.append(list(zip(starts[:-1].tolist(), widths.tolist(), strict=True)))
        first += int(widths.sum())
    depths = list(zip(offsets[:-1].tolist(), count.tolist(), strict=True))
    return PublicLevels(*arrays[:4], order.astype(np.int32), depths, own_depths)


def public_text(shapes: PublicShapes) -> str:
    """The kernels for these numbers of lanes and actions."""
    return kernel_text(
        PUBLIC_LAYOUT,
        "riverboat.solvers",
        "cfr_rule.cu",
        "cfr_lanes.cu",
        defines={"LANES": shapes.num_lanes, "ACTIONS": int(shapes.num_slots.max())},
        before="struct Rule;\n",
    )


class PublicPasses:
    """Recorded passes over a public tree: an iteration, the plans, values of the average."""

    def __init__(
        self,
        tree: PublicTree,
        levels: PublicLevels,
        device: GpuDevice,
        config: CFRConfig,
        host: dict[str, NDArray[Any]],
    ) -> None:
        self.tree, self.levels, self.config = tree, levels, config
        self.run = CudaRun(device, PUBLIC_LAYOUT, config, host)
        self._upload(device)
        self._old_plans = True
        record = self.run.record
        self.play_iteration = record(self._iteration())
        self.play_plans = record([*self._descend(0, LEARN), *self._descend(1, LEARN)])
        self.play_average = record([*self._descend(0, AVERAGE), *self._descend(1, AVERAGE)])
        self.play_rise = {
            (player, mode): record(self._rise(player, mode))
            for player in (0, 1)
            for mode in (AVERAGE, BEST)
        }

    def _upload(self, device: GpuDevice) -> None:
        shapes, lanes, arrays = self.tree.shapes, self.tree.shapes.num_lanes, self.run.arrays
        for name in ("shapes", "slots", "children", "reach", "own_nodes"):
            arrays[name] = device.upload(getattr(self.levels, name))
        small: dict[str, NDArray[Any]] = {
            "actors": shapes.actor,
            "slot_offsets": shapes.slot_offsets,
            "slot_table": shapes.slot_table,
            "edge_offsets": shapes.edge_offsets,
            "edge_slot": shapes.edge_slot,
        }
        for name, array in small.items():
            arrays[name] = device.upload(array.astype(np.int32))
        arrays["edge_weight"] = device.upload(shapes.edge_weight)
        arrays["payoffs"] = device.upload(shapes.payoffs.ravel())
        arrays["values"] = device.zeros(self.tree.num_nodes * lanes, np.float64)
        arrays["plan"] = device.zeros((self.tree.num_slots + 1) * lanes, np.float64)
        arrays["plan"][self.tree.num_slots * lanes :] = 1.0

    def iterate(self, clock: NDArray[np.int64], iterations: int) -> None:
        """Run that many iterations, from the newer copy of the arrays."""
        if self.run.send() or self._old_plans:
            self.run.load_rules(int(clock[0]))
            self.play_plans()
            self._old_plans = False
        self.run.iterate(clock, iterations, self.play_iteration)

    def lane_values(self) -> list[NDArray[np.float64]]:
        """(L,) values by lane: both players' under the average, then with best responses."""
        self.run.send()
        self._old_plans = True
        self.play_average()
        lanes, values = self.tree.shapes.num_lanes, []
        for mode in (AVERAGE, BEST):
            for player in (0, 1):
                self.play_rise[player, mode]()
                values.append(self.run.device.download(self.run.arrays["values"][:lanes]))
        return values

    def _launch(self, kernel: str, first: int, count: int, **fields: int) -> Launch:
        arguments = {
            "first": first,
            "count": count,
            "num_tables": self.tree.shapes.num_tables,
            **fields,
        }
        return self.run.launch(kernel, count * self.tree.shapes.num_lanes, arguments)

    def _rise(self, player: int, mode: int) -> list[Launch]:
        return [
            self._launch("rise", *level, player=player, mode=mode)
            for level in self.levels.depths[::-1]
        ]

    def _descend(self, player: int, mode: int, *, is_next: bool = False) -> list[Launch]:
        return [
            self._launch("descend", *level, player=player, mode=mode, is_next=int(is_next))
            for level in self.levels.own_depths[player]
        ]

    def _iteration(self) -> list[Launch]:
        launches: list[Launch] = []
        for player in (0, 1):
            launches += self._rise(player, LEARN)
            if self.config.alternating:
                launches += self._descend(player, LEARN, is_next=True)
        if not self.config.alternating:
            for player in (0, 1):
                launches += self._descend(player, LEARN, is_next=True)
        return [*launches, self._launch("tick", 0, 1)]


def public_bytes(tree: PublicTree, config: CFRConfig) -> int:
    """Bytes that a solve takes on the GPU."""
    shapes = tree.shapes
    rows = (4 if config.prediction else 3) * tree.num_slots + tree.num_nodes
    tables = 2 * shapes.num_tables * shapes.num_lanes**2
    return 8 * (rows * shapes.num_lanes + tables) + 24 * tree.num_nodes
