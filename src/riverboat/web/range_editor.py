"""A range as a grid of 13 × 13 to paint on, and as text to paste."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from nicegui import ui
from nicegui.events import GenericEventArguments

from riverboat.cards.combos import CLASS_NAMES
from riverboat.cards.ranges import Range
from riverboat.errors import RiverboatError
from riverboat.web.markup import Markup, Picture, tag

__all__ = ["RangeEditor", "class_grid", "weight_grid"]

MOST_TEXT = 20_000
_CLASSES = frozenset(CLASS_NAMES)


def class_grid(cell: Callable[[str, int, int], Markup], label: str, cls: str = "") -> Markup:
    """The 169 classes in their usual places: aces first, suited above the diagonal."""
    cells = [
        cell(CLASS_NAMES[13 * row + column], row, column)
        for row in range(13)
        for column in range(13)
    ]
    return tag("div", cells, cls=f"range-grid {cls}".strip(), role="group", aria_label=label)


def weight_grid(shown: Range, label: str) -> Markup:
    """A range: each cell filled from below by its weight."""
    grid = shown.grid()

    def cell(name: str, row: int, column: int) -> Markup:
        share = float(grid[row, column])
        percent = f"{100 * share:.0f}"
        return tag(
            "button",
            name,
            type="button",
            data_cell=name,
            style=f"--share:{percent}%",
            aria_label=f"{name}: {percent} per cent",
            cls="whole" if share >= 0.995 else "part" if share > 0.005 else None,
        )

    return class_grid(cell, label, "paint")


class RangeEditor:
    """Paint with a weight, or paste; `on_change` hears of every new range."""

    def __init__(self, title: str, text: str, on_change: Callable[[], None]) -> None:
        self.title, self.on_change = title, on_change
        self.range = Range.parse(text)
        self.picture = Picture(weight_grid(self.range, title))
        self.picture.element.on("paint", self._painted, js_handler="(e) => emit(e.detail)")
        with ui.element("div").classes("line-up").style("flex-wrap: nowrap"):
            self.brush = ui.slider(min=5, max=100, step=5, value=100).props("dense")
            self.brush.props(f'aria-label="Weight to paint {title} with"')
            self.words = Picture()
        self.text = ui.textarea(f"{title} as text", value=str(self.range)).props(
            "outlined dense autogrow"
        )
        self.text.on("change", self._pasted)
        self.brush.on_value_change(lambda: self._show_words())
        self._show_words()

    def _painted(self, event: GenericEventArguments) -> None:
        """Cells that were dragged over, "erase" or "paint" before them."""
        what, _, names = str(event.args)[:2000].partition(":")
        classes = [name for name in names.split(",") if name in _CLASSES]
        if not classes:
            return
        weight = 0.0 if what == "erase" else float(self.brush.value) / 100
        weights = self.range.weights.copy()
        touched = Range.parse(",".join(classes)).weights > 0
        weights[touched] = weight
        self.take(Range(weights))

    def _pasted(self) -> None:
        try:
            self.take(Range.parse(str(self.text.value or "")[:MOST_TEXT]))
        except RiverboatError as error:
            ui.notify(str(error), type="negative", multi_line=True)

    def take(self, wanted: Range) -> None:
        """Show another range."""
        self.range = wanted
        self.picture.show(weight_grid(wanted, self.title))
        self.text.set_value(str(wanted))
        self._show_words()
        self.on_change()

    def _show_words(self) -> None:
        share, combos = 100 * self.range.share, self.range.num_combos
        words = f"brush {self.brush.value:g} % · {combos:g} combos, {share:.1f} %"
        self.words.show(tag("span", words, cls="muted small nowrap"))


def class_means(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(13, 13) the weighted mean of a value over each class; NaN where it has no weight."""
    from riverboat.cards.combos import NUM_CLASSES, class_of_combos

    classes = class_of_combos()
    good = np.isfinite(values) & (weights > 0)
    total = np.bincount(classes[good], weights[good], NUM_CLASSES)
    mean = np.bincount(classes[good], (values * weights)[good], NUM_CLASSES)
    with np.errstate(invalid="ignore"):
        return (mean / total).reshape(13, 13)
