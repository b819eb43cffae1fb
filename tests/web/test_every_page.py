"""Every page of the site: it fits, says what it is, and its colours can be told apart."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("fastapi")

import riverboat.web
from page_fit import fits
from waiting import PATIENCE, becomes

FOLDER = Path(riverboat.web.__file__).parent
WALKED = {
    "/": ["/"],
    "/api": ["/api"],
    "/play": ["/play"],
    "/play/{game}": ["/play/liars_dice", "/play/holdem", "/play/duel", "/play/no-such-game"],
    "/play/blackjack": ["/play/blackjack"],
    "/learn": ["/learn"],
    "/learn/{lesson}": ["/learn/kuhn"],
    "/learn/{lesson}/{step}": ["/learn/1/1", "/learn/2/8?bluff=50&call=20", "/learn/1/12"],
    "/studies": ["/studies"],
    "/studies/{name}": ["/studies/no-such-study"],
    "/studies/{name}/{number}": ["/studies/no-such-study/1"],
    "/add-to-study": ["/add-to-study?address=/learn/1/1"],
    "/solve": ["/solve"],
    "/solve/run/{name}": ["/solve/run/nosuchrun"],
    "/solve/strategy/{name}": ["/solve/strategy/none.rb"],
    "/jobs": ["/jobs"],
    "/blackjack": ["/blackjack?cell=hard:16:T"],
    "/blackjack/chart": ["/blackjack/chart?h17=true&since=h17:false"],
    "/blackjack/hand": ["/blackjack/hand?seen=5,5"],
    "/blackjack/dealer": ["/blackjack/dealer"],
    "/blackjack/simulate": ["/blackjack/simulate"],
    "/blackjack/train": ["/blackjack/train"],
    "/blackjack/train/{name}": ["/blackjack/train/nosuchsitting"],
    "/training": ["/training"],
    "/training/{person}": ["/training/Nobody"],
    "/drill/{game}": ["/drill/kuhn", "/drill/leduc?only=facing%3Dbet"],
    "/drill/{game}/{name}": ["/drill/kuhn/nosuchsitting"],
    "/holdem": ["/holdem"],
    "/holdem/equity": ["/holdem/equity"],
    "/holdem/preflop": ["/holdem/preflop"],
    "/holdem/preflop/{name}": ["/holdem/preflop/no-such.rb", "/holdem/preflop/shipped"],
    "/holdem/preflop/{name}/drill": ["/holdem/preflop/no-such.rb/drill"],
    "/holdem/spots": ["/holdem/spots"],
    "/holdem/spots/from-hand": ["/holdem/spots/from-hand"],
    "/holdem/omaha": ["/holdem/omaha"],
    "/holdem/reports": ["/holdem/reports"],
    "/holdem/reports/{name}": ["/holdem/reports/nosuchreport"],
    "/holdem/ranges": ["/holdem/ranges"],
    "/holdem/blueprints": ["/holdem/blueprints"],
    "/twentyone": ["/twentyone"],
    "/twentyone/learning": ["/twentyone/learning"],
    "/twentyone/learning/{name}": ["/twentyone/learning/nosuchrun"],
    "/twentyone/tournaments/{number}": ["/twentyone/tournaments/99999"],
}
"""Address as it is registered → pages to look at."""
ELSEWHERE = {
    "/play/{game}/{sitting}": "test_play_page",
    "/play/blackjack/{sitting}": "test_blackjack_pages",
    "/solve/run/{name}/{number}": "test_solve_page",
    "/holdem/preflop/{name}/chart.svg": "test_preflop_pages",
    "/solve/strategy/{name}/export/{kind}": "test_solve_page",
    "/solve/run/{name}/{number}/export/{kind}": "test_solve_page",
    "/blackjack/simulate/{name}": "test_blackjack_pages",
    "/holdem/spots/form/{kind}": "test_spot_files",
    "/holdem/spots/{name}/file/{form}": "test_spot_files",
    "/holdem/spots/{name}": "test_spot_desk",
    "/holdem/spots/{name}/drill": "test_spot_drill",
    "/solve/strategy/{name}/exploit": "test_game_exploit",
    "/holdem/spots/{name}/compare": "test_spot_comparison",
    "/holdem/spots/{name}/exploit": "test_spot_exploit",
    "/holdem/exploits/{name}": "test_spot_exploit",
    "/holdem/spots/{name}/report": "test_report_pages",
    "/holdem/reports/{name}/table.csv": "test_report_pages",
    "/training/{person}/picture.{kind}": "test_training_pages",
    "/events": "test_frame",
    "/learn/{lesson}/{step}/picture.svg": "test_learn_page",
    "/running": "test_frame",
    "/class": "test_class_pages",
    "/class/board": "test_class_board",
    "/class/teacher/results.csv": "test_class_board",
    "/studies/{name}/export": "test_studies",
    "/class/teacher": "test_class_pages",
}
"""Pages that other tests look at, with something on them."""


def test_no_page_is_forgotten():
    registered = {
        address
        for file in FOLDER.rglob("*.py")
        if file.parent.name != "api"
        for address in re.findall(r'@router\.get\("([^"]+)"', file.read_text())
    }
    assert registered == set(WALKED) | set(ELSEWHERE)


def test_every_page_fits_in_light_and_dark(visit):
    visit.forgiven = ("404",)  # names of things that there are not are among the pages
    page = visit("/")
    address = page.url.rstrip("/")
    for path in itertools.chain.from_iterable(WALKED.values()):
        page.goto(address + path)
        page.wait_for_selector("main h1")
        page.wait_for_load_state("networkidle")
        assert "Riverboat" in page.title()
        becomes(page.locator("h1").count, 1)
        fits(page)


SHIFTS = """
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifted += each.value;
  }).observe({ type: 'layout-shift', buffered: true });
"""
HEADINGS = """() => [...document.querySelectorAll('h1, h2, h3, h4')]
  .filter((each) => each.checkVisibility()).map((each) => Number(each.tagName[1]))"""
READY = {
    "/play/": ".moves .btn, .note",
    "/holdem/blueprints": ".range-grid",
    "/holdem/omaha": "#estimate b",
    "/holdem/preflop/shipped": ".range-grid",
    "/holdem/preflop": ".form-grid",
    "/holdem/ranges": ".panel",
    "/holdem/reports/": "main h1",
    "/holdem/reports": "#new-report",
    "/holdem": ".versus-bar",
}
"""Beginning of an address → what is drawn last on it; the first that fits counts."""


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_moves_while_a_page_is_drawn_and_its_parts_are_in_order(browser, server, width):
    """Layout shift below 0.1 (good by Web Vitals); one main, a language, headings without gaps."""
    context = browser.new_context(viewport={"width": width, "height": 900})
    context.add_init_script(SHIFTS)
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    wrong = {}
    for path in itertools.chain.from_iterable(WALKED.values()):
        page.goto(server.address + path)
        page.wait_for_selector("main h1")
        drawn = next((last for start, last in READY.items() if path.startswith(start)), None)
        if drawn and "no-such" not in path and "spots" not in path:
            page.locator(drawn).first.wait_for()
        page.wait_for_load_state("networkidle")
        shifted = page.evaluate("window.shifted")
        levels = page.evaluate(HEADINGS)
        assert levels[0] == 1
        assert all(b <= a + 1 for a, b in itertools.pairwise(levels)), (path, levels)
        becomes(page.locator("main").count, 1)
        assert page.locator("html").get_attribute("lang") == "en-US"
        if shifted >= 0.1:
            wrong[path] = round(shifted, 3)
    context.close()
    assert not wrong


def test_a_page_that_is_not_there_has_ways_back(visit):
    visit.forgiven = ("404",)
    page = visit("/no/such/page")
    becomes(page.get_by_role("heading", level=1).inner_text, "There is no such page")
    page.locator("main").get_by_role("link", name="Blackjack").last.click()
    page.wait_for_url("**/blackjack")


# Colours, as the style sheet has them.


def palette(dark):
    text = (FOLDER / "static" / "riverboat.css").read_text()
    light, night = re.findall(r"(?::root|html\[data-dark\]) \{([^}]*)\}", text)[:2]
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", night if dark else light))


def linear(colour):
    raw = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(raw <= 0.04045, raw / 12.92, ((raw + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """Of WCAG 2: (lighter + 0.05) / (darker + 0.05) of the relative luminances."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_words_stand_out_from_what_is_behind_them(dark):
    """WCAG 2, level AA: 4.5 to 1 for text."""
    colours = palette(dark)
    pairs = [
        (ink, behind)
        for ink in ("ink", "muted", "accent", "good", "bad")
        for behind in ("bg", "surface", "sunken")
    ]
    pairs += [("accent-ink", "accent"), ("felt-ink", "felt"), ("felt-muted", "felt")]
    pairs += [("ink", action) for action in ("stand", "hit", "double", "split", "surrender")]
    weak = {p: round(contrast(colours[p[0]], colours[p[1]]), 2) for p in pairs}
    assert not {pair: ratio for pair, ratio in weak.items() if ratio < 4.5}


# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB.
BLINDNESS = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def lab(rgb):
    """CIELAB under D65."""
    scaled = XYZ @ np.clip(rgb, 0, 1) / [0.95047, 1.0, 1.08883]
    root = np.where(scaled > 216 / 24389, np.cbrt(scaled), (24389 / 27 * scaled + 16) / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", BLINDNESS)
def test_actions_can_be_told_apart_by_colour_blind_people(dark, kind):
    """Two colours of the chart are at least 14 apart (CIE76; 2.3 is just noticeable)."""
    colours = palette(dark)
    names = ("stand", "hit", "double", "split", "surrender")
    seen = {n: lab(np.array(BLINDNESS[kind]) @ linear(colours[n])) for n in names}
    near = {
        pair: round(float(np.linalg.norm(seen[pair[0]] - seen[pair[1]])), 1)
        for pair in itertools.combinations(names, 2)
    }
    assert not {pair: far for pair, far in near.items() if far < 14}
