"""The bots of the casino: the searching one, charts, and chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from riverboat.blackjack.casino.casino_rules import Casino
from riverboat.blackjack.charts import (
    MIMIC_DEALER,
    NEVER_BUST,
    BlackjackStrategy,
    published_chart,
)
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.round import value
from riverboat.blackjack.rules import BlackjackRules
from riverboat.blackjack.search.mcts_player import MctsPlayer, searcher
from riverboat.blackjack.search.memory import Knowledge
from riverboat.blackjack.search.problem import Situation, Table
from riverboat.errors import UnknownNameError, UsageError
from riverboat.players.roster import PlayerSpec, parse_spec

__all__ = ["BOTS", "CasinoBot", "keep_memories", "make_bot", "save_memories"]

VARIANCE = 1.3
"""Of a round's result in bids², doubles and splits included; Kelly bids edge over variance."""


class CasinoBot(Protocol):
    """A bot: it bids, then decides."""

    @property
    def name(self) -> str: ...

    def bid(self, casino: Casino, stack: float, unseen: tuple[int, ...]) -> int:
        """A bid within the limits, knowing the thirteen counts of the cards not seen."""

    def decide(self, situation: Situation, actions: str, rng: np.random.Generator) -> str:
        """One letter of `actions`."""


@dataclass(frozen=True)
class ChartBot:
    """Plays a chart and bids flat; never insures."""

    name: str
    chart: BlackjackStrategy

    def bid(self, casino: Casino, stack: float, unseen: tuple[int, ...]) -> int:
        return casino.least_bid(stack)

    def decide(self, situation: Situation, actions: str, rng: np.random.Generator) -> str:
        if "N" in actions:
            return "N"
        counts = [0] * 10
        for card in situation.hand:
            counts[value(card) - 1] += 1
        return self.chart.choose(tuple(counts), value(situation.up) - 1, actions)


@dataclass(frozen=True)
class RandomBot:
    """Any legal action with the same probability."""

    name: str

    def bid(self, casino: Casino, stack: float, unseen: tuple[int, ...]) -> int:
        return casino.least_bid(stack)

    def decide(self, situation: Situation, actions: str, rng: np.random.Generator) -> str:
        return actions[int(rng.integers(len(actions)))]


@dataclass
class SearchBot:
    """The searching player; bids flat, or by Kelly from what the cards not seen promise."""

    name: str
    player: MctsPlayer
    kelly: bool = False
    memory: str | None = None
    """The file of its memory."""

    def bid(self, casino: Casino, stack: float, unseen: tuple[int, ...]) -> int:
        if not self.kelly or stack < casino.lowest_bid:
            return casino.least_bid(stack)
        edge = analyse(self.player.table.rules, unseen).ev
        wanted = int(stack * max(edge, 0.0) / VARIANCE)
        return min(max(wanted, casino.lowest_bid), casino.highest_bid)

    def decide(self, situation: Situation, actions: str, rng: np.random.Generator) -> str:
        return self.player.decide(situation, actions, rng)


def make_bot(rules: BlackjackRules, text: str) -> CasinoBot:
    """A bot by its spec: mcts[?…&bid=kelly], basic, mimic, neverbust or random."""
    spec = parse_spec(text)
    if spec.name not in BOTS:
        raise UnknownNameError.among("casino bot", spec.name, BOTS)
    if spec.name != "mcts" and (spec.options or spec.argument):
        raise UsageError(f"The bot {spec.name} takes no options, but got {text!r}.")
    return BOTS[spec.name](rules, spec)


def _search_bot(rules: BlackjackRules, spec: PlayerSpec) -> CasinoBot:
    options = dict(spec.options)
    how = options.pop("bid", "flat")
    if how not in ("flat", "kelly"):
        raise UsageError(f"The bot mcts bids flat or kelly, not {how!r}.")
    player = searcher(Table(rules), replace(spec, options=options))
    if "ms" not in options:
        # A second is never needed, and without a clock a game depends on its seed alone.
        player.budget = replace(player.budget, ms=None)
    return SearchBot(spec.text, player, how == "kelly", options.get("memory"))


def keep_memories(bots: Sequence[CasinoBot]) -> None:
    """Let bots with a memory learn as they play; see save_memories."""
    for bot in bots:
        if isinstance(bot, SearchBot) and bot.memory is not None:
            bot.player.learned = Knowledge()


def save_memories(bots: Sequence[CasinoBot]) -> list[str]:
    """Merge what each bot learned into its memory's file; returns the files."""
    saved = []
    for bot in bots:
        if not isinstance(bot, SearchBot) or bot.memory is None or bot.player.learned is None:
            continue
        knowledge = bot.player.knowledge or Knowledge()
        knowledge.merge(bot.player.learned)
        knowledge.save(bot.memory)
        saved.append(bot.memory)
    return saved


BOTS: dict[str, Callable[[BlackjackRules, PlayerSpec], CasinoBot]] = {
    "mcts": _search_bot,
    "basic": lambda rules, spec: ChartBot(spec.text, published_chart(rules)),
    "mimic": lambda rules, spec: ChartBot(spec.text, MIMIC_DEALER),
    "neverbust": lambda rules, spec: ChartBot(spec.text, NEVER_BUST),
    "random": lambda rules, spec: RandomBot(spec.text),
}
