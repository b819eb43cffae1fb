"""Solving in the browser: to its end, kept over a restart, walked through, compared."""

import html
import json
import re
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import riverboat as rb
from axe import serious_findings
from commands import Command
from page_fit import fits
from riverboat.solvers.result import read_regrets
from riverboat.strategies.kinds import load
from server_gone import SERVER_GONE
from waiting import PATIENCE, becomes, wait_until

KUHN = {"game": "kuhn", "kuhn.players": "2", "until": "iterations", "amount": "1000"}


def filled(client, path):
    """A page that has its answer: it may be computed for a moment."""

    def there():
        return "…" not in client.get(path).text

    wait_until(there, what=path)
    return client.get(path)


@pytest.fixture
def kuhn(site):
    """Kuhn poker solved, in the library."""
    site.settings.folder.mkdir(parents=True, exist_ok=True)
    rb.solve("kuhn", algorithm="dcfr", iterations=1000).save(site.settings.folder / "kuhn.rb")
    return "kuhn.rb"


# The form.


def test_the_form_has_a_games_rules_in_words_and_its_size(client):
    """Sizes of docstrings: 9,457 histories and 936 infosets in Leduc."""
    page = filled(client, "/solve").text
    assert "9,457 histories, 936 infosets" in page
    assert "Cards of each rank" in page
    assert "Hits of each player, at most" in client.get("/solve?game=duel").text


def test_the_address_holds_the_form(client):
    query = "game=leduc&leduc.ranks=4&until=seconds&amount=7&algorithm=cfr"
    page = client.get(f"/solve?{query}").text
    assert re.search(r'name="leduc.ranks" value="4"', page)
    assert re.findall(r'value="([^"]+)" checked', page) == ["cfr"]
    assert re.search(r'<option value="seconds" selected', page)
    assert 'name="amount" value="7"' in page


def test_an_amount_goes_with_its_limit(client):
    """Who changes exploitability to seconds does not wait 0.00001 s."""
    page = client.get("/solve?game=kuhn&until=seconds&amount=1e-5&algorithm=cfr").text
    assert 'name="amount" value="5"' in page


@pytest.mark.parametrize(
    ("change", "field", "sentence"),
    [
        ({"kuhn.players": "one"}, "kuhn.players", "a whole number"),
        ({"kuhn.players": "9"}, "kuhn.players", "must be 2 to 5"),
        ({"amount": "many"}, "amount", "is a number"),
        ({"amount": "-1"}, "amount", "above 0"),
        ({"amount": "inf"}, "amount", "above 0"),
        ({"amount": "1e15"}, "amount", "The number of iterations"),
        ({"algorithm": []}, "algorithm", "Choose one to 4"),
        ({"algorithm": ["lp"]}, "algorithm", "no iterations"),
        ({"algorithm": ["nonsense"]}, "algorithm", "nonsense"),
        ({"algorithm": ["lp:against=/etc/passwd"]}, "algorithm", "needs a file"),
        ({"algorithm": ["cfr"] * 2}, "algorithm", "twice"),
        ({"game": "holdem"}, "game", "holdem"),
        ({"game": "<b>"}, "game", "&lt;b&gt;"),
    ],
)
def test_what_cannot_be_solved_is_refused_at_its_field_and_starts_nothing(
    client, site, change, field, sentence
):
    answer = client.post("/solve", data={**KUHN, "algorithm": ["cfr"], **change})
    assert answer.status_code == 422
    problem = re.search(rf'id="problem-{re.escape(field)}" role="alert">([^<]*)<', answer.text)
    assert sentence in problem[1]
    assert site.solve_runs.known == {}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"game": "nope"}, "game"),
        ({"parameters": {"ranks": "x"}}, "leduc.ranks"),
        ({"parameters": {"wrong": "1"}}, "leduc.wrong"),
        ({"amount": 0}, "amount"),
        ({"algorithms": []}, "algorithm"),
        ({"algorithms": ["x"] * 5}, "algorithm"),
        ({"limit": "never"}, "limit"),
    ],
)
def test_the_api_refuses_a_run_with_an_object(client, site, change, field):
    answer = client.post("/api/v1/solve/runs", json={"game": "leduc", **change})
    assert answer.status_code == 422
    (problem,) = answer.json()["problems"]
    assert problem["field"] == field
    assert site.solve_runs.known == {}


def test_the_size_of_a_large_game_is_estimated(client):
    """Liar's dice with six faces has 294,883 histories; the estimate is seldom far above."""
    answer = client.get("/api/v1/solve/size", params={"game": "liars_dice"}).json()
    assert not answer["exact"]
    assert 100_000 < answer["histories"] < 500_000
    refused = client.get("/api/v1/solve/size", params={"game": "leduc", "parameter": "ranks"})
    assert refused.json()["problems"][0]["field"] == "parameter"


# Runs.


def test_a_run_is_begun_stopped_and_gone_on_with(client, site):
    """Without its process: what the page and the API say, and that jobs change their state."""
    site.solve_runs.at_once = 0  # every run waits for its turn
    answer = client.post("/solve", data={**KUHN, "algorithm": ["cfr", "dcfr"]})
    assert answer.status_code == 303
    address = answer.headers["location"]
    name = address.rpartition("/")[2]
    page = client.get(address).text
    assert "waits for its turn" in page
    assert "This run waits" in page
    assert client.get("/api/v1/jobs").json()[0]["running"]
    stopped = client.post(f"/jobs/{name}/stop", data={"back": address})
    assert stopped.headers["location"] == address
    run = client.get(f"/api/v1/solve/runs/{name}").json()
    assert [part["state"] for part in run["parts"]] == ["stopped", "stopped"]
    assert "Go on" in client.get("/jobs").text
    assert client.post(f"/jobs/{name}/continue").headers["location"] == address
    assert client.get(f"/api/v1/jobs/{name}").json()["running"]
    assert client.post(f"/api/v1/jobs/{name}/continue").status_code == 422  # it runs
    form = html.unescape(re.search(r'href="(/solve\?[^"]*)"', client.get(address).text)[1])
    assert parse_qs(urlsplit(form).query)["algorithm"] == ["cfr", "dcfr"]


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil.example"])
def test_a_button_leads_to_no_other_site(client, site, back):
    site.solve_runs.at_once = 0
    name = client.post("/solve", data={**KUHN, "algorithm": "cfr"}).headers["location"][11:]
    assert (
        client.post(f"/jobs/{name}/stop", data={"back": back})
        .headers["location"]
        .startswith("/solve/run/")
    )


@pytest.mark.parametrize("name", ["nosuchrun", ".web-secret", "x" * 300])
def test_what_is_not_there_is_said_in_a_sentence(client, name):
    for path in (f"/solve/run/{name}", f"/solve/run/{name}/0", f"/solve/strategy/{name}"):
        answer = client.get(path)
        assert answer.status_code == 404
    for path in (f"/jobs/{name}/stop", f"/jobs/{name}/continue"):
        assert client.post(path).status_code in (404, 422)


# The strategy.


def test_page_api_and_command_line_show_the_same_mixtures(
    client, kuhn, command: Command, site, tmp_path
):
    command("export", str(site.settings.folder / kuhn), "--out", str(tmp_path / "kuhn.json"))
    said = json.loads((tmp_path / "kuhn.json").read_text())["strategy"]["1"]
    point = client.get("/api/v1/strategies/point", params={"file": kuhn, "node": "b"}).json()
    for hand in point["hands"]:
        mixture = {action: each["share"] for action, each in hand["moves"].items()}
        assert mixture == said[hand["infoset"]]
    page = filled(client, f"/solve/strategy/{kuhn}?node=b").text
    for hand in point["hands"]:
        for each in hand["moves"].values():
            assert f"{100 * each['share']:.1f}%" in page


def test_an_infoset_shows_its_values_and_regrets(client, kuhn, site):
    """A jack that calls a bet always loses 2 (Kuhn 1950), one that folds loses 1."""
    page = filled(client, f"/solve/strategy/{kuhn}?node=b&hand=J%7Cb&figure=each").text
    infoset = page.partition('id="infoset"')[2]
    assert "−2.0000" in infoset
    assert "−1.0000" in infoset
    assert f"{read_regrets(site.settings.folder / kuhn).iterations:,} iterations" in infoset


def test_branches_open_and_close_by_their_addresses(client, kuhn):
    def lines(page):
        return re.findall(r'id="line-([^"]*)"', page)

    page = filled(client, f"/solve/strategy/{kuhn}").text
    assert lines(page) == ["start", "p", "b"]
    opened = client.get(f"/solve/strategy/{kuhn}?open=&open=p").text
    assert lines(opened) == ["start", "p", "p-p", "p-b", "b"]
    shut = client.get(f"/solve/strategy/{kuhn}?node=p&open=").text
    assert lines(shut) == ["start", "p", "b"]


def test_a_strategy_met_by_itself_gets_what_the_game_is_worth(client, kuhn, site):
    """Kuhn poker's value for the first player is −1/18."""
    (site.settings.folder / "other.rb").write_bytes((site.settings.folder / kuhn).read_bytes())
    answer = client.get("/api/v1/strategies/comparison", params={"file": kuhn, "with": "other.rb"})
    for seating in answer.json()["seatings"]:
        assert seating["values"][0] == pytest.approx(-1 / 18, abs=1e-3)
    assert answer.json()["differences"] == []
    page = filled(client, f"/solve/strategy/{kuhn}?with=other.rb").text
    assert "They play alike everywhere" in page
    assert page.count('class="shares"') > 3


@pytest.mark.parametrize("other", ["none.rb", "leduc.rb", "../x", "run/9"])
def test_what_cannot_be_compared_is_refused_there(client, kuhn, site, other):
    rb.solve("leduc", iterations=1).save(site.settings.folder / "leduc.rb")
    answer = filled(client, f"/solve/strategy/{kuhn}?with={other}")
    assert answer.status_code == 422
    assert 'class="note error"' in answer.text.partition('id="compare"')[2]


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_a_strategy_is_exported_as_the_command_line_writes_it(
    client, kuhn, site, command: Command, tmp_path, kind
):
    out = tmp_path / f"out.{kind}"
    command("export", str(site.settings.folder / kuhn), "--out", str(out))
    answer = client.get(f"/solve/strategy/{kuhn}/export/{kind}")
    assert answer.text == out.read_text()
    assert f"kuhn.{kind}" in answer.headers["content-disposition"]


def test_odd_nodes_hands_and_files_get_a_sentence_and_no_folder(client, kuhn, site):
    folder = site.settings.folder
    (folder / "broken.rb").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    (folder / "spot.toml").write_text("board = 3")
    for path in (
        f"/solve/strategy/{kuhn}?node=x%20y",
        f"/solve/strategy/{kuhn}?node={'b+' * 900}",
        "/solve/strategy/broken.rb",
        "/solve/strategy/spot.toml",
        "/solve/strategy/.web-secret",
    ):
        answer = filled(client, path) if "node" in path else client.get(path)
        assert answer.status_code == 404, path
        assert str(folder) not in answer.text
    odd = filled(client, f"/solve/strategy/{kuhn}?hand=%00<b>&figure=x&open=%00&open={'p+' * 500}")
    assert odd.status_code == 200
    assert "<b>&" not in odd.text


# In a browser.


@pytest.fixture(scope="module")
def solved(browser, server):
    """Kuhn solved by two algorithms; the address of the run."""
    page = browser.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(server.address + "/solve?game=kuhn")
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("Walk the tree").nth(1).wait_for()
    page.get_by_role("button", name="Stop").wait_for(state="detached")
    address = page.url.removeprefix(server.address)
    page.close()
    return address


def test_a_solve_to_its_end_is_found_again_by_its_address(visit, solved):
    page = visit(solved)
    # Kuhn poker's value for the first player is −1/18.
    text = page.locator("table").inner_text()
    assert text.count("−0.0555") + text.count("−0.0556") == 2
    assert "dcfr" in text
    page.get_by_role("link", name="seconds").click()
    page.wait_for_url("**across=seconds")
    fits(page)
    assert serious_findings(page) == []
    page.goto(page.url.partition("/solve")[0] + "/solve")
    page.locator(f'#before a[href="{solved}"]').wait_for()


def test_walking_the_tree_by_keys_links_and_back(visit, solved):
    page = visit(f"{solved}/0")
    page.locator("svg.shares").first.wait_for()
    assert page.locator("table.hands td:first-child").all_inner_texts() == ["J", "K", "Q"]
    page.keyboard.press("2")
    page.get_by_text("Player 2 does").wait_for()
    assert "100.0%" in page.locator("tr", has_text="K").inner_text()  # a king always calls
    page.wait_for_url("**node=b")
    page.get_by_role("button", name="J", exact=True).click()
    page.locator("#infoset").wait_for()
    fits(page)
    assert serious_findings(page) == []
    page.keyboard.press("Backspace")
    page.get_by_text("Player 1 does").wait_for()
    page.go_back()
    page.locator("#infoset").wait_for()
    page.get_by_label("open 1: check").click()
    page.locator("#line-p-b a.name").click()
    page.wait_for_url("**node=p%20b**")
    becomes(page.locator('.tree [aria-current="true"]').inner_text, "2: bet 1")


def test_the_form_follows_its_game_and_a_run_shows_its_algorithms_against_each_other(visit):
    page = visit("/solve")
    page.get_by_label("Game").select_option("duel")
    page.get_by_label("Hits of each player, at most").wait_for()
    page.get_by_text("133 public situations").wait_for()
    page.wait_for_url("**game=duel**")
    fits(page)
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("Walk the tree").nth(1).wait_for()
    page.get_by_text("Walk the tree").first.click()
    page.get_by_label("open 1: hit").click()
    page.locator("#line-h-7").wait_for()
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("this one against itself").wait_for()
    page.locator(".shares-pair").first.locator("svg").nth(1).wait_for()


def test_a_saved_strategy_is_at_home(visit, solved, server):
    page = visit(f"{solved}/0")
    page.locator("summary", has_text="Save").click()
    page.get_by_label("Name of the file").fill("kept")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/solve/strategy/kept.rb")
    visit("/").get_by_role("link", name="kept.rb").wait_for()
    again = visit(f"{solved}/0")
    visit.forgiven = ("422",)
    again.locator("summary", has_text="Save").click()
    again.get_by_label("Name of the file").fill("kept.rb")
    again.get_by_role("button", name="Save").click()
    again.get_by_text("There is a kept.rb already").wait_for()


def went_on(file: Path, done: int) -> bool:
    return load(file).info["iterations"] > done


def test_a_run_is_stopped_goes_on_and_survives_a_crash(visit, make_server):
    server = make_server()
    page = visit("/solve?game=kuhn", base=server.address)
    page.get_by_label("is", exact=True).fill("1e-15")
    page.get_by_role("button", name="Solve").click()
    page.wait_for_url("**/solve/run/*")
    folder = server.folder / ".web" / "solves" / page.url.rpartition("/")[2]
    wait_until(lambda: len(list(folder.glob("*.rb"))) == 2)
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("stopped").nth(1).wait_for()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Stop").wait_for()
    visit.forgiven = SERVER_GONE
    server.kill()
    before = [load(folder / f"{i}.rb").info["iterations"] for i in range(2)]
    server.restart()
    home = visit("/", base=server.address)
    home.locator(".running-link").click()  # from every page there is a way to what runs
    for i, done in enumerate(before):
        wait_until(partial(went_on, folder / f"{i}.rb", done))
    home.get_by_role("button", name="Stop").click()
    home.get_by_text("stopped").nth(1).wait_for()


OWN_GAME = """
import dataclasses
import riverboat as rb
from riverboat.games.kuhn import Kuhn

@rb.register
@dataclasses.dataclass(frozen=True)
class HomePennies(Kuhn):
    name = "home_pennies"
    title = "A game of my own"
"""


def test_a_game_of_ones_own_is_shown_and_solved(visit, make_server, tmp_path):
    """`riverboat web --import my_game.py`; Kuhn poker under another name is worth −1/18."""
    program = tmp_path / "my_home_game.py"
    program.write_text(OWN_GAME)
    server = make_server("--import", str(program))
    page = visit("/", base=server.address)
    page.get_by_role("link", name="A game of my own").wait_for()
    page.goto(server.address + "/solve")
    page.get_by_label("Game").select_option("home_pennies")
    page.wait_for_url("**game=home_pennies**")
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("Walk the tree").nth(1).wait_for()
    page.get_by_role("button", name="Stop").wait_for(state="detached")
    text = page.locator("table").inner_text()
    assert text.count("−0.0555") + text.count("−0.0556") == 2
    page.get_by_text("Walk the tree").first.click()
    page.locator("svg.shares").first.wait_for()
    becomes(page.get_by_role("heading", level=1).inner_text, "A game of my own by cfr+")


def test_without_scripts_a_run_is_begun_and_followed(visit):
    page = visit("/solve?game=kuhn", scripts=False)
    page.get_by_role("button", name="Solve").click()
    page.wait_for_url("**/solve/run/*")
    page.get_by_text("Walk the tree").nth(1).wait_for()
