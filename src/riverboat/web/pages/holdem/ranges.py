"""The library of ranges: all saved ranges by folder, to rename, delete and restore."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.errors import RiverboatError
from riverboat.web.api.equity import MAX_TEXT
from riverboat.web.api.ranges import NamedRange, folders, range_library, save_range, saved_range
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.site import AskedSite, Site

router = APIRouter()
ADDRESS = "/holdem/ranges"
Name = Annotated[str, Form(max_length=200)]


@router.get("/holdem/ranges", response_model=None)
def ranges_page(request: Request, site: AskedSite, deleted: str = "") -> Response:
    """Show the saved ranges."""
    return _page(request, site, deleted=deleted[:200])


@router.post("/holdem/ranges", response_model=None)
def save(
    request: Request,
    site: AskedSite,
    name: Name = "",
    text: Annotated[str, Form(max_length=MAX_TEXT)] = "",
) -> Response:
    """Save a range that was typed."""
    try:
        save_range(site, NamedRange(name=name, text=text))
    except RiverboatError as error:
        return _page(request, site, by_field(error), typed={"name": name, "text": text})
    return RedirectResponse(ADDRESS, 303)


@router.post("/holdem/ranges/rename", response_model=None)
def rename(request: Request, site: AskedSite, name: Name = "", new: Name = "") -> Response:
    """Give a range another name or folder."""
    try:
        range_library(site).rename(name, new)
    except RiverboatError as error:
        return _page(request, site, {f"new {name}": str(error)}, typed={f"new {name}": new})
    return RedirectResponse(ADDRESS, 303)


@router.post("/holdem/ranges/delete", response_model=None)
def delete(request: Request, site: AskedSite, name: Name = "") -> Response:
    """Delete a range; the page then offers to undo it."""
    try:
        deleted = range_library(site).delete(name)
    except RiverboatError as error:
        return _page(request, site, {"": str(error)})
    return RedirectResponse(f"{ADDRESS}?{urlencode({'deleted': deleted})}", 303)


@router.post("/holdem/ranges/restore", response_model=None)
def restore(request: Request, site: AskedSite, name: Name = "") -> Response:
    """Bring a deleted range back."""
    try:
        range_library(site).restore(name)
    except RiverboatError as error:
        return _page(request, site, {"": str(error)})
    return RedirectResponse(ADDRESS, 303)


def _page(
    request: Request,
    site: Site,
    problems: Mapping[str, str] | None = None,
    *,
    deleted: str = "",
    typed: Mapping[str, str] | None = None,
) -> Response:
    library = range_library(site)
    shown = {
        folder: [(leaf, saved_range(library, name)) for name, leaf in names]
        for folder, names in folders(library.names()).items()
    }
    return render(
        request,
        "holdem/ranges.html",
        422 if problems else 200,
        title="Saved ranges",
        place="/holdem",
        tab="/holdem/spots",
        folders=shown,
        problems=defaultdict(str, problems or {}),
        deleted=deleted,
        typed=defaultdict(str, typed or {}),
        where=library.folder,
    )
