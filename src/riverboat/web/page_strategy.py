"""A strategy to walk through: every hand at every public point, compared, saved, exported."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from nicegui import run, ui

from riverboat.errors import RiverboatError, UsageError
from riverboat.evaluation.head_to_head import exact_value
from riverboat.games.base import CHANCE, TERMINAL, Game
from riverboat.games.registry import make_game
from riverboat.players.coach import TreeCoach
from riverboat.players.player import View
from riverboat.strategies.any_strategy import AnyStrategy
from riverboat.strategies.export import to_csv, to_json
from riverboat.strategies.kinds import load
from riverboat.strategies.strategy import Strategy
from riverboat.trees.game_tree import build_tree
from riverboat.web.charts_options import COLOURS
from riverboat.web.markup import Markup, Picture, join, signed, tag
from riverboat.web.page_frame import button, error_note, heading, legend, page, panel
from riverboat.web.tree_walk import HandRow, PublicPoint, public_point
from riverboat.web.website import Site

__all__ = ["register"]

VALUES_UP_TO = 40_000
"""Infosets up to which each move's value is worked out."""
KINDS = ("strategy", "checkpoint", "public-strategy")


@lru_cache(maxsize=6)
def _loaded(path: str, changed: float) -> tuple[AnyStrategy, Game, TreeCoach | None]:
    """A file's strategy and, for small games, the values of its moves."""
    strategy = load(path)
    game = make_game(strategy.game, strategy.parameters)
    coach = None
    if isinstance(strategy, Strategy) and len(strategy) <= VALUES_UP_TO:
        coach = TreeCoach(strategy, build_tree(game))
    return strategy, game, coach


def register(site: Site) -> None:
    """Put the pages at their addresses."""

    @ui.page("/solve/strategy/{name}")
    def saved(name: str, node: str = "") -> None:
        show(name, lambda: site.library.path(name), f"/solve/strategy/{name}", node)

    @ui.page("/solve/run/{name}/{number}")
    def solved(name: str, number: int, node: str = "") -> None:
        def path() -> Path:
            run = site.solve_runs.find(name)
            if run is None or not 0 <= number < len(run.parts):
                raise UsageError("There is no such run.")
            return run.path(number)

        show("The solution", path, f"/solve/run/{name}/{number}", node)

    def show(title: str, path: Any, address: str, node: str) -> None:
        with page("Strategy", "/solve"):
            heading(title)
            try:
                file = path()
                if not file.is_file():
                    raise UsageError("There is no such file.")
            except RiverboatError as error:
                Picture(error_note(error))
                return
            ui.timer(0, StrategyPage(site, file, address, node).open, once=True)


class StrategyPage:
    """The page of one visitor at one strategy."""

    def __init__(self, site: Site, path: Path, address: str, node: str) -> None:
        self.site, self.path, self.address = site, path, address
        self.way = [step for step in node[:400].split(" ") if step]
        with panel():
            self.facts = Picture(tag("p", "reading …", cls="muted"))
            with ui.element("div").classes("line-up"):
                if path.parent != site.library.folder:
                    button("Save", self._save, icon="save")
                button("JSON", lambda: self._export("json"), icon="download")
                button("CSV", lambda: self._export("csv"), icon="download")
        with panel(
            "The public tree", "Follow the moves; the table shows every hand at that point."
        ):
            self.crumbs = Picture(on_pick=self._pick)
            self.table = Picture()
        with panel("Compare", "What each seat gets when two strategies meet, exactly."):
            self._compare_form()

    def _compare_form(self) -> None:
        names = [f.name for f in self.site.library.files() if f.kind in KINDS]
        if not names:
            Picture(tag("p", "Save a second strategy of this game first.", cls="muted"))
            return
        with ui.element("div").classes("line-up"):
            self.other = ui.select(names, label="With", value=names[0])
            self.other.props("outlined dense options-dense").style("max-width: 320px")
            button("Compare", self._compare)
        self.comparison = Picture(live=True)

    async def open(self) -> None:
        try:
            found: Any = await run.io_bound(_loaded, str(self.path), self.path.stat().st_mtime)
        except RiverboatError as error:
            self.facts.show(error_note(error))
            return
        self.strategy, self.game, self.coach = found
        self.facts.show(tag("p", self.strategy.describe()))
        self._show()

    def _pick(self, text: str) -> None:
        kind, _, step = text.partition(":")
        if kind == "to" and step.isdigit():
            self.way = self.way[: int(step)]
        elif kind == "go":
            self.way.append(step)
        self._show()
        way = "%20".join(self.way)
        ui.navigate.history.replace(f"{self.address}?node={way}" if way else self.address)

    def _show(self) -> None:
        point = public_point(self.game, self.strategy, self.way)
        if point is None:
            self.way = []
            point = public_point(self.game, self.strategy, [])
        assert point is not None
        self.crumbs.show(_crumbs(point))
        self.table.show(self._rows(point))

    def _rows(self, point: PublicPoint) -> Markup:
        if point.actor == TERMINAL:
            return tag("p", "The hand is over here.", cls="muted")
        if point.actor == CHANCE:
            return tag("p", "Chance deals a card that everybody sees: choose one.", cls="muted")
        colours = {a: COLOURS[i % len(COLOURS)] for i, (a, _) in enumerate(point.choices)}
        heads = [tag("th", "Hand"), tag("th", f"Player {point.actor + 1} does", cls="wide")]
        heads += [tag("th", words, cls="r") for _, words in point.choices]
        body = [self._row(row, point, colours) for row in point.rows]
        table = tag("table", tag("tr", heads), body, cls="plain")
        key = legend([(colours[a], words) for a, words in point.choices])
        return join(tag("div", table, cls="scroll-x"), key)

    def _row(self, row: HandRow, point: PublicPoint, colours: dict[str, str]) -> Markup:
        worth: dict[str, float] = {}
        if self.coach is not None:
            actions = [action for action, _ in point.choices]
            worth = self.coach.advise(View(self.game, point.actor, row.infoset, actions)).worth
        shares = [
            tag("i", style=f"width:{100 * row.chances.get(a, 0):.2f}%;background:{colours[a]}")
            for a, _ in point.choices
        ]
        cells = []
        for action, _ in point.choices:
            value = (
                tag("span", signed(worth[action], 3), cls="muted small") if action in worth else ""
            )
            cells.append(tag("td", f"{row.chances.get(action, 0):.1%} ", value, cls="r"))
        hand = tag("td", tag("b", row.hand or "–"))
        return tag("tr", hand, tag("td", tag("div", shares, cls="shares")), cells)

    def _save(self) -> None:
        name = self.site.library.free_name(self.strategy.game)
        self.strategy.save(self.site.library.path(name))
        ui.notify(f"Saved as {name}.", type="positive")

    async def _export(self, kind: str) -> None:
        try:
            text: Any = await run.io_bound(to_json if kind == "json" else to_csv, self.strategy)
        except RiverboatError as error:
            ui.notify(str(error), type="negative")
            return
        ui.download.content(text.encode(), f"{self.strategy.game}.{kind}")

    async def _compare(self) -> None:
        try:
            rows: Any = await run.io_bound(self._meet, str(self.other.value))
            self.comparison.show(rows)
        except RiverboatError as error:
            self.comparison.show(error_note(error))

    def _meet(self, name: str) -> Markup:
        path = self.site.library.path(name)
        other, _, _ = _loaded(str(path), path.stat().st_mtime)
        if (other.game, dict(other.parameters)) != (
            self.strategy.game,
            dict(self.strategy.parameters),
        ):
            raise UsageError(f"{name} is for {other.title}, this one for {self.strategy.title}.")
        rows = []
        pairs = [
            ("this one first", [self.strategy, other]),
            ("the other first", [other, self.strategy]),
        ]
        for words, seats in pairs:
            values = exact_value(self.game, seats)
            cells = [tag("td", signed(value, 6), cls="r") for value in values]
            rows.append(tag("tr", tag("td", words), cells))
        head = tag(
            "tr", tag("th", ""), tag("th", "first seat", cls="r"), tag("th", "second seat", cls="r")
        )
        return tag("table", head, rows, cls="plain")


def _crumbs(point: PublicPoint) -> Markup:
    steps = [tag("button", "start", type="button", data_pick="to:0")]
    steps += [
        tag("button", words, type="button", data_pick=f"to:{i + 1}")
        for i, words in enumerate(point.words)
    ]
    following = [
        tag("button", words, type="button", cls="btn", data_pick=f"go:{action}")
        for action, words in point.choices
    ]
    return tag(
        "div",
        tag("div", steps, cls="segments crumbs", role="group", aria_label="The way here"),
        tag("div", following, cls="moves"),
        cls="options",
    )
