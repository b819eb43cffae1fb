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

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from riverboat.errors import ParameterError, UnknownNameError
from riverboat.holdem.rules.icm import Payouts, prizes_after
from riverboat.holdem.rules.table import seat_names
from riverboat.holdem.spots.spot_toml import check_keys
from riverboat.runtime.array_types import F64
from riverboat.runtime.storage import parse_toml, read_text

if TYPE_CHECKING:
    from riverboat.holdem.preflop.solution import PreflopSolution

GAME = "push-fold"
MAX_SEATS = 6
MIN_BIG_BLIND, MAX_CHIPS = 0.001, 1e9
_SHORT = {
    "under the gun": "UTG",
    "hijack": "HJ",
    "cutoff": "CO",
    "button": "BTN",
    "small blind": "SB",
    "big blind": "BB",
}
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
        names = [_SHORT[name] for name in seat_names(self.num_players)]
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
        found = []
        for player in range(self.num_players):
            for code in range(1 << player):
                if code or player < self.num_players - 1:
                    before = tuple(seat for seat in range(player) if code >> seat & 1)
                    found.append(AllInDecision(player, before))
        return tuple(found)

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
        pot, previous, layers = float(dead.sum()), 0.0, []
        for level in sorted({float(bets[seat]) for seat in allin}):
            rivals = [seat for seat in allin if bets[seat] >= level]
            pot += float((np.minimum(bets, level) - np.minimum(bets, previous)).sum())
            best = min(places[seat] for seat in rivals)
            layers.append((pot, rivals, [seat for seat in rivals if places[seat] == best], level))
            pot, previous = 0.0, level
        called = sum(pot for pot, rivals, _, _ in layers if len(rivals) > 1)
        rake = min(self.rake_rate * called, self.rake_cap) if called else 0.0
        for pot, rivals, winners, _ in layers:
            part = pot - (rake * pot / called if len(rivals) > 1 else 0.0)
            won[winners] += part / len(winners)
        stacks = start - dead - np.minimum(bets, previous) + won
        stacks[np.abs(stacks) < 1e-9 * max(start.sum(), 1.0)] = 0.0
        if self.bounties:
            for seat in allin:
                if stacks[seat] == 0:
                    winners = next(names for _, _, names, level in layers if level == bets[seat])
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
        rake, prizes = _table(table, "rake", ("rate", "cap")), _payouts(table.get("payouts"))
        stacks = _numbers(table, "stacks")
        if "players" in table:
            players = table["players"]
            if type(players) is not int or players > MAX_SEATS or len(stacks) not in (1, players):
                raise ParameterError(
                    f"players is the number of stacks, or of equal stacks, up to {MAX_SEATS}."
                )
            stacks = stacks * players if len(stacks) == 1 else stacks
        bounty = _numbers(prizes, "bounty")
        blinds = _numbers(table, "blinds") or (0.5, 1.0)
        if len(blinds) != 2:
            raise ParameterError("Blinds are two numbers, the small blind first.")
        return cls(
            stacks=stacks,
            blinds=(blinds[0], blinds[1]),
            **{key: _number(table, key) for key in ("ante", "big_blind_ante", "straddle")},
            rake_rate=_number(rake, "rate"),
            rake_cap=_number(rake, "cap"),
            payouts=_numbers(prizes, "places"),
            others=_numbers(prizes, "others"),
            bounties=bounty * len(stacks) if len(bounty) == 1 else bounty,
        )

    def as_dict(self) -> dict[str, Any]:
        """The keys of its TOML; `from_fields` reads them back to the same game."""
        found: dict[str, Any] = {"game": GAME, "stacks": [*self.stacks], "blinds": [*self.blinds]}
        for key in ("ante", "big_blind_ante", "straddle"):
            if getattr(self, key):
                found[key] = getattr(self, key)
        if self.rake_rate:
            found["rake"] = {"rate": self.rake_rate, "cap": self.rake_cap}
        if self.payouts:
            prizes = {"places": self.payouts, "others": self.others, "bounty": self.bounties}
            found["payouts"] = {key: [*value] for key, value in prizes.items() if value}
        return found

    def solve(self, **options: Any) -> PreflopSolution:
        """Solve it; `solve_preflop` has the options: target, iterations, seconds, progress."""
        from riverboat.holdem.preflop.allin_solver import solve_preflop

        return solve_preflop(self, **options)


@lru_cache(maxsize=MAX_SEATS)
def weak_orders(num: int) -> tuple[tuple[int, ...], ...]:
    """Every order of hands that may tie: for each hand the number of better ones."""
    return tuple(
        order
        for order in product(range(num), repeat=num)
        if all(sum(other < place for other in order) == place for place in order)
    )


def subsets(num: int) -> list[tuple[int, ...]]:
    """The sets of seats, by size."""
    return [seats for size in range(num + 1) for seats in combinations(range(num), size)]


def _table(table: Mapping[str, Any], key: str, keys: Sequence[str]) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, Mapping):
        raise ParameterError(f"{key} must be a table, such as [{key}].")
    check_keys(value, keys, f"[{key}]")
    return value


def _payouts(value: Any) -> Mapping[str, Any]:
    """The table of prizes; a list alone is its places."""
    if isinstance(value, list | tuple):
        return {"places": value}
    given = {} if value is None else {"payouts": value}
    found = _table(given, "payouts", ("places", "others", "bounty"))
    if value is not None and "places" not in found:
        raise ParameterError("[payouts] needs places, such as places = [50, 30, 20].")
    return found


def _number(table: Mapping[str, Any], key: str) -> float:
    found = _numbers(table, key)
    if len(found) > 1:
        raise ParameterError(f"{key} is one number.")
    return found[0] if found else 0.0


def _numbers(table: Mapping[str, Any], key: str) -> tuple[float, ...]:
    """One number or several, as floats; none where the key is missing."""
    value = table.get(key, ())
    values = value if isinstance(value, list | tuple) else (value,)
    if key in table and key != "others" and not values:
        raise ParameterError(f"{key} takes numbers, not an empty list.")
    if any(isinstance(each, bool) or not isinstance(each, int | float) for each in values):
        raise ParameterError(f"{key} takes numbers, not {json.dumps(value, default=str)[:60]}.")
    try:
        return tuple(float(each) for each in values)
    except OverflowError:
        raise ParameterError(f"A number of {key} is too large.") from None
