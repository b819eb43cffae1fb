"""The teacher's board: shown, followed and stopped; for reading only; rounds paused and ended."""

import re
from contextlib import ExitStack
from urllib.parse import quote

import pytest

pytest.importorskip("fastapi")

from starlette.testclient import TestClient

from axe import serious_findings
from page_fit import fits, go_again
from riverboat.arena.study import Chapter, Study
from riverboat.holdem.spots.solve import solve_spot
from riverboat.web.server import build
from riverboat.web.site import Settings, Site
from server_gone import SERVER_GONE
from solved_spots import NAME, polar, put
from waiting import becomes, wait_until


@pytest.fixture(scope="module")
def solved():
    return solve_spot(polar(), target="0.02%")


class School:
    """A class with a solved spot and a study, and browsers without scripts."""

    def __init__(self, folder, solved, stack):
        self.site = Site(Settings(folder=folder, classroom=True))
        self.desk = put(folder, solved)
        chapter = Chapter("Facing a <bet>", f"{self.desk}?node=r%3A0%3Ab100", "Call half.\n\n<i>")
        Study((chapter, Chapter("The start", self.desk))).save(folder / "Rivers.study")
        self.room = self.site.classroom
        self.app = build(self.site)
        stack.enter_context(self.browser())
        self.teacher = self.browser()
        self.teacher.post("/class/teacher/enter", data={"key": self.room.key})
        self.student = self.browser()
        self.student.post("/class/join", data={"name": "Ada", "code": self.room.code})

    def browser(self):
        return TestClient(self.app, base_url="http://localhost", follow_redirects=False)

    def show(self, node="", chapter="", **headers):
        address = f"{self.desk}?node={quote(node, safe='')}" if node else self.desk
        form = {"address": address, "chapter": chapter}
        return self.teacher.post("/class/show", data=form, headers=headers)

    def board(self):
        wait_until(lambda: "waiting-" not in self.student.get("/class/board").text)
        return self.student.get("/class/board").text


@pytest.fixture
def school(tmp_path, solved):
    with ExitStack() as stack:
        yield School(tmp_path / "data", solved, stack)


def test_the_class_sees_the_board_that_is_shown_and_follows_it(school):
    assert "The teacher shows no board now." in school.board()
    assert "/class/board" not in school.student.get("/class").text
    answer = school.show("r:0:b100")
    assert answer.headers["location"] == f"{school.desk}?node=r%3A0%3Ab100"
    assert 'href="/class/board"' in school.student.get("/class").text
    page = school.board()
    assert "IP to act" in page
    shown = dict(re.findall(r"<span>(fold|call)</span> <b>([\d.]+)", page))
    at = solve_spot(polar(), target="0.02%").at("r:0:b100").summary().strategy
    assert shown == {name: f"{100 * share:.1f}" for name, share in at.items()}
    school.show()
    assert "OOP to act" in school.board()
    assert "IP to act" not in school.board()
    school.teacher.post("/class/show/stop")
    assert "The teacher shows no board now." in school.board()


def test_a_chapter_is_shown_with_title_and_note_as_text(school):
    school.show("r:0:b100", "Rivers/1")
    page = school.board()
    assert "<bdi>Facing a &lt;bet&gt;</bdi>" in page
    assert "Call half.\n\n&lt;i&gt;" in page
    school.show("", "Rivers/2")
    assert "Call half." not in school.board()


def test_the_board_leads_nowhere_and_names_nothing_of_the_server(school):
    """Students see the one node that is shown: no link to the desk, no name of spot or study."""
    school.show("r:0:b100", "Rivers/1")
    page = school.board()
    assert set(re.findall(r'(?:href|action|hx-get)="(/[^"]*)"', page)) <= {
        "/class", "/class/board", *re.findall(r'href="(/static/[^"]*)"', page),
    }  # fmt: skip
    for secret in (
        NAME,
        "/holdem/",
        "Rivers",
        "/studies/",
        str(school.site.settings.folder),
        "r:0",
    ):
        assert secret not in page
    assert "unsafe" not in school.student.get("/class/board").headers["content-security-policy"]
    assert not re.findall(r"<style|\bstyle=|<script>|\bon\w+=\"", page)


CLOSED = ["/studies", "/studies/Rivers/1", "/studies/Rivers/export", "/add-to-study"]


@pytest.mark.parametrize("path", [*CLOSED, f"/holdem/spots/{NAME}", "/api/v1/studies"])
def test_students_reach_no_study_and_no_desk(school, path):
    school.show("r:0:b100", "Rivers/1")
    for each in (school.student, school.browser()):
        assert each.get(path).headers["location"] == "/class"
        assert each.post(path).headers["location"] == "/class"


def test_students_choose_nothing_at_the_board(school):
    school.show("r:0:b100")
    page = school.board()
    for query in ("node=r:0", "chapter=Rivers/1", "address=/holdem/spots/x", "show=ev&hand=AA"):
        assert school.student.get(f"/class/board?{query}").text == page
    assert "Call half." not in school.student.get("/class?chapter=Rivers/1").text
    assert school.student.post("/class/show", data={"address": school.desk}).status_code == 403
    assert school.student.post("/class/show/stop").status_code == 403
    assert school.room.shown.address.endswith("b100")
    assert school.browser().get("/class/board").headers["location"] == "/class"
    school.room.do({"do": "kick", "id": next(iter(school.room.students))})
    assert school.student.get("/class/board").headers["location"] == "/class"


WRONG = [
    ("", "A chapter opens"),
    ("//evil.example", "A chapter opens"),
    ("/learn/1/1", "Only solved spots"),
    ("/holdem/spots/nothing", "There is no such spot"),
]


@pytest.mark.parametrize(("address", "words"), WRONG)
def test_what_cannot_be_shown_is_refused_and_changes_nothing(school, address, words):
    school.show("r:0:c")
    answer = school.teacher.post("/class/show", data={"address": address})
    assert answer.status_code == 422
    assert words in answer.text
    assert school.room.shown.address == f"{school.desk}?node=r%3A0%3Ac"
    back = school.teacher.post("/class/show/stop", data={"back": "//evil.example"})
    assert back.headers["location"] == "/class/teacher"


def test_a_node_or_a_spot_that_is_not_there_is_said(school):
    school.show("r:0:b7")
    assert "is not there any more" in school.board()
    school.show()
    run = school.site.spot_runs.find(NAME)
    school.site.spot_runs.known.clear()
    for file in run.folder.iterdir():
        file.unlink()
    assert "is not there any more" in school.board()


def test_the_desk_says_what_the_class_sees_and_lets_it_follow(school):
    def desk(query=""):
        wait_until(lambda: "waiting-" not in school.teacher.get(school.desk + query).text)
        return school.teacher.get(school.desk + query).text

    assert "Show this to the class" in desk()
    school.show()
    assert "The class sees this board" in desk()
    assert "follow-" not in desk()
    moved = desk("?node=r%3A0%3Ac")
    assert 'hx-trigger="load, submit"' in moved
    assert f'name="address" value="{school.desk}?node=r%3A0%3Ac"' in moved
    answer = school.show("r:0:c", **{"HX-Trigger": "follow-7"})
    assert answer.status_code == 204
    assert "IP to act" in school.board()


def test_the_board_is_drawn_once_for_all(school):
    school.show("r:0:b100")
    first = school.board()
    drawn = school.room.drawn
    assert school.board() == first
    assert school.room.drawn is drawn


@pytest.fixture(scope="module")
def served(make_server, solved):
    server = make_server("--class")
    desk = put(server.folder, solved)
    first = Chapter("Facing a bet", f"{desk}?node=r%3A0%3Ab100", "Kings call half of the time.")
    second = Chapter("The start", desk, "Aces bet, and half of the queens bluff.")
    Study((first, second)).save(server.folder / "Rivers.study")
    return server


def enter(visit, server):
    page = visit("/class/teacher", base=server.address)
    page.fill("input[name=key]", server.find(r"key (\S+)\s"))
    page.get_by_role("button", name="Enter").click()
    page.wait_for_selector(".qr")
    return page


def join(visit, server, name, width, *, scripts=True):
    page = visit("/class", base=server.address, width=width, scripts=scripts)
    page.fill("input[name=name]", name)
    page.fill("input[name=code]", server.find(r"code (\w+)\s"))
    page.get_by_role("button", name="Join").click()
    page.get_by_role("heading", name=f"Hello, {name}").wait_for()
    return page


@pytest.mark.browser
def test_the_class_follows_the_teachers_board(visit, served):
    phone = join(visit, served, "Ada", 390)
    laptop = join(visit, served, "Bert", 1280)
    plain = join(visit, served, "Cleo", 390, scripts=False)
    teacher = enter(visit, served)
    teacher.goto(served.address + "/studies/Rivers/1")
    teacher.get_by_role("button", name="Show this to the class").click()
    teacher.get_by_text("The class sees this board").wait_for()
    for page in (phone, laptop):
        page.get_by_role("link", name="Look at it").click()
        page.get_by_role("heading", name="Facing a bet").wait_for()
        page.get_by_text("Kings call half of the time.").wait_for()
        page.get_by_text("IP to act").wait_for()
        fits(page)
        assert serious_findings(page) == []
    fits(teacher)
    assert serious_findings(teacher) == []
    teacher.wait_for_load_state()
    teacher.keyboard.press("Backspace")  # another node: the class goes with the teacher
    teacher.get_by_text("OOP to act").wait_for()
    for page in (phone, laptop):
        page.get_by_text("OOP to act").wait_for()
    teacher.wait_for_load_state()
    teacher.keyboard.press("n")  # and to the next chapter
    for page in (phone, laptop):
        page.get_by_role("heading", name="The start").wait_for()
    plain.goto(served.address + "/class/board")
    plain.get_by_text("half of the queens bluff").wait_for()
    visit.forgiven = SERVER_GONE
    served.kill()
    served.restart()
    go_again(phone, served.address + "/class/board")
    phone.get_by_text("OOP to act").wait_for()
    go_again(teacher, served.address + "/studies/Rivers/2")
    teacher.get_by_role("button", name="Stop showing").click()
    phone.get_by_text("The teacher shows no board now.").wait_for()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_a_round_is_paused_killed_continued_and_ended(visit, make_server, width):
    server = make_server("--class")
    student = join(visit, server, "Ada", width)
    teacher = enter(visit, server)
    teacher.get_by_label("Game").select_option("blackjack")
    teacher.get_by_label("Seconds per move").fill("600")
    teacher.get_by_role("button", name="Start the round").click()
    student.locator(".felt", has_text="dealer").wait_for()
    fits(student)
    teacher.get_by_role("button", name="Pause").click()
    student.get_by_text("The teacher has paused the round.").wait_for()
    becomes(student.locator(".btn.move").count, 0)
    becomes(student.locator("[data-seconds]").count, 0)
    fits(teacher)
    assert serious_findings(teacher) == []
    visit.forgiven = SERVER_GONE
    server.kill()
    server.restart()
    go_again(student, server.address + "/class")
    student.get_by_text("The teacher has paused the round.").wait_for()
    go_again(teacher, server.address + "/class/teacher")
    teacher.get_by_role("button", name="Go on").click()
    student.get_by_text("The teacher has paused the round.").wait_for(state="detached")
    teacher.get_by_role("button", name="Pause").wait_for()
    teacher.get_by_role("button", name="End the round").click()
    teacher.get_by_role("button", name="End it").click()
    student.get_by_text("The teacher has ended the round.").wait_for()
    fits(student)
    assert serious_findings(student) == []
    teacher.locator(".table-card", has_text="over").wait_for()
    with teacher.expect_download() as download:
        teacher.get_by_role("link", name="Results as CSV").click()
    assert "Ada" in download.value.path().read_text()
