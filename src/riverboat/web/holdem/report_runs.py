"""Reports made from pages: a spot on many flops, or a node on all cards to come, in the background.

What was found is kept row by row in the job's folder, so a report that was stopped, or whose server
was killed, goes on with what is missing.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from riverboat.cards.card import card_text
from riverboat.errors import UsageError
from riverboat.holdem.spots.flops import Flop, FlopRow, check_spot, flop_table, list_of_flops
from riverboat.holdem.spots.locks import Lock, read_locks
from riverboat.holdem.spots.report_table import ReportTable
from riverboat.holdem.spots.schedule import parse_target
from riverboat.holdem.spots.spot import Spot
from riverboat.web.background import Job, Jobs, Workplace
from riverboat.web.holdem.spot_runs import SpotRun, check_shown, warm_kernels

REPORT_SECONDS = 0.2
"""Seconds between two reports of progress."""


@dataclass(frozen=True)
class ReportOrder:
    """A spot on many flops; or, with a node, that node of a solved spot on all cards to come."""

    spot: Spot
    source: str  # The name of the spot that it was started from
    locks: tuple[Lock, ...] = ()
    target: str = "0.5%"
    flops: tuple[Flop, ...] = ()
    node: str = ""  # With `any` for all cards
    words: str = ""  # The same for people
    path: str = ""  # The solved spot's file, of a report of a node
    resumable: ClassVar[bool] = True

    def parts(self) -> tuple[str, ...]:
        return ("report",)

    @property
    def title(self) -> str:
        """What the report is of."""
        if self.node:
            return f"{cards_words(self.spot)}: {self.words}"
        return f"Report of {len(self.flops)} flop{'s' if len(self.flops) > 1 else ''}"

    def check(self) -> None:
        """Refuse what no report can be made of."""
        check_shown(self.spot)
        if self.node:
            if not Path(self.path).is_file():
                raise UsageError("The solved spot of this report is gone.")
        else:
            check_spot(self.spot, self.locks)
            parse_target(self.target, self.spot.stake)

    def as_dict(self) -> dict[str, Any]:
        return {
            "toml": self.spot.to_toml(),
            "source": self.source,
            "locks": [lock.as_dict() for lock in self.locks],
            "target": self.target,
            "flops": [f"{flop.name} {flop.weight!r}" for flop in self.flops],
            "node": self.node,
            "words": self.words,
            "path": self.path,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ReportOrder:
        listed = [str(line) for line in data["flops"]]
        return cls(
            Spot.from_toml(str(data["toml"])),
            str(data["source"]),
            tuple(read_locks(data["locks"])),
            str(data["target"]),
            list_of_flops("\n".join(listed)) if listed else (),
            str(data["node"]),
            str(data["words"]),
            str(data["path"]),
        )

    @classmethod
    def warm_up(cls) -> None:
        """Load the kernels by solving a spot of two hands."""
        warm_kernels()

    def work(self, place: Workplace) -> dict[str, Any]:
        """Find the rows that are missing; the facts say how many there are."""
        progress = _Progress(place.report)
        folder = place.folder / "rows"
        try:
            if self.node:
                self._read_node(folder, progress)
            else:
                self._solve_flops(folder, place.memory, progress)
        except KeyboardInterrupt:  # What was found is kept
            pass
        return progress.facts

    def _read_node(self, folder: Path, progress: _Progress) -> None:
        from riverboat.holdem.spots.node_report import NodeRows, file_digest, node_rows
        from riverboat.holdem.spots.solved import load_spot

        path = Path(self.path)
        if path.is_file() and folder.parent.name != node_report_name(self.source, path, self.node):
            raise UsageError("The spot was solved on since then; start a new report.")
        kept = NodeRows(folder, file_digest(path), self.node)
        for _ in node_rows(load_spot(path), self.node, kept=kept, progress=progress):
            pass

    def _solve_flops(self, folder: Path, memory: int | None, progress: _Progress) -> None:
        from riverboat.holdem.spots.flop_report import report_rows
        from riverboat.jobs.job_list import Here

        for _ in report_rows(
            self.spot,
            self.flops,
            folder,
            Here(),
            target=parse_target(self.target, self.spot.stake),
            threads=max(1, (os.cpu_count() or 2) - 1),
            memory=memory,
            locks=self.locks,
            progress=progress,
        ):
            pass


def cards_words(spot: Spot) -> str:
    """The board of a spot as people write it."""
    return " ".join(card_text(card) for card in spot.board)


class _Progress:
    """Reports how far a job is, and how long the rest may take."""

    def __init__(self, report: Callable[[str, Any], None]) -> None:
        self.facts: dict[str, Any] = {}
        self._report, self._last, self._began = report, 0.0, time.monotonic()

    def __call__(self, now: Any) -> None:
        seconds, own = time.monotonic() - self._began, now.done - now.known
        left = seconds / own * (now.total - now.done) if own else None
        self.facts = {"done": now.done, "total": now.total, "left": left}
        if seconds - self._last > REPORT_SECONDS or now.done in (now.known, now.total):
            self._last = seconds
            self._report("facts", dict(self.facts))


class ReportRun(Job[ReportOrder]):
    """One report. Rows that were read once are kept in memory."""

    def __init__(self, name: str, folder: Path, order: ReportOrder) -> None:
        super().__init__(name, folder, order)
        self._found: dict[str, Any] = {}
        self._reading = threading.Lock()

    @property
    def state(self) -> str:
        return self.parts[0].state

    @property
    def total(self) -> int:
        """The number of boards; 0 where it is not known yet."""
        return len(self.order.flops) or int(self.parts[0].facts.get("total", 0))

    @property
    def left(self) -> float | None:
        """Seconds until it is done, roughly."""
        left = self.parts[0].facts.get("left")
        return float(left) if self.running and left is not None else None

    @property
    def words(self) -> str:
        """How far it is, or what went wrong."""
        part = self.parts[0]
        if part.failed or part.state in ("waiting", "starting") or not part.facts:
            return super().words
        boards = f"{part.facts['done']:,} of {part.facts['total']:,} boards"
        return boards if part.state == "running" else f"{boards}, {part.words}"

    @property
    def label(self) -> str:
        """The name it was given, to find it again by."""
        return str(self.notes.get("label", ""))

    def rename(self, label: str) -> None:
        """Give it another name."""
        self.notes["label"] = " ".join(label.split())
        self.keep()

    def read(self) -> int:
        """Read the rows that are new in the folder; the number of all. It may take a moment."""
        with self._reading:
            if self.order.node:
                from riverboat.holdem.spots.node_report import read_rows

                self._found = dict(read_rows(self.folder / "rows", self.order.node))
            else:
                self._read_flops()
            return len(self._found)

    def _read_flops(self) -> None:
        from riverboat.holdem.spots.flop_report import ReportFolder

        kept = ReportFolder(self.folder / "rows")
        for flop in self.order.flops:
            if flop.name not in self._found and (row := kept.find(flop)) is not None:
                self._found[flop.name] = row

    @property
    def num_read(self) -> int:
        """How many rows were read."""
        return len(self._found)

    @property
    def table(self) -> ReportTable:
        """The rows that were read as a table."""
        spot, found = self.order.spot, dict(self._found)
        if self.order.node:
            from riverboat.holdem.spots.node_report import table_of

            rows = list(found.values())
            total = sum(row.weight for row in rows) or 1.0
            return table_of(spot.board, spot.names, rows, total)
        names = [flop.name for flop in self.order.flops if flop.name in found]
        return flop_table(list[FlopRow](found[name] for name in names), spot.names)


class ReportRuns(Jobs[ReportRun]):
    """All reports of a server."""

    def __init__(self, folder: Path, memory: int | None = None) -> None:
        super().__init__(
            folder, ReportOrder, ReportRun, address="/holdem/reports/{}", at_once=1, memory=memory
        )

    def of_node(self, run: SpotRun, node: str) -> ReportRun | None:
        """The report of a node, with `any` for all cards, of a solved spot as it is now."""
        return self.find(node_report_name(run.name, run.path, node))


def node_report_name(source: str, path: Path, node: str) -> str:
    """The name of a node's report; a spot that was solved on has reports of its own."""
    status = path.stat()
    key = f"{source} {status.st_size} {status.st_mtime_ns} {node}"
    return hashlib.sha256(key.encode()).hexdigest()[:16]
