"""Training: who trains here, results over days and by group, what is due, and another name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.arena.memory import MISTAKES, people, person_name
from riverboat.arena.people import delete_person
from riverboat.arena.training_results import DAY, DECK, ResultRow, TrainingResults
from riverboat.drawing.html import Markup
from riverboat.errors import RiverboatError
from riverboat.games.registry import game_class
from riverboat.web.api.training import everyone, rename, training_results
from riverboat.web.app.game_cards import game_cards
from riverboat.web.app.plots import Curve, line_plot
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.site import AskedSite, Site
from riverboat.web.training.drill_links import drill_links
from riverboat.web.training.trainee import COOKIE, KIND_WORDS, joined

router = APIRouter()
NUM_COMING = 7
"""Days ahead that are named."""
NUM_DAYS = 30
"""Days of the table; the curve has all."""
PICTURES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


@dataclass(frozen=True)
class ShownRow:
    """A row of results with its drill."""

    row: ResultRow
    words: str
    address: str = ""  # Of the drill that asks about just these
    mistakes: str = ""  # Of the drill that asks about what was missed of these


@router.get("/training", response_model=None)
def people_page(request: Request, site: AskedSite) -> Response:
    """Show who trains here."""
    return _people(request, site)


def _people(
    request: Request, site: Site, status: int = 200, problem: str = "", typed: str = "",
    back: str = "/training",
) -> Response:  # fmt: skip
    return render(
        request,
        "training/people.html",
        status,
        title="Training",
        place="/learn",
        people=everyone(site).people,
        person=str(request.session.get(COOKIE, "")),
        names=people(site.settings.folder),
        games=[card for card in game_cards() if _is_drilled(card.name)],
        problem=problem,
        typed=typed,
        back=back,
    )


def _is_drilled(game: str) -> bool:
    """Whether a game is small; at rock-paper-scissors nothing is lost against an equilibrium."""
    return game_class(game).small and game != "rps"


@router.post("/training/choose", response_model=None)
def choose(
    request: Request,
    site: AskedSite,
    person: Annotated[str, Form(max_length=200)] = "",
    known: Annotated[str, Form(max_length=200)] = "",
    nobody: Annotated[str, Form(max_length=10)] = "",
    back: Annotated[str, Form(alias="next", max_length=1000)] = "/training",
) -> Response:
    """Remember in a cookie whom this browser trains, and go back to the page."""
    # An address of two slashes would lead to another site.
    back = back if back.startswith("/") and back[1:2] not in ("/", "\\") else "/training"
    if nobody:
        request.session.pop(COOKIE, None)
        return RedirectResponse(back, 303)
    try:
        name = person_name(known or person)
    except RiverboatError as error:
        return _people(request, site, 422, str(error), person[:60], back)
    request.session[COOKIE] = name
    return RedirectResponse(back, 303)


@router.get("/training/{person}", response_model=None)
def results_page(request: Request, person: str, site: AskedSite, deck: str = "") -> Response:
    """Show what a person's drills came to."""
    return _results(request, site, person, deck[:200])


def _results(
    request: Request, site: Site, person: str, deck: str = "", status: int = 200, **typed: Any
) -> Response:
    try:
        results = training_results(site, person, deck)
        unknown = ""
    except RiverboatError as error:
        if not deck:
            words = str(error)
            return render(request, "problem.html", 404, title="There is no such name", words=words)
        results, unknown, status = training_results(site, person), str(error), 422
    links = drill_links(site, results.titles)
    own = str(request.session.get(COOKIE, "")) == results.person
    named = [] if own else [("person", results.person)]
    links = {deck: joined(address, named) for deck, address in links.items()}
    return render(
        request,
        "training/results.html",
        status,
        title=f"Training of {results.person}",
        place="/learn",
        person=results.person,
        address=f"/training/{quote(results.person)}",
        results=results,
        total=results.total,
        unknown=unknown,
        deck_query=urlencode({"deck": results.deck}) if results.deck else "",
        plots=_plots(results),
        days=_days(results),
        num_days=len({row.group for row in results.of(DAY)}),
        decks=[_of_deck(row, results, links) for row in results.of(DECK)],
        kinds={kind: _of_kind(kind, results, links) for kind in results.kinds},
        kind_words=KIND_WORDS,
        all_titles=results.titles,
        coming=_coming(results),
        own=own,
        typed=typed,
    )


def _days(results: TrainingResults) -> list[tuple[str, list[ResultRow]]]:
    """The newest days, each with a row for each unit."""
    days: dict[str, list[ResultRow]] = {}
    for row in results.of(DAY)[::-1]:
        days.setdefault(row.group, []).append(row)
    return list(days.items())[:NUM_DAYS]


def _of_deck(row: ResultRow, results: TrainingResults, links: dict[str, str]) -> ShownRow:
    address = links.get(row.group, "")
    missed = joined(address, [("only", MISTAKES)]) if address and row.to_repeat else ""
    return ShownRow(row, results.titles.get(row.group, row.group), address, missed)


def _of_kind(kind: str, results: TrainingResults, links: dict[str, str]) -> list[ShownRow]:
    """The rows of a kind; those of one deck have a link to its drill."""
    rows = []
    for row in results.of(kind):
        deck = next(iter(row.decks)) if len(row.decks) == 1 else ""
        address = links.get(deck, "")
        only = joined(address, [("only", f"{kind}={row.group}".lower())]) if address else ""
        missed = joined(only, [("only", MISTAKES)]) if only and row.to_repeat else ""
        rows.append(ShownRow(row, row.group, only, missed))
    return rows


def _coming(results: TrainingResults) -> str:
    """On which days questions come again, in words."""
    words = [
        f"{count} {'today' if day == results.today.isoformat() else _day_words(day)}"
        for day, count in results.coming.items()
    ]
    left_out = f" and {len(words) - NUM_COMING} more days" if len(words) > NUM_COMING else ""
    return ", ".join(words[:NUM_COMING]) + left_out


def _day_words(day: str) -> str:
    return f"on {date.fromisoformat(day):%d %b}"


def _plots(results: TrainingResults) -> dict[str, list[Markup]]:
    """Two curves over days, wide and narrow: what was right, and EV lost per decision."""
    shares: list[tuple[float, float]] = [
        (day.toordinal(), 100 * share) for day, share in results.shares()
    ]
    right = [Curve("right", shares)]
    lost = [
        Curve(unit, [(day.toordinal(), loss) for day, loss in results.losses(unit)])
        for unit in results.units
    ]
    return {
        "Right answers by day": _both(right, "right, in per cent", (-4.0, 104.0)),
        "EV lost per decision by day": _both(lost, "EV lost per decision", None),
    }


def _both(curves: Sequence[Curve], y: str, limits: tuple[float, float] | None) -> list[Markup]:
    sizes = ((640, 240), (360, 240))
    return [
        line_plot(curves, x="day", y=y, y_limits=limits, days=True, width=width, height=height)
        for width, height in sizes
    ]


@router.get("/training/{person}/picture.{kind}", response_model=None)
def picture(person: str, kind: str, site: AskedSite, deck: str = "") -> Response:
    """The curve over days as a file."""
    from riverboat.drawing.figures import check_format, picture_bytes

    check_format(kind)
    results = training_results(site, person, deck[:200])
    return Response(picture_bytes(results.figure(), kind), media_type=PICTURES[kind])


@router.post("/training/{person}/rename", response_model=None)
def rename_page(
    request: Request, person: str, site: AskedSite, name: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Give a person another name; the cookie of this browser follows."""
    try:
        new = rename(site, person, name)
    except RiverboatError as error:
        return _results(request, site, person, "", 422, name=name[:60], problems=by_field(error))
    if request.session.get(COOKIE, "") == person_name(person):
        request.session[COOKIE] = new
    return RedirectResponse(f"/training/{quote(new)}", 303)


@router.post("/training/{person}/delete", response_model=None)
def delete_page(request: Request, person: str, site: AskedSite) -> Response:
    """Delete all answers of a person; the form asks first."""
    try:
        delete_person(site.settings.folder, person)
    except RiverboatError as error:
        return _people(request, site, 422, str(error))
    if request.session.get(COOKIE, "") == person_name(person):
        request.session.pop(COOKIE, None)
    return RedirectResponse("/training", 303)
