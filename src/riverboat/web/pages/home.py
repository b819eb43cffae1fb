"""Home: ways to play, solve, study and learn; what runs, where one left, and what was saved."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from riverboat.errors import RiverboatError
from riverboat.games.registry import game_class
from riverboat.web.api.library import page_of, rename
from riverboat.web.app.game_cards import game_cards
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.site import AskedSite, Site

router = APIRouter()
NUM_RECENT = 6

WAYS = (
    (
        "play",
        "Play",
        "Sit down at a game against the equilibrium, your own strategy or other people.",
        (("Hold'em", "/play/holdem"), ("Blackjack", "/play/blackjack"), ("Leduc", "/play/leduc")),
    ),
    (
        "solve",
        "Solve",
        "Watch algorithms close in on an equilibrium, then walk through the solution.",
        (
            ("A game", "/solve"),
            ("A hold'em spot", "/holdem/spots"),
            ("All-in or fold", "/holdem/preflop"),
        ),
    ),
    (
        "grid",
        "Study",
        "Exact numbers: equities, charts before the flop, the value of every blackjack hand.",
        (
            ("Equity", "/holdem/equity"),
            ("Blackjack chart", "/blackjack"),
            ("Blueprints", "/holdem/blueprints"),
            ("Studies", "/studies"),
        ),
    ),
    (
        "learn",
        "Learn",
        "Read how it works, practise decisions with their exact cost, or watch methods learn.",
        (
            ("Twelve lessons", "/learn"),
            ("Blackjack", "/blackjack/train"),
            ("Learning curves", "/twentyone/learning"),
            ("Tournaments", "/twentyone"),
        ),
    ),
)
"""Icon, name, sentence and first steps of what can be done here."""


@dataclass(frozen=True)
class Recent:
    """Something to go on with."""

    title: str
    kind: str
    address: str
    changed: datetime
    state: str = ""


@router.get("/")
def home(request: Request, site: AskedSite) -> HTMLResponse:
    """Show the first page."""
    return _page(request, site)


def _page(
    request: Request, site: Site, status: int = 200, editing: str = "", **typed: Any
) -> HTMLResponse:
    files = site.library.files()
    return render(
        request,
        "home.html",
        status,
        title="Riverboat",
        place="/",
        ways=WAYS,
        games=game_cards(),
        recent=recent_work(site),
        files=[(saved, page_of(saved)) for saved in files],
        folder=site.library.folder,
        editing=editing,
        typed=typed,
    )


@router.post("/library/{name}/rename", response_model=None)
def rename_file(
    request: Request, name: str, site: AskedSite, new: Annotated[str, Form(alias="name")] = ""
) -> Response:
    """Give a file another name."""
    try:
        rename(site.library, name, new)
    except RiverboatError as error:
        return _page(request, site, 422, name, name=new, problems=by_field(error))
    return RedirectResponse("/#saved", 303)


@router.post("/library/{name}/delete", response_model=None)
def delete_file(request: Request, name: str, site: AskedSite) -> Response:
    """Delete a file; the form asks first."""
    try:
        site.library.delete(name)
    except RiverboatError as error:
        return _page(request, site, 422, name, problems=by_field(error))
    return RedirectResponse("/#saved", 303)


def recent_work(site: Site) -> list[Recent]:
    """The newest jobs and sittings, the newest first; what runs now stands at the top."""
    works = [
        Recent(
            job.order.title,
            "solving" if job.running else "solved",
            address,
            datetime.fromtimestamp(job.changed),
            "running" if job.running else "",
        )
        for address, job in site.recent_jobs(NUM_RECENT)
    ]
    works += recent_sittings(site.settings.folder / ".web" / "sittings")
    works.sort(key=lambda work: (work.state == "running", work.changed), reverse=True)
    return works[:NUM_RECENT]


def recent_sittings(folder: Path, count: int = NUM_RECENT) -> list[Recent]:
    """The newest sittings at a table in which something was played."""
    if not folder.is_dir():
        return []
    sittings = []
    newest = sorted(folder.glob("*.json"), key=lambda path: -path.stat().st_mtime)
    for path in newest[: 2 * count]:
        try:
            kept = json.loads(path.read_text())
            game, num_moves = str(kept["game"]), len(kept["actions"])
            title = game_class(game).title.partition(" (")[0].partition(",")[0]
        except (OSError, ValueError, TypeError, KeyError, RiverboatError):
            continue
        if num_moves:
            changed = datetime.fromtimestamp(path.stat().st_mtime)
            moves = "1 move" if num_moves == 1 else f"{num_moves} moves"
            address = f"/play/{quote(game)}/{quote(path.stem)}"
            sittings.append(Recent(f"{title}, {moves}", "playing", address, changed))
    return sittings[:count]
