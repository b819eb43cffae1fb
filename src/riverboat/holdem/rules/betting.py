"""The betting of a hand of hold'em: actions, chips and turns, and who gets which chips of the pot.

The rules are PokerKit's (docs/holdem.md); what PokerKit does with loops over a mutable
table is here one immutable record. Its fields are given one by one, because `replace` takes three
times as long, and following real hands is mostly this. In no-limit a player may have thousands of
raises: BettingActions stands for them all and makes their texts only when they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import Any, TypeVar, overload

from riverboat.errors import IllegalActionError
from riverboat.games.base import Action

STREET_NAMES = ("preflop", "flop", "turn", "river")
FOLD, CALL = "f", "c"
_RAISE = re.compile(r"r([1-9][0-9]{0,17})", re.ASCII)  # More digits than any stack has are no raise
_TOKEN = re.compile(r"[fc/]|r[1-9][0-9]{0,17}", re.ASCII)


class Street(IntEnum):
    """The betting rounds, numbered alike in the whole product."""

    PREFLOP = 0
    FLOP = 1
    TURN = 2
    RIVER = 3


class BettingActions(Sequence[Action]):
    """Fold where there is something to call, check or call, and every raise from low to high."""

    __slots__ = ("_fixed", "raises")

    def __init__(self, can_fold: bool, raises: tuple[int, int] | None) -> None:
        self._fixed = (FOLD, CALL) if can_fold else (CALL,)
        self.raises = raises
        """The least and the greatest amount to raise to; None where no raise is allowed."""

    def __len__(self) -> int:
        return len(self._fixed) + (self.raises[1] - self.raises[0] + 1 if self.raises else 0)

    def __contains__(self, action: object) -> bool:
        if action in self._fixed:
            return True
        amount = raise_amount(action) if isinstance(action, str) else None
        return bool(self.raises and amount and self.raises[0] <= amount <= self.raises[1])

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Action, ...]: ...
    def __getitem__(self, index: int | slice) -> Action | tuple[Action, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        fixed = len(self._fixed)
        if index < fixed or self.raises is None:
            return self._fixed[index]
        return f"r{self.raises[0] + index - fixed}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((self._fixed, self.raises))

    def __repr__(self) -> str:
        raises = f", r{self.raises[0]}…r{self.raises[1]}" if self.raises else ""
        return f"<{', '.join(self._fixed)}{raises}>"


def raise_amount(action: Action) -> int | None:
    """The amount of a raise's text, "r60"; None for any other text."""
    match = _RAISE.fullmatch(action)
    return int(match[1]) if match else None


def parse_betting(text: str) -> list[Action]:
    """`"cr6c/"` as `["c", "r6", "c", "/"]`."""
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != text:
        raise IllegalActionError(
            f"holdem: {text[:80]!r} is not a betting sequence; write f, c and r with an amount."
        )
    return tokens


@dataclass(frozen=True)
class BettingRules:
    """What the betting needs to know of the game, by player or by street."""

    stacks: tuple[int, ...]
    blinds: tuple[int, ...]
    """Below 0: posted out of turn, a bet like any other that does not decide who acts first."""
    antes: tuple[int, ...]
    dead_antes: bool  # Antes go into the main pot without counting as a player's own chips there
    bet_sizes: tuple[int, ...]
    max_raises: tuple[int | None, ...]
    fixed: bool
    opening: int = 0
    """What must be met before the flop even where no bet is as high: the big blind of a player who
    is all-in for less, in houses where it is called in full."""
    pot_limit: bool = False
    """A bet or raise is at most the pot, as it stands after calling."""

    @property
    def dead(self) -> list[int]:
        """The part of each player's chips that counts for no side pot."""
        if not self.dead_antes:
            return [0] * len(self.stacks)
        return [min(pair) for pair in zip(self.antes, self.stacks, strict=True)]


@dataclass(frozen=True, slots=True)
class Betting:
    """Chips and turns at one point of a hand. `queue` is empty when a street's betting is over."""

    rules: BettingRules
    street: int
    stacks: tuple[int, ...]
    bets: tuple[int, ...]  # Chips put in on this street; all 0 once its betting is over
    paid: tuple[int, ...]  # Chips put in during the hand that count for side pots
    in_hand: tuple[bool, ...]
    queue: tuple[int, ...]  # Who must still act, first the one whose turn it is
    raise_by: int = 0  # The largest bet or raise of the street so far
    raises: int = 0
    acted: int = 0  # A bit for each player who has acted since the last full raise
    short: int = 0
    """What all-ins below a full raise, since the last bet that was not one, add up to."""

    @property
    def top(self) -> int:
        """The bet that must be met on this street."""
        top = max(self.bets)
        return top if self.street else max(top, self.rules.opening)

    @property
    def to_call(self) -> int:
        """What the acting player must put in to stay, at most the player's stack."""
        player = self.queue[0]
        return min(self.stacks[player], self.top - self.bets[player])

    @property
    def pot(self) -> int:
        """All chips in the middle."""
        return sum(self.rules.stacks) - sum(self.stacks)

    def raise_range(self) -> tuple[int, int] | None:
        """The least and the greatest total for the street the acting player may raise to."""
        rules, player, top = self.rules, self.queue[0], self.top
        most = self.stacks[player] + self.bets[player]
        if (
            most <= top
            or self.to_call < self.raise_by
            or self.raises == rules.max_raises[self.street]
            or (0 < self.short < self.raise_by and self.acted >> player & 1)
            or not self._can_be_answered(player, top)
        ):
            return None
        least = min(most, top + max(self.raise_by, rules.bet_sizes[self.street]))
        if rules.fixed:
            return least, least
        if rules.pot_limit:
            # After the call the pot is this large, and by so much it may be raised.
            pot = self.pot + top - self.bets[player]
            most = min(most, max(least, top + pot))
        return least, most

    def _can_be_answered(self, player: int, top: int) -> bool:
        """Whether another player has chips beyond the highest bet."""
        stacks, bets = self.stacks, self.bets
        for other, here in enumerate(self.in_hand):
            if here and other != player and stacks[other] + bets[other] > top:
                return True
        return False

    def actions(self) -> BettingActions:
        """The acting player's legal actions."""
        return BettingActions(self.to_call > 0, self.raise_range())

    def after(self, action: Action) -> Betting:
        """The betting after a legal action of the acting player."""
        if action == CALL:
            return self.call()
        if action == FOLD and self.to_call > 0:
            return self.fold()
        amount, allowed = raise_amount(action), self.raise_range()
        if amount is None or allowed is None or not allowed[0] <= amount <= allowed[1]:
            raise IllegalActionError(
                f"holdem: {action!r} is not possible here; legal: {self.actions()!r}."
            )
        return self.raise_to(amount)

    def words(self, action: Action) -> str:
        """An action of the acting player in words: check, call 4, raise to 30, all-in 200."""
        stack, bet = self.stacks[self.queue[0]], self.bets[self.queue[0]]
        if action == FOLD:
            return "fold"
        if action == CALL:
            all_in = " (all-in)" if self.to_call == stack else ""
            return f"call {self.to_call}{all_in}" if self.to_call else "check"
        amount = action[1:]
        if int(amount) == stack + bet:
            return f"all-in {amount}"
        return f"raise to {amount}" if max(self.bets) else f"bet {amount}"

    def next_street(self) -> Betting:
        """The next street's betting; its queue is empty where no one is left to bet against."""
        able = sum(
            1 for stack, here in zip(self.stacks, self.in_hand, strict=True) if here and stack
        )
        queue = _first_queue(self.stacks, self.bets, self.bets, self.in_hand) if able > 1 else ()
        street = self.street + 1
        return Betting(self.rules, street, self.stacks, self.bets, self.paid, self.in_hand, queue)

    def fold(self) -> Betting:
        """The betting after a fold, also where checking is free, which `after` refuses."""
        player = self.queue[0]
        in_hand = (*self.in_hand[:player], False, *self.in_hand[player + 1 :])
        queue = self.queue[1:] if sum(in_hand) > 1 else ()
        acted = self.acted | 1 << player
        return _closed_if_done(
            self._moved(self.stacks, self.bets, self.paid, in_hand, queue, acted)
        )

    def call(self) -> Betting:
        """The betting after a check or call."""
        player, chips = self.queue[0], self.to_call
        stacks, bets = _added(self.stacks, player, -chips), _added(self.bets, player, chips)
        paid, acted = _added(self.paid, player, chips), self.acted | 1 << player
        return _closed_if_done(self._moved(stacks, bets, paid, self.in_hand, self.queue[1:], acted))

    def _moved(
        self,
        stacks: tuple[int, ...],
        bets: tuple[int, ...],
        paid: tuple[int, ...],
        in_hand: tuple[bool, ...],
        queue: tuple[int, ...],
        acted: int,
    ) -> Betting:
        """The betting with these chips and turns, and no raise more."""
        raised = self.raise_by, self.raises
        return Betting(
            self.rules, self.street, stacks, bets, paid, in_hand, queue, *raised, acted, self.short
        )

    def raise_to(self, amount: int) -> Betting:
        """The betting after a bet or raise, also one to less than `after` takes."""
        player = self.queue[0]
        by, chips = amount - self.top, amount - self.bets[player]
        stacks = _added(self.stacks, player, -chips)
        raise_by = max(self.raise_by, by)
        short = 0 if stacks[player] else self.short + by
        return Betting(
            self.rules,
            self.street,
            stacks,
            _added(self.bets, player, chips),
            _added(self.paid, player, chips),
            self.in_hand,
            _around(stacks, self.in_hand, player + 1, len(stacks) - 1),
            raise_by,
            self.raises + 1,
            1 << player if by >= self.raise_by else self.acted | 1 << player,
            0 if short >= raise_by else short,
        )


def open_betting(rules: BettingRules) -> Betting:
    """Antes and blinds posted, the first street's betting open."""
    antes = [min(pair) for pair in zip(rules.antes, rules.stacks, strict=True)]
    if not rules.dead_antes:
        # An ante that nobody matches goes back, like any uncalled bet.
        matched = sorted(antes)[-2]
        antes = [min(ante, matched) for ante in antes]
    after_ante = [stack - ante for stack, ante in zip(rules.stacks, antes, strict=True)]
    bets = tuple(
        min(abs(blind), chips) for blind, chips in zip(rules.blinds, after_ante, strict=True)
    )
    stacks = tuple(chips - bet for chips, bet in zip(after_ante, bets, strict=True))
    layered = [0] * len(antes) if rules.dead_antes else antes
    paid = tuple(ante + bet for ante, bet in zip(layered, bets, strict=True))
    in_hand = (True,) * len(bets)
    turns = tuple(-bet if blind < 0 else bet for bet, blind in zip(bets, rules.blinds, strict=True))
    queue = _first_queue(stacks, bets, turns, in_hand)
    return _closed_if_done(Betting(rules, 0, stacks, bets, paid, in_hand, queue))


def _first_queue(
    stacks: tuple[int, ...],
    bets: tuple[int, ...],
    turns: tuple[int, ...],
    in_hand: tuple[bool, ...],
) -> tuple[int, ...]:
    """Who acts on a new street, in order: from the seat after the last of the highest bets.

    `turns` are the bets as far as they decide that. Left out are those without chips and those whom
    nobody can make pay any more.
    """
    players = len(bets)
    last = max(range(players), key=lambda p: (turns[p], p))
    totals = sorted(stacks[p] + bets[p] for p in range(players) if in_hand[p])
    around = _around(stacks, in_hand, last + 1, players)
    queue = tuple(p for p in around if totals[-2] > bets[p])
    if len(queue) == 1 and bets[queue[0]] >= max(bets):
        return ()
    return queue


def _around(
    stacks: tuple[int, ...], in_hand: tuple[bool, ...], first: int, count: int
) -> tuple[int, ...]:
    """The players in the hand with chips among `count` seats from `first` on."""
    seats = (seat % len(stacks) for seat in range(first, first + count))
    return tuple([seat for seat in seats if in_hand[seat] and stacks[seat]])


def _closed_if_done(betting: Betting) -> Betting:
    """With nobody left to act the bets are gathered in and what was not called goes back."""
    if betting.queue:
        return betting
    top = max(betting.bets)
    bettor = betting.bets.index(top)
    uncalled = top - sorted(betting.bets)[-2]
    stacks, paid = _added(betting.stacks, bettor, uncalled), _added(betting.paid, bettor, -uncalled)
    none = (0,) * len(betting.bets)
    return betting._moved(stacks, none, paid, betting.in_hand, (), betting.acted)


def _added(values: tuple[int, ...], index: int, amount: int) -> tuple[int, ...]:
    return (*values[:index], values[index] + amount, *values[index + 1 :])


Chips = TypeVar("Chips", int, float)  # Spots and prizes have parts of chips


def build_pots(
    paid: Sequence[Chips], in_hand: Sequence[bool], dead: Chips = 0
) -> list[tuple[Chips, tuple[int, ...]]]:
    """The main pot and the side pots, main pot first: chips, and who may win them, in seat order.

    A level is what a player has put in; a level's chips are for the players in the hand who put
    in as much. Neighbouring levels for the same players are one pot, and a level whose players have
    all folded, though checking was free, belongs to the one below. `dead` chips lie in the main pot
    without counting as anybody's.
    """
    pots: list[tuple[Chips, tuple[int, ...]]] = []
    below: Chips = 0
    for level in sorted(set(paid)):
        chips = dead + sum(level - below for amount in paid if amount >= level)
        dead = 0
        players = tuple(p for p, amount in enumerate(paid) if in_hand[p] and amount >= level)
        players = players or (pots[-1][1] if pots else ())
        while pots and pots[-1][1] == players:
            chips += pots.pop()[0]
        if chips:
            pots.append((chips, players))
        below = level
    return pots


def share_out(
    paid: Sequence[int],
    in_hand: Sequence[bool],
    strengths: Sequence[Any],
    dead: int = 0,
    split: bool = False,
) -> list[Fraction]:
    """What each player takes at the showdown.

    Hands that win nothing are thrown away first, so that pots which only such hands kept apart
    are one; then each pot is divided among its best hands and the chips that do not divide go to
    the first of them left of the button, or with `split` are cut into fractions.
    """
    winners = [False] * len(paid)
    for _, players in build_pots(paid, in_hand, dead):
        best = max(strengths[p] for p in players)
        for p in players:
            winners[p] = winners[p] or strengths[p] == best
    taken = [Fraction(0)] * len(paid)
    for chips, players in build_pots(paid, winners, dead):
        best = max(strengths[p] for p in players)
        tied = [p for p in players if strengths[p] == best]
        share, odd = (Fraction(chips, len(tied)), 0) if split else divmod(chips, len(tied))
        for p in tied:
            taken[p] += share
        taken[tied[0]] += odd
    return taken


def nearest_action(betting: Betting, amount: float) -> Action:
    """The legal action nearest to another game's: below 0 a fold, 0 a call, else a raise to it.

    A fold where checking is free and a raise where none is allowed are calls.
    """
    if amount < 0:
        return FOLD if betting.to_call else CALL
    allowed = betting.raise_range()
    if amount == 0 or allowed is None:
        return CALL
    least, most = allowed
    return f"r{most if amount >= most else max(round(amount), least)}"
