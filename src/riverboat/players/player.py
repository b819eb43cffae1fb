"""What a player is: something that sees a View and picks one of its actions.

A View holds what the acting player may know and nothing that leads to more: neither a state nor a
table can be reached from it. Python cannot keep a program from looking around in its own process;
programs that are not trusted play over TCP (twenty-one) or the ACPC's protocol (hold'em).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from weakref import WeakKeyDictionary

import numpy as np

from riverboat.errors import UsageError
from riverboat.games.base import Action, Dealing, Game, Stakes, State, Wagered

_FREE_KEYS = "123456789abcdefghijklmnoprstuvwxyz"


@dataclass(frozen=True, eq=False)
class View:
    """What a player may know when it must act."""

    game: Game
    player: int
    infoset: str
    actions: Sequence[Action]
    description: Callable[[], str] | None = field(default=None, repr=False)
    """The scene in words, where it is not the state's own."""

    def scene(self) -> str:
        """The scene in words as this player sees it."""
        if self.description is not None:
            return self.description()
        state = _STATES.get(self)
        return "" if state is None else state.describe(self.player)

    def stakes(self) -> Stakes | None:
        """Pot and price, in games that have them."""
        state = _STATES.get(self)
        return state.stakes() if isinstance(state, Wagered) else None

    @property
    def hole(self) -> tuple[str, ...]:
        """The player's own cards or dice, ("As", "Kd"); empty in games without."""
        return self.game.cards_in(self.infoset).hole if isinstance(self.game, Dealing) else ()

    @property
    def board(self) -> tuple[str, ...]:
        """The cards that lie open for all, the dealer's up card among them; empty without."""
        return self.game.cards_in(self.infoset).board if isinstance(self.game, Dealing) else ()

    @property
    def pot(self) -> float:
        """The chips in the pot, this street's bets included; 0 in games without a pot."""
        stakes = self.stakes()
        return 0 if stakes is None else stakes.pot

    @property
    def to_call(self) -> float:
        """What the player must add to stay in; 0 where checking is free."""
        stakes = self.stakes()
        return 0 if stakes is None else stakes.price

    @property
    def legal(self) -> Sequence[Action]:
        """The same as `actions`: all that may be chosen here."""
        return self.actions

    def raise_to(self, chips: float) -> Action:
        """The legal bet or raise nearest to `chips` on this street, "r60"; a call where none is.

        Hold'em writes raises with a number. In games of fixed bets it is their one raise.
        """
        first = next((i for i, a in enumerate(self.actions[:3]) if a[:1] == "r"), None)
        if first is None:
            return "c" if "c" in self.actions else self.actions[0]
        if not self.actions[first][1:].isdigit():
            return self.actions[first]

        def amount(action: Action) -> int:
            return int(action[1:])

        near = bisect_left(self.actions, chips, first, key=amount)
        around = self.actions[max(first, near - 1) : near + 1]
        return min(around, key=lambda action: abs(amount(action) - chips))

    def label(self, action: Action) -> str:
        """An action in words that fit the moment: "call 1" where the game only says "bet"."""
        state = _STATES.get(self)
        return (
            self.game.action_label(action)
            if state is None
            else move_words(self.game, state, action)
        )


_STATES: WeakKeyDictionary[View, State] = WeakKeyDictionary()
"""The state behind a view, for the words above; kept here so that no view leads to it."""


def state_behind(view: View) -> State | None:
    """The state behind a view, for tables that play in several processes; no player's business."""
    return _STATES.get(view)


def keep_state(view: View, state: State | None) -> None:
    """Let a view that came from another process have its words."""
    if state is not None:
        _STATES[view] = state


def view_of(game: Game, state: State) -> View:
    """What the acting player may know at `state`."""
    view = View(game, state.actor, state.infoset(state.actor), state.actions())
    _STATES[view] = state
    return view


class Player(Protocol):
    """Picks an action. Randomness comes from the generator it is handed."""

    name: str

    def choose(self, view: View, rng: np.random.Generator) -> Action: ...


SAFE_MOVES = ("check", "fold", "pass", "stand", "no insurance")
"""Words of the moves that are made in place of an answer, in this order."""


def safe_move(view: View) -> Action:
    """A check, else a fold; in games without them what comes nearest, else the first move."""
    words = {action: view.label(action) for action in view.actions[:4]}  # No raises of many sizes
    for safe in SAFE_MOVES:
        for action, label in words.items():
            if label == safe:
                return action
    return view.actions[0]


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


def move_keys(actions: Sequence[Action]) -> dict[str, Action]:
    """What to type for each move: its digits if it has any ("15" for 1-5), else its first letter.

    Where two moves would have the same words they are numbered.
    """
    keys = ["".join(filter(str.isdigit, action)) or action[:1].lower() for action in actions]
    if len(set(keys)) == len(keys) and all(key.isalnum() and key != "q" for key in keys):
        return dict(zip(keys, actions, strict=True))
    if any(action.isdigit() for action in actions):  # a number must not mean another number
        return {action: action for action in actions}
    return dict(zip(_FREE_KEYS, actions, strict=False))


def move_words(game: Game, state: State, action: Action) -> str:
    """What the acting player would do by `action`; the pot shows whether it is a call or a bet."""
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
    """The person leaves; what was played so far counts."""


class HumanPlayer:
    """A person, driven by a terminal, a TUI or a browser alike.

    With `ask` the table calls it and waits for the answer: a legal action. Without, the hand loop
    stops at the person's turn and hands out the view (arena.hand.Hand.advance), for screens with
    an event loop of their own.
    """

    def __init__(self, ask: Callable[[View], Action] | None = None, name: str = "human") -> None:
        self.name = name
        self.ask = ask

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        if self.ask is None:
            raise UsageError(f"Nobody asks {self.name}; drive the hand with Hand.advance and act.")
        return self.ask(view)
