"""Random deals of all-in or fold for four to six players, each worked through completely."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import uint64

from riverboat.cards.strength import EMPTY_SUM, Tables, strength_of
from riverboat.runtime.array_types import F64, I64, U8
from riverboat.runtime.compiled import GOLDEN, mix, njit, stream


class Rules(NamedTuple):
    """A game as arrays; a set of players is a number whose bits they are."""

    decisions: I64  # (P, 2^(P-1)) by player and those all-in before; -1 where there is none
    starts: I64  # (2^P,) where the orders of a set begin in `rows`
    rows: I64  # By a set's order in base |set|: the row of `values`
    values: F64  # (rows, P)


class Totals(NamedTuple):
    """What deals add up to."""

    values: F64  # (D, 2, 169) of folding and of going all-in, times the others' chances
    reach: F64  # (D, 169) the others' chances
    ev: F64  # (2, P) the sums of the players' results and of their squares
    gains: F64  # (2, P) the same of what the responses win more


@njit(cache=True, nogil=True)
def play_deals(
    num_deals: int, seed: int, block: int, combo_class: U8, rules: Rules, strategy: F64,
    response: F64, tables: Tables, out: Totals,
) -> None:  # fmt: skip
    """Deal `num_deals` times and add up, for strategies and responses (D, 169) of going all-in.

    `combo_class` (52, 52) is the class of two cards. Every end of each deal is visited.
    """
    decisions, starts, rows, values = rules
    card_keys, displacements, strengths = tables
    sums, arrivals, evs, gains = out
    num, num_sets = decisions.shape[0], starts.shape[0]
    deck = np.arange(52)
    power, classes = np.empty(num, np.int64), np.empty(num, np.int64)
    expected = np.empty((num_sets, num))
    chance = np.empty((num, num_sets))
    never = np.empty(num_sets, np.int64)
    state = stream(seed, block)
    for _ in range(num_deals):
        for i in range(2 * num + 5):
            state += GOLDEN
            j = i + np.int64(((mix(state) >> uint64(32)) * uint64(52 - i)) >> uint64(32))
            deck[i], deck[j] = deck[j], deck[i]
        total, mask = EMPTY_SUM, uint64(0)
        for i in range(2 * num, 2 * num + 5):
            total += card_keys[deck[i]]
            mask |= uint64(1) << uint64(deck[i])
        for player in range(num):
            first, second = deck[2 * player], deck[2 * player + 1]
            classes[player] = combo_class[first, second]
            own = uint64(1) << uint64(first) | uint64(1) << uint64(second)
            power[player] = strength_of(
                total + card_keys[first] + card_keys[second], mask | own,
                card_keys, displacements, strengths,
            )  # fmt: skip
        chance[0, 0], never[0] = 1.0, 0
        for player in range(num):
            for before in range(1 << player):
                decision = decisions[player, before]
                share = strategy[decision, classes[player]] if decision >= 0 else 0.0
                after = before | 1 << player
                if player < num - 1:
                    chance[player + 1, before] = chance[player, before] * (1 - share)
                    chance[player + 1, after] = chance[player, before] * share
                never[after] = never[before] + (share == 0.0)
                never[before] += share == 1.0
        for allin in range(num_sets):
            # Two players would have to do what they never do: nobody's value depends on it.
            if never[allin] > 1:
                expected[allin] = 0.0
                continue
            size = 0
            for player in range(num):
                size += allin >> player & 1
            code, base = 0, 1
            for player in range(num):
                if allin >> player & 1 == 0 or size < 2:
                    continue
                better = 0
                for other in range(num):
                    better += (allin >> other & 1) & (power[other] > power[player])
                code += better * base
                base *= size
            row = rows[starts[allin] + code]
            for player in range(num):
                expected[allin, player] = values[row, player]
        for back in range(num):
            player = num - 1 - back
            gain = 0.0
            for before in range(1 << player):
                decision = decisions[player, before]
                if decision < 0:
                    continue
                after = before | 1 << player
                comes, own = chance[player, before], classes[player]
                folding, pushing = expected[before, player], expected[after, player]
                share = strategy[decision, own]
                sums[decision, 0, own] += comes * folding
                sums[decision, 1, own] += comes * pushing
                arrivals[decision, own] += comes
                gain += comes * (response[decision, own] - share) * (pushing - folding)
                for other in range(num):
                    expected[before, other] += share * (
                        expected[after, other] - expected[before, other]
                    )
            gains[0, player] += gain
            gains[1, player] += gain * gain
        for player in range(num):
            evs[0, player] += expected[0, player]
            evs[1, player] += expected[0, player] ** 2
