"""The drill of a solved spot: priced by closed forms, kept in a file, asked again."""

import html
import re

import pytest

from axe import serious_findings
from page_fit import fits
from riverboat.holdem.spots.solve import solve_spot
from solved_spots import polar, put
from waiting import becomes, wait_until


@pytest.fixture(scope="module")
def solved():
    return solve_spot(polar(), target="0.02%")


@pytest.fixture
def drill(client, site, solved):
    """The address of the drill, when its first hand is dealt."""
    address = put(site.settings.folder, solved) + "/drill"
    wait_until(lambda: "waiting-" not in client.get(address).text)
    return address


def state(client, address):
    """The decision that the page waits for, and the rank of the own cards."""
    page = client.get(address).text
    decision = re.search(r'name="decision" value="([^"]*)"', page)[1]
    own = page.partition('<div class="seats own">')[2]
    return page, decision, re.search(r"<title>(\w+) of", own)[1]


def take(client, address, action, **more):
    decision = state(client, address)[1]
    answer = client.post(address, data={"action": action, "decision": decision, **more})
    assert answer.status_code == 303
    return html.unescape(client.get(answer.headers["location"]).text)


def until_aces(client, address):
    while state(client, address)[2] != "ace":
        assert "Right: check" in take(client, address, "check")
        take(client, address, "next")


def test_a_decision_is_priced_and_comes_again(client, drill):
    """Checking aces costs 50 chips by closed form; with queens both are right."""
    address = f"{drill}?side=oop"
    until_aces(client, address)
    page = take(client, address, "check")
    cost = re.search(r"check costs ([\d.]+) chips", page)[1]
    assert float(cost) == pytest.approx(50, abs=0.5)
    assert "<b>1</b><span>to come again</span>" in page
    assert f"check costs {cost} chips" in client.get(address).text  # after a reload


def test_what_belongs_to_another_decision_does_nothing(client, drill):
    address = f"{drill}?side=oop"
    decision = state(client, address)[1]
    take(client, address, "check")
    kept = client.get(address).text
    for data in (
        {"action": "check", "decision": decision},
        {"action": "dance", "decision": state(client, address)[1]},
        {"action": "<b>", "decision": "x" * 60},
        {},
    ):
        assert client.post(address, data=data).status_code == 303
        assert client.get(address).text.partition("<main")[2] == kept.partition("<main")[2]


def test_what_was_looked_up_is_not_counted(client, drill):
    address = f"{drill}?side=oop"
    page = client.get(f"{address}&look=1").text
    assert "this one is not counted" in page
    page = take(client, address, "check", looked="1")
    assert "right of 0 decisions" in page


def test_each_side_has_a_record_of_its_own_that_can_be_started_over(client, drill, site):
    for side in ("oop", "ip"):
        take(client, f"{drill}?side={side}", "check" if side == "oop" else "fold")
    folder = site.spot_runs.folder / "polarriver"
    assert {path.name for path in folder.glob("drill-*")} == {"drill-oop.json", "drill-ip.json"}
    client.post(f"{drill}?side=oop", data={"action": "over"})
    assert "right of 0 decisions" in client.get(f"{drill}?side=oop").text
    (folder / "drill-oop.json").write_text("{")
    assert "right of 0 decisions" in client.get(f"{drill}?side=oop").text


def test_a_spot_that_is_not_there_has_no_drill(client, drill):
    assert client.get("/holdem/spots/nosuchspot/drill").status_code == 404
    assert client.post("/holdem/spots/nosuchspot/drill").status_code == 404
    assert client.post(f"{drill}?side=nobody").status_code == 404


@pytest.mark.parametrize("width", [390, 1280])
def test_a_drill_is_played_by_keys_and_fits(visit, server, solved, width):
    page = visit(put(server.folder, solved, f"drilled{width}") + "/drill", width=width)
    page.locator(".drill-felt").wait_for()
    fits(page)
    assert serious_findings(page) == []
    page.keyboard.press("1")
    page.get_by_role("link", name="Look at this point").wait_for()
    page.get_by_role("link", name="IP", exact=True).click()
    page.wait_for_url("**side=ip")
    page.get_by_role("link", name="look up").wait_for()  # a hand may have to be dealt first
    page.keyboard.press("?")
    page.get_by_text("this one is not counted").wait_for()
    becomes(page.locator(".seat").count, 2)
