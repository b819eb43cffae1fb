"""Writes a picture of each page into a folder: `make screenshots`.

Pictures are kept small for the repository: 256 colours where Pillow is there.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "web"))

TIMEOUT = 150_000
"""Milliseconds; kernels may have to be compiled."""


def hint(page: Any) -> None:
    page.wait_for_selector('.moves [data-pick="?"]')
    page.keyboard.press("?")
    page.wait_for_selector(".mix")


def solve(page: Any) -> None:
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("walk the tree").nth(1).wait_for()


def walk(page: Any) -> None:
    solve(page)
    page.get_by_text("walk the tree").first.click()
    page.wait_for_selector(".shares")
    page.locator('[data-pick="go:r"]').click()
    page.get_by_text("Player 2 does").wait_for()


def spot(page: Any) -> None:
    page.get_by_role("button", name="Solve").click()
    page.locator(".mixed button").first.wait_for()
    page.locator('.mixed [data-pick="class:T9s"]').click()
    page.locator(".shares").first.wait_for()


def tournament(page: Any) -> None:
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="The results").click()
    page.get_by_text("Champion:").wait_for()


def learn(page: Any) -> None:
    page.get_by_role("button", name="Learn").click()
    page.get_by_text("1,000,000 games").nth(1).wait_for()


def nothing(page: Any) -> None:
    pass


SHOTS: dict[str, tuple[str, int, bool, Callable[[Any], None]]] = {
    "home": ("/", 1280, False, nothing),
    "play": ("/play/leduc", 1280, False, hint),
    "play-phone": ("/play/holdem", 390, True, nothing),
    "solve": ("/solve", 1280, False, solve),
    "walk": ("/solve", 1280, True, walk),
    "blackjack": ("/blackjack?cell=hard:16:T", 1280, False, nothing),
    "equity": ("/holdem/equity", 1280, False, nothing),
    "spot": ("/holdem/spots", 1280, False, spot),
    "tournament": ("/twentyone", 1280, False, tournament),
    "learning": ("/twentyone/learning", 1280, False, learn),
}
"""Name → address, width, whether it is dark, and what is done first."""


def main(folder: Path, names: list[str]) -> None:
    from conftest import Server
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as driver:
        server = Server(Path(data))
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name, (path, width, dark, act) in SHOTS.items():
            if names and name not in names:
                continue
            context = browser.new_context(
                viewport={"width": width, "height": 860}, color_scheme="dark" if dark else "light"
            )
            context.set_default_timeout(TIMEOUT)
            page = context.new_page()
            page.goto(server.address + path)
            page.wait_for_selector("main h1")
            page.wait_for_timeout(3000)
            act(page)
            page.wait_for_timeout(800)
            page.screenshot(path=folder / f"{name}.png")
            shrink(folder / f"{name}.png")
            context.close()
        browser.close()
        server.stop()


def shrink(path: Path) -> None:
    """The same picture with 256 colours."""
    from PIL import Image  # matplotlib brings it

    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
