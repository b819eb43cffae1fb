"""A hold'em table in the terminal: seats, cards, actions in words, and how a hand ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from riverboat.games.base import Action
    from riverboat.holdem.rules.state import HoldemState

__all__ = ["action_words", "cards_in_colour", "ending", "scene", "street_line"]

STREETS = {3: "flop", 4: "turn", 5: "river"}
"""By the number of board cards."""
SUITS = {"c": ("♣", "green"), "d": ("♦", "blue"), "h": ("♥", "red"), "s": ("♠", "default")}
VERBS = {
    "fold": "folds",
    "check": "checks",
    "call": "calls",
    "bet": "bets",
    "raise": "raises",
    "all-in": "is all-in with",
}


def action_words(state: HoldemState, action: Action, name: str = "") -> str:
    """An action in words: call 4, or, with a name before it, "button calls 4"."""
    words = state.action_words(action)
    if not name:
        return words
    verb, _, rest = words.partition(" ")
    return f"{name} {VERBS[verb]} {rest}".rstrip()


def cards_in_colour(cards: Sequence[int]) -> Text:
    """Cards with their suits as coloured symbols."""
    from rich.text import Text

    from riverboat.cards.card import CARDS

    text = Text()
    for i, card in enumerate(cards):
        symbol, colour = SUITS[CARDS[card][1]]
        text.append(" " * (i > 0) + CARDS[card][0] + symbol, style=f"bold {colour}")
    return text


def street_line(state: HoldemState) -> Text:
    """The board that has just been dealt."""
    from rich.text import Text

    street = STREETS.get(len(state.board), "board")
    return Text(f"  {street} ") + cards_in_colour(state.board)


def scene(state: HoldemState, names: Sequence[str], mine: int) -> Table:
    """The table as one player sees it."""
    from rich.table import Table
    from rich.text import Text

    betting = state.betting
    board = cards_in_colour(state.board) if state.board else Text("–")
    title = Text("board ") + board + Text(f"   pot {betting.pot}")
    table = Table(title=title, title_justify="left", box=None)
    for head, justify in (("", "left"), ("cards", "left"), ("stack", "right"), ("bet", "right")):
        table.add_column(head, justify="right" if justify == "right" else "left")
    for player, hand in enumerate(state.holes):
        shown = (
            cards_in_colour(hand)
            if player == mine
            else Text("▒▒ " * state.game.hole_cards, style="dim")
        )
        if not betting.in_hand[player]:
            shown = Text("folded", style="dim")
        bet = str(betting.bets[player]) if betting.bets[player] else ""
        marker = "▶ " if player == state.actor else "  "
        label = Text(marker + names[player], style="bold" if player == mine else "")
        table.add_row(label, shown, str(betting.stacks[player]), bet)
    return table


def ending(state: HoldemState, names: Sequence[str]) -> Iterator[Text]:
    """A line for each hand that was shown and for each player who won, with what it was."""
    from rich.text import Text

    showdown = sum(state.betting.in_hand) > 1
    width = max(len(name) for name in names)
    for player, gain in enumerate(state.returns()):
        if showdown and state.betting.in_hand[player]:
            cards = cards_in_colour(state.holes[player])
            words = _hand_words(state, player)
            yield Text(f"  {names[player]:<{width}}  ") + cards + f"  {words}  {gain:+g}"
        elif not showdown and gain > 0:
            yield Text(f"  {names[player]} wins {gain:g}")


def _hand_words(state: HoldemState, player: int) -> str:
    from riverboat.cards.strength import describe
    from riverboat.cards.strength import strength as number
    from riverboat.holdem.rules.hands import category, strength

    cards = (*state.holes[player], *state.board)
    return describe(number(list(cards))) if len(cards) >= 5 else category(strength(cards))
