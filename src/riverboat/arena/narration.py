"""A hand in words, for one seat: who did what, the pot, and the price of staying in."""

from __future__ import annotations

from riverboat.arena.hand import ActionTaken, Dealt, Event, HandStarted
from riverboat.games.base import Game
from riverboat.players.player import third_person


class Narrator:
    """Puts events into words for the person in `seat`, without anything hidden from them."""

    def __init__(self, game: Game, seat: int) -> None:
        self.game, self.seat = game, seat
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
            return f"player {event.seat + 1} has chosen"
        if event.seat == self.seat:
            no_verb = third_person(event.words).startswith("chooses ")
            words = f"you choose {event.words}" if no_verb else f"you {event.words}"
        else:
            words = f"player {event.seat + 1} {third_person(event.words)}"
        stakes = event.stakes
        if stakes is None:
            return words
        price = f", {stakes.price:g} to call" if stakes.price else ""
        return f"{words}; pot {stakes.pot:g}{price}"
