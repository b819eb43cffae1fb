"""Spots as files: uploads and pasted texts, downloads, undo, and bytes that are none of these."""

import html
import random
import re
from importlib import resources

import pytest
from starlette.testclient import TestClient

from riverboat.errors import UsageError
from riverboat.holdem.spots.solve import solve_spot
from riverboat.holdem.spots.solved import load_spot
from riverboat.holdem.spots.spot import Spot
from riverboat.web.app import pasted
from riverboat.web.app.pasted import MAX_BYTES, PastedTexts
from riverboat.web.holdem import spot_runs
from riverboat.web.holdem.spot_runs import SpotRuns
from riverboat.web.server import build
from riverboat.web.site import Settings, Site
from solved_spots import NAME, polar, put
from waiting import wait_until

SCRIPT = polar().to_pio_script()


@pytest.fixture(autouse=True)
def no_processes(monkeypatch):
    """Kernels are not loaded in the background, and what is begun waits."""
    monkeypatch.setattr(SpotRuns, "prepare_once", lambda self: None)
    monkeypatch.setattr(SpotRuns, "poll", lambda self: None)


@pytest.fixture(scope="module")
def solved():
    return solve_spot(polar(), target="0.5%")


@pytest.fixture(scope="module")
def solution(solved, tmp_path_factory):
    path = tmp_path_factory.mktemp("solved") / "polar.rb"
    solved.save(path)
    return path.read_bytes()


def upload(client, name, data):
    return client.post("/holdem/spots/open", files={"file": (name, data)})


def fields(page):
    line = (
        r'<(?:input class="field[^"]*"[^>]*?|textarea[^>]*?) name="([^"]+)"'
        r'(?: value="([^"]*)")?[^>]*>([^<]*)'
    )
    return {name: html.unescape(value or text) for name, value, text in re.findall(line, page)}


def form_of(client, address):
    """The fields that a browser would send back."""
    page = client.get(address).text
    fresh = re.search(r'name="fresh" value="([^"]*)"', page)
    own = {name: text for name, text in fields(page).items() if name not in ("file", "text")}
    return {**own, **({"fresh": html.unescape(fresh[1])} if fresh else {})}


def problem(answer, name):
    found = re.search(rf'id="{name}-problem" role="alert">([^<]*)<', answer.text)
    return html.unescape(found[1]) if found else ""


@pytest.mark.parametrize("text", [polar().to_toml(), SCRIPT])
def test_a_spot_that_is_uploaded_or_pasted_fills_the_form(client, text):
    for answer in (
        upload(client, "C:\\spots\\river.toml", b"\xef\xbb\xbf" + text.encode()),
        client.post("/holdem/spots/open", data={"text": text}),
    ):
        assert answer.status_code == 303
        filled = form_of(client, answer.headers["location"])
        assert (filled["pot"], filled["stack-0"], filled["range-0"]) == ("100", "100", "AA,QQ")


def test_an_opened_spot_overwrites_nothing_that_was_typed(client):
    client.post("/holdem/spots/form", data={**form_of(client, "/holdem/spots"), "pot": "77"})
    opened = client.post("/holdem/spots/open", data={"text": SCRIPT}).headers["location"]
    assert form_of(client, "/holdem/spots")["pot"] == "77"
    client.post("/holdem/spots/form", data={**form_of(client, opened), "pot": "101"})
    pots = []
    for _ in range(3):
        values = form_of(client, "/holdem/spots")
        pots.append(values["pot"])
        client.post("/holdem/spots/form", data={**values, "step": "undo"})
    assert pots == ["101", "100", "77"]


def test_a_solution_that_is_uploaded_lies_on_a_desk_and_is_kept_once(client, site, solution):
    first = upload(client, "my river.rb", solution)
    assert first.status_code == 303
    assert upload(client, "another name.rb", solution).headers == first.headers
    run = site.spot_runs.find(first.headers["location"].rpartition("/")[2])
    assert (run.label, run.solved) == ("my river", True)
    assert run.path.read_bytes() == solution
    run.rename("renamed")
    upload(client, "my river.rb", solution)
    assert site.spot_runs.find(run.name).label == "renamed"


def test_what_is_downloaded_is_the_spot(client, site, solved, solution, tmp_path):
    address = put(site.settings.folder, solved)
    toml = client.get(f"{address}/file/toml")
    assert Spot.from_toml(toml.text) == polar()
    assert "attachment" in toml.headers["content-disposition"]
    assert client.get(f"{address}/file/pio").text == SCRIPT
    (tmp_path / "back.rb").write_bytes(client.get(f"{address}/file/rb").content)
    assert load_spot(tmp_path / "back.rb").spot == polar()
    assert client.get(f"/api/v1/holdem/spots/{NAME}/file/toml").text == toml.text
    assert client.get(f"{address}/file/exe").status_code == 422
    assert client.get("/holdem/spots/nosuchspot/file/toml").status_code == 404
    opened = client.post("/holdem/spots/open", data={"text": SCRIPT}).headers["location"]
    query = opened.partition("?")[2]
    assert client.get(f"/holdem/spots/form/pio?{query}").text == SCRIPT


def test_a_form_with_a_mistake_or_without_words_in_a_script_gives_no_file(client):
    client.post("/holdem/spots/form", data={**form_of(client, "/holdem/spots"), "dead": "9h"})
    answer = client.get("/holdem/spots/form/pio")
    assert answer.status_code == 422
    assert "cannot say which cards are dead" in answer.text
    assert "dead = " in client.get("/holdem/spots/form/toml").text
    client.post("/holdem/spots/form", data={**form_of(client, "/holdem/spots"), "pot": "x"})
    assert client.get("/holdem/spots/form/toml").status_code == 422


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.toml", b"", "empty.toml is empty."),
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(64), "picture.png is none of these"),
        ("words.txt", b"hello", "The spot is no TOML"),
        ("big.toml", b"x" * 300_000, "at most 200,000 characters"),
        ("half.rb", None, "half.rb"),
        ("kuhn.rb", (8).to_bytes(8, "little") + b'{"a":{}}', "kuhn.rb"),
        ("<b>.rb", b"\x01", "<b>.rb is none of these"),
    ],
)
def test_a_file_that_is_nothing_of_this_is_refused_at_its_field(
    client, site, solution, name, data, words
):
    answer = upload(client, name, solution[: len(solution) // 2] if data is None else data)
    assert answer.status_code == 422
    assert words in problem(answer, "file")
    assert "/tmp" not in problem(answer, "file")
    assert not list(site.spot_runs.folder.glob("*/job.json"))


def test_a_text_that_is_nothing_of_this_is_refused_at_its_field(client):
    for text, words in (("", "Choose a file, or paste"), ("board = 1", "table [ranges]")):
        answer = client.post("/holdem/spots/open", data={"text": text})
        assert answer.status_code == 422
        assert words in problem(answer, "text")
        assert fields(answer.text)["text"].strip() == text


def test_a_spot_of_omaha_is_refused_whatever_its_form(client, site):
    text = (resources.files("riverboat") / "examples" / "omaha.toml").read_text()
    answer = client.post("/holdem/spots/open", data={"text": text})
    assert answer.status_code == 422
    assert "the spot is of omaha" in problem(answer, "text")


def test_any_bytes_are_opened_or_refused_in_a_sentence(client, solution):
    chance = random.Random(20261119)
    sources = [solution, SCRIPT.encode(), polar().to_toml().encode(), bytes(200)]
    for _ in range(150):
        data = bytearray(chance.choice(sources))
        for _ in range(chance.randint(1, 8)):
            at = chance.randrange(len(data))
            data[at : at + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 3))
        answer = upload(client, "fuzzed", bytes(data[: chance.randint(1, len(data))]))
        assert answer.status_code in (303, 422)
        if answer.status_code == 422:
            assert problem(answer, "file")


def test_a_text_is_kept_under_one_name_and_the_oldest_go(tmp_path, monkeypatch):
    texts = PastedTexts(tmp_path)
    name = texts.keep("a spot")
    assert texts.keep("a spot") == name
    assert PastedTexts(tmp_path).read(name) == "a spot"
    for wrong in ("../../etc/passwd", "", "0" * 16, name.upper()):
        with pytest.raises(UsageError, match="paste it again"):
            texts.read(wrong)
    for text in (" ", "x" * (MAX_BYTES + 1)):
        with pytest.raises(UsageError):
            texts.keep(text)
    monkeypatch.setattr(pasted, "MAX_FILES", 5)
    for number in range(7):
        texts.keep(f"text {number}")
    assert len(list(tmp_path.iterdir())) == 5


def test_undo_goes_back_to_what_was_shown_first_and_redo_forward_again(client):
    start = form_of(client, "/holdem/spots")

    def send(**values):
        client.post("/holdem/spots/form", data={**form_of(client, "/holdem/spots"), **values})
        return form_of(client, "/holdem/spots")

    assert send(**{"range-0": "QQ"})["range-0"] == "QQ"
    assert send(**{"range-0_paint": "KK,AA", "range-0_erase": ""})["range-0"] == "QQ+"
    send(**{"range-0_suits": "AA"})  # how one paints is no change
    assert send(step="undo")["range-0"] == "QQ"
    assert send(step="undo")["range-0"] == start["range-0"]
    assert send(step="undo")["range-0"] == start["range-0"]
    assert send(step="redo")["range-0"] == "QQ"
    assert send(step="redo")["range-0"] == "QQ+"
    page = client.get("/holdem/spots").text
    assert re.search(r"data-redo[^>]* disabled", page)
    assert not re.search(r"data-undo[^>]* disabled", page)
    assert send(pot="61", step="undo")["pot"] == "60"  # what was typed and not sent is undone
    assert send(**{"range-1": "JJ"}, step="")["range-1"] == "JJ"
    assert re.search(r"data-redo[^>]* disabled", client.get("/holdem/spots").text)


def test_a_deleted_spot_is_gone_and_comes_back_with_one_press(client, site, solved):
    address = put(site.settings.folder, solved)
    site.spot_runs.find(NAME).rename("my river")
    answer = client.post(f"{address}/delete")
    assert answer.status_code == 303
    page = client.get(answer.headers["location"]).text
    assert "The spot was deleted." in page
    assert "my river" not in page
    assert client.get(address).status_code == 404
    back = client.post(f"{address}/restore")
    assert (back.status_code, back.headers["location"]) == (303, address)
    assert "my river" in client.get("/holdem/spots").text
    assert load_spot(site.spot_runs.find(NAME).path).spot == polar()
    for name in (NAME, "nothingatall", "..", "x"):
        assert client.post(f"/holdem/spots/{name}/restore").status_code in (404, 405, 422)
    assert client.post("/holdem/spots/nothingatall/delete").status_code == 404
    assert client.delete(f"/api/v1/holdem/spots/{NAME}").status_code == 204
    assert client.post(f"/api/v1/holdem/spots/{NAME}/restore").json()["title"] == "my river"


def test_a_spot_that_is_being_solved_is_ended_when_it_is_deleted(client, site):
    toml = polar().to_toml()
    name = client.post("/api/v1/holdem/spots", json={"toml": toml}).json()["name"]
    client.post(f"/holdem/spots/{name}/delete")
    assert site.running_jobs() == []
    client.post(f"/holdem/spots/{name}/restore")
    assert site.spot_runs.find(name).state == "stopped"


def test_the_oldest_deleted_spots_are_forgotten(client, site, solved, monkeypatch):
    monkeypatch.setattr(spot_runs, "MAX_DELETED", 2)
    for number in range(4):
        put(site.settings.folder, solved, f"deleted-{number}")
        client.post(f"/holdem/spots/deleted-{number}/delete")
    answers = [client.post(f"/holdem/spots/deleted-{n}/restore").status_code for n in range(4)]
    assert answers == [422, 422, 303, 303]


def test_a_link_to_a_node_works_after_a_restart(client, site, solved):
    address = put(site.settings.folder, solved)
    shared = f"{address}?node=r%3A0%3Ac&hand=KK"

    def page_of(browser):
        wait_until(lambda: "waiting-" not in browser.get(shared).text)
        return browser.get(shared).text

    first = page_of(client)
    assert f'data-copy="http://localhost{html.escape(shared)}"' in first
    restarted = Site(Settings(folder=site.settings.folder))
    with TestClient(build(restarted), base_url="http://localhost") as other:
        assert re.findall(r"EV <b>[^<]*", page_of(other)) == re.findall(r"EV <b>[^<]*", first)
