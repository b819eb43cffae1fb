"""Simulation memories, `?bid actions rounds`: simulated rounds written down, and learnt from.

A simulation tries its actions in turn on one deal and goes on by the chart. Its text says how each
round was played but not how it ended, so what it teaches is worked out: every hand that stands has
known chances against the dealer, which count as fractions of a win, a draw and a loss.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from riverboat.blackjack.charts import UPS, published_chart
from riverboat.blackjack.rules import points, value
from riverboat.blackjack.search._memory_text import RecordedRound, RecordedSimulation, RecordedTurn
from riverboat.blackjack.search.mcts import Search
from riverboat.blackjack.search.memory import Counts, Knowledge, state_of
from riverboat.blackjack.search.problem import Situation, Table
from riverboat.errors import ParameterError
from search_chances import card_chances, stand_chances

__all__ = ["learn_simulation", "simulate"]

PLAYED = "HSD"
"""Actions that a round of the text can hold; it has no place for the hands of a split."""


def simulate(
    situation: Situation, actions: str, rounds: int, *, bid: int = 10, seed: int = 0
) -> RecordedSimulation:
    """Play so many rounds from a first decision, each action in turn, then by the chart."""
    if not actions or any(action not in PLAYED for action in actions):
        raise ParameterError(f"A simulation tries actions of {PLAYED}, not {actions!r}.")
    rng = np.random.default_rng(seed)
    search = Search()
    found = []
    for number in range(rounds):
        turns = _one_round(search, situation, actions[number % len(actions)], rng)
        found.append(
            RecordedRound(bid, _by_value(situation.up), _first_two(situation), tuple(turns))
        )
    return RecordedSimulation(bid, tuple(actions), tuple(found))


def _first_two(situation: Situation) -> tuple[str, str]:
    return situation.hand[0], situation.hand[1]


def _by_value(card: str) -> str:
    return UPS[value(card) - 1]


def _one_round(
    search: Search, situation: Situation, action: str, rng: np.random.Generator
) -> list[RecordedTurn]:
    chart, up = published_chart(situation.table.rules), value(situation.up) - 1
    turns, hand, drawn = [], situation.hand, ""
    while True:
        turns.append(RecordedTurn(drawn, action))
        if action == "S":
            return turns
        chances = card_chances(search, replace(situation, hand=hand))
        drawn = UPS[int(rng.choice(10, p=chances))]
        hand += drawn
        charlie = situation.table.rules.charlie
        settled = points(hand)[0] >= 21 or bool(charlie and len(hand) >= charlie)
        if action == "D" or settled:
            # What was drawn last stands before the Stand (or the end) that follows it.
            return [*turns, RecordedTurn(drawn, "S")]
        counts = tuple(sum(value(card) - 1 == i for card in hand) for i in range(10))
        action = chart.choose(counts, up, "SH")


def learn_simulation(knowledge: Knowledge, simulation: RecordedSimulation, table: Table) -> None:
    """Put what a simulation's rounds are worth into a memory."""
    search = Search()
    for round_ in simulation.rounds:
        hand, steps, stake = "".join(round_.cards), [], 1.0
        for turn in round_.turns:
            hand += turn.card
            if points(hand)[0] > 21 or (stake == 2.0 and turn.action == "S"):
                break
            steps.append((state_of(round_.dealer, hand), turn.action))
            if turn.action == "D":
                stake = 2.0
        if not steps:
            continue
        if points(hand)[0] > 21:
            wins, draws = 0.0, 0.0
        else:
            wins, draws = stand_chances(search, Situation(table, hand, round_.dealer))
        counts = Counts(stake * wins, draws, stake * (1.0 - wins - draws))
        for state, action in steps:
            knowledge.add(state, action, counts)
