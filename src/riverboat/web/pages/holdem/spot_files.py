"""A spot of the server: as a file to keep, deleted, and brought back."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from riverboat.web.api.spot_files import SpotForm, spot_file
from riverboat.web.api.spots import found_spot
from riverboat.web.site import AskedSite

router = APIRouter()


@router.get("/holdem/spots/{name}/file/{form}", response_model=None)
def get_file(name: str, form: SpotForm, site: AskedSite) -> Response:
    """A spot as a file."""
    return spot_file(site, name, form)


@router.post("/holdem/spots/{name}/delete", response_model=None)
def delete(name: str, site: AskedSite) -> Response:
    """Delete a spot; the list of spots then offers to undo it."""
    site.spot_runs.delete(found_spot(site, name))
    return RedirectResponse(f"/holdem/spots?deleted={name}", 303)


@router.post("/holdem/spots/{name}/restore", response_model=None)
def restore(name: str, site: AskedSite) -> Response:
    """Bring a deleted spot back."""
    return RedirectResponse(site.spot_runs.restore(name).address, 303)
