"""Spots: those solved before, and the form of a new one with what its solve would take."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from riverboat.cards.combos import CLASS_NAMES, class_of_combos, parse_combo
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.devices import list_devices
from riverboat.web.api.hand_spots import HandSpotFacts, kept_hand_spot, node_place
from riverboat.web.api.ranges import folders, range_library
from riverboat.web.api.spot_files import (
    download,
    file_name,
    open_text,
    open_upload,
    pasted_texts,
    read_spot,
    spot_text,
)
from riverboat.web.api.spots import (
    MAX_LISTED,
    MAX_TOML,
    SolveCost,
    begin_spot,
    solve_cost,
    spot_state,
)
from riverboat.web.app.problems import FieldError, about, by_field
from riverboat.web.app.templates import render
from riverboat.web.holdem.preflop_solutions import open_solution
from riverboat.web.holdem.spot_runs import SpotRun, check_shown
from riverboat.web.pages.holdem.board_field import card_words
from riverboat.web.pages.holdem.spot_drafts import REDO, UNDO, Drafts
from riverboat.web.pages.holdem.spot_fields import (
    COPY,
    PRESETS,
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


@dataclass(frozen=True)
class Asked:
    """What the address of the form asks to be filled in."""

    copy: str = ""
    file: str = ""
    players: str = "2"
    preflop: str = ""
    line: str = ""
    text: str = ""
    hand: int = 0
    decision: int = 1

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Asked:
        """The same from the query of an address; what cannot be is as if it were not there."""
        texts = {n: query.get(n, "") for n in ("copy", "file", "preflop", "line", "text")}
        numbers = {
            n: int(query[n][:6]) for n in ("hand", "decision") if query.get(n, "").isdecimal()
        }
        return cls(**texts, **numbers)  # type: ignore[arg-type]


AskedForm = Annotated[Asked, Depends()]


@router.get("/holdem/spots", response_model=None)
def form_page(request: Request, site: AskedSite, asked: AskedForm) -> Response:
    """Show the form: as it was left, or filled from a solved spot, a file or a preflop line."""
    if asked.file and not asked.file.endswith(".toml"):
        try:
            run = site.spot_runs.adopt(site.library.path(asked.file))
        except (OSError, KeyError, TypeError, RiverboatError) as error:
            fields = _kept_fields(request, site, asked)
            return _page(request, site, fields, 422, _sentence(error, asked.file))
        return RedirectResponse(f"{ADDRESS}/{run.name}", 303)
    if asked.hand and not _hand_is_read(site, asked):
        url = f"{ADDRESS}?{request.url.query}"
        return render(
            request,
            "holdem/from_hand_wait.html",
            title="Spots",
            place="/holdem",
            tab=ADDRESS,
            url=url,
        )
    refused, given = _filled(site, asked)
    fields = read_fields(given, site.library) if given else _kept_fields(request, site, asked)
    return _page(request, site, fields, 422 if refused else 200, refused, fresh=bool(given))


@router.get("/holdem/spots/form/{kind}", response_model=None)
def form_file(
    request: Request, site: AskedSite, asked: AskedForm, kind: Literal["toml", "pio"]
) -> Response:
    """The spot of the form as a file."""
    refused, given = _filled(site, asked)
    fields = read_fields(given, site.library) if given else _kept_fields(request, site, asked)
    if refused or fields.spot is None:
        return _page(request, site, fields, 422, refused or fields.summary, fresh=bool(given))
    try:
        body = spot_text(fields.spot, kind)
    except RiverboatError as error:
        return _page(request, site, fields, 422, str(error), fresh=bool(given))
    return download(file_name(fields.spot, fields.values.get("label", ""), kind), body)


def _filled(site: Site, asked: Asked) -> tuple[str, dict[str, str]]:
    """What is wrong with what the address asks for, and the fields that it fills in."""
    old = site.spot_runs.find(asked.copy) if asked.copy else None
    try:
        if old is not None:
            order = old.order
            limits = {"device": order.device}
            if order.minutes is not None:
                limits["minutes"] = f"{order.minutes:g}"
            return "", {**values_of(old.spot, order.target), **limits, "label": old.label}
        if asked.hand:
            return "", _from_hand(site.answers.wait(kept_hand_spot, *_hand_key(site, asked)))
        if asked.text:
            return "", values_of(read_spot(pasted_texts(site).read(asked.text)), "0.5%")
        if asked.file:
            spot = Spot.load(site.library.path(asked.file))
            check_shown(spot)
            return "", values_of(spot, "0.5%")
        if asked.preflop:
            return "", values_after(open_solution(site.library, asked.preflop), asked.line)
    except (OSError, KeyError, TypeError, RiverboatError) as error:
        return _sentence(error, asked.file), {}
    return "", {}


def _hand_key(site: Site, asked: Asked) -> tuple[Path, str, int, int]:
    return pasted_texts(site).folder, asked.text, asked.hand, asked.decision


def _hand_is_read(site: Site, asked: Asked) -> bool:
    """Whether the spot of a hand is there, or is known not to be."""
    try:
        return site.answers.ask(kept_hand_spot, *_hand_key(site, asked)) is not None
    except RiverboatError:
        return True


def _from_hand(made: HandSpotFacts) -> dict[str, str]:
    """The fields of a street of a hand."""
    spot = Spot.from_toml(made.toml)
    return {
        **values_of(spot, "0.5%" if spot.num_players == 2 else "0.3%"),
        "label": made.label,
        "node": made.node,
        "hero": made.hand or "",
        "place": made.place,
        "source": made.ranges,
    }


def _sentence(error: Exception, file: str = "") -> str:
    """What is wrong, in words."""
    if isinstance(error, RiverboatError):
        return str(error)
    return f"{file[:60] or 'The file'} cannot be read as a spot."


def _kept_fields(request: Request, site: Site, asked: Asked) -> SpotFields:
    """The form as this browser left it."""
    number = 3 if asked.players == "3" else 2
    values = _drafts(site).read(_browser(request), number) or first_values(number)
    return read_fields(values, site.library)


@router.post("/holdem/spots/form", response_model=None)
def change(request: Request, site: AskedSite, form: SentForm) -> Response:
    """Keep what was typed, painted or pressed, and show the form as it is then."""
    fields = read_fields(after_buttons(_values(request, site, form)), site.library)
    _keep(request, site, form, fields)
    site.spot_runs.prepare_once()
    try:
        saved = _save_range(site, form, fields)
    except FieldError as error:
        typed = {error.field: str(error), f"{error.field} typed": str(form.get(error.field, ""))}
        return _page(request, site, fields, 422, shelf_problems=typed)
    said = {"range_saved": saved} if saved else {}
    if form.get("queue"):
        try:
            said["queued"] = _begin(site, fields).name
        except RiverboatError as error:
            return _page(request, site, fields, 422, str(error))
    players = {"players": "3"} if fields.three else {}
    query = urlencode({**players, **said})
    return RedirectResponse(f"{ADDRESS}?{query}" if query else ADDRESS, 303)


def _save_range(site: Site, form: FormData, fields: SpotFields) -> str:
    """Save the range whose button was pressed; its name, or "" where none was."""
    for field in fields.ranges:
        pressed = form.get(f"{field.name}_save")
        if pressed and not field.problem:
            with about(f"{field.name}_name"):
                name = str(form.get(f"{field.name}_name", ""))
                replace = pressed == "replace"
                return range_library(site).save(name, field.range, replace=replace)
    return ""


def _keep(request: Request, site: Site, form: FormData, fields: SpotFields) -> None:
    """Keep the fields as the next state of the draft, or step through its states."""
    drafts, browser, players = _drafts(site), _browser(request), 3 if fields.three else 2
    draft = drafts.open(browser, players)
    if fresh := form.get("fresh"):
        query = dict(parse_qsl(str(fresh)[:2000]))
        _, before = _filled(site, Asked.read(query))
    else:
        before = {} if draft.values else first_values(players)
    if before and is_three(before) == fields.three:  # what was shown before the first change
        draft.change(read_fields(before, site.library).values)
    draft.change(fields.values)
    if form.get("step") in (UNDO, REDO):
        draft.step(str(form["step"]))
    drafts.save(browser, draft)


@router.post("/holdem/spots/open", response_model=None)
async def open_file(request: Request, site: AskedSite) -> Response:
    """Open a file or a pasted text: the form filled in, the desk, or the decisions of hands."""
    sent = request.form(max_files=1, max_fields=4, max_part_size=4 * MAX_TOML)
    try:
        async with sent as form:
            return await run_in_threadpool(_open, request, site, form)
    except ClientDisconnect as error:
        raise HTTPException(400, "The file was not sent whole.") from error


def _open(request: Request, site: Site, form: FormData) -> Response:
    given, text = form.get("file"), form.get("text", "")
    try:
        if isinstance(given, UploadFile) and given.filename:
            with about("file"):
                opened = open_upload(site, given.filename, given.file)
        else:
            with about("text"):
                opened = open_text(site, text if isinstance(text, str) else "")
    except RiverboatError as error:
        fields = _kept_fields(request, site, Asked())
        typed = text[:MAX_TOML] if isinstance(text, str) else ""
        opening = {"problems": by_field(error), "text": typed}
        return _page(request, site, fields, 422, opening=opening)
    if isinstance(opened, SpotRun):
        return RedirectResponse(f"{ADDRESS}/{opened.name}", 303)
    page = ADDRESS if opened.kind == "spot" else f"{ADDRESS}/from-hand"
    return RedirectResponse(f"{page}?text={opened.name}", 303)


@router.post("/holdem/spots", response_model=None)
def solve(request: Request, site: AskedSite, form: SentForm) -> Response:
    """Solve the spot of the form; what cannot be is said at its fields."""
    fields = read_fields(_values(request, site, form), site.library)
    _keep(request, site, form, fields)
    try:
        address = _begin(site, fields).address
    except RiverboatError as error:
        return _page(request, site, fields, 422, str(error))
    if request.headers.get("hx-request"):  # a page of its own, not a part of this one
        return Response(status_code=200, headers={"HX-Redirect": address})
    return RedirectResponse(address, 303)


def _begin(site: Site, fields: SpotFields) -> SpotRun:
    """The solve of the form's spot, which runs or waits in the queue."""
    order = fields.order
    if order is None:
        raise UsageError(fields.summary)
    made = begin_spot(site.spot_runs, order, fields.values.get("label", ""))
    node, hero = fields.values["node"], fields.values["hero"]
    if node and node_place(order.spot, node):
        made.stand_at(node=node, hand=_class_of(hero))
    return made


def _class_of(cards: str) -> str:
    """The class of a hand of two cards; "" where they are none."""
    try:
        return CLASS_NAMES[int(class_of_combos()[parse_combo(cards)])]
    except RiverboatError:
        return ""


def _page(
    request: Request,
    site: Site,
    fields: SpotFields,
    status: int,
    refused: str = "",
    *,
    fresh: bool = False,
    opening: Mapping[str, Any] | None = None,
    shelf_problems: Mapping[str, str] | None = None,
) -> Response:
    cost, too_large = _cost(site, fields)
    draft = _drafts(site).open(_browser(request), 3 if fields.three else 2)
    query = (
        f"?{request.url.query}"
        if fresh and request.url.query
        else "?players=3"
        if fields.three
        else ""
    )
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
        can_step={UNDO: not fresh and draft.past, REDO: not fresh and draft.future},
        form_query=query,
        saved_ranges=folders(range_library(site).names()),
        shelf_problems=shelf_problems or {},
        deleted=request.query_params.get("deleted", "")[:32],
        queued=site.spot_runs.find(request.query_params.get("queued", "")),
        devices=devices(),
        range_saved=request.query_params.get("range_saved", "")[:200],
        opening=opening or {"problems": {}, "text": ""},
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
        return solve_cost(fields.spot, fields.target, site.memory, fields.values["device"]), ""
    except RiverboatError as error:
        return None, str(error)


def devices() -> list[tuple[str, str]]:
    """What a solve can run on: value and words."""
    words = {"cpu": "CPU", "cuda": "GPU"}
    return [(device.name, words[device.name]) for device in list_devices()[:2]]


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
