"""A solved spot at one node: the grid of mixed actions, the hands of a class, the way here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from riverboat.cards.card import card_text
from riverboat.cards.combos import CLASS_NAMES, class_of_combos
from riverboat.holdem.spots.spot import PLAYERS
from riverboat.holdem.spots.spot_cursor import SpotCursor
from riverboat.holdem.spots.spot_grid import ALL_IN, BETS, FOLD, PASSIVE, node_grid
from riverboat.web.card_pictures import card
from riverboat.web.markup import Markup, join, signed, tag
from riverboat.web.page_frame import legend
from riverboat.web.range_editor import class_grid

__all__ = ["action_colours", "equity_curves", "hand_table", "mix_grid", "node_way", "runout_table"]


def action_colours(actions: Sequence[str]) -> list[str]:
    """The colours of the terminal's grids: the larger a bet, the darker."""
    bets = [a for a in actions if not a.startswith(("fold", "check", "call", "all-in"))]
    colours = []
    for action in actions:
        if action in bets:
            place = round(bets.index(action) * (len(BETS) - 1) / max(1, len(bets) - 1))
            colours.append(BETS[place if len(bets) > 1 else 1])
        else:
            passive = ALL_IN if action.startswith("all-in") else PASSIVE
            colours.append(FOLD if action.startswith("fold") else passive)
    return colours


def node_way(at: SpotCursor) -> Markup:
    """Board, pot, the steps to this node, and what can follow."""
    board = tag("span", [card(card_text(c)) for c in at.board], cls="cards small-cards")
    steps, node = [], at
    while node.before is not None:
        steps.append((node.node_id, _step(node)))
        node = node.before
    crumbs = [tag("button", "root", type="button", data_pick="node:r:0")]
    crumbs += [
        tag("button", words, type="button", data_pick=f"node:{name}")
        for name, words in reversed(steps)
    ]
    colours = action_colours(at.actions) if at.player >= 0 else []
    following = (
        [
            tag(
                "button",
                tag("i", cls="dot", style=f"background:{colour}"),
                words,
                type="button",
                cls="btn",
                data_pick=f"play:{words}",
            )
            for words, colour in zip(at.actions, colours, strict=False)
        ]
        if at.player >= 0
        else []
    )
    stacks = " / ".join(f"{stack:g}" for stack in at.stacks)
    who = f"{PLAYERS[at.player].upper()} to act" if at.player >= 0 else ""
    facts = tag("span", f"pot {at.pot:g} · stacks {stacks} · {who}".rstrip(" ·"), cls="strong")
    return tag(
        "div",
        tag("div", board, facts, cls="line-up"),
        tag("div", crumbs, cls="segments wrap", role="group", aria_label="The way here"),
        tag("div", following, cls="moves"),
        cls="options",
    )


def _step(node: SpotCursor) -> str:
    """The last step to a node in words."""
    before, code = node.before, node.path[-1]
    assert before is not None
    if before.player < 0:
        return code
    for words, action in zip(before.actions, before.bet_actions, strict=True):
        if action.code == code or (code.startswith("b") and code == f"b{action.total:.10g}"):
            return f"{PLAYERS[before.player].upper()} {words}"
    return code


def mix_grid(at: SpotCursor, picked: str) -> Markup:
    """Each class as shares of its actions; how high it is filled is how much of it comes here."""
    grid = node_grid(at)

    def cell(name: str, row: int, column: int) -> Markup:
        here = grid.cells[13 * row + column]
        if not here.shares:
            return tag("span", name, cls="none")
        stops, start = [], 0.0
        for colour, share in zip(grid.colours, here.shares.values(), strict=True):
            stops.append(f"{colour} {100 * start:.1f}% {100 * (start + share):.1f}%")
            start += share
        style = (
            f"background:linear-gradient(to right,{','.join(stops)}) bottom/100%"
            f" {100 * here.fill:.0f}%"
            " no-repeat,var(--sunken)"
        )
        words = ", ".join(f"{a} {s:.0%}" for a, s in here.shares.items())
        return tag(
            "button",
            name,
            type="button",
            data_pick=f"class:{name}",
            style=style,
            aria_label=f"{name}: {words}",
            aria_pressed="true" if name == picked else "false",
        )

    means = at.summary().strategy or {}
    key = legend(
        [
            (c, f"{a} {100 * means.get(a, 0):.1f} %")
            for a, c in zip(at.actions, grid.colours, strict=True)
        ]
    )
    return join(class_grid(cell, "The strategy", "mixed"), tag("div", key, cls="legend-gap"))


def hand_table(at: SpotCursor, name: str) -> Markup:
    """The hands of a class with their mixture, EVs, EV and equity."""
    if name not in CLASS_NAMES:
        return tag("p", "Click a class of the grid.", cls="muted")
    wanted = CLASS_NAMES.index(name)
    rows = []
    colours = action_colours(at.actions)
    classes = class_of_combos()
    for combo, hand in zip(at.combos(at.player), at.hands(at.player), strict=True):
        if classes[int(combo)] != wanted:
            continue
        found = at.figures(hand)
        if found.weight <= 0 or found.strategy is None or found.action_evs is None:
            continue
        shares = [
            tag("i", style=f"width:{100 * share:.1f}%;background:{colour}")
            for share, colour in zip(found.strategy.values(), colours, strict=True)
        ]
        cards = tag("span", [card(hand[i : i + 2]) for i in (0, 2)], cls="cards tiny-cards")
        cells = [
            tag(
                "td",
                f"{share:.0%} ",
                tag("span", signed(found.action_evs[a], 2), cls="muted small"),
                cls="r",
            )
            for a, share in found.strategy.items()
        ]
        rows.append(
            tag(
                "tr",
                tag("td", cards),
                tag("td", tag("div", shares, cls="shares")),
                cells,
                tag("td", signed(found.ev, 2), cls="r"),
                tag("td", f"{found.equity:.1%}", cls="r"),
            )
        )
    if not rows:
        return tag("p", f"{name} does not come here.", cls="muted")
    heads = ["", "", *at.actions, "EV", "equity"]
    head = tag("tr", [tag("th", text, cls="r") for text in heads])
    return tag("div", tag("table", head, rows, cls="plain"), cls="scroll-x")


def runout_table(at: SpotCursor) -> Markup:
    """Each next card with what the next player then does; a click deals it."""
    ranks, suits = "AKQJT98765432", "shdc"
    possible = set(at.cards_to_come)
    cells = []
    for suit in suits:
        for rank in ranks:
            text = rank + suit
            if text not in possible:
                cells.append(tag("span", "", cls="none"))
                continue
            after = at.deal(text)
            style, words = "", ""
            if after.player >= 0:
                means = after.summary().strategy or {}
                quiet = sum(s for a, s in means.items() if a.startswith(("check", "fold", "call")))
                style = f"--heat:{100 * (1 - quiet):.0f}%"
                words = f"{100 * (1 - quiet):.0f}"
            cells.append(
                tag(
                    "button",
                    card(text),
                    tag("small", words),
                    type="button",
                    style=style,
                    data_pick=f"deal:{text}",
                    aria_label=f"{text}: bets {words} per cent",
                )
            )
    return tag("div", cells, cls="runouts")


def equity_curves(at: SpotCursor) -> dict[str, list[tuple[float, float]]]:
    """For each player the equities of the range, best first, over the share of the range."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for player, name in enumerate(PLAYERS):
        weights: Any = at.weights(player) * at.meetings(player)
        values = at.equities(player)
        good = (weights > 0) & np.isfinite(values)
        order = np.argsort(-values[good])
        shares = np.cumsum(weights[good][order])
        if not len(shares):
            continue
        points = zip(100 * shares / shares[-1], 100 * values[good][order], strict=True)
        curves[name.upper()] = [(round(float(x), 2), round(float(y), 2)) for x, y in points]
    return curves
