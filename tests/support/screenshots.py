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


def solved(page: Any) -> None:
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator(".mixed button").first.wait_for()


def spot(page: Any) -> None:
    solved(page)
    page.locator('.mixed [data-pick="class:T9s"]').click()
    page.locator(".shares").first.wait_for()


def locks(page: Any) -> None:
    solved(page)
    page.get_by_role("button", name="Lock by painting").click()
    for name in ("QTs", "JTs", "T9s"):
        page.locator(f'.mixed [data-cell="{name}"]').click()
        page.locator(f'.mixed [data-cell="{name}"].locked').wait_for()
    page.get_by_role("button", name="EV", exact=True).click()
    page.locator(".range-grid.mixed").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('.range-grid.mixed').scrollIntoView()")
    page.evaluate("scrollBy(0, -140)")


def runouts(page: Any) -> None:
    solved(page)
    for _ in range(2):
        before = page.url
        page.keyboard.press("1")
        page.wait_for_function(f"location.href !== '{before}'")
    page.locator(".runouts button").first.wait_for()


def drill(page: Any) -> None:
    solved(page)
    page.get_by_role("button", name="Drill").click()
    page.wait_for_selector(".drill-felt")
    page.keyboard.press("2")
    page.get_by_role("link", name="Look at this node").wait_for()


def suits(page: Any) -> None:
    page.get_by_role("button", name="Suits").first.click()
    page.wait_for_selector(".suit-grid")
    page.evaluate("document.querySelector('.range-grid').scrollIntoView()")
    page.evaluate("scrollBy(0, -140)")


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
    "suits-phone": ("/holdem/equity", 390, False, suits),
    "spot-form": ("/holdem/spots", 1280, False, nothing),
    "spot": ("/holdem/spots", 1280, False, spot),
    "locks": ("/holdem/spots", 1280, False, locks),
    "runouts": ("/holdem/spots", 1280, True, runouts),
    "drill": ("/holdem/spots", 1280, False, drill),
    "drill-phone": ("/holdem/spots", 390, True, drill),
    "blueprint": ("/holdem/blueprints", 1280, False, nothing),
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
