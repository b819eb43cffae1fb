"""Flop reports as jobs: a job is a flop, its result a row, kept as one Parquet file.

A report's folder is a data set that other programs read too:

    3bet-flops/report.json                                         which spot and target
    3bet-flops/suits=rainbow/pairing=unpaired/AsKd7h.parquet       one row

Each file is written whole or not at all by the one who gave out the jobs, so workers need no common
disk. Without pyarrow (extra `data`) the rows are JSON files in the folder itself, as they were in
earlier versions; such rows become Parquet when a report goes on with pyarrow there.

A GPU solves one flop while the CPU plans others (tree, schedules, tables) and reads the last one's
root. So a few processes do one flop after the other; threads of one process would wait for each
other. They take turns with the GPU, because programs that use it at the same time get slices of it
and slow each other down. Results do not depend on any of it.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from riverboat.cards.board_texture import board_texture
from riverboat.cards.isomorphism import isomorphism
from riverboat.errors import UsageError
from riverboat.holdem.spots.flops import (
    SOLVING,
    Flop,
    FlopRow,
    check_spot,
    flop_row,
    open_folder,
    read_row,
)
from riverboat.holdem.spots.layout import open_layout
from riverboat.holdem.spots.locks import Lock, find_node, locked_hands, locked_shares
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import NodeKind, build_tree
from riverboat.jobs.crews import Processes
from riverboat.jobs.job_list import Crew, Here, JobProgress, run_jobs
from riverboat.runtime.array_types import F64
from riverboat.runtime.devices import machine_memory, parse_memory
from riverboat.runtime.storage import atomic_write
from riverboat.runtime.tables import has_arrow, write_table
from riverboat.solvers.run import Limit

try:
    import fcntl
except ImportError:  # Windows: processes share the GPU as they can
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from riverboat.runtime.cuda import GpuDevice


_ROW = "riverboat.row"  # The whole row as JSON, in a Parquet file's own notes
PROCESSES = 3
FEW = 8  # Flops that are not worth other processes: each needs some seconds to begin
LARGEST = (0, 21, 42)  # A flop of three suits and ranks: others have as many boards, or fewer


@dataclass(frozen=True)
class FlopWork:
    """Solve a spot on a flop; the memory allowed is the same everywhere, and so is the result."""

    spot: str
    target: float
    threads: int
    memory: int | None
    device: str = "cpu"
    locks: tuple[Lock, ...] = ()

    def prepare(self) -> FlopLocks:
        return FlopLocks(Spot.from_toml(self.spot), self.locks)

    def do(self, tools: FlopLocks, job: Flop) -> FlopRow:
        spot, locks = tools.on(job)
        options = {"threads": self.threads, "memory": self.memory, "device": self.device}
        solved = spot.solve(target=self.target, locks=locks, **options)
        return finished_row(solved, job, self.target)


class FlopLocks:
    """A spot with locks, on any flop; a lock whose hands the flop takes away is left out there."""

    def __init__(self, spot: Spot, locks: Sequence[Lock]) -> None:
        self.spot, self.locks = spot, list[tuple[Lock, int, F64]]()
        tree = build_tree(spot) if locks else None
        for lock in locks:
            assert tree is not None
            node, _ = find_node(tree, lock.node)
            if node.kind != NodeKind.DECISION:
                raise UsageError(f"Nobody acts at {lock.node}, so it cannot be locked.")
            locked_shares(lock, node, tree)
            hands = locked_hands(lock)
            if not (hands * spot.ranges[node.player].weights).any():
                raise UsageError(
                    f"The lock of {lock.node} names no hand of the player who acts there."
                )
            self.locks.append((lock, node.player, hands))

    def on(self, flop: Flop) -> tuple[Spot, list[Lock]]:
        """The spot on a flop, and the locks that hold there."""
        spot = self.spot.with_board(flop.cards)
        return spot, [lock for lock, who, hands in self.locks if hands[spot.hands(who)].any()]


def finished_row(solved: SolvedSpot, flop: Flop, target: float) -> FlopRow:
    """The row of a solved flop; one that a stop ended before its target is interrupted."""
    info = solved.info
    if (info["exploitability"] if "exploitability" in info else info["gain_sum"]) > target:
        raise KeyboardInterrupt
    return flop_row(solved, flop)


def report_rows(
    spot: Spot,
    flops: Sequence[Flop],
    folder: Path,
    crew: Crew,
    *,
    target: float,
    threads: int = 1,
    memory: int | str | None = None,
    device: str = "cpu",
    locks: Sequence[Lock] = (),
    progress: Callable[[JobProgress], None] | None = None,
) -> Iterator[FlopRow]:
    """The rows of all flops in order; those in the folder are read, the others solved and kept.

    `locks` hold on every flop. A GPU, device "cuda", does them by itself, without the crew.
    """
    allowed = parse_memory(memory) if isinstance(memory, str) else memory
    if device == "cpu" and allowed is None:
        allowed = machine_memory()
    check_spot(spot, locks)
    FlopLocks(spot, locks)  # Refuses what cannot be locked, before anything is written
    open_folder(folder, spot, {"target": target}, locks)
    work = FlopWork(spot.to_toml(), target, threads, allowed, device, tuple(locks))
    kept = ReportFolder(folder, most_pct=100 * target / spot.stake)
    if device == "cuda":
        with closing(FlopsOnGpu()) as gpu:
            yield from run_jobs(work, flops, gpu, kept=kept, progress=progress)
        return
    yield from run_jobs(work, flops, crew, kept=kept, progress=progress)


def flop_facts(cards: Sequence[int]) -> dict[str, Any]:
    """What a flop is like, and how many of the 22,100 flops differ from it by suits' names only."""
    number = int(isomorphism(3).indices(np.array([sorted(cards)]))[0])
    return {**board_texture(cards)._asdict(), "count": _class_sizes()[number]}


@lru_cache(maxsize=1)
def _class_sizes() -> list[int]:
    every = np.array([(a, b, c) for c in range(52) for b in range(c) for a in range(b)])
    sizes: list[int] = np.bincount(isomorphism(3).indices(every)).tolist()
    return sizes


def row_columns(row: FlopRow, cards: Sequence[int]) -> dict[str, Any]:
    """A row with one column for each figure; names that SQL takes without quotes."""
    facts, figures = flop_facts(cards), row.figures
    table: dict[str, Any] = {"flop": row.flop, "high": facts["high"], "count": facts["count"]}
    table |= {name: getattr(row, name) for name in ("weight", *SOLVING)}
    for kind in ("ev", "equity"):
        table |= {f"{kind}_{name}": value for name, value in getattr(figures, kind).items()}
    if figures.groups:  # Rows of earlier versions have neither
        table["connected"] = facts["connected"]
    for shares in (figures.strategies, figures.groups):
        for name, own in shares.items():
            table |= {_column(name, words): share for words, share in own.items()}
    return table


def _column(player: str, action: str) -> str:
    return f"{player}_{re.sub('[^a-z0-9]+', '_', action.lower()).strip('_')}"


class ReportFolder:
    """Rows of a report by flop.

    Rows that are exploitable by more than `most_pct` of the pot are removed when it is opened:
    earlier versions kept flops that Ctrl-C had left unfinished.
    """

    def __init__(self, folder: Path, most_pct: float = math.inf) -> None:
        self.folder = folder
        self.parquet = has_arrow()
        self.removed = [] if math.isinf(most_pct) else self._remove_unfinished(most_pct)

    def _remove_unfinished(self, most_pct: float) -> list[str]:
        """The flops whose rows were removed."""
        removed = []
        for path in [*self.folder.glob("suits=*/pairing=*/*.parquet"), *self.folder.glob("*.json")]:
            row = _read_json(path) if path.suffix == ".json" else self._read(path)
            # As a percentage, the target itself may have been rounded up.
            if row is not None and row.exploitability_pct > most_pct * (1 + 1e-9):
                path.unlink(missing_ok=True)
                removed.append(row.flop)
        return removed

    def _read(self, path: Path) -> FlopRow | None:
        return _read_parquet(path) if self.parquet else None

    def path(self, flop: Flop) -> Path:
        """The path of a flop's row in the data set."""
        facts = flop_facts(flop.cards)
        folder = self.folder / f"suits={facts['suits']}" / f"pairing={facts['pairing']}"
        return folder / f"{flop.name}.parquet"

    def find(self, job: Flop) -> FlopRow | None:
        """A row that was kept; one that is damaged, or is another flop's, counts as missing."""
        if not self.parquet:
            return read_row(self.folder, job)
        row = _read_parquet(self.path(job))
        if row is None or row.flop != job.name:
            row = read_row(self.folder, job)
            if row is None:
                return None
            self.keep(job, row)
            (self.folder / f"{job.name}.json").unlink(missing_ok=True)
        if row.weight != job.weight:
            row = replace(row, weight=job.weight)
            self.keep(job, row)
        return row

    def keep(self, job: Flop, result: FlopRow) -> None:
        if not self.parquet:
            atomic_write(self.folder / f"{job.name}.json", json.dumps(result.stored()))
            return
        columns, path = row_columns(result, job.cards), self.path(job)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(
            path, list(columns), [list(columns.values())],
            metadata={_ROW: json.dumps(result.stored())},
        )  # fmt: skip


def _read_json(path: Path) -> FlopRow | None:
    try:
        return FlopRow.from_stored(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _read_parquet(path: Path) -> FlopRow | None:
    import pyarrow
    from pyarrow import parquet

    try:
        notes = parquet.read_schema(path).metadata or {}
        return FlopRow.from_stored(json.loads(notes[_ROW.encode()]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError, pyarrow.ArrowException):
        return None


@dataclass(frozen=True)
class GpuFlopWork:
    """Solve a spot on a flop, on the GPU of this process."""

    spot: str
    target: float
    memory: int | None
    turn: str = ""
    """A file that processes lock while they use the GPU; none where there is one process."""
    locks: tuple[Lock, ...] = ()

    def prepare(self) -> tuple[FlopLocks, GpuDevice]:
        from riverboat.runtime.cuda import CudaDevice

        return FlopLocks(Spot.from_toml(self.spot), self.locks), CudaDevice()

    def do(self, tools: tuple[FlopLocks, GpuDevice], job: Flop) -> FlopRow:
        from riverboat.holdem.spots.outline import outline
        from riverboat.holdem.spots.solver import make_solver

        flops, gpu = tools
        board, locks = flops.on(job)
        solver = make_solver(board, device="cuda", memory=self.memory, gpu=gpu, locks=locks)
        # A new number of hands needs new kernels; they are made or loaded in the background.
        solver.compile()
        with in_turn(self.turn):
            solver.run(Limit(target=self.target))
            solved = outline(solver) if board.num_players == 2 else solver.result()
        return finished_row(solved, job, self.target)


@contextmanager
def in_turn(path: str) -> Iterator[None]:
    """What only one process does at a time; where a process dies the next one has its turn."""
    if fcntl is None or not path:
        yield
        return
    with Path(path).open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class FlopsOnGpu(Processes):
    """Processes of this machine that share its GPU; they do the flops of a `FlopWork`."""

    def __init__(self, count: int = PROCESSES) -> None:
        super().__init__(count)
        self.name = "the GPU"
        self._most = count
        self._own: GpuFlopWork | None = None
        self._place = tempfile.TemporaryDirectory(prefix="riverboat-gpu-")

    def run(self, work: Any, jobs: Sequence[Flop]) -> Iterator[tuple[int, FlopRow]]:
        """The place and the row of each flop, as they are finished."""
        from riverboat.runtime.cuda import CudaDevice

        self._count, memory = shared_out(work, self._most, CudaDevice().free_memory())
        few = len(jobs) <= FEW or self._count == 1
        own = GpuFlopWork(work.spot, work.target, work.memory, locks=work.locks)
        if not few:
            own = replace(own, memory=memory, turn=str(Path(self._place.name) / "turn"))
        self._own = own = self._own if own == self._own else own
        yield from (Here().run(own, jobs) if few else super().run(own, jobs))

    def close(self) -> None:
        super().close()
        self._place.cleanup()


def shared_out(work: Any, most: int, free: int) -> tuple[int, int]:
    """How many flops of a `FlopWork` fit on a GPU at a time, and what each of them may take."""
    from riverboat.holdem.spots.cuda.launches import device_bytes

    allowed = free if work.memory is None else min(work.memory, free)
    layout = open_layout(Spot.from_toml(work.spot).with_board(LARGEST), chunk_bytes=0)
    count = max(1, min(most, allowed // device_bytes(layout, int16=False)))
    return count, allowed // count
