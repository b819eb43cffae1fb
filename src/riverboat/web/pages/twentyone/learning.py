"""Learning: Q tables learn by playing in background jobs; their curves approach the optimum."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.errors import RiverboatError
from riverboat.web.api.twentyone import LearningQuestion, begin_learning, best_reward, find_learning
from riverboat.web.app.plots import Curve, line_plot
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.site import AskedSite, Site
from riverboat.web.twentyone.learning_runs import LENGTHS, METHODS, STATES, LearningRun

router = APIRouter()
NUM_RECENT = 6
USUAL = LearningQuestion(methods=["literal", "on-policy"])


@router.get("/twentyone/learning", response_model=None)
def learning_page(request: Request, site: AskedSite) -> Response:
    """Show the form, what the best player gets, and the runs of before."""
    return _page(request, site, USUAL)


@router.post("/twentyone/learning", response_model=None)
def start(
    request: Request,
    site: AskedSite,
    methods: Annotated[list[str] | None, Form(alias="method", max_length=20)] = None,
    state: Annotated[str, Form(max_length=20)] = "points",
    games: Annotated[str, Form(max_length=20)] = "1000000",
) -> Response:
    """Begin to learn."""
    number = int(games) if games.isascii() and games.isdigit() else 0
    asked = LearningQuestion.model_construct(methods=methods or [], state=state, games=number)
    try:
        run = begin_learning(site, asked)
    except RiverboatError as error:
        return _page(request, site, asked, problems=dict(by_field(error)))
    return RedirectResponse(f"/twentyone/learning/{run.name}", 303)


@router.get("/twentyone/learning/{name}", response_model=None)
def run_page(request: Request, site: AskedSite, name: str) -> Response:
    """Show a run: its curves, and how far each method is."""
    run = find_learning(site, name)
    order = run.order
    asked = LearningQuestion(methods=list(order.methods), state=order.state, games=order.games)
    return _page(request, site, asked, run)


@router.post("/twentyone/learning/{name}/stop", response_model=None)
def stop(site: AskedSite, name: str) -> Response:
    """End a run with what was learned."""
    find_learning(site, name).stop()
    return RedirectResponse(f"/twentyone/learning/{name}", 303)


def _page(
    request: Request,
    site: Site,
    asked: LearningQuestion,
    run: LearningRun | None = None,
    problems: dict[str, str] | None = None,
) -> Response:
    state = asked.state if asked.state in STATES else USUAL.state
    best = site.answers.ask(best_reward, state)
    plots = [_plot(run, best, width) for width in (640, 330)] if run else []
    return render(
        request,
        "twentyone/learning.html",
        422 if problems else 200,
        title="Twenty-one: learning",
        place="/twentyone",
        tab="/twentyone/learning",
        asked=asked,
        problems=problems or {},
        run=run,
        best=best,
        waiting=best is None,
        plots=[plot for plot in plots if plot],
        recent=[each for each in site.learning_runs.recent(NUM_RECENT) if each is not run],
        methods=METHODS,
        states=STATES,
        lengths=LENGTHS,
    )


def _plot(run: LearningRun, best: float | None, width: int) -> str:
    curves = [Curve(name, points) for name, points in run.curves.items()]
    if not any(curve.points for curve in curves):
        return ""
    return line_plot(
        curves,
        x="games",
        y="mean reward",
        log_x=True,
        levels={} if best is None else {"the exact optimum": best},
        width=width,
        height=360 if width > 400 else 260,
    )
