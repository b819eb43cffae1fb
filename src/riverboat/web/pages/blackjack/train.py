"""The trainer: hands to decide, judged exactly; what was not known comes again."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.arena.drill import PracticeRecord
from riverboat.arena.memory import Memory, Wanted
from riverboat.blackjack.rules import BlackjackRules, points
from riverboat.errors import RiverboatError
from riverboat.web.app.answers import PATIENCE_SECONDS
from riverboat.web.app.templates import render
from riverboat.web.pages.blackjack.frame import LETTERS, AskedTable, table_context, worths
from riverboat.web.site import AskedSite, Site
from riverboat.web.training.sittings import Sitting, person_sitting
from riverboat.web.training.trainee import Trainee, known, trainee

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
RECORD = "blackjack-practice.json"
"""What is kept of those who train without a name."""
FORGOTTEN = "This sitting is not known any more; begin a new one. What you missed is remembered."


@router.get("/blackjack/train", response_model=None)
def train_page(request: Request, site: AskedSite) -> Response:
    """Show what can be drilled."""
    trained = trainee(request, site)
    kinds = tuple(kind for kind in KINDS if kind in trained.wanted.groups.get("hand", ()))
    return _page(request, site, AskedTable.read(request), kinds or USUAL_KINDS)


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
        trained = known(trainee(request, site))
        sitting = _sitting(site, table.rules, tuple(kinds or ()), trained)
    except RiverboatError as error:
        return _page(request, site, table, tuple(kinds or ()), str(error))
    return RedirectResponse(f"/blackjack/train/{site.trainings.add(sitting)}", 303)


def _sitting(
    site: Site, rules: BlackjackRules, kinds: tuple[str, ...], trained: Trainee
) -> Sitting:
    """A sitting with the memory of a person, or with the record of all without a name."""
    from riverboat.blackjack.casino.drills import Trainer

    groups = {kind: group for kind, group in trained.wanted.groups.items() if kind != "hand"}
    wanted = Wanted(groups, trained.wanted.mistakes)
    if not trained.person and not wanted.words:
        path = site.settings.folder / RECORD
        record = PracticeRecord.load(path) if path.is_file() else PracticeRecord(path)
        trainer = Trainer(rules, kinds, record=record)
        return Sitting(trainer, trainer.next, lambda _question, _verdict: "", site.workers)
    trainer = Trainer(rules, kinds)
    return person_sitting(site, trainer, trained, wanted)


@router.get("/blackjack/train/{name}", response_model=None)
def sitting_page(request: Request, site: AskedSite, name: str) -> Response:
    """Show a sitting's question, or its verdict."""
    training = site.trainings.find(name)
    if training is None or "game" in training.facts:
        return _page(request, site, AskedTable.read(request), problem=FORGOTTEN, status=404)
    table = AskedTable(training.judge.rules, "")
    return _page(request, site, table, training.judge.kinds, name=name, training=training)


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
    training: Sitting | None = None,
) -> Response:
    from riverboat.blackjack.casino.drills import deck_of

    context = table_context(request, site, table, "train")
    question, refused = None, ""
    try:
        question = training.question(PATIENCE_SECONDS) if training else None
    except RiverboatError as error:
        training, refused = None, str(error)
    trained = trainee(request, site)
    problem = problem or refused or trained.problem
    groups = {"up": tuple("23456789TA")} if training is None else {}
    trained = replace(
        trained, here=f"/blackjack/train?{table.query}", deck=deck_of(table.rules), groups=groups
    )
    if training is not None:
        person = str(training.facts.get("person", ""))
        memory = site.memories.read(person) if person else Memory()
        trained = replace(trained, person=person, memory=memory)
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
        score=training.judge.score.lines() if training else [],
        trained=trained,
    )
