"""A table for people in their own browsers: each opens the link of a seat and sits down.

Every change happens in the server's loop, one after the other; news tell all seats.
"""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from riverboat.errors import RiverboatError
from riverboat.games.registry import game_class
from riverboat.web.app.forms import Posted, number_in
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.play.people_table import PeopleTable, topic_of
from riverboat.web.site import AskedSite, Site

router = APIRouter(prefix="/play/table/{name}/{secret}")
GONE = "There is no such seat: the table is gone, or the seat is taken."


@router.get("")
async def seat(request: Request, name: str, secret: str, site: AskedSite) -> HTMLResponse:
    """Show a seat: the form to sit down, or the table as its person sees it."""
    table, place = await _seat(site, name, secret)
    return _page(request, table, place)


@router.post("/sit", response_model=None)
async def sit(request: Request, name: str, secret: str, form: Posted, site: AskedSite) -> Response:
    """Sit down; the link is replaced by an address of one's own."""
    table, place = await _seat(site, name, secret)
    try:
        own = table.sit(secret, form.get("name", ""))
    except RiverboatError as error:
        return _page(request, table, place, 422, by_field(error), form.get("name", "")[:60])
    return RedirectResponse(_address(table, own), 303)


@router.post("/move", response_model=None)
async def move(request: Request, name: str, secret: str, form: Posted, site: AskedSite) -> Response:
    """Make a move for the decision that the form was shown for; `ready` asks for the next hand."""
    from riverboat.web.api.play import sized

    table, place = await _seat(site, name, secret)
    try:
        wanted = form.get("move", "")[:40]
        if wanted == "ready":
            table.be_ready(place)
        else:
            size = number_in(form, "size") if wanted == "raise" else None
            table.act(place, number_in(form, "decision"), sized(wanted, size))
    except RiverboatError as error:
        answer = _page(request, table, place, 422, by_field(error))
        answer.headers["HX-Replace-Url"] = "false"
        return answer
    return RedirectResponse(_address(table, secret), 303)


@router.post("/bot", response_model=None)
async def bot(request: Request, name: str, secret: str, form: Posted, site: AskedSite) -> Response:
    """Let a bot play on in one's own seat; the host may do so for any."""
    table, place = await _seat(site, name, secret)
    try:
        wanted = number_in(form, "place")
    except RiverboatError as error:
        return _page(request, table, place, 422, by_field(error))
    if place in (wanted, table.host):
        table.give_to_bot(wanted)
    left = wanted == place
    return RedirectResponse("/play" if left else _address(table, secret), 303)


async def _seat(site: Site, name: str, secret: str) -> tuple[PeopleTable, int]:
    """A table and the place that a link leads to."""
    table = await asyncio.to_thread(site.people_tables.find, name)
    place = table.place_of(secret) if table is not None else None
    if table is None or place is None:
        raise HTTPException(404, GONE)
    return table, place


def _address(table: PeopleTable, secret: str) -> str:
    return f"/play/table/{quote(table.name)}/{quote(secret)}"


def _page(
    request: Request,
    table: PeopleTable,
    place: int,
    status: int = 200,
    problems: Any = (),
    typed: str = "",
) -> HTMLResponse:
    chair = table.chairs[place]
    facts: dict[str, Any] = {
        "title": game_class(table.kept.game).title.partition(",")[0].partition(" (")[0],
        "place": "/play",
        "here": _address(table, chair.secret),
        "topic": topic_of(table.name),
        "problems": problems or {},
        "typed": typed,
        "company": [each.name for each in table.chairs if each.name and not each.bot],
        "free": sum(each.free for each in table.chairs),
    }
    if chair.free:
        return render(request, "play/sit.html", status, **facts)
    base = str(request.base_url).rstrip("/")
    return render(
        request,
        "play/people.html",
        status,
        own=place,
        host=place == table.host,
        chairs=[
            {
                "place": number,
                "name": name,
                "free": each.free,
                "bot": each.bot,
                "score": table.table.scores[number] if table.table else None,
                "link": base + _address(table, each.secret) if each.free else "",
            }
            for number, (each, name) in enumerate(zip(table.chairs, table.names(), strict=True))
        ],
        **facts,
        **_table(table, place),
    )


def _table(table: PeopleTable, place: int) -> dict[str, Any]:
    """What a place sees of the hand that is played; nothing before every seat is taken."""
    from riverboat.web.play.seat import seat_view

    return {
        "seen": None if table.table is None else seat_view(table.table, place, table.names()),
        "waited": table.waiting_for() if place in table.ready else [],
    }
