"""A spot set up, solved, walked through, locked by painting, drilled; as a person would."""

import json
import re
import shutil

import pytest

from pressing import STOP_WITH_NEWS
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
    page.locator(".desk-grid").first.wait_for()
    address = page.url.removeprefix(server.address).partition("?")[0]
    context.close()
    return address


def _evs(page) -> list[float]:
    """Of both players at the node that is shown."""
    page.locator(".side-facts").nth(1).wait_for()
    return [
        float(side.locator("b").first.inner_text()) for side in page.locator(".side-facts").all()
    ]


def test_locks_are_painted_solved_again_and_kept(visit, spot):
    """Aces that always check win the pot alone and queens nothing: EVs of 50 and 50."""
    page = visit(f"{spot}?tab=locks")
    page.get_by_label("check", exact=True).check()
    page.locator("#oop-AA").click()
    page.get_by_label(re.compile("AA: .*check 100%, all-in 100 0%.*, locked")).wait_for()
    page.reload()  # what was painted is kept
    page.get_by_label(re.compile("AA: .*, locked")).wait_for()
    page.get_by_role("button", name="Solve again with locks").click()
    page.get_by_text("1 locked node").wait_for()
    assert _evs(page) == pytest.approx([50, 50], abs=0.1)
    assert not page.url.removeprefix(page.url.partition("/holdem")[0]).startswith(spot)
    # Painted free again, by keyboard; then it can be solved without.
    page.get_by_role("link", name="Locks").click()
    page.get_by_label("free again").check()
    page.locator("#oop-AA").press("Enter")
    page.get_by_role("button", name="Solve again without locks").wait_for()


def test_a_saved_spot_is_opened_from_home(visit, spot, server):
    page = visit(spot)
    page.get_by_text("Save and more").click()
    page.get_by_label("Save the solution as").fill("polar")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved as polar.rb").wait_for()
    (server.folder / "mine.toml").write_text(
        'board = "As Kd 2c"\npot = 7\nstack = 9\n[ranges]\noop = "QQ"\nip = "JJ"\n'
    )
    page.goto(server.address)
    page.get_by_role("link", name="polar.rb").click()
    page.wait_for_url("**/holdem/spots/*")
    assert _evs(page) == pytest.approx([75, 25], abs=0.1)
    page.goto(server.address)
    page.get_by_role("link", name="mine.toml").click()
    page.get_by_label("Pot", exact=True).wait_for()
    becomes(page.get_by_label("Pot", exact=True).input_value, "7")


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
    page.locator(".desk-grid").first.wait_for()
    page.goto(own.address + "/")
    page.locator(".running-link").click()
    page.get_by_role("button", name="Stop").wait_for()
    page.wait_for_load_state()
    page.evaluate(STOP_WITH_NEWS, "#solving")
    page.locator(".desk-grid").first.wait_for()
    page.locator(".running-link").wait_for(state="detached")  # without another visit
