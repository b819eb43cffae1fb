"""Hands as hand histories hold them: what was read, who won what, and where the file disagrees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from riverboat.cards.card import cards_text
from riverboat.errors import IllegalActionError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.rules.state import HoldemState

MAX_DIGITS = 100  # Of a whole number: no money has more, and sums of longer ones overflow
MAX_RAKE = Decimal("0.5")
"""Share of the pot: winnings that fall short of it by more are not explained by a rake."""


def is_number(value: Any) -> bool:
    """A number of a PHH file, of any sign, infinity among them."""
    number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return number and not Decimal(value).is_nan()


def reason_of(error: Exception) -> str:
    """An error's sentence without the game's name before it and the full stop."""
    return re.sub(r"^(?:holdem|omaha|shortdeck): ", "", str(error)).rstrip(".")


def is_amount(value: Any) -> bool:
    """The same, from 0 up."""
    return is_number(value) and value >= 0


@dataclass(frozen=True)
class Difference:
    """A player whose stack after the hand is not what the file says, in the file's money."""

    player: int  # Counted from 0
    recorded: Decimal
    replayed: Decimal


@dataclass(frozen=True, repr=False)
class PhhHand:
    """A hand that was read: the state it ends in, and whatever else the file says of it."""

    state: HoldemState
    unit: Decimal = Decimal(1)  # What one chip of `state` is worth in the file's money
    mucked: tuple[int, ...] = ()  # Players who threw their hands away unseen at the showdown
    fields: Mapping[str, Any] = field(default_factory=dict)
    """All fields of the file by name, `players` and `hand` among them."""
    section: str = ""  # The name of its section, where the file has several hands

    def returns(self) -> tuple[float, ...]:
        """Chips won or lost; players who mucked win nothing."""
        ended = self.ended
        if not any(ended.betting.in_hand):
            raise IllegalActionError("Everybody mucked, so nobody wins this hand.")
        return ended.returns()

    @property
    def ended(self) -> HoldemState:
        """The last state without those who mucked.

        One hand that is left wins, also where an all-in's board was not dealt to the end.
        """
        actor, betting = self.state.actor, self.state.betting
        in_hand = tuple(
            here and player not in self.mucked for player, here in enumerate(betting.in_hand)
        )
        actor = TERMINAL if actor == CHANCE and sum(in_hand) == 1 else actor
        return replace(self.state, actor=actor, betting=replace(betting, in_hand=in_hand))

    @property
    def rake(self) -> Decimal:
        """What the house took, in the file's money; 0 where the file says nothing that can be.

        A file that does not name it (`_rake`) shows it by `winnings` that are less than the pot.
        """
        rake = self.fields.get("_rake", 0)
        known = is_amount(rake) and Decimal(rake).is_finite()
        named = Decimal(rake) if known and Decimal(rake).adjusted() < MAX_DIGITS else Decimal(0)
        return named or self._unnamed_rake()

    def _unnamed_rake(self) -> Decimal:
        collected = self.amounts("winnings")
        if not collected:
            return Decimal(0)
        try:
            gains = self._gains()
        except IllegalActionError:
            return Decimal(0)
        pairs = zip(gains, self._net(collected), strict=True)
        gaps = [gain - net for gain, net in pairs]
        # Only who collected something can have paid it.
        fits = all(
            gap == 0 or (gap > 0 and part > 0) for gap, part in zip(gaps, collected, strict=True)
        )
        most = MAX_RAKE * self.state.betting.pot * self.unit
        return sum(gaps, Decimal(0)) if fits and sum(gaps) <= most else Decimal(0)

    def amounts(self, name: str) -> list[Decimal]:
        """A field with an amount for each player; empty where it is something else."""
        values = self.fields.get(name)
        if not isinstance(values, list) or len(values) != self.state.game.players:
            return []
        if not all(map(is_amount, values)):
            return []
        amounts = [Decimal(value) for value in values]
        return amounts if all(amount.adjusted() < MAX_DIGITS for amount in amounts) else []

    def won(self) -> list[Decimal]:
        """What each player won or lost in the file's money, less the rake."""
        gains, rake = self._gains(), self.rake
        if not rake:
            return gains
        collected, stacks = self.amounts("winnings"), self.state.game.betting_rules.stacks
        net = self._net(collected) if collected else []
        if not net:
            pairs = zip(self.amounts("finishing_stacks"), stacks, strict=False)
            net = [after - before * self.unit for after, before in pairs]
        return net if net and sum(gains) - sum(net) == rake else gains

    def _gains(self) -> list[Decimal]:
        """What each player won or lost in the file's money, before the rake."""
        return [int(chips) * self.unit for chips in self.returns()]

    def _net(self, collected: list[Decimal]) -> list[Decimal]:
        """What players who collected these amounts won or lost."""
        stacks = zip(self.state.game.betting_rules.stacks, self.state.betting.stacks, strict=True)
        paid = [(before - after) * self.unit for before, after in stacks]
        return [part - put for part, put in zip(collected, paid, strict=True)]

    def differences(self) -> list[Difference]:
        """Where the file's `finishing_stacks`, if it has them, are not those of the replay.

        What the house took (`_rake`) is missing from the winners' stacks, and no difference.
        """
        recorded = self.amounts("finishing_stacks")
        if not recorded:
            return []
        pairs = zip(self.fields["starting_stacks"], self.returns(), strict=True)
        replayed = [Decimal(stack) + Decimal(int(gain)) * self.unit for stack, gain in pairs]
        if self._is_rake(recorded, replayed):
            return []
        return [
            Difference(player, said, won)
            for player, (said, won) in enumerate(zip(recorded, replayed, strict=True))
            if said != won
        ]

    def _is_rake(self, recorded: list[Decimal], replayed: list[Decimal]) -> bool:
        """Whether stacks fall short of the replay's by the rake, and nobody has more than there."""
        gaps = [won - said for said, won in zip(recorded, replayed, strict=True)]
        return 0 < self.rake == sum(gaps) and min(gaps) >= -len(gaps) * self.unit

    @property
    def names(self) -> list[str]:
        """The players by name, or p1, p2, … where the file has no names for all."""
        names, count = self.fields.get("players"), self.state.game.players
        if not isinstance(names, list) or len(names) != count:
            return [f"p{number}" for number in range(1, count + 1)]
        return [str(name) for name in names]

    def as_dict(self, number: int = 1) -> dict[str, Any]:
        """The hand in the file's money: who won what, and what is to be said of it."""
        state, unit = self.state, self.unit
        game, won, note = state.game, None, None
        differences: list[Difference] = []
        try:
            won = self.won()
            differences = self.differences()
        except IllegalActionError as error:
            note = reason_of(error)
        if differences:
            stacks = ", ".join(
                f"{self.names[one.player]} {one.recorded:,f} instead of {one.replayed:,f}"
                for one in differences
            )
            note = f"the file says other finishing stacks: {stacks}"
        return {
            "hand": str(self.fields.get("hand", number)),
            "section": self.section or None,
            "game": game.name,
            "limit": game.limit,
            "players": self.names,
            "blinds": [game.small_blind * unit, game.big_blind * unit],
            "cards": [cards_text(hole) for hole in state.holes],
            "board": cards_text(state.board),
            "betting": re.sub(r"\d+", lambda m: f"{int(m[0]) * unit}", state.history),
            "won": won,
            "note": note,
        }

    def __repr__(self) -> str:
        board = cards_text(self.state.board) or "no board"
        return f"<PhhHand: {self.state.game.players} players, {board}, {self.state.history}>"


@dataclass(frozen=True)
class RefusedHand:
    """A hand that could not be read or played, and why, in a sentence."""

    section: str
    reason: str


@dataclass(frozen=True, repr=False)
class PhhFile:
    """All hands of a text that could be played, in its order, and those that could not."""

    hands: tuple[PhhHand, ...]
    refused: tuple[RefusedHand, ...]

    def as_dict(self) -> dict[str, Any]:
        """Every hand as PhhHand.as_dict gives it, and what was refused by section."""
        return {
            "hands": [hand.as_dict(number) for number, hand in enumerate(self.hands, 1)],
            "refused": [{"section": bad.section, "reason": bad.reason} for bad in self.refused],
        }

    def __repr__(self) -> str:
        return f"<PhhFile: {len(self.hands):,} hands, {len(self.refused):,} refused>"
