"""Training: who trains here, and what their drills came to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from riverboat.arena.memory import Memory
from riverboat.arena.people import delete_person, known_file, rename_person
from riverboat.arena.training_results import TrainingResults
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.site import AskedSite, Site

router = APIRouter(prefix="/training", tags=["Training"], responses=REFUSED)
DeckText = Annotated[str | None, Field(max_length=200)]


class PersonFacts(BaseModel):
    """A person who trains."""

    person: str
    answers: int
    to_repeat: int = Field(description="Questions that come again some day.")
    due: int = Field(description="Those of today.")


class PeopleAnswer(BaseModel):
    """All who train here; the facts of `riverboat training --json`."""

    people: list[PersonFacts]


class ResultFacts(BaseModel):
    """The answers of one group, in one unit."""

    kind: str = Field(description='"day", "deck", or a kind of groups such as "street".')
    group: str
    unit: str
    asked: int
    right: int
    share: float | None = Field(description="The part of the answers that was right.")
    lost: float = Field(description="EV lost by mistakes, in the unit.")
    per_decision: float | None
    looked_up: int = Field(description="Answers that do not count: the solution was looked up.")
    to_repeat: int
    due: int


class TrainingAnswer(BaseModel):
    """What drills came to; the facts of `riverboat training NAME --json`."""

    person: str
    today: date
    deck: str | None = Field(description="The deck that was asked for.")
    decks: Mapping[str, str] = Field(description="Deck → its title.")
    due: int
    coming: Mapping[str, int] = Field(description="Day → questions that come again on it.")
    rows: list[ResultFacts]


class NewName(BaseModel):
    """What a person shall be called."""

    name: Annotated[str, Field(max_length=200)]


def everyone(site: Site) -> PeopleAnswer:
    """All who have a memory, with what is due today."""
    now = site.now()
    return PeopleAnswer(
        people=[
            PersonFacts(
                person=memory.person,
                answers=len(memory.answers),
                to_repeat=len(memory.missed),
                due=len(memory.due(now)),
            )
            for memory in site.memories.everyone()
        ]
    )


def memory_of(site: Site, person: str) -> Memory:
    """The memory of a person who has one."""
    known_file(site.settings.folder, person)
    return site.memories.read(person)


def training_results(site: Site, person: str, deck: str | None = None) -> TrainingResults:
    """The results of a person, of all decks or of one."""
    memory = memory_of(site, person)
    with about("deck"):
        return TrainingResults.of_memory(memory, site.now(), deck or None)


def rename(site: Site, person: str, new: str) -> str:
    """Give a person another name; what is wrong with it is said at its field."""
    with about("name"):
        return rename_person(site.settings.folder, person, new)


@router.get("")
def list_people(site: AskedSite) -> PeopleAnswer:
    """List those who train here."""
    return everyone(site)


@router.get("/{person}")
def show_training(person: str, site: AskedSite, deck: DeckText = None) -> TrainingAnswer:
    """Say what a person's drills came to."""
    return TrainingAnswer.model_validate(training_results(site, person, deck).as_dict())


@router.patch("/{person}")
def rename_trainee(person: str, wanted: NewName, site: AskedSite) -> NewName:
    """Give a person another name; a taken name is refused."""
    return NewName(name=rename(site, person, wanted.name))


@router.delete("/{person}", status_code=204)
def delete_trainee(person: str, site: AskedSite) -> None:
    """Delete all answers of a person."""
    delete_person(site.settings.folder, person)
