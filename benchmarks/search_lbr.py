"""Local best response against the searching player and its blueprint, on the same boards.

    python benchmarks/search_lbr.py [--raises 0.5p,1p,a] [--draws 60] [--seed 1] [--kept FILE]
    python benchmarks/search_lbr.py --raises fc --raises many --seconds 240 --draws 1000 --workers 8

Each draw is a board and one betting line to its flop, or to its turn with --from turn
(holdem/search/_local_response.py). With several --raises or --player each draw is made for
all of them before the next one. With --seconds no draw begins after that time. Draws are
written to --kept one by one, and those that are there are not made again: a run that was stopped
goes on, and a longer one uses the shorter one's. Figures in mbb/g with 95 % intervals.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.shipped import spec_of
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.search._local_response import (
    LbrDraw,
    SearchLbr,
    SearchLbrResult,
    exploiter_sizes,
)
from riverboat.holdem.search._options import SearchOptions
from riverboat.jobs.crews import open_crew
from riverboat.jobs.job_list import run_jobs


@dataclass(frozen=True)
class Wanted:
    """One draw of one measurement."""

    player: str
    raises: str
    number: int


@dataclass(frozen=True)
class AllDrawsWork:
    """Draws of several measurements; what one needs is made when it first comes."""

    seed: int
    street: int
    until: float
    """By the clock that all processes share; no draw begins later."""

    def prepare(self) -> dict[tuple[str, str], SearchLbr]:
        return {}

    def do(self, tools: dict[tuple[str, str], SearchLbr], job: Wanted) -> LbrDraw | None:
        if time.time() > self.until:
            return None
        key = (job.player, job.raises)
        if key not in tools:
            blueprint, options = opened(job.player)
            sizes = exploiter_sizes(job.raises)
            tools[key] = SearchLbr(blueprint, options, sizes, street=self.street)
        return tools[key].draw(job.number, self.seed)


@cache
def loaded(name: str) -> Blueprint:
    """A blueprint, read once by each process."""
    return Blueprint.load(name)


def opened(player: str) -> tuple[Blueprint, SearchOptions]:
    """The blueprint and the options of a searching player."""
    spec = spec_of(player)
    return loaded(spec.argument or "shipped"), SearchOptions.read(spec.options, player)


class DrawsFile:
    """Draws of all measurements, a line of JSON each."""

    def __init__(self, path: Path | None, seed: int, street: int) -> None:
        self.path, self.common = path, {"seed": seed, "street": street}
        self.known: dict[str, LbrDraw] = {}
        if path is not None and path.is_file():
            for line in path.read_text().splitlines():
                row = json.loads(line)
                name = json.dumps(row.pop("of"), sort_keys=True)
                self.known[f"{name} {row['number']}"] = LbrDraw(**row)

    def _of(self, job: Wanted) -> dict[str, Any]:
        return {"player": job.player, "raises": job.raises, **self.common}

    def find(self, job: Wanted) -> LbrDraw | None:
        return self.known.get(f"{json.dumps(self._of(job), sort_keys=True)} {job.number}")

    def keep(self, job: Wanted, result: LbrDraw | None) -> None:
        if self.path is not None and result is not None:
            with self.path.open("a") as file:
                file.write(json.dumps({**result.as_dict(), "of": self._of(job)}) + "\n")


def main() -> None:
    """Print each draw, and all figures at the end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--player", action="append")
    parser.add_argument("--raises", action="append")
    parser.add_argument("--draws", type=int, default=60)
    parser.add_argument("--first", type=int, default=0, help="the first draw's number")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--from", dest="street", choices=("flop", "turn"), default="flop")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--kept", type=Path)
    given = parser.parse_args()
    players = given.player or ["search:shipped"]
    sets = given.raises or ["0.5p,1p,a"]
    street = {"flop": Street.FLOP, "turn": Street.TURN}[given.street]
    jobs = [
        Wanted(player, raises, number)
        for number in range(given.first, given.first + given.draws)
        for raises in sets
        for player in players
    ]
    kept = DrawsFile(given.kept, given.seed, street)
    found: dict[tuple[str, str], list[LbrDraw]] = {}
    begin, work = time.time(), AllDrawsWork(given.seed, street, time.time() + given.seconds)
    with open_crew(None, given.workers) as crew:
        for job, draw in zip(jobs, run_jobs(work, jobs, crew, kept=kept), strict=True):
            if draw is None:
                continue
            found.setdefault((job.player, job.raises), []).append(draw)
            print(f"{draw.number:4} {job.raises:12} {draw.board} {draw.line:12}", end="")
            print(f" {draw.chance:6.3f} of {draw.lines:3}, {draw.asked:3} asked", flush=True)
    for (player, raises), draws in found.items():
        unit = float(opened(player)[0].rules.big_blind)
        print(f"{player}, LBR raises {raises}, seed {given.seed}, from the {given.street} on")
        if len(draws) > 1:
            for name, figure in SearchLbrResult(tuple(draws), unit).figures().items():
                print(f"  {name:38} {figure}")
        print(f"  {len(draws)} draws")
    print(f"{time.time() - begin:.0f} s")


if __name__ == "__main__":
    main()
