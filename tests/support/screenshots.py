"""Writes the pictures of docs: `make screenshots` runs `screenshots.py docs/images [NAME…]`.

web/NAME.png are pages in Chromium, kept small with 256 colours. play-kuhn.svg is a session in the
terminal, spot-grid.svg a node of the example 3bet.toml, bluff-into-two.svg what the example of that
name draws; `riverboat example bluff_into_two.py` prints its table for docs/spots.md.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import riverboat
from terminal_session import draw_session

sys.path.insert(0, str(Path(__file__).parent.parent / "web"))

TIMEOUT = 500_000
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
    page.locator('[data-pick="hand:1"]').click()
    page.locator(".infoset").wait_for()


def duel_tree(page: Any) -> None:
    solve(page)
    page.get_by_text("walk the tree").first.click()
    page.locator('.tree [data-pick="open:h"]').click()
    page.locator('.tree [data-pick="at:h 7"]').click()
    page.get_by_text("Player 2 does").wait_for()


def sit_down(page: Any, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sit down").click()
    page.get_by_text(f"{name} (you)").wait_for()


def people(page: Any) -> None:
    """Ada opens a table for three at hold'em; Bert has sat down, one seat is open."""
    page.get_by_label("players").fill("4")
    page.get_by_label("Against").click()
    page.get_by_role("option", name="other people, by a link").click()
    page.get_by_label("People at the table").fill("3")
    page.get_by_role("button", name="Open a table").click()
    sit_down(page, "Ada")
    links = page.get_by_label("Link").evaluate_all("all => all.map(field => field.value)")
    for name, link in zip(("Bert", "Cleo"), links, strict=True):
        guest = page.context.browser.new_context().new_page()
        guest.goto(link)
        sit_down(guest, name)
    page.locator(".seat .card").first.wait_for()


def casino(page: Any) -> None:
    page.get_by_text("Show the count").click()
    page.locator("h1").click()
    for _ in range(60):  # until there is something to split
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)
        while not page.locator('[data-pick="deal:"]').count():
            split = page.locator('[data-pick="do:P"]')
            if split.count():
                split.click()
                page.wait_for_timeout(300)
                if not page.locator('[data-pick="deal:"]').count():
                    page.keyboard.press("?")
                    page.locator(".mix").wait_for()
                    return
                break
            page.locator(".moves [data-pick]").first.click()
            page.wait_for_timeout(200)


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


def three(page: Any) -> None:
    page.get_by_role("button", name="Solve", exact=True).click()
    for player in ("SB", "BB"):
        page.get_by_text(f"{player} to act").wait_for()
        page.keyboard.press("1")
    page.get_by_text("BTN to act").wait_for()
    page.keyboard.press("2")
    page.get_by_text("SB to act").wait_for()
    page.keyboard.press("1")
    page.get_by_text("BB to act").wait_for()
    page.locator('.mixed [data-pick="class:KQs"]').click()
    page.locator(".shares").first.wait_for()


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
    "people": ("/play/holdem", 1280, False, people),
    "casino": ("/play/blackjack", 1280, False, casino),
    "solve": ("/solve", 1280, False, solve),
    "walk": ("/solve", 1280, True, walk),
    "tree": ("/solve?game=duel", 1280, False, duel_tree),
    "blackjack": ("/blackjack?cell=hard:16:T", 1280, False, nothing),
    "equity": ("/holdem/equity", 1280, False, nothing),
    "suits-phone": ("/holdem/equity", 390, False, suits),
    "spot-form": ("/holdem/spots", 1280, False, nothing),
    "spot": ("/holdem/spots", 1280, False, spot),
    "spot-dark": ("/holdem/spots", 1280, True, spot),
    "spot-three": ("/holdem/spots?players=3", 1280, False, three),
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
    for name, draw in DRAWINGS.items():
        if not names or name in names:
            draw(folder / f"{name}.svg")
    if not names or {"class", *SHOTS} & set(names):
        photograph(folder / "web", names)


def draw_grid(path: Path) -> None:
    """Solve the example spot and draw what IP does after the first bet."""
    with tempfile.TemporaryDirectory() as folder:
        for line in (
            "example 3bet.toml",
            "holdem solve 3bet.toml --out 3bet.rb --drop-streets rivers",
            f"holdem view 3bet.rb --node r:0:b59 --out {path.resolve()}",
        ):
            command = [sys.executable, "-m", "riverboat", *line.split()]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def draw_bluff(path: Path) -> None:
    """Run the example of a bluff into two players."""
    program = Path(riverboat.__file__).parent / "examples" / "bluff_into_two.py"
    subprocess.run([sys.executable, program, "--svg", path], check=True)


DRAWINGS: dict[str, Callable[[Path], None]] = {
    "play-kuhn": draw_session,
    "spot-grid": draw_grid,
    "bluff-into-two": draw_bluff,
}


def photograph(folder: Path, names: list[str]) -> None:
    """Take the pictures of pages, all of them or those named."""
    from conftest import Server
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as driver:
        server = Server(Path(data))
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        try:
            for name in SHOTS:
                if not names or name in names:
                    take(name, browser, server.address, folder)
        finally:
            server.stop()
        if not names or "class" in names:
            school(browser, Path(data) / "school", folder)
        browser.close()


def take(name: str, browser: Any, address: str, folder: Path) -> None:
    """The picture of one page, after what is done there first."""
    path, width, dark, act = SHOTS[name]
    scheme = "dark" if dark else "light"
    context = browser.new_context(viewport={"width": width, "height": 860}, color_scheme=scheme)
    context.set_default_timeout(TIMEOUT)
    page = context.new_page()
    page.goto(address + path)
    page.wait_for_selector("main h1")
    page.wait_for_timeout(3000)
    act(page)
    page.wait_for_timeout(800)
    page.screenshot(path=folder / f"{name}.png")
    shrink(folder / f"{name}.png")
    context.close()


def school(browser: Any, data: Path, folder: Path) -> None:
    """The teacher's page in the middle of a round, and a student's."""
    from conftest import Server

    server = Server(data, "--class")
    code, key = server.find(r"code (\S+)"), server.find(r"key (\S+)")
    pages = []
    for name in ("Ada", "Bert", "Cleo", "Dora", "Emil"):
        size = {"width": 390, "height": 780}
        page = browser.new_context(viewport=size).new_page()
        page.goto(server.address + "/class")
        page.fill("input[name=name]", name)
        page.fill("input[name=code]", code)
        page.get_by_role("button", name="Join").click()
        page.get_by_role("heading", name=f"Hello, {name}").wait_for()
        pages.append(page)
    teacher = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
    teacher.goto(server.address + "/class/teacher")
    teacher.fill("input[name=key]", key)
    teacher.get_by_role("button", name="Enter").click()
    teacher.get_by_role("button", name="Start the round").click()
    teacher.locator(".table-card").first.click()
    teacher.locator(".felt").wait_for()
    pages[0].locator(".seat .card").first.wait_for()
    for name, page in (("class-teacher", teacher), ("class-student", pages[0])):
        page.wait_for_timeout(800)
        page.screenshot(path=folder / f"{name}.png")
        shrink(folder / f"{name}.png")
    server.stop()


def shrink(path: Path) -> None:
    """The same picture with 256 colours."""
    from PIL import Image  # matplotlib brings it

    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
