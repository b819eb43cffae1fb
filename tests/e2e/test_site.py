"""The site: it builds without a warning, every link leads somewhere, nothing comes from outside.

Code cells are not run here: `make docs` runs them, and the lessons have tests of their own.
"""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parent.parent.parent
SECTIONS = ["Start", "Lessons", "Guides", "Games", "Reference", "Performance", "Contributing"]
LOADED = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "use": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
}
"""What a browser fetches to show a page."""


POINTERS = ("canonical", "search", "index", "genindex", "next", "prev", "author", "copyright")
"""Links of a page's head that are not fetched."""


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.places |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag == "link" and found.get("rel") not in (
            "canonical",
            "search",
            "index",
            "next",
            "prev",
        ):
            self.loads.append(found.get("href", ""))
        self.loads += [found[name] for name in LOADED.get(tag, ()) if name in found]
        self.loads += re.findall(r"url\(['\"]?([^'\")]+)", found.get("style", ""))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("site")
    line = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-D", "nb_execution_mode=off"]
    line += ["-d", str(folder / "doctrees"), str(ROOT / "docs"), str(folder / "html")]
    done = subprocess.run(line, capture_output=True, encoding="utf-8", errors="replace")
    assert done.returncode == 0, done.stderr
    return folder / "html", done.stderr


@pytest.fixture(scope="module")
def pages(built: tuple[Path, str]) -> dict[Path, Page]:
    return {path: Page(path) for path in built[0].rglob("*.html")}


def test_it_builds_without_a_warning(built: tuple[Path, str]) -> None:
    assert built[1] == ""


def test_the_sections_stand_in_their_order(built: tuple[Path, str]) -> None:
    home = (built[0] / "index.html").read_text(encoding="utf-8")
    tops = re.findall(r'<li class="toctree-l1[^"]*"><a [^>]*>(.*?)</a>', home)
    assert tops[: len(SECTIONS)] == SECTIONS


def test_shell_commands_are_not_coloured_as_python(built: tuple[Path, str]) -> None:
    block = re.compile(
        r'<div class="highlight-(\w+) [^>]*><div class="highlight"><pre>(.*?)</pre>', re.S
    )
    wrong = [
        (path.name, words[:60])
        for path in built[0].rglob("*.html")
        for language, code in block.findall(path.read_text(encoding="utf-8"))
        if (words := re.sub(r"<[^>]+>", "", code).strip()).startswith(
            ("riverboat ", "pip ", "make ")
        )
        and language in ("default", "python", "ipython3")
    ]
    assert wrong == []


def test_the_search_puts_lessons_first_and_specifications_last(built: tuple[Path, str]) -> None:
    """The scorer is part of the search that is built; its own words say what comes first."""
    search = (built[0] / "_static" / "language_data.js").read_text(encoding="utf-8")
    scorer = (ROOT / "docs" / "_static" / "scorer.js").read_text(encoding="utf-8")
    assert scorer.strip() in search
    listed = {path.stem for path in (ROOT / "docs").glob("*.md")}
    (guides,) = re.findall(r"\^\(([\w|]+)\)\$", scorer)
    assert {"spots", "blackjack", "twentyone"} <= set(guides.split("|")) & listed


def test_specifications_stand_apart_from_guides(built: tuple[Path, str]) -> None:
    guides = (ROOT / "docs" / "guides" / "index.md").read_text(encoding="utf-8")
    reference = (ROOT / "docs" / "reference" / "index.md").read_text(encoding="utf-8")
    for name in ("REQUIREMENTS", "DESIGN", "IMPLEMENTATION"):
        assert f"twentyone/{name}" in reference
        assert f"twentyone/{name}" not in guides


def test_no_page_takes_the_name_of_one_of_sphinx() -> None:
    taken = {"search", "genindex", "py-modindex"}
    assert not taken & {path.stem for path in (ROOT / "docs").glob("*.md")}


def test_every_game_and_lesson_has_a_page(built: tuple[Path, str]) -> None:
    from riverboat.games.registry import GAMES

    for name in GAMES:
        assert (built[0] / "games" / f"{name}.html").is_file()
    for lesson in (ROOT / "src" / "riverboat" / "lessons" / "texts").glob("*.md"):
        assert (built[0] / "lessons" / f"{lesson.stem}.html").is_file()


def test_links_lead_somewhere(built: tuple[Path, str], pages: dict[Path, Page]) -> None:
    lost = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                lost.append(f"{path.name}: {link}")
            elif parts.fragment and target in pages:
                places = pages[target].places
                lost += [] if unquote(parts.fragment) in places else [f"{path.name}: {link}"]
    assert lost == []


def test_nothing_is_fetched_from_outside(built: tuple[Path, str], pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for load in page.loads:
            parts = urlsplit(load)
            assert parts.scheme in ("", "data"), f"{path.name} loads {load}"
            assert not parts.netloc, f"{path.name} loads {load}"
    for sheet in built[0].rglob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.S)
        assert not re.search(r"@import|url\(\s*['\"]?(?:https?:)?//", text), sheet.name
