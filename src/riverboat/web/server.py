"""The server: what all pages share, where they are, and the socket they are served from."""

from __future__ import annotations

import importlib
import logging
import re
import secrets
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from fastapi import FastAPI
from nicegui import app as nicegui_app
from nicegui import core, ui
from nicegui.storage import Storage

from riverboat.errors import UsageError
from riverboat.runtime.devices import machine_memory
from riverboat.runtime.storage import data_folder
from riverboat.web.app.frame import FAVICON, RUNNING, missing_page
from riverboat.web.app.guard import ClassGuard, SiteGuard, drop_bad_frames
from riverboat.web.app.library import Library
from riverboat.web.background import Jobs
from riverboat.web.classroom.room import Classroom
from riverboat.web.journal import private_folder, write_private
from riverboat.web.play.people_table import PeopleTables
from riverboat.web.play.session import bot_for
from riverboat.web.solve.runs import SolveOrder, SolveRun

POLL_SECONDS = 1.0  # How often jobs are polled that no page looks at
JobsT = TypeVar("JobsT", bound=Jobs[Any])
WORKERS = 4  # Threads for long work; kernels release the interpreter's lock while they compute


@dataclass(frozen=True)
class Settings:
    """How the server is started."""

    host: str = "127.0.0.1"
    port: int = 8080
    folder: Path = field(default_factory=data_folder)
    classroom: bool = False
    names: tuple[str, ...] = ()  # Further names that browsers reach it by, such as that of a proxy
    memory: int | None = None  # Bytes that solves may use together; None asks the machine


class Site:
    """One running server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="riverboat-web")
        self.library = Library(settings.folder)
        self.jobs: list[Jobs[Any]] = []
        """Background jobs of all pages."""
        self.solve_runs = self.add_jobs(
            Jobs(
                settings.folder / ".web" / "solves",
                SolveOrder,
                SolveRun,
                address="/solve/run/{}",
                memory=self.memory,
            )
        )
        self.people_tables = PeopleTables(settings.folder / ".web" / "tables", self.library)
        self.classroom: Classroom | None = None
        if settings.classroom:
            self.classroom = Classroom(settings.folder / "class", bot_for)

    def add_jobs(self, jobs: JobsT) -> JobsT:
        """Poll the jobs of a page as long as the server runs, and resume them when it starts."""
        self.jobs.append(jobs)
        RUNNING.append(jobs.running_addresses)
        nicegui_app.on_startup(lambda: self.workers.submit(jobs.resume) and None)
        nicegui_app.on_shutdown(jobs.end)
        return jobs

    def poll_jobs(self) -> None:
        for jobs in self.jobs:
            jobs.poll()

    @property
    def memory(self) -> int:
        """Bytes that solves may use together: as the user says, or most of what is free."""
        return self.settings.memory or int(0.8 * _free_memory())


def _free_memory() -> int:
    """Bytes that programs could still take on this machine."""
    try:
        found = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    except OSError:
        found = None
    return 1024 * int(found[1]) if found else (machine_memory() or 4 << 30) // 2


PAGES = (
    "app.home",
    "blackjack.casino_page",
    "play.people_page",
    "play.game_page",
    "solve.runs_page",
    "solve.strategy_page",
    "blackjack.chart_page",
    "holdem.equity_page",
    "holdem.preflop_page",
    "holdem.spots_page",
    "holdem.blueprints_page",
    "twentyone.tournament_page",
    "twentyone.learning_page",
)
"""Modules below riverboat.web, each with `register(site)`."""
CLASS_PAGES = ("classroom.student_page", "classroom.teacher_page")
"""Those that are there with --class only."""
MAX_MESSAGE = 1 << 20
"""Bytes of one message from a browser; a larger one ends the connection. Text that would not fit
is refused in the browser with a sentence (riverboat.js); nothing is cut."""
EVERYWHERE = ("0.0.0.0", "::")  # Addresses that stand for every network of this machine
STATIC = Path(__file__).parent / "static"


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


def build(site: Site) -> FastAPI:
    """The application with every page in its place."""
    application = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    Storage.path = private_folder(site.settings.folder / ".web")
    nicegui_app.add_static_files("/static", STATIC, max_cache_age=0)
    names: tuple[str, ...] = PAGES
    if site.classroom is not None:
        nicegui_app.add_middleware(ClassGuard, key=site.classroom.key)
        names = (*PAGES, *CLASS_PAGES)
    nicegui_app.exception_handler(404)(missing_page)
    nicegui_app.timer(POLL_SECONDS, site.poll_jobs)
    for name in names:
        importlib.import_module(f"riverboat.web.{name}").register(site)
    ui.run_with(
        application,
        title="Riverboat",
        favicon=FAVICON,
        dark=None,
        tailwind=False,
        binding_refresh_interval=None,
        reconnect_timeout=30.0,
        language="en-US",
        storage_secret=_secret(site.settings.folder),
        session_middleware_kwargs={"same_site": "lax", "https_only": False},
        show_welcome_message=False,
    )
    return application


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


def serve(site: Site, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C; `ready` is called once the first page could be fetched."""
    settings = site.settings
    drop_bad_frames(core.sio)
    guarded = SiteGuard(
        build(site), (settings.host, *settings.names), any_address=settings.host in EVERYWHERE
    )
    logging.getLogger("nicegui").setLevel(logging.ERROR)
    config = uvicorn.Config(
        guarded,
        log_level="warning",
        ws_max_size=MAX_MESSAGE,
        timeout_graceful_shutdown=2,
        access_log=False,
    )
    nicegui_app.on_startup(ready)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        site.workers.shutdown(wait=False, cancel_futures=True)
