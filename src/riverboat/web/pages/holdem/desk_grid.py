"""The grids of the desk: one player's classes of hands by strategy, EV, equity or weight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from riverboat.cards.combos import CLASS_NAMES
from riverboat.drawing.palette import PLAIN, ink_on
from riverboat.holdem.spots.lock_painting import Mark
from riverboat.web.api.spot_nodes import ClassFigures, NodeAction, RangeSide, SpotNode
from riverboat.web.pages.holdem.class_grid import INK_SHARE, Bar, GridCell, short

SHOWN = {
    "strategy": "Strategy",
    "ev": "EV",
    "diff": "EV difference",
    "equity": "Equity",
    "weight": "Weight",
}
"""What the cells of a grid can show: its name in the address, and in words."""
FAINTEST, STRONGEST = 8, 80
"""Per cent of the shade for the lowest and the highest value of a grid."""
MIN_SHARE = 0.0005
FILLED = 0.85
"""From this height on all letters of a cell stand on its colours."""


@dataclass(frozen=True)
class DeskGrid:
    """A player's grid with what explains it."""

    side: RangeSide
    title: str
    cells: list[GridCell]
    note: str
    colours: tuple[tuple[str, str], ...] = ()  # Legend: colour and words
    scale: tuple[str, str] | None = None  # The lowest and the highest value of shades


def desk_grid(
    node: SpotNode,
    player: int,
    shown: str,
    *,
    compared: tuple[int, int] = (0, 1),
    marks: Mapping[str, Mark] | None = None,
    found: frozenset[str] | None = None,
) -> DeskGrid:
    """One player's classes at a node.

    Parameters
    ----------
    node, player
        The node, and whose range is drawn.
    shown
        A key of SHOWN. A player who does not act has no strategy there, so the weight is shown.
    compared
        The numbers of the actions whose EVs "diff" subtracts.
    marks
        Class → its lock, which is drawn instead of what is played now.
    found
        Classes that a search found; the others are drawn as if they were not there.
    """
    side = node.sides[player]
    acts = node.acts == side.player
    if shown in ("ev", "equity"):
        grid = _figures(side, shown)
    elif acts and shown == "strategy":
        grid = _strategy(side, node.actions, marks or {})
    elif acts and shown == "diff" and len(node.actions) > 1:
        grid = _difference(side, node.actions, compared)
    else:
        grid = _weights(side, acts)
    if found is None:
        return grid
    cells = [
        cell
        if cell.name in found
        else GridCell(cell.name, f"{cell.name}: not among those found", empty=True)
        for cell in grid.cells
    ]
    return replace(grid, cells=cells)


def _cells(side: RangeSide, draw: Callable[[str, ClassFigures], GridCell]) -> list[GridCell]:
    return [
        draw(name, side.classes[name])
        if name in side.classes
        else GridCell(name, f"{name}: does not reach this point", empty=True)
        for name in CLASS_NAMES
    ]


def _words(name: str, here: ClassFigures, actions: Sequence[NodeAction] = ()) -> str:
    parts = [f"{here.reach:.0%} of it"] if here.reach < 0.995 else []
    if here.strategy and actions:
        pairs = zip(actions, here.strategy, strict=True)
        parts += [f"{action.words} {share:.0%}" for action, share in pairs]
    if here.ev is not None:
        parts.append(f"EV {here.ev:z.2f}")
    if here.equity is not None:
        parts.append(f"equity {here.equity:.0%}")
    return f"{name}: {', '.join(parts)}"


def _strategy(
    side: RangeSide, actions: Sequence[NodeAction], marks: Mapping[str, Mark]
) -> DeskGrid:
    def draw(name: str, here: ClassFigures) -> GridCell:
        mark = marks.get(name)
        shares = list(mark.strategy.values()) if mark else here.strategy or []
        words = _words(name, here.model_copy(update={"strategy": shares}), actions)
        kind = "half" if here.reach < FILLED else ""
        if mark is not None:
            kind += " locked" if mark.whole else " locked in-part"
        most = max(shares)
        return GridCell(
            name,
            f"{words}, locked" if mark else words,
            _bars(shares, [action.colour for action in actions]),
            _top(here),
            _ink(shares, actions, here.reach),
            f"{100 * most:.0f}" if most < 0.995 else "",
            mark=kind,
        )

    note = "Cells are filled as high as the hands reach this point."
    colours = tuple((each.colour, f"{each.words} {each.share:.1%}") for each in actions)
    title = f"Strategy of {side.player.upper()}"
    return DeskGrid(side, title, _cells(side, draw), note, colours)


def _bars(shares: Sequence[float], colours: Sequence[str]) -> tuple[Bar, ...]:
    bars, left = [], 0.0
    for share, colour in zip(shares, colours, strict=True):
        if share >= MIN_SHARE:
            bars.append(Bar(round(100 * left, 1), round(100 * share, 1), colour))
        left += share
    return tuple(bars)


def _ink(shares: Sequence[float], actions: Sequence[NodeAction], reach: float) -> str:
    """Letters that can be read on every colour behind them; in the middle of the cell."""
    if reach < FILLED:
        return ""
    behind = [a.colour for a, share in zip(actions, shares, strict=True) if share > INK_SHARE]
    return "light" if any(ink_on(colour) == "#ffffff" for colour in behind) else "dark"


def _top(here: ClassFigures) -> float:
    return round(100 - 100 * here.reach, 1)


def _figures(side: RangeSide, shown: str) -> DeskGrid:
    values = {name: getattr(here, shown) for name, here in side.classes.items()}
    measured = [value for value in values.values() if value is not None]
    low, high = (0.0, 1.0) if shown == "equity" else (min(measured or [0]), max(measured or [1]))

    def text(value: float) -> str:
        return f"{100 * value:.0f}" if shown == "equity" else short(value).lstrip("+")

    def draw(name: str, here: ClassFigures) -> GridCell:
        value = values[name]
        if value is None:
            return GridCell(name, f"{name}: meets no hand, so nothing can be said", figure="?")
        share = (value - low) / ((high - low) or 1.0)
        heat = FAINTEST + round((STRONGEST - FAINTEST) * share)
        return GridCell(name, _words(name, here), figure=text(value), heat=heat)

    who = side.player.upper()
    if shown == "equity":
        note, scale = "Share of the pot if all cards came now, per cent.", ("0 %", "100 %")
        return DeskGrid(side, f"Equity of {who}", _cells(side, draw), note, scale=scale)
    note = "What each hand wins from here on."
    return DeskGrid(side, f"EV of {who}", _cells(side, draw), note, scale=(text(low), text(high)))


def _difference(
    side: RangeSide, actions: Sequence[NodeAction], compared: tuple[int, int]
) -> DeskGrid:
    first, second = compared
    differences: dict[str, float] = {}
    for name, here in side.classes.items():
        evs = here.action_evs or [None] * len(actions)
        one_ev, other_ev = evs[first], evs[second]
        if one_ev is not None and other_ev is not None:
            differences[name] = one_ev - other_ev
    most = max(map(abs, differences.values()), default=0.0) or 1.0

    def draw(name: str, here: ClassFigures) -> GridCell:
        if name not in differences:
            return GridCell(name, f"{name}: meets no hand, so nothing can be said", figure="?")
        value = differences[name]
        better = actions[first if value >= 0 else second]
        height = 100 * abs(value) / most
        words = f"{name}: {better.words} is better by {abs(value):.2f}"
        ink = "light" if ink_on(better.colour) == "#ffffff" else "dark"
        return GridCell(
            name,
            words,
            (Bar(0, 100, better.colour),),
            round(100 - height, 1),
            ink if height >= 100 * FILLED else "",
            short(value),
            mark="half" if height < 100 * FILLED else "",
        )

    one, other = actions[first], actions[second]
    return DeskGrid(
        side,
        f"EV: {one.words} less {other.words}",
        _cells(side, draw),
        f"A full cell differs by {most:.2f}.",
        tuple((each.colour, f"{each.words} is better") for each in (one, other)),
    )


def _weights(side: RangeSide, acts: bool) -> DeskGrid:
    def draw(name: str, here: ClassFigures) -> GridCell:
        part = f"{100 * here.reach:.0f}" if here.reach < 0.995 else ""
        ink = "dark" if here.reach >= FILLED else ""
        bars, half = (Bar(0, 100, PLAIN),), "" if ink else "half"
        return GridCell(name, _words(name, here), bars, _top(here), ink, part, mark=half)

    who = side.player.upper()
    out = ", who has folded" if side.folded else ""
    note = "Cells are filled as high as the hands reach this point."
    if not acts and not side.folded:
        note += f" {who} does not act here."
    colours = ((PLAIN, "reaches this point"),)
    return DeskGrid(side, f"Range of {who}{out}", _cells(side, draw), note, colours)
