"""Computes the tables of notes/scale.md from measured rates; puts them into the page.

    python tools/scale_table.py            write them
    python tools/scale_table.py --print    show them

The rates are in benchmarks/jobs_rates.json: `python benchmarks/jobs.py --rates …` measures those of
training and of Ray; the others name the page they are from.

A round of training, as the model has it: all workers walk a chunk each; their differences come in
over one network and are put together by the cores of one machine; what comes out goes to every
machine, and every worker takes it over. These four follow each other.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE, RATES = ROOT / "notes" / "scale.md", ROOT / "benchmarks" / "jobs_rates.json"
CORES = (10, 100, 1000)
MACHINE_CORES = 16
NETWORK = 10e9 / 8
"""Bytes per second of a machine: ten gigabits."""
CHUNK = 2 * 262_144
"""Walks in the largest chunk."""
NIGHT = 8 * 3600
FLOPS = 1755


def read_rates() -> dict[str, Any]:
    """What was measured."""
    rates: dict[str, Any] = json.loads(RATES.read_text(encoding="utf-8"))
    return rates


def along(points: dict[float, float], x: float) -> float:
    """A power law through the neighbouring points, and beyond the last two."""
    known = sorted(points)
    low = max([i for i, k in enumerate(known[:-1]) if k <= x], default=0)
    a, b = known[low], known[low + 1]
    slope = math.log(points[b] / points[a]) / math.log(b / a)
    return float(points[a] * (x / a) ** slope)


@dataclass(frozen=True)
class Game:
    """A blueprint's training: its table's bytes and the seconds of a walk on one core."""

    table: float
    walk: float


class Training:
    """Rates of rounds, as measured, for tables of any size.

    A chunk in a table twice as large meets as few infosets twice as one of half the deals does.
    """

    def __init__(self, rates: dict[str, Any]) -> None:
        self.table = rates["table_bytes"]
        rows = rates["rounds"]
        middle = sorted(row["merge_us"] / row["sent"] for row in rows)[len(rows) // 2]
        self.merge = middle * 1e-6
        """Seconds of one core per byte sent."""
        middle = sorted(row["follow_us"] / row["received"] for row in rows)[len(rows) // 2]
        self.follow = middle * 1e-6
        self.sent = {row["deals"]: row["sent"] for row in rows}
        self.received = {row["deals"] * row["chunks"]: row["received"] for row in rows}

    def round(self, game: Game, workers: int) -> dict[str, float]:
        """Seconds of each step of a round, its walks, and bytes."""
        scale = self.table / game.table
        walks = CHUNK * workers
        coming = walks * along(self.sent, CHUNK / 2 * scale)
        going = min(walks * along(self.received, walks / 2 * scale), 1.1 * game.table)
        machines = math.ceil(workers / MACHINE_CORES)
        return {
            "walks": walks,
            "walk": CHUNK * game.walk,
            "network": (coming + going * (machines - 1)) / NETWORK if machines > 1 else 0.0,
            "merge": coming * self.merge / MACHINE_CORES,
            "follow": going * self.follow,
            "coming": coming,
            "going": going,
        }

    def rate(self, game: Game, workers: int) -> float:
        """Walks per second."""
        one = self.round(game, workers)
        return one["walks"] / (one["walk"] + one["network"] + one["merge"] + one["follow"])

    def best(self, game: Game) -> int:
        """The fewest cores with nine tenths of the most walks that any number makes."""
        rates = {workers: self.rate(game, workers) for workers in range(1, 1001)}
        return min(workers for workers in rates if rates[workers] >= 0.9 * max(rates.values()))


def large(number: float) -> str:
    """A count in words."""
    for size, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if number >= size:
            return f"{number / size:.3g} {name}"
    return f"{number:,.0f}"


def size(number: float) -> str:
    """Bytes in the unit that fits."""
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= unit:
            return f"{number / unit:.3g} {name}"
    return f"{number:.0f} bytes"


def span(seconds: float) -> str:
    """A time in the unit that fits."""
    if seconds >= 5400:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def line(name: str, cells: list[str]) -> str:
    """A line of a table."""
    return f"| {name} | {' | '.join(cells)} |"


def jobs_table(rates: dict[str, Any]) -> list[str]:
    """Work without a common table: flops and rounds of blackjack."""
    flop, per_core = rates["flop"], rates["blackjack_rounds_per_second"]
    waves = [math.ceil(FLOPS / cores) * flop["cpu_seconds"] for cores in CORES]
    seconds = [1e12 / (per_core * cores) for cores in CORES]
    network = [flop["row_bytes"] * FLOPS / wave for wave in waves]
    return [
        line("", [f"{cores:,} cores" for cores in CORES]),
        "|---" * (len(CORES) + 1) + "|",
        line("all 1,755 flops of the 3-bet preset", [span(wave) for wave in waves]),
        line("their memory", [size(flop["memory_bytes"] * cores) for cores in CORES]),
        line("their network, per second", [size(one) for one in network]),
        line("a trillion rounds of blackjack", [span(one) for one in seconds]),
    ]


def training_table(rates: dict[str, Any]) -> list[str]:
    """Two blueprints, and where each stops."""
    training, lines = Training(rates), []
    large_one = rates["headsup-100bb"]
    games = {
        "`headsup-100bb`": Game(large_one["table_bytes"], 1 / large_one["walks_per_second"]),
        "100 times its infosets": Game(
            100 * large_one["table_bytes"], 1 / large_one["walks_per_second"]
        ),
    }
    for name, game in games.items():
        runs = [training.round(game, cores) for cores in CORES]
        rate = [training.rate(game, cores) for cores in CORES]
        best = training.best(game)
        top = training.rate(game, best)
        busy = [f"{r * game.walk:.0f} of {c:,}" for r, c in zip(rate, CORES, strict=True)]
        lines += [
            line(f"{name}, walks in 8 hours", [large(one * NIGHT) for one in rate]),
            line("cores' worth of walks", busy),
            line("memory, two tables per core", [size(2 * game.table * c) for c in CORES]),
            line("comes in per round", [size(one["coming"]) for one in runs]),
            line("goes to each machine per round", [size(one["going"]) for one in runs]),
            line(
                "nine tenths of the most walks",
                [f"{best} cores: {large(top * NIGHT)}, {top * game.walk:.0f} worth"]
                + [""] * (len(CORES) - 1),
            ),
        ]
    heading = [line("", [f"{cores:,} cores" for cores in CORES]), "|---" * (len(CORES) + 1) + "|"]
    return heading + lines


def seam_table(rates: dict[str, Any]) -> list[str]:
    """What Ray leaves of the ideal."""
    simulated = rates["simulated"]
    return [
        line("simulated workers on Ray", [f"{int(count)}" for count in simulated]),
        "|---" * (len(simulated) + 1) + "|",
        line("jobs of 1 s, share of ideal", [f"{share:.2f}" for share in simulated.values()]),
    ]


def rounds_table(rates: dict[str, Any]) -> list[str]:
    """What was measured."""
    lines = [
        "| chunks | deals in each | sent per walk | received per walk | CPU per walk: chunk |"
        " putting together | taking over |",
        "|---" * 7 + "|",
    ]
    for row in rates["rounds"]:
        lines.append(
            f"| {row['chunks']} | {row['deals']:,} | {row['sent']:.0f} bytes |"
            f" {row['received']:.0f} bytes | {row['chunk_us']:.1f} µs | {row['merge_us']:.2f} µs |"
            f" {row['follow_us']:.2f} µs |"
        )
    return lines


def tables() -> dict[str, str]:
    """Each table by its name in the page."""
    rates = read_rates()
    makers = {
        "rounds": rounds_table,
        "seam": seam_table,
        "jobs": jobs_table,
        "training": training_table,
    }
    return {name: "\n".join(make(rates)) for name, make in makers.items()}


def filled(page: str) -> str:
    """The page with all tables as they are now."""
    for name, text in tables().items():
        begin, end = f"<!-- computed: {name} -->", f"<!-- end: {name} -->"
        before, _, rest = page.partition(begin)
        _, _, after = rest.partition(end)
        page = f"{before}{begin}\n\n{text}\n\n{end}{after}"
    return page


if __name__ == "__main__":
    if "--print" in sys.argv:
        print("\n\n".join(tables().values()))
    else:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
