"""Hold'em: two ranges, a board, the equity, and which hands have it."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.cards.combos import CLASS_NAMES
from riverboat.errors import RiverboatError
from riverboat.web.api.equity import RangesAnswer, compare_ranges
from riverboat.web.app.plots import Curve, line_plot
from riverboat.web.app.templates import render
from riverboat.web.pages.holdem.board_field import BoardField, card_words
from riverboat.web.pages.holdem.range_field import RangeField
from riverboat.web.site import AskedSite

router = APIRouter()
FIRST, SECOND, BOARD = "22+,A2s+,KTs+,QTs+,JTs,AJo+,KQo", "TT+,AQs+,AKo", "Qs Jh 2h"


@router.get("/holdem", response_model=None)
@router.get("/holdem/equity", response_model=None)
def equity_page(request: Request, site: AskedSite) -> Response:
    """Show two ranges against each other. What is painted leads to the address of the result."""
    form = request.query_params
    first = RangeField.read(form, "first", "First range", FIRST)
    second = RangeField.read(form, "second", "Second range", SECOND)
    board = BoardField.read(form, "board", "Board", BOARD)
    if first.painted or second.painted or board.painted:
        query = {**first.query(), **second.query(), "board": board.text}
        return RedirectResponse(f"/holdem/equity?{urlencode(query)}", 303)
    answer: RangesAnswer | None = None
    problem = ""
    asked = not (first.problem or second.problem or board.problem)
    if asked:
        try:
            answer = site.answers.ask(compare_ranges, first.range, second.range, board.text)
        except RiverboatError as error:
            problem = str(error)
    return render(
        request,
        "holdem/equity.html",
        200 if asked and not problem else 422,
        title="Equity",
        place="/holdem",
        tab="/holdem/equity",
        first=first,
        second=second,
        board=board,
        answer=answer,
        waiting=asked and not answer and not problem,
        problem=problem,
        names=CLASS_NAMES,
        card_words=card_words,
        plots=[_curves(answer, width) for width in (560, 330)] if answer else [],
    )


def _curves(answer: RangesAnswer, width: int) -> str:
    return line_plot(
        [
            Curve(name, side.curve)
            for name, side in zip(("first", "second"), answer.sides, strict=True)
        ],
        x="per cent of the range, best hands first",
        y="equity, per cent",
        x_limits=(0, 100),
        y_limits=(0, 100),
        width=width,
        height=210,
    )
