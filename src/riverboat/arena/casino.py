"""The casino's hundred-round game: bots with 10,000 points each at one table, ranked at the end.

All bots play every round against the same dealer and from the same three-deck shoe, which is
shuffled when half of it is gone. Each bids within the limits before the deal. Who sits first moves
on by one seat a round, so that no bot gains from its place. Cards lie open, so every bot knows what
has left the shoe since it was shuffled. A game is a function of its seed: chance and each bot have
generators of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from riverboat.errors import IllegalActionError, UnknownNameError, UsageError
from riverboat.games.blackjack import RANKS, Round, Shoe, fresh_cards, value
from riverboat.games.blackjack_rules import PRESETS, BlackjackRules
from riverboat.learners.mcts_problem import Situation, Table
from riverboat.learners.memory import Knowledge
from riverboat.players.mcts import MctsPlayer, searcher
from riverboat.players.registry import PlayerSpec, parse_spec
from riverboat.solvers.blackjack import analyse
from riverboat.strategies.blackjack_charts import (
    MIMIC_DEALER,
    NEVER_BUST,
    BlackjackStrategy,
    published_chart,
)

__all__ = [
    "BOTS",
    "Casino",
    "CasinoBot",
    "CasinoResult",
    "Standing",
    "check_action",
    "check_bid",
    "keep_memories",
    "make_bot",
    "play_casino",
    "save_memories",
]

WORDS = {
    "H": "Hit",
    "S": "Stand",
    "D": "DoubleDown",
    "P": "Split",
    "I": "Insurance",
    "N": "no insurance",
    "R": "Surrender",
}
MOST_BOTS = 7
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
    penetration: float = 0.5
    """The share of the shoe that is dealt before it is shuffled."""

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise UsageError(f"A casino game needs at least one round, not {self.rounds}.")
        if self.rules.decks == "infinite":
            raise UsageError("The casino deals from a shoe: set decks to 1 to 8.")
        if not 0 < self.lowest_bid <= self.highest_bid:
            raise UsageError("The bid limits must be above zero, the lower one first.")


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
        return casino.lowest_bid

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
        return casino.lowest_bid

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
        if not self.kelly:
            return casino.lowest_bid
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


def check_bid(casino: Casino, bid: float, stack: float) -> None:
    """Refuse a bid that the table does not take."""
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


@dataclass(frozen=True)
class Standing:
    """A bot at the end."""

    rank: int
    """1 is the best; equal points share a rank."""
    name: str
    points: float
    rounds: int
    won: int
    drawn: int
    lost: int
    per_round: float
    """Mean result in bids a round."""
    stderr: float


@dataclass(frozen=True)
class CasinoResult:
    """The ranking, the best first."""

    seed: int
    rounds: int
    standings: tuple[Standing, ...]


def play_casino(
    casino: Casino,
    bots: Sequence[CasinoBot],
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> CasinoResult:
    """Play a game between bots at one table."""
    if not 1 <= len(bots) <= MOST_BOTS:
        raise UsageError(f"A casino table seats 1 to {MOST_BOTS} bots, not {len(bots)}.")
    chance, *generators = np.random.default_rng(seed).spawn(len(bots) + 1)
    table = _CasinoTable(casino, chance)
    stacks = [float(casino.points)] * len(bots)
    results: list[list[float]] = [[] for _ in bots]
    for number in range(casino.rounds):
        order = [(i + number) % len(bots) for i in range(len(bots))]
        sitting = [i for i in order if stacks[i] >= casino.lowest_bid]
        if not sitting:
            break
        bids = table.bids([(bots[i], stacks[i]) for i in sitting])
        gains = table.play([bots[i] for i in sitting], bids, [generators[i] for i in sitting])
        for i, bid, gain in zip(sitting, bids, gains, strict=True):
            stacks[i] += gain
            results[i].append(gain / bid)
        if progress is not None:
            progress(number + 1)
    return CasinoResult(seed, casino.rounds, _ranked(bots, stacks, results))


class _CasinoTable:
    """The shoe, and what everybody has seen of it."""

    def __init__(self, casino: Casino, chance: np.random.Generator) -> None:
        self.casino, self.chance = casino, chance
        self.shoe = Shoe("")

    def bids(self, sitting: Sequence[tuple[CasinoBot, float]]) -> list[int]:
        if self.shoe.cut_reached:
            self._shuffle()
        bids = []
        for bot, stack in sitting:
            bid = bot.bid(self.casino, stack, self._unseen())
            check_bid(self.casino, bid, stack)
            bids.append(bid)
        return bids

    def play(
        self,
        bots: Sequence[CasinoBot],
        bids: Sequence[int],
        generators: Sequence[np.random.Generator],
    ) -> tuple[float, ...]:
        """One round; what each seat won or lost, in points."""
        table = Round.open(self.casino.rules, bids)
        while table.turn.wants != "over":
            if table.turn.wants == "card":
                if self.shoe.dealt >= len(self.shoe.cards):
                    self._shuffle(table)
                card, self.shoe = self.shoe.draw()
                table = table.deal(card)
                continue
            seat = table.turn.seat
            situation = self._situation(table)
            action = bots[seat].decide(situation, table.actions(), generators[seat])
            check_action(table, action)
            table = table.act(action)
        return table.payoffs()

    def _shuffle(self, table: Round | None = None) -> None:
        """A fresh shoe, less the cards that lie on the table."""
        decks = self.casino.rules.decks
        assert decks != "infinite"
        cards = list(fresh_cards(decks))
        for card in _on_table(table) if table is not None else "":
            cards.remove(card)
        self.chance.shuffle(cards)
        cut = int(len(cards) * self.casino.penetration)
        self.shoe = Shoe("".join(cards), 0, cut)

    def _unseen(self) -> tuple[int, ...]:
        left = self.shoe.cards[self.shoe.dealt :]
        return tuple(left.count(rank) for rank in RANKS)

    def _situation(self, table: Round) -> Situation:
        """What the seat in turn sees: its hand, the up card, and every card that lies open."""
        _, seat, index = table.turn
        hands = table.seats[seat]
        hand, up, hole = hands[index].cards, table.dealer[0], table.dealer[1:]
        # A hole card has left the shoe but not been seen; hand and up card are part of the shoe.
        mine = hand + up + hole
        shoe = tuple(n + mine.count(rank) for n, rank in zip(self._unseen(), RANKS, strict=True))
        return Situation(Table(self.casino.rules), hand, up, len(hands), shoe)


def _on_table(table: Round) -> str:
    """Every card dealt in a round, the dealer's last."""
    return "".join(hand.cards for hands in table.seats for hand in hands) + table.dealer


def _ranked(
    bots: Sequence[CasinoBot], stacks: Sequence[float], results: Sequence[Sequence[float]]
) -> tuple[Standing, ...]:
    standings = []
    for bot, stack, gains in zip(bots, stacks, results, strict=True):
        count = len(gains)
        spread = float(np.std(gains, ddof=1)) / count**0.5 if count > 1 else 0.0
        standings.append(
            Standing(
                1 + sum(other > stack for other in stacks),
                bot.name,
                stack,
                count,
                sum(gain > 0 for gain in gains),
                sum(gain == 0 for gain in gains),
                sum(gain < 0 for gain in gains),
                float(np.mean(gains)) if gains else 0.0,
                spread,
            )
        )
    return tuple(sorted(standings, key=lambda standing: standing.rank))
