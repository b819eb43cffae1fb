"""The cards still to come: one board for each class of runouts, and its hands by strength.

Two runouts are the same where renaming suits turns one into the other and changes neither the
board nor a range. A parent's value is then the sum over all cards of the value on the class's
board, read at the renamed hand. Without such symmetry every card is its own class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from riverboat.cards.card import card_text
from riverboat.cards.combos import COMBO_CARDS, suit_permutations
from riverboat.errors import ParameterError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.array_types import F32, F64, I16, I64, U8, U16

if TYPE_CHECKING:
    from riverboat.holdem.spots.spot import Spot

LANES = 16  # Rows of hands are padded to a multiple of this


def padded(size: int) -> int:
    """The size rounded up to whole lanes."""
    return -(-size // LANES) * LANES


def meeting_weights(theirs: F64, combos: I64) -> F64:
    """(H,) for each combo, the weight of the opponent's hands (1326,) that it can meet."""
    cards = COMBO_CARDS.astype(np.int64)
    by_card = np.bincount(cards.ravel(), np.repeat(theirs, 2), 52)
    own = cards[combos]
    # A hand that holds both cards was taken off twice.
    return np.asarray(theirs.sum() - by_card[own[:, 0]] - by_card[own[:, 1]] + theirs[combos])


class BoardLevel(NamedTuple):
    """The boards of one street, those of the same parent side by side."""

    cards: I64  # (B, n) the cards dealt since the spot began
    first_child: I64  # (B + 1,) into the next street's boards
    first_member: I64  # (B + 1,) into `members`
    members: I64
    """For each card of a board's class, the renaming that turns it into the board."""
    member_cards: I64  # Those cards
    stabiliser: I64
    """(B,) row of `HandTables.canonical`: hands that are the same on this board."""


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


@dataclass(frozen=True, kw_only=True)
class BoardClasses:
    """All boards of a spot, one for each class of runouts."""

    board: tuple[int, ...]  # The cards the spot begins with
    levels: tuple[BoardLevel, ...]  # From the street the spot begins on to the river
    renamings: tuple[int, ...]  # The suit permutation of each member's number
    stabilisers: tuple[tuple[int, ...], ...]
    """For each number in `BoardLevel.stabiliser` the suit permutations that keep such a board."""

    def find(self, cards: Sequence[int]) -> tuple[int, I64]:
        """The board for some dealt cards, and how cards (52,) are renamed to be on it."""
        maps = suit_permutations()[0].astype(np.int64)
        board, renamed = 0, np.arange(52)
        for street, card in enumerate(cards, 1):
            above, level = self.levels[street - 1], self.levels[street]
            children = range(int(above.first_child[board]), int(above.first_child[board + 1]))
            wanted = int(renamed[card])
            for child in children:
                first, last = int(level.first_member[child]), int(level.first_member[child + 1])
                places = np.flatnonzero(level.member_cards[first:last] == wanted)
                if len(places):
                    which = int(level.members[first + int(places[0])])
                    board, renamed = child, maps[self.renamings[which]][renamed]
                    break
            else:
                raise ParameterError(f"{card_text(card)} cannot be dealt here.")
        return board, renamed

    @property
    def num_boards(self) -> tuple[int, ...]:
        return tuple(len(level.cards) for level in self.levels)


@dataclass(frozen=True, kw_only=True)
class Runouts(BoardClasses):
    """All boards of a spot and both players' hands on them."""

    unranked: tuple[HandTables, HandTables]
    """Both players' hands; what needs the hands' strengths may still be empty."""

    @cached_property
    def hands(self) -> tuple[HandTables, HandTables]:
        """Both players' hands with all tables."""
        if len(self.unranked[0].order):
            return self.unranked
        return _ranked(self.board, self.levels[-1].cards, self.unranked)


def build_runouts(spot: Spot, *, isomorphism: bool = True) -> Runouts:
    """The boards and tables of a spot."""
    boards = classify_boards(spot, isomorphism=isomorphism)
    return Runouts(**vars(boards), unranked=_tables(spot, boards))


def classify_boards(spot: Spot, *, isomorphism: bool = True) -> BoardClasses:
    """The boards of a spot for two or three players."""
    card_maps = suit_permutations()[0]
    group = _symmetries(spot) if isomorphism else [_identity()]
    board = set(spot.gone)
    renamings: dict[int, int] = {_identity(): 0}
    stabilisers: dict[tuple[int, ...], int] = {(_identity(),): 0}
    current: list[tuple[tuple[int, ...], list[int]]] = [((), group)]
    first_member, members, cards = [0, 1], [0], [-1]
    levels: list[BoardLevel] = []
    for street in range(spot.street, Street.RIVER + 1):
        names = [stabilisers.setdefault(tuple(sorted(own)), len(stabilisers)) for _, own in current]
        first_child, below, next_first = [0], [], [0]
        next_members, next_cards = list[int](), list[int]()
        if street < Street.RIVER:
            for dealt, own in current:
                if len(own) == 1:
                    # Nothing can be renamed: every card is its own class.
                    left = [card for card in range(52) if card not in board and card not in dealt]
                    below += [((*dealt, card), own) for card in left]
                    next_first += range(len(next_members) + 1, len(next_members) + len(left) + 1)
                    next_members += [0] * len(left)
                    next_cards += left
                    first_child.append(len(below))
                    continue
                classes = _classes(board.union(dealt), own, card_maps)
                for card, images in classes.items():
                    keep = [g for g in own if card_maps[g, card] == card]
                    below.append(((*dealt, card), keep))
                    next_members += [
                        renamings.setdefault(g, len(renamings)) for g in images.values()
                    ]
                    next_cards += list(images)
                    next_first.append(len(next_members))
                first_child.append(len(below))
        dealt_cards = np.array([dealt for dealt, _ in current], np.int64).reshape(len(current), -1)
        lists = (first_child, first_member, members, cards, names)
        levels.append(BoardLevel(dealt_cards, *(np.array(each, np.int64) for each in lists)))
        current, first_member, members, cards = below, next_first, next_members, next_cards
    return BoardClasses(
        board=spot.board,
        levels=tuple(levels),
        renamings=tuple(renamings),
        stabilisers=tuple(stabilisers),
    )


@lru_cache(maxsize=1)
def _identity() -> int:
    cards = suit_permutations()[0]
    return int(np.flatnonzero((cards == np.arange(52)).all(axis=1))[0])


def _symmetries(spot: Spot) -> list[int]:
    """The renamings of suits that change neither the board, the dead cards nor a range."""
    card_maps, combo_maps = suit_permutations()
    board, dead = set(spot.board), set(spot.dead)
    clean = [range_.without(list(spot.gone)).weights for range_ in spot.ranges]
    return [
        g
        for g in range(len(card_maps))
        if {int(card_maps[g, card]) for card in board} == board
        and {int(card_maps[g, card]) for card in dead} == dead
        and all((weights[combo_maps[g]] == weights).all() for weights in clean)
    ]


def _classes(used: set[int], group: list[int], card_maps: U8) -> dict[int, dict[int, int]]:
    """Cards that may come, by the first of their class, each with a renaming to that first one."""
    classes: dict[int, dict[int, int]] = {}
    for card in range(52):
        if card in used:
            continue
        for g in group:
            image = int(card_maps[g, card])
            if image in classes:
                classes[image][card] = g
                break
        else:
            classes[card] = {card: _identity()}
    return classes


def renamed_hands(combos: I64, boards: BoardClasses) -> tuple[I64, I64]:
    """(renamings, P) and (stabilisers, P): `HandTables.renamed` and `.canonical` of some hands."""
    combo_maps, width, num = suit_permutations()[1], padded(len(combos)), len(combos)
    index = np.full(1326, -1, np.int64)
    index[combos] = np.arange(num)
    renamed = np.tile(np.arange(width), (len(boards.renamings), 1))
    for row, g in enumerate(boards.renamings):
        renamed[row, :num] = index[combo_maps[g, combos]]
    canonical = np.tile(np.arange(width), (len(boards.stabilisers), 1))
    for row, group in enumerate(boards.stabilisers):
        images = np.stack([index[combo_maps[g, combos]] for g in group])
        canonical[row, :num] = images.min(axis=0)
    return renamed, canonical


def _tables(spot: Spot, boards: BoardClasses) -> tuple[HandTables, HandTables]:
    """Both players' hands without what needs their strengths."""
    combos = [spot.hands(player) for player in (0, 1)]
    found = []
    for player in (0, 1):
        mine, theirs = combos[player], combos[1 - player]
        width, their_width = padded(len(mine)), padded(len(theirs))
        same = np.full(width, 8 * their_width, np.int64)
        their_index = np.full(1326, their_width, np.int64)
        their_index[theirs] = np.arange(len(theirs))
        same[: len(mine)] = 8 * their_index[mine]
        cards = np.zeros((width, 2), np.int64)
        cards[: len(mine)] = 8 * COMBO_CARDS[mine].astype(np.int64)
        weights = np.zeros(width, np.float32)
        weights[: len(mine)] = spot.weights(player)
        found.append(
            HandTables(
                mine,
                weights,
                np.ascontiguousarray(cards[:, 0]),
                np.ascontiguousarray(cards[:, 1]),
                same,
                *renamed_hands(mine, boards),
                np.zeros((0, len(mine)), np.int16),
                np.zeros(0, np.int64),
                np.zeros(1, np.int64),
                np.zeros((0, 3), np.int16),
            )
        )
    return found[0], found[1]


def _ranked(
    board: tuple[int, ...], rivers: I64, tables: tuple[HandTables, HandTables]
) -> tuple[HandTables, HandTables]:
    """The tables with the hands of every river board by strength."""
    # Where a GPU ranks the hands, nothing here is compiled or even loaded.
    from riverboat.cards.strength import BLOCKED, board_strengths

    strengths = np.stack([board_strengths([*board, *cards]) for cards in rivers.tolist()])
    values = [strengths[:, each.combos] for each in tables]
    orders = [np.argsort(each, axis=1, kind="stable") for each in values]
    ranked = [np.take_along_axis(v, o, axis=1) for v, o in zip(values, orders, strict=True)]
    found = []
    for player in (0, 1):
        num_valid = (values[player] != BLOCKED).sum(axis=1).astype(np.int64)
        first, groups = _groups(ranked[player], ranked[1 - player], num_valid)
        order = np.ascontiguousarray(orders[player].astype(np.int16))
        found.append(
            tables[player]._replace(
                order=order, num_valid=num_valid, first_group=first, groups=groups
            )
        )
    return found[0], found[1]


def _groups(mine: U16, theirs: U16, num_valid: I64) -> tuple[I64, I16]:
    """Where each group of equal hands ends, and how many of the opponent's are below and level."""
    firsts, parts = [0], []
    for own, other, valid in zip(mine, theirs, num_valid.tolist(), strict=True):
        own = own[:valid]
        ends = np.append(np.flatnonzero(own[1:] != own[:-1]) + 1, valid)[: valid or 0]
        levels = own[ends - 1]
        low = np.searchsorted(other, levels, side="left")
        high = np.searchsorted(other, levels, side="right")
        parts.append(np.column_stack([ends, low, high]).astype(np.int16))
        firsts.append(firsts[-1] + len(parts[-1]))
    return np.array(firsts, np.int64), np.concatenate(parts)
