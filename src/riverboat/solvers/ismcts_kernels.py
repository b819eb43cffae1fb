"""The kernel of information-set search on a GameTree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from riverboat.array_types import F64, I8, I32, I64, U64
from riverboat.random_kernels import GOLDEN, mix, unit

__all__ = ["SearchTree", "search_infosets"]


class SearchTree(NamedTuple):
    """What the search reads of a GameTree: N histories, I infosets, T ends, P players."""

    actor: I8  # (N,)
    infoset: I32  # (N,)
    children: I64  # (N + 1,) where a history's children begin
    chance: F64  # (N,)
    offsets: I64  # (I + 1,) first slot of each infoset
    line: I64  # (N,) its row of returns, −1 where the play goes on
    returns: F64  # (T, P)


@njit(cache=True)
def search_infosets(
    tree: SearchTree,
    simulations: int,
    constant: float,
    generator: U64,
    visits: F64,
    sums: F64,
    path: I64,
) -> None:
    """So many plays from the root; visits and sums (A,) of the slots are changed in place.

    generator (1,); path (depth, 2) slots and players of a play, work space.
    """
    actor, infoset, children, chance, offsets, line, returns = tree
    state = generator[0]
    for _ in range(simulations):
        node, length = np.int64(0), 0
        while line[node] < 0:
            first, last = children[node], children[node + 1]
            if actor[node] < 0:
                state += GOLDEN
                mark = unit(mix(state))
                while first < last - 1 and mark >= chance[first]:
                    mark -= chance[first]
                    first += 1
                node = first
                continue
            slot = offsets[infoset[node]]
            total = 0.0
            for a in range(last - first):
                total += visits[slot + a]
            best, most = 0, -1e300
            for a in range(last - first):
                n = visits[slot + a]
                score = 1e300
                if n > 0.0:
                    score = sums[slot + a] / n + constant * np.sqrt(np.log(total) / n)
                if score > most:
                    best, most = a, score
            path[length, 0] = slot + best
            path[length, 1] = actor[node]
            length += 1
            node = first + best
        for i in range(length):
            visits[path[i, 0]] += 1.0
            sums[path[i, 0]] += returns[line[node], path[i, 1]]
    generator[0] = state
