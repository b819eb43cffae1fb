"""What all pages and the API share: settings, the library, workers, jobs, and news of them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends
from starlette.requests import Request

from riverboat.errors import UsageError
from riverboat.runtime.devices import machine_memory
from riverboat.runtime.storage import data_folder
from riverboat.web.app.answers import Answers
from riverboat.web.app.events import News
from riverboat.web.app.library import Library
from riverboat.web.background import Job, Jobs
from riverboat.web.blackjack.simulations import simulation_runs
from riverboat.web.holdem.exploit_runs import ExploitRuns
from riverboat.web.holdem.preflop_runs import PreflopRuns
from riverboat.web.holdem.report_runs import ReportRuns
from riverboat.web.holdem.spot_runs import SpotRuns
from riverboat.web.holdem.strength_runs import StrengthRuns
from riverboat.web.solve.runs import SolveOrder, SolveRun
from riverboat.web.twentyone.learning_runs import learning_runs

if TYPE_CHECKING:
    from riverboat.web.classroom.room import Classroom
    from riverboat.web.lessons import LessonRuns
    from riverboat.web.play.live import LiveSittings
    from riverboat.web.play.people_table import PeopleTables
    from riverboat.web.play.session import SittingStore
    from riverboat.web.studies import Studies
    from riverboat.web.training.memories import Memories
    from riverboat.web.training.sittings import Sittings
    from riverboat.web.twentyone.hosting import Hostings

POLL_SECONDS = 0.25
"""How often the processes of running jobs are asked what they have done."""
TICK_SECONDS = 1.0
"""How often what has to be done by the clock is done: moves of a class, tables that are left."""
WORKERS = 4
"""Threads for long work; kernels release the interpreter's lock while they compute."""
RUNNING_TOPIC = "running"
"""The topic that is published when a job begins or ends."""
JobsT = TypeVar("JobsT", bound=Jobs[Any])


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
    """One running server. Heavy parts are imported when a page first asks for them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="riverboat-web")
        self.answers = Answers(self.workers)
        self.news = News()
        self.library = Library(settings.folder)
        self.jobs: list[Jobs[Any]] = []
        """Background jobs of all pages."""
        self.each_second: list[Callable[[], None]] = []
        """What is called every second, in the server's loop, so it must be quick."""
        self.now: Callable[[], datetime] = lambda: datetime.now().astimezone()
        """The time, on which depends what comes again today."""
        self._serving = False
        self._seen: dict[str, int] = {}
        self.solve_runs = self.add_jobs(
            Jobs(
                settings.folder / ".web" / "solves",
                SolveOrder,
                SolveRun,
                address="/solve/run/{}",
                memory=self.memory,
            )
        )
        self.spot_runs = self.add_jobs(SpotRuns(settings.folder / ".web" / "spots", self.memory))
        self.report_runs = self.add_jobs(
            ReportRuns(settings.folder / ".web" / "reports", self.memory)
        )
        self.exploit_runs = self.add_jobs(
            ExploitRuns(settings.folder / ".web" / "exploits", self.memory)
        )
        self.strength_runs = self.add_jobs(StrengthRuns(settings.folder / ".web" / "strength"))
        self.preflop_runs = self.add_jobs(PreflopRuns(settings.folder / ".web" / "preflop"))
        self.learning_runs = self.add_jobs(learning_runs(settings.folder / ".web" / "learning"))
        self.simulations = self.add_jobs(simulation_runs(settings.folder / ".web" / "simulations"))

    @cached_property
    def hostings(self) -> Hostings:
        """The tournaments that this server plays."""
        from riverboat.web.twentyone.hosting import Hostings

        made = Hostings(self.settings.folder, self.news.publish)
        self.library.in_use.append(made.files)
        return made

    @cached_property
    def studies(self) -> Studies:
        """The studies of the library."""
        from riverboat.web.studies import Studies

        return Studies(self.library)

    @cached_property
    def trainings(self) -> Sittings:
        """The sittings with the blackjack trainer and with the drills of small games."""
        from riverboat.web.training.sittings import Sittings

        return Sittings()

    @cached_property
    def memories(self) -> Memories:
        """What those who train at this server have answered."""
        from riverboat.web.training.memories import Memories

        return Memories(self.settings.folder)

    @cached_property
    def lesson_runs(self) -> LessonRuns:
        """The cells of the lessons, run as far as readers have come."""
        from riverboat.web.lessons import LessonRuns

        return LessonRuns()

    @cached_property
    def lesson_answers(self) -> Answers:
        """Answers that cells give: one cell runs at a time."""
        return Answers(self.lesson_runs.workers)

    @cached_property
    def sittings(self) -> SittingStore:
        """The files of sittings."""
        from riverboat.web.play.session import SittingStore

        store = SittingStore(self.settings.folder / ".web" / "sittings")
        self.workers.submit(store.tidy)
        return store

    @cached_property
    def live_sittings(self) -> LiveSittings:
        """The sittings that pages show now."""
        from riverboat.web.play.live import LiveSittings

        made = LiveSittings(self.workers, self.news)
        self.each_second.append(made.tidy)
        return made

    @cached_property
    def people_tables(self) -> PeopleTables:
        """The tables where people play with each other."""
        from riverboat.web.play.people_table import PeopleTables

        folder = self.settings.folder / ".web" / "tables"
        made = PeopleTables(folder, self.library, self.news.publish)
        self.workers.submit(made.tidy)
        return made

    @cached_property
    def classroom(self) -> Classroom | None:
        """The class, where the server was started with one."""
        if not self.settings.classroom:
            return None
        from riverboat.web.classroom.room import Classroom
        from riverboat.web.play.session import bot_for

        made = Classroom(self.settings.folder / "class", bot_for, self.news.publish)
        self.each_second.append(made.tick)
        return made

    @property
    def memory(self) -> int:
        """Bytes that solves may use together: as the user says, or most of what is free."""
        return self.settings.memory or int(0.8 * _free_memory())

    def add_jobs(self, jobs: JobsT) -> JobsT:
        """Poll jobs as long as the server runs, and resume those of an earlier server."""
        self.jobs.append(jobs)
        if self._serving:
            self.workers.submit(jobs.resume)
        return jobs

    def find_job(self, name: str) -> tuple[Jobs[Any], Job[Any]]:
        """A job by its name, and the jobs that it is one of."""
        for jobs in self.jobs:
            found = jobs.find(name)
            if found is not None:
                return jobs, found
        raise UsageError("There is no such job; it was not kept or never begun.")

    def running_jobs(self) -> list[tuple[str, Job[Any]]]:
        """Address and job of everything that runs or waits."""
        return [
            (jobs.address.format(job.name), job) for jobs in self.jobs for job in jobs.running()
        ]

    def recent_jobs(self, count: int) -> list[tuple[Jobs[Any], Job[Any]]]:
        """The newest jobs, running or not, each with those of its kind."""
        found = [(jobs, job) for jobs in self.jobs for job in jobs.recent(count)]
        return sorted(found, key=lambda pair: pair[1].changed, reverse=True)[:count]

    def poll_jobs(self) -> None:
        """Take in what the jobs' processes reported, and publish which of them changed."""
        for jobs in self.jobs:
            jobs.poll()
        versions = {
            f"job:{job.name}": job.version
            for jobs in self.jobs
            for job in list(jobs.known.values())
        }
        for topic, version in versions.items():
            if self._seen.get(topic) != version:
                self.news.publish(topic)
        running = len(self.running_jobs())
        if self._seen.get(RUNNING_TOPIC, 0) != running:
            self.news.publish(RUNNING_TOPIC)
        self._seen = {**versions, RUNNING_TOPIC: running}

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Serve: resume the jobs, poll them, and end their processes in the end."""
        self._serving = True
        self.news.open(asyncio.get_running_loop())
        for jobs in self.jobs:
            self.workers.submit(jobs.resume)
        tasks = [asyncio.create_task(work()) for work in (self._poll_always, self._tick_always)]
        if (self.settings.folder / ".web" / "hosting.json").is_file():
            self.workers.submit(lambda: self.hostings.go_on())
        try:
            yield
        finally:
            self._serving = False
            for task in tasks:
                task.cancel()
            if "lesson_runs" in self.__dict__:
                self.lesson_runs.workers.shutdown(wait=False, cancel_futures=True)
            if "live_sittings" in self.__dict__:
                self.live_sittings.end()
            self.news.close()
            if "hostings" in self.__dict__:
                self.hostings.end()
            for jobs in self.jobs:
                jobs.end()
            self.workers.shutdown(wait=False, cancel_futures=True)

    async def _tick_always(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            for call in list(self.each_second):
                call()

    async def _poll_always(self) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS)
            if self._seen.get(RUNNING_TOPIC) or self.running_jobs():
                await asyncio.to_thread(self.poll_jobs)


def site_of(request: Request) -> Site:
    """The site of the server that was asked."""
    site: Site = request.app.state.site
    return site


AskedSite = Annotated[Site, Depends(site_of)]
"""The type of a route's argument that gets the site."""


def _free_memory() -> int:
    """Bytes that programs could still take on this machine."""
    try:
        found = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    except OSError:
        found = None
    return 1024 * int(found[1]) if found else (machine_memory() or 4 << 30) // 2
