"""A hand in words, for one seat: who did what, the pot, and the price of staying in."""

from __future__ import annotations

from collections.abc import Sequence

from riverboat.arena.hand import ActionTaken, Dealt, Event, HandStarted
from riverboat.games.base import Game
from riverboat.players.player import third_person


class Narrator:
    """Puts events into words for the person in `seat`, without anything hidden from them."""

    def __init__(self, game: Game, seat: int, names: Sequence[str] = ()) -> None:
        """`names` of all seats; without them the others are "player 2", "player 3" …"""
        self.game, self.seat, self.names = game, seat, names
        self._begun = False

    def narrate(self, event: Event) -> str:
        """The event in a line, or nothing where the scene shows it anyway."""
        if isinstance(event, HandStarted):
            self._begun = False
        elif isinstance(event, ActionTaken):
            self._begun = True
            return self._action(event)
        elif isinstance(event, Dealt) and self._begun and event.seen_by(self.seat):
            return f"dealt: {' '.join(event.actions)}"
        return ""

    def _action(self, event: ActionTaken) -> str:
        if not event.seen_by(self.seat):
            return f"{self._name(event.seat)} has chosen"
        if event.seat == self.seat:
            no_verb = third_person(event.words).startswith("chooses ")
            words = f"you choose {event.words}" if no_verb else f"you {event.words}"
        else:
            words = f"{self._name(event.seat)} {third_person(event.words)}"
        stakes = event.stakes
        if stakes is None:
            return words
        price = f", {stakes.price:g} to call" if stakes.price else ""
        return f"{words}; pot {stakes.pot:g}{price}"

    def _name(self, seat: int) -> str:
        # Between isolates (U+2068, U+2069) a name from right to left turns nothing else.
        return f"\u2068{self.names[seat]}\u2069" if self.names else f"player {seat + 1}"
