"""Studies: chapters to open one after the other, to order, edit, import and export.

A chapter opens the page that it names; that page shows title, note and neighbours (`opened`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, File, Form, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from riverboat.arena.study import MAX_BYTES, MAX_NOTE, MAX_TITLE, SUFFIX, Study
from riverboat.errors import RiverboatError, UsageError
from riverboat.web.api.studies import (
    GONE,
    NO_STUDY,
    NewChapter,
    add_chapter,
    found_study,
    import_study,
    is_there,
    study_facts,
    suggested_title,
)
from riverboat.web.app.forms import Posted, number_in
from riverboat.web.app.problems import about, by_field
from riverboat.web.app.templates import render
from riverboat.web.site import AskedSite, Site
from riverboat.web.studies import MAX_NAME, OpenChapter

router = APIRouter()
LIMITS = {"name": MAX_NAME, "title": MAX_TITLE, "note": MAX_NOTE}


def opened(request: Request, site: Site) -> OpenChapter | None:
    """The chapter that the address of a page names."""
    reference = request.query_params.get("chapter", "")
    return site.studies.opened(reference) if reference else None


@router.get("/studies")
def studies_page(request: Request, site: AskedSite) -> HTMLResponse:
    """List the studies."""
    return _list(request, site)


@router.post("/studies", response_model=None)
def create(request: Request, site: AskedSite, form: Posted) -> Response:
    """Begin an empty study."""
    try:
        with about("new"):
            name = site.studies.create(form.get("new", ""))
    except RiverboatError as error:
        return _list(request, site, form, by_field(error))
    return RedirectResponse(_address(name), 303)


@router.post("/studies/import", response_model=None)
def import_file(
    request: Request,
    site: AskedSite,
    file: Annotated[UploadFile, File()],
    name: Annotated[str, Form()] = "",
) -> Response:
    """Keep a study's file as a new study."""
    own = (file.filename or "").replace("\\", "/").rpartition("/")[2].removesuffix(SUFFIX)
    try:
        made = import_study(site, name.strip() or own, file.file.read(MAX_BYTES + 1))
    except RiverboatError as error:
        return _list(request, site, {"name": name}, by_field(error))
    return RedirectResponse(_address(made), 303)


@router.get("/add-to-study")
def add_page(request: Request, site: AskedSite) -> HTMLResponse:
    """Show the form that makes a page a chapter."""
    return _add_form(request, site, request.query_params)


@router.post("/add-to-study", response_model=None)
def add(request: Request, site: AskedSite, form: Posted) -> Response:
    """Make a page a chapter, and open it as one."""
    try:
        title, address, note = (form.get(key, "") for key in ("title", "address", "note"))
        wanted = NewChapter.model_construct(title=title, address=address, note=note)
        made = add_chapter(site, form.get("study", ""), wanted)
    except RiverboatError as error:
        return _add_form(request, site, form, by_field(error))
    return RedirectResponse(made.page, 303)


@router.get("/studies/{name}")
def study_page(request: Request, name: str, site: AskedSite) -> HTMLResponse:
    """Show the chapters of a study."""
    return _study(request, site, name)


@router.get("/studies/{name}/export")
def export(name: str, site: AskedSite) -> Response:
    """Give the study's file."""
    kept = found_study(site, name)
    if kept.problem:
        raise UsageError(kept.problem)
    file = quote(name + SUFFIX)
    return Response(
        kept.study.format(),
        media_type="application/toml; charset=utf-8",
        headers={"content-disposition": f"attachment; filename*=UTF-8''{file}"},
    )


@router.get("/studies/{name}/{number}", response_model=None)
def chapter_page(request: Request, name: str, number: str, site: AskedSite) -> Response:
    """Open a chapter: the page that it names, or what is left of it where that is gone."""
    kept = found_study(site, name)
    found = site.studies.opened(f"{name}/{number}")
    if found is None:
        count = len(kept.study)
        has = f"It has 1 to {count}." if count else "It has none yet."
        raise HTTPException(404, f"There is no such chapter in {name}. {has}")
    if is_there(site, found.chapter):
        return RedirectResponse(found.page, 303)
    return render(
        request,
        "studies/gone.html",
        404,
        title=found.chapter.title,
        chapter=found,
        words=GONE[found.chapter.kind],
    )


@router.post("/studies/{name}/rename", response_model=None)
def rename(request: Request, name: str, site: AskedSite, form: Posted) -> Response:
    """Give a study another name."""
    try:
        with about("name"):
            new = site.studies.rename(name, form.get("name", ""))
    except RiverboatError as error:
        return _study(request, site, name, form, by_field(error))
    return RedirectResponse(_address(new), 303)


@router.post("/studies/{name}/delete", response_model=None)
def delete(request: Request, name: str, site: AskedSite) -> Response:
    """Delete a study; the form asks first."""
    try:
        site.studies.delete(name)
    except RiverboatError as error:
        return _study(request, site, name, {}, by_field(error))
    return RedirectResponse("/studies", 303)


@router.post("/studies/{name}/{number}", response_model=None)
def change(request: Request, name: str, number: int, site: AskedSite, form: Posted) -> Response:
    """Change title and note of a chapter, move it, or take it out."""
    do, at = form.get("do", ""), number

    def work(study: Study) -> Study:
        nonlocal at
        if do == "delete":
            return study.without(number)
        if do == "move":
            at = number_in(form, "to")
            return study.moved(number, at)
        with about("title"):
            study = study.changed(number, title=form.get("title", ""))
        with about("note"):
            return study.changed(number, note=form.get("note", ""))

    try:
        site.studies.change(name, form.get("seen", ""), work)
    except RiverboatError as error:
        return _study(request, site, name, form, by_field(error), number)
    anchor = "" if do == "delete" else f"#chapter-{at}"
    return RedirectResponse(f"{_address(name)}{anchor}", 303)


def _address(name: str) -> str:
    return f"/studies/{quote(name, safe='')}"


def _list(
    request: Request, site: Site, typed: Mapping[str, str] = {}, problems: Mapping[str, str] = {}
) -> HTMLResponse:
    return render(
        request,
        "studies/list.html",
        422 if problems else 200,
        title="Studies",
        studies=[study_facts(site, kept) for kept in site.studies.all()],
        typed={"new": "", "name": "", **typed},
        problems=problems,
        limits=LIMITS,
    )


def _study(
    request: Request,
    site: Site,
    name: str,
    typed: Mapping[str, str] = {},
    problems: Mapping[str, str] = {},
    at: int = 0,
) -> HTMLResponse:
    """The page of a study; `at` is the chapter whose form was refused."""
    kept = site.studies.find(name)
    if kept is None:
        raise HTTPException(404, problems.get("", NO_STUDY))
    return render(
        request,
        "studies/study.html",
        422 if problems else 200,
        title=kept.name,
        study=study_facts(site, kept),
        version=kept.version,
        typed=typed,
        problems=problems,
        at=at,
        limits=LIMITS,
    )


def _add_form(
    request: Request, site: Site, typed: Mapping[str, str], problems: Mapping[str, str] = {}
) -> HTMLResponse:
    names = site.studies.names()
    address = typed.get("address", "")[:4001]
    usual = {"study": names[0] if names else "", "title": suggested_title(address), "note": ""}
    return render(
        request,
        "studies/add.html",
        422 if problems else 200,
        title="Add to a study",
        studies=names,
        typed={key: typed.get(key, value)[:8000] for key, value in usual.items()},
        address=address,
        back=f"/add-to-study?{urlencode({'address': address})}",
        problems=problems,
        limits=LIMITS,
    )
