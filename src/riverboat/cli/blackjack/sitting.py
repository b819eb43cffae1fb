"""`riverboat play blackjack`: a table at the terminal, with a bankroll and exact hints.

Hints are computed from the cards that are really left in the shoe. The end of the input, or Ctrl-C,
ends the game with the accounts.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from rich.console import Console

from riverboat.arena.hand import Hand, HandEnded
from riverboat.arena.table import MoveJudged, TableEvent
from riverboat.blackjack.casino.sitting import SAME, OneSeat, ShoeAdvice, ShoeInPlay
from riverboat.blackjack.chart_drawing import wrap_phrases
from riverboat.blackjack.round import LABELS, Round
from riverboat.blackjack.rules import BlackjackRules, points
from riverboat.cli.console import output
from riverboat.cli.terminal_table import TerminalTable, ask
from riverboat.errors import UsageError
from riverboat.games.base import Action
from riverboat.players.coach import Advice
from riverboat.players.player import View


def play_blackjack(
    rules: BlackjackRules,
    seed: int | None = None,
    *,
    bankroll: float = 100.0,
    bet: float = 1.0,
    rounds: int = 0,
    coach: bool = False,
) -> None:
    """Play until the bankroll is gone, `rounds` are played (0: no limit) or the input ends.

    With `coach`, every decision that was not the best is priced at once.
    """
    if bet <= 0 or bankroll < bet:
        raise UsageError("The bet must be above zero and the bankroll must cover it.")
    seat = OneSeat(rules, ShoeInPlay(rules, np.random.default_rng(seed)), bankroll)
    BlackjackTable(seat, output(), bet, judged=coach).run(rounds)


class BlackjackTable(TerminalTable):
    """A seat at a blackjack table: bets, the cards with their totals, values by action."""

    def __init__(self, seat: OneSeat, console: Console, bet: float, *, judged: bool) -> None:
        super().__init__(seat, console)
        self.seat, self.bet, self.judged, self.brought = seat, bet, judged, seat.bankroll
        seat.people = (0,) if judged else ()

    def welcome(self) -> None:
        self._print("\n".join(wrap_phrases(self.seat.rules.phrases, 78)) + ".")
        self._print("Enter bets the same again; ? shows what each action is worth, q ends.")

    def next_hand(self) -> Hand | None:
        if self.seat.bankroll < SAME:
            return None
        self.bet = self._ask_bet()
        hand = self.seat.deal(self.bet, self.person)
        if self.seat.shuffled:
            self._print("The shoe is shuffled.")
        return hand

    def _ask_bet(self) -> float:
        self._print("")
        money = self.seat.bankroll
        usual = min(self.bet, money)
        while True:
            answer = ask(self.console, f"You have {money:.10g}. Bet [{usual:g}]? ")
            try:
                wager = float(answer) if answer else usual
            except ValueError:
                wager = 0.0
            if 0 < wager <= money:
                return wager
            self._print(f"A bet is a number above zero and at most {money:.10g}; q ends.")

    def show_scene(self, view: View) -> None:
        self._print(_scene(self.seat.table))

    def move_of(self, view: View, text: str) -> Action:
        return super().move_of(view, text.lower()[:1])  # "hit" is h

    def show_advice(self, advice: Advice) -> None:
        for letter, value in advice.values.items():
            self._print(f"    {LABELS[letter]:<12} {value / _bet_of(advice):+z.4f}")

    def receive(self, event: TableEvent) -> None:
        if isinstance(event, MoveJudged):
            best, cost = next(iter(event.advice.values)), event.cost / _bet_of(event.advice)
            if cost > SAME:
                self._print(f"    {LABELS[best]} was better by {cost:.4f} of the bet.")
        elif isinstance(event, HandEnded):
            result = event.record.returns[0]
            self._print(_scene(self.seat.table))
            won = f"You {'win' if result > 0 else 'lose'} {abs(result):.10g}."
            self._print(f"  {won if result else 'Push.'}")

    def farewell(self) -> None:
        seat = self.seat
        net = seat.bankroll - self.brought
        rounds = "1 round" if seat.rounds == 1 else f"{seat.rounds} rounds"
        self._print(f"\n{rounds}, {net:+z.10g} units; {seat.bankroll:.10g} left.")
        if self.judged:
            self._print(f"Mistakes cost {seat.cost:.4f} units.")

    def _print(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)


def _bet_of(advice: Advice) -> float:
    return cast(ShoeAdvice, advice).bet


def _scene(table: Round) -> str:
    """The cards, the hand in turn marked; the hole card hidden until the end."""
    over = table.turn.wants == "over"
    dealer = " ".join(table.dealer if over else table.dealer[0] + "?" * (len(table.dealer) > 1))
    if over:
        dealer += f"  ({_total(table.dealer)})"
    lines = [f"  dealer  {dealer}"]
    for index, hand in enumerate(table.seats[0]):
        mark = ">" if not over and len(table.seats[0]) > 1 and index == table.turn.hand else " "
        money = f"  bet {hand.bet:g}" if hand.doubled or len(table.seats[0]) > 1 else ""
        lines.append(f" {mark}you     {' '.join(hand.cards)}  ({_total(hand.cards)}){money}")
    return "\n".join(lines)


def _total(cards: str) -> str:
    total, soft = points(cards)
    if total > 21:
        return "bust"
    if len(cards) == 2 and total == 21:
        return "blackjack"
    return f"soft {total}" if soft and total < 21 else str(total)
