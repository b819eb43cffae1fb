"""The pages as a Git host shows them: every link leads to a file, and every page can be reached.

Files are read as they stand in a checkout; nothing is built. tests/e2e/test_site.py has the site.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from riverboat.games.registry import GAMES
from site_pages import site_links

ROOT = Path(__file__).parent.parent
LESSONS = ROOT / "src" / "riverboat" / "lessons" / "texts"
MADE = re.compile(r"docs/(games/(?!index)|lessons/\d|reference/options|_build/)")
"""What a build of the site leaves in docs/; a fresh checkout has none of it."""
SITE_ONLY = {"docs/index.md", "docs/changelog.md", "docs/contributing.md"}
"""Pages that include files which a Git host shows by themselves."""


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


PAGES = {
    name_of(path): path.read_text(encoding="utf-8")
    for path in sorted(
        (
            *ROOT.glob("*.md"),
            *ROOT.glob("docs/**/*.md"),
            *ROOT.glob("notes/*.md"),
            *LESSONS.glob("*.md"),
        )
    )
    if not MADE.match(name_of(path))
}


def links(text: str) -> list[str]:
    """The relative links and pictures of a page, outside its code."""
    prose = re.sub(r"^ *(```+|~~~+).*?^ *\1 *$", "", text, flags=re.S | re.M)
    found = re.findall(r"\]\(([^)\s]+)", prose)
    found += re.findall(r'(?:src|srcset|href)="([^"]+)"', prose)
    return [link for link in found if not urlsplit(link).scheme]


def target(page: str, link: str) -> Path:
    path = unquote(urlsplit(link).path)
    return (ROOT / page).parent.joinpath(path).resolve() if path else ROOT / page


def anchors(text: str) -> set[str]:
    """The places of a page, as Git hosts name them after its headings."""
    text = re.sub(r"^ *(```+|~~~+).*?^ *\1 *$", "", text, flags=re.S | re.M)
    heads = re.findall(r"^#+ +(.*)$", text, re.M)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head).lower() for head in heads)
    return {re.sub(r"[^\w\- ]", "", head).strip().replace(" ", "-") for head in plain}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file_of_the_checkout(page: str) -> None:
    for link in links(PAGES[page]):
        path = target(page, link)
        assert path.exists(), link
        assert path.is_relative_to(ROOT), link
        assert not MADE.match(name_of(path)), f"{link} exists after a build of the site only"
        fragment = urlsplit(link).fragment
        if fragment and name_of(path) in PAGES:
            assert fragment in anchors(PAGES[name_of(path)]), link


def test_every_page_is_reached_from_the_readme_by_links() -> None:
    reached: set[str] = set()
    waiting = ["README.md"]
    while waiting:
        page = waiting.pop()
        if page in PAGES and page not in reached:
            reached.add(page)
            waiting += [name_of(target(page, link)) for link in links(PAGES[page])]
    docs = {page for page in PAGES if page.startswith(("docs/", "notes/", "src/"))}
    assert docs - reached - SITE_ONLY == set()


@pytest.mark.parametrize("page", PAGES)
def test_lists_of_pages_are_written_out(page: str) -> None:
    """A toctree names pages that are there, one by one."""
    for block in re.findall(r"```\{toctree\}\n(.*?)```", PAGES[page], re.S):
        for name in (line for line in block.split() if not line.startswith(":")):
            folder = ROOT / "docs" if name.startswith("/") else (ROOT / page).parent
            path = folder / name.lstrip("/")
            made = MADE.match(name_of(path))
            assert made or path.with_suffix(".md").is_file() or path.with_suffix(".ipynb").is_file()


def test_the_page_of_lessons_has_the_promise_and_the_minutes_of_each() -> None:
    index = PAGES["docs/lessons/index.md"]
    for lesson in sorted(LESSONS.glob("*.md")):
        text = PAGES[name_of(lesson)]
        facts = dict(re.findall(r"^(minutes|promise): (.*)$", text, re.M))
        (title,) = re.findall(r"^# Lesson (.*)$", text, re.M)
        link = f"[{title}](../../{name_of(lesson)})"
        assert f"| {link} | {facts['promise']} | {facts['minutes']} |" in index
        assert f"\n{lesson.stem}\n" in index


def test_the_page_of_games_has_every_game() -> None:
    index = PAGES["docs/games/index.md"]
    on_the_site = site_links(index, "games/index")
    for name in GAMES:
        assert f"]({name}.md)" in on_the_site
        assert f"\n{name}\n" in index


@pytest.mark.parametrize(
    ("page", "link", "leads_to"),
    [
        ("start", "../src/riverboat/lessons/texts/02_kuhn.md", "lessons/02_kuhn.md"),
        ("course/index", "../../src/riverboat/games/kuhn.py", "../games/kuhn.md"),
        ("reference/index", "../../src/riverboat/cli/main.py", "options.md"),
        ("reference/index", "../../CHANGELOG.md#fixed", "../changelog.md#fixed"),
        ("spots", "holdem.md#play", "holdem.md#play"),
        ("spots", "https://example.org/CHANGELOG.md", "https://example.org/CHANGELOG.md"),
    ],
)
def test_the_site_leads_from_a_source_to_its_page(page: str, link: str, leads_to: str) -> None:
    assert site_links(f"[words]({link})", page) == f"[words]({leads_to})"


def test_a_note_has_no_page_on_the_site_and_is_named_by_its_file() -> None:
    link = "see [the notes](../notes/holdem.md#three-players)."
    assert site_links(link, "spots") == "see the notes (`notes/holdem.md`)."
