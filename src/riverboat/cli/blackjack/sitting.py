"""`riverboat play blackjack`: a table at the terminal, with a bankroll and exact hints.

Hints are computed from the cards that are really left in the shoe. The end of the input, or Ctrl-C,
ends the game with the accounts.
"""

from __future__ import annotations

import numpy as np

from riverboat.blackjack.casino.sitting import OneSeat, ShoeInPlay
from riverboat.blackjack.chart_drawing import wrap_phrases
from riverboat.blackjack.round import LABELS, Round
from riverboat.blackjack.rules import BlackjackRules, points
from riverboat.errors import UsageError


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
    shoe = ShoeInPlay(rules, np.random.default_rng(seed))
    game = OneSeat(rules, shoe, bankroll)
    print("\n".join(wrap_phrases(rules.phrases, 78)) + ".")
    print("Enter bets the same again; ? shows what each action is worth, q ends.")
    try:
        while game.bankroll >= 1e-9 and (not rounds or game.rounds < rounds):
            wager = _ask_bet(game, bet)
            if wager is None:
                break
            bet = wager
            _play_round(game, bet, coach)
    except (EOFError, KeyboardInterrupt):
        print()
    net = game.bankroll - bankroll
    print()
    rounds_played = "1 round" if game.rounds == 1 else f"{game.rounds} rounds"
    print(f"{rounds_played}, {net:+z.10g} units; {game.bankroll:.10g} left.")
    if coach:
        print(f"Mistakes cost {game.cost:.4f} units.")


def _ask_bet(game: OneSeat, bet: float) -> float | None:
    """The next bet, or None to stop."""
    print()
    while True:
        most = min(bet, game.bankroll)
        answer = input(f"You have {game.bankroll:.10g}. Bet [{most:g}]? ").strip().lower()
        if answer in ("q", "quit"):
            return None
        try:
            wager = float(answer) if answer else most
        except ValueError:
            wager = 0.0
        if 0 < wager <= game.bankroll:
            return wager
        print(f"A bet is a number above zero and at most {game.bankroll:.10g}; q ends.")


def _play_round(game: OneSeat, bet: float, coach: bool) -> None:
    if game.begin(bet):
        print("The shoe is shuffled.")
    while not game.over:
        print(_scene(game.table))
        letter = _decide(game, game.table)
        best = next(iter(game.values(game.table))) if coach else ""
        cost = game.act(letter, judged=coach)
        if cost:
            print(f"    {LABELS[best]} was better by {cost:.4f} of the bet.")
    result = game.table.payoffs()[0]
    print(_scene(game.table))
    won = f"You {'win' if result > 0 else 'lose'} {abs(result):.10g}."
    print(f"  {won if result else 'Push.'}")


def _decide(game: OneSeat, table: Round) -> str:
    """The letter that the player chooses."""
    letters = game.affordable(table)
    choices = ", ".join(f"{letter.lower()} {LABELS[letter]}" for letter in letters)
    while True:
        answer = input(f"  {choices}? ").strip().upper()[:1]
        if answer == "Q":
            raise EOFError
        if answer == "?":
            for letter, ev in game.values(table).items():
                print(f"    {LABELS[letter]:<12} {ev:+z.4f}")
        elif answer and answer in letters:
            break
        else:
            print(f"  Answer {', '.join(letters.lower())}, ? or q.")
    return answer


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
