"""Studies in the browser: chapters added from a desk, opened, ordered, exchanged as files."""

import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from axe import serious_findings
from page_fit import fits
from riverboat.arena.study import MAX_BYTES, Chapter, Study
from riverboat.holdem.spots.solve import solve_spot
from riverboat.web.server import build
from riverboat.web.site import Settings, Site
from riverboat.web.studies import CHANGED
from solved_spots import NAME, polar, put
from waiting import wait_until

NOTE = "Aces bet.\n\n<b>Queens</b> bluff half of the time."


@pytest.fixture(scope="module")
def solved():
    return solve_spot(polar(), target="0.02%")


@pytest.fixture
def desk(site, solved):
    return put(site.settings.folder, solved)


def filled(client, path):
    """A page that has all its parts: some may be computed for a moment."""
    wait_until(lambda: "waiting-" not in client.get(path).text)
    return client.get(path).text


def add(client, address, study="River play", title="A check", note=NOTE):
    form = {"address": address, "study": study, "title": title, "note": note}
    return client.post("/add-to-study", data=form)


def titles(site, name="River play"):
    return [chapter.title for chapter in site.studies.find(name).study.chapters]


def version(client, name="River play"):
    return re.search(r'name="seen" value="(\w+)"', client.get(f"/studies/{name}").text)[1]


@pytest.fixture
def three(client, site, desk):
    """A study of three chapters: two nodes of a spot and a step of a lesson."""
    add(client, f"{desk}?node=r%3A0%3Ac&show=ev&hand=QQ")
    add(client, desk, title="The start", note="")
    add(client, "/learn/2/8?bluff=50&call=20", title="Bluffs")
    return "/studies/River%20play"


def test_a_desk_is_added_and_the_chapter_opens_it_in_that_state(client, site, desk):
    page = filled(client, f"{desk}?node=r%3A0%3Ac&show=ev&hand=QQ")
    address = re.search(r'name="address" value="([^"]+)"', page)[1].replace("&amp;", "&")
    assert address == f"{desk}?node=r%3A0%3Ac&hand=QQ&show=ev"
    assert 'name="title" value="After check"' in page
    answer = add(client, address)
    assert answer.status_code == 303
    assert parse_qs(urlsplit(answer.headers["location"]).query) == {
        "node": ["r:0:c"], "show": ["ev"], "hand": ["QQ"], "chapter": ["River play/1"],
    }  # fmt: skip
    opened = client.get("/studies/River%20play/1")
    assert opened.status_code == 303
    assert opened.headers["location"] == answer.headers["location"]
    shown = filled(client, opened.headers["location"])
    assert "&lt;b&gt;Queens&lt;/b&gt; bluff" in shown
    assert "chapter 1 of 1" in shown
    assert "IP to act" in shown
    links = re.findall(rf'href="{desk}\?([^"]+)"', shown)
    assert links
    assert all("chapter=River+play%2F1" in link for link in links)
    assert f'value="{desk}?node=r%3A0%3Ac&amp;hand=QQ&amp;show=ev"' in shown  # without the chapter


def test_chapters_have_neighbours(client, three, desk):
    shown = filled(client, client.get(f"{three}/2").headers["location"])
    assert f'href="{three}/1" data-key="p"' in shown
    assert f'href="{three}/3" data-key="n"' in shown
    lesson = client.get(client.get(f"{three}/3").headers["location"]).text
    assert "chapter 3 of 3" in lesson
    assert 'data-key="n"' not in lesson
    assert client.get("/learn/2/8?chapter=River+play%2F9").text.count("chapter-bar") == 0


def test_a_study_is_there_after_a_restart(client, three, site):
    from starlette.testclient import TestClient

    later = build(Site(Settings(folder=site.settings.folder)))
    with TestClient(later, base_url="http://localhost", follow_redirects=False) as again:
        location = again.get(f"{three}/1").headers["location"]
        assert location == client.get(f"{three}/1").headers["location"]
        assert "IP to act" in filled(again, location)


def test_a_chapter_whose_spot_is_gone_says_so(client, three, site, desk):
    run = site.spot_runs.find(NAME)
    site.spot_runs.known.clear()
    for file in run.folder.iterdir():
        file.unlink()
    answer = client.get(f"{three}/1")
    assert answer.status_code == 404
    assert "The spot of this chapter is gone" in answer.text
    assert "Aces bet." in answer.text
    assert f'href="{three}/2" data-key="n"' in answer.text
    assert client.get(three).text.count(">gone<") == 2
    assert client.get(f"{three}/3").status_code == 303


def test_chapters_are_moved_edited_and_deleted_and_the_study_renamed_and_deleted(
    client, three, site
):
    seen = version(client)
    client.post(f"{three}/3", data={"seen": seen, "do": "move", "to": "2"})
    assert titles(site) == ["A check", "Bluffs", "The start"]
    seen = version(client)
    client.post(f"{three}/1", data={"seen": seen, "title": "Checked to", "note": "a\r\n\r\nb"})
    assert site.studies.find("River play").study.chapter(1).note == "a\n\nb"
    client.post(f"{three}/2", data={"seen": version(client), "do": "delete"})
    assert titles(site) == ["Checked to", "The start"]
    answer = client.post(f"{three}/rename", data={"name": "Rivers"})
    assert answer.headers["location"] == "/studies/Rivers"
    assert titles(site, "Rivers") == ["Checked to", "The start"]
    assert client.get(three).status_code == 404
    assert client.post("/studies/Rivers/delete").headers["location"] == "/studies"
    assert site.studies.names() == []


def test_what_was_changed_meanwhile_is_left_alone(client, three, site):
    """In two tabs: the number of the first one is another chapter by now."""
    seen = version(client)
    client.post(f"{three}/1", data={"seen": seen, "do": "delete"})
    for form in ({"do": "delete"}, {"do": "move", "to": "2"}, {"title": "x", "note": ""}):
        answer = client.post(f"{three}/1", data={"seen": seen, **form})
        assert answer.status_code == 422
        assert CHANGED in answer.text
    assert titles(site) == ["The start", "Bluffs"]


REFUSED = [
    ({"study": " "}, "study", "Write a name."),
    ({"study": "../x"}, "study", "A name has no slashes"),
    ({"study": ".hidden"}, "study", "does not begin with a dot"),
    ({"study": "x" * 61}, "study", "at most 60 letters, not 61"),
    ({"study": "a\x00b"}, "study", "no control characters"),
    ({"title": ""}, "title", "Write a title."),
    ({"title": "x" * 81}, "title", "at most 80 letters"),
    ({"note": "x" * 4_001}, "note", "at most 4,000 letters"),
    ({"address": "//evil.example"}, "address", "A chapter opens a solved spot"),
    ({"address": "/class/teacher"}, "address", "A chapter opens a solved spot"),
    ({"address": ""}, "address", "A chapter opens a solved spot"),
]


@pytest.mark.parametrize(("form", "field", "words"), REFUSED)
def test_what_is_refused_is_said_at_its_field_and_changes_nothing(
    client, three, site, form, field, words
):
    usual = {"study": "River play", "title": "One more", "note": "kept", "address": "/learn/1/1"}
    answer = client.post("/add-to-study", data={**usual, **form})
    assert answer.status_code == 422
    said = re.search(rf'id="add-{field}-problem" role="alert">([^<]*)', answer.text)[1]
    assert words in said
    assert len(titles(site)) == 3
    if field != "note":
        assert "kept</textarea>" in answer.text


def test_a_study_leaves_as_a_file_and_comes_back_under_another_name(client, three, site):
    answer = client.get(f"{three}/export")
    assert "River%20play.study" in answer.headers["content-disposition"]
    files = {"file": ("C:\\studies\\Mine.study", answer.content)}
    made = client.post("/studies/import", files=files)
    assert made.headers["location"] == "/studies/Mine"
    assert site.studies.find("Mine").study == site.studies.find("River play").study
    again = client.post("/studies/import", files=files)
    assert again.status_code == 422
    assert "There is a study Mine already" in again.text
    other = client.post("/studies/import", files=files, data={"name": "Theirs"})
    assert other.headers["location"] == "/studies/Theirs"


EMPTY = Study().format().encode()
NO_FILES = [
    (b"", "is no study"),
    (b"\xff\xfe\x00", "it is no text"),
    (b"[" * 5_000, "is no TOML"),
    (b'riverboat = "study"\nversion = 9', "of another version"),
    (EMPTY + b'\n[[chapter]]\ntitle = "x"\naddress = "//evil"', "A chapter opens"),
    (b"#" * (MAX_BYTES + 1), "too large"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "words"), NO_FILES)
def test_a_file_that_is_no_study_is_refused(client, site, raw, words):
    answer = client.post("/studies/import", files={"file": ("x.study", raw)})
    assert answer.status_code == 422
    assert words in re.search(r'id="import-file-problem" role="alert">([^<]*)', answer.text)[1]
    assert site.studies.names() == []


def test_a_damaged_study_is_listed_and_can_be_deleted(client, site):
    site.settings.folder.mkdir(exist_ok=True)
    (site.settings.folder / "broken.study").write_text("nonsense")
    assert "damaged" in client.get("/studies").text
    page = client.get("/studies/broken")
    assert "broken is no TOML" in page.text
    assert str(site.settings.folder) not in page.text
    assert client.get("/studies/broken/export").status_code == 422
    assert client.get("/studies/broken/1").status_code == 404
    assert client.post("/studies/broken/delete").status_code == 303


def test_the_api_lists_reads_and_adds(client, three):
    listed = client.get("/api/v1/studies").json()
    assert [study["name"] for study in listed] == ["River play"]
    read = client.get("/api/v1/studies/River play").json()
    assert [(c["number"], c["kind"], c["there"]) for c in read["chapters"]] == [
        (1, "spot", True), (2, "spot", True), (3, "lesson", True),
    ]  # fmt: skip
    new = {"title": "From a program", "address": "/learn/1/1"}
    made = client.post("/api/v1/studies/River play", json=new)
    assert made.status_code == 201
    assert made.json()["chapters"][3]["title"] == "From a program"
    refused = client.post("/api/v1/studies/River play", json={**new, "address": "//evil"})
    assert refused.status_code == 422
    assert refused.json()["problems"][0]["field"] == "address"
    assert client.get("/api/v1/studies/none").status_code == 404


def test_the_library_knows_studies(client, three):
    files = client.get("/api/v1/library").json()
    assert [(file["kind"], file["page"]) for file in files] == [("study", three)]


@pytest.fixture
def shown(server, solved):
    """The desk of the polar river and a study of it on the server of `visit`."""
    address = put(server.folder, solved)
    first = Chapter("After a check", f"{address}?node=r%3A0%3Ac", "Queens give up here.")
    second = Chapter("The start", address, "Aces bet, and half of the queens bluff.")
    Study((first, second)).save(server.folder / "Rivers.study")
    return address


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_chapters_are_walked_by_keys(visit, shown, width):
    page = visit("/studies/Rivers/1", width=width)
    page.get_by_text("IP to act").wait_for()
    page.get_by_text("Queens give up here.").wait_for()
    fits(page)
    assert serious_findings(page) == []
    page.wait_for_load_state()
    page.keyboard.press("n")
    page.get_by_text("chapter 2 of 2").wait_for()
    page.get_by_text("OOP to act").wait_for()
    page.wait_for_load_state()
    page.keyboard.press("1")  # one may look around and come back
    page.get_by_text("IP to act").wait_for()
    page.get_by_role("link", name="The start").click()
    page.get_by_text("OOP to act").wait_for()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_a_chapter_is_added_from_the_desk_and_ordered(visit, shown, width):
    page = visit(f"{shown}?{urlencode({'node': 'r:0:b100'})}", width=width)
    page.get_by_text("IP to act").wait_for()
    page.get_by_title("Add to a study").click()
    page.get_by_label("Title").fill("Facing the bet")
    page.get_by_label("Note").fill("Kings call half of the time.")
    fits(page)
    assert serious_findings(page) == []
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("chapter 3 of 3").wait_for()
    page.get_by_role("link", name="Rivers").click()
    page.get_by_role("heading", name="Rivers").wait_for()
    fits(page)
    assert serious_findings(page) == []
    page.get_by_role("button", name="Move Facing the bet up").click()
    page.locator("#chapter-2", has_text="Facing the bet").wait_for()
