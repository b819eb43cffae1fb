"""A blackjack table's rules as the look-up tables of blackjack_vector_kernels.

They are those of the simulation (blackjack/simulation/automaton.py), which asks the readable rules
for every fact; here every action that is open has its code, not only the one that a chart plays.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from riverboat.blackjack.charts import UPS
from riverboat.blackjack.ranks import points, value
from riverboat.blackjack.rules import BlackjackRules
from riverboat.blackjack.simulation.automaton import (
    DealerRows,
    PlayerStates,
    by_rank,
    count_table,
)
from riverboat.blackjack.simulation.codes import DEALER_DONE
from riverboat.blackjack.simulation.counting import CountingSystem
from riverboat.errors import ParameterError
from riverboat.interop.blackjack_vector_kernels import NONE, Tables

__all__ = ["LETTERS", "blackjack_tables", "cut_card"]

LETTERS = "SHDPRIN"
"""Actions by number: stand, hit, double, split, surrender, insure, no."""
_PLAYED = 5
"""The first of them are decisions on a hand."""


def cut_card(rules: BlackjackRules, penetration: float) -> int:
    """The card after which a shoe is shuffled before a round; 1: before every round."""
    if not 0 <= penetration <= 0.95:
        raise ParameterError(
            f"penetration is 0 (shuffled for every round) to 0.95, not {penetration}."
        )
    if rules.decks == "infinite":
        return 1
    return max(1, round(penetration * 52 * rules.decks))


@lru_cache(maxsize=16)
def blackjack_tables(rules: BlackjackRules, cut: int, system: CountingSystem) -> Tables:
    """The tables for rules, a cut card and a counting system."""
    dealer = DealerRows(rules)
    player = PlayerStates(rules, dealer)
    states = len(player.states)
    codes = np.full((states, len(UPS), _PLAYED), NONE, np.uint16)
    forced = np.full((states, len(UPS)), NONE, np.uint16)
    facts = np.zeros((states, 4), np.float32)
    for i, state in enumerate(player.states):
        cards = state.hand.cards
        total, soft = points(cards)
        for up, letters in enumerate(player.codes[i]):
            for letter, code in letters.items():
                codes[i, up, LETTERS.index(letter)] = code
            if len(letters) == 1:
                forced[i, up] = next(iter(letters.values()))
        pair = "P" in player.codes[i][1]
        size = len(cards) if rules.charlie else min(len(cards), 3)
        facts[i] = total, soft, pair, size
    pay = np.zeros((len(player.classes), 16), np.int64)
    for i, (*results, contests) in enumerate(player.classes):
        pay[i, : len(results)] = results
        pay[i, 15] = contests
    peek = rules.hole_card == "peek"
    early = rules.surrender == "early" and peek
    natural, unplayed = int(DEALER_DONE) + dealer.final("AT"), dealer.final("T7")
    numbers = (peek, rules.insurance, natural, unplayed, cut, rules.decks != "infinite")
    asked = np.array([early and value(up) in (1, 10) for up in UPS], np.uint8)
    return Tables(
        player.nexts,
        codes.ravel(),
        _menus(codes, asked, rules.insurance).ravel(),
        forced.ravel(),
        facts.ravel(),
        dealer.table,
        pay.ravel(),
        by_rank(player, count_table(rules, None))[2:].astype(np.int64).ravel(),
        asked,
        np.array(numbers, np.int64),
        np.array(system.tags, np.float64),
    )


def _menus(
    codes: NDArray[np.uint16], early: NDArray[np.uint8], insurance: bool
) -> NDArray[np.int8]:
    """(S + 3, 10, 7) Tables.menus."""
    states = len(codes)
    menus = np.zeros((states + 3, len(UPS), len(LETTERS)), np.int8)
    menus[:states, :, :_PLAYED] = codes != NONE
    surrender = LETTERS.index("R")
    menus[:states, :, surrender] &= early == 0
    before, natural, over = menus[states:]
    before[:, surrender] = early
    for menu in (before, natural):
        menu[0, LETTERS.index("I")] = insurance
        menu[:, LETTERS.index("N")] = 1
    over[:, LETTERS.index("S")] = 1
    return menus
