"""Spots solved from a page: the job gets a `Spot`, its folder the checkpoint and the locks."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

from riverboat.cards.card import card_text, cards_text, parse_cards
from riverboat.cards.ranges import Range
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.bet_sizes import PlayerSizes, parse_sizes
from riverboat.holdem.spots.locks import Lock, read_locks
from riverboat.holdem.spots.solved import load_spot
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.devices import choose_device
from riverboat.web.background import NAME, Job, Jobs, Workplace

CHECKPOINT_SECONDS = 3.0
AT_ONCE = 2
MAX_DELETED = 20
"""Deleted spots that can be restored; of more the oldest go."""
FACTS = ("iterations", "seconds", "ev", "exploitability_pct", "gains", "gain_sum_pct")
"""What the pages show of how a spot was solved: exploitability of two players, gains of three."""


@dataclass(frozen=True)
class SpotOrder:
    """A spot, how far it is solved, on what, and with which locks."""

    spot: Spot
    target: str
    locks: tuple[Lock, ...] = ()
    minutes: float | None = None  # It ends after so long, short of its target
    device: str = "cpu"
    resumable: ClassVar[bool] = True

    def parts(self) -> tuple[str, ...]:
        return ("spot",)

    @property
    def title(self) -> str:
        """The spot's board."""
        return f"Spot on {cards_text(self.spot.board)}"

    def check(self) -> None:
        """Refuse a device that is not there; the spot was checked when it was made."""
        choose_device(self.device)

    def as_dict(self) -> dict[str, Any]:
        return {
            "toml": self.spot.to_toml(),
            "target": self.target,
            "locks": [lock.as_dict() for lock in self.locks],
            "minutes": self.minutes,
            "device": self.device,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SpotOrder:
        spot, minutes = Spot.from_toml(str(data["toml"])), data.get("minutes")
        return cls(
            spot,
            str(data["target"]),
            tuple(read_locks(data["locks"])),
            None if minutes is None else float(minutes),
            str(data.get("device", "cpu")),
        )

    @classmethod
    def warm_up(cls) -> None:
        """Load the kernels by solving a spot of two hands."""
        warm_kernels()

    def work(self, place: Workplace) -> dict[str, Any]:
        """Solve, from the checkpoint where there is one."""
        from riverboat.holdem.spots.solve import go_on, run_solver, spot_limit

        def report(now: Any) -> None:
            place.report("point", [now.iterations, now.seconds, now.exploitability])

        path = place.folder / "solved.rb"
        device = choose_device(self.device)
        solver = go_on(
            self.spot,
            path,
            threads=max(1, (os.cpu_count() or 2) - 1),
            memory=None if device == "cuda" else place.memory,  # A GPU has memory of its own
            locks=self.locks,
            device=device,
        )
        place.report("facts", {"memory": solver.memory_bytes})
        solver.compile()  # before the clock starts
        run_solver(
            solver,
            spot_limit(self.spot.stake, self.target, seconds=self.minutes and 60 * self.minutes),
            progress=report,
            checkpoint=path,
            every=CHECKPOINT_SECONDS,
        )
        return shown_facts(solver.info())


def check_shown(spot: Spot) -> None:
    """Refuse what the form cannot show: it paints hands of two cards."""
    if spot.game != "holdem":
        raise UsageError(
            f"This form is of hold'em, and the spot is of {spot.game};"
            " the page Omaha, /holdem/omaha, takes it."
        )


def shown_facts(info: dict[str, Any]) -> dict[str, Any]:
    """Those of FACTS that a solve has."""
    return {key: info[key] for key in FACTS if key in info}


def warm_kernels() -> None:
    """Load whatever a first solve, and a first look at a solution, would wait for."""
    from riverboat.holdem.spots.node_views import node_grid
    from riverboat.holdem.spots.solve import solve_spot

    ranges = (Range.parse("AA,QQ"), Range.parse("KK"))
    bets = PlayerSizes(bet=parse_sizes("50%", "bets"))
    sizes = dict.fromkeys(("turn", "river"), (bets, bets))
    for board in ("2s 2h 2d 3c 3d", "2s 2h 2d 3c"):
        spot = Spot(tuple(parse_cards(board)), 2, 2, ranges, sizes=sizes)
        node_grid(solve_spot(spot, iterations=2).at("r:0"))


class SpotRun(Job[SpotOrder]):
    """One spot, being solved or solved."""

    @property
    def spot(self) -> Spot:
        return self.order.spot

    @property
    def path(self) -> Path:
        return self.folder / "solved.rb"

    @property
    def state(self) -> str:
        return self.parts[0].state

    @property
    def solved(self) -> bool:
        """Whether there is a solution to look at; one that was stopped early counts."""
        return self.state in ("done", "stopped") and self.path.is_file()

    @property
    def facts(self) -> dict[str, Any]:
        return self.parts[0].facts

    @property
    def points(self) -> list[list[float]]:
        return self.parts[0].points

    @property
    def title(self) -> str:
        """The name it was given, or its board."""
        return self.label or f"Spot {' '.join(map(card_text, self.spot.board))}"

    @property
    def label(self) -> str:
        """The name it was given, to find it again by."""
        return str(self.notes.get("label", ""))

    def rename(self, label: str) -> None:
        """Give it another name."""
        self.notes["label"] = " ".join(label.split())
        self.keep()

    @property
    def opens_at(self) -> dict[str, str]:
        """What its desk shows first: a node and a class of hands; empty for the start of it."""
        kept = self.notes.get("start")
        return dict(kept) if isinstance(kept, dict) else {}

    def stand_at(self, **start: str) -> None:
        """Remember what its desk shows first."""
        self.notes["start"] = {name: text for name, text in start.items() if text}
        self.keep()

    @property
    def address(self) -> str:
        """The address of its desk, at the decision that it was made for."""
        query = f"?{urlencode(self.opens_at)}" if self.opens_at else ""
        return f"/holdem/spots/{self.name}{query}"

    @property
    def painted(self) -> list[Lock]:
        """Locks that are painted now, for the next solve."""
        if "painted" not in self.notes:
            return list(self.order.locks)
        return read_locks(self.notes["painted"])

    def paint(self, locks: list[Lock]) -> None:
        """Keep what is painted; it is there after a reload and a restart."""
        self.notes["painted"] = [lock.as_dict() for lock in locks]
        self.keep()


class SpotRuns(Jobs[SpotRun]):
    """All spots of a server."""

    def __init__(self, folder: Path, memory: int | None = None) -> None:
        super().__init__(
            folder, SpotOrder, SpotRun, address="/holdem/spots/{}", at_once=AT_ONCE, memory=memory
        )
        self._prepared = False

    def prepare_once(self) -> None:
        """While a form is filled in, a process and the server itself load the kernels."""
        if not self._prepared:
            self._prepared = True
            threading.Thread(target=self._warm, daemon=True).start()

    def _warm(self) -> None:
        self.prepare()
        warm_kernels()

    def adopt(self, path: Path) -> SpotRun:
        """A solved spot of the library as one of ours; the same file is always the same spot."""
        status = path.stat()
        key = f"{path.name} {status.st_size} {status.st_mtime_ns}"
        name = hashlib.sha256(key.encode()).hexdigest()[:16]
        return self.take_in(path, name)

    def take_in(self, path: Path, name: str, label: str = "") -> SpotRun:
        """A copy of a solved spot's file under a name; one that is there stays as it is."""
        found = self.find(name)
        if found is not None and found.solved:
            return found
        solved = load_spot(path)
        order = SpotOrder(solved.spot, "0.5%", tuple(solved.locks))
        run = SpotRun(name, self.folder / name, order)
        run.facts.update(shown_facts(solved.info))
        run.folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, run.path)
        run.parts[0].state = "done"
        run.rename(label)
        self.known[name] = run
        return run

    @property
    def _deleted(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}-deleted")

    def delete(self, run: SpotRun) -> None:
        """Take a spot away, its solve with it; `restore` brings it back."""
        with self._lock:
            run.stop()
            run.kill()
            self.known.pop(run.name, None)
            aside = self._deleted / run.name
            aside.parent.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(aside, ignore_errors=True)
            run.folder.replace(aside)
            aside.touch()
        old = sorted(aside.parent.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        for path in old[:-MAX_DELETED]:
            shutil.rmtree(path, ignore_errors=True)

    def restore(self, name: str) -> SpotRun:
        """Bring a deleted spot back, stopped as it was."""
        aside, place = self._deleted / name, self.folder / name
        if not NAME.fullmatch(name) or not aside.is_dir() or place.exists():
            raise UsageError("There is no such deleted spot any more.")
        aside.replace(place)
        found = self.find(name)
        if found is None:
            raise UsageError("The deleted spot is damaged and cannot be brought back.")
        return found

    def find(self, name: str) -> SpotRun | None:
        """A spot by its name; those of 0.2.0 have a file of another form."""
        found = super().find(name)
        if found is not None or not NAME.fullmatch(name):
            return found
        old = self.folder / name / "run.json"
        return self._older(name, old) if old.is_file() else None

    def _older(self, name: str, old: Path) -> SpotRun | None:
        try:
            whole = json.loads(old.read_text())
            locks = whole.get("locks", [])
            run = SpotRun(name, old.parent, SpotOrder.from_dict({**whole, "locks": locks}))
            run.facts.update(dict(whole["facts"]))
            run.notes["painted"] = whole.get("painted", locks)
            run.parts[0].state = "done" if run.path.is_file() else "waiting"
            run.keep()
        except (OSError, ValueError, TypeError, KeyError, RiverboatError):
            return None
        self.known[name] = run
        return run
