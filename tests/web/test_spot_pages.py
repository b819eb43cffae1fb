"""A spot set up, solved, walked through, locked by painting, drilled; as a person would."""

import json
import re
import shutil

import pytest

from page_fit import fits
from riverboat.cards.combos import combo_text
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.spots.spot import Spot
from riverboat.web.holdem.spot_runs import SpotRuns
from waiting import PATIENCE, becomes, wait_until

RIVER = "2s 2h 2d 3c 3d"
"""Aces and queens against kings, pot 100 and stack 100: closed forms are known (Chen and
Ankenman, The Mathematics of Poker, 2006: the bettor bluffs half of his bad hands)."""


def _fill(page, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.blur()


@pytest.fixture(scope="module")
def spot(browser, server):
    """The polar river solved from the form; its address."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(server.address + "/holdem/spots")
    _fill(page, "Board", RIVER)
    page.get_by_label("OOP bets, turn").wait_for(state="detached")  # the sizes are made anew
    for label, text in (("Pot", "100"), ("Stack behind", "100"), ("Solve to", "0.02%")):
        _fill(page, label, text)
    _fill(page, "OOP as text", "AA,QQ")
    _fill(page, "IP as text", "KK")
    _fill(page, "OOP bets, river", "a")
    _fill(page, "IP bets, river", "")
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator(".mixed button").first.wait_for()
    address = page.url.removeprefix(server.address).partition("?")[0]
    context.close()
    return address


def test_a_range_may_be_a_line_of_a_solution(visit, server):
    """The book's ranges by their lines; a line of other chips is refused until the chips fit."""
    book = PreflopSolution.load("shipped")
    page = visit("/holdem/spots")
    _fill(page, "Board", "Qs Jh 2h")
    oop, ip = (page.get_by_label(f"{name} as text") for name in ("OOP", "IP"))
    _fill(page, "OOP as text", "preflop:shipped f f f r2.5 f c")
    page.get_by_text("stacks are 17.7 pots (97.5 behind a pot of 5.5)").wait_for()
    _fill(page, "Pot", "5.5")
    _fill(page, "Stack behind", "97.5")
    becomes(oop.input_value, str(book.range_of("bb", "f-f-f-r2.5-f-c")))
    _fill(page, "IP as text", " preflop:shipped f-f-f-r2.5-f-c")
    becomes(ip.input_value, str(book.range_of("btn", "f-f-f-r2.5-f-c")))
    _fill(page, "IP as text", "preflop:shipped f f f r2.5")
    page.get_by_text("SB still acts before the flop").wait_for()
    book.save(server.folder / "my book.rb")
    _fill(page, "IP as text", "preflop:my book.rb f f f r2.5 f c")
    becomes(ip.input_value, str(book.range_of("btn", "f-f-f-r2.5-f-c")))


@pytest.mark.parametrize("odd", ["", "/", "folder"])
def test_a_range_reads_files_of_the_library_only(visit, server, odd, tmp_path):
    """All that lies elsewhere is refused with the same sentence, whether it exists or not."""
    for place in (tmp_path, server.folder.parent, server.folder / ".web", server.folder / "sub"):
        place.mkdir(exist_ok=True)
        PreflopSolution.load("shipped").save(place / "secret.rb")
    names = {
        "": ("../secret.rb", "../nothing.rb", "sub/secret.rb", ".web/secret.rb", "..", "."),
        "/": (str(tmp_path / "secret.rb"), "/etc/passwd", "/nothing.rb", "~/x.rb", "C:x\\y.rb"),
        "folder": ("sub", "\u0000.rb", "x" * 4000 + ".rb", "missing.rb", "\u202egnp.rb"),
    }
    page = visit("/holdem/spots")
    for name in names[odd]:
        _fill(page, "OOP as text", f"preflop:{name} r2.5 c")
        page.get_by_text(f"There is no {name[:60]!r} in the library.").wait_for()
        assert page.get_by_label("OOP as text").input_value().startswith("preflop:")
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator(".note.error", has_text="in the library").wait_for()
    assert str(server.folder) not in page.content()
    (server.folder / "odd.rb").write_bytes(b"no solution")
    _fill(page, "OOP as text", "preflop:odd.rb r2.5 c")
    page.get_by_text("odd.rb is not a riverboat file").first.wait_for()
    assert str(server.folder) not in page.content()
    assert "Traceback" not in server.said()


def test_the_form_keeps_the_sizes_of_streets_that_a_longer_board_hides(visit):
    page = visit("/holdem/spots")
    _fill(page, "Board", "Qs Jh 2h")
    _fill(page, "OOP bets, flop", "20%")
    _fill(page, "Board", RIVER)
    page.get_by_label("OOP bets, flop").wait_for(state="detached")
    _fill(page, "OOP bets, river", "40%")
    page.reload()
    becomes(page.get_by_label("OOP bets, river").input_value, "40%")
    _fill(page, "Board", "Qs Jh 2h")
    becomes(page.get_by_label("OOP bets, flop").input_value, "20%")
    assert page.get_by_label("IP bets, turn").input_value() == "66%"


def test_a_shorter_board_than_that_of_a_solved_spot_has_bets(visit, spot):
    """A river spot has no sizes of flop and turn: those of the first preset are offered."""
    page = visit(spot)
    page.get_by_role("button", name="Change").click()
    page.get_by_label("OOP bets, river").wait_for()
    _fill(page, "Board", RIVER[:-3])
    becomes(page.get_by_label("OOP bets, turn").input_value, "66%")
    becomes(page.get_by_label("OOP bets, river").input_value, "a")


def test_a_grid_with_few_hands_is_walked_by_arrows(visit, spot):
    """AA and QQ are in no common row or column."""
    page = visit(spot)
    grid = page.locator(".mixed")
    grid.locator('[data-pick="class:AA"]').focus()
    focused = "document.activeElement.dataset.pick"
    for key, name in (("Down", "QQ"), ("Up", "AA"), ("Right", "QQ"), ("Left", "AA"), ("Up", "AA")):
        page.keyboard.press(f"Arrow{key}")
        assert page.evaluate(focused) == f"class:{name}"


def _evs(page) -> list[float]:
    tile = page.locator(".tile", has_text="EV of OOP").locator("b")
    tile.wait_for()
    return [float(part) for part in tile.inner_text().split("/")]


def test_a_spot_is_solved_and_walked_by_keys(visit, spot):
    page = visit(spot)
    page.locator('.mixed [data-pick="class:AA"]').wait_for()
    assert _evs(page) == pytest.approx([75, 25], abs=0.1)
    page.locator('.mixed [data-pick="class:AA"]').click()
    page.get_by_role("heading", name="Hands of AA").wait_for()
    becomes(page.locator(".shares").count, 6)
    page.keyboard.press("1")
    page.wait_for_url("**node=r:0:c")
    page.reload()
    page.get_by_text("IP to act").wait_for()
    page.keyboard.press("Backspace")
    page.get_by_text("OOP to act").wait_for()
    page.wait_for_url("**node=r:0")


def test_the_browsers_back_goes_up_a_node(visit, spot):
    page = visit(spot)
    page.get_by_text("OOP to act").wait_for()
    page.keyboard.press("1")
    page.get_by_text("IP to act").wait_for()
    page.wait_for_url("**node=r:0:c")
    page.go_back()
    page.get_by_text("OOP to act").wait_for()
    page.wait_for_url("**node=r:0")
    page.go_forward()
    page.get_by_text("IP to act").wait_for()


def test_a_tap_on_a_phone_brings_the_hands_into_view(visit, spot):
    page = visit(spot, width=390)
    page.locator('.mixed [data-pick="class:AA"]').click()
    page.get_by_role("heading", name="Hands of AA").wait_for()
    page.wait_for_function(
        "document.querySelector('.hands-box').getBoundingClientRect().top < innerHeight - 40"
    )


def test_graphs_show_equity_and_ev_of_both_ranges(visit, spot):
    """Half of OOP's range has all the equity; EVs are 75 and 25."""
    page = visit(spot)
    page.get_by_role("button", name="EV", exact=True).click()
    number = "Number(document.querySelector('.nicegui-echart').id.slice(1))"
    chart = f"getElement({number}).chart.getOption()"
    shown = f"{chart}.series.map(s => s.name).join()"
    page.wait_for_function(f"{shown}.includes('OOP, mean 75')")
    assert "IP, mean 25" in page.evaluate(shown)
    page.get_by_role("button", name="Equity", exact=True).click()
    page.wait_for_function(f"{shown}.includes('OOP, mean 50')")
    values = page.evaluate(f"{chart}.series[0].data.map(p => p[1])")
    assert set(values[:7]) == {100}
    assert set(values[7:]) == {0}


def test_locks_are_painted_solved_again_and_kept(visit, spot):
    """Aces that always check win the pot alone and queens nothing: EVs of 50 and 50."""
    page = visit(spot)
    page.get_by_role("button", name="Lock by painting").click()
    page.get_by_role("group", name="Brush").get_by_text("check").click()
    cell = page.locator('.mixed [data-cell="AA"]')
    cell.click()
    page.get_by_label("AA: check 100%, all-in 100 0%, locked").wait_for()
    page.reload()  # what was painted is kept
    page.get_by_label("AA: check 100%, all-in 100 0%, locked").wait_for()
    page.get_by_role("button", name="Solve again with locks").click()
    page.locator(".tile", has_text="locked node").wait_for()
    assert _evs(page) == pytest.approx([50, 50], abs=0.1)
    assert not page.url.startswith(spot)
    # Painted free again, by keyboard; then it can be solved without.
    page.get_by_role("button", name="Lock by painting").click()
    page.get_by_role("button", name="free again").click()
    page.locator('.mixed [data-cell="AA"]').press("Enter")
    page.get_by_role("button", name="Solve again without locks").wait_for()
    page.get_by_label("AA: check 100%, all-in 100 0%", exact=True).wait_for()


def test_dragging_paints_a_share_over_several_cells(visit, spot):
    page = visit(spot)
    page.get_by_role("button", name="Lock by painting").click()
    page.get_by_role("group", name="Brush").get_by_text("all-in 100").click()
    page.get_by_label("Share of the brush, per cent").locator("[tabindex]").focus()
    page.keyboard.press("PageDown")  # ten steps of five
    page.get_by_text("all-in 100 50 %").wait_for()
    grid = page.locator(".range-grid.mixed")
    start, end = (grid.locator(f'[data-cell="{c}"]').bounding_box() for c in ("AA", "QQ"))
    page.mouse.move(start["x"] + 5, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(end["x"] + 5, end["y"] + 5, steps=6)
    page.mouse.up()
    page.locator(".lock-list li", has_text="AA,QQ check 50%, all-in 100 50%").wait_for()
    page.locator(".lock-list").get_by_text("remove").click()
    page.locator(".lock-list").wait_for(state="detached")


def test_a_drill_prices_decisions_and_outlives_a_reload(visit, spot):
    """Checking aces costs 50 chips by closed form; with queens both are right."""
    page = visit(spot)
    page.get_by_role("button", name="Drill").click()
    page.wait_for_url("**/drill")
    own = page.locator(".seats.own title")
    own.first.wait_for(state="attached")
    while "ace" not in own.first.text_content():
        page.keyboard.press("1")
        page.get_by_text("Right: check").wait_for()
        page.keyboard.press("Enter")
        page.get_by_text("Your decision is judged here").wait_for()
    page.keyboard.press("1")
    cost = page.get_by_role("heading", name=re.compile("check costs"))
    cost.wait_for()
    assert float(cost.inner_text().split()[2]) == pytest.approx(50, abs=0.5)
    tile = page.locator(".tile", has_text="to come again").locator("b")
    becomes(tile.inner_text, "1")
    page.reload()
    cost.wait_for()
    becomes(tile.inner_text, "1")
    page.get_by_role("button", name="IP", exact=True).click()
    page.wait_for_url("**side=ip")
    page.get_by_role("button", name="look up").wait_for()
    page.keyboard.press("?")
    page.get_by_text("this one is not counted").wait_for()


TURN = {"Board": "2s 2h 2d 3c", "Pot": "100", "Stack behind": "100", "Solve to": "0.5%"}


def test_the_next_card_shows_which_cards_change_the_betting(visit):
    """A queen makes OOP's queens the best hand, so it changes the betting."""
    page = visit("/holdem/spots")
    for label, text in TURN.items():
        _fill(page, label, text)
    _fill(page, "OOP as text", "AA,QQ")
    _fill(page, "IP as text", "KK")
    for label in ("OOP bets, turn", "OOP raises, turn", "IP bets, turn", "IP raises, turn"):
        _fill(page, label, "")
    page.get_by_role("button", name="Solve", exact=True).click()
    page.keyboard.press("Tab")
    page.locator(".mixed button").first.wait_for()
    page.keyboard.press("1")
    page.get_by_text("IP to act").wait_for()
    page.keyboard.press("1")
    page.get_by_role("heading", name="The next card").wait_for()
    cards = page.get_by_role("group", name="Cards", exact=True)
    cards.locator("button").first.wait_for()
    becomes(cards.locator("button").count, 48)
    changes = page.locator("table [data-pick^='deal:']")
    assert changes.first.get_attribute("data-pick")[5] in "AKQ"
    page.get_by_role("button", name="equity", exact=True).click()
    queen = cards.locator('[data-pick="deal:Qs"] small')
    page.get_by_text("OOP's equity, per cent.").wait_for()
    becomes(queen.inner_text, "100")
    cards.locator('[data-pick="deal:Qs"]').click()
    page.wait_for_url("**node=r:0:c:c:Qs")


def test_a_spot_that_cannot_be_is_refused_at_its_fields(visit):
    """Each field says what is wrong with it, nothing is solved, and a mend takes it back."""
    page = visit("/holdem/spots")
    wrong = {
        "Board": ("Qs Qs 2d", "The card Qs appears twice; a deck has one."),
        "Pot": ("minus", "The pot is a number, not 'minus'."),
        "Stack behind": (
            "0",
            "The stack must be above 0, at least 0.01, and at most 10,000,000 chips, not 0.",
        ),
        "Rake, % of the pot": ("120", "The rake lies from 0 to below 100 per cent, not at 120."),
        "OOP raises, flop": (
            "half",
            "The field has 'half', which is no size; write for example 33%, 2.5x, 100c, 2e or a.",
        ),
    }
    for label, (text, sentence) in wrong.items():
        _fill(page, label, text)
        page.get_by_text(sentence, exact=True).wait_for()
    page.get_by_role("button", name="Solve", exact=True).click()
    page.get_by_role("alert").get_by_text("5 fields need a change").wait_for()
    assert page.url.endswith("/holdem/spots")
    page.reload()  # what was typed is kept
    page.wait_for_selector("main h1")
    becomes(page.get_by_label("Pot", exact=True).input_value, "minus")
    _fill(page, "Pot", "60")
    page.get_by_role("button", name="Solve", exact=True).click()
    page.get_by_role("alert").get_by_text("4 fields need a change").wait_for()
    becomes(page.get_by_text(wrong["Pot"][1]).count, 0)
    assert visit("/holdem/spots/nosuchspot").get_by_role("alert").inner_text().startswith("There")
    visit("/holdem/spots/nosuchspot/drill").get_by_role("alert").wait_for()


def test_both_players_have_sizes_of_their_own(visit):
    page = visit("/holdem/spots")
    _fill(page, "Board", "Qs Jh 2h")
    page.get_by_label("OOP donk bets, turn").wait_for()
    becomes(page.get_by_label("OOP donk bets, flop").count, 0)
    page.get_by_role("button", name="two sizes").click()
    page.wait_for_function("document.querySelectorAll('.sizes input')[0].value === '33%,75%'")
    _fill(page, "OOP bets, flop", "20%")
    page.get_by_role("button", name="IP as OOP").click()
    page.wait_for_function(
        "document.querySelector('[aria-label=\"IP bets, flop\"]').value === '20%'"
    )


def test_a_saved_spot_is_opened_from_home(visit, spot, server):
    page = visit(spot)
    page.get_by_role("button", name="Save").click()
    name = page.get_by_label("Name of the file")
    becomes(name.input_value, "spot.rb")
    name.fill("../polar")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    page.get_by_text("A file's name has no slashes").wait_for()
    name.fill("polar")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    page.get_by_text("Saved as polar.rb").wait_for()
    (server.folder / "mine.toml").write_text(
        'board = "As Kd 2c"\npot = 7\nstack = 9\n[ranges]\noop = "QQ"\nip = "JJ"\n'
    )
    (server.folder / "bad.toml").write_text("board = 3")
    page.goto(server.address)
    page.get_by_role("link", name="polar.rb").click()
    page.wait_for_url("**/holdem/spots/*")
    page.locator(".tile", has_text="EV of OOP").wait_for()
    assert _evs(page) == pytest.approx([75, 25], abs=0.1)
    page.goto(server.address)
    page.get_by_role("link", name="mine.toml").click()
    page.get_by_label("Pot", exact=True).wait_for()
    becomes(page.get_by_label("Pot", exact=True).input_value, "7")
    page.goto(server.address + "/holdem/spots?file=bad.toml")
    page.get_by_role("alert").get_by_text("[ranges]").wait_for()
    for name in ("nothing.rb", "..%2Fx", "kuhn"):
        page.goto(f"{server.address}/holdem/spots?file={name}")
        page.get_by_role("alert").first.wait_for()


def test_a_spot_outlives_the_server(visit, spot, server, make_server):
    """Another server with the same files shows the same node, and goes on where one was cut off."""
    own, name = make_server(), spot.rpartition("/")[2]
    here, there = (each.folder / ".web" / "spots" for each in (server, own))
    shutil.copytree(here / name, there / name)
    page = visit(f"{spot}?node=r:0:c", base=own.address)
    page.get_by_text("IP to act").wait_for()
    shutil.copytree(here / name, there / "cut-off-one")
    kept = there / "cut-off-one" / "job.json"
    kept.write_text(kept.read_text().replace('"state": "done"', '"state": "running"'))
    page.goto(own.address + "/holdem/spots/cut-off-one")
    page.get_by_text("OOP to act").wait_for()
    wait_until(lambda: '"state": "done"' in kept.read_text())


def test_spots_of_0_2_0_are_found(spot, server, tmp_path):
    name = spot.rpartition("/")[2]
    shutil.copytree(server.folder / ".web" / "spots" / name, tmp_path / name)
    kept = tmp_path / name / "job.json"
    whole = json.loads(kept.read_text())
    kept.unlink()
    old = {**whole["order"], "state": "done", "facts": whole["parts"][0]["facts"], "painted": []}
    (tmp_path / name / "run.json").write_text(json.dumps(old))
    found = SpotRuns(tmp_path).find(name)
    assert found.solved
    assert found.facts["ev"] == pytest.approx([75, 25], abs=0.1)


def test_a_running_solve_is_linked_and_blocks_no_other(visit, spot, make_server, server):
    """Its tab is closed; another spot is solved meanwhile, and every page links to the first."""
    own, name = make_server(), spot.rpartition("/")[2]
    there = own.folder / ".web" / "spots"
    shutil.copytree(server.folder / ".web" / "spots" / name, there / "long-one-here")
    kept = there / "long-one-here" / "job.json"
    endless = kept.read_text().replace('"done"', '"running"').replace("0.02%", "1e-15")
    kept.write_text(endless)
    own.stop()
    own.restart()
    page = visit("/blackjack", base=own.address)
    page.locator(".running-link").wait_for()
    page.goto(own.address + "/holdem/spots")
    _fill(page, "Board", RIVER)
    _fill(page, "OOP as text", "AA,QQ")
    _fill(page, "IP as text", "KK")
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator(".mixed button").first.wait_for()
    page.goto(own.address + "/")
    page.locator(".running-link").click()
    page.get_by_role("button", name="Stop").click()
    page.locator(".mixed button").first.wait_for()
    page.locator(".running-link").wait_for(state="detached")  # without another visit


def test_a_solved_spot_and_its_drill_fit(visit, spot):
    page = visit(spot)
    page.locator(".mixed button").first.wait_for()
    page.get_by_role("button", name="Lock by painting").click()
    page.get_by_role("group", name="Brush").wait_for()
    fits(page)
    page = visit(f"{spot}/drill")
    page.wait_for_selector(".drill-felt")
    fits(page)


def test_nothing_that_is_typed_is_cut(visit, server):
    """Sizes of more than 80 letters, a range of 1,326 combos with weights, and too much text."""
    page = visit("/holdem/spots")
    _fill(page, "Board", "As 7s 2c 3d 9h")
    every = ",".join(f"{combo_text(c)}:{0.5 + c / 4000:.4f}" for c in range(1326))
    assert len(every) > 14_000
    _fill(page, "OOP as text", every)
    page.get_by_text("combos, 66").wait_for()
    # The form has taken in the board by now, which decides what streets have sizes.
    sizes = ",".join(f"{10 + i}.125%" for i in range(14))
    _fill(page, "OOP bets, river", sizes)
    longest = "AA," * 40_000
    other = page.get_by_label("IP as text")
    other.fill(longest)
    page.get_by_text("A text of 120,000 characters is too long").first.wait_for()
    page.get_by_role("button", name="Solve", exact=True).click()
    assert page.url.endswith("/holdem/spots")
    other.fill("KK")
    # A refused text is not the page's: a field drawn anew in the middle has its old text again.
    while other.input_value() != "KK":
        other.fill("KK")
    other.blur()
    page.get_by_role("button", name="Solve", exact=True).click()
    page.wait_for_url("**/holdem/spots/*")
    kept = json.loads(
        (server.folder / ".web" / "spots" / page.url.rpartition("/")[2] / "job.json").read_text()
    )
    spot = Spot.from_toml(kept["order"]["toml"])
    assert len(spot.ranges[0].combos) == 1326
    assert all(f"{10 + i}.125%" in kept["order"]["toml"] for i in range(14))
