"""Blackjack at the terminal: a shoe, a bankroll, and exact values for whoever asks.

`?` at a decision shows what each action is worth, worked out from the cards that are really left
in the shoe. The end of the input, or Ctrl-C, ends the game with the accounts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from riverboat.blackjack.chart_drawing import wrap_phrases
from riverboat.blackjack.exact.analysis import ACTIONS, Analysis, analyse
from riverboat.blackjack.round import LABELS, RANKS, Round, fresh_cards, points
from riverboat.blackjack.rules import BlackjackRules
from riverboat.errors import ParameterError, UsageError

__all__ = ["play_blackjack"]

CUT = 0.75
"""How much of the shoe is dealt."""


@dataclass
class _Shoe:
    """The cards to come. What runs out within a round goes on with the discards."""

    rules: BlackjackRules
    rng: np.random.Generator
    cards: list[str] = field(default_factory=list)
    """In the order they come, the next one last."""
    gone: list[str] = field(default_factory=list)

    def begin(self) -> bool:
        """Shuffle if the cut card has come; whether it had."""
        if self.rules.decks == "infinite":
            return False
        total = 52 * self.rules.decks
        if self.cards and len(self.gone) < CUT * total:
            return False
        self.cards = list(self.rng.permutation(list(fresh_cards(self.rules.decks))))
        self.gone = []
        return True

    def draw(self, table: Round) -> str:
        if self.rules.decks == "infinite":
            return RANKS[int(self.rng.integers(13))]
        if not self.cards:
            lying = Counter(table.dealer + "".join(h.cards for s in table.seats for h in s))
            discards = list((Counter(self.gone) - lying).elements())
            self.cards = list(self.rng.permutation(discards))
            self.gone = list(lying.elements())
        card = str(self.cards.pop())
        self.gone.append(card)
        return card

    def unseen(self) -> tuple[int, ...] | None:
        """Counts of each rank that the player has not seen, before a round is dealt."""
        if self.rules.decks == "infinite":
            return None
        gone = Counter(self.gone)
        return tuple(4 * self.rules.decks - gone[rank] for rank in RANKS)


@dataclass
class _Game:
    """One sitting."""

    rules: BlackjackRules
    shoe: _Shoe
    bankroll: float
    coach: bool
    start: float
    rounds: int = 0
    cost: float = 0.0
    """What decisions have lost against the best ones, in units."""
    analysis: Analysis | None = None
    unseen: tuple[int, ...] | None = None

    def values(self, table: Round) -> dict[str, float]:
        """Letter → value of each action in the decision at hand, best first."""
        try:
            if self.analysis is None:
                self.analysis = analyse(self.rules, self.unseen)
            return self._values(self.analysis, table)
        except ParameterError:  # the shoe is nearly out, or was filled up again: as from a new one
            self.analysis = analyse(self.rules)
            return self._values(self.analysis, table)

    def _values(self, analysis: Analysis, table: Round) -> dict[str, float]:
        _, seat, index = table.turn
        hand, open_now = table.seats[seat][index], table.actions()
        letters = {name: letter for letter, name in ACTIONS.items()}
        hands = len(table.seats[seat])
        found = analysis.action_values(hand.cards, table.dealer[0], hands=hands)
        values = {letters[name]: worth for name, worth in found.items()}
        if "N" in open_now:
            # Before the peek "no" is worth what the best play is; alone, insurance is a side bet.
            surrender = values.pop("R", None)
            base = max(values.values()) if surrender is not None else 0.0
            values = {"N": base, "I": base + analysis.insurance(hand.cards) / 2}
            if surrender is not None:
                values["R"] = surrender
        kept = ((letter, worth) for letter, worth in values.items() if letter in open_now)
        return dict(sorted(kept, key=lambda item: -item[1]))

    def affordable(self, table: Round) -> str:
        """The letters open to the player, without those that want more money than he has."""
        hand = table.seats[0][table.turn.hand]
        left = self.bankroll - sum(each.bet for each in table.seats[0])
        left -= hand.bet / 2 if table.answers[0] == "I" else 0
        wanted = {"D": hand.bet, "P": hand.bet, "I": hand.bet / 2}
        return "".join(a for a in table.actions() if wanted.get(a, 0) <= left)


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
    shoe = _Shoe(rules, np.random.default_rng(seed))
    game = _Game(rules, shoe, bankroll, coach, bankroll)
    print("\n".join(wrap_phrases(rules.phrases, 78)) + ".")
    print("Enter bets the same again; ? shows what each action is worth, q ends.")
    try:
        while game.bankroll >= 1e-9 and (not rounds or game.rounds < rounds):
            wager = _ask_bet(game, bet)
            if wager is None:
                break
            bet = wager
            _play_round(game, bet)
    except (EOFError, KeyboardInterrupt):
        print()
    net = game.bankroll - game.start
    print()
    rounds_played = "1 round" if game.rounds == 1 else f"{game.rounds} rounds"
    print(f"{rounds_played}, {net:+.10g} units; {game.bankroll:.10g} left.")
    if coach:
        print(f"Mistakes cost {game.cost:.4f} units.")


def _ask_bet(game: _Game, bet: float) -> float | None:
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


def _play_round(game: _Game, bet: float) -> None:
    if game.shoe.begin():
        print("The shoe is shuffled.")
    game.unseen, game.analysis = game.shoe.unseen(), None
    table = Round.open(game.rules, [bet])
    while table.turn.wants != "over":
        if table.turn.wants == "card":
            table = table.deal(game.shoe.draw(table))
            continue
        print(_scene(table))
        table = table.act(_decide(game, table))
    result = table.payoffs()[0]
    game.bankroll += result
    game.rounds += 1
    print(_scene(table))
    won = f"You {'win' if result > 0 else 'lose'} {abs(result):.10g}."
    print(f"  {won if result else 'Push.'}")


def _decide(game: _Game, table: Round) -> str:
    """The letter that the player chooses."""
    letters = game.affordable(table)
    choices = ", ".join(f"{letter.lower()} {LABELS[letter]}" for letter in letters)
    while True:
        answer = input(f"  {choices}? ").strip().upper()[:1]
        if answer == "Q":
            raise EOFError
        if answer == "?":
            for letter, worth in game.values(table).items():
                print(f"    {LABELS[letter]:<12} {worth:+.4f}")
        elif answer and answer in letters:
            break
        else:
            print(f"  Answer {', '.join(letters.lower())}, ? or q.")
    if game.coach:
        _price(game, table, answer)
    return answer


def _price(game: _Game, table: Round, letter: str) -> None:
    """Say what a decision cost, if it was not the best."""
    values = game.values(table)
    best = next(iter(values))
    if letter in values and values[best] - values[letter] > 1e-9:
        cost = values[best] - values[letter]
        game.cost += cost * table.seats[0][table.turn.hand].bet
        print(f"    {LABELS[best]} was worth {cost:.4f} of the bet more.")


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
