"""Pictures of a strategy: the public tree to open, the hands at a point, one infoset in detail."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from riverboat.games.base import CHANCE, TERMINAL, Action, Game
from riverboat.web.charts_options import COLOURS
from riverboat.web.markup import Markup, join, signed, tag
from riverboat.web.page_frame import legend
from riverboat.web.tree_walk import HandRow, PublicPoint, actor_at

__all__ = ["FIGURES", "Infoset", "crumbs", "hand_table", "infoset_picture", "tree_picture"]

FIGURES = {"value": "values", "regret": "regrets", "each": "regrets per iteration"}
"""What can stand beside the share of each move."""
MOST_LINES = 400
"""Lines of an opened tree."""

Way = tuple[Action, ...]


@dataclass(frozen=True)
class Infoset:
    """What is known of one hand at a point, action by action."""

    row: HandRow
    worth: Mapping[Action, float] = field(default_factory=dict)
    regrets: Mapping[Action, float] = field(default_factory=dict)
    iterations: int = 0
    other: Mapping[Action, float] | None = None
    """The mixture of the strategy that it is compared with."""

    @property
    def each(self) -> dict[Action, float]:
        """Regret per iteration."""
        return {a: regret / max(1, self.iterations) for a, regret in self.regrets.items()}

    def figure(self, kind: str) -> Mapping[Action, float]:
        return {"value": self.worth, "regret": self.regrets, "each": self.each}[kind]

    @property
    def value(self) -> float | None:
        """What the hand gets here when it plays its mixture."""
        if any(a not in self.worth for a, chance in self.row.chances.items() if chance > 0):
            return None
        return sum(c * self.worth[a] for a, c in self.row.chances.items() if c > 0)


def tree_picture(
    game: Game, point_at: Callable[[Way], PublicPoint | None], opened: set[Way], at: Way
) -> Markup:
    """The tree with its opened branches: a click on a name goes there, one on ▸ opens it."""
    lines: list[Markup] = []

    def add(way: Way, words: str, share: float | None, colour: str) -> None:
        if len(lines) >= MOST_LINES:
            return
        actor = actor_at(game, way)
        end = actor is None or actor == TERMINAL
        lines.append(_line(way, words, share, colour, None if end else way in opened, way == at))
        if end or way not in opened:
            return
        point = point_at(way)
        for i, (action, text) in enumerate(point.choices if point else ()):
            here = point.shares.get(action) if point and point.shares else None
            colour = COLOURS[i % len(COLOURS)] if actor != CHANCE else "var(--line)"
            who = f"{actor + 1}: " if actor is not None and actor >= 0 else ""
            add((*way, action), f"{who}{text}" if who else f"[{text}]", here, colour)

    add((), "start", None, "transparent")
    return tag("div", lines, cls="tree", role="tree", aria_label="The public tree")


def _line(
    way: Way, words: str, share: float | None, colour: str, opened: bool | None, here: bool
) -> Markup:
    path = " ".join(way)
    twist = tag("span", cls="twist")
    if opened is not None:
        twist = tag(
            "button",
            "▾" if opened else "▸",
            type="button",
            cls="twist",
            data_pick=f"open:{path}",
            aria_label=f"{'close' if opened else 'open'} {words}",
        )
    name = tag(
        "button",
        words,
        type="button",
        cls="name",
        data_pick=f"at:{path}",
        aria_current="true" if here else None,
    )
    bar = None
    if share is not None:
        bar = tag("span", tag("i", style=f"width:{100 * share:.1f}%;background:{colour}"), cls="b")
    often = "" if share is None else f"{share:.0%}" if share >= 0.005 or share == 0 else "<1%"
    return tag(
        "div",
        twist,
        name,
        bar,
        tag("span", often, cls="muted small num"),
        cls="branch",
        role="treeitem",
        aria_level=len(way) + 1,
        aria_expanded=None if opened is None else str(opened).lower(),
        aria_selected="true" if here else "false",
        style=f"--level:{len(way)}",
    )


def crumbs(point: PublicPoint) -> Markup:
    """The way here, each step a button, and the steps that follow."""
    steps = [tag("button", "start", type="button", data_pick="to:0")]
    steps += [
        tag("button", words, type="button", data_pick=f"to:{i + 1}")
        for i, words in enumerate(point.words)
    ]
    following = [
        tag("button", words, type="button", cls="btn", data_pick=f"go:{action}")
        for action, words in point.choices
    ]
    often = None
    if point.reach is not None and point.way:
        often = tag("p", f"Play comes here in {_percent(point.reach)} of hands.", cls="muted small")
    return tag(
        "div",
        tag("div", steps, cls="segments crumbs", role="group", aria_label="The way here"),
        often,
        tag("div", following, cls="moves") if following else None,
        cls="options",
    )


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if share >= 5e-5 or share == 0 else "fewer than 0.01 %"


def hand_table(
    point: PublicPoint, infosets: Sequence[Infoset], kind: str, picked: str, names: tuple[str, str]
) -> Markup:
    """Every hand with its mixture as a bar and a figure for each move."""
    if point.actor == TERMINAL:
        return tag("p", "The hand is over here.", cls="muted")
    if point.actor == CHANCE:
        return tag("p", "Chance deals a card that everybody sees: choose one.", cls="muted")
    colours = {a: COLOURS[i % len(COLOURS)] for i, (a, _) in enumerate(point.choices)}
    heads = [
        tag("th", "Hand"),
        tag("th", "held", cls="r roomy"),
        tag("th", f"Player {point.actor + 1} does", cls="wide"),
    ]
    heads += [tag("th", words, cls="r") for _, words in point.choices]
    body = [_row(i, each, point, colours, kind, picked) for i, each in enumerate(infosets)]
    table = tag("table", tag("tr", heads), body, cls="plain hands")
    entries = [(colours[a], words) for a, words in point.choices]
    compared = any(each.other is not None for each in infosets)
    note = None
    if compared:
        note = tag("p", f"Upper bar: {names[0]}. Lower bar: {names[1]}.", cls="muted small")
    return join(tag("div", table, cls="scroll-x"), legend(entries), note)


def _shares(chances: Mapping[Action, float], point: PublicPoint, colours: dict[str, str]) -> Markup:
    parts = [
        tag("i", style=f"width:{100 * chances.get(a, 0):.2f}%;background:{colours[a]}")
        for a, _ in point.choices
    ]
    return tag("div", parts, cls="shares")


def _row(
    number: int,
    infoset: Infoset,
    point: PublicPoint,
    colours: dict[str, str],
    kind: str,
    picked: str,
) -> Markup:
    row = infoset.row
    figures = infoset.figure(kind)
    cells = []
    for action, _ in point.choices:
        shown = ""
        if action in figures:
            shown = _regret(figures[action]) if kind != "value" else signed(figures[action], 3)
        figure = tag("span", shown, cls="muted small block")
        cells.append(tag("td", f"{row.chances.get(action, 0):.1%}", figure, cls="r"))
    bars = [_shares(row.chances, point, colours)]
    if infoset.other is not None:
        bars.append(_shares(infoset.other, point, colours))
    name = tag(
        "button",
        row.hand or "–",
        type="button",
        cls="linklike strong",
        data_pick=f"hand:{number}",
        aria_expanded="true" if row.infoset == picked else "false",
    )
    held = "" if row.held is None else f"{row.held:.1%}"
    return tag(
        "tr",
        tag("td", name),
        tag("td", held, cls="r muted small roomy"),
        tag("td", tag("div", bars, cls="shares-pair")),
        cells,
        cls="picked" if row.infoset == picked else None,
    )


def infoset_picture(infoset: Infoset, point: PublicPoint) -> Markup:
    """One infoset action by action: mixture, value and regret, each as a bar."""
    row, words = infoset.row, dict(point.choices)
    most = max((abs(regret) for regret in infoset.regrets.values()), default=0.0) or 1.0
    best = max(infoset.worth.values(), default=0.0)
    rows = []
    for action in words:
        chance = row.chances.get(action, 0.0)
        worth, regret = infoset.worth.get(action), infoset.regrets.get(action)
        behind = "" if worth is None else "best" if worth == best else signed(worth - best, 4)
        rows.append(
            tag(
                "tr",
                tag("td", words[action]),
                tag("td", _bar(chance), f" {chance:.2%}", cls="figure"),
                tag(
                    "td",
                    "" if worth is None else signed(worth, 4),
                    tag("span", f" {behind}", cls="muted small"),
                    cls="r",
                ),
                tag("td", "" if regret is None else _both_ways(regret / most), cls="wide-bar"),
                tag("td", "" if regret is None else _regret(regret), cls="r"),
                tag("td", "" if regret is None else _regret(infoset.each[action]), cls="r"),
            )
        )
    heads = [tag("th", "Move"), tag("th", "average mixture"), tag("th", "value", cls="r")]
    heads += [tag("th", "regret", colspan=2), tag("th", "per iteration", cls="r")]
    value = infoset.value
    gets = "" if value is None else f"; it gets {signed(value, 4)} here"
    title = tag("h3", f"Infoset {row.infoset or '–'}{gets}")
    table = tag("table", tag("tr", heads), rows, cls="plain")
    return tag(
        "div", title, tag("div", table, cls="scroll-x"), _about(infoset), cls="options infoset"
    )


def _about(infoset: Infoset) -> Markup:
    if not infoset.regrets:
        return tag("p", "This file holds no regrets: the algorithm is exact.", cls="muted small")
    return tag(
        "p",
        "Regret is how much more a move would have won, summed over"
        f" {infoset.iterations:,} iterations as the algorithm counts it: weighted by how often"
        " the others bring this infoset about, faded or cut off at zero where it does so. The next"
        " iteration plays moves in proportion to their positive regrets. Per iteration it goes to"
        " zero.",
        cls="muted small",
    )


def _bar(share: float) -> Markup:
    return tag("span", tag("i", style=f"width:{100 * share:.2f}%"), cls="mini-bar")


def _both_ways(share: float) -> Markup:
    """A bar to the right of the middle for more, to the left for less."""
    side = "left:50%" if share >= 0 else f"right:50%;background:{COLOURS[1]}"
    return tag("span", tag("i", style=f"{side};width:{50 * abs(share):.2f}%"), cls="both-ways")


def _regret(value: float) -> str:
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e5:
        return f"{value:+.4g}".replace("-", "−")
    return f"{value:+.2e}".replace("e-0", "e-").replace("-", "−")
