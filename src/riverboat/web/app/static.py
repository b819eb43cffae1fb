"""Style sheets, scripts and pictures, with addresses that change when a file does."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent.parent / "static"
FOREVER = "public, max-age=31536000, immutable"


@lru_cache(maxsize=64)
def _version(name: str, changed: int) -> str:
    return hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()[:12]


def static(name: str) -> str:
    """The address of a static file; browsers may keep what they got there."""
    return f"/static/{name}?v={_version(name, (FOLDER / name).stat().st_mtime_ns)}"


class StaticFolder(StaticFiles):
    """The folder of static files. What is asked for with its version may be kept forever."""

    def __init__(self) -> None:
        super().__init__(directory=FOLDER)

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        versioned = scope["query_string"].startswith(b"v=")
        response.headers["cache-control"] = FOREVER if versioned else "no-cache"
        return response
