"""Local best response against the searching player, beside its blueprint, on the same boards.

    python benchmarks/search_lbr.py [--raises 0.5p,1p,a] [--draws 60] [--seed 1] [--kept FILE]

Each draw is a board and one betting line to its turn (holdem/search/search_lbr.py). Draws are
written to --kept one by one, and those that are there are not made again: a run that was stopped
goes on, and a longer one uses the shorter one's. Figures in mbb/g with 95 % intervals.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.search.search_lbr import LbrDraw, SearchLbrResult, exploiter_sizes
from riverboat.holdem.search.search_options import SearchOptions
from riverboat.holdem.shipped_blueprint import spec_of
from riverboat.jobs.crews import open_crew
from riverboat.jobs.holdem_measure_jobs import DrawsWork
from riverboat.jobs.job_list import run_jobs


class DrawsFile:
    """Draws of one measurement, a line of JSON each."""

    def __init__(self, path: Path | None, same: dict[str, Any]) -> None:
        self.path, self.same = path, same
        self.known: dict[int, LbrDraw] = {}
        if path is not None and path.is_file():
            for line in path.read_text().splitlines():
                row = json.loads(line)
                if row.pop("of") == same:
                    self.known[row["number"]] = LbrDraw(**row)

    def find(self, job: int) -> LbrDraw | None:
        return self.known.get(job)

    def keep(self, job: int, result: LbrDraw) -> None:
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps({**result.as_dict(), "of": self.same}) + "\n")


def main() -> None:
    """Print what was found so far after each draw, and all figures at the end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--player", default="search:shipped")
    parser.add_argument("--raises", default="0.5p,1p,a")
    parser.add_argument("--draws", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--kept", type=Path)
    given = parser.parse_args()
    spec = spec_of(given.player)
    blueprint = Blueprint.load(spec.argument or "shipped")
    options = SearchOptions.read(spec.options, given.player)
    same = {"player": given.player, "raises": given.raises, "seed": given.seed}
    work = DrawsWork(blueprint, options, exploiter_sizes(given.raises), given.seed)
    kept, found = DrawsFile(given.kept, same), []
    unit, begin = float(blueprint.rules.big_blind), time.process_time()
    with open_crew(None, given.workers) as crew:
        for draw in run_jobs(work, list(range(given.draws)), crew, kept=kept):
            found.append(draw)
            change = 1000 * draw.difference / unit
            print(f"{draw.number:4} {draw.board} {draw.line:20} {draw.chance:6.3f}", end="")
            print(f" {draw.lines:4} lines {draw.asked:4} asked {change:+8.0f}", flush=True)
    print(f"{given.player}, LBR raises {given.raises}, seed {given.seed}")
    for name, figure in SearchLbrResult(tuple(found), unit).figures().items():
        print(f"{name:38} {figure}")
    print(f"{len(found)} draws, {time.process_time() - begin:.0f} CPU s here")


if __name__ == "__main__":
    main()
