"""Home and the frame of all pages."""

import json
import re


def test_home_shows_every_registered_game_and_nothing_saved_yet(visit):
    from riverboat.games.registry import GAMES

    page = visit("/")
    links = page.locator("a.game").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert links == [f"/play/{name}" for name in GAMES]
    assert page.title() == "Riverboat"


def test_a_game_of_ones_own_says_its_title_once(monkeypatch):
    from dataclasses import dataclass
    from typing import ClassVar

    from riverboat.games import registry
    from riverboat.web.app.game_cards import game_cards
    from riverboat.web.app.templates import part

    @dataclass(frozen=True)
    class Pennies:
        title: ClassVar = "Matching pennies"

    monkeypatch.setitem(registry.GAMES, "pennies", Pennies)
    page = part("games.html", games=game_cards(), level=2)
    assert page.count("Matching pennies") == 1


def test_light_and_dark_are_kept(visit):
    page = visit("/")
    assert page.locator("html[data-dark]").count() == 0
    page.get_by_label("Light or dark").click()
    page.wait_for_selector("html[data-dark]")
    page.reload()
    page.wait_for_selector("html[data-dark]")


def test_a_page_follows_the_system_into_the_dark(visit):
    page = visit("/")
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-dark]")
    page.emulate_media(color_scheme="light")
    page.wait_for_selector("html:not([data-dark])")


def test_by_keyboard_the_first_stop_skips_to_the_page(visit):
    page = visit("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"


def saved(site, *names):
    site.settings.folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (site.settings.folder / name).write_text("board = 3")


def test_home_names_ways_to_play_solve_study_and_learn(client):
    page = client.get("/").text
    for address in ("/play/holdem", "/solve", "/holdem/equity", "/blackjack/train"):
        assert f'href="{address}"' in page


def test_every_address_on_home_is_there(client, site):
    """Those of pages that are not moved yet are looked at by the browser tests."""
    links = set(re.findall(r'href="(/[^"#?]*)', client.get("/").text))
    moved = {route.path for route in client.app.routes if hasattr(route, "path")}
    for link in links & moved:
        assert client.get(link).status_code == 200


def test_a_file_is_renamed_and_the_page_shows_it(client, site):
    saved(site, "one.toml")
    answer = client.post("/library/one.toml/rename", data={"name": "first"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/#saved")
    assert "first.toml" in client.get("/").text
    assert [path.name for path in site.settings.folder.glob("*.toml")] == ["first.toml"]


def test_a_taken_name_is_refused_next_to_its_field_and_changes_nothing(client, site):
    saved(site, "one.toml", "two.toml")
    answer = client.post("/library/one.toml/rename", data={"name": "two.toml"})
    assert answer.status_code == 422
    form = answer.text.partition('action="/library/one.toml/rename"')[2].partition("</form>")[0]
    assert 'value="two.toml"' in form
    assert "There is a two.toml already" in form
    assert len(list(site.settings.folder.glob("*.toml"))) == 2


def test_a_file_is_deleted_and_one_in_use_is_not(client, site):
    saved(site, "one.toml", "two.toml")
    site.library.in_use.append(lambda: ["two.toml"])
    assert client.post("/library/one.toml/delete").status_code == 303
    answer = client.post("/library/two.toml/delete")
    assert answer.status_code == 422
    assert "two.toml is in use" in answer.text
    assert [path.name for path in site.settings.folder.glob("*.toml")] == ["two.toml"]


def test_where_one_left_off_is_listed_newest_first(client, site):
    folder = site.settings.folder / ".web" / "sittings"
    folder.mkdir(parents=True)
    for name, moves in (("played", ["b"]), ("untouched", []), ("broken", None)):
        (folder / f"{name}.json").write_text(json.dumps({"game": "leduc", "actions": moves}))
    page = client.get("/").text
    assert "/play/leduc/played" in page
    assert "Leduc hold&#39;em, 1 move" in page
    assert "untouched" not in page
    assert "broken" not in page


def test_the_lesson_one_is_at_is_among_what_one_goes_on_with(client):
    assert "/learn/2/" not in client.get("/").text
    client.post("/learn/2/1")
    page = client.get("/").text
    assert 'href="/learn/2/2">Lesson 2: Kuhn poker: why a jack bluffs</a>' in page
    assert re.search(r"step 2 of \d+", page)


def test_files_are_renamed_and_deleted_in_the_browser(visit, make_server):
    server = make_server()
    for name in ("one.toml", "two.toml"):
        (server.folder / name).write_text("board = 3")
    page = visit("/", base=server.address)
    visit.forgiven = ("422",)
    row = page.locator("tr", has=page.get_by_role("link", name="one.toml"))
    row.get_by_label("Change one.toml: rename or delete it").click()
    row.get_by_label("New name").fill("two.toml")
    row.get_by_role("button", name="Rename").click()
    row.get_by_text("There is a two.toml already").wait_for()  # and the form stays open
    row.get_by_label("New name").fill("first")
    row.get_by_role("button", name="Rename").click()
    page.get_by_label("Change first.toml: rename or delete it").click()
    page.get_by_role("button", name="Delete first.toml").click()
    page.get_by_label("Change first.toml: rename or delete it").wait_for(state="detached")
    assert [path.name for path in server.folder.glob("*.toml")] == ["two.toml"]
