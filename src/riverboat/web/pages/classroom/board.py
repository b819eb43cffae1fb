"""Class, the board: what the teacher shows, for reading; and the teacher's showing of it.

Students choose nothing here: the page has the one state that is shown, and no link to the desk.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import parse_qsl

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.arena.study import checked_address, place_kind
from riverboat.drawing.html import Markup
from riverboat.errors import RiverboatError, UsageError
from riverboat.web.api.spots import GONE, NOT_SOLVED, spot_state
from riverboat.web.app.forms import Posted
from riverboat.web.app.guard import is_teacher
from riverboat.web.app.templates import CLASS_PLACE, part, render
from riverboat.web.classroom.room import BOARD_TOPIC, Classroom, Shown
from riverboat.web.classroom.showing import desk_address
from riverboat.web.holdem.spot_runs import SpotRun
from riverboat.web.pages.classroom.student import AskedRoom
from riverboat.web.pages.classroom.teacher import TEACHER_ONLY
from riverboat.web.pages.holdem.spot_desk import Desk, DeskState
from riverboat.web.site import AskedSite, Site

router = APIRouter()
NOT_SHOWN = "The teacher shows no board now. This page follows when one is shown."
NOT_THERE = "The board that the teacher shows is not there any more."


@dataclass(frozen=True)
class Drawn:
    """The board as it is drawn for all who look: once, and not for each student."""

    shown: Shown
    changed: float
    text: Markup


@router.get("/class/board", response_model=None)
def board(request: Request, site: AskedSite, room: AskedRoom) -> Response:
    """Show what the teacher shows; those who have not joined are led to the form."""
    student = room.students.get(str(request.session.get("student", "")))
    teacher = is_teacher(request, room.key)
    if not teacher and (student is None or student.kicked):
        return RedirectResponse("/class", 303)
    shown = room.shown
    words, drawn = NOT_SHOWN, None
    if shown is not None:
        try:
            words, drawn = "", _drawn(site, room, shown)
        except RiverboatError:
            words = NOT_THERE
    return render(
        request,
        "class/board.html",
        title="Board",
        places=[],
        url="/class/board",
        shown=shown,
        words=words,
        drawn=drawn,
        waiting=not words and drawn is None,
        topic=BOARD_TOPIC,
        back=CLASS_PLACE[0] if teacher else "/class",
    )


@router.post("/class/show", response_model=None, dependencies=TEACHER_ONLY)
async def show(request: Request, form: Posted, site: AskedSite, room: AskedRoom) -> Response:
    """Show a state of the desk to the class; a script that follows the desk gets no page."""
    shown = _wanted(site, form.get("address", ""), form.get("chapter", "")[:200])
    room.show(shown)
    if request.headers.get("hx-trigger", "").startswith("follow-"):
        return Response(status_code=204)
    return RedirectResponse(desk_address(shown), 303)


@router.post("/class/show/stop", response_model=None, dependencies=TEACHER_ONLY)
async def stop(form: Posted, room: AskedRoom) -> Response:
    """Show nothing any more, and lead back to where that was pressed."""
    room.show(None)
    back = form.get("back", "")
    return RedirectResponse(back if place_kind(back) == "spot" else CLASS_PLACE[0], 303)


def _wanted(site: Site, address: str, chapter: str) -> Shown:
    """What shall be shown, with title and note of the chapter that is open there."""
    address = checked_address(address)
    if place_kind(address) != "spot":
        raise UsageError("Only solved spots can be shown to the class.")
    state = DeskState.read(dict(parse_qsl(address.partition("?")[2])))
    run = _run(site, address)
    plain = f"/holdem/spots/{run.name}{state.query(chapter='')}"
    found = site.studies.opened(chapter) if chapter else None
    if found is None:
        return Shown(plain)
    return Shown(plain, found.chapter.title, found.chapter.note, found.reference)


def _run(site: Site, address: str) -> SpotRun:
    run = site.spot_runs.find(address.partition("?")[0].rpartition("/")[2])
    if run is None:
        raise UsageError(GONE)
    if not run.solved:
        raise UsageError(NOT_SOLVED)
    return run


def _drawn(site: Site, room: Classroom, shown: Shown) -> Markup | None:
    """The board as HTML; None while it is computed."""
    run = _run(site, shown.address)
    changed = Path(run.path).stat().st_mtime
    kept = room.drawn
    if isinstance(kept, Drawn) and (kept.shown, kept.changed) == (shown, changed):
        return kept.text
    state = DeskState.read(dict(parse_qsl(shown.address.partition("?")[2])))
    state = replace(state, tab="hands", brush="", chapter="")
    desk = Desk.open(site, run, state)
    if desk is None or (state.filter and desk.groups is None and not desk.problems):
        return None
    desk.marks = {}
    text = part(
        "class/board_part.html",
        desk=desk,
        state=state,
        run=run,
        cards=list(desk.node.board),
        spot=spot_state(run),
        url="/class/board",
    )
    room.drawn = Drawn(shown, changed, text)
    return text
