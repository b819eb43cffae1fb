"""Class, for students: join with a name and the code, then play at the assigned table.

Identity lives in a signed cookie. Every change happens in the server's loop, one after the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from riverboat.errors import RiverboatError
from riverboat.web.api.play import sized
from riverboat.web.app.forms import Posted, number_in
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.classroom.room import RANKING_TOPIC, Classroom, Student, topic_of
from riverboat.web.play.seat import seat_view
from riverboat.web.site import AskedSite

router = APIRouter()
WRONG_CODE_WAIT = 0.5
"""Seconds before a wrong code or key is refused, so that nobody tries all."""
TAKEN_OUT = "The teacher has taken you out of the class."


async def _room(site: AskedSite) -> Classroom:
    assert site.classroom is not None
    return site.classroom


AskedRoom = Annotated[Classroom, Depends(_room)]
"""The type of a route's argument that gets the class."""


@router.get("/class")
async def class_page(request: Request, room: AskedRoom) -> HTMLResponse:
    """Show the own table, or the form to join."""
    student = _student(request, room)
    if student is None:
        return _join_form(request)
    if student.kicked:
        return _join_form(request, {"": TAKEN_OUT})
    return _page(request, room, student)


@router.post("/class/join", response_model=None)
async def join(request: Request, form: Posted, room: AskedRoom) -> Response:
    """Join, or come back with a personal code."""
    name, code, personal = (form.get(key, "") for key in ("name", "code", "personal"))
    try:
        # A browser may have filled in the name: the personal code decides.
        back = personal.strip()
        student = room.rejoin(personal, code) if back else room.join(name, code)
    except RiverboatError as error:
        await asyncio.sleep(WRONG_CODE_WAIT)
        return _join_form(request, by_field(error), 422, form)
    request.session["student"] = student.identity
    return RedirectResponse("/class", 303)


@router.post("/class/move", response_model=None)
async def move(request: Request, form: Posted, room: AskedRoom) -> Response:
    """Make a move for the decision that the form was shown for; `ready` asks for the next hand."""
    student = _student(request, room)
    if student is None or student.kicked:
        return RedirectResponse("/class", 303)
    try:
        wanted = form.get("move", "")[:40]
        if wanted == "ready":
            room.be_ready(student.identity)
        else:
            size = number_in(form, "size") if wanted == "raise" else None
            room.act(student.identity, number_in(form, "decision"), sized(wanted, size))
    except RiverboatError as error:
        answer = _page(request, room, student, 422, by_field(error))
        answer.headers["HX-Replace-Url"] = "false"
        return answer
    return RedirectResponse("/class", 303)


def _student(request: Request, room: Classroom) -> Student | None:
    return room.students.get(str(request.session.get("student", "")))


def _join_form(
    request: Request,
    problems: Mapping[str, str] = {},
    status: int = 200,
    form: Mapping[str, str] = {},
) -> HTMLResponse:
    typed = {key: form.get(key, "")[:60] for key in ("code", "name", "personal")}
    return render(
        request, "class/join.html", status, title="Class", places=[], problems=problems, typed=typed
    )


def _page(
    request: Request,
    room: Classroom,
    student: Student,
    status: int = 200,
    problems: Mapping[str, str] = {},
) -> HTMLResponse:
    return render(
        request,
        "class/student.html",
        status,
        title="Class",
        places=[],
        problems=problems,
        personal=room.personal_code(student.identity),
        topic=topic_of(student.identity),
        ranking_topic=RANKING_TOPIC,
        ranking=room.ranked(student.name),
        own=student.name,
        people=[each.name for each in room.present()],
        shown=room.shown is not None,
        **_table(room, student),
    )


def _table(room: Classroom, student: Student) -> dict[str, Any]:
    """What a student sees of the own table; nothing before a round."""
    table = room.table_of(student.identity)
    place = None if table is None else table.place_of(student.identity)
    if table is None or place is None:
        return {"seen": None}
    names = [room.name_of(identity) for identity in table.plan.seats]
    seconds = room.seconds_left(table)
    timed_out = table.timed_out.get(place, "")
    ready = student.identity in room.ready.get(table.plan.name, ())
    return {
        "seen": seat_view(table, place, names),
        "over": table.over or room.ended,
        "paused": room.paused and not table.over,
        "ended": room.ended and not table.over,
        "seconds": seconds,
        "timed_out": timed_out and f"{timed_out[0].upper()}{timed_out[1:]}.",
        "waited": room.waiting_for(table) if ready else [],
    }
