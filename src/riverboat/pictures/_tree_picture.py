"""A game tree with how often each point of it is reached: lines as thick as they are likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes

from riverboat.drawing.figures import Picture, Theme, drawing
from riverboat.errors import UsageError
from riverboat.games.base import CHANCE, TERMINAL, Action, Game, State
from riverboat.games.contract import check_game
from riverboat.games.registry import make_game
from riverboat.strategies.any_strategy import AnyStrategy

MAX_POINTS = 240  # Points of a tree that a picture can show
LEAF = 0.24  # Inches for each end


@dataclass
class _Point:
    """A history in the picture."""

    state: State
    reach: float
    depth: int
    label: str = ""  # What led here
    chance: float = 1.0
    children: list[_Point] = field(default_factory=list)
    row: float = 0.0
    cut: bool = False  # Whether more follows that is not drawn


def game_tree(
    game: str | Game,
    strategy: Any = None,
    *,
    after: Sequence[Action] = (),
    depth: int | None = None,
    title: str = "",
    theme: str = "light",
) -> Picture:
    """The tree of a small game, read from left to right, with the reach of every point.

    Without a strategy all actions are equally likely. `after` begins below some actions, chance's
    included: after=("K", "J") shows Kuhn poker when those cards were dealt. `depth` is how many
    steps are drawn.
    """
    rules = make_game(game) if isinstance(game, str) else game
    check_game(rules)
    solution = _strategy(strategy, rules)
    root = _start(rules, after)
    points = _grow(rules, root, solution, depth)
    num_rows = _place(root, 0.0)
    levels = max(point.depth for point in points)
    size = (2.4 + 1.75 * max(levels, 1), 1.0 + LEAF * max(num_rows, 4))
    with drawing(theme, size) as (figure, colours):
        axes = figure.add_subplot()
        axes.set_axis_off()
        axes.set(xlim=(-0.15, levels + 0.75), ylim=(num_rows - 0.4, -1.3))
        for point in points:
            for child in point.children:
                _draw_step(axes, point, child, colours)
        for point in points:
            _draw_point(axes, point, colours)
        _legend(axes, rules, points, colours)
        axes.set_title(title or _title(rules, after, solution))
        return figure


def _strategy(strategy: Any, game: Game) -> AnyStrategy | None:
    solution = (
        strategy if isinstance(strategy, AnyStrategy) else getattr(strategy, "strategy", None)
    )
    if strategy is not None and not isinstance(solution, AnyStrategy):
        raise UsageError(f"{type(strategy).__name__} is no strategy and no result.")
    if isinstance(solution, AnyStrategy) and solution.game != game.name:
        raise UsageError(f"The strategy is for {solution.game}, the tree is {game.name}'s.")
    return solution


def _start(game: Game, after: Sequence[Action]) -> _Point:
    state = game.start()
    for number, action in enumerate(after):
        if action not in [step for step, _ in _steps(state, None)]:
            past = " ".join(after[:number]) or "the start"
            raise UsageError(f"{action!r} is not possible after {past} in {game.name}.")
        state = state.after(action)
    return _Point(state, 1.0, 0)


def _grow(
    game: Game, root: _Point, strategy: AnyStrategy | None, depth: int | None
) -> list[_Point]:
    """All points to be drawn, each with its children."""
    points = [root]
    for point in points:  # it grows while it is read
        state = point.state
        if state.actor == TERMINAL:
            continue
        if depth is not None and point.depth >= depth:
            point.cut = True
            continue
        for action, chance in _steps(state, strategy):
            label = action if state.actor == CHANCE else game.action_label(action)
            reach, below = point.reach * chance, point.depth + 1
            point.children.append(_Point(state.after(action), reach, below, label, chance))
        points += point.children
        if len(points) > MAX_POINTS:
            raise UsageError(
                f"A picture shows up to {MAX_POINTS} nodes, and {game.name} has more here;"
                " choose a depth, or begin further down with `after`."
            )
    return points


def _steps(state: State, strategy: AnyStrategy | None) -> list[tuple[Action, float]]:
    if state.actor == CHANCE:
        return list(state.chance())
    if state.actor == TERMINAL:
        return []
    actions = list(state.actions())
    known = strategy.lookup(state.actor, state.infoset(state.actor)) if strategy else None
    return [(a, known.get(a, 0.0) if known else 1 / len(actions)) for a in actions]


def _place(point: _Point, row: float) -> float:
    """Give every point a row: ends one below the other, others in the middle of what follows."""
    if not point.children:
        point.row = row
        return row + 1
    for child in point.children:
        row = _place(child, row)
    point.row = (point.children[0].row + point.children[-1].row) / 2
    return row


def _draw_step(axes: Axes, point: _Point, child: _Point, colours: Theme) -> None:
    colour = _colour(point.state.actor, colours)
    likely = child.reach > 1e-6
    axes.plot(
        [point.depth, child.depth],
        [point.row, child.row],
        color=colour if likely else colours.faint,
        linewidth=0.5 + 5 * child.reach**0.5 if likely else 0.5,
        linestyle="-" if likely else ":",
        alpha=0.75 if likely else 0.6,
        solid_capstyle="round",
        zorder=1,
    )
    x, y = 0.38 * point.depth + 0.62 * child.depth, 0.38 * point.row + 0.62 * child.row
    text = f"{child.label} {child.chance:.2f}"
    box = {"facecolor": colours.paper, "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    ink = colours.ink if likely else colours.faint
    axes.text(x, y, text, fontsize=7, ha="center", va="center", color=ink, bbox=box, zorder=2)


def _draw_point(axes: Axes, point: _Point, colours: Theme) -> None:
    state = point.state
    if state.actor == TERMINAL:
        payoffs = " ".join(f"{value:+g}" for value in state.returns())
        ink = colours.ink if point.reach > 1e-6 else colours.faint
        words = f"{payoffs}   ({point.reach:.3f})"
        axes.text(point.depth + 0.06, point.row, words, fontsize=7.5, va="center", color=ink)
        return
    marker = "D" if state.actor == CHANCE else "o"
    colour, edge = _colour(state.actor, colours), colours.paper
    look: dict[str, Any] = {"color": colour, "markersize": 6, "markeredgecolor": edge, "zorder": 3}
    axes.plot(point.depth, point.row, marker, **look)
    name = "" if state.actor == CHANCE else state.infoset(state.actor) + " "
    axes.annotate(
        f"{name}({point.reach:.3f})" + (" …" if point.cut else ""),
        (point.depth, point.row),
        textcoords="offset points",
        xytext=(6, 0) if point.cut else (0, 6),
        ha="left" if point.cut else "center",
        va="center" if point.cut else "bottom",
        fontsize=7.5,
        weight="bold",
        zorder=4,
    )


def _colour(actor: int, colours: Theme) -> str:
    return colours.faint if actor == CHANCE else colours.colours[actor % len(colours.colours)]


def _legend(axes: Axes, game: Game, points: list[_Point], colours: Theme) -> None:
    actors = sorted({p.state.actor for p in points} - {TERMINAL, CHANCE})
    for actor in actors:
        axes.plot([], [], "o-", color=_colour(actor, colours), label=f"player {actor + 1}")
    if any(point.state.actor == CHANCE for point in points):
        axes.plot([], [], "D-", color=_colour(CHANCE, colours), label="chance")
    if actors:
        axes.legend(loc="upper left", ncols=len(actors) + 1, bbox_to_anchor=(0, 1.0))


def _title(game: Game, after: Sequence[Action], strategy: AnyStrategy | None) -> str:
    below = f" after {' '.join(after)}" if after else ""
    if strategy is None:
        return f"{game.title}{below}, all actions alike"
    algorithm = strategy.info.get("algorithm")
    return f"{game.title}{below}" + (f", solved by {algorithm}" if algorithm else "")
