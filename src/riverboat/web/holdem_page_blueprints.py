"""Blueprints: what a trained strategy does with each hand, decision by decision."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from nicegui import app, run, ui

from riverboat.errors import RiverboatError
from riverboat.holdem.blueprint_walk import Decision, look, openings
from riverboat.holdem.range_grid import RangeGrid
from riverboat.holdem.shipped_blueprint import blueprint_path
from riverboat.web.holdem_frame import holdem_tabs
from riverboat.web.holdem_range_editor import class_grid
from riverboat.web.holdem_spot_views import action_colours
from riverboat.web.holdem_strength import StrengthPanel, StrengthRuns
from riverboat.web.markup import Markup, Picture, tag
from riverboat.web.page_frame import error_note, heading, legend, page, panel
from riverboat.web.play_session import load_blueprint
from riverboat.web.website import Site

__all__ = ["register"]

SHIPPED = "shipped"


def register(site: Site) -> None:
    """Put the page at its address."""
    runs = StrengthRuns(site.settings.folder / ".web" / "strength")
    app.on_shutdown(runs.end)

    @ui.page("/holdem/blueprints")
    def blueprints(name: str = SHIPPED, path: str = "", board: str = "") -> None:
        with page("Hold'em", "/holdem"):
            heading("Blueprints", "A strategy for the whole game: every seat, every hand.")
            holdem_tabs("/holdem/blueprints")
            BlueprintPage(site, runs, name[:120], path[:200], board[:40])


class BlueprintPage:
    """A decision of a blueprint and the way on."""

    def __init__(self, site: Site, runs: StrengthRuns, name: str, path: str, board: str) -> None:
        self.site, self.runs = site, runs
        self.name, self.path, self.board_text = name, path, board
        saved = [f.name for f in site.library.files() if f.kind == "blueprint"]
        names = {SHIPPED: "the one that comes with Riverboat"} | {n: n for n in saved}
        if name not in names:
            self.name = SHIPPED
        with panel():
            with ui.element("div").classes("line-up"):
                self.choice = ui.select(names, label="Blueprint", value=self.name)
                self.choice.props("outlined dense options-dense").style("max-width: 320px")
                self.choice.on_value_change(self._other)
                self.board = ui.input("Board, where one is dealt", value=board)
                self.board.props("outlined dense").style("max-width: 260px")
                self.board.on("change", self._dealt)
            self.way = Picture(tag("p", "reading …", cls="muted"), on_pick=self._pick)
        with ui.element("div").classes("columns wide-side"):
            with panel():
                self.grid = Picture(live=True)
            self.strength = StrengthPanel(runs)
        with panel("Opening by position", "When everybody before has folded.") as self.seats_panel:
            self.seats = Picture(on_pick=self._pick)
        self.seats_panel.set_visibility(False)
        self.shown_seats = ""
        ui.timer(0, self._show, once=True)

    async def _other(self) -> None:
        self.name, self.path = str(self.choice.value), ""
        await self._show()

    async def _dealt(self) -> None:
        self.board_text = str(self.board.value or "")[:40]
        await self._show()

    async def _pick(self, text: str) -> None:
        kind, _, path = text.partition(":")
        if kind == "path":
            self.path = path
            await self._show()

    @property
    def file(self) -> str:
        return SHIPPED if self.name == SHIPPED else str(self.site.library.path(self.name))

    def _look(self) -> Decision:
        return look(load_blueprint(self.file), self.path, self.board_text)

    def _openings(self) -> list[tuple[str, str, RangeGrid]]:
        return [(path, at.seat, at.grid) for path, at in openings(load_blueprint(self.file))]

    async def _show(self) -> None:
        query = {"name": self.name, "path": self.path, "board": self.board_text}
        shown = urlencode({k: v for k, v in query.items() if v})
        ui.navigate.history.replace(f"/holdem/blueprints?{shown}")
        self.strength.show(self.runs.of(self.name, blueprint_path(self.file)))
        try:
            found: Any = await run.io_bound(self._look)
            grid: Any = await run.io_bound(lambda: found.grid)
        except RiverboatError as error:
            self.way.show(_back(error))
            self.grid.show(Markup(""))
            self.seats_panel.set_visibility(False)
            return
        self.way.show(_way(found, self.path))
        self.grid.show(_grid(grid))
        await self._show_seats(found.blueprint.rules.players)

    async def _show_seats(self, players: int) -> None:
        """One small grid for each seat; two players have the one above."""
        self.seats_panel.set_visibility(players > 2)
        if players > 2 and self.shown_seats != self.name:
            self.shown_seats = self.name
            found: Any = await run.io_bound(self._openings)
            self.seats.show(_seats(found))


def _back(error: RiverboatError) -> Markup:
    start = tag("button", "start", type="button", cls="btn", data_pick="path:")
    return tag("div", error_note(error), tag("div", start, cls="moves"), cls="options")


def _way(found: Decision, path: str) -> Markup:
    following = found.next_paths()
    colours = dict(zip(found.actions, action_colours(found.labels), strict=True))
    buttons = [
        tag(
            "button",
            tag("i", cls="dot", style=f"background:{colours[action]}"),
            words,
            type="button",
            cls="btn",
            data_pick=f"path:{following[action]}",
        )
        for action, words in zip(found.actions, found.labels, strict=True)
        if action in following
    ]
    start = tag("button", "start", type="button", cls="btn", data_pick="path:") if path else None
    return tag(
        "div", tag("h2", found.title), tag("div", start, buttons, cls="moves"), cls="options"
    )


def _seats(found: list[tuple[str, str, RangeGrid]]) -> Markup:
    """A small grid for each seat; a click goes there."""
    shown = []
    for path, seat, grid in found:
        folds = sum(
            t for a, t in zip(grid.labels, grid.totals.values(), strict=True) if a == "fold"
        )
        words = f"plays {1 - folds:.1%}"
        shown.append(
            tag(
                "button",
                tag("b", seat.capitalize()),
                tag("span", words, cls="muted small"),
                _cells(grid, "small-grid"),
                type="button",
                cls="table-card seat-card",
                data_pick=f"path:{path}",
                aria_label=f"{seat}, {words}",
            )
        )
    return tag("div", shown, cls="seat-cards")


def _grid(grid: RangeGrid) -> Markup:
    colours, totals = action_colours(grid.labels), list(grid.totals.values())
    key = legend(
        [(c, f"{a} {100 * t:.1f} %") for c, a, t in zip(colours, grid.labels, totals, strict=True)]
    )
    return tag("div", _cells(grid, "mixed"), tag("div", key, cls="legend-gap"))


def _cells(grid: RangeGrid, cls: str) -> Markup:
    colours = action_colours(grid.labels)

    def cell(name: str, row: int, column: int) -> Markup:
        number = 13 * row + column
        shares, reach = grid.chances[number].tolist(), float(grid.reach[number])
        if not any(shares) or reach <= 1e-6:
            return tag("span", name, cls="none")
        stops, start = [], 0.0
        for colour, share in zip(colours, shares, strict=True):
            stops.append(f"{colour} {100 * start:.1f}% {100 * (start + share):.1f}%")
            start += share
        style = (
            f"background:linear-gradient(to right,{','.join(stops)}) bottom/100%"
            f" {100 * min(1.0, reach):.0f}% no-repeat,var(--sunken)"
        )
        words = ", ".join(f"{a} {s:.0%}" for a, s in zip(grid.labels, shares, strict=True))
        return tag("span", name, style=style, title=f"{name}: {words}", cls="mix-cell")

    return class_grid(cell, "The strategy", cls)
