"""Home and the frame of all pages."""


def test_home_shows_every_registered_game_and_nothing_saved_yet(visit):
    from riverboat.games.registry import GAMES

    page = visit("/")
    links = page.locator("a.game").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert links == [f"/play/{name}" for name in GAMES]
    assert page.title() == "Riverboat"


def test_light_and_dark_are_kept(visit):
    page = visit("/")
    assert page.locator("html[data-dark]").count() == 0
    page.get_by_label("Light or dark").click()
    page.wait_for_selector("html[data-dark]")
    page.reload()
    page.wait_for_selector("html[data-dark]")


def test_by_keyboard_the_first_stop_skips_to_the_page(visit):
    page = visit("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
