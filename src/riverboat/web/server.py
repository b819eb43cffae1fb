"""The server: the application with every page, and the socket it is served from."""

from __future__ import annotations

import asyncio
import importlib
import logging
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.sessions import SessionMiddleware

from riverboat.errors import UsageError
from riverboat.version import __version__
from riverboat.web.app.answers import import_numba
from riverboat.web.app.guard import ClassGuard, SiteGuard
from riverboat.web.app.problems import add_problem_handlers
from riverboat.web.app.static import StaticFolder
from riverboat.web.journal import private_folder, write_private
from riverboat.web.site import Settings, Site

API = (
    "library",
    "equity",
    "play",
    "lessons",
    "jobs",
    "solve",
    "strategies",
    "preflop",
    "spots",
    "reports",
    "spot_files",
    "hand_spots",
    "spot_comparisons",
    "spot_exploits",
    "game_exploits",
    "ranges",
    "blueprints",
    "blackjack",
    "twentyone",
    "training",
    "studies",
)
"""Modules of riverboat.web.api, each with a `router`."""
PAGES = (
    "home",
    "people",
    "play",
    "learn",
    "studies",
    "events",
    "api",
    "holdem.equity",
    "jobs",
    "solve.runs",
    "solve.strategy",
    "solve.exploit",
    "holdem.preflop",
    "holdem.preflop_drill",
    "holdem.spot_form",
    "holdem.spot_files",
    "holdem.from_hand",
    "holdem.ranges",
    "holdem.spot_desk",
    "holdem.spot_drill",
    "holdem.reports",
    "holdem.omaha_form",
    "holdem.spot_comparison",
    "holdem.spot_exploit",
    "holdem.blueprints",
    "blackjack.chart",
    "blackjack.hand",
    "blackjack.dealer",
    "blackjack.simulate",
    "blackjack.train",
    "blackjack.casino",
    "training",
    "game_drill",
    "twentyone.learning",
    "twentyone.tournaments",
)
"""Modules of riverboat.web.pages, each with a `router`."""
CLASS_PAGES = ("classroom.student", "classroom.teacher", "classroom.board")
"""Those that are there with --class only."""
KEEP_ALIVE_SECONDS = 75
"""How long a connection without requests is kept. People act every few seconds: with uvicorn's five
seconds a server would often close a connection in the moment in which a browser uses it again."""
WARM_SECONDS = 1.0
"""When what pages import late is imported after the first answer."""
EVERYWHERE = ("0.0.0.0", "::")  # Addresses that stand for every network of this machine


def bind(settings: Settings) -> socket.socket:
    """A listening socket; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(1024)  # who comes before the first page is ready waits
    except (OSError, OverflowError) as error:
        listener.close()
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise UsageError(
            f"Cannot listen on {settings.host} port {settings.port}: {reason}; try --port 0."
        ) from error
    return listener


def address_of(host: str, port: int) -> str:
    """What to type into a browser; for every network, this machine's address in one of them."""
    shown = host
    if host in EVERYWHERE:
        shown = "127.0.0.1"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))  # no packet is sent; the system picks a way out
                shown = probe.getsockname()[0]
            except OSError:
                pass
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def build(site: Site, ready: Callable[[], None] | None = None) -> FastAPI:
    """The application with every page in its place; `ready` is called when it serves."""
    settings = site.settings
    private_folder(settings.folder / ".web")
    secret = _secret(settings.folder)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with site.run():
            if ready is None:
                yield
            else:
                ready()
                warming = asyncio.create_task(_warm())
                yield
                warming.cancel()

    guards = [
        Middleware(
            SiteGuard,
            names=(settings.host, *settings.names),
            any_address=settings.host in EVERYWHERE,
        ),
        Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5),
        Middleware(SessionMiddleware, secret_key=secret, same_site="lax"),
    ]
    if site.classroom is not None:
        guards.append(Middleware(ClassGuard, key=site.classroom.key))
    application = FastAPI(
        title="Riverboat",
        version=__version__,
        summary="Exact numbers of card games, as the pages show them.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        middleware=guards,
    )
    application.state.site = site
    add_problem_handlers(application)
    for name in API:
        router = importlib.import_module(f"riverboat.web.api.{name}").router
        for route in router.routes:  # A docstring's first line says more than a function's name
            route.summary = route.description.partition("\n")[0].rstrip(".")
        application.include_router(router, prefix="/api/v1")
    for name in PAGES if site.classroom is None else (*PAGES, *CLASS_PAGES):
        router = importlib.import_module(f"riverboat.web.pages.{name}").router
        application.include_router(router, include_in_schema=False)
    application.mount("/static", StaticFolder())
    return application


async def _warm() -> None:
    """Be ready for the pages that compute, a moment after the first page was asked for."""
    await asyncio.sleep(WARM_SECONDS)
    await asyncio.to_thread(import_numba)


def _secret(folder: Path) -> str:
    """What signs the browsers' cookies; kept, so that they are still known after a restart."""
    path = folder / ".web-secret"
    if path.is_file():
        kept = path.read_text().strip()
        if len(kept) >= 32:
            path.chmod(0o600)
            return kept
    made = secrets.token_urlsafe(32)
    write_private(path, made)
    return made


class _Server(uvicorn.Server):
    """Ends the streams of news first: they would keep their connections open."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self.site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.site.news.close()
        await super().shutdown(sockets)


def serve(site: Site, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C; `ready` is called once the first page could be fetched."""
    config = uvicorn.Config(
        build(site, ready),
        log_level="warning",
        ws="none",
        timeout_graceful_shutdown=2,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        access_log=False,
    )
    logging.getLogger("uvicorn.error").addFilter(_not_cancelled)
    _Server(config, site).run(sockets=[listener])


def _not_cancelled(record: logging.LogRecord) -> bool:
    """A connection that the end of the server cuts is no error."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, asyncio.CancelledError)
