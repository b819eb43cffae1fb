"""A real Ray of several nodes on this machine, and what happens when they come and go.

Runs as a program of its own, in a network of its own (tests/jobs/test_ray_crew.py says why), and
prints one JSON object with what it saw.
"""

import json
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from holdem_configs import LEDUC
from job_works import SHARED, Refuses, Squares, Sums
from riverboat.cards.card import parse_cards
from riverboat.errors import RiverboatError
from riverboat.holdem.blueprints._chunk_walks import ChunkWalker
from riverboat.holdem.blueprints._spread_trainer import SpreadTrainer
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.training_jobs import BlueprintWork, ChunkJob, CrewTeam
from riverboat.holdem.spots.flop_report import FlopLocks, FlopWork, ReportFolder
from riverboat.holdem.spots.flops import Flop, FlopRow, open_folder
from riverboat.holdem.spots.spot import Spot
from riverboat.jobs.crews import open_crew
from riverboat.jobs.job_list import Crew, Here, JobProgress, run_jobs
from riverboat.solvers.run import Limit
from spot_texts import FLOP
from waiting import wait_until

FLOPS = [
    Flop((cards[0], cards[1], cards[2]), 1.0)
    for cards in map(parse_cards, ("7c5c2c", "7c7d2h", "Tc6d3h", "8c5d3h", "4c3d2h", "6c6d2h"))
]


def stand_still(doomed: str, folder: str) -> None:
    """On the node that will be killed: say that work has begun, and never end it.

    The other nodes wait for that, so that they cannot do all the work before it has begun.
    """
    import ray

    begun = Path(folder) / "begun"
    if ray.get_runtime_context().get_node_id() == doomed:
        begun.touch()
        time.sleep(3600)
    wait_until(begun.exists)


@dataclass(frozen=True)
class DoomedFlopWork(FlopWork):
    doomed: str = ""
    folder: str = ""

    def do(self, tools: FlopLocks, job: Flop) -> FlopRow:
        stand_still(self.doomed, self.folder)
        return super().do(tools, job)


@dataclass(frozen=True)
class DoomedBlueprintWork(BlueprintWork):
    doomed: str = ""
    folder: str = ""

    def do(self, tools: ChunkWalker, job: ChunkJob) -> Any:
        if job.chunk.number > 20:
            stand_still(self.doomed, self.folder)
        return super().do(tools, job)


class Killer:
    """Ends a node as soon as work has begun there; `look` lets a new one join after that."""

    def __init__(self, cluster: Any, node: Any, folder: str) -> None:
        self.cluster, self.node, self.folder = cluster, node, Path(folder)
        self.new: Any = None
        self.gone, self.over = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        while not (self.folder / "begun").exists():
            if self.over.wait(0.02):
                return
        self.cluster.remove_node(self.node, allow_graceful=False)
        self.gone.set()

    def look(self, *_: Any) -> None:
        """Called by the main thread, the only one that can start a node."""
        if self.gone.is_set() and self.new is None:
            self.new = self.cluster.add_node(num_cpus=1)

    def end(self) -> Any:
        self.over.set()
        self.thread.join()
        self.look()
        return self.new


def seams(crew: Crew) -> dict[str, Any]:
    shared = crew.share(SHARED)
    try:
        list(run_jobs(Refuses(), range(5), crew))
        refused = ""
    except RiverboatError as error:
        refused = f"{type(error).__name__}: {error}"
    return {
        "squares": list(run_jobs(Squares(7), range(12), crew)),
        "sum": sum(run_jobs(Sums(), [(shared, i, i + 250) for i in range(0, 1000, 250)], crew)),
        "refused": refused,
        "workers": crew.workers(),
    }


def report(crew: Crew, cluster: Any, node: Any, folder: str) -> tuple[dict[str, Any], Any]:
    spot, place = Spot.from_toml(FLOP), Path(folder) / "flops"
    mark = Path(folder) / "report"
    mark.mkdir()
    open_folder(place, spot, {"target": 2.0})
    told: list[JobProgress] = []
    work = DoomedFlopWork(spot.to_toml(), 2.0, 1, None, doomed=node.node_id, folder=str(mark))
    killer = Killer(cluster, node, str(mark))
    kept = ReportFolder(place)

    def tell(now: JobProgress) -> None:
        told.append(now)
        killer.look()

    rows = list(run_jobs(work, FLOPS, crew, kept=kept, progress=tell))
    new = killer.end()
    alone = run_jobs(FlopWork(spot.to_toml(), 2.0, 1, None), FLOPS, Here())
    found = {
        "same": [_plain(row) for row in rows] == [_plain(row) for row in alone],
        "done": [now.done for now in told],
        "retried": told[-1].retried,
        "files": len(list(place.rglob("*.parquet"))),
        "left": sum(kept.find(flop) is None for flop in FLOPS),
    }
    return found, new


def _plain(row: FlopRow) -> dict[str, Any]:
    return {**row.as_dict(), "seconds": 0}


def training(crew: Crew, cluster: Any, node: Any, folder: str) -> dict[str, Any]:
    mark = Path(folder) / "training"
    mark.mkdir()
    abstract = AbstractGame.build(HoldemConfig.from_table(LEDUC))

    def trained(team: CrewTeam, look: Any = None) -> SpreadTrainer:
        run = SpreadTrainer(abstract, team, seed=7, parts=3)
        run.run(Limit(iterations=30_000), look)
        return run

    alone = trained(CrewTeam(Here(), abstract, 7))
    team = CrewTeam(crew, abstract, 7)
    team.work = DoomedBlueprintWork(abstract, 7, 1, doomed=node.node_id, folder=str(mark))
    killer = Killer(cluster, node, str(mark))
    before = crew.retried
    run = trained(team, killer.look)
    killer.end()
    return {
        "same": bool(np.array_equal(run.table, alone.table)),
        "walks": [run.iterations, alone.iterations],
        "chunks": [run.chunks, alone.chunks],
        "retried": crew.retried - before,
    }


def main(folder: str) -> None:
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "include_dashboard": False, "temp_dir": folder + "/ray"},
    )
    node = cluster.add_node(num_cpus=1)
    found: dict[str, Any] = {}
    try:
        with open_crew(ray=cluster.address) as crew:
            found["seams"] = seams(crew)
            found["report"], node = report(crew, cluster, node, folder)
            found["training"] = training(crew, cluster, node, folder)
    finally:
        cluster.shutdown()
    sys.stdout.write(json.dumps(found) + "\n")


def local(_folder: str) -> None:
    """A Ray of this process's own; its files lie in RAY_TMPDIR."""
    with open_crew(ray="local") as crew:
        found = seams(crew)
    sys.stdout.write(json.dumps(found) + "\n")
