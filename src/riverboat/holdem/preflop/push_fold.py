"""All-in or fold: a game before the flop, its text, its decisions, and what its ends are worth.

    game = "push-fold"
    stacks = [10, 10, 10]      # first to act first, the big blind last
    blinds = [0.5, 1]
    ante = 0.125               # everybody; big_blind_ante is paid by the big blind alone
    [payouts]                  # prizes instead of chips: values by ICM
    places = [50, 30, 20]
    others = [12, 8]           # stacks that play for the prizes, too, but not this hand
    bounty = 5                 # for each player knocked out; a list gives one for each seat

Each player goes all-in or folds, once. A player to whom continuing costs nothing does not fold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from riverboat.errors import ParameterError, UnknownNameError
from riverboat.holdem.preflop._finishing_orders import weak_orders
from riverboat.holdem.rules.betting import build_pots
from riverboat.holdem.rules.fields import (
    MAX_CHIPS,
    check_keys,
    read_number,
    read_numbers,
    read_payouts,
    read_table,
)
from riverboat.holdem.rules.icm import Payouts, prizes_after
from riverboat.holdem.rules.seats import short_seat_names
from riverboat.runtime.array_types import F64
from riverboat.runtime.storage import parse_toml, read_text

if TYPE_CHECKING:
    from riverboat.holdem.preflop.solution import PreflopSolution

GAME = "push-fold"
MAX_SEATS = 6
MIN_BIG_BLIND = 0.001
_MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class AllInDecision:
    """Where a player is to act: who has gone all-in before."""

    player: int
    before: tuple[int, ...]

    @property
    def code(self) -> int:
        """The players before as bits."""
        return sum(1 << player for player in self.before)


@dataclass(frozen=True)
class PushFold:
    """A hand of all-in or fold; checked when made."""

    stacks: tuple[float, ...]
    """First to act first; the big blind last, or the one who straddles."""
    blinds: tuple[float, float] = (0.5, 1.0)
    ante: float = 0.0
    big_blind_ante: float = 0.0
    straddle: float = 0.0
    rake_rate: float = 0.0
    rake_cap: float = 0.0
    payouts: tuple[float, ...] = ()
    """The prizes from the first place on; without them chips count."""
    others: tuple[float, ...] = ()
    """Stacks that play for the prizes, too, but not this hand."""
    bounties: tuple[float, ...] = ()
    """What knocking out each seat pays."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            numbers = value if isinstance(value, tuple) else (value,)
            for number in numbers:
                if not 0 <= number <= MAX_CHIPS:
                    raise ParameterError(
                        f"{field.name} takes numbers from 0 to {MAX_CHIPS:,.0f},"
                        f" not {number!r:.60}."
                    )
        self._check_posts()
        self._check_prizes()

    def _check_posts(self) -> None:
        if not 2 <= self.num_players <= MAX_SEATS:
            raise ParameterError(
                f"All-in or fold takes 2 to {MAX_SEATS} stacks, not {self.num_players}."
            )
        if len(self.blinds) != 2 or not 0 <= self.blinds[0] <= self.blinds[1]:
            raise ParameterError("Blinds are two numbers, the small blind first.")
        if self.blinds[1] < MIN_BIG_BLIND:
            raise ParameterError(f"The big blind is above 0, at least {MIN_BIG_BLIND:g}.")
        if self.straddle and (self.num_players < 3 or self.straddle <= self.blinds[1]):
            raise ParameterError("A straddle takes three players and is above the big blind.")
        for seat, name in enumerate(self.names):
            needed = self.posts[seat] + self.dead[seat]
            if self.stacks[seat] <= 0 or self.stacks[seat] < needed:
                raise ParameterError(
                    f"{name} has {self.stacks[seat]:g}, which does not pay blind and ante"
                    f" ({needed:g})."
                )
        if not 0 <= self.rake_rate < 1:
            raise ParameterError(f"The rake's rate lies from 0 to below 1, not {self.rake_rate:g}.")
        if (self.rake_rate > 0) != (self.rake_cap > 0):
            raise ParameterError("A rake has a rate and a cap, both above 0.")

    def _check_prizes(self) -> None:
        if not self.payouts:
            if self.others or self.bounties:
                raise ParameterError("Others and bounties need payouts: prizes to play for.")
            return
        Payouts(self.payouts, self.others, self.bounties).check(self.num_players)
        if self.rake_rate:
            raise ParameterError("A tournament's pots are not raked: leave out rake or payouts.")

    @property
    def num_players(self) -> int:
        """How many play the hand."""
        return len(self.stacks)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The seats in the order of acting: UTG, HJ, CO, BTN, SB, BB."""
        if self.num_players == 2:
            return ("SB", "BB")
        names = short_seat_names(self.num_players)
        first = 3 if self.straddle else 2
        return (*names[first:], *names[:first])

    @cached_property
    def posts(self) -> tuple[float, ...]:
        """What each seat has bet before anyone acts."""
        posted = {"SB": self.blinds[0], "BB": self.blinds[1]}
        if self.straddle:
            posted[self.names[-1]] = self.straddle
        return tuple(posted.get(name, 0.0) for name in self.names)

    @cached_property
    def dead(self) -> tuple[float, ...]:
        """The antes of each seat: in the pot, but no part of a bet."""
        return tuple(
            self.ante + (self.big_blind_ante if name == "BB" else 0.0) for name in self.names
        )

    @cached_property
    def decisions(self) -> tuple[AllInDecision, ...]:
        """Every decision: a player's come together, by those who are all-in before."""
        decisions = []
        for player in range(self.num_players):
            for code in range(1 << player):
                if code or player < self.num_players - 1:
                    before = tuple(seat for seat in range(player) if code >> seat & 1)
                    decisions.append(AllInDecision(player, before))
        return tuple(decisions)

    def forced(self, decision: AllInDecision) -> bool:
        """Whether going on costs nothing, so that nobody folds."""
        seat = decision.player
        live = [stack - dead for stack, dead in zip(self.stacks, self.dead, strict=True)]
        if live[seat] <= self.posts[seat]:
            return True
        last = seat == self.num_players - 1
        return last and max(live[other] for other in decision.before) <= self.posts[seat]

    @property
    def unit(self) -> str:
        """What values are counted in."""
        return "prizes" if self.payouts else "big blinds"

    def end_values(self, allin: Sequence[int]) -> F64:
        """(orders, P) what an end is worth to each seat, for every order of the all-in hands.

        The orders are those of `weak_orders`. Chips are counted as big blinds won; prizes with the
        bounties won.
        """
        orders = weak_orders(len(allin)) if len(allin) > 1 else ((0,),)
        ends = [self._settle(allin, order) for order in orders]
        chips = np.array([stacks for stacks, _ in ends])
        if not self.payouts:
            return np.asarray((chips - self.stacks) / self.blinds[1], np.float64)
        prizes = prizes_after(chips, self.stacks, Payouts(self.payouts, self.others))
        return np.asarray(prizes + np.array([bounties for _, bounties in ends]))

    def _settle(self, allin: Sequence[int], order: Sequence[int]) -> tuple[F64, F64]:
        """Stacks and bounties (P,) after a hand in which `allin` finished in that order."""
        start = np.array(self.stacks)
        dead, bets = np.array(self.dead), np.array(self.posts)
        won, bounties = np.zeros(len(start)), np.zeros(len(start))
        if not allin:
            allin, order = (self.num_players - 1,), (0,)
        else:
            bets[list(allin)] = (start - dead)[list(allin)]
        places = dict(zip(allin, order, strict=True))
        in_hand = [seat in places for seat in range(self.num_players)]
        pots = build_pots(bets.tolist(), in_hand, float(dead.sum()))
        called = sum(chips for chips, rivals in pots if len(rivals) > 1)
        rake = min(self.rake_rate * called, self.rake_cap) if called else 0.0
        winners_over = dict[int, list[int]]()
        """Seat → who won the last pot that the seat was in."""
        for chips, rivals in pots:
            best = min(places[seat] for seat in rivals)
            winners = [seat for seat in rivals if places[seat] == best]
            kept = chips - (rake * chips / called if len(rivals) > 1 else 0.0)
            won[winners] += kept / len(winners)
            winners_over |= dict.fromkeys(rivals, winners)
        stacks = start - dead - bets + won
        stacks[np.abs(stacks) < 1e-9 * max(start.sum(), 1.0)] = 0.0
        if self.bounties:
            for seat in allin:
                if stacks[seat] == 0:
                    winners = winners_over[seat]
                    bounties[winners] += self.bounties[seat] / len(winners)
        return stacks, bounties

    @classmethod
    def load(cls, path: str | Path) -> PushFold:
        """Read a TOML file."""
        return cls.from_toml(read_text(path, _MAX_BYTES))

    @classmethod
    def from_toml(cls, text: str) -> PushFold:
        """Read the text of a TOML file; a key that is not known is refused by name."""
        return cls.from_fields(parse_toml(text, "The game"))

    @classmethod
    def from_fields(cls, table: Mapping[str, Any]) -> PushFold:
        """A game from the keys of its TOML."""
        keys = ("game", "players", "stacks", "blinds", "ante", "big_blind_ante", "straddle",
                "rake", "payouts")  # fmt: skip
        check_keys(table, keys, "a game before the flop")
        if table.get("game", GAME) != GAME:
            raise UnknownNameError.among("game before the flop", str(table["game"]), (GAME,))
        rake, stacks = read_table(table, "rake", ("rate", "cap")), read_numbers(table, "stacks")
        if "players" in table:
            players = table["players"]
            if type(players) is not int or players > MAX_SEATS or len(stacks) not in (1, players):
                raise ParameterError(
                    f"players is the number of stacks, or of equal stacks, up to {MAX_SEATS}."
                )
            stacks = stacks * players if len(stacks) == 1 else stacks
        blinds = read_numbers(table, "blinds") or (0.5, 1.0)
        prizes = None
        if table.get("payouts") is not None:
            prizes = read_payouts(table["payouts"], len(stacks))
        if len(blinds) != 2:
            raise ParameterError("Blinds are two numbers, the small blind first.")
        return cls(
            stacks=stacks,
            blinds=(blinds[0], blinds[1]),
            **{key: read_number(table, key) for key in ("ante", "big_blind_ante", "straddle")},
            rake_rate=read_number(rake, "rate"),
            rake_cap=read_number(rake, "cap"),
            payouts=() if prizes is None else prizes.places,
            others=() if prizes is None else prizes.others,
            bounties=() if prizes is None else prizes.bounties,
        )

    def as_dict(self) -> dict[str, Any]:
        """The keys of its TOML; `from_fields` reads them back to the same game."""
        keys: dict[str, Any] = {"game": GAME, "stacks": [*self.stacks], "blinds": [*self.blinds]}
        for key in ("ante", "big_blind_ante", "straddle"):
            if getattr(self, key):
                keys[key] = getattr(self, key)
        if self.rake_rate:
            keys["rake"] = {"rate": self.rake_rate, "cap": self.rake_cap}
        if self.payouts:
            prizes = {"places": self.payouts, "others": self.others, "bounty": self.bounties}
            keys["payouts"] = {key: [*value] for key, value in prizes.items() if value}
        return keys

    def solve(self, **options: Any) -> PreflopSolution:
        """Solve it; `solve_preflop` has the options: target, iterations, seconds, progress."""
        from riverboat.holdem.preflop.allin_solver import solve_preflop

        return solve_preflop(self, **options)
