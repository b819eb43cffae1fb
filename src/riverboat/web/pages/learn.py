"""Learn: the list of lessons, and a lesson step by step, where one left off."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from riverboat.errors import RiverboatError
from riverboat.lessons.texts import Lesson, find_lesson, lessons
from riverboat.web.api.lessons import (
    BluffAndCallAnswer,
    explore_bluff_and_call,
    keep_place,
    lesson_facts,
    progress_of,
)
from riverboat.web.app.plots import Curve, line_plot
from riverboat.web.app.templates import render
from riverboat.web.pages.studies import opened
from riverboat.web.site import AskedSite

router = APIRouter()
START = 33
"""Per cent at which the sliders stand at first."""


@router.get("/learn")
def learn(request: Request, site: AskedSite) -> HTMLResponse:
    """Show the lessons and the reader's place in each."""
    facts = lesson_facts(site)
    begun = [lesson for lesson in facts if 0 < lesson.step < lesson.steps]
    undone = [lesson for lesson in facts if not lesson.done]
    following = (begun or undone or facts)[0]
    return render(
        request, "learn/list.html", title="Learn", place="/learn", lessons=facts, next=following
    )


@router.get("/learn/{lesson}")
def begin(lesson: str, site: AskedSite) -> Response:
    """Lead to the step where the reader left off."""
    found = _lesson(lesson)
    step = progress_of(site).place(found.number).step
    return RedirectResponse(_address(found, step if step < len(found.steps) else 0), 303)


@router.get("/learn/{lesson}/{step}", response_model=None)
def show_step(request: Request, lesson: str, step: str, site: AskedSite) -> Response:
    """Show a step, counted from 1: its text, its cell with what it gives, sliders or a question."""
    found = _lesson(lesson)
    number = _step(found, step)
    return _page(request, site, found, number)


@router.post("/learn/{lesson}/{step}", response_model=None)
def go_on(request: Request, lesson: str, step: str, site: AskedSite) -> Response:
    """Remember that a step was read and lead to the one after it."""
    found = _lesson(lesson)
    number = _step(found, step)
    try:
        facts = keep_place(site, str(found.number), number + 1)
    except RiverboatError as error:
        return _page(request, site, found, number, 422, str(error))
    if number + 1 == facts.steps:
        return RedirectResponse("/learn", 303)
    return RedirectResponse(_address(found, number + 1), 303)


@router.get("/learn/{lesson}/{step}/picture.svg")
def picture(lesson: str, step: str, site: AskedSite) -> Response:
    """Show what the cell of a step draws."""
    found = _lesson(lesson)
    number = _step(found, step)
    shown = site.lesson_answers.wait(site.lesson_runs.run, found.number, number)
    if shown is None or not shown.picture:
        raise HTTPException(404, "This step draws nothing.")
    return Response(shown.picture, media_type="image/svg+xml")


def _lesson(text: str) -> Lesson:
    try:
        return find_lesson(text)
    except RiverboatError as error:
        raise HTTPException(404, str(error)) from error


def _step(lesson: Lesson, text: str) -> int:
    """A step of an address, counted from 0."""
    count = len(lesson.steps)
    if not (text.isascii() and text.isdecimal() and len(text) < 5 and 1 <= int(text) <= count):
        raise HTTPException(404, f"Lesson {lesson.number} has the steps 1 to {count}.")
    return int(text) - 1


def _address(lesson: Lesson, step: int) -> str:
    return f"/learn/{lesson.number}/{step + 1}"


def _page(
    request: Request,
    site: AskedSite,
    lesson: Lesson,
    number: int,
    status: int = 200,
    problem: str = "",
) -> HTMLResponse:
    from riverboat.web.lessons import as_html

    step, count = lesson.steps[number], len(lesson.steps)
    shown = None
    if step.cell is not None:
        shown = site.lesson_answers.ask(site.lesson_runs.run, lesson.number, number)
    waiting = step.cell is not None and shown is None
    explorer: BluffAndCallAnswer | None = None
    problems: dict[str, str] = {}
    if step.explore:
        explorer, problems = _explore(request)
    return render(
        request,
        "learn/step.html",
        422 if problems else status,
        title=f"Lesson {lesson.number}",
        place="/learn",
        lesson=lesson,
        number=number,
        count=count,
        read=progress_of(site).place(lesson.number),
        text=as_html(step.text),
        code=step.cell.code if step.cell is not None else "",
        shown=shown,
        waiting=waiting,
        answer=as_html(step.answer) if step.answer else "",
        explorer=explorer,
        problems=problems,
        plots=[_lines(explorer, width) for width in (520, 330)] if explorer else [],
        last=len(lessons()),
        problem=problem,
        address=lambda at: _address(lesson, at),
        chapter=opened(request, site),
    )


def _explore(request: Request) -> tuple[BluffAndCallAnswer | None, dict[str, str]]:
    """Where the sliders of an address stand, in per cent, and what they show."""
    problems, shares = {}, []
    for name in ("bluff", "call"):
        text = request.query_params.get(name, str(START))
        if text.isascii() and text.isdecimal() and len(text) < 4 and int(text) <= 100:
            # A third is what the lesson is about, and no whole number of per cent.
            shares.append(1 / 3 if int(text) == START else int(text) / 100)
        else:
            problems[name] = f"Write a whole number from 0 to 100, not {text[:20]!r}."
    if problems:
        return None, problems
    return explore_bluff_and_call(*shares), {}


def _lines(answer: BluffAndCallAnswer, width: int) -> str:
    here = [(answer.bluff, -0.3), (answer.bluff, answer.value)]
    return line_plot(
        [
            Curve("she always calls", answer.always),
            Curve("she never calls", answer.never),
            Curve("she calls as you set it", answer.mixed),
            Curve("you are here", here),
        ],
        x="how often the jack bluffs",
        y="the first player wins",
        x_limits=(0, 1),
        y_limits=(-0.3, 0.1),
        width=width,
        height=300,
    )
