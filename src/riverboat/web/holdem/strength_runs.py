"""The strength of a blueprint, measured in the background and resumed after a crash."""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from riverboat.errors import UsageError
from riverboat.runtime.stopping import current_stop
from riverboat.runtime.storage import atomic_write
from riverboat.web.background import Job, Jobs, Workplace

REPORT_SECONDS = 0.2
"""Seconds between two reports of a measurement."""
CHECKPOINT_SECONDS = 3.0


@dataclass(frozen=True)
class StrengthOrder:
    """A blueprint whose strength is measured."""

    path: str
    resumable: ClassVar[bool] = True

    def parts(self) -> tuple[str, ...]:
        return ("strength",)

    @property
    def title(self) -> str:
        """The blueprint that is measured."""
        return f"Strength of {Path(self.path).name}"

    def check(self) -> None:
        """The file is read by the job."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> StrengthOrder:
        return cls(str(data["path"]))

    @classmethod
    def warm_up(cls) -> None:
        """Nothing is worth preparing: measuring takes minutes."""

    def work(self, place: Workplace) -> dict[str, Any]:
        """Measure, from what an earlier process found; the facts have a step for each figure."""
        from riverboat.holdem.blueprints.blueprint import Blueprint
        from riverboat.holdem.blueprints.measure import Found, StrengthStep, measure_running
        from riverboat.solvers.run import Autosave

        if place.folder.name != measurement_name(Path(self.path)):
            raise UsageError("The blueprint was changed while it was being measured.")
        path, found = place.folder / "found.json", Found()
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            found = Found.from_dict(json.loads(path.read_text()))
        autosave = Autosave(
            lambda where: atomic_write(where, json.dumps(found.as_dict())),
            path,
            every=CHECKPOINT_SECONDS,
        )
        steps: dict[str, dict[str, Any]] = {}
        last = 0.0

        def report(step: StrengthStep) -> None:
            nonlocal last
            now, shown = time.monotonic(), step.as_dict()
            if shown["estimate"] is None and step.name in steps:
                shown["estimate"] = steps[step.name]["estimate"]
            steps[step.name] = shown
            if step.done in (0, step.total) or now - last > REPORT_SECONDS:
                place.report("facts", {"steps": dict(steps)})
                last = now
            autosave.beat()
            current_stop().check()

        try:
            measure_running(Blueprint.load(self.path), report, found=found)
        except KeyboardInterrupt:
            if not steps:
                raise
        return {"steps": steps}


class StrengthRun(Job[StrengthOrder]):
    """The figures of one blueprint."""

    @property
    def state(self) -> str:
        return self.parts[0].state

    @property
    def steps(self) -> dict[str, dict[str, Any]]:
        found = self.parts[0].facts.get("steps", {})
        return found if isinstance(found, dict) else {}

    @property
    def words(self) -> str:
        """How far the last figure is, or what went wrong."""
        if self.parts[0].failed or not self.steps:
            return super().words
        name, step = list(self.steps.items())[-1]
        return f"{name}: {int(step['done']):,} of {int(step['total']):,} {step['unit']}"


class StrengthRuns(Jobs[StrengthRun]):
    """The measurements of a server."""

    def __init__(self, folder: Path) -> None:
        address = "/holdem/blueprints"
        super().__init__(folder, StrengthOrder, StrengthRun, address=address, at_once=1)


def measurement_name(path: Path) -> str:
    """The name of a blueprint's measurement; a file that changed has one of its own."""
    status = path.stat()
    key = f"{path} {status.st_size} {status.st_mtime_ns}"
    return hashlib.sha256(key.encode()).hexdigest()[:16]
