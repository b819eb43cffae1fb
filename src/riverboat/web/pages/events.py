"""News for pages, and the link to running jobs in the header, which follows them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, StreamingResponse

from riverboat.web.app.templates import render
from riverboat.web.site import AskedSite

router = APIRouter()
MAX_TOPICS = 20
HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}
"""Nothing on the way may keep an event back."""


@router.get("/events")
async def events(
    site: AskedSite, topic: Annotated[list[str], Query(max_length=MAX_TOPICS)]
) -> StreamingResponse:
    """Stream the topics that change."""
    return StreamingResponse(
        site.news.listen(topic), media_type="text/event-stream", headers=HEADERS
    )


@router.get("/running")
def running(request: Request) -> HTMLResponse:
    """The link to running jobs."""
    return render(request, "running.html")
