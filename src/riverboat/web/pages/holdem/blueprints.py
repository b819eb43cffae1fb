"""Blueprints: a decision as a grid, each seat's opening, and the measured strength."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from riverboat.errors import RiverboatError
from riverboat.web.api.blueprints import (
    SHIPPED,
    BlueprintAnswer,
    blueprint_file,
    decision,
    figures,
    find_decision,
    loaded,
    measure,
    measured,
    names,
)
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.pages.holdem.class_grid import GridCell, action_cells
from riverboat.web.site import AskedSite

router = APIRouter()
ADDRESS = "/holdem/blueprints"


@dataclass(frozen=True)
class View:
    """A decision with its grid."""

    answer: BlueprintAnswer
    cells: list[GridCell]


@dataclass(frozen=True)
class Opening:
    """What a seat does when all before it have folded."""

    path: str
    seat: str
    plays: float
    cells: list[GridCell]


def decision_view(file: Path, changed: int, path: str, board: str) -> View:
    """A decision as the page draws it."""
    grid = find_decision(file, changed, path, board).grid
    return View(decision(file, changed, path, board), action_cells(grid))


def openings_view(file: Path, changed: int) -> list[Opening]:
    """A small grid for each seat; with two players the first decision is the only one."""
    from riverboat.holdem.blueprints.walk import openings

    blueprint = loaded(str(file), changed)
    if blueprint.rules.players < 3:
        return []
    found = []
    for path, at in openings(blueprint):
        grid = at.grid
        pairs = zip(grid.labels, grid.totals.values(), strict=True)
        folds = sum(share for words, share in pairs if words == "fold")
        found.append(Opening(path, at.seat.capitalize(), 1 - folds, action_cells(grid)))
    return found


@router.get("/holdem/blueprints")
def blueprints_page(
    request: Request, site: AskedSite, name: str = SHIPPED, path: str = "", board: str = ""
) -> HTMLResponse:
    """Show a decision of a blueprint."""
    known, problems = names(site.library), dict[str, str]()
    path, board = path[:400], board[:60]
    if name not in known:
        problems["name"] = f"There is no blueprint {name[:60]!r} in the library."
        name = SHIPPED
    file = blueprint_file(site.library, name)
    changed = file.stat().st_mtime_ns
    view, openings = None, None
    try:
        view = site.answers.ask(decision_view, file, changed, path, board)
        if view is not None:
            openings = site.answers.ask(openings_view, file, changed)
    except RiverboatError as error:
        problems |= by_field(error)
    run = measured(site, file)

    def address(**changes: str) -> str:
        query = {"name": name, "path": path, "board": board} | changes
        kept = {k: v for k, v in query.items() if v and (k, v) != ("name", SHIPPED)}
        return f"{ADDRESS}?{urlencode(kept)}" if kept else ADDRESS

    return render(
        request,
        "holdem/blueprints.html",
        422 if problems else 200,
        title="Blueprints",
        place="/holdem",
        tab=ADDRESS,
        names=known,
        chosen=name,
        path=path,
        board=board,
        address=address,
        view=view,
        openings=openings,
        problems=problems,
        run=run,
        figures=figures(run) if run else [],
        waiting=not problems and (view is None or openings is None or bool(run and run.running)),
    )


@router.post("/holdem/blueprints/measure")
def measure_blueprint(
    site: AskedSite, name: Annotated[str, Form(max_length=200)] = SHIPPED
) -> RedirectResponse:
    """Begin to measure a blueprint's strength."""
    measure(site, blueprint_file(site.library, name))
    query = f"?{urlencode({'name': name})}" if name != SHIPPED else ""
    return RedirectResponse(f"{ADDRESS}{query}", 303)
