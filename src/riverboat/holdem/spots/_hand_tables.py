"""Two players' hands as the kernels for two read them: eight lanes a card, hands by strength."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from riverboat.cards.combos import COMBO_CARDS
from riverboat.runtime.array_types import F32, I16, I64

if TYPE_CHECKING:
    from riverboat.holdem.spots.layout import Layout


class HandTables(NamedTuple):
    """One player's hands on all boards; H hands, P the padded number."""

    combos: I64  # (H,)
    weights: F32  # (P,) zero beyond H
    first_card: I64  # (P,) eight times the low card: where its eight lanes begin
    second_card: I64  # (P,)
    same: I64
    """(P,) eight times the opponent's index of the same hand; of none, eight times their P."""
    renamed: I64
    """(renamings, P) index of the hand with its suits renamed; row 0 changes nothing."""
    canonical: I64
    """(stabilisers, P) the first hand that is the same; row 0 changes nothing."""
    order: I16
    """(river boards, H) hands by strength, weakest first, then those that the board blocks."""
    num_valid: I64  # (river boards,) how many are not blocked
    first_group: I64  # (river boards + 1,) into `groups`
    groups: I16
    """(G, 3) hands of equal strength: where they end in `order`, how many of the opponent's hands
    are weaker, and how many are not stronger."""


def hand_tables(layout: Layout) -> tuple[HandTables, HandTables]:
    """Both players' tables."""
    first, second = (_table(layout, player) for player in (0, 1))
    return first, second


def _table(layout: Layout, player: int) -> HandTables:
    mine, theirs = layout.combos[player], layout.combos[1 - player]
    width, their_width = layout.widths[player], layout.widths[1 - player]
    their_index = np.full(1326, their_width, np.int64)
    their_index[theirs] = np.arange(len(theirs))
    same = np.full(width, 8 * their_width, np.int64)
    same[: len(mine)] = 8 * their_index[mine]
    cards = np.zeros((width, 2), np.int64)
    cards[: len(mine)] = 8 * COMBO_CARDS[mine].astype(np.int64)
    own, other = layout.ranked[player], layout.ranked[1 - player]
    first_group, groups = _groups(own.ranks, other.ranks, own.num_valid, other.num_valid)
    return HandTables(
        mine,
        layout.weights[player],
        np.ascontiguousarray(cards[:, 0]),
        np.ascontiguousarray(cards[:, 1]),
        same,
        *layout.maps[player],
        own.order,
        own.num_valid,
        first_group,
        groups,
    )


def _groups(mine: I16, theirs: I16, num_valid: I64, their_valid: I64) -> tuple[I64, I16]:
    """Where each group of equal hands ends, and how many of the opponent's are below and level."""
    firsts, parts = [0], []
    counts = zip(num_valid.tolist(), their_valid.tolist(), strict=True)
    for own, other, (valid, others) in zip(mine, theirs, counts, strict=True):
        own, other = own[:valid], other[:others]
        ends = np.append(np.flatnonzero(own[1:] != own[:-1]) + 1, valid)[: valid or 0]
        levels = own[ends - 1]
        low = np.searchsorted(other, levels, side="left")
        high = np.searchsorted(other, levels, side="right")
        parts.append(np.column_stack([ends, low, high]).astype(np.int16))
        firsts.append(firsts[-1] + len(parts[-1]))
    return np.array(firsts, np.int64), np.concatenate(parts)
