"""The hand loop: what it tells its listeners, and that a screen can stop and drive it."""

import numpy as np
import pytest

from riverboat.arena.hand import (
    ActionTaken,
    Dealt,
    Event,
    Hand,
    HandEnded,
    HandStarted,
    deal_at_random,
    play_hand,
)
from riverboat.arena.narration import Narrator
from riverboat.errors import IllegalActionError, UsageError
from riverboat.games.base import Action, State
from riverboat.games.registry import GAMES, make_game
from riverboat.players.player import HumanPlayer, Player, View
from riverboat.players.simple import UniformPlayer


def generators(count: int, seed: int = 0) -> list[np.random.Generator]:
    return np.random.default_rng(seed).spawn(count)


def fixed(cards: str):  # type: ignore[no-untyped-def]
    """Chance that deals these cards in this order."""
    left = list(cards)

    def deal(state: State) -> tuple[tuple[Action, ...], State]:
        card = left.pop(0)
        return (card,), state.after(card)

    return deal


@pytest.mark.parametrize("name", [name for name in GAMES if name != "holdem"])
def test_events_tell_the_whole_hand_in_order(name: str) -> None:
    """Replaying what the events say gives the same states, history and returns."""
    game = make_game(name)
    events: list[Event] = []
    seats = [UniformPlayer(f"seat {i}") for i in range(game.num_players)]
    rngs = generators(game.num_players + 1)
    record = play_hand(game, seats, rngs[0], rngs[1:], listener=events.append)
    first, *middle, last = events
    assert isinstance(first, HandStarted)
    assert first.players == tuple(seat.name for seat in seats)
    assert isinstance(last, HandEnded)
    assert last.record is record
    state, told = game.start(), []
    for event in middle:
        assert isinstance(event, Dealt | ActionTaken)
        assert event.before == state
        state = event.after
        told += event.actions if isinstance(event, Dealt) else [event.action]
    assert tuple(told) == record.history
    assert state == record.last
    assert state.returns() == record.returns


def test_a_listener_changes_nothing() -> None:
    game = make_game("leduc")
    seats = [UniformPlayer(), UniformPlayer()]

    def play(listener: object) -> object:
        rngs = generators(3, seed=7)
        return play_hand(game, seats, rngs[0], rngs[1:], listener=listener)  # type: ignore[arg-type]

    assert play(None) == play(lambda event: None)


def test_a_screen_may_drive_the_hand() -> None:
    """King bets, queen calls: the king wins two (Kuhn 1950)."""
    game = make_game("kuhn")
    person = HumanPlayer(name="web")
    hand = Hand(game, [person, person], fixed("KQ"), generators(2))
    view = hand.advance()
    assert view is not None
    assert (view.player, view.infoset, view.label("b")) == (0, "K|", "bet 1")
    assert hand.advance().infoset == view.infoset  # type: ignore[union-attr]
    with pytest.raises(IllegalActionError, match="web chose 'x' where only p, b are possible"):
        hand.act("x")
    hand.act("b")
    view = hand.advance()
    assert view is not None
    assert view.stakes() == (3, 1)
    assert [view.label(action) for action in view.actions] == ["fold", "call 1"]
    hand.act("b")
    assert hand.advance() is None
    assert hand.record is not None
    assert hand.record.returns == (2.0, -2.0)


def test_a_person_is_refused_where_no_screen_asks_and_waits() -> None:
    game = make_game("kuhn")
    with pytest.raises(UsageError, match="drive the hand"):
        play_hand(game, [HumanPlayer(), HumanPlayer()], fixed("KQ"), generators(2))


def test_an_event_is_seen_by_those_who_may_know_it() -> None:
    """In Kuhn poker a card is seen by its owner; in rock-paper-scissors a choice by nobody else."""
    events: list[Event] = []
    kuhn = make_game("kuhn")
    ask = HumanPlayer(lambda view: "p")
    play_hand(kuhn, [ask, ask], fixed("KQ"), generators(2), listener=events.append)
    seen = [[e.seen_by(0), e.seen_by(1)] for e in events if isinstance(e, Dealt | ActionTaken)]
    assert seen == [[True, False], [False, True], [True, True], [True, True]]
    events.clear()
    ask = HumanPlayer(lambda view: "r")
    rps = make_game("rps")
    play_hand(rps, [ask, ask], fixed(""), generators(2), listener=events.append)
    seen = [[e.seen_by(0), e.seen_by(1)] for e in events if isinstance(e, ActionTaken)]
    assert seen == [[True, False], [False, True]]


def test_the_hand_is_described_with_pot_and_price() -> None:
    """Leduc: a bet of 2 into 2, raised by 2, called; then the board."""
    game = make_game("leduc")
    narrator, told = Narrator(game, 0), []
    moves = {"": "r", "r": "r", "rr": "c", "rrc/": "c", "rrc/c": "c"}

    def ask(view: View) -> Action:
        return moves[view.infoset.partition("|")[2]]

    def hear(event: Event) -> None:
        told.append(narrator.narrate(event))

    deal, player = fixed(["Ks", "Qs", "Jh"]), HumanPlayer(ask)  # type: ignore[arg-type]
    play_hand(game, [player, player], deal, generators(2), listener=hear)
    assert [line for line in told if line] == [
        "you bet 2; pot 4, 2 to call",
        "player 2 raises by 2; pot 8, 2 to call",
        "you call 2; pot 10",
        "dealt: Jh",
        "you check; pot 10",
        "player 2 checks; pot 10",
    ]


def test_holdem_is_described_in_its_own_words() -> None:
    from riverboat.holdem.rules.state import Holdem

    game, events = Holdem(), []
    players: list[Player] = [HumanPlayer(lambda view: "c" if "c" in view.actions else "f")] * 2
    rngs = generators(3)
    play_hand(game, players, deal_at_random(rngs[0]), rngs[1:], listener=events.append)
    words = [event.words for event in events if isinstance(event, ActionTaken)]
    assert words == ["call 1"] + ["check"] * 7
