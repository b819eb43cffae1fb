"""How fast the site answers, in a real Chromium: its first page, every page, a wide spot, memory.

    python benchmarks/web_paint.py                    # all of it, median of 5
    python benchmarks/web_paint.py --repeats 9 /holdem /blackjack
    python benchmarks/web_paint.py --cold             # a browser that knows nothing yet
    python benchmarks/web_paint.py --only node        # start, pages, node or memory

- start: from the command until its first page is there.
- pages: each is opened once before the clock counts, so that nothing is compiled and the browser
  has its scripts; then each visit is a new navigation. First paint is what the browser itself
  notes, from the start of the navigation; "filled" is when the page's heading stands. Shift is the
  worst layout shift of a visit (good by Web Vitals: below 0.1). CPU is what the server spent on one
  visit: it separates a slow page from a busy machine.
- node: points of a flop where both players have all 1,176 hands, each asked for once.
- memory: of the server, before and after a thousand visits.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import statistics
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests" / "web"), str(ROOT / "tests" / "support")]

PAGES = (
    "/",
    "/play",
    "/play/kuhn",
    "/play/leduc",
    "/play/holdem",
    "/play/blackjack",
    "/solve",
    "/blackjack",
    "/blackjack/hand",
    "/blackjack/train",
    "/holdem/equity",
    "/holdem/spots",
    "/holdem/blueprints",
    "/twentyone",
    "/twentyone/learning",
)
PARTS = ("start", "pages", "node", "memory")
NUM_VISITS = 1000
_SHIFTS = """
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifted += each.value;
  }).observe({ type: 'layout-shift', buffered: true });
"""
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"


def solved_spot(page: Any, address: str) -> list[str]:
    """The addresses of a small spot that was solved first: the desk and its drill."""
    page.goto(address + "/holdem/spots")
    page.wait_for_selector("main h1")
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator(".desk-grid").first.wait_for()
    path = page.url.removeprefix(address).partition("?")[0]
    return [path, f"{path}/drill"]


def cpu_of(pid: int) -> float:
    """Seconds of CPU that a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def measure(browser: Any, address: str, pid: int, repeats: int, cold: bool) -> str:
    """A page's line: median and worst first paint, when it was filled, the server's CPU."""
    paints, filled, shifts = [], [], []
    page = browser.new_page()
    page.add_init_script(_SHIFTS)
    page.set_default_timeout(150_000)
    page.goto(address)
    page.wait_for_selector("main h1")
    page.wait_for_timeout(1500)
    used = 0.0
    for _ in range(repeats):
        if cold:
            page.close()
            page = browser.new_page()  # a context of its own, with an empty cache
            page.add_init_script(_SHIFTS)
        before, began = cpu_of(pid), time.perf_counter()
        page.goto(address, wait_until="commit")
        page.wait_for_selector("main h1")
        filled.append(1000 * (time.perf_counter() - began))
        page.wait_for_timeout(400)
        paints.append(page.evaluate(_PAINT))
        shifts.append(page.evaluate("window.shifted"))
        used += cpu_of(pid) - before
    page.close()
    return (
        f"{statistics.median(paints):6.0f} ms  worst {max(paints):5.0f}"
        f"  filled {statistics.median(filled):5.0f} ms  shift {max(shifts):.3f}"
        f"  server {1000 * used / repeats:4.0f} ms CPU"
    )


def get(address: str) -> float:
    """Milliseconds until a whole answer is there."""
    began = time.perf_counter()
    with urllib.request.urlopen(address) as answer:
        answer.read()
    return 1000 * (time.perf_counter() - began)


def measure_start(repeats: int) -> str:
    """From the command to the first page, in a folder that is empty."""
    from conftest import Server

    spent, cpu = [], []
    for _ in range(repeats):
        began = time.perf_counter()
        server = Server(Path(tempfile.mkdtemp()))
        get(server.address)
        spent.append(time.perf_counter() - began)
        cpu.append(cpu_of(server.process.pid))
        server.stop()
    return (
        f"first page {statistics.median(spent):.2f} s after the command, best {min(spent):.2f} s,"
        f" {min(cpu):.2f} s CPU"
    )


def put_wide_spot(folder: Path) -> str:
    """A flop with all hands of both players among those of a server; the address of its API."""
    from riverboat.cards.card import parse_cards
    from riverboat.cards.ranges import Range
    from riverboat.holdem.spots.bet_sizes import PlayerSizes, parse_sizes
    from riverboat.holdem.spots.solve import solve_spot
    from riverboat.holdem.spots.spot import Spot
    from solved_spots import put

    bets = PlayerSizes(bet=parse_sizes("75%", "bets"))
    sizes = dict.fromkeys(("flop", "turn", "river"), (bets, bets))
    board = tuple(parse_cards("Qs Jh 2h"))
    spot = Spot(board, 60, 170, (Range.full(), Range.full()), sizes=sizes)
    return "/api/v1" + put(folder, solve_spot(spot, iterations=2), "widespot")


def measure_node(address: str, pid: int) -> str:
    """The first answer of each of twelve points, on the flop, the turn and the river."""
    nodes = ["r:0:c", "r:0:b45", "r:0:c:b45", "r:0:b45:c", "r:0:c:c"]
    nodes += [f"r:0:c:c:{card}{rest}" for card in ("As", "7d") for rest in ("", ":c", ":b45")]
    nodes += ["r:0:c:c:As:c:c:3d", "r:0:c:c:As:c:c:3d:c"]
    get(f"{address}/node?node=r:0")  # the file is read, kernels are loaded
    before = cpu_of(pid)
    spent = [get(f"{address}/node?node={node}") for node in nodes]
    used = 1000 * (cpu_of(pid) - before) / len(nodes)
    return (
        f"a node of 1,176 × 1,176 hands {statistics.median(spent):.0f} ms, worst {max(spent):.0f},"
        f" {used:.0f} ms CPU"
    )


def measure_memory(address: str, pid: int) -> str:
    """Megabytes before and after a thousand visits, when every page was opened once."""
    for path in PAGES:
        get(address + path)
    time.sleep(5)  # what pages import late is there by now
    before = resident(pid)
    for path in itertools.islice(itertools.cycle(PAGES), NUM_VISITS):
        get(address + path)
    return f"memory {before:.0f} MB, after {NUM_VISITS:,} visits {resident(pid):.0f} MB"


def resident(pid: int) -> float:
    """Megabytes that a process holds (Linux)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def measure_pages(server: Any, pages: list[str], repeats: int, cold: bool) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page()
        page.set_default_timeout(150_000)  # kernels may have to be compiled
        paths = pages or [*PAGES, *solved_spot(page, server.address)]
        page.close()
        for path in paths:
            line = measure(browser, server.address + path, server.process.pid, repeats, cold)
            print(f"{path[:34]:<34} first paint {line}", flush=True)
        browser.close()


def main(pages: list[str], repeats: int, cold: bool, parts: list[str]) -> None:
    from conftest import Server

    if "start" in parts:
        print(measure_start(repeats), flush=True)
    server = Server(Path(tempfile.mkdtemp()))
    pid = server.process.pid
    if "memory" in parts:
        print(measure_memory(server.address, pid), flush=True)
    if "pages" in parts:
        measure_pages(server, pages, repeats, cold)
    if "node" in parts:
        address = server.address + put_wide_spot(server.folder)
        print(measure_node(address, pid), flush=True)
    server.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*", help="addresses such as /holdem; default: all")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cold", action="store_true", help="a new browser context per visit")
    parser.add_argument("--only", choices=PARTS, help="one part instead of all")
    options = parser.parse_args()
    wanted = [options.only] if options.only else ["pages"] if options.pages else list(PARTS)
    main(options.pages, options.repeats, options.cold, wanted)
