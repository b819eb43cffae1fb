"""A public tree laid out for a GPU, and the passes of the CFR family over it.

An iteration goes through the players; for each it launches one kernel for each depth of the tree
from the last to the first, which finds his values and lets him learn, and then one for each depth
of his own nodes from the first to the last, for the reach of his actions. The kernels are in
cfr_lanes.cu.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riverboat.array_types import I32, I64
from riverboat.device_cuda import GpuDevice, JobLayout, Launch, kernel_text
from riverboat.solvers.config import CFRConfig
from riverboat.solvers.run_cuda import AVERAGE, BEST, LEARN, RULE_FIELDS, CudaRun
from riverboat.trees.public_tree import PublicShapes, PublicTree
from riverboat.trees.public_values import tree_arrays

__all__ = ["FIELDS", "KERNELS", "PublicLevels", "PublicPasses", "by_levels", "public_text"]

KERNELS = ("tick", "rise", "descend")
FIELDS: dict[str, tuple[str, ...]] = {
    **RULE_FIELDS,
    "double*": ("regrets", "last", "weights", "plan", "values"),
    "const double*": ("payoffs", "edge_weight"),
    "const int*": (
        "shapes", "slots", "children", "reach", "own_nodes",
        "actors", "slot_offsets", "slot_table", "edge_offsets", "edge_slot",
    ),
    "int": ("first", "count", "mode", "player", "is_next", "num_tables"),
}  # fmt: skip
LAYOUT = JobLayout(FIELDS)


class PublicLevels(NamedTuple):
    """N nodes by depth, and each player's own nodes by how often he acted before."""

    shapes: I32  # (N,)
    slots: I32  # (N,)
    children: I32  # (N,)
    reach: I32  # (2 * N,)
    own_nodes: I32  # (N,) those where somebody acts
    depths: list[tuple[int, int]]  # for each depth: first node and number
    own_depths: list[list[tuple[int, int]]]  # for each player: first place in `own_nodes`, number


def by_levels(tree: PublicTree) -> PublicLevels:
    """The tree by depth."""
    from riverboat.trees.public_level_kernels import LevelArrays, number_levels

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
    """The kernels for so many lanes and actions."""
    return kernel_text(
        LAYOUT,
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
        self.run = CudaRun(device, LAYOUT, config, host)
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
        """So many iterations, from what both copies of the arrays say."""
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
        lanes, found = self.tree.shapes.num_lanes, []
        for mode in (AVERAGE, BEST):
            for player in (0, 1):
                self.play_rise[player, mode]()
                found.append(self.run.device.download(self.run.arrays["values"][:lanes]))
        return found

    def _launch(self, kernel: str, first: int, count: int, **fields: int) -> Launch:
        told = {"first": first, "count": count, "num_tables": self.tree.shapes.num_tables, **fields}
        return self.run.launch(kernel, count * self.tree.shapes.num_lanes, told)

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
