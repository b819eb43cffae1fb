"""A range as a field of a form: text to paste, and a grid of 13 × 13 whose cells are buttons.

A cell's button sends the form with its name, and the server paints it; a module of the page lets
one drag over many cells and sends their names together. So the grid works without scripts too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from riverboat.cards.combos import CLASS_NAMES, NUM_COMBOS, class_of_combos, combo_text, parse_combo
from riverboat.cards.ranges import Range
from riverboat.errors import RiverboatError, UsageError
from riverboat.web.api.equity import EMPTY, MAX_TEXT

SUITS = "shdc"
FULL_BRUSH = 100
MIN_WEIGHT = 0.005
"""A cell with less is empty, and a click paints it."""
_CLASSES = frozenset(CLASS_NAMES)


@dataclass(frozen=True)
class Cell:
    """One cell of a grid: a class of hands or a single hand."""

    name: str
    percent: int

    @property
    def fill(self) -> str:
        return "whole" if self.percent >= 100 else "part" if self.percent > 0 else ""


@dataclass(frozen=True)
class RangeField:
    """What a form says about one range. `name` begins the names of its fields."""

    name: str
    label: str
    text: str
    range: Range
    brush: int
    suits: str  # The class whose suits are painted; none while classes are
    problem: str
    painted: bool  # Whether the form asks to paint: then its address is not the one to keep

    @classmethod
    def read(
        cls,
        form: Mapping[str, str],
        name: str,
        label: str,
        otherwise: str,
        parse: Callable[[str], Range] = Range.parse,
    ) -> RangeField:
        """Read the field from a form's values; `otherwise` is its text where none is given."""
        text = form.get(name, otherwise)
        problem, wanted = "", Range(np.zeros(NUM_COMBOS))
        try:
            if len(text) > MAX_TEXT:
                raise UsageError(f"A range has at most {MAX_TEXT:,} characters.")
            wanted = parse(text) if text.strip() else wanted
        except RiverboatError as error:
            problem = str(error)
        suits = form.get(f"{name}_suits", "")
        painting = form.get(f"{name}_paint", "")
        brush = _brush(form.get(f"{name}_brush", ""))
        suits = suits if suits in _CLASSES else ""
        if painting and not problem:
            wanted = _painted(wanted, painting.split(","), brush, form.get(f"{name}_erase"))
        if not problem:
            text = str(wanted) if wanted.weights.any() else ""
        if not text and not problem:
            problem = EMPTY
        return cls(name, label, text, wanted, brush, suits, problem, bool(painting))

    def query(self) -> dict[str, str]:
        """The values that an address keeps."""
        kept = {self.name: self.text}
        if self.brush != FULL_BRUSH:
            kept[f"{self.name}_brush"] = str(self.brush)
        if self.suits:
            kept[f"{self.name}_suits"] = self.suits
        return kept

    @property
    def words(self) -> str:
        """How much the range holds."""
        return f"{round(self.range.num_combos, 1):g} combos, {100 * self.range.share:.1f} %"

    @property
    def cells(self) -> list[Cell]:
        """The 169 classes, aces first, suited above the diagonal."""
        weights = self.range.grid().ravel().tolist()
        return [Cell(n, _percent(w)) for n, w in zip(CLASS_NAMES, weights, strict=True)]

    @property
    def first_class(self) -> str:
        """The class of the range's best hand, to begin with when suits are painted."""
        combos = self.range.combos
        return CLASS_NAMES[int(class_of_combos()[combos].min())] if len(combos) else "AA"

    @property
    def suit_cells(self) -> list[Cell | None]:
        """The hands of the class by suits: rows by the first card, columns by the second."""
        number = CLASS_NAMES.index(self.suits)
        by_suits: dict[str, Cell] = {}
        for combo in np.flatnonzero(class_of_combos() == number).tolist():
            text = combo_text(combo)
            cell = Cell(text, _percent(float(self.range.weights[combo])))
            by_suits[text[1] + text[3]] = cell
        return [by_suits.get(row + column) for row in SUITS for column in SUITS]


def _percent(weight: float) -> int:
    """In whole per cent; what is there is at least 1, and what is not whole at most 99."""
    if weight <= MIN_WEIGHT:
        return 0
    return 100 if weight > 1 - MIN_WEIGHT else min(99, max(1, round(100 * weight)))


def _brush(text: str) -> int:
    return min(100, max(5, int(text))) if text.isdecimal() and len(text) < 4 else FULL_BRUSH


def _painted(wanted: Range, names: list[str], brush: int, erase: str | None) -> Range:
    """The range after cells were painted. Without `erase` the first cell decides."""
    touched = _touched(tuple(names))
    if not touched.any():
        return wanted
    weights = wanted.weights.copy()
    if erase is None:
        erase = "1" if weights[_touched((names[0],))].max(initial=0.0) > MIN_WEIGHT else ""
    weights[touched] = 0.0 if erase else brush / 100
    return Range(weights)


@lru_cache(maxsize=256)
def _touched(names: tuple[str, ...]) -> np.ndarray:
    """(1326,) which hands the names of classes or hands mean; unknown names mean none."""
    touched = np.zeros(NUM_COMBOS, np.bool_)
    classes = class_of_combos()
    for name in names[:NUM_COMBOS]:
        if name in _CLASSES:
            touched |= classes == CLASS_NAMES.index(name)
        else:
            try:
                touched[parse_combo(name)] = True
            except RiverboatError:
                continue
    touched.setflags(write=False)
    return touched
