"""A class of twelve real browser contexts, and a server killed in the middle of a tournament."""

import shutil

import pytest

pytest.importorskip("fastapi")

from axe import serious_findings
from page_fit import fits, go_again
from riverboat.web.classroom.room import Classroom
from riverboat.web.play.session import bot_for
from server_gone import SERVER_GONE
from waiting import autoplay, becomes, wait_until

LEFT = "Number(document.querySelector('[data-seconds]')?.innerText ?? 0)"


def secrets_of(server):
    """The code and the key that the terminal shows."""
    return server.find(r"code (\w+)\s"), server.find(r"key (\S+)\s")


@pytest.fixture(scope="module")
def school(make_server):
    return make_server("--class")


def enter_as_teacher(visit, server, key):
    page = visit("/class/teacher", base=server.address)
    page.fill("input[name=key]", key)
    page.get_by_role("button", name="Enter").click()
    page.wait_for_selector(".qr")
    return page


def join(visit, server, name, code):
    page = visit("/class", base=server.address, width=390)
    page.fill("input[name=name]", name)
    page.fill("input[name=code]", code)
    page.get_by_role("button", name="Join").click()
    page.get_by_role("heading", name=f"Hello, {name}").wait_for()
    return page


def told_by_the_journal(folder, tmp_path):
    """What each student has been told, read from a copy of the class's journal."""
    shutil.copytree(folder, tmp_path / "class")
    room = Classroom(tmp_path / "class", bot_for)
    return {
        student.name: "\n".join(table.lines[table.place_of(identity)])
        for identity, student in room.students.items()
        if (table := room.table_of(identity)) is not None
    }


def test_a_class_of_twelve_plays_a_round_and_goes_on_after_a_crash(visit, school, tmp_path):
    code, key = secrets_of(school)
    teacher = enter_as_teacher(visit, school, key)
    students = [join(visit, school, f"student {i + 1}", code) for i in range(12)]
    teacher.get_by_text("student 12").first.wait_for()
    teacher.get_by_label("Hands").fill("4")
    teacher.get_by_role("button", name="Start the round").click()
    teacher.locator(".table-card").nth(5).wait_for()

    for each in (students[0], teacher):
        fits(each)
        assert serious_findings(each) == []
    autoplay(students)
    students[0].locator(".log", has_text="Hand 3 of 4").wait_for()
    autoplay(students, on=False)
    told = [page.locator(".log").inner_text() for page in students]
    visit.forgiven = SERVER_GONE
    school.kill()
    written = told_by_the_journal(school.folder / "class", tmp_path)
    school.restart()
    for number, (page, before) in enumerate(zip(students, told, strict=True), 1):
        go_again(page, school.address + "/class")
        page.wait_for_selector(".log")
        # Every line that anybody was shown is there again, and every line that was written down;
        # below them only what has happened since.
        after = page.locator(".log").inner_text()
        assert after.startswith(before)
        assert after.startswith(written[f"student {number}"])
    go_again(teacher, school.address + "/class/teacher")
    teacher.locator(".table-card").nth(5).wait_for()
    autoplay(students)
    over = teacher.locator(".table-card", has_text="over")
    becomes(over.count, 6)
    scores = teacher.get_by_role("region", name="Ranking").locator("td.r").all_inner_texts()
    assert sum(float(s.replace("−", "-")) for s in scores) == pytest.approx(0)


def test_a_student_comes_back_from_another_browser_with_the_score(visit, school):
    code, key = secrets_of(school)
    page = join(visit, school, "traveller", code)
    words = page.get_by_text("To return from another browser").inner_text()
    personal = words.rpartition(" ")[2]
    other = visit("/class", base=school.address, width=390)
    other.get_by_text("I have joined before").click()
    other.fill("input[name=code]", code)
    other.fill("input[name=name]", "traveller")  # as browsers do by themselves
    other.fill("input[name=personal]", personal)
    other.get_by_role("button", name="Join").click()
    other.get_by_role("heading", name="Hello, traveller").wait_for()
    teacher = enter_as_teacher(visit, school, key)
    teacher.locator("td", has_text="traveller").nth(1).wait_for()
    assert teacher.locator("td", has_text="traveller").count() == 2  # a student, ranked once
    students = teacher.locator("section", has_text="Students").first
    assert personal not in students.inner_text()  # the page may be shown on a wall
    students.get_by_role("button", name="show code of traveller").click()
    students.get_by_text(personal).wait_for()


def test_the_clock_counts_down_and_says_that_it_moved(visit, make_server):
    server = make_server("--class")
    code, key = secrets_of(server)
    student = join(visit, server, "slow", code)
    teacher = enter_as_teacher(visit, server, key)
    teacher.get_by_label("Seconds per move").fill("5")
    teacher.get_by_role("button", name="Start the round").click()
    clock = student.locator("[data-seconds]")
    clock.wait_for()
    # Where the browser was held up, the time may be over by now, and the clock gone.
    wait_until(lambda: student.evaluate(LEFT) <= 4)
    student.locator(".note", has_text="Time was up: the clock").wait_for()
    assert "the clock" in student.locator(".log").inner_text()


def test_a_long_name_widens_no_page(visit, make_server):
    server = make_server("--class")
    code, key = secrets_of(server)
    student = join(visit, server, "W" * 24, code)
    teacher = enter_as_teacher(visit, server, key)
    teacher.locator("td", has_text="W" * 24).nth(1).wait_for()
    fits(teacher)
    teacher.get_by_role("button", name="Start the round").click()
    student.locator("[data-seconds]").wait_for()
    fits(student)


def test_students_are_kept_to_their_pages(visit, school):
    code, _ = secrets_of(school)
    page = join(visit, school, "curious", code)
    for path in ("/", "/play/kuhn", "/solve", "/blackjack", "/solve/strategy/x.rb"):
        page.goto(school.address + path)
        assert page.url == school.address + "/class"
    page.goto(school.address + "/class/teacher")
    page.get_by_text("The key is in the terminal").wait_for()


def test_a_wrong_code_and_a_wrong_key_are_said(visit, school):
    visit.forgiven = ("422",)
    page = visit("/class", base=school.address)
    page.fill("input[name=name]", "<img src=x onerror=alert(1)>")
    page.fill("input[name=code]", "NOCODE")
    page.get_by_role("button", name="Join").click()
    page.get_by_role("alert").get_by_text("not the code").wait_for()
    page.goto(school.address + "/class/teacher")
    page.fill("input[name=key]", "guess")
    page.get_by_role("button", name="Enter").click()
    page.get_by_role("alert").get_by_text("not the key").wait_for()


def test_a_student_is_taken_out(visit, school):
    code, key = secrets_of(school)
    page = join(visit, school, "noisy", code)
    teacher = enter_as_teacher(visit, school, key)
    teacher.get_by_label("take out noisy").click()
    teacher.get_by_role("button", name="Cancel").click()
    assert page.get_by_text("taken you out").count() == 0
    teacher.get_by_label("take out noisy").click()
    teacher.get_by_role("button", name="Take out", exact=True).last.click()
    page.get_by_text("taken you out").first.wait_for()
