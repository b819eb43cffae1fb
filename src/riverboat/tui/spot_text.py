"""A node of a spot in words: the board in colours, and who acts."""

from __future__ import annotations

from rich.text import Text

from riverboat.cards.card import card_text
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.tree import NodeKind


def cards_text(cursor: SpotCursor) -> Text:
    """The board with its suits in colour."""
    colours = {"c": "green", "d": "blue", "h": "red", "s": "default"}
    text = Text()
    for card in cursor.board:
        name = card_text(card)
        text.append(f"{name} ", f"bold {colours[name[1]]}")
    return text


def whose_turn(cursor: SpotCursor) -> str:
    """Who acts at a node, in words."""
    if cursor.kind == NodeKind.DECISION:
        return f"{cursor.names[cursor.player].upper()} acts"
    if cursor.kind == NodeKind.CHANCE:
        return "a card is dealt"
    if cursor.kind == NodeKind.FOLD:
        return f"{cursor.names[cursor.node.player].upper()} has folded"
    return "showdown"
