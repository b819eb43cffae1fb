"""Two strategies of one game next to each other: what they get, and where they differ.

A strategy to walk through: every hand at every public point, compared, saved, exported.
"""

from __future__ import annotations

import heapq
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from nicegui import ui

from riverboat.drawing.html import Markup, join, signed, tag
from riverboat.errors import RiverboatError, UsageError
from riverboat.evaluation.head_to_head import exact_value
from riverboat.games.base import Action, Game
from riverboat.games.registry import game_class, make_game
from riverboat.players.coach import Coach, PublicCoach, TreeCoach
from riverboat.players.player import View
from riverboat.runtime.storage import atomic_write
from riverboat.solvers.result import Regrets, read_regrets
from riverboat.strategies.any_strategy import AnyStrategy
from riverboat.strategies.export import to_csv, to_json
from riverboat.strategies.kinds import load
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.strategies.strategy import Strategy
from riverboat.trees.game_tree import build_tree
from riverboat.trees.public_games import has_shapes
from riverboat.web.app.frame import (
    ask_name,
    button,
    error_note,
    heading,
    in_thread,
    page,
    panel,
    segments,
)
from riverboat.web.app.markup import Picture
from riverboat.web.solve.strategy_views import (
    FIGURES,
    HandRow,
    Infoset,
    PublicPoint,
    crumbs,
    hand_table,
    infoset_picture,
    public_point,
    tree_picture,
)

if TYPE_CHECKING:
    from riverboat.web.server import Site

MAX_INFOSETS = 200_000  # Above this the differences are not listed
SHOWN = 8

Difference = tuple[float, int, str, dict[str, float], dict[str, float]]
"""How much of the mixture differs, player, infoset, and both mixtures."""


def differences(one: AnyStrategy, other: AnyStrategy, most: int = SHOWN) -> list[Difference]:
    """The infosets where two strategies differ most: half the sum of absolute differences."""

    def every() -> list[Difference]:
        found = []
        for player, infoset, mine in one.entries():
            theirs = other.lookup(player, infoset) or {}
            gap = sum(abs(chance - theirs.get(a, 0.0)) for a, chance in mine.items()) / 2
            found.append((gap, player, infoset, mine, theirs))
        return found

    return heapq.nlargest(most, every(), key=lambda each: each[0])


def comparison(game: Game, one: AnyStrategy, other: AnyStrategy) -> Markup:
    """What each seat gets in every seating, and the infosets that differ most."""
    seatings = [("this one in all seats", [one] * game.num_players)]
    if game.num_players == 2:
        seatings = [
            ("this one first", [one, other]),
            ("the other first", [other, one]),
            ("this one against itself", [one, one]),
            ("the other against itself", [other, other]),
        ]
    else:
        seatings += [
            (f"the other in seat {p + 1}", [other if p == q else one for q in range(len(seats))])
            for seats in [[one] * game.num_players]
            for p in range(game.num_players)
        ]
    rows = []
    for words, seats in seatings:
        cells = [tag("td", signed(value, 6), cls="r") for value in exact_value(game, seats)]
        rows.append(tag("tr", tag("td", words), cells))
    heads = [tag("th", f"seat {p + 1}", cls="r") for p in range(game.num_players)]
    table = tag("table", tag("tr", tag("th", ""), heads), rows, cls="plain")
    found = join(tag("div", table, cls="scroll-x"), _where(game, one, other))
    return tag("div", found, cls="options")


def _where(game: Game, one: AnyStrategy, other: AnyStrategy) -> Markup:
    if len(one) > MAX_INFOSETS:
        return Markup("")
    rows = []
    for gap, player, infoset, mine, theirs in differences(one, other):
        if gap < 5e-4:
            break
        rows.append(
            tag(
                "tr",
                tag("td", str(player + 1)),
                tag("td", tag("b", infoset)),
                tag("td", _mixture(game, mine)),
                tag("td", _mixture(game, theirs)),
                tag("td", f"{gap:.1%}", cls="r"),
            )
        )
    if not rows:
        return tag("p", "They play alike everywhere, to a twentieth of a per cent.", cls="muted")
    heads = [tag("th", text) for text in ("Player", "Infoset", "this one", "the other")]
    heads.append(tag("th", "differs", cls="r"))
    table = tag("table", tag("tr", heads), rows, cls="plain")
    title = tag("h3", "Where they differ most")
    return tag("div", title, tag("div", table, cls="scroll-x"), cls="options")


def _mixture(game: Game, chances: dict[str, float]) -> str:
    order = sorted(chances, key=lambda action: -chances[action])
    return ", ".join(f"{game.action_label(a)} {chances[a]:.0%}" for a in order[:4])


VALUES_UP_TO = 40_000  # Infosets up to which each move's value is worked out
KINDS = ("strategy", "public-strategy")
MAX_POINTS = 2_000  # Points of the tree that a page remembers

Loaded = tuple[AnyStrategy, Game, Coach | None, Regrets | None]


@lru_cache(maxsize=6)
def _loaded(path: str, changed: float) -> Loaded:
    """A file's strategy, for small games the values of its moves, and its solver's regrets."""
    strategy = load(path)
    game = make_game(strategy.game, strategy.parameters)
    coach: Coach | None = None
    regrets = None
    if isinstance(strategy, Strategy) and len(strategy) <= VALUES_UP_TO:
        coach = TreeCoach(strategy, build_tree(game))
        regrets = read_regrets(path)
    elif isinstance(strategy, PublicStrategy):
        coach = PublicCoach(strategy) if has_shapes(game) else None
        regrets = read_regrets(path)
    return strategy, game, coach, regrets


def register(site: Site) -> None:
    """Put the pages at their addresses."""

    @ui.page("/solve/strategy/{name}")
    def saved(name: str, node: str = "", hand: str = "") -> None:
        show(name, lambda: site.library.path(name), f"/solve/strategy/{quote(name)}", node, hand)

    @ui.page("/solve/run/{name}/{number}")
    def solved(name: str, number: int, node: str = "", hand: str = "") -> None:
        found = site.solve_runs.find(name)
        known = found is not None and 0 <= number < len(found.parts)
        title = "The solution"
        if found is not None and known:
            game = game_class(found.order.game).title.partition(",")[0].partition(" (")[0]
            title = f"{game} by {found.parts[number].name}"

        def path() -> Path:
            if found is None or not known:
                raise UsageError("There is no such run.")
            return found.path(number)

        show(title, path, f"/solve/run/{name}/{number}", node, hand)

    def show(title: str, path: Any, address: str, node: str, hand: str) -> None:
        with page("Strategy", "/solve"):
            heading(title)
            try:
                file = path()
                if not file.is_file():
                    raise UsageError("There is no such file.")
            except RiverboatError as error:
                Picture(error_note(error))
                return
            ui.timer(0, StrategyPage(site, file, address, node, hand).open, once=True)


class StrategyPage:
    """The page of one visitor at one strategy."""

    def __init__(self, site: Site, path: Path, address: str, node: str, hand: str) -> None:
        self.site, self.path, self.address = site, path, address
        self.history: tuple[Action, ...] = tuple(step for step in node.split(" ") if step)
        self.opened = {self.history[:i] for i in range(len(self.history) + 1)}
        self.picked, self.kind = hand, "value"
        self.points: dict[tuple[Action, ...], PublicPoint | None] = {}
        self.other: tuple[str, AnyStrategy] | None = None
        with panel():
            self.facts = Picture(tag("p", "reading …", cls="muted"))
            with ui.element("div").classes("line-up"):
                if path.parent != site.library.folder:
                    button("Save", self._save, icon="save")
                button("JSON", lambda: self._export("json"), icon="download")
                button("CSV", lambda: self._export("csv"), icon="download")
        with ui.element("div").classes("columns side"):
            with panel("The public tree", "▸ opens a branch; the bar is how often it is taken."):
                self.tree = Picture(on_pick=self._pick, cls="tree-box")
            with ui.element("div").classes("stack"):
                with panel():
                    self.crumbs = Picture(on_pick=self._pick)
                    self.switch = Picture(on_pick=self._figures)
                    self.table = Picture(on_pick=self._hand)
                    self.detail = Picture(live=True)
                with panel("Compare", "What each seat gets when two strategies meet, exactly."):
                    self._compare_form()

    def _compare_form(self) -> None:
        names = {
            str(self.site.library.folder / f.name): f"{f.name} (saved)"
            for f in self.site.library.files()
            if f.kind in KINDS
        }
        if self.path.parent != self.site.library.folder:
            found = self.site.solve_runs.find(self.path.parent.name)
            for number, part in enumerate(found.parts if found else []):
                if found and part.state == "done" and found.path(number) != self.path:
                    names = {str(found.path(number)): f"{part.name} (this run)"} | names
        if not names:
            Picture(tag("p", "Save a second strategy of this game first.", cls="muted"))
            return
        self.names = names
        with ui.element("div").classes("line-up"):
            self.against = ui.select(names, label="With", value=next(iter(names)))
            self.against.props("outlined dense options-dense").style("max-width: 320px")
            button("Compare", self._compare)
        self.comparison = Picture(on_pick=self._pick, live=True)

    async def open(self) -> None:
        try:
            found: Any = await in_thread(_loaded, str(self.path), self.path.stat().st_mtime)
        except RiverboatError as error:
            self.facts.show(error_note(error))
            return
        self.strategy, self.game, self.coach, self.regrets = found
        self.facts.show(tag("p", self.strategy.describe()))
        await self._show()

    def _point(self, history: tuple[Action, ...]) -> PublicPoint | None:
        if history not in self.points:
            if len(self.points) > MAX_POINTS:
                self.points.clear()
            self.points[history] = public_point(self.game, self.strategy, history)
        return self.points[history]

    async def _pick(self, text: str) -> None:
        kind, _, step = text.partition(":")
        path = tuple(part for part in step.split(" ") if part)
        if kind == "open":
            self.opened ^= {path}
        elif kind == "to" and step.isdecimal():
            self.history = self.history[: int(step)]
        elif kind == "at":
            self.history = path
        elif kind == "go":
            self.history = (*self.history, step)
        if kind != "open":
            self.opened |= {self.history[:i] for i in range(len(self.history) + 1)}
        await self._show()

    async def _figures(self, text: str) -> None:
        kind = text.partition("=")[2]
        if kind in FIGURES:
            self.kind = kind
            await self._show()

    async def _hand(self, text: str) -> None:
        point, number = self._point(self.history), text.partition(":")[2]
        if point is not None and number.isdecimal() and int(number) < len(point.rows):
            infoset = point.rows[int(number)].infoset
            self.picked = "" if infoset == self.picked else infoset
            await self._show()

    async def _show(self) -> None:
        drawn: Any = await in_thread(self._draw)
        tree, breadcrumb, table, detail = drawn
        self.tree.show(tree)
        self.crumbs.show(breadcrumb)
        choices = list(FIGURES.items()) if self.regrets else [("value", "values")]
        shown = segments("figure", choices, self.kind, "Next to the share of each move")
        self.switch.show(shown if self.coach is not None or self.regrets else Markup(""))
        self.table.show(table)
        self.detail.show(detail)
        query = f"?node={quote(' '.join(self.history))}" if self.history else ""
        if self.picked and detail:
            query += f"{'&' if query else '?'}hand={quote(self.picked)}"
        ui.navigate.history.replace(self.address + query)

    def _draw(self) -> tuple[Markup, Markup, Markup, Markup]:
        """Everything that depends on the current node; computed off the event loop."""
        point = self._point(self.history)
        if point is None:
            self.history = ()
            point = self._point(())
        assert point is not None
        infosets = [self._infoset(row, point) for row in point.rows]
        names = ("this one", self.other[0] if self.other else "")
        table = hand_table(point, infosets, self.kind, self.picked, names)
        chosen = next((each for each in infosets if each.row.infoset == self.picked), None)
        detail = infoset_picture(chosen, point) if chosen else Markup("")
        tree = tree_picture(self.game, self._point, self.opened, self.history)
        return tree, crumbs(point), table, detail

    def _infoset(self, row: HandRow, point: PublicPoint) -> Infoset:
        values: dict[str, float] = {}
        if self.coach is not None:
            actions = [action for action, _ in point.choices]
            values = self.coach.advise(View(self.game, point.actor, row.infoset, actions)).values
        regrets = self.regrets.lookup(point.actor, row.infoset) if self.regrets else {}
        other = None
        if self.other is not None:
            other = self.other[1].lookup(point.actor, row.infoset)
        iterations = self.regrets.iterations if self.regrets else 0
        return Infoset(row, values, regrets, iterations, other)

    async def _save(self) -> None:
        """The whole file, so that what was saved can be resumed and shows its regrets."""
        path = await ask_name(self.site.library, self.strategy.game)
        if path is not None:
            atomic_write(path, self.path.read_bytes())
            ui.notify(f"Saved as {path.name}.", type="positive")

    async def _export(self, kind: str) -> None:
        try:
            text: Any = await in_thread(to_json if kind == "json" else to_csv, self.strategy)
        except RiverboatError as error:
            ui.notify(str(error), type="negative")
            return
        ui.download.content(text.encode(), f"{self.strategy.game}.{kind}")

    async def _compare(self) -> None:
        path = str(self.against.value)
        if path not in self.names:
            return
        try:
            found: Any = await in_thread(_loaded, path, Path(path).stat().st_mtime)
            other: AnyStrategy = found[0]
            self._same_game(self.names[path], other)
            shown: Any = await in_thread(comparison, self.game, self.strategy, other)
        except RiverboatError as error:
            self.comparison.show(error_note(error))
            return
        except OSError:
            self.comparison.show(error_note("That file is not there any more."))
            return
        self.other = (self.names[path], other)
        self.comparison.show(shown)
        await self._show()

    def _same_game(self, name: str, other: AnyStrategy) -> None:
        mine = (self.strategy.game, dict(self.strategy.parameters))
        if (other.game, dict(other.parameters)) != mine:
            raise UsageError(f"{name} is for {other.title}, this one for {self.strategy.title}.")
