"""The casino's hundred-round game: bots with 10,000 points each at one table, ranked at the end.

All bots play every round against the same dealer and from the same three-deck shoe, which is
shuffled when half of it is gone. Each bids within the limits before the deal; who has fewer points
than the lowest bid bids all of them. Who sits first moves
on by one seat a round, so that no bot gains from its place. Cards lie open, so every bot knows what
has left the shoe since it was shuffled. A game is a function of its seed: chance and each bot have
generators of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any

import numpy as np

from riverboat.arena.hand import player_stream
from riverboat.blackjack.casino.bots import WORDS, Casino, CasinoBot, check_action, check_bid
from riverboat.blackjack.round import Blackjack, Round
from riverboat.blackjack.rules import RANKS, Shoe, fresh_cards
from riverboat.blackjack.search.problem import ShoeView, Situation, Table
from riverboat.blackjack.simulation.result import Measured
from riverboat.drawing.html import html_table
from riverboat.errors import IllegalActionError, UsageError
from riverboat.runtime.stopping import current_stop

MAX_BOTS = 7


@dataclass(frozen=True)
class Standing(Measured):
    """A bot at the end."""

    rank: int  # 1 is the best; equal points share a rank
    name: str
    points: float
    rounds: int
    won: int
    drawn: int
    lost: int
    per_round: float  # Mean result in bids per round
    stderr: float


@dataclass(frozen=True, repr=False)
class CasinoResult:
    """The ranking, the best first."""

    seed: int
    rounds: int
    standings: tuple[Standing, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    def __repr__(self) -> str:
        order = ", ".join(f"{s.rank}. {s.name} {s.points:,g}" for s in self.standings)
        return f"CasinoResult({self.rounds:,} rounds: {order})"

    def _repr_html_(self) -> str:
        rows = [
            (*astuple(s)[:3], s.won, s.drawn, s.lost, f"{s.per_round:+z.3f} ± {s.ci95:.3f}")
            for s in self.standings
        ]
        names = ("", "bot", "points", "won", "drawn", "lost", "bids per round")
        return html_table(names, rows, title=f"Casino, {self.rounds:,} rounds", note="± is 95 %")


def play_casino(
    casino: Casino,
    bots: Sequence[CasinoBot],
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> CasinoResult:
    """Play a game between bots at one table; a stop ends it after the round."""
    if not 1 <= len(bots) <= MAX_BOTS:
        raise UsageError(f"A casino table seats 1 to {MAX_BOTS} bots, not {len(bots)}.")
    chance, *streams = np.random.default_rng(seed).spawn(len(bots) + 1)
    generators = [player_stream(stream) for stream in streams]
    table = _CasinoTable(casino, chance)
    stacks = [float(casino.points)] * len(bots)
    results: list[list[float]] = [[] for _ in bots]
    rounds, stop = casino.rounds, current_stop()
    for number in range(casino.rounds):
        if stop.requested:
            rounds = number
            break
        order = [(i + number) % len(bots) for i in range(len(bots))]
        sitting = [i for i in order if stacks[i] >= 1]
        if not sitting:
            break
        bids = table.bids([(bots[i], stacks[i]) for i in sitting])
        seats = [(bots[i], stacks[i], generators[i]) for i in sitting]
        gains = table.play(seats, bids)
        for i, bid, gain in zip(sitting, bids, gains, strict=True):
            stacks[i] += gain
            results[i].append(gain / bid)
        if progress is not None:
            progress(number + 1)
    return CasinoResult(seed, rounds, _ranked(bots, stacks, results))


class _CasinoTable:
    """The shoe, and the cards of it that all players have seen."""

    def __init__(self, casino: Casino, chance: np.random.Generator) -> None:
        self.casino, self.chance = casino, chance
        self.shoe = Shoe("")
        self.game = Blackjack.of(casino.rules)

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
        self, seats: Sequence[tuple[CasinoBot, float, np.random.Generator]], bids: Sequence[int]
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
            bot, stack, generator = seats[table.turn.seat]
            actions = table.affordable(stack)
            action = bot.player.choose(self._view(table, actions), generator)
            check_action(table, action)
            if action not in actions:
                raise IllegalActionError(
                    f"{WORDS[action]} is refused: {bot.name} has too few points for it."
                )
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
        undealt = self.shoe.cards[self.shoe.dealt :]
        return tuple(undealt.count(rank) for rank in RANKS)

    def _view(self, table: Round, actions: str) -> ShoeView:
        """What the seat in turn may know."""
        _, seat, index = table.turn
        hands = table.seats[seat]
        marked = (">" * (i == index) + hand.cards for i, hand in enumerate(hands))
        infoset = f"{' '.join(marked)}|{table.dealer[0]}|{table.answers[seat]}"
        scene = f"dealer [{table.dealer[0]}]   you [{infoset.partition('|')[0]}]"
        known = self._situation(table)
        return ShoeView(self.game, seat, infoset, tuple(actions), lambda: scene, situation=known)

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
        mean = float(np.mean(gains)) if gains else 0.0
        spread = float(np.std(gains, ddof=1)) / count**0.5 if count > 1 else 0.0
        rank = 1 + sum(other > stack for other in stacks)
        won, lost = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
        tally = (won, count - won - lost, lost)
        standings.append(Standing(rank, bot.name, stack, count, *tally, mean, spread))
    return tuple(sorted(standings, key=lambda standing: standing.rank))
