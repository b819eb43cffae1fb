"""From a hand to a spot: paste hands, choose one of their decisions, stand at it."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.errors import RiverboatError, UsageError
from riverboat.web.api.hand_spots import HandFacts, kept_hands, read_hands
from riverboat.web.api.spot_files import pasted_texts
from riverboat.web.app.pasted import MAX_BYTES
from riverboat.web.app.problems import about, by_field
from riverboat.web.app.templates import render
from riverboat.web.site import AskedSite, Site

router = APIRouter()
ADDRESS = "/holdem/spots/from-hand"
MAX_SHOWN = 100_000
"""Characters of a text that its field shows again."""


@router.get("/holdem/spots/from-hand", response_model=None)
def hand_page(request: Request, site: AskedSite, text: str = "", hand: str = "") -> Response:
    """Show the field for hands, and the decisions of those of the address."""
    if not text:
        return _page(request)
    try:
        hands = site.answers.ask(kept_hands, pasted_texts(site).folder, text)
    except RiverboatError as error:
        return _page(request, problems={"text": str(error)}, typed=_typed(site, text))
    return _page(
        request, text=text, hands=hands, chosen=_chosen(hands, hand), waiting=hands is None
    )


@router.post("/holdem/spots/from-hand", response_model=None)
async def read(request: Request, site: AskedSite) -> Response:
    """Keep the hands that were pasted or uploaded, and show their decisions."""
    async with request.form(max_files=1, max_fields=4, max_part_size=2 * MAX_BYTES) as form:
        field = "text"
        try:
            field, text = await _sent(form)
            with about(field):
                read_hands(text)
                name = pasted_texts(site).keep(text)
        except RiverboatError as error:
            typed = str(form.get("text") or "")
            return _page(request, problems=by_field(error), typed=typed)
    return RedirectResponse(f"{ADDRESS}?{urlencode({'text': name})}", 303)


async def _sent(form: FormData) -> tuple[str, str]:
    """The field that was filled in, and its text."""
    given = form.get("file")
    if not (isinstance(given, UploadFile) and given.filename):
        return "text", str(form.get("text") or "")
    with about("file"):
        data = await given.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise UsageError(f"A file of hands has at most {MAX_BYTES / 1e6:.0f} MB.")
        try:
            return "file", data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError("The file is no text in UTF-8.") from error


def _typed(site: Site, name: str) -> str:
    try:
        return pasted_texts(site).read(name)
    except RiverboatError:
        return ""


def _chosen(hands: list[HandFacts] | None, hand: str) -> HandFacts | None:
    """The hand of the address, else the first that has decisions."""
    if not hands:
        return None
    asked = next((one for one in hands if str(one.number) == hand), None)
    return asked or next((one for one in hands if one.decisions), hands[0])


def _page(
    request: Request,
    *,
    text: str = "",
    hands: list[HandFacts] | None = None,
    chosen: HandFacts | None = None,
    waiting: bool = False,
    problems: object = None,
    typed: str = "",
) -> Response:
    return render(
        request,
        "holdem/from_hand.html",
        422 if problems else 200,
        title="From a hand",
        place="/holdem",
        tab="/holdem/spots",
        url=f"{ADDRESS}?{request.url.query}",
        text=text,
        hands=hands,
        chosen=chosen,
        waiting=waiting,
        problems=problems or {},
        typed=typed[:MAX_SHOWN],
    )
