"""What a player is: something that sees a View and picks one of its actions.

Moves in words that fit the moment: "call 1", "fold", "raises by 2".

A person at the table, driven by a terminal, a TUI or a browser alike.

With `ask` the table calls it and waits for the answer, as a terminal wants it. Without, the hand
loop stops at the person's turn and hands out the view (arena.hand.Hand.advance), as a screen
with an event loop of its own wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from riverboat.errors import UsageError
from riverboat.games.base import Action, Game, Stakes, State, Wagered

__all__ = ["HumanPlayer", "LeaveTable", "Player", "View", "move_words", "third_person"]


@dataclass(frozen=True)
class View:
    """What a player may know when it must act.

    The functions at the end are called only by whoever shows or explains the decision.
    """

    game: Game
    player: int
    infoset: str
    actions: Sequence[Action]
    scene: Callable[[], str] = lambda: ""
    """The scene in words as this player sees it (State.describe)."""
    stakes: Callable[[], Stakes | None] = lambda: None
    """Pot and price, in games that have them."""
    words: Callable[[Action], str] | None = None
    """An action in words that fit the moment: "call 1" where the game only says "bet"."""
    state: Callable[[], State] | None = None
    """The state itself, for bots of other packages whose interface is a state (interop)."""

    def label(self, action: Action) -> str:
        """An action in words, as exact as they are known."""
        return self.game.action_label(action) if self.words is None else self.words(action)


class Player(Protocol):
    """Picks an action. Randomness comes from the generator it is handed."""

    name: str

    def choose(self, view: View, rng: np.random.Generator) -> Action: ...


_VERBS = {
    "fold": "folds",
    "check": "checks",
    "call": "calls",
    "bet": "bets",
    "raise": "raises",
    "pass": "passes",
    "hit": "hits",
    "stand": "stands",
    "bid": "bids",
    "all-in": "is all-in with",
}


def move_words(game: Game, state: State, action: Action) -> str:
    """What the acting player would do by `action`; the pot tells a call from a bet."""
    own = getattr(state, "action_words", None)
    if own is not None:
        return str(own(action))
    if not isinstance(state, Wagered):
        return game.action_label(action)
    pot, price = state.stakes()
    following = state.after(action)
    added = following.stakes().pot - pot if isinstance(following, Wagered) else 0
    if added <= 0:
        return "fold" if price else "check"
    if added <= price:
        return f"call {added:g}"
    return f"raise by {added - price:g}" if price else f"bet {added:g}"


def third_person(words: str) -> str:
    """ "call 1" as "calls 1"; words that do not begin with a known verb after a colon."""
    verb, _, rest = words.partition(" ")
    if verb in _VERBS:
        return f"{_VERBS[verb]} {rest}".rstrip()
    return f"chooses {words}"


class LeaveTable(Exception):  # noqa: N818
    """The person has had enough; what was played so far counts."""


class HumanPlayer:
    """Asks; what comes back is a legal action, for the screen asks again until it is."""

    def __init__(self, ask: Callable[[View], Action] | None = None, name: str = "human") -> None:
        self.name = name
        self.ask = ask

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        if self.ask is None:
            raise UsageError(f"Nobody asks {self.name}; drive the hand with Hand.advance and act.")
        return self.ask(view)
