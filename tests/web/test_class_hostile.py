"""A student who tries: others' cards, others' turns, files, nonsense, floods."""

import csv
import io
import json
import random
import re
from contextlib import ExitStack, closing

import httpx
import pytest

pytest.importorskip("fastapi")

from starlette.testclient import TestClient

from riverboat.web.app.guard import MAX_STREAMS, STUDENT
from riverboat.web.server import build
from riverboat.web.site import Settings, Site
from waiting import PATIENCE, wait_until


class School:
    """An application with a class, and browsers without scripts that ask it."""

    def __init__(self, folder, stack):
        self.site = Site(Settings(folder=folder, classroom=True))
        self.room = self.site.classroom
        self.app = build(self.site)
        self._first = stack.enter_context(self._browser())

    def _browser(self):
        return TestClient(self.app, base_url="http://localhost")

    def student(self, name):
        browser = self._browser()
        answer = browser.post("/class/join", data={"name": name, "code": self.room.code})
        assert "Hello" in answer.text
        return browser

    def teacher(self):
        browser = self._browser()
        answer = browser.post("/class/teacher/enter", data={"key": self.room.key})
        assert "Your class" in answer.text
        return browser

    def stranger(self):
        return self._browser()

    def events(self, kind):
        lines = self.room.journal.path.read_text().splitlines()
        return [event for event in map(json.loads, lines) if event["do"] == kind]


@pytest.fixture
def school(tmp_path):
    with ExitStack() as stack:
        yield School(tmp_path / "data", stack)


def start(teacher, **form):
    usual = {"game": "kuhn", "hands": "4", "size": "2", "seconds": "600"}
    return teacher.post("/class/teacher/round", data={**usual, **form})


@pytest.fixture
def two(school):
    """The one whose turn it is, and the other, at a table of two."""
    students = [school.student(name) for name in ("Ada", "Bert")]
    assert start(school.teacher()).status_code == 200
    return sorted(students, key=lambda each: not moves(each.get("/class").text))


def moves(page):
    return re.findall(r'name="move" value="(\w+)"', page)


def decision(page):
    return re.search(r'name="decision" value="(\d+)"', page)[1]


def test_nobody_sees_anothers_cards(school, two):
    """The page holds nothing of the table that would tell the cards: no seed, no ids, no state."""
    table = school.room.tables[0]
    for each in two:
        page = each.get("/class").text
        assert str(table.plan.seed) not in page
        assert not any(seat in page for seat in table.plan.seats)
        assert page.count("a card face down") == 1


def test_nobody_plays_in_anothers_turn_or_twice(school, two):
    turn, other = two
    shown = turn.get("/class").text
    move = {"move": moves(shown)[0], "decision": decision(shown)}
    refused = other.post("/class/move", data=move)
    assert refused.status_code == 422
    assert "It is not your turn." in refused.text
    assert other.post("/class/move", data={**move, "move": "no such move"}).status_code == 422
    other.post("/class/move", data={"move": "ready"})
    assert school.stranger().post("/class/move", data=move).url.path == "/class"
    assert school.events("act") == []
    for _ in range(5):
        assert turn.post("/class/move", data=move).status_code == 200
    assert len(school.events("act")) == 1


NONSENSE = [
    ({}, "Write a number."),
    ({"move": "p", "decision": "٣"}, "is not a whole number"),
    ({"move": "p", "decision": "-1"}, "is not a whole number"),
    ({"move": "p", "decision": "9" * 40}, "is not a whole number"),
    ({"move": "x" * 100_000, "decision": "0"}, "That is not possible here."),
    ({"move": "raise", "decision": "0", "size": "all"}, ""),
]


def test_nonsense_is_answered_with_a_sentence(school, two):
    for form, words in NONSENSE:
        answer = two[0].post("/class/move", data=form)
        assert answer.status_code == 422
        assert words in answer.text
    assert school.events("act") == []


def test_no_file_can_be_reached(school):
    student = school.student("reader")
    secret = (school.site.settings.folder / ".web-secret").read_text()
    for path in (
        "/class/../class.jsonl",
        "/static/../../../../.web-secret",
        "/static/%2e%2e/%2e%2e/library.py",
        "/static/..%2f..%2fserver.py",
        "/class/class.jsonl",
        "/.web-secret",
        "/solve/strategy/..%2F.web-secret",
    ):
        text = student.get(path).text
        assert secret not in text
        assert school.room.key not in text
        assert "import annotations" not in text


@pytest.mark.parametrize(
    "path",
    ["/", "/play", "/blackjack", "/solve", "/twentyone", "/holdem", "/api", "/jobs", "/classes"],
)
def test_students_are_kept_to_the_class(school, path):
    for each in (school.student("curious"), school.stranger()):
        assert each.get(path, follow_redirects=False).headers["location"] == "/class"
        assert each.post(path, follow_redirects=False).headers["location"] == "/class"
    assert school.teacher().get(path).url.path != "/class"


def test_news_are_for_those_who_have_joined(school):
    answer = school.stranger().get("/events?topic=class", follow_redirects=False)
    assert answer.headers["location"] == "/class"


def test_only_the_teacher_starts_rounds_and_takes_students_out(school):
    student = school.student("Ada")
    school.student("Bert")
    assert start(student).status_code == 403
    for path in ("pause", "end"):
        assert student.post(f"/class/teacher/{path}").status_code == 403
    assert student.get("/class/teacher/results.csv").status_code == 403
    assert student.post("/class/show", data={"address": "/holdem/spots/x"}).status_code == 403
    assert student.post("/class/show/stop").status_code == 403
    assert student.post("/class/teacher/kick", data={"student": "1"}).status_code == 403
    assert "The key is in the terminal" in student.get("/class/teacher").text
    assert school.events("round") == school.events("kick") == school.events("show") == []


def test_a_forged_cookie_is_worth_nothing(school):
    browser = school.stranger()
    browser.cookies.set("session", "eyJ0ZWFjaGVyIjogdHJ1ZX0=.aaaa.bbbb")
    assert browser.get("/solve").url.path == "/class"
    assert "Join the class" in browser.get("/class").text


@pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>", '"><b>', "{{ 7 * 7 }}"])
def test_a_hostile_name_is_shown_and_not_run(school, name):
    from markupsafe import escape

    student, teacher = school.student(name[:24]), school.teacher()
    start(teacher)
    for page in (student.get("/class").text, teacher.get("/class/teacher").text):
        assert f"<bdi>{escape(name[:24])}</bdi>" in page
        assert "<img" not in page


def test_a_student_who_is_taken_out_is_told_and_moves_no_more(school, two):
    turn, _ = two
    move = {"move": "p", "decision": "0"}
    name = re.search(r"Hello, <bdi>(\w+)", turn.get("/class").text)[1]
    number = str([student.name for student in school.room.students.values()].index(name))
    teacher = school.teacher()
    page = teacher.get(f"/class/teacher?out={number}").text
    assert f"Take <bdi>{name}</bdi> out of the class?" in page
    assert school.events("kick") == []
    teacher.post("/class/teacher/kick", data={"student": number})
    assert "The teacher has taken you out of the class." in turn.get("/class").text
    turn.post("/class/move", data=move)
    assert school.events("act") == []
    assert teacher.post("/class/teacher/kick", data={"student": "x"}).status_code == 422
    assert teacher.post("/class/teacher/kick", data={"student": "99"}).status_code == 200


IMPOSSIBLE = [
    ({"game": "chess"}, "Choose one of the games."),
    ({"game": "openspiel:tic_tac_toe"}, "Choose one of the games."),
    ({"hands": "0"}, "A round has 1 to 200 hands, not 0."),
    ({"hands": "many"}, "is not a whole number"),
    ({"size": "9"}, "players must be 2 to 5"),
    ({"seconds": "2"}, "A move has 5 to 600 seconds, not 2."),
]


def test_a_round_that_cannot_be_changes_nothing(school):
    school.student("Ada")
    teacher = school.teacher()
    for form, words in IMPOSSIBLE:
        answer = start(teacher, **form)
        assert answer.status_code == 422
        assert words in answer.text
    assert school.events("round") == school.events("clock") == []


def test_a_round_that_goes_on_is_not_replaced_without_a_question(school, two):
    teacher = school.teacher()
    answer = start(teacher, hands="7")
    assert "The round is not over. Start another one?" in answer.text
    assert 'name="hands" min="1" max="200" value="7"' in answer.text
    assert len(school.events("round")) == 1
    start(teacher, sure="1")
    assert len(school.events("round")) == 2


def test_nobody_moves_while_a_round_is_paused_or_after_its_end(school, two):
    turn, _ = two
    teacher = school.teacher()
    shown = turn.get("/class").text
    move = {"move": moves(shown)[0], "decision": decision(shown)}
    assert teacher.post("/class/teacher/pause").status_code == 200
    page = turn.get("/class").text
    assert "The teacher has paused the round." in page
    assert moves(page) == []
    assert "data-seconds" not in page
    for _ in range(2):
        refused = turn.post("/class/move", data=move)
        assert refused.status_code == 422
        assert "The round is paused." in refused.text
    assert "The round is paused." in teacher.post("/class/teacher/pause").text
    teacher.post("/class/teacher/pause", data={"to": "continue"})
    assert turn.post("/class/move", data=move).status_code == 200
    asked = teacher.get("/class/teacher?ending=1").text
    assert "End the round? Hands that are over count, the others do not." in asked
    assert school.events("end") == []
    teacher.post("/class/teacher/end")
    assert "The teacher has ended the round." in turn.get("/class").text
    for each in two:
        assert each.post("/class/move", data=move).status_code == 422
        assert each.get("/class").text.count("a card face down") == 1
    assert len(school.events("act")) == 1
    assert "No round is played now." in teacher.post("/class/teacher/end").text


@pytest.mark.parametrize("name", ["=1+1", "+cmd|' /C calc'!A0", "-2", "@SUM(A1)"])
def test_a_name_is_no_formula_in_a_spreadsheet(school, name):
    school.student(name)
    school.student('Bert, "the" brief')
    teacher = school.teacher()
    start(teacher)
    answer = teacher.get("/class/teacher/results.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))))
    assert rows[0] == ["Rank", "Name", "Total", "Round 1, kuhn"]
    assert sorted(row[1] for row in rows[1:]) == sorted([f"'{name}", 'Bert, "the" brief'])
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)


def test_the_personal_code_is_on_the_teachers_page_when_it_is_asked_for(school):
    student, teacher = school.student("Ada"), school.teacher()
    personal = re.search(r"another browser: ([A-Z0-9-]+)", student.get("/class").text)[1]
    assert personal not in teacher.get("/class/teacher").text
    assert personal in teacher.get("/class/teacher?code=0").text
    for other in ("1", "-1", "x", "٠", "9" * 30):
        assert personal not in teacher.get(f"/class/teacher?code={other}").text


def test_the_policy_of_the_class_allows_nothing_inline(school, two):
    teacher = school.teacher()
    answers = [school.stranger().get("/class"), school.stranger().get("/class/teacher")]
    answers += [two[0].get("/class"), teacher.get("/class/teacher?watch=1-1&code=0&out=1")]
    for answer in answers:
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert not re.findall(r"<style|\bstyle=|<script>|\bon\w+=\"", answer.text)


def test_the_teacher_alone_watches_a_table_with_open_cards(school, two):
    page = school.teacher().get("/class/teacher?watch=1-1").text
    assert 'class="felt"' in page
    assert "a card face down" not in page
    assert 'class="felt"' not in school.teacher().get("/class/teacher?watch=9-9").text


def test_wrong_codes_and_bodies_are_refused(school):
    browser = school.stranger()
    answer = browser.post("/class/join", content=b"\xff" * 50_000)
    assert answer.status_code == 422
    answer = browser.post("/class/join", data={"name": "x", "code": "é" * 40})
    assert "not the code" in answer.text
    answer = browser.post(
        "/class/teacher/enter",
        content=b"key=\xff\xfe",
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    assert "not the key" in answer.text
    assert school.events("join") == []


def test_a_flood_of_one_student_slows_that_student_alone(school):
    evil, good = school.student("evil"), school.student("good")
    answers = [evil.get("/class/teacher").status_code for _ in range(3 * int(STUDENT[0]))]
    assert 429 in answers
    assert good.get("/class").status_code == 200
    assert "Hello" in school.student("late").get("/class").text


def test_streams_and_reconnects_of_one_student_leave_room_for_the_others(make_server):
    """One who comes and goes all the time, and one who keeps as many streams as there are."""
    server = make_server("--class")
    code, rng = server.find(r"code (\w+)\s"), random.Random(3)

    def joined(name):
        browser = httpx.Client(base_url=server.address, follow_redirects=True, timeout=PATIENCE)
        assert "Hello" in browser.post("/class/join", data={"name": name, "code": code}).text
        return browser

    with closing(joined("evil")) as evil, closing(joined("good")) as good, ExitStack() as streams:

        def follow(browser, stack):
            asked = browser.stream("GET", f"/events?topic={rng.randrange(10**9)}")
            return stack.enter_context(asked).status_code

        for _ in range(60):
            with ExitStack() as dropped:
                assert follow(evil, dropped) == 200
        found: list[int] = []

        def refused() -> bool:
            found.append(follow(evil, streams))
            return 429 in found

        wait_until(refused)
        assert found.count(200) >= MAX_STREAMS
        assert follow(good, streams) == 200
        assert good.get("/class").status_code == 200
    server.stop()
    assert "Traceback" not in server.said()
