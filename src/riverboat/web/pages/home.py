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

from riverboat.arena.memory import person_file
from riverboat.arena.training_results import DECK
from riverboat.errors import RiverboatError
from riverboat.games.registry import game_class
from riverboat.lessons.texts import lessons
from riverboat.web.api.lessons import progress_of
from riverboat.web.api.library import page_of, rename
from riverboat.web.api.training import training_results
from riverboat.web.app.game_cards import game_cards
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.background import Job
from riverboat.web.site import AskedSite, Site
from riverboat.web.training.drill_links import drill_links
from riverboat.web.training.trainee import COOKIE

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
            ("Preflop book", "/holdem/preflop/shipped"),
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
            ("Training", "/training"),
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
        training=training_today(request, site),
        files=[(saved, page_of(saved)) for saved in files],
        folder=site.library.folder,
        editing=editing,
        typed=typed,
    )


@dataclass(frozen=True)
class TrainingToday:
    """What is due today for the person whom this browser trains."""

    person: str
    due: int
    drills: tuple[tuple[str, int, str], ...]  # Title of a deck, questions due, address of its drill
    problem: str = ""


def training_today(request: Request, site: Site) -> TrainingToday | None:
    """What comes again today; None for a browser that trains nobody."""
    person = str(request.session.get(COOKIE, ""))
    if not person:
        return None
    try:
        results = training_results(site, person)
    except RiverboatError as error:
        known = person_file(site.settings.folder, person).is_file()
        return TrainingToday(person, 0, (), str(error) if known else "")
    rows = [row for row in results.of(DECK) if row.due]
    links = drill_links(site, [row.group for row in rows])
    drills = tuple((results.titles[r.group], r.due, links.get(r.group, "")) for r in rows)
    return TrainingToday(results.person, results.due, drills)


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
            job.title,
            _state(job),
            jobs.address.format(job.name),
            datetime.fromtimestamp(job.changed),
            "running" if job.running else "",
        )
        for jobs, job in site.recent_jobs(NUM_RECENT)
    ]
    works += recent_sittings(site.settings.folder / ".web" / "sittings")
    works += begun_lesson(site)
    works.sort(key=lambda work: (work.state == "running", work.changed), reverse=True)
    return works[:NUM_RECENT]


def _state(job: Job[Any]) -> str:
    """How it stands with a job, in a word."""
    if job.running:
        return "running"
    if not job.unfinished:
        return "done"
    return "stopped" if any(part.state == "stopped" for part in job.parts) else "failed"


def begun_lesson(site: Site) -> list[Recent]:
    """The lesson that the page of lessons goes on with, if one was begun."""
    progress = progress_of(site)
    for lesson in lessons():
        step = progress.place(lesson.number).step
        if 0 < step < len(lesson.steps):
            changed = datetime.fromtimestamp(progress.path.stat().st_mtime)
            title = f"Lesson {lesson.number}: {lesson.title}"
            kind = f"step {step + 1} of {len(lesson.steps)}"
            return [Recent(title, kind, f"/learn/{lesson.number}/{step + 1}", changed)]
    return []


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
