"""Spots: those solved before, and the form of a new one with what its solve would take."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from riverboat.errors import RiverboatError
from riverboat.holdem.spots.spot import Spot
from riverboat.web.api.spots import MAX_LISTED, SolveCost, begin_spot, solve_cost, spot_state
from riverboat.web.app.templates import render
from riverboat.web.holdem.preflop_solutions import open_solution
from riverboat.web.holdem.spot_runs import SpotRun, check_shown
from riverboat.web.pages.holdem.board_field import card_words
from riverboat.web.pages.holdem.spot_fields import (
    COPY,
    PRESETS,
    Drafts,
    SpotFields,
    after_buttons,
    first_values,
    is_three,
    read_fields,
    values_after,
    values_of,
)
from riverboat.web.site import AskedSite, Site

router = APIRouter()
ADDRESS = "/holdem/spots"
MAX_FIELDS = 200
NUM_TILES = 8
SIZE_WORDS = (
    ("33%", "of the pot"),
    ("2.5x", "a raise to 2.5 times the bet"),
    ("100c", "chips"),
    ("e", "geometric: all-in by the river"),
    ("a", "all-in"),
)


async def sent_form(request: Request) -> FormData:
    """All fields that were sent."""
    try:
        return await request.form(max_fields=MAX_FIELDS)
    except ClientDisconnect as error:  # a newer state of the form is on its way
        raise HTTPException(400, "The form was not sent whole.") from error


SentForm = Annotated[FormData, Depends(sent_form)]


@router.get("/holdem/spots", response_model=None)
def form_page(
    request: Request,
    site: AskedSite,
    copy: str = "",
    file: str = "",
    players: str = "2",
    preflop: str = "",
    line: str = "",
) -> Response:
    """Show the form: as it was left, or filled from a solved spot, a file or a preflop line."""
    refused, given = "", dict[str, str]()
    try:
        if file:
            opened = _opened(site, file)
            if isinstance(opened, SpotRun):
                return RedirectResponse(f"{ADDRESS}/{opened.name}", 303)
            given = values_of(opened, "0.5%")
        elif preflop:
            given = values_after(open_solution(site.library, preflop), line)
    except (OSError, KeyError, TypeError):
        refused = f"{file[:60]} cannot be read as a spot."
    except RiverboatError as error:
        refused = str(error)
    old = site.spot_runs.find(copy) if copy else None
    if old is not None:
        given = {**values_of(old.spot, old.order.target), "label": old.label}
    number = 3 if players == "3" else 2
    values = given or _drafts(site).read(_browser(request), number) or first_values(number)
    fields = read_fields(values, site.library)
    return _page(request, site, fields, 422 if refused else 200, refused, fresh=bool(given))


@router.post("/holdem/spots/form", response_model=None)
def change(request: Request, site: AskedSite, form: SentForm) -> Response:
    """Keep what was typed, painted or pressed, and show the form as it is then."""
    values = after_buttons(_values(request, site, form))
    fields = read_fields(values, site.library)
    _drafts(site).keep(_browser(request), fields.values)
    site.spot_runs.prepare_once()
    return RedirectResponse(_address(fields), 303)


@router.post("/holdem/spots", response_model=None)
def solve(request: Request, site: AskedSite, form: SentForm) -> Response:
    """Solve the spot of the form; what cannot be is said at its fields."""
    fields = read_fields(_values(request, site, form), site.library)
    _drafts(site).keep(_browser(request), fields.values)
    if fields.spot is None:
        return _page(request, site, fields, 422, fields.summary)
    try:
        label = fields.values.get("label", "")
        made = begin_spot(site.spot_runs, fields.spot, fields.target, label)
    except RiverboatError as error:
        return _page(request, site, fields, 422, str(error))
    address = f"{ADDRESS}/{quote(made.name)}"
    if request.headers.get("hx-request"):  # a page of its own, not a part of this one
        return Response(status_code=200, headers={"HX-Redirect": address})
    return RedirectResponse(address, 303)


def _page(
    request: Request,
    site: Site,
    fields: SpotFields,
    status: int,
    refused: str = "",
    *,
    fresh: bool = False,
) -> Response:
    cost, too_large = _cost(site, fields)
    tiles = [(run, spot_state(run)) for run in site.spot_runs.recent(MAX_LISTED)]
    return render(
        request,
        "holdem/spots.html",
        status,
        title="Spots",
        place="/holdem",
        tab=ADDRESS,
        fields=fields,
        fresh=fresh,
        refused=refused,
        cost=cost,
        too_large=too_large,
        tiles=tiles[:NUM_TILES],
        older=tiles[NUM_TILES:],
        presets=[preset.name for preset in PRESETS],
        copy=COPY,
        size_words=SIZE_WORDS,
        card_words=card_words,
        address=_address(fields),
    )


def _cost(site: Site, fields: SpotFields) -> tuple[SolveCost | None, str]:
    """What the solve would take, or why it cannot be done."""
    if fields.spot is None:
        return None, ""
    try:
        return solve_cost(fields.spot, fields.target, site.memory), ""
    except RiverboatError as error:
        return None, str(error)


def _values(request: Request, site: Site, form: FormData) -> dict[str, str]:
    """What was sent, over what was kept of fields that are not shown now."""
    sent = {name: text for name, text in form.items() if isinstance(text, str)}
    players = 3 if is_three(sent) else 2
    kept: Mapping[str, Any] = {}
    if not sent.pop("fresh", ""):
        kept = _drafts(site).read(_browser(request), players)
    return {**kept, **sent}


def _drafts(site: Site) -> Drafts:
    return Drafts(site.settings.folder / ".web" / "spot-forms")


def _browser(request: Request) -> str:
    """The name of this browser; its cookie is signed."""
    if "browser" not in request.session:
        request.session["browser"] = secrets.token_hex(8)
    return str(request.session["browser"])


def _address(fields: SpotFields) -> str:
    return f"{ADDRESS}?players=3" if fields.three else ADDRESS


def _opened(site: Site, name: str) -> SpotRun | Spot:
    """A file of the library: a solved spot, or one to be solved."""
    path = site.library.path(name)
    if path.suffix != ".toml":
        return site.spot_runs.adopt(path)
    spot = Spot.load(path)
    check_shown(spot)
    return spot
