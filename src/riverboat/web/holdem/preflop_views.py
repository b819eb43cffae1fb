"""A solution before the flop at one decision: the path to it, the grid, two hands side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from riverboat.cards.combos import CLASS_NAMES
from riverboat.drawing.hand_grid import HandCell, HandGrid
from riverboat.drawing.html import Markup, join, signed, tag
from riverboat.drawing.palette import action_colours, gradient, ink_on
from riverboat.errors import RiverboatError
from riverboat.holdem.preflop.following import flop_start
from riverboat.holdem.preflop.node import CLASS_COMBOS, PreflopNode
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.web.app.frame import legend
from riverboat.web.holdem.inputs import class_grid

METRICS = {"mix": "Actions", "ev": "EV"}
"""What the cells show."""
MAX_PICKED = 2
INK_SHARE = 0.25  # From this share on a colour reaches under the letters of its cell


def sees_flop(solution: PreflopSolution, line: Sequence[str]) -> bool:
    """Whether two or three players see the flop after a line, with chips to bet."""
    try:
        return len(flop_start(solution, line).seats) <= 3
    except RiverboatError:
        return False


def facts(solution: PreflopSolution) -> Markup:
    """EV and gain of each seat, and how the solution was made."""
    info = solution.info
    unit = unit_of(info)
    rows = [
        tag(
            "tr",
            tag("td", tag("b", seat.upper())),
            tag("td", ev, cls="r nowrap"),
            tag("td", gain, cls="r nowrap"),
        )
        for seat, ev, gain in solution.seat_figures()
    ]
    heads = [
        tag("th", ""),
        tag("th", f"EV, {unit}", cls="r"),
        tag("th", f"could gain, {unit}", cls="r"),
    ]
    table = tag("table", tag("tr", heads), rows, cls="plain tight")
    how = [str(info["algorithm"])] if "algorithm" in info else []
    if isinstance(info.get("iterations"), int):
        how.append(f"{info['iterations']:,} iterations")
    how.append("every deal counted" if info.get("method") == "exact" else "deals sampled")
    note = tag("p", ", ".join(how), cls="muted small")
    return join(tag("div", table, cls="scroll-x"), note)


def unit_of(info: dict[str, Any]) -> str:
    """What EVs and bets are counted in."""
    return str(info.get("unit", "chips"))


def _measured(values: Any, number: int) -> float:
    """One of a file's figures, or the one for all; nan where there is none."""
    if isinstance(values, list):
        values = values[number] if number < len(values) else None
    return float(values) if isinstance(values, int | float) else math.nan


def breadcrumb(solution: PreflopSolution, node: PreflopNode, name: str = "") -> Markup:
    """Who did what so far, each a step back; then the actions of the one who decides.

    An action after which the flop comes is a link to the form of a spot with the ranges of that
    line; `name` is that of the solution there.
    """
    steps = [
        tag(
            "button",
            tag("b", at.seat.upper()),
            tag("span", words),
            type="button",
            data_pick=f"line:{at.name}",
            aria_label=f"Back to {at.seat.upper()}, who did {words}",
        )
        for at, words in solution.steps(node.line)
    ]
    steps.append(
        tag("span", tag("b", node.seat.upper()), tag("span", "to act"), aria_current="step")
    )
    moves = []
    shown = zip(
        node.actions, node.labels, action_colours(node.labels), node.totals.tolist(), strict=True
    )
    for number, (action, words, colour, share) in enumerate(shown, 1):
        leads = (*node.line, action) in solution
        parts = (
            tag("i", cls="dot", style=f"background:{colour}"),
            f"{words} ",
            None if node.rare else tag("span", f"{100 * share:.1f} %", cls="muted"),
        )
        if not leads and name and sees_flop(solution, (*node.line, action)):
            asked = {"preflop": name, "line": "-".join((*node.line, action))}
            flop = (tag("span", " → flop", cls="muted"),)
            moves.append(
                tag(
                    "a",
                    parts,
                    flop,
                    cls="btn",
                    href=f"/holdem/spots?{urlencode(asked)}",
                    title="Solve a flop with the ranges of this line",
                )
            )
            continue
        if not leads:
            rare = (*node.line, action) in solution.untrained
            end = "Nobody acts after this before the flop"
            end = "This line came up too seldom in training to be shown" if rare else end
            moves.append(tag("span", parts, cls="btn end", title=end))
            continue
        moves.append(
            tag(
                "button",
                parts,
                tag("kbd", number) if number < 10 else None,
                type="button",
                cls="btn",
                data_pick=f"play:{action}",
                data_key=number if number < 10 else None,
            )
        )
    if node.line:
        before = "-".join(node.line[:-1]) or "start"
        moves.append(
            tag(
                "button",
                "back ",
                tag("kbd", "⌫"),
                type="button",
                cls="btn",
                data_pick=f"line:{before}",
                data_key="Backspace",
                aria_label="back",
            )
        )
    pot, call = sum(node.put.values()), node.to_call
    chips = f"pot {pot:g} {unit_of(solution.info)}" + (f", {call:g} to call" if call > 0 else "")
    chips += _gain_here(solution, node)
    return tag(
        "div",
        tag("div", steps, cls="steps", role="group", aria_label="The path to this node"),
        tag("p", chips, cls="muted small"),
        tag("div", moves, cls="moves"),
        cls="options",
    )


def _gain_here(solution: PreflopSolution, node: PreflopNode) -> str:
    """What the one who decides could still gain here, where that was measured."""
    number, info = solution.nodes.index(node), solution.info
    gain = _measured(info.get("node_gains"), number)
    margin = _measured(info.get("node_gains_ci95"), number)
    if math.isnan(gain) or math.isnan(margin):
        return ""
    best = f"the best answer here would gain {signed(gain, 4)} ± {margin:.4f} {unit_of(info)}"
    return f"; {best} per hand"


def decision_grid(node: PreflopNode, picked: Sequence[str], metric: str) -> Markup:
    """The 169 classes: actions side by side in colours, or EV as shades; a click picks one."""
    grid = node.grid
    if node.rare:
        return tag("p", f"{grid.title}.")
    known = [cell.ev for cell in grid.cells if not math.isnan(cell.ev) and cell.fill > 0]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    first = picked[0] if picked else CLASS_NAMES[0]

    def draw(name: str, row: int, column: int) -> Markup:
        cell = grid.cells[13 * row + column]
        words = cell_words(grid, cell)
        if metric == "ev":
            heat = (cell.ev - low) / ((high - low) or 1.0) if cell.fill > 0 else math.nan
            style = "" if math.isnan(heat) else f"--heat:{8 + 72 * min(1.0, max(0.0, heat)):.0f}%"
            number = _short(cell.ev) if cell.fill > 0 else ""
        else:
            style = gradient(grid.colours, list(cell.shares.values()), min(1.0, cell.fill))
            style += _ink(grid, cell)
            number = _mixed(cell)
        return tag(
            "button",
            name,
            tag("small", number) if number else None,
            type="button",
            data_pick=f"class:{name}",
            tabindex=0 if name == first else -1,
            style=style,
            title=words,
            aria_label=words,
            aria_pressed="true" if name in picked else "false",
            cls="heat" if metric == "ev" else None,
        )

    kind = "evs" if metric == "ev" else "mixed"
    label = "EV of each hand" if metric == "ev" else "The strategy"
    key = legend(grid.legend()) if metric == "mix" else None
    return join(class_grid(draw, label, kind), tag("div", key, cls="legend-gap") if key else None)


def cell_words(grid: HandGrid, cell: HandCell) -> str:
    """A class in words: "AKs: fold 0 %, all-in 100 %, EV +1.78"."""
    if cell.fill <= 0:
        return f"{cell.name}: does not get here, or too seldom to be trained"
    pairs = zip(grid.labels, cell.shares.values(), strict=True)
    words = ", ".join(f"{label} {share:.0%}" for label, share in pairs)
    value = "" if math.isnan(cell.ev) else f", EV {signed(cell.ev, 2)}"
    return f"{cell.name}: {words}{value}"


def _ink(grid: HandGrid, cell: HandCell) -> str:
    """Letters that can be read on all colours behind them, where the cell is filled."""
    if cell.fill < 0.5:
        return ""
    pairs = zip(grid.colours, cell.shares.values(), strict=True)
    dark = any(ink_on(colour) == "#ffffff" for colour, share in pairs if share > INK_SHARE)
    ink, halo = ("#ffffff", "rgb(0 0 0/80%)") if dark else ("#10151b", "rgb(255 255 255/75%)")
    return f";color:{ink};text-shadow:0 0 3px {halo}"


def _mixed(cell: HandCell) -> str:
    """How often the most frequent action is taken, where it is not nearly always the same."""
    most = max(cell.shares.values())
    return f"{100 * most:.0f}" if most < 0.95 and cell.fill > 0 else ""


def _short(value: float) -> str:
    if math.isnan(value):
        return "?"
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return signed(value, digits)


def compare_table(node: PreflopNode, picked: Sequence[str], unit: str = "chips") -> Markup:
    """The picked classes side by side: how often each action is taken, and its EV."""
    if not picked:
        return tag("p", "Click a class of the grid, then another one to compare both.", cls="muted")
    numbers = [CLASS_NAMES.index(name) for name in picked]
    head = [tag("th", "")]
    for name in picked:
        away = tag(
            "button",
            "×",
            type="button",
            cls="linklike",
            data_pick=f"class:{name}",
            aria_label=f"Remove {name}",
        )
        head.append(tag("th", tag("b", f"{name} "), away, colspan=2))
    rows = []
    for place, (label, colour) in enumerate(
        zip(node.labels, action_colours(node.labels), strict=True)
    ):
        cells = []
        for number in numbers:
            share, value = float(node.frequencies[place, number]), node.values[:, number]
            bar = tag("i", style=f"width:{100 * share:.1f}%;background:{colour}")
            best = value[place] >= max((v for v in value if not math.isnan(v)), default=0) - 1e-9
            shown = "?" if math.isnan(value[place]) else signed(float(value[place]), 3)
            if node.errors is not None and node.errors[place, number] > 0:
                shown += f" ± {node.errors[place, number]:.3f}"
            cells += [
                tag("td", tag("span", bar, cls="mini-bar"), f" {share:.1%}", cls="nowrap")
                if node.knows(number)
                else tag("td", "not trained", cls="muted nowrap"),
                tag("td", tag("b", shown) if best else shown, cls="r"),
            ]
        rows.append(tag("tr", tag("td", label, cls="nowrap"), cells))
    chosen = [node.grid.cells[number] for number in numbers]
    for label, texts in (
        ("EV", ["?" if math.isnan(cell.ev) else signed(cell.ev, 3) for cell in chosen]),
        ("gets here", [f"{cell.fill:.1%}" for cell in chosen]),
    ):
        cells = [tag("td", text, colspan=2, cls="r") for text in texts]
        rows.append(tag("tr", tag("td", label), cells, cls="sums"))
    combos = ", ".join(
        f"{name} {CLASS_COMBOS[number]:.0f} combos"
        for name, number in zip(picked, numbers, strict=True)
    )
    return join(
        tag("div", tag("table", tag("tr", head), rows, cls="plain tight"), cls="scroll-x"),
        tag("p", f"{combos}. EVs in {unit}; the best action's is bold.", cls="muted small"),
    )
