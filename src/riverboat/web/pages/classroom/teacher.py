"""Class, for the teacher: who joined, rounds, every table with open cards, results.

Which table is watched, whose code is shown and who is about to be taken out stand in the address.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import segno
from fastapi import APIRouter, Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from riverboat.drawing.html import Markup
from riverboat.errors import RiverboatError, UsageError
from riverboat.games.registry import GAMES, game_class, make_game
from riverboat.web.app.forms import Posted, number_in
from riverboat.web.app.guard import digest, is_teacher
from riverboat.web.app.problems import about, by_field
from riverboat.web.app.templates import CLASS_PLACE, render
from riverboat.web.classroom.results import results_csv
from riverboat.web.classroom.room import (
    CLASS_TOPIC,
    MAX_HANDS,
    MAX_SECONDS,
    MIN_SECONDS,
    SIZED_GAMES,
    STUDENTS_TOPIC,
    Classroom,
)
from riverboat.web.classroom.showing import desk_address
from riverboat.web.pages.classroom.student import WRONG_CODE_WAIT, AskedRoom
from riverboat.web.play.felt import Felt, felt_of
from riverboat.web.play.session import bot_for
from riverboat.web.site import AskedSite

router = APIRouter()
ADDRESS, _, _ = CLASS_PLACE
FIRST_ROUND = {"game": "kuhn", "hands": "10", "size": "2"}
"""The fields of a round before anything is typed."""


async def _teacher_only(request: Request, room: AskedRoom) -> None:
    if not is_teacher(request, room.key):
        raise HTTPException(403, "Enter the teacher's key first.")


TEACHER_ONLY = [Depends(_teacher_only)]


@router.get("/class/teacher")
async def teacher(request: Request, room: AskedRoom) -> HTMLResponse:
    """Show the class, or ask for the key."""
    if not is_teacher(request, room.key):
        return _key_form(request)
    return _page(request, room, request.query_params)


@router.post("/class/teacher/enter", response_model=None)
async def enter(request: Request, form: Posted, room: AskedRoom) -> Response:
    """Let in who knows the key."""
    key = form.get("key", "").strip()
    if secrets.compare_digest(key.encode("utf-8", "replace"), room.key.encode()):
        request.session["teacher"] = digest(room.key)
        return RedirectResponse(ADDRESS, 303)
    await asyncio.sleep(WRONG_CODE_WAIT)
    return _key_form(request, "That is not the key.", 422)


@router.post("/class/teacher/round", response_model=None, dependencies=TEACHER_ONLY)
async def start_round(request: Request, form: Posted, site: AskedSite, room: AskedRoom) -> Response:
    """Start a round; while one is played the form asks whether that is meant."""
    try:
        event, seconds = _planned(room, form)
        if room.going and form.get("sure") != "1":
            return _page(request, room, form, typed=form, asking=True)
        with about("seconds"):
            room.set_seconds(seconds)
        # The bots' strategy is solved in a thread before the round begins.
        plan, before = event["tables"][0], len(room.rounds)
        game = make_game(plan["game"], dict(plan["parameters"]))
        await asyncio.get_running_loop().run_in_executor(site.workers, bot_for, game)
        if len(room.rounds) == before:  # else another page has started one meanwhile
            room.do(_planned(room, form)[0])
    except RiverboatError as error:
        return _page(request, room, form, 422, by_field(error), form)
    return RedirectResponse(ADDRESS, 303)


@router.post("/class/teacher/kick", response_model=None, dependencies=TEACHER_ONLY)
async def kick(request: Request, form: Posted, room: AskedRoom) -> Response:
    """Take a student out of the class."""
    try:
        student = room.student(number_in(form, "student"))
    except RiverboatError as error:
        return _page(request, room, form, 422, {"": str(error)})
    if student is not None:
        room.do({"do": "kick", "id": student.identity})
    return RedirectResponse(_address(watch=form.get("watch", "")[:20]), 303)


@router.post("/class/teacher/pause", response_model=None, dependencies=TEACHER_ONLY)
async def pause(request: Request, form: Posted, room: AskedRoom) -> Response:
    """Stop the clocks of the round, or let them go on."""
    return _halt(request, room, form, "continue" if form.get("to") == "continue" else "pause")


@router.post("/class/teacher/end", response_model=None, dependencies=TEACHER_ONLY)
async def end(request: Request, form: Posted, room: AskedRoom) -> Response:
    """End the round: the hands that were played to the end count."""
    return _halt(request, room, form, "end")


@router.get("/class/teacher/results.csv", dependencies=TEACHER_ONLY)
async def results(room: AskedRoom) -> Response:
    """Give the results for a spreadsheet; the mark at the start says that it is UTF-8."""
    headers = {"content-disposition": 'attachment; filename="results.csv"'}
    text = "\ufeff" + results_csv(room)
    return PlainTextResponse(text, headers=headers, media_type="text/csv")


def _halt(request: Request, room: Classroom, form: Mapping[str, str], what: str) -> Response:
    try:
        room.do({"do": what})
    except RiverboatError as error:
        return _page(request, room, form, 422, {"halt": str(error)})
    return RedirectResponse(_address(watch=form.get("watch", "")[:20]), 303)


def _planned(room: Classroom, form: Mapping[str, str]) -> tuple[dict[str, Any], int]:
    """The round that a form asks for, and the seconds for a move."""
    fields = dict(form)
    name = form.get("game", "")[:40]
    with about("game"):
        if name not in _games():
            raise UsageError("Choose one of the games.")
    hands, seconds = number_in(fields, "hands"), number_in(fields, "seconds")
    size = number_in(fields, "size", 2) if name in SIZED_GAMES else 2
    return room.plan_round(name, hands, size, secrets.randbits(32)), seconds


def _last_round(room: Classroom) -> dict[str, str]:
    """The fields of the newest round: the next one is often like it."""
    if not room.tables:
        return FIRST_ROUND
    plan = room.tables[0].plan
    size = str(plan.parameters.get("players", FIRST_ROUND["size"]))
    return {"game": plan.game, "hands": str(plan.hands), "size": size}


def _games() -> dict[str, str]:
    """Name and title of what a class can play."""
    return {name: game_class(name).title.partition(",")[0].partition(" (")[0] for name in GAMES}


def _address(**state: str) -> str:
    """The teacher's page in a state; what is empty is left out."""
    query = urlencode({name: value for name, value in state.items() if value})
    return f"{ADDRESS}?{query}" if query else ADDRESS


def _key_form(request: Request, problem: str = "", status: int = 200) -> HTMLResponse:
    facts = {"title": "Class", "places": [], "problem": problem}
    return render(request, "class/key.html", status, **facts)


def _page(
    request: Request,
    room: Classroom,
    state: Mapping[str, str],
    status: int = 200,
    problems: Mapping[str, str] = {},
    typed: Mapping[str, str] = {},
    *,
    asking: bool = False,
) -> HTMLResponse:
    watch, code, out = (state.get(name, "")[:20] for name in ("watch", "code", "out"))
    ending = room.going and state.get("ending", "") == "1"
    usual = {**_last_round(room), "seconds": str(room.seconds)}
    address = f"{str(request.base_url).rstrip('/')}/class"
    return render(
        request,
        "class/teacher.html",
        status,
        title="Class",
        place=ADDRESS,
        here=_address(watch=watch, code=code, out=out, ending="1" if ending else ""),
        going=room.going,
        paused=room.paused,
        ended=room.ended,
        ending=ending,
        end_link=_address(watch=watch, ending="1"),
        no_end_link=_address(watch=watch),
        shown=room.shown,
        shown_page=desk_address(room.shown) if room.shown else "",
        num_rounds=len(room.rounds),
        watch=watch,
        problems=problems,
        asking=asking,
        address=address,
        picture=_qr_code(address),
        code=room.code,
        games=_games(),
        sized=SIZED_GAMES,
        typed={name: typed.get(name, value)[:20] for name, value in usual.items()},
        limits={"hands": (1, MAX_HANDS), "seconds": (MIN_SECONDS, MAX_SECONDS)},
        students=_students(room, watch, code, out),
        tables=[
            {**table.summary(room.name_of), "link": _address(watch=table.plan.name)}
            for table in room.tables
        ],
        felt=_watched(room, watch),
        ranking=room.ranked(),
        class_topic=CLASS_TOPIC,
        students_topic=STUDENTS_TOPIC,
    )


def _qr_code(address: str) -> Markup:
    return Markup(segno.make(address, error="m").svg_inline(scale=5, light="#ffffff", border=2))


def _students(room: Classroom, watch: str, code: str, out: str) -> list[dict[str, Any]]:
    """The students; the page may be on a wall, so a personal code is shown when it is asked for."""
    rows = []
    for student in room.present():
        number = str(room.number_of(student))
        shown = number == code
        rows.append(
            {
                "number": number,
                "name": student.name,
                "personal": room.personal_code(student.identity) if shown else "",
                "code_link": _address(watch=watch, code="" if shown else number),
                "out_link": _address(watch=watch, out=number),
                "asked": number == out,
                "stay_link": _address(watch=watch),
            }
        )
    return rows


def _watched(room: Classroom, watch: str) -> Felt | None:
    """The table that is watched, with open cards."""
    table = next((each for each in room.tables if each.plan.name == watch), None)
    if table is None:
        return None
    names = [room.name_of(table.plan.seats[table.place_at(p)]) for p in range(table.num_seats)]
    return felt_of(table.game, table.state, names, None, lambda seat: True)
