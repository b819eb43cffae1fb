"""First contentful paint of every page of the site, in a real Chromium, on a warm server.

    python benchmarks/web_paint.py                    # every page, median of 5
    python benchmarks/web_paint.py --repeats 9 /holdem /blackjack
    python benchmarks/web_paint.py --cold             # a browser that knows nothing yet

Each page is opened once before the clock counts, so that nothing is compiled and the browser has
its scripts; then each visit is a new navigation. First paint is what the browser itself notes,
from the start of the navigation; "filled" is when the page's heading stands. CPU is what the
server spent on one visit: it separates a slow page from a busy machine.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests" / "web")]

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
    paints, filled = [], []
    page = browser.new_page()
    page.set_default_timeout(150_000)
    page.goto(address)
    page.wait_for_selector("main h1")
    page.wait_for_timeout(1500)
    used = 0.0
    for _ in range(repeats):
        if cold:
            page.close()
            page = browser.new_page()  # a context of its own, with an empty cache
        before, began = cpu_of(pid), time.perf_counter()
        page.goto(address, wait_until="commit")
        page.wait_for_selector("main h1")
        filled.append(1000 * (time.perf_counter() - began))
        page.wait_for_timeout(400)
        paints.append(page.evaluate(_PAINT))
        used += cpu_of(pid) - before
    page.close()
    return (
        f"{statistics.median(paints):6.0f} ms  worst {max(paints):5.0f}"
        f"  filled {statistics.median(filled):5.0f} ms  server {1000 * used / repeats:4.0f} ms CPU"
    )


def main(pages: list[str], repeats: int, cold: bool) -> None:
    from conftest import Server
    from playwright.sync_api import sync_playwright

    server = Server(Path(tempfile.mkdtemp()))
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
    server.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", help="addresses such as /holdem; default: all")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cold", action="store_true", help="a new browser context per visit")
    options = parser.parse_args()
    main(options.pages, options.repeats, options.cold)
