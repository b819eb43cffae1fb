"""The trainer: hands to decide, judged exactly; what was not known comes again."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.blackjack.rules import points
from riverboat.errors import RiverboatError
from riverboat.web.app.answers import PATIENCE_SECONDS
from riverboat.web.app.templates import render
from riverboat.web.blackjack.training import Training
from riverboat.web.pages.blackjack.frame import LETTERS, AskedTable, table_context, worths
from riverboat.web.site import AskedSite, Site

router = APIRouter()
KINDS = {
    "hard": "hard totals",
    "soft": "soft totals",
    "pairs": "pairs",
    "surrender": "surrenders",
    "deviations": "plays by the count",
}
USUAL_KINDS = ("hard", "soft", "pairs")
KEYS = {
    "stand": "s",
    "hit": "h",
    "double": "d",
    "split": "p",
    "surrender": "r",
    "insure": "i",
    "decline": "n",
}
"""Action → its key, in the order of the buttons."""
FORGOTTEN = "This sitting is not known any more; begin a new one. What you missed is remembered."


@router.get("/blackjack/train", response_model=None)
def train_page(request: Request, site: AskedSite) -> Response:
    """Show what can be drilled."""
    return _page(request, site, AskedTable.read(request))


@router.post("/blackjack/train", response_model=None)
def begin(
    request: Request,
    site: AskedSite,
    kinds: Annotated[list[str] | None, Form(alias="kind", max_length=10)] = None,
) -> Response:
    """Begin a sitting under the rules of the address."""
    table = AskedTable.read(request)
    if table.problem:
        return _page(request, site, table)
    try:
        name = site.trainings.begin(table.rules, kinds or ())
    except RiverboatError as error:
        return _page(request, site, table, tuple(kinds or ()), str(error))
    return RedirectResponse(f"/blackjack/train/{name}", 303)


@router.get("/blackjack/train/{name}", response_model=None)
def sitting_page(request: Request, site: AskedSite, name: str) -> Response:
    """Show a sitting's question, or its verdict."""
    training = site.trainings.find(name)
    if training is None:
        return _page(request, site, AskedTable.read(request), problem=FORGOTTEN, status=404)
    table = AskedTable(training.rules, "")
    return _page(request, site, table, training.trainer.kinds, name=name, training=training)


@router.post("/blackjack/train/{name}", response_model=None)
def act(
    request: Request,
    site: AskedSite,
    name: str,
    what: Annotated[str, Form(max_length=20)],
    decision: Annotated[int, Form()],
) -> Response:
    """Answer, look up, or go on to the next question."""
    training = site.trainings.find(name)
    if training is not None:
        training.do(what, decision)
    return RedirectResponse(f"/blackjack/train/{name}", 303)


def _page(
    request: Request,
    site: Site,
    table: AskedTable,
    kinds: tuple[str, ...] = USUAL_KINDS,
    problem: str = "",
    *,
    status: int = 422,
    name: str = "",
    training: Training | None = None,
) -> Response:
    context = table_context(request, site, table, "train")
    question = training.question(PATIENCE_SECONDS) if training else None
    context["waiting"] = context["waiting"] or (training is not None and question is None)
    cards = question.cards if question else ""
    total, soft = points(cards) if cards else (0, False)
    shown = training is not None and (training.looked_up or training.verdict is not None)
    return render(
        request,
        "blackjack/train.html",
        status if problem or table.problem else 200,
        **context,
        all_kinds=KINDS,
        kinds=kinds,
        problem=problem,
        sitting=name,
        training=training,
        question=question,
        total=f"{'soft ' if soft else ''}{total}" if cards else "insurance?",
        moves=[
            (action, KEYS[action], LETTERS[action])
            for action in KEYS
            if question and action in question.values
        ],
        worths=worths(question.values) if question and shown else [],
        score=training.trainer.score.lines() if training else [],
    )
