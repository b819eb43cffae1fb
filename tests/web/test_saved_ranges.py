"""The library of ranges in the browser: saved below a range, taken, renamed, deleted, undone."""

import html
import re

import pytest

from axe import serious_findings
from page_fit import fits
from riverboat.cards.range_library import RangeLibrary
from riverboat.cards.ranges import Range
from riverboat.web.holdem.spot_runs import SpotRuns
from waiting import becomes

OPEN = Range.parse("22+,A2s+,KTs+")


@pytest.fixture
def no_processes(monkeypatch):
    """Kernels are not loaded in the background, and what is begun waits."""
    monkeypatch.setattr(SpotRuns, "prepare_once", lambda self: None)


@pytest.fixture
def library(site):
    return RangeLibrary(site.settings.folder / "ranges")


def send(client, **values):
    return client.post("/holdem/spots/form", data=values)


def text_of(client, player):
    page = client.get("/holdem/spots").text
    return html.unescape(re.search(rf'name="range-{player}"[^>]*>([^<]*)<', page)[1])


def test_a_range_is_saved_below_its_grid_and_taken_for_the_other(client, library, no_processes):
    values = {"range-0": "22+,A2s+,KTs+", "range-0_name": "BTN/open 2.5", "range-0_save": "1"}
    answer = send(client, **values)
    assert answer.status_code == 303
    assert library.read("BTN/open 2.5") == OPEN
    page = client.get(answer.headers["location"]).text
    assert "Saved as BTN/open 2.5." in page
    assert '<optgroup label="BTN"><option value="BTN/open 2.5">open 2.5</option>' in page
    send(client, **{"range-1_pick": "BTN/open 2.5"})
    assert text_of(client, 1) == "22+,A2s+,KTs+"
    send(client, **{"range-1": "@BTN/open 2.5"})
    assert text_of(client, 1) == "22+,A2s+,KTs+"
    send(client, step="undo")


def test_a_taken_or_wrong_name_is_said_at_the_field_and_changes_nothing(
    client, library, no_processes
):
    library.save("BTN/open", OPEN)
    values = {"range-0": "AA", "range-0_save": "1"}
    for name, words in (("BTN/open", "already"), ("../x", "is no name"), ("", "needs a name")):
        answer = send(client, **values, **{"range-0_name": name})
        assert answer.status_code == 422
        said = re.search(r'id="range-0_name-problem" role="alert">([^<]*)<', answer.text)[1]
        assert words in html.unescape(said)
    assert (library.names(), library.read("BTN/open")) == (["BTN/open"], OPEN)
    replaced = {"range-0": "AA", "range-0_save": "replace", "range-0_name": "BTN/open"}
    assert send(client, **replaced).status_code == 303
    assert library.read("BTN/open") == Range.parse("AA")


def test_a_range_that_is_not_there_is_said_at_its_field(client, no_processes):
    for picked in ("nothing", "../../etc/passwd", "x" * 300):
        send(client, **{"range-0_pick": picked})
        page = client.get("/holdem/spots").text
        assert re.search(r'id="range-0-problem" role="alert">[^<]+<', page)


def test_the_page_renames_deletes_and_brings_back(client, library):
    library.save("BTN/open", OPEN)
    assert "BTN</h2>" in client.get("/holdem/ranges").text
    changed = client.post("/holdem/ranges/rename", data={"name": "BTN/open", "new": "CO/open"})
    assert changed.status_code == 303
    assert library.names() == ["CO/open"]
    answer = client.post("/holdem/ranges/delete", data={"name": "CO/open"})
    page = client.get(answer.headers["location"]).text
    assert "CO/open was deleted." in page
    assert library.names() == []
    client.post("/holdem/ranges/restore", data={"name": "CO/open"})
    assert library.read("CO/open") == OPEN


def test_what_cannot_be_done_is_422_with_a_sentence(client, library):
    library.save("a", OPEN)
    library.save("b", OPEN)
    for path, data, words in (
        ("", {"name": "a", "text": "AA"}, "already"),
        ("", {"name": "c", "text": "nonsense"}, "nonsense"),
        ("/rename", {"name": "a", "new": "b"}, "already"),
        ("/rename", {"name": "a", "new": "../b"}, "is no name"),
        ("/delete", {"name": "zzz"}, "any more"),
        ("/restore", {"name": "a"}, "no deleted range"),
    ):
        answer = client.post(f"/holdem/ranges{path}", data=data)
        assert answer.status_code == 422
        assert words in html.unescape(re.search(r'role="alert">([^<]*)<', answer.text)[1])
    assert library.names() == ["a", "b"]


def test_a_damaged_file_is_listed_with_what_is_wrong(client, library):
    library.save("a", OPEN)
    (library.folder / "a.txt").write_text("<script>")
    page = client.get("/holdem/ranges").text
    assert "is damaged" in page
    assert "<script>" not in page.partition("<main")[2]


def test_the_api_does_the_same(client, library):
    made = client.post("/api/v1/ranges", json={"name": "BTN/open", "text": "22+,A2s+,KTs+"})
    assert (made.status_code, made.json()) == (201, {"name": "BTN/open"})
    listed = client.get("/api/v1/ranges").json()
    assert [(row["name"], row["combos"]) for row in listed] == [("BTN/open", OPEN.num_combos)]
    client.post("/api/v1/ranges/rename", json={"name": "BTN/open", "new": "CO/open"})
    client.post("/api/v1/ranges/delete", json={"name": "CO/open"})
    assert library.names() == []
    client.post("/api/v1/ranges/restore", json={"name": "CO/open"})
    assert library.names() == ["CO/open"]
    answer = client.post("/api/v1/ranges", json={"name": "CO/open", "text": "AA"})
    assert answer.json()["problems"][0]["field"] == "name"


# What only a browser shows.


@pytest.mark.parametrize("width", [390, 1280])
def test_paint_undo_by_keys_save_and_take(visit, server, width):
    page = visit("/holdem/spots", width=width)
    field, words = page.locator("#range-0-text"), page.locator("#range-0-field")

    def holds(text, combos):
        words.get_by_text(f"{combos} combos").wait_for()
        becomes(field.input_value, text)

    field.fill("QQ+")
    field.blur()
    holds("QQ+", 18)
    page.locator("#range-0-JJ").click()
    holds("JJ+", 24)
    page.keyboard.press("Control+z")
    holds("QQ+", 18)
    page.keyboard.press("Control+Shift+z")
    holds("JJ+", 24)
    page.get_by_role("button", name="Undo").click()
    holds("QQ+", 18)
    name = f"W{width}/top"
    page.get_by_label("Name to save OOP under").fill(name)
    page.get_by_role("button", name="Save OOP").click()
    page.get_by_text(f"Saved as {name}.").wait_for()
    page.get_by_label("Take a saved range for IP").select_option(name)
    becomes(page.locator("#range-1-text").input_value, "QQ+")
    fits(page)
    assert serious_findings(page) == []
    page.goto(f"{server.address}/holdem/ranges")
    fits(page)
    assert serious_findings(page) == []
