"""The kernel of information-set search on a GameTree."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import numpy as np
from numba import njit

from riverboat.random_kernels import GOLDEN, mix, unit

__all__ = ["search_infosets"]


@njit(cache=True)
def search_infosets(
    actor, infoset, children, chance, offsets, line, returns, simulations, constant, generator,
    visits, sums, path,
):  # fmt: skip
    """So many plays from the root; visits and sums (A,) of the slots are changed in place.

    actor, infoset, chance, line (N,): of a history, line being its row of returns (T, P);
    children (N + 1,) and offsets (I + 1,) as in GameTree; generator (1,); path (depth, 2) slots
    and players of a play, work space.
    """
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
