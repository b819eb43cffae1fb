"""Which kernel each river root gets: roots by the shape of their trees, and what kernels are told.

What is quick was measured on an H200: one or two hands for each thread, two to five blocks on a
multiprocessor, several roots of small trees in a block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from riverboat.holdem.spots.spot_arena import SpotArena
from riverboat.holdem.spots.spot_plan import won
from riverboat.holdem.spots.spot_river_cuda import RiverKernel, river_kernel
from riverboat.holdem.spots.spot_river_shape import Shape, outlined, shape_of, terminals_of
from riverboat.holdem.spots.spot_tree import NodeKind

__all__ = ["RiverSort", "sort_rivers", "tell_roots"]


@dataclass
class RiverSort:
    """River roots whose trees have the same shape."""

    shape: Shape
    roots: list[int]
    learn: RiverKernel | None
    look: RiverKernel | None
    amounts: Any = None
    table: Any = None


@lru_cache(maxsize=512)
def tuned_kernel(
    shape: Shape, *, learn: bool, raked: bool, sizes: tuple[int, int], count: int, limit: int
) -> RiverKernel | None:
    """The kernel for `count` roots of a shape, with what was measured to be quick on an H200."""
    states = max(1, len(outlined(shape).shown))
    roots = max(n for n in (1, 2, 4) if count % n == 0 and (n == 1 or n * states <= 6))
    # With rake a thread has three numbers for each state, else two.
    load = roots * states * (3 if raked else 2) // 2
    threads, wanted = _block(sizes[0], load)
    stages = ["to", "t", ""]
    if not learn or (load <= 5 and threads >= sizes[0]):
        # Where nothing is learned, or little, own numbers need no room of their own.
        stages = ["t", ""]
    for least in range(wanted, 0, -1):
        for stage in stages:
            for batch in (4, 3, 2, 1):
                made = river_kernel(
                    shape, learn=learn, raked=raked, sizes=sizes, threads=threads, roots=roots,
                    blocks=least, batch=batch, stage=stage,
                    # Each block takes 1 KiB more than it asks for.
                    limit=(limit + 1024) // least - 1024,
                )  # fmt: skip
                if made is not None:
                    return made
    return None


def _block(size: int, load: int) -> tuple[int, int]:
    """Threads of a block for so many own hands; how many blocks a multiprocessor should hold."""
    turns = -(-size // 576)
    if 320 < size <= 512 and load <= 6:
        turns = 2
    threads = -(-size // (32 * turns)) * 32
    if size > 512:
        return threads, 1
    if load >= 9:
        return threads, 2
    most = (1440 if load <= 5 else 1248) if turns == 1 else (1120 if load <= 5 else 896)
    return threads, max(1, most // threads)


def sort_rivers(
    arena: SpotArena, learner: int, limit: int, *, fused: bool = True
) -> list[RiverSort]:
    """River roots by the shape of their trees, with kernels where these are not too large.

    `limit` is the shared memory of a block; without `fused` there are no kernels.
    """
    found: dict[Shape, list[int]] = {}
    for index, root in enumerate(arena.plan.root_nodes[-1]):
        found.setdefault(shape_of(arena.tree, root, learner), []).append(index)
    sizes = [len(arena.runouts.unranked[who].combos) for who in (learner, 1 - learner)]
    sorts = []
    for shape, indices in found.items():
        sort = RiverSort(shape, indices, None, None)
        if fused:
            sort.learn, sort.look = (
                tuned_kernel(
                    shape, learn=learn, raked=arena.spot.rake_rate > 0, sizes=(sizes[0], sizes[1]),
                    count=len(indices), limit=limit,
                )
                for learn in (True, False)
            )  # fmt: skip
        sorts.append(sort)
    return sorts


def tell_roots(
    arena: SpotArena, learner: int, sorts: list[RiverSort], upload: Callable[..., Any]
) -> None:
    """Put on the device what the kernels of rivers are told about each root."""
    tree, roots = arena.tree, arena.plan.root_nodes[-1]
    raked = arena.spot.rake_rate > 0
    reaches = _root_reach(arena, learner)
    for sort in sorts:
        amounts, table = [], []
        for index in sort.roots:
            for end in terminals_of(tree, roots[index]):
                node = tree.nodes[end]
                win, tie, lose = won(tree, node)
                if node.kind == NodeKind.FOLD:
                    amounts.append((lose if node.player == learner else win, 0.0, 0.0))
                else:
                    amounts.append((win - tie, tie - lose, lose) if raked else (win, 0.0, 0.0))
            first = [_first_row(arena, roots[index], who) for who in (learner, 1 - learner)]
            table.append((reaches[index], *first, index))
        sort.amounts = upload(np.array(amounts), np.float32)
        sort.table = upload(np.array(table))


def _root_reach(arena: SpotArena, learner: int) -> list[int]:
    """For each river root the row of the opponent's reach there."""
    if arena.num_streets == 1:
        return [0]
    width = arena.plan.widths[1 - learner]
    return [int(reach) // width for reach in arena.plan.streets[-2][learner].chances[:, 0]]


def _first_row(arena: SpotArena, root: int, player: int) -> int:
    """A player's first row below a root, 0 where he has none."""
    waiting = [root]
    while waiting:
        node = arena.tree.nodes[waiting.pop()]
        if node.kind == NodeKind.DECISION and node.player == player:
            return arena.plan.node_rows[node.index]
        waiting += reversed(node.children)
    return 0
