"""Spots of Omaha in the browser: the form, the desk with its groups, the drill."""

import html
import json
import re
from importlib import resources

import pytest

import riverboat as rb
from axe import serious_findings
from page_fit import fits
from riverboat.cards.hands import parse_hand
from riverboat.cards.omaha_ranges import OmahaRange
from riverboat.holdem.spots.locks import parse_lock
from riverboat.holdem.spots.solve import solve_spot
from riverboat.holdem.spots.spot import Spot
from riverboat.web.holdem.spot_runs import SpotRuns
from riverboat.web.pages.holdem.omaha_fields import OmahaFields, values_of
from solved_spots import put
from waiting import wait_until

RANGES = ("AAKK$ds,QQJJ", "KKQQ$ds,JT98$ss")
FILLED = {
    "board": "2s 2h 3d 7c", "pot": "100", "stack": "300", "cards": "4", "oop": "AA$ds", "ip": "KK",
    "bet": "100%", "raise": "a", "target": "1%",
}  # fmt: skip


@pytest.fixture(scope="module")
def solved():
    """A turn with few hands: the desk shows two streets."""
    spot = rb.spot(
        game="omaha", board="Ts 9s 2d 4c", pot=100, stack=100, ranges=RANGES,
        sizes={street: {"oop": {"bet": "100%"}} for street in ("turn", "river")},
    )  # fmt: skip
    return solve_spot(spot, iterations=60)


@pytest.fixture
def desk(client, site, solved):
    """The address of the desk, when its solution is read."""
    address = put(site.settings.folder, solved, "omahaturn")
    shown(client, address)
    return address


def shown(client, address):
    """A page when nothing on it is waited for."""
    wait_until(lambda: "waiting-" not in client.get(address).text, what=address)
    return client.get(address).text


def table_rows(page):
    """The texts of the cells of every row of the page's tables."""
    rows = []
    for row in re.findall(r"<tr.*?</tr>", page, re.S):
        cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S)
        rows.append([html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in cells])
    return rows


def problems(page):
    found = re.findall(r'id="([^"]+)-problem" role="alert">([^<]*)<', page)
    return {name: html.unescape(text) for name, text in found}


def no_solve(monkeypatch):
    """What is begun waits, and kernels are not loaded."""
    monkeypatch.setattr(SpotRuns, "poll", lambda self: None)


def test_the_desk_has_the_groups_of_the_command_line(client, desk, solved, command, tmp_path):
    solved.save(tmp_path / "turn.rb")
    for node in ("r:0", "r:0:c"):
        facts = command("show", tmp_path / "turn.rb", node, "--groups", "--json").json
        page = shown(client, f"{desk}?node={node}")
        assert 'aria-current="true">Groups' in page
        assert "Class" not in page
        rows = {row[0]: row for row in table_rows(page)}
        for group in facts["groups"]:
            if group["kind"] != "made":
                continue
            cells = rows[group["group"]]
            shares = [f"{100 * share:.0f}\u00a0%" for share in (group["strategy"] or {}).values()]
            assert not shares or cells[1 : 1 + len(shares)] == shares
            oop = group["oop"]
            if oop["share"] > 0:
                assert f"{100 * oop['share']:.1f}\u00a0%" in cells
                assert f"{oop['ev'] + 0.0:.2f}" in cells


def test_words_and_ranges_find_hands_on_the_desk(client, desk, command, solved, tmp_path):
    solved.save(tmp_path / "turn.rb")
    for words in ("AA$ds", "flush draw and A"):
        facts = command("show", tmp_path / "turn.rb", "--find", words, "--json", "--limit", 0).json
        page = shown(client, f"{desk}?tab=list&find={words.replace('$', '%24')}")
        number = len(facts["hands"])
        assert f"{number} hands, {words}" in html.unescape(page)
        texts = set(re.findall(r'<span class="unseen">((?:[2-9TJQKA][shdc]){4})</span>', page))
        assert {tuple(sorted(parse_hand(text))) for text in texts} == {
            tuple(sorted(parse_hand(row["cards"]))) for row in facts["hands"][:100]
        }
    answer = client.get(f"{desk}?find=7777")
    assert answer.status_code == 422
    assert "fits" in problems(answer.text)["find"]


def test_a_card_is_dealt_on_the_desk(client, desk):
    page = shown(client, f"{desk}?node=r:0:c:c")
    assert "The next card" in page
    cards = set(re.findall(r'data-cell="(..)"', page))
    assert len(cards) == 48
    assert "all hands" in shown(client, f"{desk}?node=r:0:c:c:Ah")


def test_tabs_of_two_cards_and_classes_are_not_there(client, desk):
    for tab in ("hands", "graph", "locks", "nonsense"):
        page = shown(client, f"{desk}?tab={tab}")
        assert 'aria-current="true">Groups' in page
        assert "range-grid" not in page
    name = desk.rpartition("/")[2]
    for path, word in ((f"{name}/hands?hand=AKs", "no classes"), (f"{name}/hands?hand=x", "class")):
        answer = client.get(f"/api/v1/holdem/spots/{path}")
        assert answer.status_code == 422
        assert word in answer.json()["problems"][0]["message"]
    paint = {"classes": ["AA"], "action": "check", "node": "r:0"}
    answer = client.post(f"/api/v1/holdem/spots/{name}/locks", json=paint)
    assert answer.status_code == 422
    assert "--lock" in answer.json()["problems"][0]["message"]
    node = client.get(f"/api/v1/holdem/spots/{name}/node").json()
    assert [side["classes"] for side in node["sides"]] == [{}, {}]
    groups = client.get(f"/api/v1/holdem/spots/{name}/groups?find=AA%24ds&limit=5").json()
    assert len(groups["hands"]) == 5


def test_a_solution_with_locks_and_five_cards_is_shown(client, site):
    spot = rb.spot(
        game="omaha", hole_cards=5, board="Ks Th 7s 4d 2c", pot=100, stack=100,
        ranges=("AAKQJ$ds", "QQJT9$ds"), sizes={"river": {"oop": {"bet": "100%"}}},
    )  # fmt: skip
    locks = [parse_lock("r:0=check:0.25,all-in 100:0.75")]
    address = put(site.settings.folder, solve_spot(spot, iterations=5, locks=locks), "fivecards")
    rows = {row[0]: row for row in table_rows(shown(client, address))}
    assert rows["all hands"][1:3] == ["25\u00a0%", "75\u00a0%"]
    hands = client.get(f"{address}?tab=list").text
    assert re.search(r'<span class="unseen">(?:[2-9TJQKA][shdc]){5}</span>', hands)


def test_long_lists_are_not_written_out_as_text(client, site):
    spot = rb.spot(
        game="omaha", board="Ks Th 7s 4d 2c", pot=100, stack=100, ranges=("5%", "AA"),
        sizes={"river": {"oop": {"bet": "100%"}}},
    )  # fmt: skip
    address = put(site.settings.folder, solve_spot(spot, iterations=2), "longlist")
    page = shown(client, f"{address}?tab=list")
    assert "would fill pages" in page
    assert len(page) < 400_000
    assert "to paste elsewhere" in shown(client, f"{address}?tab=list&find=AAKK%24ds")


def test_the_drill_deals_four_cards(client, site, solved):
    address = put(site.settings.folder, solved, "omahadrill") + "/drill"
    page = shown(client, address)
    own = page.partition('<div class="seats own">')[2].partition("</div></div>")[0]
    assert len(re.findall(r"<title>\w+ of \w+</title>", own.partition("</form>")[0])) == 4
    decision = re.search(r'name="decision" value="([^"]*)"', page)[1]
    sent = {"action": "check", "decision": decision}
    answer = client.post(f"{address}?side=oop", data=sent)
    assert re.search("Right|costs", client.get(answer.headers["location"]).text)


def test_the_form_is_the_spot_of_the_command_line(client, command, tmp_path):
    fields = OmahaFields.read(FILLED)
    assert fields.spot is not None
    (tmp_path / "spot.toml").write_text(fields.toml())
    assert fields.spot == Spot.load(tmp_path / "spot.toml")
    assert fields.spot.ranges[0] == OmahaRange.parse("AA$ds")
    query = "&".join(f"{k}={v.replace('%', '%25').replace('$', '%24')}" for k, v in FILLED.items())
    page = shown(client, f"/holdem/omaha?{query.replace(' ', '+')}")
    words = re.search(r"<b>([\d.]+ [KMG]iB) of memory, about", page)[1]
    said = command("holdem", "solve", tmp_path / "spot.toml", "--seconds", "0.01")
    assert words in said.out + said.err


@pytest.mark.parametrize("name", ["omaha.toml", "omaha-river.toml", "omaha-turn.toml"])
def test_a_file_fills_the_form_and_comes_back_the_same(name):
    text = (resources.files("riverboat") / "examples" / name).read_text()
    spot = Spot.from_toml(text)
    values = values_of(spot, as_typed=text)
    assert len(values["oop"]) < 60  # As it was written
    assert OmahaFields.read(values).spot == spot
    assert OmahaFields.read(values_of(spot)).spot == spot


def test_dead_cards_rake_and_uneven_sizes_come_back_the_same():
    spot = rb.spot(
        game="omaha", hole_cards=3, board="Ks Th 7s 4d", pot=55, stack=120,
        ranges=("AA", "KK,QQ:0.5"),
        sizes={"turn": {"oop": {"bet": "33%,a"}}, "river": {"ip": {"bet": "50%", "raise": "a"}}},
        rake={"rate": 0.05, "cap": 3}, dead="2c 2d",
    )  # fmt: skip
    assert OmahaFields.read(values_of(spot)).spot == spot


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("board", "Ks Ks 2d", "appears twice"),
        ("board", "Ks 2d", "3, 4 or 5 cards"),
        ("pot", "much", "not 'much'"),
        ("stack", "-3", "above 0"),
        ("oop", "AsKsQsJsTs", "has 5 cards"),
        ("ip", "", "holds no hand"),
        ("bet", "150%", "above the pot"),
        ("raise", "300%", "above the pot"),
        ("target", "soon", "is no target"),
        ("more", "pot = 5", "a field of its own"),
        ("more", "[x", "no TOML"),
        ("more", "[sizes.turn]", "fields of their own"),
    ],
)
def test_each_field_says_what_is_wrong_with_it(client, site, monkeypatch, name, text, sentence):
    no_solve(monkeypatch)
    answer = client.post("/holdem/omaha", data={**FILLED, name: text})
    assert answer.status_code == 422
    assert sentence in problems(answer.text)[name]
    assert not list(site.spot_runs.folder.glob("*/job.json"))


def test_what_cannot_be_opened_is_refused(client, site):
    site.settings.folder.mkdir(exist_ok=True)
    (site.settings.folder / "holdem.toml").write_text(
        'board = "As Kd 2c"\npot = 7\nstack = 9\n[ranges]\noop = "QQ"\nip = "JJ"\n'
    )
    (site.settings.folder / "bad.toml").write_bytes(b'game = "omaha"\nboard = "\xff')
    for name in ("holdem.toml", "bad.toml", "../x", "none.toml"):
        answer = client.get("/holdem/omaha", params={"file": name})
        assert answer.status_code == 422, name
        assert 'role="alert"' in answer.text
    long = client.get("/holdem/omaha", params={"oop": "AsKsQsJs," * 3_000})
    assert long.status_code in (414, 422)
    answer = client.post("/holdem/omaha", data={**FILLED, "oop": "AsKsQsJs," * 3_000})
    assert "20,000 characters" in answer.text


def test_a_solve_begins_and_can_be_changed(client, site, monkeypatch):
    no_solve(monkeypatch)
    answer = client.post("/holdem/omaha", data={**FILLED, "label": "my turn"})
    assert answer.status_code == 303
    name = answer.headers["location"].rpartition("/")[2]
    order = json.loads((site.spot_runs.folder / name / "job.json").read_text())
    assert 'game = "omaha"' in json.dumps(order).replace('\\"', '"')
    changed = client.get(f"/holdem/omaha?copy={name}")
    assert changed.status_code == 303
    assert "my+turn" in changed.headers["location"]


def test_files_of_omaha_lead_to_their_form(client, site):
    site.settings.folder.mkdir(exist_ok=True)
    text = (resources.files("riverboat") / "examples" / "omaha.toml").read_text()
    (site.settings.folder / "mine.toml").write_text(text)
    pages = {each["name"]: each["page"] for each in client.get("/api/v1/library").json()}
    assert pages["mine.toml"] == "/holdem/omaha?file=mine.toml"
    assert client.get(pages["mine.toml"]).status_code == 303
    refused = client.get("/holdem/spots?file=mine.toml")
    assert refused.status_code == 422
    assert "/holdem/omaha" in refused.text


@pytest.mark.browser
def test_the_form_leads_to_a_desk_that_fits(visit):
    page = visit("/holdem/omaha?board=2s+2h+3d+7c+9c&oop=AA%24ds&ip=KK%24ds&target=2%25")
    fits(page)
    assert serious_findings(page) == []
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator(".group-table").wait_for()
    fits(page)
    assert serious_findings(page) == []
    group = page.locator(".group-table td a").first
    words = group.inner_text()
    group.click()
    page.get_by_role("heading", name=f"of {words}").wait_for()
    fits(page)
