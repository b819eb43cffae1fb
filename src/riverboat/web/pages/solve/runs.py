"""Solve: the form of a run with the size of its game, and a run with its curves and results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from riverboat.errors import RiverboatError
from riverboat.games.registry import make_game
from riverboat.web.api.solve import (
    GameFacts,
    RunAnswer,
    SizeFacts,
    SolveQuestion,
    algorithm_facts,
    begin,
    check_question,
    find_run,
    game_facts,
    game_size,
    run_answer,
    solvable,
)
from riverboat.web.app.plots import Curve, line_plot
from riverboat.web.app.problems import FieldError, by_field
from riverboat.web.app.templates import render
from riverboat.web.site import AskedSite, Site
from riverboat.web.solve.runs import LIMITS, SolveRun, game_title

router = APIRouter()
FIRST_GAME, FIRST_ALGORITHMS = "leduc", ("dcfr", "cfr+")
AMOUNTS = {"target": "1e-5", "iterations": "1000", "seconds": "5"}
"""What the form has at first for each limit."""
ACROSS = {"iterations": 0, "seconds": 1}
"""What the curves are drawn over, and its place in a point."""
MAX_TEXT = 100
NUM_BEFORE = 12


@dataclass(frozen=True)
class SolveForm:
    """What the form says. Names of the rules' fields begin with the game's name."""

    game: str
    facts: GameFacts
    rules: Mapping[str, str]
    algorithms: tuple[str, ...]
    until: str
    amount: str
    problems: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, form: QueryParams | FormData) -> SolveForm:
        """Read the form; a game that there is not becomes a problem and the first game."""
        problems: dict[str, str] = {}
        game = _text(form, "game", FIRST_GAME)
        try:
            facts = game_facts(game)
        except RiverboatError as error:
            problems |= by_field(error)
            game, facts = FIRST_GAME, game_facts(FIRST_GAME)
        sent = "until" in form
        chosen = tuple(str(each)[:MAX_TEXT] for each in form.getlist("algorithm"))
        until = _text(form, "until", "target")
        until = until if until in LIMITS else "target"
        amount = _text(form, "amount", AMOUNTS[until])
        if any(amount == usual for kind, usual in AMOUNTS.items() if kind != until):
            amount = AMOUNTS[until]  # The limit was changed, and its amount not yet
        rules = {
            rule.name: _text(form, f"{game}.{rule.name}", rule.value) for rule in facts.parameters
        }
        return cls(
            game, facts, rules, chosen if sent else FIRST_ALGORITHMS, until, amount, problems
        )

    def question(self) -> SolveQuestion:
        """The question to the API; a field that cannot be read is refused."""
        try:
            amount = float(self.amount.replace(",", ""))
        except ValueError:
            raise FieldError(
                "amount", f"The limit is a number, not {self.amount[:30]!r}."
            ) from None
        return SolveQuestion(
            game=self.game,
            parameters=dict(self.rules),
            algorithms=list(self.algorithms),
            limit=self.until,  # type: ignore[arg-type]
            amount=amount,
        )

    def check(self) -> Mapping[str, str]:
        """Field → sentence, for everything that is wrong."""
        found = dict(self.problems)
        for name, text in self.rules.items():
            found |= _refusal(f"{self.game}.{name}", make_game, self.game, {name: text})
        if not found:
            found |= _refusal("", make_game, self.game, dict(self.rules))
        if not found:
            found |= _refusal("", self.order)
        else:
            found |= _refusal("", self.question)
        return found

    def order(self) -> None:
        """Refuse what no run could begin with."""
        check_question(self.question())


def _refusal(field: str, check: Callable[..., object], *arguments: object) -> Mapping[str, str]:
    """What a check says of a field; a field that the error names itself goes before."""
    try:
        check(*arguments)
    except RiverboatError as error:
        named = by_field(error)
        return named if "" not in named else {field: named[""]}
    return {}


def _text(form: Mapping[str, Any], name: str, usual: str) -> str:
    return str(form.get(name, usual)).strip()[:MAX_TEXT]


def address_of_form(run: SolveRun) -> str:
    """The form with everything as in a run."""
    order = run.order
    query = {
        "game": order.game,
        **{f"{order.game}.{name}": text for name, text in order.parameters.items()},
        "until": order.limit,
        "amount": f"{order.amount:g}",
    }
    return f"/solve?{urlencode([*query.items(), *(('algorithm', a) for a in order.algorithms)])}"


@router.get("/solve")
def solve_page(request: Request, site: AskedSite) -> HTMLResponse:
    """Show the form, how large the game is, and what was solved before."""
    form = SolveForm.read(request.query_params)
    return _page(request, site, form, form.check())


@router.post("/solve", response_model=None)
async def solve(request: Request, site: AskedSite) -> Response:
    """Start a run and lead to it; what is wrong is said at its field."""
    form = SolveForm.read(await request.form(max_files=0, max_fields=100))
    problems = form.check()
    if not problems:
        try:
            run = begin(site, form.question())
            return RedirectResponse(f"/solve/run/{run.name}", 303)
        except RiverboatError as error:
            problems = by_field(error)
    return _page(request, site, form, problems)


def _page(
    request: Request, site: Site, form: SolveForm, problems: Mapping[str, str]
) -> HTMLResponse:
    size: SizeFacts | None = None
    if not problems:
        try:
            size = site.answers.ask(game_size, form.game, tuple(form.rules.items()))
        except RiverboatError as error:
            problems = by_field(error)
    return render(
        request,
        "solve/solve.html",
        422 if problems else 200,
        title="Solve",
        place="/solve",
        form=form,
        problems=problems,
        size=size,
        refused=size is not None and (size.num_bytes or 0) > site.memory,
        waiting=size is None and not problems,
        games=[(name, game_title(name)) for name in solvable()],
        algorithms=algorithm_facts(form.game),
        limits=LIMITS,
        before=[run_answer(run) for run in site.solve_runs.recent(NUM_BEFORE)],
    )


@router.get("/solve/run/{name}")
def run_page(request: Request, name: str, site: AskedSite, across: str = "") -> HTMLResponse:
    """Show a run: its curves and results, as they are now."""
    try:
        run = find_run(site, name)
    except RiverboatError as error:
        return render(
            request,
            "solve/missing.html",
            404,
            title="Solve",
            place="/solve",
            words=str(error),
            start="",
        )
    answer = run_answer(run)
    across = across if across in ACROSS else "iterations"
    facts = game_facts(run.order.game) if run.order.game in solvable() else None
    labels = {rule.name: rule.label for rule in facts.parameters} if facts else {}
    return render(
        request,
        "solve/run.html",
        title=f"{answer.game_title}, solving" if answer.running else answer.game_title,
        place="/solve",
        run=answer,
        labels=labels,
        limit_words=LIMITS[answer.limit],
        across=across,
        choices=list(ACROSS),
        plots=[_curves(answer, across, width) for width in (760, 340)],
        waiting=answer.running,
        again=address_of_form(run),
    )


def _curves(answer: RunAnswer, across: str, width: int) -> str:
    column = ACROSS[across]
    curves = [
        Curve(part.algorithm, [(p[column], max(p[2], 1e-12)) for p in part.curve if p[column] > 0])
        for part in answer.parts
    ]
    return line_plot(
        curves,
        x=across,
        y="exploitability",
        log_x=True,
        log_y=True,
        width=width,
        height=340 if width > 500 else 280,
    )
