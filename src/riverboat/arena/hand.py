"""The hand loop: one hand from start to end, reported to a listener as typed events.

    HandStarted ─▶ (Dealt | ActionTaken)* ─▶ HandEnded

A listener is a function of one event: a screen, a log, a statistic. It is outside the table
and sees every card; what one seat may see of an event is `event.seen_by(seat)`, and of the scene
`event.after.describe(seat)`.

`play_hand` runs a hand whose players all answer when asked. A screen with an event loop of its
own seats a HumanPlayer without `ask` and drives a `Hand`:

    hand = Hand(game, seats, deal_at_random(chance), generators, listener=show)
    while (view := hand.advance()) is not None:
        hand.act(await answer_of(view))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from riverboat.errors import GameError, IllegalActionError, RiverboatError, UsageError
from riverboat.games.base import CHANCE, TERMINAL, Action, Game, Stakes, State, Wagered, check_seats
from riverboat.games.contract import MAX_MOVES, check_game, check_returns, failure_of, is_own_game
from riverboat.players.own_bots import ask_own_bot, is_own, shown_name
from riverboat.players.player import HumanPlayer, LeaveTable, Player, View, move_words, view_of
from riverboat.players.roster import as_trusted

__all__ = [
    "ActionTaken",
    "Deal",
    "Dealt",
    "Event",
    "Hand",
    "HandEnded",
    "HandRecord",
    "HandStarted",
    "Listener",
    "ask_player",
    "chance_move",
    "deal_at_random",
    "play_hand",
    "player_stream",
    "view_of",
]


@dataclass(frozen=True)
class HandRecord:
    """One finished hand: every action in order, chance's included, and each seat's return."""

    history: tuple[Action, ...]
    returns: tuple[float, ...]
    last: State


@dataclass(frozen=True)
class HandStarted:
    """The players have sat down; in `state` nothing or only the hands have been dealt."""

    game: Game
    players: tuple[str, ...]  # Names by seat
    state: State


@dataclass(frozen=True)
class Dealt:
    """Chance has moved: cards, dice, or a whole street at once."""

    actions: tuple[Action, ...]
    before: State
    after: State

    def seen_by(self, seat: int) -> bool:
        """Whether what the seat knows has changed by it."""
        return self.after.infoset(seat) != self.before.infoset(seat)


@dataclass(frozen=True)
class ActionTaken:
    """A player has acted."""

    seat: int
    player: str
    action: Action
    words: str  # The action as it is meant here: "call 1", "raise to 30"
    before: State
    after: State

    @property
    def stakes(self) -> Stakes | None:
        """Pot after the action and the price for the next player, where the game has them."""
        return self.after.stakes() if isinstance(self.after, Wagered) else None

    def seen_by(self, seat: int) -> bool:
        """Whether the seat knows which action it was: its own, or one that others would differ."""
        if seat == self.seat:
            return True
        known = self.after.infoset(seat)
        if known == self.before.infoset(seat):
            return False
        other = next((a for a in self.before.actions() if a != self.action), None)
        return other is None or self.before.after(other).infoset(seat) != known


@dataclass(frozen=True)
class HandEnded:
    """The hand is over."""

    record: HandRecord


Event: TypeAlias = HandStarted | Dealt | ActionTaken | HandEnded
Listener: TypeAlias = Callable[[Event], None]
Deal: TypeAlias = Callable[[State], tuple[Sequence[Action], State]]
"""Moves for chance: from a state where chance acts, what it dealt and the state after it."""


class Hand:
    """A hand while it is played. `advance` runs it, and stops where a person must be waited for."""

    def __init__(
        self,
        game: Game,
        seats: Sequence[Player],
        deal: Deal,
        generators: Sequence[np.random.Generator],
        *,
        listener: Listener | None = None,
        start: State | None = None,
    ) -> None:
        """`seats[i]` acts for player i with `generators[i]`; `start` is a state to begin from."""
        check_seats(game, len(seats))
        check_game(game)
        self.game, self.seats, self.deal, self.generators = game, seats, deal, generators
        self.listener = listener
        self.state = game.start() if start is None else start
        self.history: list[Action] = []
        self.record: HandRecord | None = None
        if listener is not None:
            listener(HandStarted(game, tuple(seat.name for seat in seats), self.state))

    def advance(self) -> View | None:
        """Play on. The view of a person who must act, or None when the hand is over."""
        try:
            return self._advance()
        except (RiverboatError, LeaveTable):
            raise
        except Exception as error:
            fault = self._fault(error)
            if fault is None:
                raise
            raise fault from error

    def _advance(self) -> View | None:
        while (actor := self.state.actor) != TERMINAL:
            if len(self.history) > MAX_MOVES:
                raise GameError(
                    f"{self.game.name}: a play does not end within {MAX_MOVES:,} moves."
                )
            if actor == CHANCE:
                self._deal()
                continue
            player = self.seats[actor]
            if isinstance(player, HumanPlayer) and player.ask is None:
                return view_of(self.game, self.state)
            self._take(*ask_player(self.game, self.state, player, self.generators[actor]))
        if self.record is None:
            returns = self.state.returns()
            if is_own_game(self.game):
                check_returns(self.game, returns, self.history)
            self.record = HandRecord(tuple(self.history), returns, self.state)
            if self.listener is not None:
                self.listener(HandEnded(self.record))
        return None

    def act(self, action: Action) -> None:
        """The acting player's move; an illegal one is refused and changes nothing."""
        try:
            self._take(action, self.state.actions())
        except RiverboatError:
            raise
        except Exception as error:
            fault = self._fault(error)
            if fault is None:
                raise
            raise fault from error

    def _fault(self, error: Exception) -> GameError | None:
        """An error of a game of the user's, with its state and method; None for any other."""
        own = is_own_game(self.game)
        return failure_of(self.game, self.state, self.history, error) if own else None

    def _take(self, action: Action, actions: Sequence[Action]) -> None:
        before = self.state
        if action not in actions:
            name = self._name(before.actor) if before.actor >= 0 else "Somebody"
            raise IllegalActionError(
                f"{name} chose {shown_name(action)!r} where only {_few(actions)} are possible."
            )
        self.state = before.after(action)
        self.history.append(action)
        if self.listener is not None:
            seat, name = before.actor, self._name(before.actor)
            words = move_words(self.game, before, action)
            self.listener(ActionTaken(seat, name, action, words, before, self.state))

    def _deal(self) -> None:
        before = self.state
        actions, self.state = self.deal(before)
        self.history.extend(actions)
        if self.listener is not None:
            self.listener(Dealt(tuple(actions), before, self.state))

    def _name(self, seat: int) -> str:
        return self.seats[seat].name


def play_hand(
    game: Game,
    seats: Sequence[Player],
    chance: np.random.Generator | Deal,
    generators: Sequence[np.random.Generator],
    *,
    listener: Listener | None = None,
    start: State | None = None,
) -> HandRecord:
    """Play from the start to the end; `chance` draws at random or deals what it wants to."""
    deal = deal_at_random(chance) if isinstance(chance, np.random.Generator) else chance
    hand = Hand(game, seats, deal, generators, listener=listener, start=start)
    view = hand.advance()
    if view is not None:
        raise UsageError(
            f"Nobody asks {seats[view.player].name}; drive the hand with Hand.advance and act."
        )
    assert hand.record is not None
    return hand.record


def ask_player(
    game: Game, state: State, player: Player, rng: np.random.Generator
) -> tuple[Action, Sequence[Action]]:
    """A player's choice at its turn, and what it could choose from.

    Trusted players (players.roster.TRUSTED) get the state as well; all others see a View.
    """
    view = view_of(game, state)
    trusted = as_trusted(player)
    if trusted is not None:
        return trusted.choose_knowing(state, rng), view.actions
    actions = view.actions
    if is_own(player):
        return ask_own_bot(player, view, rng), actions
    return player.choose(view, rng), actions


def deal_at_random(rng: np.random.Generator) -> Deal:
    """Chance as the game describes it."""

    def deal(state: State) -> tuple[Sequence[Action], State]:
        action = chance_move(state, rng)
        return (action,), state.after(action)

    return deal


def player_stream(stream: np.random.Generator) -> np.random.Generator:
    """The same stream without its ancestry, from which a player could work out chance's stream."""
    bits: Any = np.random.PCG64()
    bits.state = state = stream.bit_generator.state
    bits = np.random.PCG64(np.random.Generator(bits).integers(2**63, size=2).tolist())
    bits.state = state
    return np.random.Generator(bits)


def chance_move(state: State, rng: np.random.Generator) -> Action:
    """An outcome, sampled by its probability."""
    outcomes = state.chance()
    mark, total = rng.random(), 0.0
    for action, probability in outcomes:
        total += probability
        if mark < total:
            return action
    if not abs(total - 1) < 1e-6:
        scene = " ".join(state.describe(None).split())
        raise GameError(f"Chance's probabilities do not add up to one at {scene!r}.")
    return outcomes[-1][0]


def _few(actions: Sequence[Action]) -> str:
    """Actions for a message: all of them, or the first and the last where they are many."""
    if len(actions) <= 12:
        return ", ".join(actions)
    return f"{', '.join(actions[i] for i in range(3))} … {actions[len(actions) - 1]}"
