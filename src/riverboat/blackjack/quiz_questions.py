"""Decisions of blackjack for a quiz (arena.quiz), valued exactly from a fresh shoe."""

from __future__ import annotations

from riverboat.arena.quiz import Question
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.round import Blackjack, BlackjackState
from riverboat.blackjack.rules import ACTIONS
from riverboat.players.player import view_of

HANDS = (
    "T,6 vT", "T,6 v9", "9,7 v7", "T,5 v6", "T,5 vT", "T,3 v2", "9,4 v6", "T,2 v3", "T,2 v4",
    "7,5 v2", "8,3 vA", "6,5 vT", "6,4 v9", "7,3 vT", "5,4 v2", "6,3 v3", "5,3 v6", "A,8 v6",
    "A,7 v9", "A,7 v2", "A,7 v3", "A,6 v2", "A,5 v4", "A,2 v5", "8,8 vT", "8,8 vA", "9,9 v7",
    "9,9 v9", "T,T v6", "5,5 v9", "4,4 v5", "7,7 v8", "6,6 v2", "3,3 v2", "2,2 v8", "A,A vA",
)  # fmt: skip
"""Hands of two cards against the dealer's card: every part of a chart, clear and close."""
_LETTERS = {name: letter for letter, name in ACTIONS.items()}


def questions() -> list[Question]:
    """What to do with each hand at a table of six decks; values are in bets."""
    game = Blackjack()
    analysis = analyse(game.table)
    asked = []
    for title in HANDS:
        hand, up = title.split(" v")
        known = analysis.action_values(hand, up)
        state = _dealt(game, hand, up)
        values = {_LETTERS[name]: value for name, value in known.items()}
        asked.append(Question(view_of(game, state), values, "bets", title))
    return asked


def _dealt(game: Blackjack, hand: str, up: str) -> BlackjackState:
    """The state at which the hand is asked: the dealer has no natural, insurance was refused."""
    first, second = hand.split(",")
    state = game.start()
    for card in (first, up, second, "7"):
        state = state.after(card)
    return state.after("N") if "N" in state.actions() else state
