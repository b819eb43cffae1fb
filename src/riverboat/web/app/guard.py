"""Who may come in, and what a browser may do with what it gets.

`SiteGuard` checks every request. It answers only to names of this server, so that
another site cannot reach it through a name of its own (DNS rebinding), refuses requests that
pages of other sites send, and puts the security headers on every answer. `ClassGuard` keeps
students to their own pages.
"""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
import time
from collections import Counter
from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("localhost", "127.0.0.1", "::1")
FILES = ("/static/", "/favicon.ico")
"""What every page needs: style sheets and scripts."""
BURST, REFILL = 400.0, 40.0
"""Pages that one address may fetch at once and per second: a whole class behind one router."""
STUDENT = (120.0, 15.0)
"""The same for one student, and for the teacher."""
MAX_STREAMS = 8
"""Streams of news for one student: more pages than anybody looks at."""
POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
MAX_BODY = 4 << 20
"""Bytes of a request's body: a form, a text that is uploaded, an object for the API."""
MAX_SOLUTION = 256 << 20
LARGE_BODIES = {"/holdem/spots/open": MAX_SOLUTION}
"""Path → bytes that it takes: a solved spot is uploaded there, and written to disk as it comes."""
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),  # links of seats are secret
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


_TOO_LARGE = "What was sent is too large; at most {} MB are taken."


def host_of(authority: str) -> str:
    """The name in `name:port`, in lower case and without the brackets of IPv6."""
    authority = authority.strip().lower()
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0].rstrip(".")


class SiteGuard:
    """Checks of Host and Origin, and security headers, for every answer.

    A server on every network (0.0.0.0) also answers to plain IP addresses: a page that was loaded
    from such an address cannot belong to another site.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str], *, any_address: bool = False) -> None:
        self.app = app
        self.names = {*LOOPBACK, *(host_of(name) for name in names)}
        self.any_address = any_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        refusal = ""
        if not self._answers_to(host):
            refusal = "This server does not answer to that name. Start it with --name to allow it."
        elif not _same_site(scope, headers, host):
            refusal = "Requests from other sites' pages are refused."
        if refusal:
            await PlainTextResponse(refusal, 403)(scope, receive, _with_headers(send))
        else:
            await self._request(scope, headers, receive, _with_headers(send))

    async def _request(
        self, scope: Scope, headers: dict[bytes, bytes], receive: Receive, send: Send
    ) -> None:
        """Pass a request on; one whose body is too large is refused before it is read whole."""
        most = LARGE_BODIES.get(scope["path"], MAX_BODY)
        announced = headers.get(b"content-length", b"0")
        if not announced.isdigit() or int(announced) > most:
            await PlainTextResponse(_TOO_LARGE.format(most >> 20), 413)(scope, receive, send)
            return
        received = 0

        async def receive_some() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return {"type": "http.disconnect"} if received > most else message

        await self.app(scope, receive_some, send)

    def _answers_to(self, host: str) -> bool:
        name = host_of(host)
        return name in self.names or (self.any_address and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def _same_site(scope: Scope, headers: dict[bytes, bytes], host: str) -> bool:
    """Whether a request that can change something comes from a page of this server.

    Browsers send Origin with every POST. Programs send none and are let in:
    they carry no cookies.
    """
    if scope["method"] in ("GET", "HEAD", "OPTIONS"):
        return True
    origin = headers.get(b"origin")
    if origin is None:
        return headers.get(b"sec-fetch-site", b"none") in (b"none", b"same-origin")
    _, _, authority = origin.decode("latin-1").partition("://")
    return authority.lower() == host.lower()


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = message.get("headers", ())
            message["headers"] = [*given, *HEADERS]
        await send(message)

    return sending


def digest(key: str) -> str:
    """What a browser keeps of the teacher's key."""
    return hashlib.sha256(f"riverboat {key}".encode()).hexdigest()


def is_teacher(request: Request, key: str) -> bool:
    """Whether this browser has shown the teacher's key of this class; its cookie is signed."""
    return secrets.compare_digest(str(request.session.get("teacher", "")), digest(key))


def visitor_of(request: Request) -> str:
    """The student of a browser, or the address of one who has not joined.

    A whole class may come from one address, so each student is limited alone; the cookie is signed.
    """
    host = request.client.host if request.client else ""
    student = request.session.get("student")
    return f"student {student}" if student else f"address {host}"


class ClassGuard:
    """Redirects everyone but the teacher to the class's own pages, and slows floods down."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self.app, self.key = app, key
        self.left: dict[str, tuple[float, float]] = {}
        self.streams: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(FILES):
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        teacher = is_teacher(request, self.key)
        visitor = "teacher" if teacher else visitor_of(request)
        path = request.url.path
        news = path == "/events"
        joined = teacher or "student" in request.session
        refusal: Response | None = None
        if not self._take(visitor) or (news and self.streams[visitor] >= MAX_STREAMS):
            refusal = PlainTextResponse("Too many requests; wait a moment.", 429)
        elif not (teacher or path == "/class" or path.startswith("/class/") or (news and joined)):
            refusal = RedirectResponse("/class", 303)
        if refusal is not None:
            await refusal(scope, receive, send)
        elif news:
            await self._stream(visitor, scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _stream(self, visitor: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a stream of news while it is open: nobody takes those of the others."""
        self.streams[visitor] += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.streams[visitor] -= 1
            if not self.streams[visitor]:
                del self.streams[visitor]

    def _take(self, visitor: str) -> bool:
        """Whether a visitor may fetch another page."""
        now = time.monotonic()
        burst, refill = (BURST, REFILL) if visitor.startswith("address ") else STUDENT
        left, then = self.left.get(visitor, (burst, now))
        left = min(burst, left + (now - then) * refill)
        if len(self.left) > 10_000:
            self.left.clear()
        self.left[visitor] = (left - 1 if left >= 1 else left, now)
        return left >= 1
