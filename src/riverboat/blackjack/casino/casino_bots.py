"""The bots of the casino: the searching one, charts, and chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np

from riverboat.blackjack.casino.casino_rules import Casino
from riverboat.blackjack.charts import (
    MIMIC_DEALER,
    NEVER_BUST,
    BlackjackStrategy,
    published_chart,
)
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.round import Blackjack, value
from riverboat.blackjack.rules import BlackjackRules
from riverboat.blackjack.search.mcts_player import MctsPlayer, searcher, situation_of
from riverboat.blackjack.search.memory import Knowledge
from riverboat.blackjack.search.problem import Table
from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import Action
from riverboat.players.player import Player, View
from riverboat.players.roster import PlayerSpec, parse_spec
from riverboat.players.simple import UniformPlayer

__all__ = [
    "BIDDERS",
    "BOTS",
    "Bidder",
    "CasinoBot",
    "ChartPlayer",
    "flat",
    "keep_memories",
    "kelly",
    "make_bot",
    "save_memories",
]

VARIANCE = 1.3
"""Of a round's result in bids², doubles and splits included; Kelly bids edge over variance."""


class Bidder(Protocol):
    """What decides how much to bid."""

    def __call__(self, casino: Casino, stack: float, unseen: tuple[int, ...]) -> int:
        """A bid within the limits, knowing the thirteen counts of the cards not seen."""


def flat(casino: Casino, stack: float, unseen: tuple[int, ...]) -> int:
    """The lowest bid, always."""
    return casino.least_bid(stack)


def kelly(casino: Casino, stack: float, unseen: tuple[int, ...]) -> int:
    """The share of the points that grows them fastest: the edge of the cards left by variance."""
    if stack < casino.lowest_bid:
        return casino.least_bid(stack)
    edge = analyse(casino.rules, unseen).ev
    wanted = int(stack * max(edge, 0.0) / VARIANCE)
    return min(max(wanted, casino.lowest_bid), casino.highest_bid)


@dataclass
class CasinoBot:
    """A player with a way to bid. The player is the same as at any other table."""

    player: Player
    bid: Bidder = flat
    memory: str | None = None
    """The file of its memory."""

    @property
    def name(self) -> str:
        return self.player.name


@dataclass
class ChartPlayer:
    """Plays a chart; never insures."""

    name: str
    chart: BlackjackStrategy

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        actions = "".join(view.actions)
        if "N" in actions:
            return "N"
        situation = situation_of(Table(cast(Blackjack, view.game).table), view.infoset)
        counts = [0] * 10
        for card in situation.hand:
            counts[value(card) - 1] += 1
        return self.chart.choose(tuple(counts), value(situation.up) - 1, actions)


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
    if how not in BIDDERS:
        raise UsageError(f"The bot mcts bids flat or kelly, not {how!r}.")
    player = searcher(Table(rules), replace(spec, options=options))
    player.name = spec.text
    if "ms" not in options:
        # A second is never needed, and without a clock a game depends on its seed alone.
        player.budget = replace(player.budget, ms=None)
    return CasinoBot(player, BIDDERS[how], options.get("memory"))


def _chart_bot(rules: BlackjackRules, spec: PlayerSpec) -> CasinoBot:
    charts = {"basic": published_chart(rules), "mimic": MIMIC_DEALER, "neverbust": NEVER_BUST}
    return CasinoBot(ChartPlayer(spec.text, charts[spec.name]))


def keep_memories(bots: Sequence[CasinoBot]) -> None:
    """Let bots with a memory learn as they play; see save_memories."""
    for bot in bots:
        if isinstance(bot.player, MctsPlayer) and bot.memory is not None:
            bot.player.learned = Knowledge()


def save_memories(bots: Sequence[CasinoBot]) -> list[str]:
    """Merge what each bot learned into its memory's file; returns the files."""
    saved = []
    for bot in bots:
        player = bot.player
        if not isinstance(player, MctsPlayer) or bot.memory is None or player.learned is None:
            continue
        knowledge = player.knowledge or Knowledge()
        knowledge.merge(player.learned)
        knowledge.save(bot.memory)
        saved.append(bot.memory)
    return saved


BIDDERS: dict[str, Bidder] = {"flat": flat, "kelly": kelly}
BOTS: dict[str, Callable[[BlackjackRules, PlayerSpec], CasinoBot]] = {
    "mcts": _search_bot,
    "basic": _chart_bot,
    "mimic": _chart_bot,
    "neverbust": _chart_bot,
    "random": lambda rules, spec: CasinoBot(UniformPlayer(spec.text)),
}
