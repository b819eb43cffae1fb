"""Saved ranges: what there is, save one, rename, delete and restore it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from riverboat.cards.range_library import RangeLibrary
from riverboat.cards.ranges import Range
from riverboat.errors import RiverboatError
from riverboat.web.api.equity import MAX_TEXT
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.site import AskedSite, Site

router = APIRouter(prefix="/ranges", tags=["Ranges"], responses=REFUSED)
RangeName = Annotated[str, Field(max_length=200, description="Such as BTN/open 2.5.")]


class SavedRange(BaseModel):
    """A range of the library."""

    name: str
    text: str = Field(description="Its hands; empty where its file is damaged.")
    combos: float
    share: float = Field(description="Of all hands.")
    problem: str | None


class NamedRange(BaseModel):
    """A range to be saved."""

    name: RangeName
    text: Annotated[str, Field(max_length=MAX_TEXT)]
    replace: Annotated[bool, Field(description="Whether one of that name is replaced.")] = False


class OneName(BaseModel):
    """The name of a saved range."""

    name: RangeName


class Renamed(BaseModel):
    """A saved range and its new name."""

    name: RangeName
    new: RangeName


def range_library(site: Site) -> RangeLibrary:
    """The saved ranges of this server."""
    return RangeLibrary(site.settings.folder / "ranges")


def saved_range(library: RangeLibrary, name: str) -> SavedRange:
    """Return a range of the library, or what is wrong with its file."""
    try:
        found = library.read(name)
    except RiverboatError as error:
        return SavedRange(name=name, text="", combos=0, share=0, problem=str(error))
    return SavedRange(
        name=name, text=str(found), combos=found.num_combos, share=found.share, problem=None
    )


def save_range(site: Site, wanted: NamedRange) -> str:
    """Save a range under a name, which is returned as it is kept."""
    with about("text"):
        hands = Range.parse(wanted.text)
    with about("name"):
        return range_library(site).save(wanted.name, hands, replace=wanted.replace)


def folders(names: list[str]) -> dict[str, list[tuple[str, str]]]:
    """Folder → name and last part of each range in it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name in names:
        folder, _, leaf = name.rpartition("/")
        found.setdefault(folder, []).append((name, leaf))
    return found


@router.get("")
def list_ranges(site: AskedSite) -> list[SavedRange]:
    """List the saved ranges, folder by folder."""
    library = range_library(site)
    return [saved_range(library, name) for name in library.names()]


@router.post("", status_code=201)
def save(wanted: NamedRange, site: AskedSite) -> OneName:
    """Save a range; a taken name is refused unless it is to be replaced."""
    return OneName(name=save_range(site, wanted))


@router.post("/rename")
def rename(wanted: Renamed, site: AskedSite) -> OneName:
    """Give a saved range another name or folder."""
    with about("new"):
        return OneName(name=range_library(site).rename(wanted.name, wanted.new))


@router.post("/delete")
def delete(wanted: OneName, site: AskedSite) -> OneName:
    """Delete a saved range; it can be restored."""
    with about("name"):
        return OneName(name=range_library(site).delete(wanted.name))


@router.post("/restore")
def restore(wanted: OneName, site: AskedSite) -> OneName:
    """Restore the range that was deleted or replaced last under a name."""
    with about("name"):
        return OneName(name=range_library(site).restore(wanted.name))
