"""What the seam costs, what training sends, and how work scales, as ratios in one run.

    python benchmarks/jobs.py                          all of it
    python benchmarks/jobs.py --only rounds            training: what a round costs
    python benchmarks/jobs.py --rates benchmarks/jobs_rates.json

The last keeps the figures; `python tools/scale_table.py` computes the tables of
notes/scale.md from them.

Ray binds to the machine's outward address. To keep it on loopback, as root:

    unshare -n sh -c 'ip link set lo up; python benchmarks/jobs.py'
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from riverboat.blackjack.rules import rules_from
from riverboat.blackjack.simulation.simulate import Simulation, play_blocks
from riverboat.blackjack.simulation.tables import Tables
from riverboat.holdem.blueprints._chunk_walks import Chunk, ChunkWalker
from riverboat.holdem.blueprints._spread_trainer import SpreadTrainer
from riverboat.holdem.blueprints.game_config import AbstractGame, read_config
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.holdem.blueprints.training_jobs import CrewTeam
from riverboat.jobs.crews import open_crew
from riverboat.jobs.job_list import Here, run_jobs, stretches
from riverboat.solvers.run import Limit

JOBS, REPEATS = 12, 3


@dataclass(frozen=True)
class TimedRounds:
    """Rounds of blackjack; the result is the CPU time they took."""

    simulation: Simulation
    rounds: int
    seed: int

    def prepare(self) -> Tables:
        return Tables.of(self.simulation)

    def do(self, tools: Any, job: tuple[int, int]) -> Any:
        began = time.process_time()
        play_blocks(tools, self.rounds, self.seed, *job)
        return time.process_time() - began


@dataclass(frozen=True)
class Waits:
    """A job that takes some time and no core."""

    seconds: float

    def prepare(self) -> None:
        return None

    def do(self, tools: None, job: int) -> int:
        time.sleep(self.seconds)
        return job


def timed(work: Any, jobs: Any, crew: Any) -> float:
    began = time.perf_counter()
    for _ in run_jobs(work, jobs, crew):
        pass
    return time.perf_counter() - began


def one_worker(ray: bool, rates: dict[str, Any]) -> None:
    """One worker against none, in two parts, so that a busy machine does not blur it.

    CPU time of the same rounds of blackjack there and here; and how much longer jobs that only wait
    take than they should, which is what giving out and fetching costs (the least disturbed run).
    """
    simulation = Simulation(rules_from("vegas-6d-s17"))
    work, jobs = TimedRounds(simulation, 8 * JOBS << 20, 1), stretches(8 * JOBS, 8)
    waits = Waits(1.0)
    crews: dict[str, dict[str, Any]] = {"a process": {"workers": 1}}
    if ray:
        crews["a Ray worker"] = {"ray": "local", "workers": 1}
    list(run_jobs(work, jobs[:1], Here()))
    for name, options in crews.items():
        with open_crew(**options) as crew:
            list(run_jobs(work, jobs[:1], crew))
            speeds = []
            for _ in range(REPEATS):
                here, there = (sum(run_jobs(work, jobs, who)) for who in (Here(), crew))
                speeds.append(here / there)
            list(run_jobs(waits, range(2), crew))
            passing = [1.0 * JOBS / timed(waits, range(JOBS), crew) for _ in range(REPEATS)]
        speed, passed = statistics.median(speeds), max(passing)
        rates.setdefault("one_worker", {})[name] = {"cpu": speed, "passing": passed}
        print(
            f"{name} / without: {speed * passed:.3f} of the throughput (CPU {speed:.3f}, giving out"
            f" and fetching jobs of 1 s {passed:.3f}; a job of blackjack {here / JOBS:.2f} s)",
            flush=True,
        )


def rounds(config: str, rates: dict[str, Any]) -> None:
    """What a walk costs, and what putting a round of 1 to 64 chunks together costs, in CPU time.

    The workers are simulated: their chunks are walked beforehand, one after the other, and enter
    with the CPU time of one of them as delay. Putting together, and taking over what comes out, is
    done for real, by one thread.
    """
    abstract = AbstractGame.build(read_config(config))
    plain = HoldemTrainer(abstract)
    plain.run(Limit(iterations=200_000))
    began = time.process_time()
    plain.run(Limit(iterations=700_000))
    rate = (plain.iterations - 200_704) / (time.process_time() - began)
    rates |= {"config": config, "table_bytes": plain.table.nbytes, "walk_us": 1e6 / rate}
    print(f"{config}: {plain.table.nbytes / 1e6:,.0f} MB, plain {rate:,.0f} walks per CPU second")
    walker = ChunkWalker(abstract, 1)
    walker.load(1, plain.table)
    few = [walker.walk(Chunk(0, 64, 0))]
    walker.follow(walker.merger.add(few, plain.table.copy()), None)
    for deals, counts in (
        (2048, (8,)),
        (16_384, (1, 2, 4, 8, 16, 32, 64)),
        (65_536, (2, 8)),
        (262_144, (2, 4)),
    ):
        walker.load(1, plain.table)
        began = time.process_time()
        sent = [walker.walk(Chunk(i, deals, plain.deals)) for i in range(max(counts))]
        spent = (time.process_time() - began) / max(counts)
        for count in counts:
            facts = one_round(walker, plain.table, sent[:count], deals)
            facts |= {"chunk_us": 1e6 * spent / (2 * deals)}
            rates.setdefault("rounds", []).append(facts)
            lost = 2 * deals * count * (facts["merge_us"] + facts["follow_us"]) / 1e6
            print(
                f"  {count:>2} chunks of {deals:>6,} deals: {facts['sent']:.0f} bytes per walk"
                f" sent, {facts['received']:.0f} received; per walk {facts['chunk_us']:.1f} µs for"
                f" the chunk, {facts['merge_us']:.2f} µs for putting together,"
                f" {facts['follow_us']:.2f} µs for taking over; as many workers are"
                f" {spent / (spent + lost):.2f} busy",
                flush=True,
            )
    visits = flop_visits(abstract)
    rates["flop_visits"] = visits
    print(f"  owners of parts of the tree instead: a walk comes to the flop {visits:.1f} times;")
    print(f"  asked and answered with 40 bytes each that is {80 * visits:.0f} bytes per walk")


def one_round(walker: ChunkWalker, table: Any, sent: list[Any], deals: int) -> dict[str, float]:
    """CPU time and bytes per walk of a round."""
    walks, spent = 2 * deals * len(sent), []
    for _ in range(REPEATS):
        target = table.copy()
        began = time.process_time()
        numbers = walker.merger.add(sent, target)
        merged = time.process_time()
        walker.follow(numbers, None)
        spent.append((merged - began, time.process_time() - merged))
        walker.load(1, table)
    merge, follow = np.median(spent, axis=0) * 1e6 / walks
    return {
        "chunks": len(sent),
        "deals": deals,
        "sent": sum(map(len, sent)) / walks,
        "received": len(numbers) / walks,
        "merge_us": float(merge),
        "follow_us": float(follow),
    }


def two_processes(config: str, parts: int) -> None:
    """A real run by two processes of this machine."""
    abstract = AbstractGame.build(read_config(config))
    with open_crew(workers=2) as crew:
        run = SpreadTrainer(abstract, CrewTeam(crew, abstract, 1), seed=1, parts=parts)
        run.run(Limit(iterations=1_000_000))
        print(
            f"  2 processes, {parts} parts: {run.iterations / run.seconds:,.0f} walks per second,"
            f" {run.rounds} rounds, {run.bytes_per_walk:.0f} bytes per walk sent,"
            f" {run.received_per_walk:.0f} received"
        )


def flop_visits(abstract: AbstractGame) -> float:
    """How often one walk with uniform play passes from the first street to the second."""
    tree = abstract.tree
    nodes, children = tree.nodes.reshape(-1, 8), tree.children
    streets = tree.game.num_streets
    total = 0.0
    for walker in range(tree.game.players):
        stack = [(0, 1.0)]
        while stack:
            node, chance = stack.pop()
            actor, count, child, row = (int(x) for x in nodes[node][:4])
            if actor == 255:
                continue
            if row % streets > 0:
                total += chance
                continue
            share = chance if actor == walker else chance / count
            stack += [(int(children[child + a]), share) for a in range(count)]
    return total / tree.game.players


def scaling(rates: dict[str, Any], seconds: float = 1.0, each: int = 4) -> None:
    """Simulated workers: jobs that wait; what is lost is the seam's and Ray's."""
    import ray

    for count in (1, 4, 16, 64):
        ray.init(num_cpus=count, include_dashboard=False, log_to_driver=False)
        with open_crew(ray="auto") as crew:
            work = Waits(seconds)
            timed(work, range(2 * count), crew)
            spent = min(timed(work, range(each * count), crew) for _ in range(REPEATS))
        ray.shutdown()
        share = each * seconds / spent
        rates.setdefault("simulated", {})[str(count)] = share
        print(
            f"{count:>3} simulated workers, jobs of {seconds:g} s: {share:.3f} of ideal", flush=True
        )


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--only", choices=("worker", "rounds", "processes", "scaling"))
    reader.add_argument("--without-ray", action="store_true")
    reader.add_argument("--config", default="headsup-small")
    reader.add_argument("--parts", type=int, default=16)
    reader.add_argument("--rates", type=Path, help="add what was measured to this JSON file")
    chosen = reader.parse_args()
    rates: dict[str, Any] = {}

    def wanted(name: str) -> bool:
        return chosen.only in (None, name)

    if wanted("worker"):
        one_worker(not chosen.without_ray, rates)
    if wanted("rounds"):
        rounds(chosen.config, rates)
    if wanted("processes"):
        two_processes(chosen.config, chosen.parts)
    if wanted("scaling") and not chosen.without_ray:
        scaling(rates)
    if chosen.rates is not None:
        known = json.loads(chosen.rates.read_text()) if chosen.rates.exists() else {}
        chosen.rates.write_text(json.dumps(known | rates, indent=1) + "\n")


if __name__ == "__main__":
    main()
