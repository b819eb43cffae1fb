"""A solved spot at one node: the grid of mixed actions, the hands of a class, the path to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riverboat.cards.card import card_text
from riverboat.cards.combos import CLASS_NAMES, class_of_combos
from riverboat.drawing.html import Markup, join, signed, tag
from riverboat.drawing.palette import PLAIN, action_colours, gradient
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.lock_painting import Mark
from riverboat.holdem.spots.node_views import CardRow, mean_mix, node_grid
from riverboat.web.app.card_pictures import card
from riverboat.web.app.frame import legend
from riverboat.web.holdem.inputs import class_grid

RANKS, SUITS = "AKQJT98765432", "shdc"
NEVER_REACHED = (
    "The solution never reaches this node: a player takes one of its actions with no hand."
)


def node_breadcrumb(at: SpotCursor) -> Markup:
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
    following = []
    if at.player >= 0:
        named = zip(at.actions, action_colours(at.actions), strict=True)
        following = [
            tag(
                "button",
                tag("i", cls="dot", style=f"background:{colour}"),
                f"{words} ",
                tag("kbd", number) if number < 10 else None,
                type="button",
                cls="btn",
                data_pick=f"play:{words}",
                data_key=number if number < 10 else None,
            )
            for number, (words, colour) in enumerate(named, 1)
        ]
    if at.before is not None:
        following.append(
            tag(
                "button",
                "back ",
                tag("kbd", "⌫"),
                type="button",
                cls="btn",
                data_pick=f"node:{at.before.node_id}",
                data_key="Backspace",
                aria_label="back",
            )
        )
    who = f"{at.names[at.player].upper()} to act" if at.player >= 0 else ""
    facts = tag("span", f"pot {at.pot:g} · {_stacks(at)} · {who}".rstrip(" ·"), cls="strong")
    return tag(
        "div",
        tag("div", board, facts, cls="line-up"),
        _side_pots(at),
        tag("div", crumbs, cls="segments wrap", role="group", aria_label="The path to this node"),
        tag("div", following, cls="moves"),
        cls="options",
    )


def _stacks(at: SpotCursor) -> str:
    """What each player has behind; of three players by name, with those who have folded."""
    if len(at.names) == 2:
        return "stacks " + " / ".join(f"{stack:g}" for stack in at.stacks)
    return "behind: " + ", ".join(
        f"{name.upper()} {'folded' if seat in at.node.folded else f'{stack:g}'}"
        for seat, (name, stack) in enumerate(zip(at.names, at.stacks, strict=True))
    )


def _side_pots(at: SpotCursor) -> Markup | None:
    """The main pot and the side pots with those who contend for each, where there are several."""
    pots = at.shared_pots()
    if len(pots) < 2:
        return None
    words = ("main pot", *(f"side pot {n}" if len(pots) > 2 else "side pot" for n in range(1, 4)))
    shown = [
        f"{what} {chips:g} ({', '.join(names).upper()})"
        for what, (chips, names) in zip(words, pots, strict=False)
    ]
    return tag("p", " · ".join(shown), cls="muted small")


def _step(node: SpotCursor) -> str:
    """The last step to a node in words."""
    before, code = node.before, node.path[-1]
    assert before is not None
    if before.player < 0:
        return code
    for words, action in zip(before.actions, before.bet_actions, strict=True):
        if action.code == code or (code.startswith("b") and code == f"b{action.total:.10g}"):
            return f"{before.names[before.player].upper()} {words}"
    return code


def mix_grid(
    at: SpotCursor, picked: str, *, painted: Mapping[str, Mark] | None = None, paints: bool = False
) -> Markup:
    """Each class as shares of its actions; the height filled is the share that reaches the node.

    Locked classes have a mark and show their locked strategy. `paints` makes the grid one to
    paint on instead of one to pick from.
    """
    grid, locked = node_grid(at), dict(painted or {})
    first = next((cell.name for cell in grid.cells if cell.shares), "")
    stop = next((cell.name for cell in grid.cells if cell.name == picked and cell.shares), first)

    def cell(name: str, row: int, column: int) -> Markup:
        here = grid.cells[13 * row + column]
        if not here.shares:
            return tag("span", name, cls="none")
        mark = locked.get(name)
        shares = here.shares if mark is None else mark.strategy
        words = ", ".join(f"{a} {s:.0%}" for a, s in shares.items())
        return tag(
            "button",
            name,
            type="button",
            data_pick=None if paints else f"class:{name}",
            data_cell=name if paints else None,
            tabindex=0 if name == stop else -1,
            style=gradient(grid.colours, list(shares.values()), here.fill),
            title=f"{name}: {words}",
            aria_label=f"{name}: {words}" + (", locked" if mark else ""),
            aria_pressed=None if paints else "true" if name == picked else "false",
            cls=None if mark is None else "locked" if mark.whole else "locked in-part",
        )

    means = at.summary().strategy or {}
    key = legend(
        [
            (c, f"{a} {100 * means.get(a, 0):.1f} %")
            for a, c in zip(at.actions, grid.colours, strict=True)
        ]
    )
    kind = "mixed paint" if paints else "mixed"
    none = None if first else tag("p", NEVER_REACHED, cls="muted small")
    return join(class_grid(cell, "The strategy", kind), none, tag("div", key, cls="legend-gap"))


def reach_grid(at: SpotCursor, player: int, picked: str) -> Markup:
    """The range of a player who does not act now: each class as full as it reaches the node."""
    grid = node_grid(at, player)
    first = next((cell.name for cell in grid.cells if cell.weight > 0), "")
    stop = next(
        (cell.name for cell in grid.cells if cell.name == picked and cell.weight > 0), first
    )

    def cell(name: str, row: int, column: int) -> Markup:
        here = grid.cells[13 * row + column]
        if here.weight <= 0:
            return tag("span", name, cls="none")
        words = f"{name}: {here.fill:.0%} of it, EV {signed(here.ev, 2)}"
        return tag(
            "button",
            name,
            type="button",
            data_pick=f"class:{name}",
            tabindex=0 if name == stop else -1,
            style=gradient([PLAIN], [1.0], here.fill),
            title=words,
            aria_label=words,
            aria_pressed="true" if name == picked else "false",
        )

    none = None if first else tag("p", NEVER_REACHED, cls="muted small")
    return join(class_grid(cell, f"The range of {at.names[player].upper()}", "mixed"), none)


def hand_table(at: SpotCursor, name: str, player: int | None = None) -> Markup:
    """The hands of a class with EV and equity, where the player acts with mixture and EVs too."""
    if name not in CLASS_NAMES:
        return tag("p", "Click a class of the grid.", cls="muted")
    wanted = CLASS_NAMES.index(name)
    rows = []
    who = at.acting(player)
    actions = at.actions if who == at.player else []
    colours = action_colours(actions)
    bar = "roomy" if len(actions) > 2 else None  # a phone has room for the numbers alone
    classes = class_of_combos()
    for combo, hand in zip(at.combos(who), at.hands(who), strict=True):
        if classes[int(combo)] != wanted:
            continue
        found = at.figures(hand, who)
        if found.weight <= 0:
            continue
        mix, evs = found.strategy or {}, found.action_evs or {}
        shares = [
            tag("i", style=f"width:{100 * share:.1f}%;background:{colour}")
            for share, colour in zip(mix.values(), colours, strict=True)
        ]
        cards = tag("span", [card(hand[i : i + 2]) for i in (0, 2)], cls="cards tiny-cards")
        cells = [
            tag("td", f"{share:.0%} ", tag("span", signed(evs[a], 2), cls="muted small"), cls="r")
            for a, share in mix.items()
        ]
        rows.append(
            tag(
                "tr",
                tag("td", cards),
                tag("td", tag("div", shares, cls="shares"), cls=bar)
                if shares
                else tag("td", f"{found.weight:.0%}", cls="r"),
                cells,
                tag("td", signed(found.ev, 2), cls="r"),
                tag("td", f"{found.equity:.1%}", cls="r"),
            )
        )
    if not rows:
        return tag("p", f"{name} does not reach this node.", cls="muted")
    heads = ["", "" if actions else "reaches", *actions, "EV", "equity"]
    head = tag(
        "tr",
        [tag("th", text, cls="r roomy" if n == 1 and bar else "r") for n, text in enumerate(heads)],
    )
    return tag("div", tag("table", head, rows, cls="plain by-hand"), cls="scroll-x")


METRICS = {
    "mix": ("mixture", "The number is how often the player who acts next bets, per cent."),
    "change": ("change", "How much of the range acts otherwise than on an average card, per cent."),
    "ev": ("EV", "{}'s EV in chips."),
    "equity": ("equity", "{}'s equity, per cent."),
}
"""What the cards of a runout can show: its name, and what the number is."""


def runout_grid(at: SpotCursor, rows: Sequence[CardRow], metric: str, player: int = 0) -> Markup:
    """Each next card with what it does, EV and equity of one player; a click deals it."""
    by_card = {row.card: row for row in rows}
    after = next((at.deal(row.card) for row in rows if row.strategy), None)
    colours = action_colours(after.actions) if after is not None else ()
    values = {row.card: _metric(row, metric, player) for row in rows}
    known = [value for value in values.values() if value == value]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    cells, first = [], True
    for suit in SUITS:
        for rank in RANKS:
            text = rank + suit
            row = by_card.get(text)
            if row is None:
                cells.append(tag("span", cls="none"))
                continue
            value = values[text]
            heat = (value - low) / (high - low) if high > low else 0.5
            style = f"--heat:{80 * heat:.0f}%" if value == value else ""
            bar = None
            if metric == "mix" and row.strategy:
                style, shares = "", zip(row.strategy.values(), colours, strict=True)
                parts = [
                    tag("i", style=f"width:{100 * share:.1f}%;background:{colour}")
                    for share, colour in shares
                ]
                bar = tag("span", parts, cls="mini-shares")
            words = ", ".join(f"{a} {s:.0%}" for a, s in row.strategy.items())
            cells.append(
                tag(
                    "button",
                    card(text),
                    bar,
                    tag("small", _metric_text(value, metric)),
                    type="button",
                    style=style,
                    data_pick=f"deal:{text}",
                    tabindex=0 if first else -1,
                    title=f"{text}: {words}",
                    aria_label=f"{text}: {words or 'nobody acts'}",
                )
            )
            first = False
    grid = tag("div", cells, cls="runouts", role="group", aria_label="Cards", data_columns=13)
    named = zip(colours, after.actions, strict=True) if after is not None else ()
    key = legend(list(named)) if metric == "mix" else None
    return join(
        tag("p", METRICS[metric][1].format(at.names[player].upper()), cls="muted small"),
        grid,
        tag("div", key, cls="legend-gap") if key else None,
    )


def _metric(row: CardRow, metric: str, player: int) -> float:
    if metric in ("ev", "equity"):
        return float(getattr(row, metric)[player])
    if not row.strategy:
        return float("nan")
    return row.change if metric == "change" else row.bets


def _metric_text(value: float, metric: str) -> str:
    if value != value:
        return "–"
    return f"{value:z.0f}" if metric == "ev" else f"{100 * value:.0f}"


def change_table(rows: Sequence[CardRow], player: int = 0, most: int = 8) -> Markup:
    """The cards that change the mixture most, next to the mean of all; EVs are one player's."""
    acting = [row for row in rows if row.strategy]
    if not acting:
        return tag("p", "Nobody acts after this card: the rest is dealt.", cls="muted")
    mean = mean_mix(list(rows))
    actions = list(mean)
    head = tag("tr", [tag("th", text, cls="r" if text else None) for text in ("", *actions, "EV")])
    known = [row for row in acting if row.ev[player] == row.ev[player]]
    total = sum(row.weight * row.ev[player] for row in known)
    lines = [_change_line(tag("b", "all cards"), mean, total)]
    for row in sorted(acting, key=lambda row: -row.change)[:most]:
        button = tag(
            "button",
            card(row.card),
            type="button",
            cls="card-button",
            data_pick=f"deal:{row.card}",
            aria_label=f"Deal {row.card}",
        )
        lines.append(_change_line(button, row.strategy, row.ev[player], mean))
    return tag("div", tag("table", head, lines, cls="plain"), cls="scroll-x")


def _change_line(
    name: Markup, mix: Mapping[str, float], ev: float, mean: Mapping[str, float] | None = None
) -> Markup:
    cells = []
    for action, share in mix.items():
        off = "" if mean is None else signed(100 * (share - mean[action]), 0)
        cells.append(tag("td", f"{share:.0%} ", tag("span", off, cls="muted small"), cls="r"))
    return tag("tr", tag("td", name, cls="tiny-cards"), cells, tag("td", f"{ev:z.2f}", cls="r"))
