"""Hold'em for prizes: the same hands, with returns that are prizes by ICM in place of chips.

    for_prizes(Holdem(players=3, stacks=(60, 30, 10)), {"places": [50, 30, 20]})

A hand ends with stacks. Their prizes by ICM, less those of the stacks before it, are the returns,
and bounties are added: knocking out a player pays the bounty of that seat, in equal parts to those
who win the player's last chips. Who goes out in the same hand is ranked by the chips before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

from riverboat.holdem.rules.fields import read_payouts
from riverboat.holdem.rules.icm import Payouts, icm, prizes_after
from riverboat.holdem.rules.state import Holdem, HoldemState

WINNER_TAKES_ALL = Payouts((1.0,))


@dataclass(frozen=True)
class PrizeHoldem(Holdem):
    """Hands that are played for prizes; `for_prizes` makes it."""

    payouts: Payouts = WINNER_TAKES_ALL

    title: ClassVar[str] = "Texas hold'em for prizes"
    unit: ClassVar[str] = "prizes"
    utility_sum: ClassVar[float | None] = None  # Others may gain what the hand's players lose

    def __post_init__(self) -> None:
        super().__post_init__()
        self.payouts.check(self.players)

    @cached_property
    def start_prizes(self) -> tuple[float, ...]:
        """What the stacks are worth before the hand."""
        stacks = (*self.betting_rules.stacks, *self.payouts.others)
        return tuple(icm(stacks, self.payouts.places)[: self.players].tolist())

    def utility(self, state: HoldemState, won: tuple[float, ...]) -> tuple[float, ...]:
        before = self.betting_rules.stacks
        after = [chips + change for chips, change in zip(before, won, strict=True)]
        prizes = prizes_after([after], before, self.payouts)[0].tolist()
        for out, winners in _knocked_out(state, after):
            for winner in winners:
                bounty = self.payouts.bounties[out] if self.payouts.bounties else 0.0
                prizes[winner] += bounty / len(winners)
        return tuple(now - then for now, then in zip(prizes, self.start_prizes, strict=True))


def _knocked_out(state: HoldemState, after: Sequence[float]) -> list[tuple[int, list[int]]]:
    """Each player without chips, and who won the last of them."""
    paid, here = state.betting.paid, state.betting.in_hand
    knocked_out = []
    for out, chips in enumerate(after):
        if chips == 0:
            rivals = [p for p, inside in enumerate(here) if inside and paid[p] >= paid[out]]
            hands = {p: state.game.strength(state.holes[p], state.board) for p in rivals}
            best = max(hands.values())
            knocked_out.append((out, [p for p in rivals if hands[p] == best]))
    return knocked_out


def for_prizes(game: Holdem, given: Mapping[str, Any] | Sequence[float]) -> PrizeHoldem:
    """The game played for prizes: `places` alone, or a table with places, others and bounty."""
    rules = {field.name: getattr(game, field.name) for field in fields(Holdem)}
    return PrizeHoldem(**rules, payouts=read_payouts(given, game.players))
