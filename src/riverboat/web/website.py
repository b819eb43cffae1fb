"""What the pages share: where things are saved, who may come in, and work that runs beside them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from riverboat.own_folders import data_folder
from riverboat.web.class_room import Classroom
from riverboat.web.library import Library
from riverboat.web.people_table import PeopleTables
from riverboat.web.play_session import bot_for
from riverboat.web.solve_work import SolveRuns

__all__ = ["Settings", "Site"]

WORKERS = 4
"""Threads for long work; kernels release the interpreter's lock while they compute."""


@dataclass(frozen=True)
class Settings:
    """How the server is started."""

    host: str = "127.0.0.1"
    port: int = 8080
    folder: Path = field(default_factory=data_folder)
    classroom: bool = False


class Site:
    """One running server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.library = Library(settings.folder)
        self.solve_runs = SolveRuns(settings.folder / ".web" / "solves")
        self.people_tables = PeopleTables(settings.folder / ".web" / "tables", self.library)
        self.classroom: Classroom | None = None
        if settings.classroom:
            self.classroom = Classroom(settings.folder / "class", bot_for)
        self.workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="riverboat-web")
