"""ICM: what chips are worth in prizes, by Malmuth and Harville, exactly.

Stacks 50, 30 and 20 play for prizes of 50, 30 and 20: they are worth 38.39, 32.75 and 28.86.

A player takes the first place with a chance in proportion to the chips. Among the others the second
place goes in proportion to theirs, and so on (Harville, JASA 1973; Malmuth, 1987). Every set of
players that can hold the first k places is visited once, so ten players take 1,024 steps and not
3,628,800 orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from riverboat.errors import ParameterError
from riverboat.runtime.array_types import F64, I64

MAX_PLAYERS = 10
MIN_STACK, MAX_STACK = 1e-9, 1e12  # Of a player who has chips
_BATCH = 4_000_000  # Numbers that one step works on at once


@dataclass(frozen=True)
class Payouts:
    """Prizes that the chips of a hand are played for; checked when made."""

    places: tuple[float, ...]
    """The prizes from the first place on."""
    others: tuple[float, ...] = ()
    """Stacks that play for the prizes, too, but not this hand."""
    bounties: tuple[float, ...] = ()
    """What knocking out each player of the hand pays; empty for nothing."""
    stacks: tuple[float, ...] = ()
    """Chips behind of each player of the hand, where one has more than can be lost."""

    def __post_init__(self) -> None:
        check_payouts(self.places)
        for chips in (*self.others, *self.stacks):
            if not MIN_STACK <= chips <= MAX_STACK:
                raise ParameterError(
                    f"Stacks that play for prizes are above 0 ({MIN_STACK:g} to {MAX_STACK:g}),"
                    f" not {chips!r:.60}."
                )
        for prize in self.bounties:
            if not 0 <= prize <= 1e12:
                raise ParameterError(
                    f"A bounty is a number from 0 on, up to 1e+12, not {prize!r:.60}."
                )

    def check(self, players: int) -> None:
        """Refuse what does not fit a hand with that number of players."""
        everybody = players + len(self.others)
        if everybody > MAX_PLAYERS:
            raise ParameterError(f"ICM takes up to {MAX_PLAYERS} players, not {everybody}.")
        if len(self.places) > everybody:
            raise ParameterError(f"There are {len(self.places)} prizes for {everybody} players.")
        for what, given in (("Bounties", self.bounties), ("Stacks", self.stacks)):
            if given and len(given) != players:
                raise ParameterError(f"{what} are one for each of {players} players, one a seat.")
        same = len(self.places) == everybody and len(set(self.places)) == 1
        if same and not any(self.bounties):
            raise ParameterError(
                f"All {everybody} places pay {self.places[0]:g}, so no decision matters; give"
                " prizes that differ."
            )

    def values(self, stacks: Sequence[float]) -> list[float]:
        """What the players of a hand have when it leaves them these stacks, bounties included.

        With two players, who knocks the other out gets the bounty.
        """
        prizes = icm((*stacks, *self.others), self.places)[: len(stacks)].tolist()
        if self.bounties and len(stacks) == 2:
            for player in (0, 1):
                if stacks[1 - player] == 0:
                    prizes[player] += self.bounties[1 - player]
        return [float(value) for value in prizes]


def prizes_after(stacks: ArrayLike, before: Sequence[float], payouts: Payouts) -> F64:
    """(B, P) the prizes of a hand's players whom it leaves (B, P) stacks, without bounties.

    Of those who are knocked out by the same hand, who had more chips `before` it comes first.
    """
    chips = np.asarray(stacks, np.float64)
    num_players, start = chips.shape[1], np.asarray(before, np.float64)
    elsewhere = np.broadcast_to(np.array(payouts.others), (len(chips), len(payouts.others)))
    prizes = icm(np.hstack([chips, elsewhere]), payouts.places)[:, :num_players]
    places = np.append(np.array(payouts.places), np.zeros(MAX_PLAYERS))
    for row, row_stacks in enumerate(chips):
        out = np.flatnonzero(row_stacks == 0)
        first = num_players + len(payouts.others) - len(out)
        for size in {float(start[seat]) for seat in out}:
            ahead = first + sum(start[seat] > size for seat in out)
            equal = [seat for seat in out if start[seat] == size]
            prizes[row, equal] = places[ahead : ahead + len(equal)].mean()
    return prizes


def icm(stacks: ArrayLike, payouts: Sequence[float]) -> F64:
    """The expected prize of each stack; (…, N) stacks give (…, N) prizes.

    Players without chips share the last places equally. `payouts` are the prizes from the first
    place on; places behind them pay nothing.
    """
    try:
        table = np.asarray(stacks, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("Stacks are numbers, such as 50, 30 and 20.") from None
    check_payouts(payouts)
    if table.ndim < 1 or not 1 <= table.shape[-1] <= MAX_PLAYERS:
        raise ParameterError(f"ICM takes 1 to {MAX_PLAYERS} stacks.")
    possible = (table == 0) | ((table >= MIN_STACK) & (table <= MAX_STACK))
    if not (possible.all() and (table > 0).any(axis=-1).all()):
        raise ParameterError(
            f"Stacks are numbers from {MIN_STACK:g} to {MAX_STACK:g}, or 0, and one of them is"
            " above 0."
        )
    num_players = table.shape[-1]
    prizes = np.zeros(num_players)
    prizes[: len(payouts)] = payouts[:num_players]
    rows = table.reshape(-1, num_players)
    step = max(1, _BATCH // (num_players << num_players))
    parts = [_harville(rows[at : at + step], prizes) for at in range(0, len(rows), step)]
    return np.concatenate(parts).reshape(table.shape)


def check_payouts(payouts: Sequence[float]) -> None:
    """Refuse prizes that rise, are negative or are none at all."""
    if not 1 <= len(payouts) <= MAX_PLAYERS:
        raise ParameterError(f"Payouts are 1 to {MAX_PLAYERS} prizes, the first place's first.")
    for prize in payouts:
        if not (isinstance(prize, Real) and 0 <= prize <= 1e12):
            raise ParameterError(f"A prize is a number from 0 on, up to 1e+12, not {prize!r:.60}.")
    if any(first < second for first, second in pairwise(payouts)):
        words = ", ".join(f"{prize:g}" for prize in payouts)
        raise ParameterError(f"Payouts never rise from one place to the next, as {words} do.")
    if payouts[0] == 0:
        raise ParameterError("The first place pays nothing; name its prize.")


@lru_cache(maxsize=MAX_PLAYERS)
def _subsets(num_players: int) -> tuple[F64, tuple[tuple[I64, I64, I64], ...]]:
    """(2^N, N) who is not in each set; and by size the sets, their members and them without one."""
    sets = np.arange(1 << num_players)
    absent = (sets[:, None] >> np.arange(num_players) & 1 == 0).astype(np.float64)
    layers = []
    for size in range(1, num_players + 1):
        members = np.array(list(combinations(range(num_players), size)), np.int64)
        whole = (1 << members).sum(axis=1)
        layers.append((whole, members, whole[:, None] - (1 << members)))
    return absent, tuple(layers)


def _harville(stacks: F64, prizes: F64) -> F64:
    """(B, N) expected prizes."""
    num_players = len(prizes)
    absent, layers = _subsets(num_players)
    others = stacks @ absent.T  # (B, 2^N) chips of those who are not in the set
    inverse = np.divide(1.0, others, out=np.zeros_like(others), where=others > 0)
    chance = np.zeros_like(others)  # That these players have taken the first places
    chance[:, 0] = 1.0
    for whole, members, before in layers[:-1]:
        taken = chance[:, before] * inverse[:, before] * stacks[:, members]
        chance[:, whole] = taken.sum(axis=2)
    sizes = num_players - absent.sum(axis=1).astype(np.int64)
    prize = np.append(prizes, 0.0)[sizes]
    won = stacks * ((chance * inverse * prize) @ absent)
    # Who has no chips comes behind all others.
    out = stacks == 0
    num_out = out.sum(axis=1)
    behind = prizes.sum() - np.append(0.0, np.cumsum(prizes))[num_players - num_out]
    return np.asarray(won + out * (behind / np.maximum(num_out, 1))[:, None])
