"""The first minute: from an empty environment to first answers, next to OpenSpiel and PokerKit.

    make wheel
    python benchmarks/first_minute.py                   # installs the wheel of dist/
    python benchmarks/first_minute.py --wheel FILE.whl --no-web --no-peers

A fresh virtual environment is made for the wheel and another for the peers. Every row is a process
of its own in an empty home folder: nothing was run before, nothing is in a cache. Seconds are wall
time; CPU seconds are printed next to them, since a busy machine stretches the first and not the
second.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SPOT = """
board = "{board}"
pot = 180
stack = 910
[ranges]
oop = "QQ+,AKs,AKo,AQs,KQs,A5s-A2s:0.5"
ip = "TT-88,AQs-ATs,KQs,QJs,JTs"
[sizes.flop]
oop = {{ bet = "50%" }}
ip = {{ bet = "50%", raise = "60%" }}
"""
FILES = {
    "river.toml": SPOT.format(board="Qs Jh 2h 8d 3c"),
    "flop.toml": SPOT.format(board="Qs Jh 2h"),
}
ROWS = (
    ("--help", 0.25),
    ("solve kuhn", 0.6),
    ("solve leduc --target 1e-6", 1.0),
    ("equity AsAh KdKc", 0.5),
    ("blackjack hand T,6 --up 10", 0.6),
    ("blackjack chart", 0.6),
    ("train twentyone --games 1e6 --out q.rb", 1.2),
    ("holdem solve river.toml", 1.5),
    ("holdem solve flop.toml --iterations 1", 3.0),
)
"""Commands and the seconds they may take."""
SEARCH_SECONDS = 3.0  # The searching player's default clock
DECISIONS = """
import time
import riverboat as rb

class Timed:
    name = "timed"
    longest = 0.0
    def __init__(self):
        self.player = rb.player(game, "search")
    def choose(self, view, rng):
        start = time.perf_counter()
        action = self.player.choose(view, rng)
        self.longest = max(self.longest, time.perf_counter() - start)
        return action

game = rb.game("holdem", stacks=100)
timed = Timed()
rb.match(game, timed, "holdem:rules", hands=2, seed=1)
print(timed.longest)
"""
"""Two hands against the searching player: its longest decision, the first on a flop included."""
PEERS = (
    ("OpenSpiel: import pyspiel", "import pyspiel"),
    (
        "OpenSpiel: Kuhn, 1,000 iterations of CFR+ (C++)",
        "import pyspiel\n"
        "game = pyspiel.load_game('kuhn_poker')\n"
        "solver = pyspiel.CFRPlusSolver(game)\n"
        "for _ in range(1000): solver.evaluate_and_update_policy()\n"
        "print(pyspiel.exploitability(game, solver.average_policy()))",
    ),
    (
        "OpenSpiel: Leduc, 100 iterations of CFR+ (C++)",
        "import pyspiel\n"
        "game = pyspiel.load_game('leduc_poker')\n"
        "solver = pyspiel.CFRPlusSolver(game)\n"
        "for _ in range(100): solver.evaluate_and_update_policy()\n"
        "print(pyspiel.exploitability(game, solver.average_policy()))",
    ),
    ("PokerKit: import pokerkit", "import pokerkit"),
    (
        "PokerKit: equity AsAh KdKc, 10,000 samples",
        "from pokerkit import *\n"
        "ranges = (parse_range('AsAh'), parse_range('KdKc'))\n"
        "print(calculate_equities(ranges, (), 2, 5, Deck.STANDARD, (StandardHighHand,),"
        " sample_count=10_000))",
    ),
)


class Spent(NamedTuple):
    """What a process took."""

    wall: float
    cpu: float


class Environment:
    """A virtual environment, and processes in it that know of nothing else."""

    def __init__(self, place: Path) -> None:
        self.place = place
        venv.create(place, with_pip=True)
        self.scripts = place / ("Scripts" if os.name == "nt" else "bin")

    def install(self, *packages: str) -> Spent:
        return self.run("python", "-m", "pip", "install", "-q", *packages, own_home=False)

    @property
    def megabytes(self) -> float:
        return sum(path.lstat().st_size for path in self.place.rglob("*")) / 1e6

    def settings(self, home: Path) -> dict[str, str]:
        dropped = ("NUMBA_", "PYTHON", "RIVERBOAT_", "XDG_", "VIRTUAL_ENV")
        kept = {key: text for key, text in os.environ.items() if not key.startswith(dropped)}
        return {**kept, "HOME": str(home), "USERPROFILE": str(home)}

    def run(self, program: str, *words: str, own_home: bool = True) -> Spent:
        return self.answer(program, *words, own_home=own_home)[0]

    def answer(self, program: str, *words: str, own_home: bool = True) -> tuple[Spent, str]:
        """Run in an empty folder that is also the home; the seconds of all its processes."""
        with tempfile.TemporaryDirectory() as name:
            home = Path(name)
            for file, text in FILES.items():
                (home / file).write_text(text)
            before, start = os.times(), time.perf_counter()
            done = subprocess.run(
                [self.scripts / program, *words],
                cwd=home,
                env=self.settings(home) if own_home else None,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                check=False,
            )
            wall, after = time.perf_counter() - start, os.times()
        if done.returncode:
            sys.exit(f"{program} {' '.join(words)}: {done.stderr}")
        cpu = after.children_user + after.children_system
        return Spent(wall, cpu - before.children_user - before.children_system), done.stdout

    def first_page(self) -> Spent:
        """From starting the web server until its first page has been received."""
        with tempfile.TemporaryDirectory() as name:
            home = Path(name)
            before, start = os.times(), time.perf_counter()
            server = subprocess.Popen(
                [self.scripts / "riverboat", "web", "--no-open", "--port", "0"],
                cwd=home,
                env=self.settings(home),
                stdout=subprocess.PIPE,
                text=True,
            )
            try:
                assert server.stdout is not None
                guard = threading.Timer(120, server.kill)
                guard.start()
                address = ""
                for line in server.stdout:
                    if found := re.search(r"http://\S+", line):
                        address = found[0]
                        break
                with urllib.request.urlopen(address) as page:
                    page.read()
                wall = time.perf_counter() - start
                guard.cancel()
            finally:
                server.terminate()
                server.wait()
            after = os.times()
        cpu = after.children_user + after.children_system
        return Spent(wall, cpu - before.children_user - before.children_system)


def newest_wheel() -> Path:
    wheels = sorted((ROOT / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        sys.exit("There is no wheel in dist: run `make wheel`, or give --wheel.")
    return wheels[-1]


def least(runs: list[Spent]) -> Spent:
    """The least wall and CPU time of several runs: what is left when nothing interferes."""
    return Spent(min(run.wall for run in runs), min(run.cpu for run in runs))


def show(name: str, spent: Spent, limit: float | None = None) -> None:
    bound = "" if limit is None else f"≤ {limit:.2f}  {'ok' if spent.wall <= limit else 'over'}"
    print(f"{name:52s} {spent.wall:7.2f} {spent.cpu:7.2f}  {bound}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help="default: the newest in dist")
    parser.add_argument("--repeats", type=int, default=3, help="the least of this many is printed")
    parser.add_argument("--no-web", action="store_true", help="leave out the first page")
    parser.add_argument("--no-peers", action="store_true", help="leave out OpenSpiel and PokerKit")
    arguments = parser.parse_args()
    wheel = arguments.wheel or newest_wheel()
    with tempfile.TemporaryDirectory() as name:
        ours = Environment(Path(name) / "riverboat")
        installed = ours.install(str(wheel.resolve()))
        print(
            f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {ours.megabytes:.0f} MB installed"
        )
        print(f"{'':52s} {'wall s':>7s} {'CPU s':>7s}")
        show("pip install", installed)
        for line, limit in ROWS:
            runs = [ours.run("riverboat", *line.split()) for _ in range(arguments.repeats)]
            show(f"riverboat {line}", least(runs), limit)
        spent, printed = ours.answer("python", "-c", DECISIONS)
        longest = Spent(float(printed), spent.cpu)
        show("longest decision of two hands of search", longest, SEARCH_SECONDS)
        if not arguments.no_web:
            ours.install(f"riverboat[web] @ {wheel.resolve().as_uri()}")
            pages = [ours.first_page() for _ in range(arguments.repeats)]
            show("riverboat web, first page", least(pages), 3.0)
        if arguments.no_peers:
            return
        theirs = Environment(Path(name) / "peers")
        theirs.install("open_spiel", "pokerkit")
        for title, program in PEERS:
            runs = [theirs.run("python", "-c", program) for _ in range(arguments.repeats)]
            show(title, least(runs))


if __name__ == "__main__":
    main()
