"""How the web server answers: a class of many students, and clicks while a solve runs.

    python benchmarks/web_load.py --students 100 --seconds 20
    python benchmarks/web_load.py --browser          # needs Chromium and Playwright

First paint is measured by benchmarks/web_paint.py. Students send forms and follow the news of
their tables, all from one process on the same machine, so their own work counts against the
server. An act is answered when the acting student has the page that shows it.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "web")]


class Student:
    """A browser without a screen: one's page, its moves, and the news that it has changed."""

    def __init__(self, address: str) -> None:
        self.http = httpx.AsyncClient(base_url=address, follow_redirects=True, timeout=30)
        self.changed = asyncio.Event()
        self.page = ""

    async def join(self, name: str, code: str) -> None:
        self.page = (await self.http.post("/class/join", data={"name": name, "code": code})).text

    async def load(self) -> None:
        self.page = (await self.http.get("/class")).text

    @property
    def moves(self) -> list[str]:
        return re.findall(r'name="move" value="(\w+)"', self.page)

    async def follow(self) -> None:
        """Listen to the news of the own table until the end."""
        topic = re.search(r'id="play" data-topic="([^"]+)"', self.page)[1]
        asked = self.http.stream("GET", "/events", params={"topic": topic}, timeout=None)
        async with asked as answer:
            async for line in answer.aiter_lines():
                if line.startswith("data:"):
                    self.changed.set()

    async def play(self, times: list[float], think: float, until: float) -> None:
        """Do what can be done until the time is over."""
        rng = random.Random(id(self))
        while (left := until - time.monotonic()) > 0:
            if not self.moves:
                try:
                    await asyncio.wait_for(self.changed.wait(), left)
                except TimeoutError:
                    return
                self.changed.clear()
                await self.load()
                continue
            await asyncio.sleep(rng.uniform(0, 2 * think))
            decision = re.search(r'name="decision" value="(\d+)"', self.page)[1]
            move = {"move": self.moves[0], "decision": decision}
            began = time.perf_counter()
            self.page = (await self.http.post("/class/move", data=move)).text
            if move["move"] != "ready":
                times.append(time.perf_counter() - began)


async def load(students: int, seconds: float, think: float) -> None:
    from conftest import Server

    server = Server(Path(tempfile.mkdtemp()), "--class")
    try:
        code, key = server.find(r"code (\w+)\s"), server.find(r"key (\S+)\s")
        began = time.perf_counter()
        everybody = [Student(server.address) for _ in range(students)]
        for i, student in enumerate(everybody):
            await student.join(f"student {i}", code)
        print(f"{students} students joined in {time.perf_counter() - began:.1f} s")
        following = [asyncio.create_task(student.follow()) for student in everybody]
        async with httpx.AsyncClient(base_url=server.address, timeout=30) as teacher:
            await teacher.post("/class/teacher/enter", data={"key": key})
            form = {"game": "kuhn", "hands": "100", "size": "2", "seconds": "60"}
            await teacher.post("/class/teacher/round", data=form)
        times: list[float] = []
        until = time.monotonic() + seconds
        await asyncio.gather(*(student.play(times, think, until) for student in everybody))
        times.sort()
        print(f"{len(times)} acts in {seconds:.0f} s ({len(times) / seconds:.0f} per second)")
        for share in (0.5, 0.95, 0.99):
            print(f"  {share:.0%} answered within {1000 * times[int(share * len(times))]:.0f} ms")
        for task in following:
            task.cancel()
    finally:
        server.stop()


def browser() -> None:
    """Clicks at rest and while two solves run: how soon the page has changed."""
    from conftest import Server
    from playwright.sync_api import sync_playwright

    server = Server(Path(tempfile.mkdtemp()))
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        pages = {}
        for name, path, ready in (
            ("a card in the hand calculator", "/blackjack/hand", ".mix"),
            ("a rule of blackjack, to its exact value", "/blackjack", ".chart"),
            ("a hint at Leduc", "/play/leduc", '.moves [data-key="?"]'),
        ):
            pages[name] = chromium.new_page()
            pages[name].set_default_timeout(150_000)  # kernels may have to be compiled
            pages[name].goto(server.address + path)
            pages[name].wait_for_selector(ready)
        clicks = {
            "a card in the hand calculator": [
                (f'[data-pick="up:{rank}"]', "main") for rank in "23456789" * 3
            ],
            "a rule of blackjack, to its exact value": [
                (f'[data-pick="{rule}"]', ".tile b")
                for rule in (
                    *("h17=true", "das=false", "bj_pays=1.2", "surrender=late", "decks=8"),
                    *("h17=false", "das=true", "bj_pays=1.5", "surrender=none", "decks=4"),
                    *("double_on=10-11", "h17=true", "surrender=late", "decks=2"),
                    *("double_on=any", "h17=false", "surrender=none", "decks=6"),
                )
            ],
            "a hint at Leduc": [('[data-key="?"]', "main")] * 20,
        }
        for solving in (False, True):
            if solving:
                other = chromium.new_page()
                other.set_default_timeout(150_000)
                other.goto(server.address + "/solve?game=leduc")
                other.get_by_label("is", exact=True).fill("1e-14")
                other.get_by_role("button", name="Solve").click()
                other.get_by_text("solving").nth(1).wait_for()
                # Other rules than before, which nobody has asked for yet.
                rules = pages["a rule of blackjack, to its exact value"]
                rules.goto(server.address + "/blackjack?hit_split_aces=true")
                rules.wait_for_selector(".chart")
            print("while two solves run:" if solving else "at rest:")
            for name, page in pages.items():
                page.bring_to_front()
                times = sorted(click(page, *each) for each in clicks[name])
                middle, late = statistics.median(times), times[int(0.95 * len(times))]
                print(f"  {name}: half within {middle:.0f} ms, 95 % within {late:.0f} ms")
        chromium.close()
    server.stop()


def click(page, button: str, watched: str) -> float:
    """Milliseconds from a click to the change that it makes, measured in the page."""
    return page.evaluate(
        """([button, watched]) => new Promise(done => {
          const began = performance.now();
          const seen = new MutationObserver(() => {
            const now = document.querySelector(watched);
            if (watched !== 'main' && now.textContent === before) return;
            seen.disconnect();
            done(performance.now() - began);
          });
          const before = document.querySelector(watched).textContent;
          const all = {childList: true, subtree: true, characterData: true};
          seen.observe(document.querySelector('main'), all);
          document.querySelector(button).click();
        })""",
        [button, watched],
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--think", type=float, default=2.0, help="mean seconds before an act")
    parser.add_argument("--browser", action="store_true")
    options = parser.parse_args()
    if options.browser:
        browser()
    else:
        asyncio.run(load(options.students, options.seconds, options.think))
