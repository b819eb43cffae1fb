"""The cards still to come: one board for each class of runouts, and what renaming does to hands.

Two runouts are the same where renaming suits turns one into the other and changes neither the
board nor a range. A parent's value is then the sum over all cards of the value on the class's
board, read at the renamed hand. Without such symmetry every card is its own class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from riverboat.cards.card import card_text
from riverboat.cards.combos import suit_permutations
from riverboat.cards.hands import hand_cards, hand_numbers
from riverboat.errors import ParameterError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.array_types import I64, U8

LANES = 16  # Rows of hands are padded to a multiple of this


def padded(size: int) -> int:
    """The size rounded up to whole lanes."""
    return -(-size // LANES) * LANES


class BoardLevel(NamedTuple):
    """The boards of one street, those of the same parent side by side."""

    cards: I64  # (B, n) the cards dealt since the spot began
    first_child: I64  # (B + 1,) into the next street's boards
    first_member: I64  # (B + 1,) into `members`
    members: I64
    """For each card of a board's class, the renaming that turns it into the board."""
    member_cards: I64  # Those cards
    stabiliser: I64
    """(B,) row of `HandMaps.canonical`: hands that are the same on this board."""


class HandMaps(NamedTuple):
    """What renaming suits does to a player's hands; P is the padded number of hands."""

    renamed: I64
    """(renamings, P) index of the hand with its suits renamed; row 0 changes nothing."""
    canonical: I64
    """(stabilisers, P) the first hand that is the same; row 0 changes nothing."""


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

    def path(self, street: int, board: int) -> tuple[int, ...]:
        """The boards on the way to a board of a street, by street, that board the last."""
        boards = [board]
        for level in reversed(self.levels[:street]):
            boards.insert(0, int(np.searchsorted(level.first_child, boards[0], side="right")) - 1)
        return tuple(boards)

    @property
    def num_boards(self) -> tuple[int, ...]:
        return tuple(len(level.cards) for level in self.levels)


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
                    undealt = [card for card in range(52) if card not in (*board, *dealt)]
                    below += [((*dealt, card), own) for card in undealt]
                    next_first += range(len(next_members) + 1, len(next_members) + len(undealt) + 1)
                    next_members += [0] * len(undealt)
                    next_cards += undealt
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
        levels.append(BoardLevel(dealt_cards, *(np.array(numbers, np.int64) for numbers in lists)))
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
    card_maps = suit_permutations()[0]
    board, dead = set(spot.board), set(spot.dead)
    every = hand_cards(spot.hole_cards)
    clean = [range_.without(list(spot.gone)).weights for range_ in spot.ranges]
    return [
        g
        for g in range(len(card_maps))
        if {int(card_maps[g, card]) for card in board} == board
        and {int(card_maps[g, card]) for card in dead} == dead
        and all((weights[_renamed_numbers(every, g)] == weights).all() for weights in clean)
    ]


def _renamed_numbers(hands: U8, renaming: int) -> I64:
    """(H,) the numbers of hands (H, k) with their suits renamed."""
    card_maps, combo_maps = suit_permutations()
    if hands.shape[1] == 2:
        return np.asarray(combo_maps[renaming], np.int64)
    return hand_numbers(card_maps[renaming][hands])


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


def map_hands(hands: I64, boards: BoardClasses) -> HandMaps:
    """The maps of hands (H, k), each with its cards in rising order."""
    card_maps = suit_permutations()[0].astype(np.int64)
    width, num_hands = padded(len(hands)), len(hands)
    renamed = np.tile(np.arange(width), (len(boards.renamings), 1))
    for row, g in enumerate(boards.renamings):
        renamed[row, :num_hands] = rename_hands(hands, card_maps[g])
    canonical = np.tile(np.arange(width), (len(boards.stabilisers), 1))
    for row, group in enumerate(boards.stabilisers):
        images = [rename_hands(hands, card_maps[g]) for g in group]
        canonical[row, :num_hands] = np.stack(images).min(axis=0)
    return HandMaps(renamed, canonical)


def rename_hands(hands: I64, renamed: I64) -> I64:
    """(H,) the index among the hands (H, k) of each one with its cards `renamed` (52,)."""
    codes = _codes(hands)
    by_code = np.argsort(codes)
    wanted = _codes(np.sort(renamed[hands], axis=1))
    return np.asarray(by_code[np.searchsorted(codes[by_code], wanted)])


def _codes(hands: I64) -> I64:
    """(H,) a number for each hand, by its cards."""
    return np.asarray(hands @ 52 ** np.arange(hands.shape[1], dtype=np.int64))
