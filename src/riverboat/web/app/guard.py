"""Who may come in, and what a browser may do with what it gets.

`SiteGuard` checks every page and socket. It answers only to names of this server, so that
another site cannot reach it through a name of its own (DNS rebinding), refuses requests that
pages of other sites send, and puts the security headers on every answer. `ClassGuard` keeps
students to their own pages. `drop_bad_frames` ignores messages that no page of ours would send.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("localhost", "127.0.0.1", "::1")
FILES = ("/static/", "/_nicegui/", "/_nicegui_ws/", "/favicon.ico")
"""What every page needs: our style sheet, the framework's own files, its socket."""
BURST, REFILL = 400.0, 40.0
"""Pages that one address may fetch at once and per second: a whole class behind one router."""
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",  # the framework compiles in the browser
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),  # links of seats are secret
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def host_of(authority: str) -> str:
    """The name in `name:port`, in lower case and without the brackets of IPv6."""
    authority = authority.strip().lower()
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0].rstrip(".")


class SiteGuard:
    """Checks of Host and Origin, and security headers, for pages and sockets alike.

    A server on every network (0.0.0.0) also answers to plain IP addresses: a page that was loaded
    from such an address cannot belong to another site.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str], *, any_address: bool = False) -> None:
        self.app = app
        self.names = {*LOOPBACK, *(host_of(name) for name in names)}
        self.any_address = any_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        refusal = ""
        if not self._answers_to(host):
            refusal = "This server does not answer to that name. Start it with --name to allow it."
        elif not _same_site(scope, headers, host):
            refusal = "Requests from other sites' pages are refused."
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send, refusal)
        elif refusal:
            await PlainTextResponse(refusal, 403)(scope, receive, _with_headers(send))
        else:
            await self.app(scope, receive, _with_headers(send))

    def _answers_to(self, host: str) -> bool:
        name = host_of(host)
        return name in self.names or (self.any_address and _is_address(name))

    async def _socket(self, scope: Scope, receive: Receive, send: Send, refusal: str) -> None:
        if refusal:
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})
            return
        try:
            await self.app(scope, receive, send)
        except (ValueError, KeyError, TypeError, IndexError, OSError):
            # A frame that is no message of the protocol; the connection ends.
            try:
                await send({"type": "websocket.close", "code": 1002})
            except RuntimeError:
                return  # closed already


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def _same_site(scope: Scope, headers: dict[bytes, bytes], host: str) -> bool:
    """Whether a request that can change something comes from a page of this server.

    Browsers send Origin with every POST and every socket. Programs send none and are let in:
    they carry no cookies.
    """
    if scope["type"] == "http" and scope["method"] in ("GET", "HEAD", "OPTIONS"):
        return True
    origin = headers.get(b"origin")
    if origin is None:
        return headers.get(b"sec-fetch-site", b"none") in (b"none", b"same-origin")
    _, _, authority = origin.decode("latin-1").partition("://")
    return authority.lower() == host.lower()


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *HEADERS]
        await send(message)

    return sending


def digest(key: str) -> str:
    """What a browser keeps of the teacher's key."""
    return hashlib.sha256(f"riverboat {key}".encode()).hexdigest()


def is_teacher(request: Request, key: str) -> bool:
    """Whether this browser has shown the teacher's key of this class; its cookie is signed."""
    return secrets.compare_digest(str(request.session.get("teacher", "")), digest(key))


class ClassGuard(BaseHTTPMiddleware):
    """Redirects everyone but the teacher to the class's own pages, and slows floods down."""

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


def drop_bad_frames(sockets: Any) -> None:
    """Make a socket.io server drop what no page of ours sends, without a traceback in the log.

    `sockets` is the framework's `socketio.AsyncServer`. Frames that cannot be decoded end the
    connection; events with missing or wrongly typed fields are ignored.
    """
    sockets.eio.cors_allowed_origins = []  # SiteGuard has checked the origin
    for name in ("engineio.server", "socketio.server"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    sockets.async_handlers = False  # in a task of its own an error would only be logged
    end_all = sockets.eio.disconnect

    async def end(sid: str | None = None) -> None:
        """End a connection without waiting for what is to be sent: who polls may never fetch it."""
        if sid is None:
            await end_all()
        elif sid in sockets.eio.sockets:
            await sockets.eio.sockets[sid].close(wait=False)

    sockets.eio.disconnect = end
    take = sockets.eio.handlers["message"]

    async def decoded(sid: str, data: Any) -> None:
        try:
            await take(sid, data)
        except asyncio.CancelledError:
            raise
        except Exception:
            await end(sid)

    sockets.eio.handlers["message"] = decoded
    handlers = sockets.handlers["/"]
    for name, handler in list(handlers.items()):
        if name not in ("connect", "disconnect"):
            handlers[name] = _checked(handler)


def _checked(handler: Callable[..., Any]) -> Callable[..., Any]:
    async def checked(sid: str, *messages: Any) -> Any:
        if len(messages) != 1 or not isinstance(messages[0], dict):
            return None
        try:
            answer = handler(sid, messages[0])
            return await answer if asyncio.iscoroutine(answer) else answer
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            return None

    return checked
