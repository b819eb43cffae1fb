"""Saved files: what there is, and giving one another name or deleting it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter
from pydantic import BaseModel, Field

from riverboat.web.app.library import Library, Saved
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.site import AskedSite

router = APIRouter(prefix="/library", tags=["Library"], responses=REFUSED)


class SavedFile(BaseModel):
    """A file of the library."""

    name: str
    kind: str = Field(description="What it holds, such as strategy, spot or blueprint.")
    num_bytes: int
    changed: datetime
    page: str | None = Field(description="The address of the page that opens it.")

    @classmethod
    def of(cls, saved: Saved) -> SavedFile:
        return cls(
            name=saved.name,
            kind=saved.kind,
            num_bytes=saved.size,
            changed=saved.changed,
            page=page_of(saved),
        )


class NewName(BaseModel):
    """What a file shall be called."""

    name: Annotated[str, Field(max_length=200)]


def page_of(saved: Saved) -> str | None:
    """The address of the page that opens a file."""
    name = quote(saved.name)
    match saved.kind:
        case "strategy" | "public-strategy":
            return f"/solve/strategy/{name}"
        case "spot" | "three-way-spot":
            return f"/holdem/spots?{urlencode({'file': saved.name})}"
        case "omaha-spot":
            return f"/holdem/omaha?{urlencode({'file': saved.name})}"
        case "preflop":
            return f"/holdem/preflop/{name}"
        case "blueprint":
            return f"/holdem/blueprints?{urlencode({'name': saved.name})}"
        case "study":
            return f"/studies/{quote(saved.name.removesuffix('.study'))}"
        case "tournaments":
            return "/twentyone"
    return None


def rename(library: Library, old: str, new: str) -> str:
    """Give a file another name, which is returned; what is wrong with it is said at its field."""
    with about("name"):
        return library.rename(old, new) if new.strip() != old else old


@router.get("")
def list_files(site: AskedSite) -> list[SavedFile]:
    """List the saved files, the newest first."""
    return [SavedFile.of(saved) for saved in site.library.files()]


@router.patch("/{name}")
def rename_file(name: str, wanted: NewName, site: AskedSite) -> NewName:
    """Give a file another name with the same ending; a taken name is refused."""
    return NewName(name=rename(site.library, name, wanted.name))


@router.delete("/{name}", status_code=204)
def delete_file(name: str, site: AskedSite) -> None:
    """Delete a file; one in which something is being written is refused."""
    site.library.delete(name)
