"""Training that is spread over workers: chunks of deals, walked on a snapshot of the numbers.

A chunk says all that its result depends on: its number (which seeds its deals and its rounding),
how many deals it has, and the snapshot it starts from. A worker walks it on its own copy
as a single machine would, then sends what changed (difference_kernels) and sets its copy back. So a
chunk that is walked twice, or elsewhere, gives the same bytes, and it is counted once.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import FileFormatError
from riverboat.holdem.abstraction.deals import Deals
from riverboat.holdem.blueprints._difference_kernels import (
    Layout,
    add_difference,
    index_difference,
    last_counted,
    mark_changes,
    set_numbers,
    take_difference,
    take_numbers,
)
from riverboat.holdem.blueprints._mccfr_kernels import Batch, Pruning, discount, walk
from riverboat.holdem.blueprints.game_config import AbstractGame
from riverboat.holdem.blueprints.trainer import BATCH, CEILING, arrays_of, desk_for
from riverboat.runtime.compiled import stream

FIRST_STREAM = 1 << 16  # Streams below it belong to the threads of a single machine
MAX_THREADS = 256
SHIFT = 4  # A mark stands for 2 ** SHIFT numbers of the table
RANGES = 64  # Of a table that is put together: threads take them one after the other


@dataclass(frozen=True)
class Chunk:
    """Some deals, and how many deals of the run lie before its round."""

    number: int
    deals: int
    before: int


class Merger:
    """Adds differences to a table, the same way on every machine."""

    def __init__(self, abstract: AbstractGame) -> None:
        tree, buckets = abstract.tree, abstract.buckets.num_buckets
        self.abstract, self.starts = abstract, tree.starts(buckets)
        self.num_buckets = np.tile(np.array(buckets), tree.game.players).astype(np.int64)
        infosets = tree.infosets.astype(np.int64)
        ordered = infosets[np.lexsort((infosets[:, 1], infosets[:, 0]))]
        rows = np.arange(len(tree.strides) + 1)
        self.layout = Layout(
            self.starts,
            np.array(tree.strides, np.int64),
            self.num_buckets,
            np.searchsorted(ordered[:, 0], rows).astype(np.int64),
            np.ascontiguousarray(ordered[:, 1]),
            np.ascontiguousarray(ordered[:, 2]),
        )
        game = tree.game
        unit = float(game.big_blind or game.ante or 1)
        self.prune_below = abstract.config.training.prune_below * unit
        self.floor = float(np.float32(-1.1 * self.prune_below))
        width = 2 * np.diff(self.layout.firsts)
        blocks = int(width @ self.num_buckets)
        self._counts = np.zeros(blocks, np.uint16)
        self.borders = np.arange(RANGES + 1) * blocks // RANGES

    def add(
        self, differences: Sequence[NDArray[np.uint8]], table: NDArray[np.float32], threads: int = 1
    ) -> NDArray[np.uint8]:
        """Add a round's differences to `table`, in this order; the numbers that changed by it.

        Averages add up. Regrets that several chunks changed are averaged over these chunks: all
        of them started from the same numbers and learned the same lesson, so that their sum would
        go too far, by as many times as there are chunks.

        Threads share the ranges of the table among them. What comes out is the same for any number.
        """
        # What Ray holds cannot be written to; a copy spares the compiler a second kind of array.
        writeable = [one if one.flags.writeable else one.copy() for one in differences]
        with ThreadPoolExecutor(threads) as pool:
            marks = list(pool.map(self._index, writeable))
            ranges = range(RANGES)
            ends = list(pool.map(lambda i: self._add(i, writeable, marks, table), ranges))
            afters = np.maximum.accumulate([0, *(end + 1 for end in ends)])
            bits = table.view(np.uint32)
            sizes = [sum(int(m[i + 1, 0] - m[i, 0]) for m in marks) for i in ranges]
            parts = pool.map(lambda i: self._take(i, bits, int(afters[i]), sizes[i]), ranges)
            return np.concatenate(list(parts))

    def _index(self, one: NDArray[np.uint8]) -> NDArray[np.int64]:
        marks = np.zeros((RANGES + 1, 2), np.int64)
        if index_difference(self.layout, one, self.borders, marks) < 0:
            raise FileFormatError("A worker's difference does not fit the game.")
        return marks

    def _add(
        self,
        number: int,
        differences: Sequence[NDArray[np.uint8]],
        marks: Sequence[NDArray[np.int64]],
        table: NDArray[np.float32],
    ) -> int:
        """Add all differences to a range of the table; the last block that changed there."""
        for adding in (False, True):
            for one, mark in zip(differences, marks, strict=True):
                (first, block), (last, _) = mark[number].tolist(), mark[number + 1].tolist()
                add_difference(
                    self.layout, one, first, last, block, self._counts, table, self.floor, adding
                )
        return int(last_counted(self._counts, *self._range(number)))

    def _take(
        self, number: int, bits: NDArray[np.uint32], after: int, size: int
    ) -> NDArray[np.uint8]:
        out = np.empty(5 * size + 8, np.uint8)
        first, last = self._range(number)
        return out[: take_numbers(self.layout, self._counts, bits, first, last, after, out)]

    def _range(self, number: int) -> tuple[int, int]:
        return int(self.borders[number]), int(self.borders[number + 1])

    def discount(self, table: NDArray[np.float32], factor: float) -> int:
        """Multiply all numbers by `factor`; returns the number of infosets visited so far."""
        tree = self.abstract.tree
        return int(
            discount(
                table,
                self.starts,
                tree.strides,
                self.num_buckets,
                tree.infosets,
                factor,
                np.float32(CEILING),
            )
        )


class ChunkWalker:
    """A worker's copy of the numbers; `version` counts the rounds that are in it."""

    def __init__(self, abstract: AbstractGame, seed: int, threads: int = 1) -> None:
        self.abstract, self.seed, self.threads = abstract, seed, threads
        self.merger = Merger(abstract)
        size = int(self.merger.starts[-1])
        self.base, self.table = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self.marks = np.zeros((size >> SHIFT) + 1, np.uint8)
        self.version = 0

    def load(self, version: int, table: NDArray[np.float32]) -> None:
        """Take the numbers from a snapshot."""
        self.base[:] = table
        self.table[:] = table
        self.version = version

    def follow(self, numbers: NDArray[np.uint8], factor: float | None) -> None:
        """Take over what came out of a round, and the discount at the end of a period."""
        bits = self.base.view(np.uint32), self.table.view(np.uint32)
        # What Ray holds cannot be written to; a copy spares the compiler a second kind of array.
        if set_numbers(self.merger.layout, np.array(numbers), *bits) < 0:
            raise FileFormatError("What came out of a round does not fit the game.")
        if factor is not None:
            self.merger.discount(self.base, factor)
            self.table[:] = self.base
        self.version += 1

    def walk(self, chunk: Chunk) -> NDArray[np.uint8]:
        """What a chunk changes; afterwards the copy is as it was."""
        shares = [len(range(i, chunk.deals, self.threads)) for i in range(self.threads)]
        if self.threads == 1:
            seen = [self._walk(chunk, 0, chunk.deals)]
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                work = [pool.submit(self._walk, chunk, *pair) for pair in enumerate(shares)]
                seen = [one.result() for one in work]
        # A node that was seen changes one block at most, so this is always room enough.
        room = sum(seen) * (6 + self.abstract.tree.widest) + 64
        out = np.empty(min(room, 7 * len(self.base) + 64), np.uint8)
        rounding = np.array([stream(self.seed % 2**64 ^ 0xD1FF, chunk.number)], np.uint64)
        mark_changes(self.base.view(np.uint32), self.table.view(np.uint32), self.marks, SHIFT)
        size = take_difference(
            self.merger.layout, self.base, self.table, self.marks, SHIFT, rounding, out
        )
        assert size >= 0, "room for every node that was seen"
        return np.array(out[:size])

    def _walk(self, chunk: Chunk, thread: int, count: int) -> int:
        """Walk some of the chunk's deals; how many nodes were seen."""
        abstract, training = self.abstract, self.abstract.config.training
        tree = abstract.tree
        number = FIRST_STREAM + chunk.number * MAX_THREADS + thread
        deals = Deals(tree.game, abstract.buckets, self.seed, number, BATCH)
        counts = np.zeros(2, np.int64)
        generator = np.array([stream(self.seed % 2**64, 2 * number + 1)], np.uint64)
        desk = desk_for(tree, generator, counts)
        prune = Pruning(
            np.float32(-self.merger.prune_below),
            training.prune_share if chunk.before >= training.prune_after else 0.0,
            np.float32(self.merger.floor),
        )
        arrays, players = arrays_of(tree, self.merger.starts), tree.game.players
        for first in range(0, count, BATCH):
            batch = Batch(*deals.next(min(BATCH, count - first)))
            walk(arrays, self.table, batch, 0, players, True, prune, desk)
        return int(counts[0])
