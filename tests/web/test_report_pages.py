"""Reports: figures equal to the cursor and the command, filters as addresses, what is refused."""

import csv
import json
import re
from urllib.parse import urlencode

import pytest

import riverboat as rb
from page_fit import fits
from reports_made import FLOPS, REPORT, flop_order, make, node_order
from riverboat.holdem.spots.locks import parse_lock
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.stopping import Stop, use_stop
from riverboat.web.holdem.report_runs import ReportRuns
from solved_spots import polar, put
from spot_texts import FLOP
from waiting import PATIENCE, becomes, wait_until

SPOT = "flopspot"
TURN = "turnspot"
THREE = """board = "Qs Jh 2h 7c"
pot = 30
stack = 30
[ranges]
sb = "AA"
bb = "9d8d"
btn = "KK,QdJd"
[sizes.river]
sb = { bet = "a" }
"""


@pytest.fixture(scope="module")
def flop():
    return rb.solve(Spot.from_toml(FLOP), target="5%")


@pytest.fixture(scope="module")
def turn():
    return rb.solve(polar("2s 2h 2d 3c"), target="0.5%")


@pytest.fixture(scope="module")
def three():
    return rb.solve(Spot.from_toml(THREE), target="1%")


@pytest.fixture
def spots(site, flop, turn, three):
    """The folder of the server of `client`, with three solved spots."""
    for name, solved in ((SPOT, flop), (TURN, turn), ("threespot", three)):
        put(site.settings.folder, solved, name)
    return site.settings.folder


def solved_file(folder, name):
    return folder / ".web" / "spots" / name / "solved.rb"


def filled(client, path, **query):
    """A page that has all its parts: some may be computed for a moment."""
    address = f"{path}?{urlencode(query)}" if query else path

    def there():
        return "waiting-" not in client.get(address).text

    wait_until(there)
    return client.get(address).text


def boards(page):
    return re.findall(r'<tr id="row-(\w+)"', page)


@pytest.mark.parametrize("name", [TURN, "threespot"])
def test_page_api_command_and_cursor_say_the_same_numbers(
    client, spots, name, turn, three, command
):
    solved = {TURN: turn, "threespot": three}[name]
    node = "r:0:c:c" if name == TURN else "r:0:c:c:c"
    path = solved_file(spots, name)
    run = make(spots, node_order(solved, path, name, node))
    said = json.loads(command("holdem", "report", "node", str(path), node, "--json").out)
    api = client.get(f"/api/v1/holdem/reports/{run.name}").json()
    assert api["rows"] == said["rows"]
    assert api["averages"] == pytest.approx(said["averages"])
    assert (api["state"], api["done"], api["node"]) == ("done", 48, f"{node}:any")
    row = api["rows"][5]
    at = solved.at(row["node"])
    for player, seat in enumerate(solved.spot.names):
        assert row["ev"][seat] == pytest.approx(at.summary(player).ev, rel=1e-5)
    page = filled(client, f"/holdem/spots/{name}/report", node=node)
    assert boards(page) == [row["cards"] for row in said["rows"]]
    first = solved.spot.names[0]
    shown = re.search(rf'row-{row["cards"]}".*?</tr>', page, re.DOTALL)[0]
    assert f'<td class="r">{row["ev"][first]:.2f}</td>' in shown
    assert f"/holdem/spots/{name}?{urlencode({'node': row['node']})}" in shown
    for seat in solved.spot.names:
        held = filled(client, f"/holdem/spots/{name}/report", node=node, show=seat)
        assert f"Hands of {seat.upper()}" in held
        assert "underpair" in held or "full house" in held


def test_a_report_over_flops_has_the_rows_of_the_command(client, spots, tmp_path, command):
    make(spots, flop_order(Spot.from_toml(FLOP)))
    (tmp_path / "s.toml").write_text(FLOP)
    (tmp_path / "f.txt").write_text(FLOPS)
    words = ("--flops", str(tmp_path / "f.txt"), "--target", "5%", "--json")
    said = json.loads(command("holdem", "report", str(tmp_path / "s.toml"), *words).out)
    api = client.get(f"/api/v1/holdem/reports/{REPORT}").json()
    assert [row["flop"] for row in api["rows"]] == [row["flop"] for row in said["rows"]]
    for mine, theirs in zip(api["rows"], said["rows"], strict=True):
        assert mine["strategies"] == theirs["strategies"]
        assert mine["groups"] == theirs["groups"]
        assert mine["ev"]["oop"] == theirs["ev_oop"]
    page = filled(client, f"/holdem/reports/{REPORT}")
    assert boards(page) == [row["flop"] for row in said["rows"]]
    text = client.get(f"/holdem/reports/{REPORT}/table.csv").text
    lines = list(csv.DictReader(text.splitlines()))
    assert [float(line["ev_oop"]) for line in lines] == [row["ev_oop"] for row in said["rows"]]


def test_the_address_sorts_filters_and_draws(client, spots):
    make(spots, flop_order(Spot.from_toml(FLOP)))
    home = f"/holdem/reports/{REPORT}"
    api = client.get(f"/api/v1/holdem/reports/{REPORT}").json()["rows"]
    by_ev = sorted(api, key=lambda row: row["ev"]["oop"])
    assert boards(filled(client, home, sort="ev_oop", up="1")) == [row["flop"] for row in by_ev]
    assert boards(filled(client, home, sort="ev_oop"))[0] == by_ev[-1]["flop"]
    assert boards(filled(client, home, suits="monotone")) == ["7c5c2c", "9s8s7s"]
    assert boards(filled(client, home, pairing="paired", high="A")) == ["Ah7d7c"]
    assert boards(filled(client, home, connected="three to a straight")) == ["9s8s7s"]
    half = [row["flop"] for row in api if row["equity"]["oop"] >= 0.5]
    assert boards(filled(client, home, of="equity_oop", low="50")) == half
    page = filled(client, home, suits="monotone", x="ev_oop", y="oop overpair", by="high")
    assert len(re.findall(r"data-dot=", page)) == 2 * 2  # for wide and for narrow screens
    assert "2 of 6 boards" in page
    table = client.get(f"{home}/table.csv", params={"suits": "monotone"}).text
    assert [line[:6] for line in table.splitlines()[1:]] == ["7c5c2c", "9s8s7s"]
    assert "No board fits" in filled(client, home, suits="monotone", pairing="paired")
    assert "Open this flop" in filled(client, home, board="9s8s7s")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"of": "ev_oop", "low": "x"}, "low"),
        ({"of": "ev_oop", "top": "nan"}, "top"),
        ({"of": "ev_oop", "low": "5", "top": "3"}, "top"),
        ({"of": "purple"}, "of"),
    ],
)
def test_a_filter_that_cannot_be_read_gets_a_sentence_and_all_boards(client, spots, query, field):
    make(spots, flop_order(Spot.from_toml(FLOP)))
    filled(client, f"/holdem/reports/{REPORT}")
    answer = client.get(f"/holdem/reports/{REPORT}", params=query)
    assert answer.status_code == 422
    assert f'id="{field}-problem"' in answer.text
    assert len(boards(answer.text)) == 6
    assert client.get(f"/holdem/reports/{REPORT}/table.csv", params=query).status_code == 422


@pytest.mark.parametrize("value", ["", "x", "<b>", "९", "\x00", "-1", "1e9", "a" * 3000])
def test_unknown_choices_are_as_if_they_were_not_there(client, spots, value):
    make(spots, flop_order(Spot.from_toml(FLOP)))
    names = ("suits", "pairing", "high", "connected", "show", "sort", "up", "page", "x", "y", "by")
    page = filled(client, f"/holdem/reports/{REPORT}", **dict.fromkeys((*names, "board"), value))
    assert len(boards(page)) == 6


FIELDS = {"spot": SPOT, "number": "10", "target": "5%", "locks": "1"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"spot": "nosuchspot"}, "spot"),
        ({"spot": TURN}, "spot"),
        ({"number": "0"}, "number"),
        ({"number": "x"}, "number"),
        ({"number": "99999"}, "number"),
        ({"flops": "QsJh"}, "flops"),
        ({"flops": "QsJh2h\n2hJhQs"}, "flops"),
        ({"flops": "/etc/passwd"}, "flops"),
        ({"flops": "QsJh2h -1"}, "flops"),
        ({"target": "much"}, "target"),
        ({"name": "a" * 61}, "name"),
    ],
)
def test_what_cannot_be_started_is_said_at_its_field_and_starts_nothing(
    client, spots, site, change, field
):
    answer = client.post("/holdem/reports", data={**FIELDS, **change})
    assert answer.status_code == 422
    assert f'id="{field}-problem"' in answer.text
    sent = {**FIELDS, "locks": True, **change}
    api = client.post("/api/v1/holdem/reports", json=sent)
    assert api.status_code == 422
    assert api.json()["problems"][0]["field"] == field
    assert site.report_runs.recent() == []


def test_the_form_says_what_a_report_takes(client, spots):
    page = filled(client, "/holdem/reports", spot=SPOT, number="10", target="5%")
    assert re.search(r"10 flops, about .* of memory", page)
    sent = {"spot": SPOT, "number": 10, "target": "5%"}
    cost = client.post("/api/v1/holdem/reports/cost", json=sent).json()
    assert cost["words"] in page
    assert cost["flops"] == 10
    empty = client.get("/holdem/reports", params={"spot": "nosuchspot"})
    assert empty.status_code == 422


def test_a_page_without_spots_says_where_they_come_from(client):
    page = client.get("/holdem/reports").text
    assert "Set one up first" in page
    assert "None yet" in page


@pytest.mark.parametrize("node", ["r:0", "", "x", "r:0:any", "r:0:c:c:any:any", "<b>", "r" * 999])
def test_a_node_without_cards_to_come_is_refused_at_its_field(client, spots, site, node):
    answer = client.post(f"/holdem/spots/{TURN}/report", data={"node": node})
    assert answer.status_code == 422
    assert 'id="node-problem"' in answer.text
    assert client.get(f"/holdem/spots/{TURN}/report", params={"node": node}).status_code in (
        200,
        422,
    )
    assert site.report_runs.recent() == []


def test_what_is_not_there_is_said_so(client, spots):
    for path in ("/holdem/reports/nosuchreport", "/holdem/spots/nosuchspot/report"):
        assert client.get(path).status_code == 404
    assert client.get("/api/v1/holdem/reports/nosuchreport").status_code == 404
    assert client.get("/holdem/reports/nosuchreport/table.csv").status_code == 404
    for what in ("open", "name"):
        assert client.post(f"/holdem/reports/nosuchreport/{what}").status_code == 404
    make(spots, flop_order(Spot.from_toml(FLOP)))
    answer = client.post(f"/holdem/reports/{REPORT}/open", data={"flop": "AsKsQs"})
    assert answer.status_code == 422


def test_the_desk_leads_to_the_report_of_its_node(client, spots):
    def button(name, node):
        page = filled(client, f"/holdem/spots/{name}", node=node)
        found = re.search(r'name="node" value="([^"]*)"[^>]*>Report', page)
        return found[1] if found else re.search(r'href="([^"]*)"[^>]*>Report', page)

    assert button(TURN, "r:0:c:c") == "r:0:c:c"
    assert button(TURN, "r:0:c:c:As:c") == "r:0:c:c:any:c"
    assert button(TURN, "r:0") is None
    assert button(SPOT, "r:0")[1] == f"/holdem/reports?spot={SPOT}"
    page = filled(client, f"/holdem/spots/{TURN}/report", node="r:0:c:c")
    assert "48 boards" in page
    assert "Start the report" in page


def test_a_flop_of_a_report_is_opened_as_a_spot_with_its_locks(client, spots, site):
    lock = parse_lock("r:0@AsAh=check:1")
    make(spots, flop_order(Spot.from_toml(FLOP), locks=[lock]))
    where = []
    for _ in range(2):
        answer = client.post(f"/holdem/reports/{REPORT}/open", data={"flop": "7c7d2h"})
        where.append(answer.headers["location"])
    assert where[0] == where[1]
    run = site.spot_runs.find(where[0].rpartition("/")[2])
    assert run.order.locks == (lock,)
    assert run.order.target == "5%"
    run.stop()


class AfterLooks:
    """A flag that is set once it has been looked at so often."""

    def __init__(self, looks):
        self.looks = looks

    def set(self):
        self.looks = 0

    def is_set(self):
        self.looks -= 1
        return self.looks < 0


def test_a_stopped_report_shows_what_it_has_and_can_go_on(client, spots, turn):
    path = solved_file(spots, TURN)
    order = node_order(turn, path, TURN, "r:0:c:c")
    with use_stop(Stop(AfterLooks(48 + 10))):
        run = make(spots, order)
    page = filled(client, f"/holdem/spots/{TURN}/report", node="r:0:c:c")
    assert len(boards(page)) == 10
    assert "10 of 48 boards, stopped" in page
    assert "Go on" in page
    assert f'href="/holdem/reports/{run.name}/table.csv"' in page
    again = client.get(f"/holdem/reports/{run.name}")
    assert again.status_code == 303
    assert again.headers["location"].startswith(f"/holdem/spots/{TURN}/report?node=")


def test_damaged_jobs_are_not_there(client, spots, site):
    run = make(spots, flop_order(Spot.from_toml(FLOP)))
    whole = (run.folder / "job.json").read_bytes()
    for damage in (b"", b"{", b"[]", whole.replace(b"AsAh", b"ZzZz"), whole[:-50]):
        (run.folder / "job.json").write_bytes(damage)
        assert ReportRuns(site.report_runs.folder).find(REPORT) is None


@pytest.mark.e2e
def test_reports_stopped_killed_and_gone_on_with_are_as_if_nothing_had_happened(
    make_server, flop, turn
):
    """25 flops, and all rivers of a node, on a server that is killed while they run."""
    import httpx

    server = make_server()
    put(server.folder, flop, SPOT)
    put(server.folder, turn, TURN)

    def ask(method, path, **sent):
        address = f"{server.address}/api/v1{path}"
        return httpx.request(method, address, timeout=PATIENCE, **sent).json()

    def state(name):
        return ask("GET", f"/holdem/reports/{name}")

    asked = {"spot": SPOT, "number": 25, "target": "5%"}
    name = ask("POST", "/holdem/reports", json=asked)["name"]
    node = ask("POST", f"/holdem/spots/{TURN}/report", params={"node": "r:0:c:c"})["name"]
    wait_until(lambda: len(state(name)["rows"]) >= 2)
    server.kill()
    server.restart()
    wait_until(lambda: len(state(name)["rows"]) >= 4)
    ask("POST", f"/jobs/{name}/stop")
    wait_until(lambda: state(name)["state"] in ("stopped", "done"))
    if state(name)["state"] == "stopped":
        ask("POST", f"/jobs/{name}/continue")
    wait_until(lambda: state(name)["state"] == "done")
    wait_until(lambda: state(node)["state"] == "done")
    found = state(name)["rows"]
    whole = rb.report_flops(Spot.from_toml(FLOP), "subset:25", target="5%").as_dict()["rows"]
    assert [drop_times(row) for row in found] == [drop_times(row) for row in whole]
    rivers = rb.report_node(turn, "r:0:c:c").as_dict()["rows"]
    kept = {row["cards"]: row for row in state(node)["rows"]}
    assert [kept[row["cards"]]["ev"] for row in rivers] == [row["ev"] for row in rivers]


def drop_times(row):
    return {key: value for key, value in row.items() if key != "seconds"}


@pytest.fixture(scope="module")
def shown(server, flop, turn):
    """Both kinds of reports on the server that browsers visit."""
    put(server.folder, flop, SPOT)
    put(server.folder, turn, TURN)
    make(server.folder, flop_order(Spot.from_toml(FLOP)))
    path = solved_file(server.folder, TURN)
    make(server.folder, node_order(turn, path, TURN, "r:0:c:c"))


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_reports_fit_and_say_what_is_pointed_at(visit, shown, width, dark):
    page = visit(f"/holdem/reports/{REPORT}", width=width, dark=dark)
    page.locator(".report-lines tbody tr").nth(6).wait_for()
    fits(page)
    page.get_by_role("link", name="EV OOP").click()
    page.locator("th[aria-sort=descending]", has_text="EV OOP").wait_for()
    page.locator("select[name=suits]").select_option("monotone")
    page.get_by_text("2 of 6 boards").wait_for()
    assert "suits=monotone" in page.url
    dot = page.locator("a[data-dot='9s8s7s']:visible")
    dot.focus()
    words = page.locator("#pointed")
    becomes(lambda: words.inner_text().startswith("9s8s7s: Equity of OOP"), True)
    dot.press("Enter")
    page.get_by_role("button", name="Open this flop").wait_for()
    fits(page)


@pytest.mark.parametrize("width", [390, 1280])
def test_a_press_on_a_card_opens_the_desk_there(visit, shown, width):
    page = visit(f"/holdem/spots/{TURN}?node=r:0:c:c", width=width)
    page.get_by_role("button", name="Report").click()
    page.get_by_role("link", name="Open Ah").wait_for()
    fits(page)
    page.get_by_role("link", name="Hands of IP").click()
    page.get_by_role("columnheader", name="full house").wait_for()
    page.get_by_role("link", name="Open Ah").click()
    page.locator(".desk-board").wait_for()
    page.wait_for_url("**/holdem/spots/turnspot?node=r%3A0%3Ac%3Ac%3AAh")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_report_over_flops_is_started_from_the_form_and_filled_while_it_runs(visit, shown, width):
    page = visit(f"/holdem/reports?spot={SPOT}&target=5%25", width=width)
    page.get_by_text("25 flops, about").wait_for()
    fits(page)
    page.get_by_text("Or a list of flops").click()
    page.get_by_label("A flop in each line").fill("QsJh2h\n7c7d2h 3")
    page.get_by_label("A flop in each line").blur()
    page.get_by_text("2 flops, about").wait_for()
    page.get_by_role("button", name="Start").click()
    page.get_by_text("2 of 2 boards, done").wait_for()
    page.get_by_role("button", name="Open 7c7d2h").wait_for()
    fits(page)
