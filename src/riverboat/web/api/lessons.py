"""Lessons: what there is, how far one has read, and the numbers of pictures with sliders."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from riverboat.errors import UsageError
from riverboat.lessons.texts import Lesson, Place, Progress, find_lesson, lessons
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.site import AskedSite, Site

router = APIRouter(prefix="/lessons", tags=["Lessons"], responses=REFUSED)
Share = Annotated[float, Query(ge=0, le=1)]


class LessonFacts(BaseModel):
    """A lesson, and how far it was read on this machine."""

    number: int
    name: str
    title: str
    promise: str
    minutes: int
    steps: int
    step: int = Field(description="The step that comes next, from 0.")
    done: bool = Field(description="Whether it was read to its end once.")


class BluffAndCallAnswer(BaseModel):
    """Kuhn poker where the jack bluffs and the queen calls as often as one likes."""

    bluff: float = Field(description="How often the first player bets a jack.")
    call: float = Field(description="How often the second player calls a bet with a queen.")
    value: float = Field(description="What the first player wins per hand.")
    call_gain: float = Field(description="How much more the call is worth than a fold.")
    bluff_gain: float = Field(description="How much more the bluff is worth than a pass.")
    always: list[tuple[float, float]] = Field(description="Value by bluffs: she always calls.")
    never: list[tuple[float, float]] = Field(description="Value by bluffs: she never calls.")
    mixed: list[tuple[float, float]] = Field(description="Value by bluffs: she calls so often.")


def progress_of(site: Site) -> Progress:
    """The places of this machine's reader, the same as in the terminal."""
    return Progress(site.settings.folder / "lessons.json")


def lesson_facts(site: Site) -> list[LessonFacts]:
    """All lessons with the reader's place."""
    progress = progress_of(site)
    return [_facts(lesson, progress.place(lesson.number)) for lesson in lessons()]


def _facts(lesson: Lesson, place: Place) -> LessonFacts:
    return LessonFacts(
        number=lesson.number,
        name=lesson.slug,
        title=lesson.title,
        promise=lesson.promise,
        minutes=lesson.minutes,
        steps=len(lesson.steps),
        step=min(place.step, len(lesson.steps)),
        done=place.done,
    )


def keep_place(site: Site, wanted: str, step: int) -> LessonFacts:
    """Remember the step that comes next; after the last one the lesson is done."""
    lesson, progress = find_lesson(wanted), progress_of(site)
    count = len(lesson.steps)
    with about("step"):
        if not 0 <= step <= count:
            raise UsageError(f"Lesson {lesson.number} has the steps 0 to {count}, not {step}.")
    done = step == count or progress.place(lesson.number).done
    place = Place(0 if step == count else step, done)
    progress.keep(lesson.number, place)
    return _facts(lesson, place)


def explore_bluff_and_call(bluff: float, call: float) -> BluffAndCallAnswer:
    """Compute what the sliders of lesson 2 show."""
    from riverboat.lessons.explorers import bluff_and_call

    found = asdict(bluff_and_call(bluff, call))
    return BluffAndCallAnswer(**found)


@router.get("")
def list_lessons(site: AskedSite) -> list[LessonFacts]:
    """List the lessons."""
    return lesson_facts(site)


@router.get("/bluff-and-call")
def answer_bluff_and_call(bluff: Share = 1 / 3, call: Share = 1 / 3) -> BluffAndCallAnswer:
    """Compute the worth of bluffs and calls in Kuhn poker, exactly."""
    return explore_bluff_and_call(bluff, call)


class NextStep(BaseModel):
    """Where a reader goes on."""

    step: int = Field(description="The step that comes next, from 0; the number of steps: done.")


@router.put("/{lesson}/place")
def remember_place(lesson: str, wanted: NextStep, site: AskedSite) -> LessonFacts:
    """Remember how far a lesson, by number or name, was read."""
    return keep_place(site, lesson, wanted.step)
