"""Jobs: everything that runs or ran in the background, with buttons to stop it and to go on."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from riverboat.web.api.jobs import all_jobs, go_on, move, stop
from riverboat.web.app.templates import render
from riverboat.web.site import AskedSite

router = APIRouter()
Back = Annotated[str, Form(max_length=2000)]
"""The page that a button stands on, to return to."""


@router.get("/jobs")
def jobs_page(request: Request, site: AskedSite) -> HTMLResponse:
    """Show the newest jobs."""
    return render(request, "jobs.html", title="Jobs", place="/solve", jobs=all_jobs(site))


@router.post("/jobs/{name}/stop")
def stop_job(name: str, site: AskedSite, back: Back = "") -> RedirectResponse:
    """End a job after its current step."""
    return _leave(stop(site, name).page, back)


@router.post("/jobs/{name}/continue")
def continue_job(name: str, site: AskedSite, back: Back = "") -> RedirectResponse:
    """Take a job up again."""
    return _leave(go_on(site, name).page, back)


@router.post("/jobs/{name}/earlier")
def move_earlier(name: str, site: AskedSite, back: Back = "/jobs") -> RedirectResponse:
    """Move a job that waits one place forward in the queue."""
    return _leave(move(site, name, -1).page, back)


@router.post("/jobs/{name}/later")
def move_later(name: str, site: AskedSite, back: Back = "/jobs") -> RedirectResponse:
    """Move a job that waits one place back in the queue."""
    return _leave(move(site, name, 1).page, back)


def _leave(page: str, back: str) -> RedirectResponse:
    """Return to the page of the button; an address of another site is not taken."""
    own = back.startswith("/") and not back.startswith(("//", "/\\"))
    return RedirectResponse(back if own else page, 303)
