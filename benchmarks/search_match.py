"""A match of the searching player against its blueprint, all hands of both at once.

    python benchmarks/search_match.py [--player search:FILE] [--draws 60] [--seed 1] [--kept FILE]

Each draw is a board and one betting line to the street on which the search begins to think
(holdem/search/_search_match.py). With --seconds no draw begins after that time. Draws are written
to --kept one by one, and those that are there are not made again: a run that was stopped goes on,
and a longer one uses the shorter one's. Figures in mbb/g with 95 % intervals.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.shipped import spec_of
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._search_match import MatchDraw, SearchMatch, SearchMatchResult
from riverboat.jobs.crews import open_crew
from riverboat.jobs.job_list import run_jobs


@dataclass(frozen=True)
class TimedWork:
    """Draws, as long as there is time."""

    blueprint: Blueprint
    options: SearchOptions
    seed: int
    until: float  # by the clock that all processes share

    def prepare(self) -> SearchMatch:
        return SearchMatch(self.blueprint, self.options)

    def do(self, tools: SearchMatch, job: int) -> MatchDraw | None:
        return None if time.time() > self.until else tools.draw(job, self.seed)


class DrawsFile:
    """Draws of one measurement, a line of JSON each; `same` tells measurements apart."""

    def __init__(self, path: Path | None, same: dict[str, Any]) -> None:
        self.path, self.same = path, same
        self.known: dict[int, MatchDraw] = {}
        if path is not None and path.is_file():
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            known = [MatchDraw.from_dict(row) for row in rows if row.pop("of") == same]
            self.known = {draw.number: draw for draw in known}

    def find(self, job: int) -> MatchDraw | None:
        return self.known.get(job)

    def keep(self, job: int, result: MatchDraw | None) -> None:
        if self.path is not None and result is not None:
            with self.path.open("a") as file:
                file.write(json.dumps({**result.as_dict(), "of": self.same}) + "\n")


def main() -> None:
    """Print each draw, and the figure so far."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--player", default="search:shipped")
    parser.add_argument("--draws", type=int, default=60)
    parser.add_argument("--first", type=int, default=0, help="the first draw's number")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--kept", type=Path)
    given = parser.parse_args()
    spec = spec_of(given.player)
    blueprint = Blueprint.load(spec.argument or "shipped")
    options = SearchOptions.read(spec.options, given.player)
    kept = DrawsFile(given.kept, {"player": given.player, "seed": given.seed})
    unit, begin = float(blueprint.rules.big_blind), time.time()
    found: list[MatchDraw] = []
    with open_crew(None, given.workers) as crew:
        jobs = list(range(given.first, given.first + given.draws))
        timed = TimedWork(blueprint, options, given.seed, begin + given.seconds)
        for draw in run_jobs(timed, jobs, crew, kept=kept):
            if draw is None:
                continue
            found.append(draw)
            gain = 1000 * draw.gain / unit
            print(f"{draw.number:4} {draw.board} {draw.line:20} {draw.chance:6.3f}", end="")
            print(f" of {draw.lines:3}, {draw.asked:3} asked {gain:+6.0f}", end="")
            far = f" so far {SearchMatchResult(tuple(found), unit).wins}" if found[1:] else ""
            print(far, flush=True)
    print(f"{given.player}, seed {given.seed}, {len(found)} draws, {time.time() - begin:.0f} s")
    if len(found) > 1:
        for name, figure in SearchMatchResult(tuple(found), unit).figures().items():
            print(f"{name:38} {figure}")


if __name__ == "__main__":
    main()
