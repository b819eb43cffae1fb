"""Writes the pictures of docs: `make screenshots` runs `screenshots.py docs/images [NAME…]`.

web/NAME.png are pages in Chromium, kept small with 256 colours. play-kuhn.svg is a session in the
terminal, spot-grid.svg a node of the example 3bet.toml, bluff-into-two.svg and omaha-blockers.svg
what the examples of these names draw; they print their tables for docs/spots.md and docs/omaha.md.
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
    page.get_by_role("button", name="hint").click()
    page.wait_for_selector(".mix")


def solve(page: Any) -> None:
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("Walk the tree").nth(1).wait_for()


def walk(page: Any) -> None:
    solve(page)
    page.get_by_text("Walk the tree").first.click()
    page.wait_for_selector(".shares")
    page.locator("#go-r").click()
    page.get_by_text("Player 2 does").wait_for()
    page.locator("#pick-2").click()
    page.locator("#infoset").wait_for()


def duel_tree(page: Any) -> None:
    solve(page)
    page.get_by_text("Walk the tree").first.click()
    page.get_by_label("open 1: hit").click()
    page.locator("#line-h-7 a.name").click()
    page.get_by_text("Player 2 does").wait_for()


def sit_down(page: Any, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sit down").click()
    page.get_by_text(f"{name} (you)").wait_for()


def people(page: Any) -> None:
    """Ada opens a table for three at hold'em; Bert has sat down, one seat is open."""
    page.get_by_label("players").fill("4")
    page.get_by_text("With other people, by a link").click()
    page.get_by_label("people at the table").fill("3")
    page.get_by_role("button", name="Open a table").click()
    sit_down(page, "Ada")
    links = page.get_by_label("Link").evaluate_all("all => all.map(field => field.value)")
    for name, link in zip(("Bert", "Cleo"), links, strict=True):
        guest = page.context.browser.new_context().new_page()
        guest.goto(link)
        sit_down(guest, name)
    page.locator(".seat .card").first.wait_for()


def casino(page: Any) -> None:
    page.get_by_role("button", name="Show the count").click()
    page.get_by_text("true count").wait_for()
    deal, split = (page.locator(f'.moves [value="{move}"]') for move in ("deal", "P"))
    for _ in range(60):  # until there is something to split
        deal.click()
        page.wait_for_timeout(300)
        while not deal.count():
            if split.count():
                split.click()
                page.wait_for_timeout(300)
                if not deal.count():
                    page.keyboard.press("?")
                    page.locator(".mix").wait_for()
                    return
                break
            page.locator(".moves .move").first.click()
            page.wait_for_timeout(300)


def solved(page: Any) -> None:
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator(".desk-grid").first.wait_for()


def spot(page: Any) -> None:
    solved(page)
    page.locator("#oop-T9s").click()
    page.get_by_role("heading", name="Hands of T9s").wait_for()


def locks(page: Any) -> None:
    solved(page)
    page.get_by_role("link", name="Locks").click()
    for name in ("QTs", "JTs", "T9s"):
        page.locator(f"#oop-{name}").click()
        page.locator(f"#oop-{name}.locked").wait_for()


def runouts(page: Any) -> None:
    solved(page)
    page.keyboard.press("1")
    page.get_by_text("IP to act").wait_for()
    page.keyboard.press("1")
    page.locator(".desk-cards a").first.wait_for()


def omaha(page: Any) -> None:
    page.get_by_role("button", name="Solve", exact=True).click()
    page.get_by_role("link", name="nut flush", exact=True).wait_for()


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
    page.locator("#bb-KQs").click()
    page.get_by_role("heading", name="Hands of KQs").wait_for()


def drill(page: Any) -> None:
    solved(page)
    page.get_by_role("link", name="Drill").click()
    page.wait_for_selector(".drill-felt")
    page.keyboard.press("2")
    page.get_by_role("link", name="Look at this point").wait_for()


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
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_role("cell", name="1,000,000").nth(1).wait_for()


def nothing(page: Any) -> None:
    pass


SHOTS: dict[str, tuple[str, int, bool, Callable[[Any], None]]] = {
    "home": ("/", 1280, False, nothing),
    "play": ("/play/leduc", 1280, False, hint),
    "play-phone": ("/play/holdem", 390, True, nothing),
    "people": ("/play/holdem", 1280, False, people),
    "learn": ("/learn/2/8?bluff=20&call=60", 1280, False, nothing),
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
    "omaha-desk": ("/holdem/omaha?example=omaha-river.toml", 1280, False, omaha),
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


def draw_example(path: Path) -> None:
    """Run the example that draws the picture of that name."""
    program = f"{path.stem.replace('-', '_')}.py"
    folder = Path(riverboat.__file__).parent / "examples"
    subprocess.run([sys.executable, folder / program, "--svg", path], check=True)


DRAWINGS: dict[str, Callable[[Path], None]] = {
    "play-kuhn": draw_session,
    "spot-grid": draw_grid,
    "bluff-into-two": draw_example,
    "omaha-blockers": draw_example,
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
