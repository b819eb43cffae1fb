"""A range as a grid of 13 × 13 to paint on, and as text to paste.

A board picked from 52 cards or typed; errors are shown at its field.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from nicegui import ui
from nicegui.events import GenericEventArguments

from riverboat.cards.card import card_text, parse_cards
from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES, NUM_COMBOS, class_of_combos, combo_text
from riverboat.cards.ranges import Range
from riverboat.drawing.html import Markup, join, pick_button, tag
from riverboat.errors import RiverboatError
from riverboat.web.app.card_pictures import NAMES, card
from riverboat.web.app.frame import choice_buttons
from riverboat.web.app.markup import Picture

SUITS = "shdc"
_CLASSES = frozenset(CLASS_NAMES)


def class_grid(cell: Callable[[str, int, int], Markup], label: str, cls: str = "") -> Markup:
    """The 169 classes in their usual places: aces first, suited above the diagonal."""
    cells = [
        cell(CLASS_NAMES[13 * row + column], row, column)
        for row in range(13)
        for column in range(13)
    ]
    return tag(
        "div",
        cells,
        cls=f"range-grid {cls}".strip(),
        role="group",
        aria_label=label,
        data_columns=13,
    )


def weight_grid(shown: Range, label: str, picked: str = "") -> Markup:
    """A range: each cell filled from below by its weight. With a picked class a click picks."""
    grid = shown.grid()

    def cell(name: str, row: int, column: int) -> Markup:
        share = float(grid[row, column])
        percent = f"{100 * share:.0f}"
        return pick_button(
            f"suits:{name}" if picked else None,
            name,
            data_cell=name,
            tabindex=0 if (name == picked if picked else row == column == 0) else -1,
            style=f"--share:{percent}%",
            aria_label=f"{name}: {percent} per cent",
            aria_pressed=("true" if name == picked else "false") if picked else None,
            cls="whole" if share >= 0.995 else "part" if share > 0.005 else None,
        )

    return class_grid(cell, label, "choose" if picked else "paint")


class RangeEditor:
    """Paint with a weight, whole classes or suit by suit, or paste; `on_change` is called after.

    `read` makes a range of what was pasted.
    """

    def __init__(
        self,
        title: str,
        text: str,
        on_change: Callable[[], None],
        read: Callable[[str], Range] = Range.parse,
    ) -> None:
        self.title, self.on_change, self.read = title, on_change, read
        self.range = Range.parse(text)
        self.suits_of = ""
        """The class whose suits are shown; none while whole classes are painted."""
        self.picture = Picture(on_pick=self._pick)
        self.picture.element.on("paint", self._painted, js_handler="(e) => emit(e.detail)")
        self.suits = Picture(on_pick=self._pick)
        self.suits.element.on("paint", self._painted, js_handler="(e) => emit(e.detail)")
        with ui.element("div").classes("line-up brush-line"):
            self.mode = Picture(on_pick=self._pick)
            self.brush = ui.slider(min=5, max=100, step=5, value=100).props("dense")
            self.brush.props(f'aria-label="Weight to paint {title} with"')
            self.words = Picture()
        self.text = ui.textarea(f"{title} as text", value=str(self.range)).props(
            "outlined dense autogrow"
        )
        self.text.on("change", self.paste)
        self.brush.on_value_change(lambda: self._show_words())
        self._show()

    def _pick(self, text: str) -> None:
        kind, _, what = text.partition(":")
        if kind == "mode":
            self.suits_of = "" if what == "classes" else self._first_class()
        elif kind == "suits" and what in _CLASSES:
            self.suits_of = what
        self._show()

    def _first_class(self) -> str:
        """The class of the range's best hand, to begin with."""
        combos = self.range.combos
        return CLASS_NAMES[int(class_of_combos()[combos].min())] if len(combos) else "AA"

    def _painted(self, event: GenericEventArguments) -> None:
        """Cells that were dragged over, "erase" or "paint" before them."""
        what, _, names = str(event.args).partition(":")
        known = _combos_by_text() if self.suits_of else _CLASSES
        cells = [name for name in names.split(",") if name in known]
        if not cells:
            return
        weights = self.range.weights.copy()
        touched = Range.parse(",".join(cells)).weights > 0
        weights[touched] = 0.0 if what == "erase" else float(self.brush.value) / 100
        self.take(Range(weights))

    def paste(self) -> None:
        """Show the range that the text means, or what is wrong with it."""
        try:
            wanted = self.read(str(self.text.value or ""))
        except RiverboatError as error:
            self.text.error = str(error)
            return
        self.take(wanted)

    def take(self, wanted: Range) -> None:
        """Show another range."""
        self.range = wanted
        self.text.error = None
        self.text.set_value(str(wanted))
        self._show()
        self.on_change()

    def _show(self) -> None:
        self.picture.show(weight_grid(self.range, self.title, self.suits_of))
        self.suits.show(suit_grid(self.range, self.suits_of) if self.suits_of else Markup(""))
        chosen = "suits" if self.suits_of else "classes"
        self.mode.show(_mode(chosen, self.title))
        self._show_words()

    def _show_words(self) -> None:
        share, combos = 100 * self.range.share, self.range.num_combos
        words = f"brush {self.brush.value:g} % · {round(combos, 1):g} combos, {share:.1f} %"
        self.words.show(tag("span", words, cls="muted small nowrap"))


def _mode(chosen: str, title: str) -> Markup:
    choices = (("classes", "Classes"), ("suits", "Suits"))
    label = f"What {title} is painted by"
    return choice_buttons("mode:", choices, chosen, label, cls="segments tight")


def suit_grid(shown: Range, name: str) -> Markup:
    """The combos of a class: rows by the suit of the first card, columns by that of the second."""
    number = CLASS_NAMES.index(name)
    by_suits = {}
    for combo in np.flatnonzero(class_of_combos() == number).tolist():
        text = combo_text(combo)
        by_suits[text[1] + text[3]] = (text, float(shown.weights[combo]))
    cells, first = [], True
    for row in SUITS:
        for column in SUITS:
            if row + column not in by_suits:
                cells.append(tag("span", cls="none"))
                continue
            text, weight = by_suits[row + column]
            percent = f"{100 * weight:.0f}"
            cells.append(
                tag(
                    "button",
                    tag("span", [_rank_suit(text[i : i + 2]) for i in (0, 2)], cls="pair"),
                    tag("small", f"{percent} %"),
                    type="button",
                    data_cell=text,
                    tabindex=0 if first else -1,
                    style=f"--share:{percent}%",
                    aria_label=f"{text}: {percent} per cent",
                    cls="whole" if weight >= 0.995 else "part" if weight > 0.005 else None,
                )
            )
            first = False
    grid = tag(
        "div",
        cells,
        cls="range-grid paint suit-grid",
        role="group",
        aria_label=f"Suits of {name}",
        data_columns=len(SUITS),
    )
    words = tag("p", "Combos of ", tag("b", name), "; choose another class above.", cls="small")
    return tag("div", words, grid, cls="suit-box")


def _rank_suit(text: str) -> Markup:
    picture = tag("svg", tag("use", href=f"#suit-{text[1]}"), viewBox="0 0 100 100")
    return tag("span", text[0], picture, cls=f"suit-{text[1]}")


@lru_cache(maxsize=1)
def _combos_by_text() -> frozenset[str]:
    return frozenset(combo_text(combo) for combo in range(NUM_COMBOS))


def class_means(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(13, 13) the weighted mean of a value over each class; NaN where it has no weight."""
    classes = class_of_combos()
    good = np.isfinite(values) & (weights > 0)
    total = np.bincount(classes[good], weights[good], NUM_CLASSES)
    mean = np.bincount(classes[good], (values * weights)[good], NUM_CLASSES)
    with np.errstate(invalid="ignore"):
        return (mean / total).reshape(13, 13)


RANKS, DECK_SUITS = "AKQJT98765432", "shdc"
_WORDS = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten"}
MAX_CARDS = 5


def card_words(text: str) -> str:
    """As → ace of spades."""
    return f"{_WORDS.get(text[0], text[0])} of {NAMES[text[1]]}"


def deck_grid(
    chosen: list[str], *, most: int = MAX_CARDS, dead: frozenset[str] = frozenset()
) -> Markup:
    """All cards, one row per suit; chosen ones are pressed, dead ones cannot be chosen."""
    full, first = len(chosen) >= most, True
    cells = []
    for suit in DECK_SUITS:
        for rank in RANKS:
            text = rank + suit
            pressed = text in chosen
            off = full and not pressed
            shown = "10" if rank == "T" else rank
            cells.append(
                pick_button(
                    f"card:{text}",
                    tag("b", shown),
                    tag("svg", tag("use", href=f"#suit-{suit}"), viewBox="0 0 100 100"),
                    cls=f"suit-{suit}",
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
        return str(self.field.value or "")

    def refuse(self, sentence: str | None) -> None:
        """Say at the field what is wrong, or that nothing is."""
        self.field.error = sentence

    def chosen(self) -> list[str]:
        """The cards in the field; none where it cannot be read."""
        try:
            return list(dict.fromkeys(card_text(c) for c in parse_cards(self.text)))[:MAX_CARDS]
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
        elif len(chosen) < MAX_CARDS:
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
            pick_button(
                f"card:{text}",
                card(text),
                title=f"Take {card_words(text)} away",
                aria_label=f"Take {card_words(text)} away",
            )
            for text in chosen
        ]
        places = [tag("span", cls="card-place") for _ in range(MAX_CARDS - len(chosen))]
        self.cards.show(tag("span", join(pictures, places), cls="cards small-cards chosen"))
