"""The terms of the casino's game with its refusals, and its bots: search, charts and chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

import numpy as np

from riverboat.blackjack.charts import MIMIC_DEALER, NEVER_BUST, BlackjackStrategy, published_chart
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.round import Blackjack, Round
from riverboat.blackjack.rules import PRESETS, BlackjackRules, value
from riverboat.blackjack.search.memory import Knowledge
from riverboat.blackjack.search.player import MctsPlayer, searcher, situation_of
from riverboat.blackjack.search.problem import Table
from riverboat.errors import IllegalActionError, UnknownNameError, UsageError
from riverboat.games.base import Action
from riverboat.players.player import Player, View
from riverboat.players.roster import PlayerSpec, make_player, parse_spec
from riverboat.players.simple import UniformPlayer
from riverboat.solvers.run import save_somewhere

WORDS = {
    "H": "Hit",
    "S": "Stand",
    "D": "DoubleDown",
    "P": "Split",
    "I": "Insurance",
    "N": "no insurance",
    "R": "Surrender",
}
VARIANCE = 1.3
"""Of a round's result in bids², doubles and splits included; Kelly bids edge over variance."""


@dataclass(frozen=True)
class Casino:
    """The terms of a game."""

    rules: BlackjackRules = field(default_factory=lambda: PRESETS["combo-charlie"])
    rounds: int = 100
    points: int = 10_000
    lowest_bid: int = 10
    highest_bid: int = 100
    penetration: float = 0.5  # The share of the shoe that is dealt before it is shuffled

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise UsageError(f"A casino game needs at least one round, not {self.rounds}.")
        if self.rules.decks == "infinite":
            raise UsageError("The casino deals from a shoe: set decks to 1 to 8.")
        if not 0 < self.lowest_bid <= self.highest_bid:
            raise UsageError("The bid limits must be above zero, the lower one first.")

    def least_bid(self, stack: float) -> int:
        """The lowest bid; with fewer points than the limit all of them."""
        return min(self.lowest_bid, int(stack))


def check_bid(casino: Casino, bid: float, stack: float) -> None:
    """Refuse a bid that the table does not take."""
    if 1 <= stack < casino.lowest_bid:
        if bid != casino.least_bid(stack):
            raise IllegalActionError(
                f"With {stack:g} points left the only bid is all of them"
                f" ({casino.least_bid(stack)}), not {bid}."
            )
        return
    if bid != int(bid) or not casino.lowest_bid <= bid <= casino.highest_bid:
        raise IllegalActionError(
            f"A bid is a whole number from {casino.lowest_bid} to {casino.highest_bid} points,"
            f" not {bid}."
        )
    if bid > stack:
        raise IllegalActionError(f"A bid of {bid} is more than the {stack:g} points left.")


def check_action(table: Round, action: str) -> None:
    """Refuse an action that the rules do not allow here, and say why."""
    allowed = table.actions()
    if action in allowed and len(action) == 1:
        return
    word = WORDS.get(action, repr(action))
    offer = ", ".join(WORDS[letter] for letter in allowed)
    way_out = f"; possible here: {offer}." if offer else "."
    raise IllegalActionError(f"{word} is refused: {_why_not(table, action)}{way_out}")


def _why_not(table: Round, action: str) -> str:
    if action not in WORDS:
        return "there is no such action"
    wants, seat, index = table.turn
    if wants == "over":
        return "the round is over"
    if not table.dealer:
        return "the cards are not dealt yet"
    if seat < 0:
        return "the players are done and it is the dealer's turn"
    hand = table.seats[seat][index]
    cards = ",".join(hand.cards)
    if hand.doubled:
        return "a doubled hand gets exactly one card"
    if wants == "card":
        return "a card is due first"
    if action in "IN":
        shown = table.dealer[:1]
        return "insurance was answered already" if shown == "A" else f"the dealer shows {shown}"
    if not table.answers[seat] and table.offers(seat):
        return "insurance must be answered first"
    if action == "P" and len(hand.cards) == 2:
        by_rank = table.rules.split_by == "rank"
        if hand.cards[0] != hand.cards[1] and (
            by_rank or value(hand.cards[0]) != value(hand.cards[1])
        ):
            return f"{cards} are not two cards of one {'rank' if by_rank else 'value'}"
        return "the table allows no more hands"
    if action in "DP":
        return f"it needs a hand of two cards, and {cards} may not do it"
    return "the rules of this table do not allow it"


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
    """A player with a bidding rule. The player is the same as at any other table."""

    player: Player
    bid: Bidder = flat
    memory: str | None = None  # The file of its memory

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
        values = [value(card) for card in situation.hand]
        counts = tuple(values.count(card) for card in range(1, 11))
        return self.chart.choose(counts, value(situation.up) - 1, actions)


def make_bot(rules: BlackjackRules, text: str) -> CasinoBot:
    """A bot by its spec: mcts[?…&bid=kelly], basic, mimic, neverbust, random or my_bot.py:MyBot."""
    spec = parse_spec(text)
    if spec.name == "python" or spec.name.endswith(".py"):
        return CasinoBot(make_player(Blackjack.of(rules), text))
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
        saved.append(str(save_somewhere(knowledge.save, bot.memory)))
    return saved


BIDDERS: dict[str, Bidder] = {"flat": flat, "kelly": kelly}
BOTS: dict[str, Callable[[BlackjackRules, PlayerSpec], CasinoBot]] = {
    "mcts": _search_bot,
    "basic": _chart_bot,
    "mimic": _chart_bot,
    "neverbust": _chart_bot,
    "random": lambda rules, spec: CasinoBot(UniformPlayer(spec.text)),
}
