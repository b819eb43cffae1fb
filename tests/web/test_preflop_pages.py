"""Solutions before the flop opened, walked, compared, printed, drilled; small games solved."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import riverboat as rb
from commands import Command
from page_fit import fits
from riverboat.errors import RiverboatError
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.web.api.preflop import decision, solution_stamp
from riverboat.web.holdem.preflop_runs import FIRST, keys_of_form
from waiting import wait_until

NAME = "ten-blinds.rb"


@pytest.fixture(scope="module")
def ten():
    return rb.solve(rb.preflop(stacks=[10, 10]))


@pytest.fixture(scope="module")
def address(ten, server):
    """The page of the solution, which lies in the library."""
    ten.save(server.folder / NAME)
    return f"/holdem/preflop/{NAME}"


@pytest.fixture
def kept(ten, site):
    """The solution in the library of the application without a socket."""
    site.settings.folder.mkdir(parents=True, exist_ok=True)
    ten.save(site.settings.folder / NAME)
    return NAME


def filled(client, path):
    """A page that has its answer: it may be computed for a moment."""
    wait_until(lambda: "Reading the solution" not in client.get(path).text, what=path)
    return client.get(path)


def shown(site, solution, line="start", name="changed.rb"):
    """A decision of a solution that was changed by a test."""
    site.settings.folder.mkdir(parents=True, exist_ok=True)
    solution.save(site.settings.folder / name)
    return decision(site.library, name, solution_stamp(site.library, name), line)


# Without a browser.


def test_page_api_and_command_line_show_the_same_decision(client, kept, site, command: Command):
    """The command line rounds to six digits, a file to some seven."""
    said = json.loads(command("holdem", "preflop", str(site.settings.folder / NAME), "--json").out)
    query = {"file": NAME, "line": "a"}
    answer = client.get("/api/v1/holdem/preflop/decision", params=query).json()
    node = next(each for each in said["nodes"] if each["line"] == ["a"])
    for name in ("AA", "72o", "T9s"):
        facts = answer["classes"][name]
        assert list(facts["shares"].values()) == pytest.approx(node["frequencies"][name], abs=1e-6)
        assert list(facts["values"].values()) == pytest.approx(node["values"][name], abs=1e-5)
    page = filled(client, f"/holdem/preflop/{NAME}?line=a&hands=72o").text
    assert "Strategy of BB" in page
    assert "pot 11 big blinds, 9 to call" in page
    assert "−1.000" in page.partition('id="compare"')[2]  # folding the big blind loses it


def test_the_way_leads_on_only_where_somebody_acts(client, kept):
    start = filled(client, f"/holdem/preflop/{NAME}").text
    assert re.findall('id="act-([^"]*)"', start) == ["a"]
    after = filled(client, f"/holdem/preflop/{NAME}?line=a").text
    assert re.findall('id="act-([^"]*)"', after) == ["back"]


def test_a_line_that_ends_on_the_flop_leads_to_a_spot_with_its_ranges(client):
    page = filled(client, "/holdem/preflop/shipped?line=f-f-f-r2.5-f").text
    assert "/holdem/spots?preflop=shipped&amp;line=f-f-f-r2.5-f-c" in page


def test_six_seats_sit_round_a_table_with_the_dealers_button(client):
    page = filled(client, "/holdem/preflop/shipped?line=f-f-f-r2.5").text
    table = page.partition('class="seats-table"')[2].partition("</svg>")[0]
    assert re.findall(r'class="seat-name">(\w+)<', table) == ["UTG", "HJ", "CO", "BTN", "SB", "BB"]
    assert table.count("dealer-button") == 1
    assert re.search(r"seat-spot acting.*?>(\w+)</text>", table, re.DOTALL)[1] == "SB"
    assert table.count('href="') == 4  # each seat that has acted leads back to its decision


def test_every_state_is_an_address(client, kept):
    page = filled(client, f"/holdem/preflop/{NAME}?line=a&hands=AA,72o&cells=ev").text
    assert "EV of BB, big blinds" in page
    assert 'aria-label="Remove AA"' in page
    assert page.count('class="cell heat') == 169
    assert re.findall(r'id="cell-(\w+)"[^>]*aria-current="true"', page) == ["AA", "72o"]
    assert 'href="/holdem/preflop/ten-blinds.rb?line=a&amp;hands=72o,KK&amp;cells=ev"' in page


def test_what_could_be_gained_at_a_decision_is_shown_where_it_was_measured(ten, site):
    measured = {"node_gains": [0.5, 0.25], "node_gains_ci95": [0.1, 0.2], "unit": "big blinds"}
    solution = PreflopSolution(ten.title, {}, ten.seats, ten.nodes, measured)
    answer = shown(site, solution, "a")
    assert answer.gain == "the best answer here would gain +0.2500 ± 0.2000 big blinds per hand"
    assert shown(site, ten, "a").gain == ""


def test_a_line_that_hardly_occurs_has_words_and_no_grid(client, ten, site):
    rare = replace(ten.node("a"), trained=np.zeros(169, bool), chance=0.002)
    nodes = [replace(ten.node(), trained=np.ones(169, bool), chance=1.0), rare]
    solution = PreflopSolution(ten.title, ten.spec, ten.seats, nodes, {})
    answer = shown(site, solution, "a")
    assert answer.rare
    assert all(each.share is None for each in answer.actions)
    page = filled(client, "/holdem/preflop/changed.rb?line=a").text
    assert "hardly occurs (once in 500 hands): nothing is recommended" in page
    assert 'id="cell-' not in page


def test_sampled_figures_have_their_intervals(client, ten, site):
    errors = [replace(node, errors=np.full((2, 169), 0.125)) for node in ten.nodes]
    info = {"ev": [0.25, -0.25], "ev_ci95": [0.01, 0.02], "gains_below": [0.0039, 0.01]}
    shown(site, PreflopSolution(ten.title, {}, ten.seats, errors, info), "a")
    page = filled(client, "/holdem/preflop/changed.rb?line=a&hands=72o").text
    for words in ("−1.000 ± 0.125", "0.2500 ± 0.0100", "below 0.0039", "below 0.010"):
        assert words in page


def test_words_of_a_file_are_shown_and_never_run(client, ten, site):
    evil = "<script>x</script>"
    node = replace(ten.node(), seat=evil, put={evil: 0.5, "bb": 1.0})
    info = {"unit": evil, "algorithm": evil}
    shown(site, PreflopSolution(evil, {}, (evil, "bb"), [node], info))
    page = filled(client, "/holdem/preflop/changed.rb?hands=AA").text
    assert "&lt;script&gt;" in page.lower()
    assert "<script>" not in page.lower()


def test_without_a_solution_the_page_says_how_to_make_one(client, site):
    page = client.get("/holdem/preflop").text
    assert "riverboat holdem preflop before-flop.toml" in page
    assert str(site.settings.folder) not in page
    assert 'href="/holdem/preflop/shipped"' in page


@pytest.mark.parametrize(
    ("field", "text"), [("stacks", "ten"), ("blinds", "1"), ("ante", "1 2"), ("places", "<b>")]
)
def test_a_field_that_cannot_be_read_gets_a_sentence_and_starts_nothing(client, site, field, text):
    answer = client.post("/holdem/preflop", data={**FIRST, field: text})
    assert answer.status_code == 422
    assert f'id="problem-{field}" role="alert"' in answer.text
    assert "<b>" not in answer.text.partition('id="push-fold"')[2].partition("problem-")[2][:200]
    wrong = client.post("/api/v1/holdem/preflop/runs", json={**FIRST, field: text})
    assert wrong.json()["problems"][0]["field"] == field
    assert site.preflop_runs.known == {}


@pytest.mark.parametrize("stacks", ["", "10", "0.1 10", "1e999 1", "nan 10", "10 " * 9])
def test_a_game_that_cannot_be_starts_nothing(client, site, stacks):
    answer = client.post("/holdem/preflop", data={**FIRST, "stacks": stacks})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert site.preflop_runs.known == {}


def test_what_is_not_there_is_said_without_the_folder(client, kept, site):
    (site.settings.folder / "broken.rb").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    for name in ("missing.rb", ".web-secret", "x" * 300, "broken.rb"):
        answer = filled(client, f"/holdem/preflop/{name}")
        assert answer.status_code == 404
        assert str(site.settings.folder) not in answer.text
        assert "All solutions" in answer.text
    for query in ("line=a-a", "line=%00", "line=" + "f-" * 500):
        assert filled(client, f"/holdem/preflop/{NAME}?{query}").status_code == 404
    assert filled(client, f"/holdem/preflop/{NAME}?hands=AA,AA,ZZ&cells=x").status_code == 200
    assert client.get(f"/holdem/preflop/{NAME}/chart.svg?line=zz").status_code == 422
    assert client.get(f"/holdem/preflop/{NAME}/chart.svg?line=a").text.startswith("<svg")


def test_a_form_is_read():
    assert keys_of_form({**FIRST, "ante": "0.1", "places": "50 30"}) == {
        "game": "push-fold",
        "stacks": [10, 10],
        "blinds": [0.5, 1],
        "ante": 0.1,
        "payouts": {"places": [50, 30]},
    }


def test_a_long_field_is_read_to_its_end():
    text = "10," + " " * 300 + "12.5"
    assert keys_of_form({**FIRST, "stacks": text})["stacks"] == [10, 12.5]
    with pytest.raises(RiverboatError, match=r"not 'xxx.*…'"):
        keys_of_form({**FIRST, "stacks": text + " " + "x" * 300})


# The drill.


def drill(client, action="", side="bb", **more):
    """A press of a button of the drill; then the page."""
    address = f"/holdem/preflop/{NAME}/drill?side={side}"
    wait_until(lambda: "a hand is dealt" not in client.get(address).text)
    if action:
        page = client.get(address).text
        decision = re.search(r'name="decision" value="([^"]*)"', page)[1]
        answer = client.post(address, data={"decision": decision, "action": action, **more})
        assert (answer.status_code, answer.headers["location"]) == (303, address)
    return client.get(address).text


def test_a_decision_is_judged_counted_and_kept(client, kept):
    """The big blind with ten blinds calls or folds against all-in; what is right says the file."""
    page = drill(client)
    assert "Your decision is judged here" in page
    assert "right of 0 decisions" in page
    page = drill(client, "fold")
    assert "right of 1 decision<" in page
    assert re.search("Right: fold|fold costs", page)
    assert "You are BB" in drill(client, "next")
    assert "right of 1 decision<" in drill(client)
    assert "right of 0 decisions" in drill(client, "over")


def test_what_was_looked_up_is_not_counted(client, kept):
    drill(client)
    looked = client.get(f"/holdem/preflop/{NAME}/drill?side=bb&look=1").text
    assert "this one is not counted" in looked
    assert 'name="looked" value="1"' in looked
    assert "right of 0 decisions" in drill(client, "fold", looked="1")


def test_no_cards_of_others_are_in_the_drills_page(client, kept):
    page = drill(client, side="any")
    assert len(re.findall(r'class="card (?!hidden)', page)) == 2


@pytest.mark.parametrize(
    "data",
    [
        {"decision": "0-0-0", "action": "nonsense"},
        {"decision": "7-7-7", "action": "fold"},
        {"decision": "", "action": "next"},
        {"action": "\0"},
        {},
    ],
)
def test_messages_that_no_page_sends_change_nothing(client, kept, site, data):
    before = drill(client)
    (record,) = (site.settings.folder / ".web" / "preflop-drills").glob("*.json")
    text = record.read_text()
    client.post(f"/holdem/preflop/{NAME}/drill?side=bb", data=data)
    assert record.read_text() == text
    assert drill(client) == before
    assert client.post("/holdem/preflop/none.rb/drill", data=data).status_code == 422
    assert client.get("/holdem/preflop/none.rb/drill").status_code == 404


# In a browser.


def test_a_solution_is_walked_compared_printed_and_drilled(visit, address):
    page = visit("/holdem/preflop")
    page.get_by_role("link", name=NAME).click()
    page.locator(".mixed a").first.wait_for()
    page.wait_for_load_state()  # keys count once the page's modules are there
    page.keyboard.press("2")
    page.get_by_role("heading", name="Strategy of BB").wait_for()
    page.wait_for_url("**line=a")
    page.go_back()
    page.get_by_role("heading", name="Strategy of SB").wait_for()
    page.wait_for_load_state()
    page.go_forward()
    page.get_by_role("heading", name="Strategy of BB").wait_for()
    for name in ("AA", "72o"):
        page.locator(f"#cell-{name}").click()
        page.get_by_role("link", name=f"Remove {name}").wait_for()
    page.wait_for_url("**hands=AA,72o")
    page.reload()
    page.get_by_role("link", name="Remove 72o").wait_for()
    page.get_by_role("link", name="EV", exact=True).click()
    page.locator(".evs .heat").first.wait_for()
    fits(page)
    page.emulate_media(color_scheme="dark", media="print")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", print_background=True))) == 1
    assert page.locator(".moves").first.is_hidden()
    page.emulate_media(media="screen")
    page.get_by_role("link", name="Drill").click()
    page.wait_for_url("**/drill")
    page = visit(f"{address}/drill?side=bb")
    page.get_by_role("link", name="look up").wait_for()
    page.keyboard.press("?")
    page.get_by_text("this one is not counted").wait_for()
    page.keyboard.press("1")
    page.get_by_role("button", name="Next hand").wait_for()
    page.keyboard.press("Enter")
    page.get_by_text("Your decision is judged here").wait_for()
    page.keyboard.press("1")
    page.locator(".tile", has_text="right of 1").wait_for()
    fits(page)
    page.reload()
    page.locator(".tile", has_text="right of 1").wait_for()


def test_the_shipped_book_is_walked_to_a_defence(visit):
    """Folded to the button, who raises: the small blind is next, then the big blind."""
    page = visit("/holdem/preflop/shipped?line=f-f-f", width=390, dark=True)
    page.get_by_role("heading", name="Strategy of BTN").wait_for()
    page.locator("[id='act-r2.5']").click()
    page.get_by_role("heading", name="Strategy of SB").wait_for()
    page.keyboard.press("1")
    page.get_by_role("heading", name="Strategy of BB").wait_for()
    page.wait_for_url("**line=f-f-f-r2.5-f")
    fits(page)


def test_all_in_or_fold_is_solved_from_the_page(visit):
    page = visit("/holdem/preflop")
    visit.forgiven = ("422",)
    page.get_by_label("Stacks").fill("ten, 10")
    page.get_by_role("button", name="Solve").click()
    page.get_by_role("alert").wait_for()
    page.get_by_label("Stacks").fill("5, 5")
    page.get_by_role("button", name="Solve").click()
    # The solution opens by itself, and takes its link away.
    page.get_by_role("heading", name="All-in or fold, SB 5, BB 5").wait_for()
    page.wait_for_url("**/all-in-5-5*.rb")
