"""Hold'em spots: set one up, solve it with progress, walk through the solution, and drill it."""

from __future__ import annotations

from fastapi.responses import RedirectResponse
from nicegui import app, run, ui

from riverboat.cards.card import card_text
from riverboat.errors import RiverboatError
from riverboat.holdem.spots.spot import Spot
from riverboat.web.card_pictures import cards
from riverboat.web.holdem_drill import DrillView
from riverboat.web.holdem_explorer import SpotExplorer
from riverboat.web.holdem_frame import holdem_tabs
from riverboat.web.holdem_spot_editor import SpotEditor
from riverboat.web.holdem_spot_work import SpotRun, SpotRuns
from riverboat.web.markup import Markup, Picture, tag
from riverboat.web.page_frame import error_note, heading, page, panel
from riverboat.web.website import Site

__all__ = ["register"]

GONE = "There is no such spot; it was not kept or never begun."


def register(site: Site) -> None:
    """Put the pages at their addresses."""
    runs = SpotRuns(site.settings.folder / ".web" / "spots")
    app.on_shutdown(runs.end)

    @ui.page("/holdem/spots")
    async def editor(copy: str = "", file: str = "") -> RedirectResponse | None:
        refused, given = "", None
        if file:
            try:
                given = await run.io_bound(_opened, site, runs, file[:120])
            except (RiverboatError, OSError, KeyError, TypeError) as error:
                known = isinstance(error, RiverboatError)
                refused = str(error) if known else f"{file[:60]} cannot be read as a spot."
        if isinstance(given, SpotRun):
            return RedirectResponse(f"/holdem/spots/{given.name}")
        with page("Hold'em", "/holdem"):
            heading("Spots", "A board, two ranges, a pot and bet sizes: solved hand by hand.")
            holdem_tabs("/holdem/spots")
            if refused:
                Picture(error_note(refused))
            recent = runs.recent()
            if recent:
                with panel("Solved before"):
                    Picture(_recent(recent))
            SpotEditor(runs, runs.find(copy) if copy else None, given)
        return None

    @ui.page("/holdem/spots/{name}")
    def explorer(name: str, node: str = "r:0") -> None:
        found = runs.find(name)
        with page("Hold'em", "/holdem"):
            heading(_title(found))
            holdem_tabs("/holdem/spots")
            if found is None:
                Picture(error_note(GONE))
            else:
                SpotExplorer(site, runs, found, node[:300])

    @ui.page("/holdem/spots/{name}/drill")
    def drill(name: str, side: str = "oop") -> None:
        found = runs.find(name)
        with page("Hold'em", "/holdem"):
            heading("Drill", "Play the spot against its solution; what you miss comes again.")
            holdem_tabs("/holdem/spots")
            if found is None:
                Picture(error_note(GONE))
            else:
                DrillView(found, side)


def _opened(site: Site, runs: SpotRuns, name: str) -> SpotRun | Spot:
    """A file of the library: a solved spot, or one to be solved."""
    path = site.library.path(name)
    return Spot.load(path) if path.suffix == ".toml" else runs.adopt(path)


def _title(found: SpotRun | None) -> str:
    return "A spot" if found is None else f"Spot {_board_text(found)}".strip()


def _board_text(spot: SpotRun) -> str:
    return " ".join(_board(spot))


def _board(spot: SpotRun) -> list[str]:
    try:
        return [card_text(c) for c in Spot.from_toml(spot.toml).board]
    except RiverboatError:
        return []


def _recent(recent: list[SpotRun]) -> Markup:
    """The spots solved last, as cards to click."""
    shown = []
    for each in recent[:8]:
        value = each.facts.get("exploitability_pct")
        if value is not None:
            words = f"{value:.2f} % exploitable"
        else:
            words = "being solved" if each.running else "not finished"
        locked = tag("span", "locked", cls="badge") if each.locks else None
        shown.append(
            tag(
                "a",
                cards(_board(each), cls="tiny-cards"),
                tag("span", words, cls="muted small"),
                locked,
                href=f"/holdem/spots/{each.name}",
                cls="table-card",
                aria_label=f"Spot {_board_text(each)}, {words}",
            )
        )
    return tag("div", shown, cls="table-cards")
