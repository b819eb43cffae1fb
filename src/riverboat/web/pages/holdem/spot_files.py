"""A spot of the server as a file to keep: TOML, PioSOLVER's script, or its solution."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from riverboat.web.api.spot_files import SpotForm, spot_file
from riverboat.web.site import AskedSite

router = APIRouter()


@router.get("/holdem/spots/{name}/file/{form}", response_model=None)
def get_file(name: str, form: SpotForm, site: AskedSite) -> Response:
    """A spot as a file."""
    return spot_file(site, name, form)
