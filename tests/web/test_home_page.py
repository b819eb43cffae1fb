"""Home and the frame of all pages."""


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
    from riverboat.web.app.home import game_cards

    @dataclass(frozen=True)
    class Pennies:
        title: ClassVar = "Matching pennies"

    monkeypatch.setitem(registry.GAMES, "pennies", Pennies)
    assert str(game_cards()).count("Matching pennies") == 1


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


def test_files_are_renamed_and_deleted(visit, make_server):
    server = make_server()
    for name in ("one.toml", "two.toml"):
        (server.folder / name).write_text("board = 3")
    page = visit("/", base=server.address)
    page.get_by_label("rename one.toml").click()
    page.get_by_label("New name").fill("two.toml")
    page.get_by_role("button", name="Rename", exact=True).click()
    page.get_by_text("There is a two.toml already").wait_for()
    page.get_by_label("rename one.toml").click()
    page.get_by_label("New name").last.fill("first")
    page.get_by_role("button", name="Rename", exact=True).last.click()
    page.get_by_label("delete first.toml").click()
    page.get_by_role("button", name="Cancel").last.click()
    page.get_by_label("delete two.toml").click()
    page.get_by_role("button", name="Delete", exact=True).last.click()
    page.get_by_label("delete two.toml").wait_for(state="detached")
    assert [path.name for path in server.folder.glob("*.toml")] == ["first.toml"]
