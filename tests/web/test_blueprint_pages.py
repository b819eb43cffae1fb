"""Blueprints with their strength."""

import json
import re

import numpy as np
import pytest

from commands import Command
from holdem_configs import KUHN
from page_fit import fits
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from waiting import becomes, wait_until

THREE = {
    "game": {"players": 3, "stacks": 8},
    "bets": {"preflop": "a", "cap": 1},
    "cards": {"scheme": "percentile", "flop": 1, "turn": 1, "river": 1},
}


def filled(client, path):
    """A page that has its answer: it may be computed for a moment."""

    def there():
        page = client.get(path).text
        return "Reading the blueprint" not in page and "Working out what" not in page

    wait_until(there, what=path)
    return client.get(path)


def test_page_api_and_command_line_show_the_same_decision(client, command: Command):
    """The button calls, the big blind decides; frequencies of every class are the same."""
    said = json.loads(command("holdem", "show", "shipped", "--path", "c", "--json").out)
    answer = client.get("/api/v1/holdem/blueprints/decision", params={"path": "c"}).json()
    assert answer["title"] == said["title"]
    for name in ("AA", "72o", "T9s"):
        assert answer["classes"][name]["shares"] == pytest.approx(said["hands"][name])
    page = filled(client, "/holdem/blueprints?path=c").text
    for words, share in zip(said["actions"].values(), said["totals"].values(), strict=True):
        assert re.search(rf"{words} <span class=\"muted\">{100 * share:.1f} %", page)
    assert 'href="/holdem/blueprints"' in page  # back to the start


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"board": "Qs"}, "path"),
        ({"board": "<b>"}, "board"),
        ({"path": "zz"}, "path"),
        ({"path": "r1"}, "path"),
        ({"path": "cc"}, "path"),
        ({"path": "f" * 5000}, "path"),
        ({"file": "none.rb"}, "file"),
        ({"file": "../.web-secret"}, "file"),
    ],
)
def test_what_cannot_be_shown_gets_a_sentence(client, site, query, field):
    answer = client.get("/api/v1/holdem/blueprints/decision", params=query)
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["field"] == field
    form = {"name" if name == "file" else name: text for name, text in query.items()}
    page = client.get("/holdem/blueprints", params=form)
    wait_until(lambda: client.get("/holdem/blueprints", params=form).status_code == 422)
    page = client.get("/holdem/blueprints", params=form).text
    assert 'role="alert"' in page
    assert str(site.settings.folder) not in page


def test_a_measurement_is_begun_once_stopped_and_gone_on_with(client, site):
    site.strength_runs.at_once = 0  # it waits for its turn
    for _ in range(2):
        assert client.post("/holdem/blueprints/measure").headers["location"] == "/holdem/blueprints"
    (run,) = site.strength_runs.known.values()
    assert "waits for its turn" in client.get("/holdem/blueprints").text.lower()
    client.post(f"/jobs/{run.name}/stop")
    page = client.get("/holdem/blueprints").text
    assert "Stopped; what was measured is kept." in page
    assert "Go on" in page
    assert client.get("/api/v1/holdem/blueprints/strength").json() == []
    assert client.post("/holdem/blueprints/measure", data={"name": "no.rb"}).status_code == 422


# In a browser.


def test_the_shipped_blueprint_is_shown_and_walked(visit):
    page = visit("/holdem/blueprints")
    page.locator(".class-grid .cell").first.wait_for()
    becomes(page.locator(".class-grid .cell:not(.empty)").count, 169)  # every hand comes there
    page.get_by_text("button to act").wait_for()
    page.locator("#act-c").click()
    page.get_by_text("big blind to act").wait_for()
    page.wait_for_url("**path=c**")
    fits(page)
    page.keyboard.press("Backspace")
    page.get_by_text("button to act").wait_for()


def _saved(server, name, table):
    abstract = AbstractGame.build(HoldemConfig.from_table(table))
    Blueprint(abstract, np.ones(abstract.num_bytes // 8, np.uint16)).save(server.folder / name)


def test_every_seat_of_a_blueprint_opens(visit, server):
    """Three players: the button and the small blind can open; half of a coin plays."""
    _saved(server, "three.rb", THREE)
    page = visit("/holdem/blueprints?name=three.rb")
    page.locator(".seat-card").first.wait_for()
    assert [text.split("\n")[0] for text in page.locator(".seat-card").all_inner_texts()] == [
        "Button",
        "Small blind",
    ]
    page.locator(".seat-card", has_text="Small blind").click()
    page.get_by_text("small blind to act").wait_for()
    page.wait_for_url("**path=f**")


def test_a_small_blueprint_is_measured_exactly(visit, server):
    """Uniform play in Kuhn poker gives a best response 11/24 of the ante per game on average
    (5/12 and 1/2 by enumeration in tests of Kuhn poker), that is 458 thousandths."""
    _saved(server, "kuhn.rb", KUHN)
    visit.forgiven = ("422",)  # it has no grid
    page = visit("/holdem/blueprints?name=kuhn.rb")
    page.get_by_text("reduced deck").wait_for()
    page.get_by_role("button", name="Measure").click()
    row = page.locator("tr", has_text="a best response wins, exact")
    row.wait_for()
    becomes(row.locator("td").nth(1).inner_text, "+458")
    page.get_by_role("button", name="Stop").or_(
        page.get_by_role("button", name="Measure again")
    ).first.wait_for()
    page.reload()
    page.locator("tr", has_text="a best response wins, exact").wait_for()


@pytest.mark.slow
def test_a_local_best_response_is_measured_beside_the_page_and_stopped(visit):
    page = visit("/holdem/blueprints")
    page.get_by_role("button", name="Measure").click()
    row = page.locator("tr", has_text="a local best response wins")
    row.get_by_text("±").wait_for()
    page.locator("#act-c").click()  # the page answers meanwhile
    page.get_by_text("big blind to act").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped").wait_for()
    page.reload()
    row.get_by_text("±").wait_for()
