"""The form of a spot: fields checked one by one, painted, kept, filled from files, estimated."""

import json
import re
from importlib import resources

import pytest

from axe import serious_findings
from page_fit import fits
from riverboat.cards.card import parse_cards
from riverboat.cards.combos import combo_text
from riverboat.cards.ranges import Range
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.spots.bet_sizes import PlayerSizes, parse_sizes
from riverboat.holdem.spots.spot import Spot
from riverboat.web.holdem.spot_runs import SpotOrder, SpotRun, SpotRuns
from riverboat.web.pages.holdem.spot_fields import PRESETS, first_values, read_fields, values_of
from waiting import becomes

RIVER = "2s 2h 2d 3c 3d"
POLAR = {"board": RIVER, "pot": "100", "stack-0": "100", "range-0": "AA,QQ", "range-1": "KK"}


@pytest.fixture(autouse=True)
def no_processes(monkeypatch):
    """Kernels are not loaded in the background, and what is begun waits."""
    monkeypatch.setattr(SpotRuns, "prepare_once", lambda self: None)
    monkeypatch.setattr(SpotRuns, "poll", lambda self: None)


def fields(page):
    """Name → text of every field of the form."""
    line = r'<input class="field[^>]*? name="([^"]+)" value="([^"]*)"'
    found = dict(re.findall(line, page))
    found |= dict(
        re.findall(r'<input class="field" id="[^"]+" name="([^"]+)" value="([^"]*)"', page)
    )
    found |= dict(re.findall(r'<textarea[^>]*? name="([^"]+)"[^>]*>([^<]*)<', page))
    return found


def sent(client, players=2, **values):
    """The form's page after fields were changed."""
    start = fields(client.get(f"/holdem/spots?players={players}").text)
    answer = client.post("/holdem/spots/form", data={**start, **values})
    assert answer.status_code == 303
    return client.get(answer.headers["location"]).text


def problems(page):
    found = re.findall(r'id="([^"]+)-problem" role="alert">([^<]*)<', page)
    return {name: text.replace("&#39;", "'") for name, text in found}


def kept_orders(site):
    return [path.parent.name for path in site.spot_runs.folder.glob("*/job.json")]


def test_the_first_form_is_a_spot_with_an_estimate(client, command, tmp_path):
    page = client.get("/holdem/spots").text
    assert problems(page) == {}
    words = re.search(r"<b>([\d.]+ [KMG]iB) of memory, about", page)[1]
    spot = read_fields(first_values(2), None).spot
    (tmp_path / "spot.toml").write_text(spot.to_toml())
    said = command("holdem", "solve", str(tmp_path / "spot.toml"), "--seconds", "0.01")
    assert words in said.out + said.err


def test_each_field_says_what_is_wrong_with_it_and_nothing_is_solved(client, site):
    wrong = {
        "board": ("Qs Qs 2d", "The card Qs appears twice; a deck has one."),
        "pot": ("minus", "The pot is a number, not 'minus'."),
        "stack-0": ("0", "The stack must be above 0"),
        "rate": ("120", "The rake lies from 0 to below 100 per cent, not at 120."),
        "target": ("soon", "soon"),
        "dead": ("Xx", "Xx"),
        "tree": ("[tree]\nraises = 0", "tree.raises must be at least 1"),
        "range-0": ("nonsense", "'nonsense' is not a hand"),
        "label": ("x" * 61, "at most 60"),
    }
    page = sent(client, **{name: text for name, (text, _) in wrong.items()})
    found = problems(page)
    assert set(found) == set(wrong)
    for name, (_, sentence) in wrong.items():
        assert sentence in found[name]
    answer = client.post("/holdem/spots", data=fields(page))
    assert answer.status_code == 422
    assert "9 fields need a change" in answer.text
    assert kept_orders(site) == []
    mended = sent(client, pot="60")
    assert set(problems(mended)) == set(wrong) - {"pot"}


def test_a_field_of_three_says_what_is_wrong(client):
    wrong = {"name-1": "SB", "stack-2": "-1", "range-0": ""}
    found = problems(sent(client, 3, **wrong))
    assert found["name-1"] == "SB is taken; three players need three names."
    assert "The stack of BTN must be at least 0" in found["stack-2"]
    assert "empty" in found["range-0"]
    page = sent(client, 3, **{"name-1": "bb", "stack-0": "0", "stack-2": "0", "range-0": "AA"})
    assert "Two players at least need chips behind" in page
    assert fields(client.get("/holdem/spots").text)["stack-0"] == "170"  # apart from that for two


def test_what_is_typed_is_kept_and_sizes_of_hidden_streets_too(client):
    page = sent(client, board="Qs Jh 2h", **{"flop-0-bet": "20%"})
    assert "turn-0-donk" in fields(page)
    assert "flop-0-donk" not in fields(page)
    page = sent(client, board=RIVER, **{"river-0-bet": "40%"})
    assert "flop-0-bet" not in fields(page)
    page = sent(client, board="Qs Jh 2h")
    assert (fields(page)["flop-0-bet"], fields(page)["river-0-bet"]) == ("20%", "40%")


def test_presets_fill_in_all_sizes_and_ip_may_take_those_of_oop(client):
    page = sent(client, board="Qs Jh 2h", preset="two sizes")
    assert fields(page)["flop-0-bet"] == fields(page)["flop-1-bet"] == PRESETS[1].bet[0]
    page = sent(client, **{"flop-0-bet": "20%", "turn-0-donk": "-"})
    page = sent(client, preset="copy")
    assert fields(page)["flop-1-bet"] == "20%"
    assert "turn-1-donk" not in fields(page)


def test_ranges_and_the_board_are_painted(client):
    page = sent(client, **{"range-0": "QQ", "range-0_paint": "KK,AA", "range-0_erase": ""})
    assert fields(page)["range-0"] == "QQ+"
    page = sent(client, board_card="As", board="Qs Jh 2h")
    assert fields(page)["board"] == "Qs Jh 2h As"


def test_a_range_may_be_a_line_of_a_solution(client, site):
    book = PreflopSolution.load("shipped")
    line = "preflop:shipped f f f r2.5 f c"
    found = problems(sent(client, board="Qs Jh 2h", **{"range-0": line}))
    assert "stacks are 17.7 pots (97.5 behind a pot of 5.5)" in found["range-0"]
    page = sent(client, pot="5.5", **{"stack-0": "97.5", "range-0": line, "range-1": f" {line}"})
    assert fields(page)["range-0"] == str(book.range_of("bb", "f-f-f-r2.5-f-c"))
    assert fields(page)["range-1"] == str(book.range_of("btn", "f-f-f-r2.5-f-c"))
    found = problems(sent(client, **{"range-1": "preflop:shipped f f f r2.5"}))
    assert "SB still acts before the flop" in found["range-1"]


@pytest.mark.parametrize(
    "name",
    ["../secret.rb", "sub/secret.rb", ".web/secret.rb", "..", "/etc/passwd", "~/x.rb", "C:x\\y.rb",
     "\x00.rb", "x" * 4000 + ".rb", "missing.rb", "\u202egnp.rb"],
)  # fmt: skip
def test_a_range_reads_files_of_the_library_only(client, site, tmp_path, name):
    """All that lies elsewhere is refused with the same sentence, whether it exists or not."""
    (site.settings.folder / "sub").mkdir(parents=True, exist_ok=True)
    for place in (tmp_path, site.settings.folder / ".web", site.settings.folder / "sub"):
        (place / "secret.rb").write_bytes(b"no solution")
    page = sent(client, **{"range-0": f"preflop:{name} r2.5 c"})
    assert "in the library." in problems(page)["range-0"]
    assert str(site.settings.folder) not in page


def test_solve_begins_the_spot_of_the_form(client, site):
    page = sent(client, **POLAR, label="my river", dead="9h", tree="[tree]\nraises = 2")
    answer = client.post("/holdem/spots", data=fields(page))
    assert answer.status_code == 303
    run = site.spot_runs.find(answer.headers["location"].rpartition("/")[2])
    assert (run.label, run.spot.pot, run.spot.tree.raises) == ("my river", 100, 2)
    assert run.spot.dead == tuple(parse_cards("9h"))
    again = client.post("/holdem/spots", data=fields(page), headers={"HX-Request": "true"})
    assert again.headers["hx-redirect"].startswith("/holdem/spots/")
    assert len(kept_orders(site)) == 2
    tiles = client.get("/holdem/spots").text
    assert "my river" in tiles
    assert "pot 100 · stack 100" in tiles
    assert "<b>OOP</b> AA,QQ" in tiles


def test_prizes_and_a_tree_go_through_the_form(site):
    text = 'board = "2s 2h 2d 3c 3d"\npot = 100\nstack = 100\n[ranges]\noop = "AA"\nip = "KK"\n'
    spot = Spot.from_toml(
        text + "[payouts]\nplaces = [50, 30]\nothers = [40]\n[tree]\nraises = 2\n"
    )
    assert read_fields(values_of(spot, "0.5%"), site.library).spot == spot


@pytest.mark.parametrize("folded", [None, "bb"])
def test_a_spot_of_three_goes_through_the_form(site, folded):
    spot = read_fields(first_values(3), site.library).spot
    if folded:
        spot = Spot(
            spot.board, spot.pot, spot.stacks, spot.ranges, names=spot.names, sizes=spot.sizes,
            folded=folded,
        )  # fmt: skip
    assert read_fields(values_of(spot, "0.3%"), site.library).spot == spot


def test_sizes_of_all_streets_of_three_go_through_the_form(site):
    river = read_fields(first_values(3), site.library).spot
    bet = PlayerSizes(
        bet=parse_sizes("31%,5c", "bets"), raises=parse_sizes("2.5x", "", raises=True)
    )
    sizes = dict.fromkeys(("flop", "turn", "river"), (bet, bet, bet))
    flop = Spot(river.board[:3], river.pot, river.stacks, river.ranges, sizes=sizes)
    assert read_fields(values_of(flop, "0.3%"), site.library).spot == flop


def test_a_spot_is_opened_from_the_library_copied_and_refused(client, site):
    site.settings.folder.mkdir(exist_ok=True)
    spot = read_fields(first_values(2) | POLAR, site.library).spot
    (site.settings.folder / "river.toml").write_text(spot.to_toml())
    assert fields(client.get("/holdem/spots?file=river.toml").text)["pot"] == "100"
    run = SpotRun("copiedspot", site.spot_runs.folder / "copiedspot", SpotOrder(spot, "0.7%"))
    run.parts[0].state = "done"
    run.rename("old one")
    copied = fields(client.get("/holdem/spots?copy=copiedspot").text)
    assert (copied["target"], copied["label"], copied["range-0"]) == ("0.7%", "old one", "AA,QQ")
    # A shorter board has the usual sizes of the streets that the river did not have.
    page = client.post("/holdem/spots/form", data={**copied, "fresh": "1", "board": RIVER[:-3]})
    assert fields(client.get(page.headers["location"]).text)["turn-0-bet"] == "66%"
    (site.settings.folder / "bad.toml").write_text("board = 1")
    for name in ("bad.toml", "nothing.rb", "../x", "kuhn"):
        answer = client.get("/holdem/spots", params={"file": name})
        assert answer.status_code == 422
        assert 'role="alert"' in answer.text


def test_a_spot_of_omaha_is_refused_with_the_page_that_takes_it(client, site):
    site.settings.folder.mkdir(exist_ok=True)
    text = (resources.files("riverboat") / "examples" / "omaha.toml").read_text()
    (site.settings.folder / "omaha.toml").write_text(text)
    answer = client.get("/holdem/spots?file=omaha.toml")
    assert answer.status_code == 422
    assert "the spot is of omaha" in answer.text
    assert "/holdem/omaha" in answer.text
    assert kept_orders(site) == []


def test_nothing_that_is_typed_is_cut(client, site):
    """Sizes of more than 80 letters, and a range of 1,326 combos with weights."""
    every = ",".join(f"{combo_text(c)}:{0.5 + c / 4000:.4f}" for c in range(1326))
    sizes = ",".join(f"{10 + i}.125%" for i in range(14))
    page = sent(client, board="As 7s 2c 3d 9h", **{"range-0": every, "river-0-bet": sizes})
    assert fields(page)["river-0-bet"] == sizes
    assert len(Range.parse(fields(page)["range-0"]).combos) == 1326
    found = problems(sent(client, **{"range-1": "AA," * 40_000}))
    assert "at most 20,000 characters" in found["range-1"]


def test_a_spot_that_is_too_large_is_said_so_before_it_is_solved(client, site, monkeypatch):
    monkeypatch.setattr(type(site), "memory", property(lambda self: 100_000))
    page = client.get("/holdem/spots").text
    assert re.search(r'class="problem" role="alert">[^<]*needs more than', page)


def test_the_api_begins_and_estimates_and_refuses(client, site):
    spot = read_fields(first_values(2) | POLAR, site.library).spot
    asked = {"toml": spot.to_toml(), "target": "0.5%", "name": "by program"}
    cost = client.post("/api/v1/holdem/spots/cost", json=asked).json()
    assert cost["memory"] > 0
    made = client.post("/api/v1/holdem/spots", json=asked)
    assert made.status_code == 201
    assert made.json()["title"] == "by program"
    assert [row["name"] for row in client.get("/api/v1/holdem/spots").json()] == [
        made.json()["name"]
    ]
    for odd, field in (
        ({**asked, "toml": "board = 1"}, "toml"),
        ({**asked, "target": "soon"}, "target"),
        ({**asked, "name": "x" * 100}, "name"),
        ({**asked, "toml": "x" * 300_000}, "toml"),
    ):
        answer = client.post("/api/v1/holdem/spots", json=odd)
        assert answer.status_code == 422
        assert answer.json()["problems"][0]["field"] == field
    assert len(kept_orders(site)) == 1


@pytest.mark.parametrize("text", ["", "<script>", "\x00", "९९", "1e400", "nan", "a" * 3000])
def test_whatever_is_sent_is_answered(client, site, text):
    values = dict.fromkeys(
        (*first_values(3), "dead", "tree", "folded", "preset", "board_card"), text
    )
    assert client.post("/holdem/spots/form", data=values).status_code == 303
    answer = client.post("/holdem/spots", data=values)
    assert answer.status_code == 422
    assert "<script>" not in answer.text.partition("<main")[2]
    assert kept_orders(site) == []


def test_a_damaged_draft_is_as_if_it_were_not_there(client, site):
    sent(client, pot="77")
    for path in (site.settings.folder / ".web" / "spot-forms").glob("*"):
        for text in ("{", "[]", json.dumps({"pot": 3}), json.dumps({"range-2": "x"})):
            path.write_text(text)
            assert fields(client.get("/holdem/spots").text)["pot"] == "60"


# What only a browser shows.


def test_solve_and_the_estimate_are_always_in_sight(visit):
    for width in (390, 1280):
        page = visit("/holdem/spots", width=width)
        solve = page.get_by_role("button", name="Solve", exact=True)
        for place in ("0", "document.body.scrollHeight / 2", "document.body.scrollHeight"):
            page.evaluate(f"window.scrollTo(0, {place})")
            box = solve.bounding_box()
            assert 0 < box["y"] < 900 - box["height"], place
        fits(page)


def test_fields_are_taken_in_as_they_are_left(visit):
    page = visit("/holdem/spots")
    page.get_by_label("Board", exact=True).fill("Qs Jh 2h")
    page.get_by_label("Board", exact=True).blur()
    page.get_by_label("OOP bets, flop").wait_for()
    visit.forgiven = ("422",)
    page.get_by_label("Pot", exact=True).fill("many")
    page.get_by_label("Pot", exact=True).blur()
    page.get_by_text("The pot is a number, not 'many'.").first.wait_for()
    page.reload()
    becomes(page.get_by_label("Pot", exact=True).input_value, "many")


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious_on_the_form(visit, width, dark):
    for path in ("/holdem/spots", "/holdem/spots?players=3"):
        page = visit(path, width=width, dark=dark)
        assert serious_findings(page) == []


def test_spots_are_added_to_the_queue_and_rearranged(client, site):
    for label in ("one", "two", "three"):
        page = sent(client, **POLAR, label=label, minutes="90", queue="1")
        assert f"{label} is in the queue" in page
    assert fields(page)["minutes"] == "90"
    jobs = site.spot_runs
    assert [job.label for job in jobs.queue()] == ["one", "two", "three"]
    assert {job.order.minutes for job in jobs.queue()} == {90}
    last = jobs.queue()[2]
    assert client.post(f"/jobs/{last.name}/earlier").headers["location"] == "/jobs"
    assert client.post(f"/api/v1/jobs/{last.name}/earlier").json()["place"] == 1
    shown = re.findall(r">(\w+)</a> <span class=\"badge\">(\d) of 3", client.get("/jobs").text)
    assert shown == [("three", "1"), ("one", "2"), ("two", "3")]
    assert fields(client.get(f"/holdem/spots?copy={last.name}").text)["minutes"] == "90"


@pytest.mark.parametrize("minutes", ["soon", "0", "-1", "1e9", "nan"])
def test_a_time_that_is_none_is_refused_at_its_field(client, site, minutes):
    page = client.post("/holdem/spots/form", data={**POLAR, "minutes": minutes, "queue": "1"})
    assert page.status_code == 422
    assert "number up to 100,000" in problems(page.text)["minutes"]
    assert kept_orders(site) == []


def test_a_gpu_that_is_not_there_is_refused_at_its_field(client, site, monkeypatch):
    monkeypatch.setattr("riverboat.runtime.devices.why_no_gpu", lambda: "CuPy finds no GPU.")
    page = client.post("/holdem/spots", data={**POLAR, "device": "cuda"})
    assert page.status_code == 422
    assert "There is no GPU to compute on" in page.text
    toml = read_fields({**first_values(2), **POLAR}, site.library).spot.to_toml()
    asked = client.post("/api/v1/holdem/spots", json={"toml": toml, "device": "cuda"})
    assert asked.json()["problems"][0]["field"] == "device"
    assert kept_orders(site) == []


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_queue_takes_a_spot_and_the_form_stays(visit, width):
    page = visit("/holdem/spots", width=width)
    page.get_by_role("button", name="Add to the queue").click()
    page.get_by_text("is in the queue").wait_for()
    page.get_by_role("button", name="Solve", exact=True).wait_for()
    fits(page)
    assert serious_findings(page) == []
