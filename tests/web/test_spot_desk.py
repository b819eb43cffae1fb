"""The desk of a solved spot: its numbers, states as addresses, keys, locks, what is refused."""

import json
import re
import threading
from urllib.parse import urlencode

import pytest

from axe import serious_findings
from page_fit import fits
from riverboat.holdem.spots.solve import solve_spot
from riverboat.web.holdem.open_spots import MAX_NODES, OpenSpot
from riverboat.web.holdem.spot_runs import SpotOrder, SpotRun, SpotRuns
from solved_spots import NAME, polar, put
from waiting import becomes, wait_until


@pytest.fixture(scope="module")
def solved():
    return solve_spot(polar(), target="0.02%")


@pytest.fixture(scope="module")
def turn():
    return solve_spot(polar("2s 2h 2d 3c"), target="0.5%")


@pytest.fixture
def desk(site, solved):
    """The address of the polar river on the server of `client`."""
    return put(site.settings.folder, solved)


def filled(client, address, **query):
    """A page that has all its parts: some may be computed for a moment."""
    path = f"{address}?{urlencode(query)}"

    def there():
        return "waiting-" not in client.get(path).text

    wait_until(there)
    return client.get(path).text


def api(client, what, **query):
    answer = client.get(f"/api/v1/holdem/spots/{NAME}/{what}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def cell(page, name):
    return re.search(rf'title="({name}: [^"]*)"', page)[1]


@pytest.mark.parametrize("node", ["r:0", "r:0:c", "r:0:b100"])
def test_page_api_and_command_line_say_the_same_numbers(
    client, desk, solved, tmp_path, command, node
):
    solved.save(tmp_path / "polar.rb")
    said = json.loads(
        command("holdem", "view", str(tmp_path / "polar.rb"), "--node", node, "--json").out
    )
    node_facts = api(client, "node", node=node)
    side = next(s for s in node_facts["sides"] if s["player"] == said["acts"])
    assert (side["ev"], side["equity"]) == pytest.approx((said["ev"], said["equity"]))
    shares = {action["words"]: action["share"] for action in node_facts["actions"]}
    assert shares == pytest.approx(said["strategy"])
    page = filled(client, desk, node=node)
    shown = re.findall(r"<b>([\d.]+).%</b> <span class=\"muted small\">EV", page)
    assert shown == [f"{100 * share:.1f}" for share in said["strategy"].values()]
    evs = [f"{s['ev'] + 0.0:.2f}" for s in node_facts["sides"]]
    assert re.findall(r"EV <b>([−\d.-]+)</b>", page) == evs


def test_the_ev_that_stands_at_a_node_is_that_of_the_node(client, desk):
    """After a check kings win the pot of 100 from queens and nothing from aces that bet."""
    start, checked = api(client, "node"), api(client, "node", node="r:0:c")
    assert [side["ev"] for side in start["sides"]] == pytest.approx([75, 25], abs=0.1)
    assert checked["sides"][1]["ev"] > 90  # only queens check
    page = filled(client, desk, node="r:0:c")
    assert f"EV <b>{checked['sides'][1]['ev']:.2f}</b>" in page


def test_the_path_shows_every_step_with_its_other_actions(client, desk):
    page = filled(client, desk, node="r:0:b100:c")
    path = re.search(r'<nav class="desk-path".*?</nav>', page, re.DOTALL)[0]
    addresses = re.findall(r'href="/holdem/spots/polarriver([^"]*)"', path)
    assert "" in addresses  # the start
    assert "?node=r%3A0%3Ac" in addresses  # the check that was not taken
    assert path.count('aria-current="true"') == 2
    assert "r:0" not in re.sub(r'"[^"]*"', "", page)  # plain words instead of ids


def test_each_state_of_the_grids_has_an_address_and_a_legend(client, desk):
    strategy = filled(client, desk)
    assert "all-in 100 100%" in cell(strategy, "AA")
    legends = {"ev": "wins from here", "equity": "100 %", "weight": "reaches this point"}
    for show, words in legends.items():
        assert words in filled(client, desk, show=show)
    difference = filled(client, desk, show="diff", one="check", other="all-in 100")
    assert re.search(r"AA: all-in 100 is better by (49|50)\.\d\d", difference)
    assert "check is better" in difference


def test_hands_of_a_class_are_those_of_the_cursor(client, desk, solved):
    rows = api(client, "hands", hand="AA")
    table = solved.at().table(0)
    assert {row["hand"] for row in rows} == {hand for hand in table if hand.count("A") == 2}
    for row in rows:
        assert row["strategy"] == pytest.approx(list(table[row["hand"]].strategy.values()))
        assert row["ev"] == pytest.approx(table[row["hand"]].ev)
    page = filled(client, desk, hand="QQ")
    assert page.count('class="hand-text"') == 6
    assert "does not reach this point" in filled(client, desk, hand="72o")


def test_groups_are_those_of_the_command_line_and_open_into_hands(
    client, desk, solved, tmp_path, command
):
    solved.save(tmp_path / "polar.rb")
    said = json.loads(
        command("holdem", "view", str(tmp_path / "polar.rb"), "--find", "AA", "--json").out
    )
    found = api(client, "groups", find="AA")
    assert found["total"]["oop"] == pytest.approx(said["total"]["oop"])
    page = filled(client, desk, find="AA", tab="groups")
    assert "6 hands, AA" in page
    assert "not among those found" in cell(page, "QQ")
    opened = filled(client, desk, tab="groups", group="full house")
    assert "hands of full house" in opened


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"node": "r:0:b7"}, "The start of the spot is shown"),
        ({"node": "<script>"}, "&lt;script&gt;"),
        ({"node": "r:0:c:Ah"}, "The start of the spot is shown"),
        ({"node": "r:0" + ":c" * 900}, "The start of the spot is shown"),
        ({"find": "purple hands"}, 'id="find-problem"'),
        ({"find": "("}, 'id="find-problem"'),
    ],
)
def test_an_address_that_cannot_be_read_gets_a_sentence(client, desk, query, sentence):
    filled(client, desk)
    answer = client.get(desk, params=query)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert "desk-grid" in answer.text


@pytest.mark.parametrize("value", ["", "x", "<b>", "९", "\x00", "-1", "1e9", "a" * 3000])
def test_unknown_choices_are_as_if_they_were_not_there(client, desk, value):
    names = ("show", "view", "tab", "curve", "kind", "cards", "hand", "player", "one", "brush")
    page = filled(client, desk, **dict.fromkeys((*names, "other", "share", "group"), value))
    assert "desk-grid" in page


@pytest.mark.parametrize(
    ("path", "query", "field"),
    [
        ("node", {"node": "r:0:zz"}, "node"),
        ("hands", {"hand": "nonsense"}, "hand"),
        ("hands", {"hand": "AA", "player": "nobody"}, "player"),
        ("groups", {"find": "purple hands"}, "find"),
        ("groups", {"sort": "colour"}, "sort"),
        ("cards", {"node": "r:0"}, "node"),
    ],
)
def test_the_api_refuses_with_an_object(client, desk, path, query, field):
    answer = client.get(f"/api/v1/holdem/spots/{NAME}/{path}", params=query)
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["field"] == field


def test_a_spot_that_is_not_there_is_said_so(client):
    assert client.get("/holdem/spots/nosuchspot").status_code == 404
    assert client.get("/api/v1/holdem/spots/nosuchspot").status_code == 404
    for what in ("stop", "save", "name", "locks", "again"):
        assert client.post(f"/holdem/spots/nosuchspot/{what}").status_code == 404


def test_locks_are_painted_kept_removed_and_refused(client, desk, site):
    page = filled(client, desk, tab="locks")
    assert 'name="lock_paint" value="AA"' in page
    form = {"lock_paint": "AA,QQ", "brush": "check", "lock_brush": "70"}
    answer = client.post(f"{desk}/locks?tab=locks", data=form)
    assert answer.status_code == 303
    assert "check 70%, all-in 100 30%" in cell(client.get(answer.headers["location"]).text, "AA")
    run = SpotRuns(site.spot_runs.folder).find(NAME)  # as another server reads it
    assert [dict(lock.strategy) for lock in run.painted] == [{"check": 0.7, "all-in 100": 0.3}]
    before = client.get(f"/api/v1/holdem/spots/{NAME}/locks").json()
    for odd in (
        {**form, "brush": "dance"},
        {**form, "lock_paint": "KK"},
        {**form, "lock_paint": "<b>"},
        {**form, "lock_brush": "170"},
    ):
        assert client.post(f"{desk}/locks?tab=locks", data=odd).status_code == 422
    assert client.get(f"/api/v1/holdem/spots/{NAME}/locks").json() == before
    client.post(f"{desk}/locks", data={"lock_paint": "AA", "brush": "free"})
    assert client.get(f"/api/v1/holdem/spots/{NAME}/locks").json()[0]["hands"] == "QQ"
    client.post(f"{desk}/locks", data={"remove": "all"})
    assert client.get(f"/api/v1/holdem/spots/{NAME}/locks").json() == []


def test_a_solution_is_saved_under_a_new_name_and_a_taken_one_is_refused(client, desk, site):
    filled(client, desk)
    answer = client.post(f"{desk}/save?show=ev", data={"file": "my river"})
    assert "saved=my+river.rb" in answer.headers["location"]
    assert "show=ev" in answer.headers["location"]
    assert (site.settings.folder / "my river.rb").is_file()
    for odd in ("my river", "../x", "", "a" * 200):
        answer = client.post(f"{desk}/save", data={"file": odd})
        assert answer.status_code == 422
        assert 'id="file-problem"' in answer.text
    assert [path.name for path in site.settings.folder.glob("*.rb")] == ["my river.rb"]


def test_a_spot_has_a_name(client, desk):
    client.post(f"{desk}/name", data={"label": " My  <river> "})
    assert "<h1>My &lt;river&gt;</h1>" in filled(client, desk)
    assert client.post(f"{desk}/name", data={"label": "x" * 100}).status_code == 422
    assert client.get(f"/api/v1/holdem/spots/{NAME}").json()["title"] == "My <river>"


def test_the_cards_to_come_are_those_of_the_cursor(client, site, turn):
    address = put(site.settings.folder, turn)
    rows = api(client, "cards", node="r:0:c:c")
    assert len(rows) == 48
    queen = next(row for row in rows if row["card"] == "Qs")
    at = turn.at("r:0:c:c:Qs")
    assert queen["equity"][0] == pytest.approx(at.summary(0).equity)
    assert queen["strategy"] == pytest.approx(at.mean_strategy())
    page = filled(client, address, node="r:0:c:c", cards="equity")
    assert page.count("data-cell=") == 48
    assert "Equity of OOP, per cent." in page
    assert "all cards" in page


def test_a_page_without_what_is_unknown_yet_says_what_is_computed(client, site, turn):
    address = put(site.settings.folder, turn)
    gate = threading.Event()
    for _ in range(4):
        site.workers.submit(gate.wait)
    try:
        page = client.get(address).text
        assert "The solution is read" in page
        assert 'http-equiv="refresh"' in page
    finally:
        gate.set()
    assert "desk-grid" in filled(client, address)


def test_the_nodes_of_a_spot_are_kept_but_not_without_end(turn):
    spot = OpenSpot(turn)
    first = spot.at("r:0:c:c:As")
    assert spot.at("r:0:c:c:As") is first
    cards = spot.at("r:0:c:c").cards_to_come
    for card in cards:
        for action in ("c", "b100"):
            spot.at(f"r:0:c:c:{card}:{action}")
    assert len(spot._nodes) <= MAX_NODES
    assert spot.at("r:0:c:c:As").path == first.path


@pytest.mark.parametrize("unknown", [float("nan"), float("inf")])
def test_an_exploitability_that_is_not_known_yet_is_not_shown(client, site, unknown):
    run = SpotRun("beingsolved", site.spot_runs.folder / "beingsolved", SpotOrder(polar(), "0.5%"))
    run.parts[0].state = "running"
    run.parts[0].points = [[8, 0.5, unknown]]
    site.spot_runs.known[run.name] = run
    page = client.get("/holdem/spots/beingsolved").text
    assert re.search(r"8 iterations in 0.5 s\s*</p>", page)
    assert 'data-topic="job:beingsolved"' in page
    run.parts[0].points = [[8, 0.5, 0.25], [16, 1.0, 0.125]]
    page = client.get("/holdem/spots/beingsolved").text
    assert "16 iterations in 1.0 s, 0.125 chips exploitable" in page
    assert '<svg viewBox="0 0 560 260"' in page
    run.parts[0].state = "done"


# What only a browser shows.


@pytest.fixture(scope="module")
def shown(server, solved):
    return put(server.folder, solved)


def test_one_walks_by_keys_and_back_and_forward(visit, shown):
    page = visit(shown)
    page.get_by_text("OOP to act").wait_for()
    page.keyboard.press("1")
    page.get_by_text("IP to act").wait_for()
    page.wait_for_url("**node=r%3A0%3Ac")
    page.reload()
    page.get_by_text("IP to act").wait_for()
    page.keyboard.press("Backspace")
    page.get_by_text("OOP to act").wait_for()
    page.go_back()
    page.get_by_text("IP to act").wait_for()
    page.wait_for_load_state()  # keys count once the page's modules are there
    page.keyboard.press("/")
    becomes(lambda: page.evaluate("document.activeElement.id"), "find")
    page.keyboard.type("KK")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="6 hands, KK").wait_for()


def test_arrows_choose_cells_and_show_their_hands(visit, shown):
    """AA and QQ are in no common row or column."""
    page = visit(shown)
    page.get_by_role("heading", name="Hands of AA").wait_for()
    page.locator("#oop-AA").focus()
    for key, name in (("Down", "QQ"), ("Up", "AA"), ("Right", "QQ"), ("Left", "AA")):
        page.keyboard.press(f"Arrow{key}")
        page.get_by_role("heading", name=f"Hands of {name}").wait_for()
        becomes(lambda: page.evaluate("document.activeElement.id"), f"oop-{name}")
    page.wait_for_url("**hand=AA")


def test_everything_is_on_one_screen_of_1280_by_800(visit, shown):
    page = visit(shown)
    page.set_viewport_size({"width": 1280, "height": 800})
    for part in (
        ".desk-path",
        ".desk-moves",
        ".desk-grid.own .class-grid",
        ".desk-grid.other .class-grid",
        "#hands",
        ".desk-board",
    ):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= 800, part
    becomes(page.locator(".desk-grid:visible").count, 2)


def test_a_phone_has_cells_for_fingers_and_the_actions_below(visit, shown):
    page = visit(shown, width=390)
    cells = page.locator(".desk-grid.own .cell")
    becomes(cells.count, 169)
    box = cells.first.bounding_box()
    assert box["width"] >= 27
    assert box["height"] >= 30
    becomes(page.locator(".desk-grid:visible").count, 1)
    moves = page.locator(".desk-moves").bounding_box()
    assert moves["y"] + moves["height"] <= 900
    assert moves["y"] > 700
    page.locator("#oop-QQ").click()
    page.get_by_role("heading", name="Hands of QQ").wait_for()
    becomes(lambda: page.locator("#hands h2").bounding_box()["y"] < 860, True)


def test_dragging_paints_a_share_over_several_cells(visit, shown):
    page = visit(f"{shown}?tab=locks")
    page.get_by_label("all-in 100", exact=True).check()
    slider = page.get_by_label("Share of the brush, per cent")
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    page.get_by_text("50 %", exact=True).wait_for()
    page.locator("#oop-AA").hover()
    page.mouse.down()
    page.locator("#oop-QQ").hover()
    page.mouse.up()
    page.locator(".lock-list li", has_text="AA,QQ check 50%, all-in 100 50%").wait_for()
    page.get_by_role("button", name="Solve again with locks").wait_for()
    page.get_by_role("button", name="Remove the lock of AA,QQ").click()
    page.get_by_text("Nothing is locked.").wait_for()


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious_on_the_desk(visit, shown, width, dark):
    page = visit(shown, width=width, dark=dark)
    page.locator("#oop-AA").wait_for()
    for query in ("", "?show=ev", "?tab=groups", "?tab=locks", "?tab=graph", "?node=r%3A0%3Ac"):
        page.goto(page.url.partition("?")[0] + query)
        page.locator(".desk-grid.own .cell").first.wait_for()  # a narrow page has this one alone
        assert serious_findings(page) == [], query
    fits(page)
