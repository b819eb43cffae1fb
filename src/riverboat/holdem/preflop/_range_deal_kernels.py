"""Deals in which every player holds a hand of a given range."""

from __future__ import annotations

import numpy as np
from numpy import uint64

from riverboat.cards.card import NUM_CARDS
from riverboat.runtime.array_types import F64, I64, U8, U64
from riverboat.runtime.compiled import GOLDEN, mix, njit, unit

ONE = uint64(1)


@njit(cache=True, nogil=True)
def deal_ranges(
    generator: U64,
    cumulative: F64,
    hero: int,
    wanted: I64,
    members: I64,
    sizes: I64,
    combo_cards: U8,
    max_tries: int,
    cards: U8,
    dealt: I64,
    tries: I64,
) -> int:
    """Deal hands and boards; return the number of deals, which stand first in `cards`.

    The hero's hand is any of a class, the others' come from their ranges, independently. Where two
    share a card all are dealt anew, so the joint distribution is that of a shuffled deck, given the
    ranges. A deal that fails `max_tries` times is left out.

    Args:
        generator: (1,) the random state, advanced.
        cumulative: (P, 1326) each player's range, summed up to 1; the hero's row is not read.
        hero: Whose class is fixed.
        wanted: (D,) the classes to deal.
        members: (169, 12) the combos of each class.
        sizes: (169,) how many they are.
        combo_cards: (1326, 2) their cards.
        max_tries: When to give up a deal.
        cards: (D, 2P + 5) written: all hands, then the board.
        dealt: (D,) written: the place in `wanted` of each deal.
        tries: (169,) adds up the attempts by class.
    """
    num_players, num_combos = cumulative.shape
    state, count = generator[0], 0
    for d in range(wanted.shape[0]):
        group = wanted[d]
        for _ in range(max_tries):
            tries[group] += 1
            used, free = uint64(0), True
            for p in range(num_players):
                state += GOLDEN
                mark = unit(mix(state))
                if p == hero:
                    combo = members[group, int(mark * sizes[group])]
                else:
                    combo = np.searchsorted(cumulative[p], mark, side="right")
                    combo = min(combo, num_combos - 1)
                low, high = combo_cards[combo, 0], combo_cards[combo, 1]
                held = (ONE << uint64(low)) | (ONE << uint64(high))
                if used & held:
                    free = False
                    break
                used |= held
                cards[count, 2 * p], cards[count, 2 * p + 1] = low, high
            if not free:
                continue
            next_card = 2 * num_players
            while next_card < cards.shape[1]:
                state += GOLDEN
                card = ((mix(state) >> uint64(32)) * uint64(NUM_CARDS)) >> uint64(32)
                if not (used >> card) & ONE:
                    used |= ONE << card
                    cards[count, next_card] = card
                    next_card += 1
            dealt[count] = d
            count += 1
            break
    generator[0] = state
    return count
