"""A strategy along the public tree: at each public point, every private hand and what it does.

A point is reached by public actions: the players' moves and the cards that all players see. What
chance deals in private is not part of the path; a table of all hands is shown instead.

Pictures of a strategy: the public tree to open, the hands at a point, one infoset in detail.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from riverboat.drawing.html import Markup, join, pick_button, signed, tag
from riverboat.games.base import CHANCE, TERMINAL, Action, Game, State
from riverboat.players.player import move_words
from riverboat.strategies.strategy import Lookup
from riverboat.web.app.charts import COLOURS, move_colours
from riverboat.web.app.frame import legend

MAX_DEALS = 2_000  # Private deals that are tried at one point
_OWN = re.compile(r"^[^+|]*")


@dataclass(frozen=True)
class HandRow:
    """One hand at a public point."""

    hand: str
    infoset: str
    chances: dict[Action, float]
    held: float | None = None
    """How likely the acting player holds it here; None where play never reaches the point."""


@dataclass(frozen=True)
class PublicPoint:
    """A point of the public tree."""

    history: tuple[Action, ...]
    words: tuple[str, ...]  # The history in words
    actor: int  # Who acts, CHANCE or TERMINAL
    choices: tuple[tuple[Action, str], ...]  # Next steps with their words
    rows: tuple[HandRow, ...]
    returns: str
    reach: float | None = None
    """How often play reaches the point; None where there are too many deals to try them all."""
    shares: Mapping[Action, float] = field(default_factory=dict)
    """How often each step is taken from here, over all hands; empty where play never gets to it."""

    @property
    def colours(self) -> dict[Action, str]:
        """The colour of each next step."""
        actions = [action for action, _ in self.choices]
        return dict(zip(actions, move_colours([words for _, words in self.choices]), strict=True))


def public_point(game: Game, strategy: Lookup, history: Sequence[Action]) -> PublicPoint | None:
    """The point at the end of a history, or None where there is no such history."""
    chance_of = _Chances(strategy)
    every = _states(game.start(), tuple(history), game.num_players, chance_of)
    found = list(islice(every, MAX_DEALS + 1))
    whole, found = len(found) <= MAX_DEALS, found[:MAX_DEALS]
    if not found:
        return None
    states = [state for state, _ in found]
    state = states[0]
    actor = state.actor
    rows: tuple[HandRow, ...] = ()
    choices: tuple[tuple[Action, str], ...] = ()
    returns = ""
    if actor == CHANCE:
        outcomes = dict.fromkeys(a for each in states for a, _ in each.chance())
        choices = tuple((action, action) for action in outcomes)
    elif actor == TERMINAL:
        returns = state.describe(None)
    else:
        choices = tuple((a, move_words(game, state, a)) for a in state.actions())
        rows = tuple(_rows(strategy, found, actor))
    reach = sum(weight for _, weight in found)
    shares: dict[Action, float] = {}
    if reach > 0 and actor != TERMINAL:
        for each, weight in found:
            for action, chance in chance_of.at(each).items():
                shares[action] = shares.get(action, 0.0) + weight * chance / reach
    words = _words(game, tuple(history))
    known = reach if whole else None
    return PublicPoint(tuple(history), words, actor, choices, rows, returns, known, shares)


def actor_at(game: Game, history: Sequence[Action]) -> int | None:
    """Who acts at the end of a history; None where there is no such history."""
    found = next(_states(game.start(), tuple(history), game.num_players), None)
    return None if found is None else found[0].actor


class _Chances:
    """How often each action is taken in a state, by a strategy or by chance."""

    def __init__(self, strategy: Lookup) -> None:
        self.strategy = strategy
        self.known: dict[tuple[int, str], dict[Action, float]] = {}

    def at(self, state: State) -> dict[Action, float]:
        if state.actor == CHANCE:
            return dict(state.chance())
        key = (state.actor, state.infoset(state.actor))
        if key not in self.known:
            self.known[key] = self.strategy.lookup(*key) or {}
        return self.known[key]


def _rows(strategy: Lookup, found: list[tuple[State, float]], actor: int) -> Iterator[HandRow]:
    held: dict[str, float] = {}
    for state, weight in found:
        infoset = state.infoset(actor)
        held[infoset] = held.get(infoset, 0.0) + weight
    total = sum(held.values())
    for infoset in sorted(held, key=_natural):
        chances = strategy.lookup(actor, infoset)
        if chances is not None:
            own = _OWN.match(infoset)
            likely = held[infoset] / total if total > 0 else None
            yield HandRow(own.group() if own else infoset, infoset, chances, likely)


def _natural(text: str) -> tuple[int, str]:
    digits = re.match(r"\d+", text)
    return (int(digits.group()) if digits else 99, text)


def _states(
    state: State,
    history: tuple[Action, ...],
    players: int,
    chances: _Chances | None = None,
    weight: float = 1.0,
) -> Iterator[tuple[State, float]]:
    """Every state at the end of a history, private deals varied, and how often it comes about."""
    if state.actor == CHANCE and _is_private(state, players):
        for action, chance in state.chance():
            yield from _states(state.after(action), history, players, chances, weight * chance)
        return
    if not history:
        yield state, weight
        return
    if state.actor == TERMINAL:
        return
    legal = [a for a, _ in state.chance()] if state.actor == CHANCE else state.actions()
    if history[0] in legal:
        if chances is not None:
            weight *= chances.at(state).get(history[0], 0.0)
        yield from _states(state.after(history[0]), history[1:], players, chances, weight)


def _is_private(state: State, players: int) -> bool:
    """Whether some player does not see what chance does here."""
    outcomes = state.chance()
    if len(outcomes) < 2:
        return False
    first, second = (state.after(outcomes[i][0]) for i in (0, 1))
    return any(first.infoset(p) == second.infoset(p) for p in range(players))


def _words(game: Game, history: tuple[Action, ...]) -> tuple[str, ...]:
    words = []
    for i, action in enumerate(history):
        found = next(_states(game.start(), history[:i], game.num_players), None)
        state = None if found is None else found[0]
        if state is None or state.actor < 0:
            words.append(f"[{action}]")
        else:
            words.append(f"{state.actor + 1}: {move_words(game, state, action)}")
    return tuple(words)


FIGURES = {"value": "values", "regret": "regrets", "each": "regrets per iteration"}
"""Figures that can be shown next to the share of each move."""
MAX_LINES = 400  # Lines of an opened tree

History = tuple[Action, ...]


@dataclass(frozen=True)
class Infoset:
    """What is known of one hand at a point, action by action."""

    row: HandRow
    values: Mapping[Action, float] = field(default_factory=dict)
    regrets: Mapping[Action, float] = field(default_factory=dict)
    iterations: int = 0
    other: Mapping[Action, float] | None = None
    """The mixture of the strategy that it is compared with."""

    @property
    def each(self) -> dict[Action, float]:
        """Regret per iteration."""
        return {a: regret / max(1, self.iterations) for a, regret in self.regrets.items()}

    def figure(self, kind: str) -> Mapping[Action, float]:
        return {"value": self.values, "regret": self.regrets, "each": self.each}[kind]

    @property
    def value(self) -> float | None:
        """What the hand gets here when it plays its mixture."""
        if any(a not in self.values for a, chance in self.row.chances.items() if chance > 0):
            return None
        return sum(c * self.values[a] for a, c in self.row.chances.items() if c > 0)


def tree_picture(
    game: Game, point_at: Callable[[History], PublicPoint | None], opened: set[History], at: History
) -> Markup:
    """The tree with its opened branches: a click on a name goes there, one on ▸ opens it."""
    lines: list[Markup] = []

    def add(history: History, words: str, share: float | None, colour: str) -> None:
        if len(lines) >= MAX_LINES:
            return
        actor = actor_at(game, history)
        end = actor is None or actor == TERMINAL
        lines.append(
            _line(history, words, share, colour, None if end else history in opened, history == at)
        )
        if end or history not in opened:
            return
        point = point_at(history)
        for action, text in point.choices if point else ():
            here = point.shares.get(action) if point and point.shares else None
            colour = point.colours[action] if point and actor != CHANCE else "var(--line)"
            who = f"{actor + 1}: " if actor is not None and actor >= 0 else ""
            add((*history, action), f"{who}{text}" if who else f"[{text}]", here, colour)

    add((), "start", None, "transparent")
    return tag("div", lines, cls="tree", role="tree", aria_label="The public tree")


def _line(
    history: History, words: str, share: float | None, colour: str, opened: bool | None, here: bool
) -> Markup:
    path = " ".join(history)
    twist = tag("span", cls="twist")
    if opened is not None:
        twist = pick_button(
            f"open:{path}",
            "▾" if opened else "▸",
            cls="twist",
            aria_label=f"{'close' if opened else 'open'} {words}",
        )
    name = pick_button(f"at:{path}", words, cls="name", aria_current="true" if here else None)
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
        aria_level=len(history) + 1,
        aria_expanded=None if opened is None else str(opened).lower(),
        aria_selected="true" if here else "false",
        style=f"--level:{len(history)}",
    )


def crumbs(point: PublicPoint) -> Markup:
    """The path to this node, each step a button, and the steps that follow."""
    steps = [pick_button("to:0", "start")]
    steps += [pick_button(f"to:{i + 1}", words) for i, words in enumerate(point.words)]
    following = [pick_button(f"go:{action}", words, cls="btn") for action, words in point.choices]
    often = None
    if point.reach is not None and point.history:
        often = tag("p", f"Play gets here in {_percent(point.reach)} of hands.", cls="muted small")
    return tag(
        "div",
        tag("div", steps, cls="segments crumbs", role="group", aria_label="The path to this node"),
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
        return tag("p", "Chance deals a card that all players see: choose one.", cls="muted")
    colours = point.colours
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
    name = pick_button(
        f"hand:{number}",
        row.hand or "–",
        cls="linklike strong",
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
    row, words, colours = infoset.row, dict(point.choices), point.colours
    most = max((abs(regret) for regret in infoset.regrets.values()), default=0.0) or 1.0
    best = max(infoset.values.values(), default=0.0)
    rows = []
    for action in words:
        chance = row.chances.get(action, 0.0)
        value, regret = infoset.values.get(action), infoset.regrets.get(action)
        behind = "" if value is None else "best" if value == best else signed(value - best, 4)
        rows.append(
            tag(
                "tr",
                tag("td", words[action]),
                tag("td", _bar(chance, colours[action]), f" {chance:.2%}", cls="figure"),
                tag(
                    "td",
                    "" if value is None else signed(value, 4),
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


def _bar(share: float, colour: str) -> Markup:
    filled = tag("i", style=f"width:{100 * share:.2f}%;background:{colour}")
    return tag("span", filled, cls="mini-bar")


def _both_ways(share: float) -> Markup:
    """A bar to the right of the middle for more, to the left for less."""
    side = "left:50%" if share >= 0 else f"right:50%;background:{COLOURS[1]}"
    return tag("span", tag("i", style=f"{side};width:{50 * abs(share):.2f}%"), cls="both-ways")


def _regret(value: float) -> str:
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e5:
        return f"{value:+z.4g}".replace("-", "−")
    return f"{value:+.2e}".replace("e-0", "e-").replace("-", "−")
