"""A spot of three players set up, solved, walked through, locked, drilled, saved and opened."""

import shutil

import pytest

import riverboat as rb
from exact_three_way import TURN
from page_fit import fits
from waiting import PATIENCE, becomes, wait_until

MIDDLE = "the-middle-1"  # As long as a name may be
"""All-in before with a hand that never wins: dead money. The first player has aces and queens
against the last one's kings, pot 100 and stacks 100, as in test_spot_pages: EVs of 75, 0 and 25."""
FIELDS = {
    "Board": "2s 2h 2d 3c 3d",
    "Pot": "100",
    "Solve to": "0.02%",
    "Second name": MIDDLE,
    "First stack behind": "100",
    "Second stack behind": "0",
    "Third stack behind": "100",
    "First range as text": "AA,QQ",
    "Second range as text": "9c8c",
    "Third range as text": "KK",
    "SB bets, river": "a",
    "BTN bets, river": "",
}


def _fill(page, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.blur()


@pytest.fixture(scope="module")
def spot(browser, server):
    """The river solved from the form; its address."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(server.address + "/holdem/spots")
    page.get_by_role("link", name="Three players").click()
    page.get_by_label("Second name").wait_for()
    page.wait_for_load_state()  # changes count once the page's modules are there
    for label, text in FIELDS.items():
        _fill(page, label, text)
    page.get_by_label(f"{MIDDLE.upper()} bets, river").wait_for()  # the sizes have the new name
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator(".desk-grid").first.wait_for()
    address = page.url.removeprefix(server.address).partition("?")[0]
    context.close()
    return address


def _column(page, place: int) -> list[float]:
    """A column of the table of players, by its place; it lies below a button."""
    cells = page.locator(f"table:has(th:text('Gain')) td:nth-child({place})")
    becomes(cells.count, 3)
    return [float(text.removesuffix(" %")) for text in cells.all_text_contents()]


def test_three_players_are_solved_and_the_gain_of_each_is_shown(visit, spot):
    page = visit(spot)
    assert _column(page, 2) == pytest.approx([75, 0, 25], abs=0.1)
    assert min(_column(page, 3)) >= -1e-3
    assert sum(_column(page, 4)) <= 0.02 + 0.002  # three figures are rounded
    page.get_by_text("of the pot, all gains together").wait_for()
    page.get_by_text(f"behind: SB 100, {MIDDLE.upper()} 0, BTN 100").wait_for()
    page.get_by_text("SB to act").wait_for()
    assert "gto" not in page.locator("body").inner_text().lower()


def test_who_acts_next_and_side_pots_are_shown(visit, spot):
    page = visit(spot)
    page.get_by_text("SB to act").wait_for()
    page.keyboard.press("2")
    page.get_by_text("BTN to act").wait_for()  # the one in the middle is all-in
    page.keyboard.press("2")
    page.get_by_text("The end").wait_for()
    page.get_by_text(
        f"main pot 100 (SB, {MIDDLE.upper()}, BTN) · side pot 200 (SB, BTN)"
    ).wait_for()
    page.keyboard.press("Backspace")
    page.get_by_text("BTN to act").wait_for()
    page.keyboard.press("1")
    page.get_by_text(f"behind: SB 0, {MIDDLE.upper()} 0, BTN folded").wait_for()


def test_the_grid_is_switched_from_player_to_player(visit, spot):
    """Kings are worth 25 chips by closed form; they only wait, so they have no actions yet."""
    page = visit(spot)
    page.get_by_role("heading", name="Strategy of SB").wait_for()
    page.get_by_role("group", name="Hands of").get_by_text("BTN").click()
    page.get_by_role("heading", name="Range of BTN").wait_for()
    page.locator("#btn-KK").click()
    page.get_by_role("heading", name="Hands of KK").wait_for()
    rows = page.locator(".hands-box tbody tr")
    becomes(rows.count, 6)
    evs = [float(row.locator("td").nth(2).inner_text()) for row in rows.all()]
    assert evs == pytest.approx([25] * 6, abs=0.2)
    page.get_by_role("link", name="Locks").click()
    page.get_by_role("link", name="paint SB").wait_for()


def test_links_lead_where_they_say_as_soon_as_they_are_seen(visit, spot):
    """A swap changes links that stay; a quick reader presses one in the same moment."""
    page = visit(spot)
    page.get_by_role("heading", name="Strategy of SB").wait_for()
    page.evaluate(
        """() => new MutationObserver((_, observer) => {
          if (!document.querySelector('#btn-KK')) return;
          observer.disconnect();
          [...document.querySelectorAll('a')].find((each) => each.innerText === 'Locks').click();
        }).observe(document.body, { childList: true, subtree: true })"""
    )
    page.get_by_role("group", name="Hands of").get_by_text("BTN").click()
    page.wait_for_url("**player=btn&tab=locks")
    page.get_by_role("link", name="paint SB").wait_for()


def test_locks_are_painted_and_solved_again(visit, spot):
    """Aces that always check win the pot alone and queens nothing: EVs of 50, 0 and 50."""
    page = visit(f"{spot}?tab=locks")
    page.get_by_label("check", exact=True).check()
    page.locator("#sb-AA").click()
    page.get_by_role("button", name="Solve again with locks").click()
    page.get_by_text("1 locked node").wait_for()
    assert _column(page, 2) == pytest.approx([50, 0, 50], abs=0.1)


def test_a_drill_has_two_opponents(visit, spot):
    page = visit(spot + "/drill?side=btn")
    page.locator(".drill-felt .seat").nth(2).wait_for()
    becomes(page.locator(".drill-felt .who").all_inner_texts, ["SB", MIDDLE.upper(), "you"])
    page.keyboard.press("1")
    page.get_by_role("link", name="Look at this point").wait_for()
    visit.forgiven = ("422",)  # a seat without decisions cannot be drilled
    page.get_by_role("link", name=MIDDLE.upper(), exact=True).click()
    page.get_by_text(f"{MIDDLE.upper()} never acts in this solution.").wait_for()


def test_files_of_three_are_saved_and_opened_from_home(visit, spot, server):
    page = visit(spot)
    page.get_by_text("Save and more").click()
    page.get_by_label("Save the solution as").fill("triple")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved as triple.rb").wait_for()
    assert rb.load(server.folder / "triple.rb").info["ev"] == pytest.approx([75, 0, 25], abs=0.1)
    whole = (server.folder / "triple.rb").read_bytes()
    (server.folder / "torn.rb").write_bytes(whole.replace(b"gain_sum_pct", b"gain_sum_xxx"))
    page.goto(server.address)
    page.get_by_role("link", name="triple.rb").click()
    page.wait_for_url("**/holdem/spots/*")
    assert _column(page, 2) == pytest.approx([75, 0, 25], abs=0.1)
    visit.forgiven = ("422",)
    page.goto(server.address + "/holdem/spots?file=torn.rb")
    page.get_by_role("alert").get_by_text("is damaged").wait_for()
    page.get_by_role("link", name="three players, gains").first.wait_for()


def test_the_next_card_shows_the_figures_of_a_player(visit, server):
    (server.folder / "turn-of-three.toml").write_text(TURN)
    page = visit("/holdem/spots?file=turn-of-three.toml")
    _fill(page, "Solve to", "20%")
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator(".desk-grid").first.wait_for()
    page.wait_for_load_state()  # keys count once the page's modules are there
    for player in ("SB", "BB", "BTN"):
        page.get_by_text(f"{player} to act").wait_for()
        page.keyboard.press("1")
    page.get_by_role("heading", name="The next card").wait_for()
    page.get_by_role("link", name="Equity", exact=True).last.click()
    page.get_by_text("Equity of SB, per cent.").wait_for()
    page.get_by_role("group", name="Hands of").get_by_text("BTN").click()
    page.get_by_text("Equity of BTN, per cent.").wait_for()
    becomes(page.get_by_role("group", name="Cards", exact=True).locator("a").count, 48)


def test_a_killed_server_goes_on_with_three(visit, spot, server, make_server):
    own, name = make_server(), spot.rpartition("/")[2]
    here, there = (each.folder / ".web" / "spots" for each in (server, own))
    shutil.copytree(here / name, there / "cut-off-three")
    kept = there / "cut-off-three" / "job.json"
    kept.write_text(kept.read_text().replace('"state": "done"', '"state": "running"'))
    page = visit("/holdem/spots/cut-off-three", base=own.address)
    page.get_by_text("SB to act").wait_for()
    wait_until(lambda: '"state": "done"' in kept.read_text())


def test_the_pages_of_three_fit(visit, spot):
    page = visit(spot)
    page.locator(".desk-grid").first.wait_for()
    fits(page)
    page = visit(f"{spot}/drill")
    page.locator(".drill-felt .seat").nth(2).wait_for()
    fits(page)
    page = visit(f"/holdem/spots?copy={spot.rpartition('/')[2]}")
    page.get_by_label(f"{MIDDLE.upper()} bets, river").wait_for()
    fits(page)
