"""A board picked from 52 cards or typed; what is wrong with it stands at its field."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from riverboat.cards.card import card_text, parse_cards
from riverboat.errors import RiverboatError
from riverboat.web.card_pictures import NAMES, card
from riverboat.web.markup import Markup, Picture, join, tag

__all__ = ["BoardPicker", "deck_grid"]

RANKS, SUITS = "AKQJT98765432", "shdc"
_WORDS = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten"}
MOST = 5


def card_words(text: str) -> str:
    """As → ace of spades."""
    return f"{_WORDS.get(text[0], text[0])} of {NAMES[text[1]]}"


def deck_grid(chosen: list[str], *, most: int = MOST, dead: frozenset[str] = frozenset()) -> Markup:
    """All cards, one row per suit; chosen ones are pressed, dead ones cannot be chosen."""
    full, first = len(chosen) >= most, True
    cells = []
    for suit in SUITS:
        for rank in RANKS:
            text = rank + suit
            pressed = text in chosen
            off = text in dead or (full and not pressed)
            shown = "10" if rank == "T" else rank
            cells.append(
                tag(
                    "button",
                    tag("b", shown),
                    tag("svg", tag("use", href=f"#suit-{suit}"), viewBox="0 0 100 100"),
                    type="button",
                    cls=f"suit-{suit}",
                    data_pick=f"card:{text}",
                    disabled=off,
                    tabindex=0 if first and not off else -1,
                    aria_pressed="true" if pressed else "false",
                    aria_label=card_words(text),
                )
            )
            first = first and off
    return tag(
        "div", cells, cls="deck", role="group", aria_label="The deck", data_columns=len(RANKS)
    )


class BoardPicker:
    """A field for the board and the deck below it; both show the same cards."""

    def __init__(self, text: str, on_change: Callable[[], None], label: str = "Board") -> None:
        self.on_change = on_change
        with ui.element("div").classes("board-picker"):
            with ui.element("div").classes("board-line"):
                self.field = ui.input(label, value=text).props("outlined dense clearable")
                self.field.on("change", self._changed)
                self.field.on("clear", self._changed)
                self.cards = Picture(on_pick=self._pick)
            self.deck = Picture(on_pick=self._pick)
        self._show()

    @property
    def text(self) -> str:
        return str(self.field.value or "")[:60]

    def refuse(self, sentence: str | None) -> None:
        """Say at the field what is wrong, or that nothing is."""
        self.field.error = sentence

    def chosen(self) -> list[str]:
        """The cards that stand in the field; none where it cannot be read."""
        try:
            return list(dict.fromkeys(card_text(c) for c in parse_cards(self.text)))[:MOST]
        except RiverboatError:
            return []

    def _pick(self, text: str) -> None:
        kind, _, name = text.partition(":")
        chosen = self.chosen()
        try:
            name = card_text(parse_cards(name)[0])
        except (RiverboatError, IndexError):
            return
        if kind != "card":
            return
        if name in chosen:
            chosen.remove(name)
        elif len(chosen) < MOST:
            chosen.append(name)
        self.field.set_value(" ".join(chosen))
        self._changed()

    def _changed(self) -> None:
        self._show()
        self.on_change()

    def _show(self) -> None:
        chosen = self.chosen()
        self.deck.show(deck_grid(chosen))
        pictures = [
            tag(
                "button",
                card(text),
                type="button",
                data_pick=f"card:{text}",
                title=f"Take {card_words(text)} away",
                aria_label=f"Take {card_words(text)} away",
            )
            for text in chosen
        ]
        places = [tag("span", cls="card-place") for _ in range(MOST - len(chosen))]
        self.cards.show(tag("span", join(pictures, places), cls="cards small-cards chosen"))
