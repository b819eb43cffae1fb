"""Node locking for three players: the locks of spots for two, placed in a layout for three."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riverboat.errors import UsageError
from riverboat.holdem.spots.engine.tree import NodeKind
from riverboat.holdem.spots.locks import Lock, find_node, locked_hands, locked_shares
from riverboat.holdem.spots.multiway.layout3 import ThreeWayLayout
from riverboat.runtime.array_types import F32


@dataclass(frozen=True, eq=False)
class PlacedThreeLock:
    """A lock where the layout keeps its node's numbers."""

    player: int
    start: int
    mask: F32  # (P,) one for locked hands
    rows: F32  # (actions, P) their strategy

    def enforce(self, numbers: F32) -> None:
        """Write the locked strategy into regrets or averages: regret matching then plays it."""
        locked = self.mask > 0
        block = numbers[self.start : self.start + self.rows.size].reshape(self.rows.shape)
        block[:, locked] = self.rows[:, locked]


def place_locks3(layout: ThreeWayLayout, locks: Sequence[Lock]) -> list[PlacedThreeLock]:
    """Where locks are in a layout; those of one node become one, the later holds."""
    placed: dict[tuple[int, int], PlacedThreeLock] = {}
    for lock in locks:
        node, dealt = find_node(layout.tree, lock.node)
        if node.kind != NodeKind.DECISION:
            raise UsageError(f"Nobody acts at {lock.node}, so it cannot be locked.")
        board, renamed = layout.boards.find(dealt)
        if not (renamed == np.arange(52)).all():
            raise UsageError(f"{lock.node} shares its numbers with another runout.")
        player, combos = node.player, layout.combos[node.player]
        locked = np.zeros(layout.widths[player], np.float32)
        locked[: len(combos)] = locked_hands(lock)[combos]
        if not locked.any():
            raise UsageError(f"The lock of {lock.node} names no hand of the player who acts there.")
        start = layout.start(node, board)
        rows = locked_shares(lock, node, layout.tree)[:, None] * locked
        old = placed.get((player, start))
        if old is not None:
            keep = np.where(locked > 0, 0.0, old.mask).astype(np.float32)
            rows, locked = rows + old.rows * keep, np.maximum(locked, keep)
        placed[player, start] = PlacedThreeLock(player, start, locked, rows)
    return list(placed.values())


def keeps_symmetry3(layout: ThreeWayLayout, locks: Sequence[Lock]) -> bool:
    """Whether locks treat alike what is the same up to the names of suits."""
    if all(len(level.cards) == len(level.member_cards) for level in layout.boards.levels):
        return True
    if any(find_node(layout.tree, lock.node)[1] for lock in locks):
        return False
    stabiliser = int(layout.boards.levels[0].stabiliser[0])
    for lock in place_locks3(layout, locks):
        same = layout.hand_maps(lock.player)[1][stabiliser]
        if not np.array_equal(lock.mask, lock.mask[same]):
            return False
        if not np.array_equal(lock.rows, lock.rows[:, same]):
            return False
    return True
