"""A spot of Omaha to be solved: its fields, what the solve would take, and Solve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

import riverboat
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.spot import Spot
from riverboat.web.api.spots import SolveCost, begin_spot, solve_cost
from riverboat.web.app.templates import render
from riverboat.web.holdem.spot_runs import SpotOrder
from riverboat.web.pages.holdem.board_field import BoardField, card_words
from riverboat.web.pages.holdem.omaha_fields import FIRST, HOLE_CARDS, OmahaFields, values_of
from riverboat.web.site import AskedSite, Site

router = APIRouter()
ADDRESS = "/holdem/omaha"
EXAMPLES = {
    "omaha-river.toml": "River: the nut blocker",
    "omaha-turn.toml": "Turn: a wrap",
    "omaha-paired.toml": "Paired flop",
}
Text = Annotated[str, Form()]


@router.get("/holdem/omaha", response_model=None)
def form_page(
    request: Request, site: AskedSite, copy: str = "", file: str = "", example: str = ""
) -> Response:
    """Show the form: as the address says, or filled from a spot, a file or an example."""
    given, refused = dict(request.query_params), ""
    try:
        if found := _filled(site, copy, file, example):
            return RedirectResponse(f"{ADDRESS}?{urlencode(found)}", 303)
    except RiverboatError as error:
        refused = str(error)
    board = BoardField.read(given, "board", "Board", FIRST["board"])
    if board.painted:
        del given["board_card"]
        return RedirectResponse(f"{ADDRESS}?{urlencode({**given, 'board': board.text})}", 303)
    return _page(request, site, given, refused)


@router.post("/holdem/omaha", response_model=None)
def solve(
    request: Request,
    site: AskedSite,
    board: Text = "",
    cards: Text = "",
    pot: Text = "",
    stack: Text = "",
    oop: Text = "",
    ip: Text = "",
    bet: Text = "",
    raises: Annotated[str, Form(alias="raise")] = "",
    target: Text = "",
    more: Text = "",
    label: Text = "",
) -> Response:
    """Solve the spot of the form; what cannot be is said at its fields."""
    given = {
        "board": board, "cards": cards, "pot": pot, "stack": stack, "oop": oop, "ip": ip,
        "bet": bet, "raise": raises, "target": target, "more": more, "label": label,
    }  # fmt: skip
    fields = OmahaFields.read(given)
    if fields.spot is None or BoardField.read(given, "board", "Board", "").problem:
        return _page(request, site, given, fields.summary)
    try:
        solve_cost(fields.spot, fields.target, site.memory)
        made = begin_spot(site.spot_runs, SpotOrder(fields.spot, fields.target), label)
    except RiverboatError as error:
        return _page(request, site, given, str(error))
    address = f"/holdem/spots/{quote(made.name)}"
    if request.headers.get("hx-request"):  # a page of its own, not a part of this one
        return Response(status_code=200, headers={"HX-Redirect": address})
    return RedirectResponse(address, 303)


def _page(request: Request, site: Site, given: dict[str, str], refused: str) -> Response:
    fields = OmahaFields.read(given)
    board = BoardField.read(fields.values, "board", "Board", "")
    cost: SolveCost | None = None
    too_large = ""
    ready = fields.spot is not None and not board.problem
    if fields.spot is not None and ready and not refused:
        try:
            cost = site.answers.ask(omaha_cost, fields.toml(), fields.target, site.memory)
        except RiverboatError as error:
            too_large = str(error)
    wrong = bool(refused or too_large or not ready)
    return render(
        request,
        "holdem/omaha.html",
        422 if wrong else 200,
        title="Omaha",
        place="/holdem",
        tab=ADDRESS,
        fields=fields,
        board=board,
        cost=cost,
        refused=refused or too_large,
        waiting=not wrong and cost is None,
        examples=EXAMPLES,
        choices=HOLE_CARDS,
        card_words=card_words,
        url=f"{ADDRESS}?{urlencode(fields.values)}",
    )


def omaha_cost(toml: str, target: str, memory: int) -> SolveCost:
    """What the solve of a spot takes; one that is too large is refused."""
    return solve_cost(Spot.from_toml(toml), target, memory)


def _filled(site: Site, copy: str, file: str, example: str) -> dict[str, str]:
    """The fields of a spot that was solved, of a file of the library or of an example."""
    if copy and (old := site.spot_runs.find(copy)) is not None:
        return {**_values(old.spot, old.order.target), "label": old.label}
    if example in EXAMPLES:
        path = Path(riverboat.__file__).parent / "examples" / example
        return values_of(Spot.load(path), as_typed=path.read_text(encoding="utf-8"))
    if not file:
        return {}
    try:
        path = site.library.path(file)
        return _values(Spot.load(path), FIRST["target"], path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file[:60]} cannot be read as a spot.") from error


def _values(spot: Spot, target: str, as_typed: str = "") -> dict[str, str]:
    if spot.game != "omaha":
        raise UsageError("This form is of Omaha, and the spot is of hold'em; Spots takes it.")
    return values_of(spot, target, as_typed=as_typed)
