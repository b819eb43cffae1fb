"""Who may see what in class mode: students their own pages, the teacher everything.

Without --class the server listens on loopback and everybody who reaches it is its owner.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Awaitable, Callable

from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp

__all__ = ["ClassGuard", "digest", "is_teacher"]

FILES = ("/static/", "/_nicegui/", "/_nicegui_ws/", "/favicon.ico")
"""What every page needs: our style sheet, the framework's own files, its socket."""
BURST, REFILL = 400.0, 40.0
"""Pages that one address may fetch at once and per second: a whole class behind one router."""


def digest(key: str) -> str:
    """What a browser keeps of the teacher's key."""
    return hashlib.sha256(f"riverboat {key}".encode()).hexdigest()


def is_teacher(request: Request, key: str) -> bool:
    """Whether this browser has shown the teacher's key of this class; its cookie is signed."""
    return secrets.compare_digest(str(request.session.get("teacher", "")), digest(key))


class ClassGuard(BaseHTTPMiddleware):
    """Sends everybody but the teacher to the class's own pages, and slows floods down."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        super().__init__(app)
        self.key = key
        self.left: dict[str, tuple[float, float]] = {}

    async def dispatch(
        self, request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        path = request.url.path
        if path.startswith(FILES):
            return await call_next(request)
        if not self._take(request.client.host if request.client else ""):
            return PlainTextResponse("Too many requests; wait a moment.", 429)
        inside = path == "/class" or path.startswith("/class/")
        if not inside and not is_teacher(request, self.key):
            return RedirectResponse("/class", 303)
        return await call_next(request)

    def _take(self, host: str) -> bool:
        """Whether an address may fetch another page."""
        now = time.monotonic()
        left, then = self.left.get(host, (BURST, now))
        left = min(BURST, left + (now - then) * REFILL)
        if len(self.left) > 10_000:
            self.left.clear()
        self.left[host] = (left - 1 if left >= 1 else left, now)
        return left >= 1
