"""Random deals of all-in or fold for four to six players, each worked through completely."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import uint64

from riverboat.cards.card import NUM_CARDS
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
    squares: F64  # (D, 2, 2, 169) squared chances times each action's value, and times its square
    square_reach: F64  # (D, 169) squared chances
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
    sums, arrivals, squares, square_arrivals, evs, gains = out
    num_players, num_sets = decisions.shape[0], starts.shape[0]
    deck = np.arange(NUM_CARDS)
    power, classes = np.empty(num_players, np.int64), np.empty(num_players, np.int64)
    expected = np.zeros((num_sets, num_players))
    # At each player's turn the sets of players all-in that a deal can come to, their chances, and
    # how many players had to do what they never do. After two of those nobody's value depends on
    # what follows, so such sets are left out: with pure strategies few are left of 2^P.
    live = np.empty((num_players + 1, num_sets), np.int64)
    num_live = np.empty(num_players + 1, np.int64)
    chance = np.empty((num_players + 1, num_sets))
    never = np.empty((num_players + 1, num_sets), np.int64)
    state = stream(seed, block)
    for _ in range(num_deals):
        for i in range(2 * num_players + 5):
            state += GOLDEN
            j = i + np.int64(((mix(state) >> uint64(32)) * uint64(NUM_CARDS - i)) >> uint64(32))
            deck[i], deck[j] = deck[j], deck[i]
        total, mask = EMPTY_SUM, uint64(0)
        for i in range(2 * num_players, 2 * num_players + 5):
            total += card_keys[deck[i]]
            mask |= uint64(1) << uint64(deck[i])
        for player in range(num_players):
            first, second = deck[2 * player], deck[2 * player + 1]
            classes[player] = combo_class[first, second]
            own = uint64(1) << uint64(first) | uint64(1) << uint64(second)
            power[player] = strength_of(
                total + card_keys[first] + card_keys[second], mask | own,
                card_keys, displacements, strengths,
            )  # fmt: skip
        live[0, 0], num_live[0], chance[0, 0], never[0, 0] = 0, 1, 1.0, 0
        for player in range(num_players):
            count = 0
            for entry in range(num_live[player]):
                before = live[player, entry]
                after, decision = before | 1 << player, decisions[player, before]
                share = strategy[decision, classes[player]] if decision >= 0 else 0.0
                against = never[player, before] + (share == 1.0)
                if against <= 1:
                    live[player + 1, count] = before
                    chance[player + 1, before] = chance[player, before] * (1 - share)
                    never[player + 1, before] = against
                    count += 1
                against = never[player, before] + (share == 0.0)
                if against <= 1 and decision >= 0:
                    live[player + 1, count] = after
                    chance[player + 1, after] = chance[player, before] * share
                    never[player + 1, after] = against
                    count += 1
            num_live[player + 1] = count
        for entry in range(num_live[num_players]):
            allin = live[num_players, entry]
            size = 0
            for player in range(num_players):
                size += allin >> player & 1
            code, base = 0, 1
            for player in range(num_players):
                if allin >> player & 1 == 0 or size < 2:
                    continue
                better = 0
                for other in range(num_players):
                    better += (allin >> other & 1) & (power[other] > power[player])
                code += better * base
                base *= size
            row = rows[starts[allin] + code]
            for player in range(num_players):
                expected[allin, player] = values[row, player]
        for back in range(num_players):
            player = num_players - 1 - back
            own, gain = classes[player], 0.0
            for entry in range(num_live[player]):
                before = live[player, entry]
                decision = decisions[player, before]
                if decision < 0:
                    continue
                after, comes = before | 1 << player, chance[player, before]
                share = strategy[decision, own]
                if comes > 0.0:
                    folding, pushing = expected[before, player], expected[after, player]
                    square = comes * comes
                    sums[decision, 0, own] += comes * folding
                    sums[decision, 1, own] += comes * pushing
                    arrivals[decision, own] += comes
                    squares[decision, 0, 0, own] += square * folding
                    squares[decision, 1, 0, own] += square * pushing
                    squares[decision, 0, 1, own] += square * folding * folding
                    squares[decision, 1, 1, own] += square * pushing * pushing
                    square_arrivals[decision, own] += square
                    gain += comes * (response[decision, own] - share) * (pushing - folding)
                if share == 0.0:
                    continue
                for other in range(num_players):
                    expected[before, other] = (
                        share * expected[after, other] + (1 - share) * expected[before, other]
                    )
            gains[0, player] += gain
            gains[1, player] += gain * gain
        for player in range(num_players):
            evs[0, player] += expected[0, player]
            evs[1, player] += expected[0, player] ** 2
