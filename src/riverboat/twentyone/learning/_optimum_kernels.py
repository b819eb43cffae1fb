"""Sweeps over all hands of twenty-one against one open card."""

from __future__ import annotations

from riverboat.runtime.array_types import F64, I8, I16
from riverboat.runtime.compiled import njit

FREE = -1.0  # In place of a probability: every hand chooses for itself


@njit(cache=True)
def value_kernel(
    up: int,
    bust: float,
    stand: F64,
    after: I16,
    remaining: I8,
    size: I8,
    row: I16,
    hits: F64,
    q: F64,
    values: F64,
) -> None:
    """Backward sweep: what each hand is worth when row r hits with probability hits[r].

    up: value − 1 of the open card; bust: worth of a bust; stand (H,): worth of standing;
    after (H, 10): the hand after a card, −1 over 21; remaining (H, 10): cards left in the pack;
    size (H,): cards in the hand; row (H,): the row a hand belongs to; hits (R,): FREE lets each
    hand take its better action. Writes q (H, 2), hit and stand, and values (H,).
    """
    for h in range(len(stand) - 1, -1, -1):
        total = 0.0
        for v in range(10):
            copies = remaining[h, v] - (v == up)
            if copies > 0:
                following = after[h, v]
                total += copies * (values[following] if following >= 0 else bust)
        hit = total / (51 - size[h])
        p = hits[row[h]]
        q[h, 0] = hit
        q[h, 1] = stand[h]
        if p < 0.0:
            values[h] = max(hit, stand[h])
        else:
            values[h] = p * hit + (1.0 - p) * stand[h]


@njit(cache=True)
def reach_kernel(
    up: int, after: I16, remaining: I8, size: I8, row: I16, hits: F64, q: F64, reach: F64
) -> None:
    """Forward sweep: reach (H,) holds the deal and is written to how often a hand decides.

    The other arguments are those of value_kernel; a FREE row hits where q says so.
    """
    for h in range(len(reach)):
        p = hits[row[h]]
        if p < 0.0:
            p = 1.0 if q[h, 0] > q[h, 1] else 0.0
        moving = reach[h] * p / (51 - size[h])
        if moving == 0.0:
            continue
        for v in range(10):
            copies = remaining[h, v] - (v == up)
            if copies > 0 and after[h, v] >= 0:
                reach[after[h, v]] += moving * copies
