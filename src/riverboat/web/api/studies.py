"""Studies: what there are, their chapters, and adding one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from urllib.parse import unquote

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from riverboat.arena.study import (
    MAX_ADDRESS,
    MAX_BYTES,
    MAX_NOTE,
    Chapter,
    Study,
    checked_address,
    checked_note,
    checked_title,
    place_kind,
)
from riverboat.errors import FileFormatError, RiverboatError
from riverboat.lessons.texts import find_lesson
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.site import AskedSite, Site
from riverboat.web.studies import KeptStudy, OpenChapter

router = APIRouter(prefix="/studies", tags=["Studies"], responses=REFUSED)
NO_STUDY = "There is no such study; it may have another name by now."
GONE = {
    "spot": "The spot of this chapter is gone: it was deleted, or is on another machine.",
    "strategy": "The strategy of this chapter is gone: it was deleted, or is on another machine.",
    "lesson": "There is no such step of a lesson in this version.",
}
"""What is said of a chapter whose page is not there any more."""


class NewChapter(BaseModel):
    """A page that shall become a chapter."""

    title: Annotated[str, Field(max_length=200)]
    address: Annotated[
        str, Field(max_length=MAX_ADDRESS, description="Such as /holdem/spots/NAME?node=r:0:c.")
    ]
    note: Annotated[str, Field(max_length=2 * MAX_NOTE, description="Plain text.")] = ""


class ChapterFacts(BaseModel):
    """A chapter of a study."""

    number: int
    title: str
    address: str = Field(description="The page that it opens.")
    note: str
    kind: str = Field(description="spot, strategy or lesson.")
    page: str = Field(description="The address that opens the chapter.")
    there: bool = Field(description="Whether what it opens is still there.")


class StudyFacts(BaseModel):
    """A study: chapters in an order."""

    name: str
    changed: datetime
    page: str
    problem: str = Field(description="Why it cannot be read; empty where it can.")
    chapters: list[ChapterFacts]


def study_facts(site: Site, kept: KeptStudy) -> StudyFacts:
    """Return a study with its chapters."""
    return StudyFacts(
        name=kept.name,
        changed=kept.changed,
        page=kept.address,
        problem=kept.problem,
        chapters=[
            ChapterFacts(
                number=number,
                **chapter.as_dict(),
                kind=chapter.kind,
                page=f"{kept.address}/{number}",
                there=is_there(site, chapter),
            )
            for number, chapter in enumerate(kept.study.chapters, 1)
        ],
    )


def is_there(site: Site, chapter: Chapter) -> bool:
    """Whether what a chapter opens is still there."""
    parts = unquote(chapter.address.partition("?")[0]).strip("/").split("/", 2)
    if chapter.kind == "spot":
        return site.spot_runs.find(parts[2]) is not None
    if chapter.kind == "lesson":
        lesson, _, step = f"{parts[1]}/{parts[2]}".partition("/")
        try:
            return 1 <= int(step) <= len(find_lesson(lesson).steps)
        except RiverboatError:
            return False
    if parts[1] == "run":
        return site.solve_runs.find(parts[2].partition("/")[0]) is not None
    try:
        return site.library.path(parts[2]).is_file()
    except RiverboatError:
        return False


def found_study(site: Site, name: str) -> KeptStudy:
    """The study of an address."""
    kept = site.studies.find(name)
    if kept is None:
        raise HTTPException(404, NO_STUDY)
    return kept


def add_chapter(site: Site, study: str, wanted: NewChapter) -> OpenChapter:
    """Put a chapter at the end of a study; what is wrong is said at its field."""
    with about("title"):
        title = checked_title(wanted.title)
    with about("note"):
        note = checked_note(wanted.note)
    with about("address"):
        address = checked_address(wanted.address)
    with about("study"):
        return site.studies.add(study, Chapter(title, address, note))


def import_study(site: Site, name: str, raw: bytes) -> str:
    """Keep the bytes of a study's file as a new study, whose name is returned."""
    with about("file"):
        if len(raw) > MAX_BYTES:
            raise FileFormatError("This file is too large for a study.")
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise FileFormatError("This file is no study: it is no text.") from None
        study = Study.parse(text, "This file")
    with about("name"):
        return site.studies.create(name, study)


def suggested_title(address: str) -> str:
    """What a chapter may be called before anybody says so."""
    return {"lesson": "A step of a lesson", "strategy": "A strategy"}.get(place_kind(address), "")


@router.get("")
def list_studies(site: AskedSite) -> list[StudyFacts]:
    """List the studies, the one changed last first."""
    return [study_facts(site, kept) for kept in site.studies.all()]


@router.get("/{name}")
def read_study(name: str, site: AskedSite) -> StudyFacts:
    """Return a study with its chapters."""
    return study_facts(site, found_study(site, name))


@router.post("/{name}", status_code=201)
def add(name: str, wanted: NewChapter, site: AskedSite) -> StudyFacts:
    """Put a chapter at the end of a study, which is begun where there is none of that name."""
    return study_facts(site, add_chapter(site, name, wanted).kept)
