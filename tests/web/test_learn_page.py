"""Lessons in the browser: every step, the place that is kept, the sliders and what they show."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from page_fit import fits
from riverboat.errors import UsageError
from riverboat.lessons.explorers import EXPLORERS, bluff_and_call
from riverboat.lessons.texts import Progress, lessons
from riverboat.web.lessons import as_html
from waiting import becomes, wait_until

SLIDERS = next(n for n, step in enumerate(lessons()[1].steps, 1) if step.explore)


def shown(client, path):
    """A page when its cell has run."""
    wait_until(lambda: "Running …" not in client.get(path).text, what=path)
    return client.get(path).text


@given(st.floats(0, 1), st.floats(0, 1))
def test_what_bluffs_and_calls_gain_is_kuhns_arithmetic(bluff, call):
    """A call of 1 wins 3 from a bluff; a bluff meets a king in one of two cases. (Kuhn, 1950.)"""
    found = bluff_and_call(bluff, call)
    bluffs = bluff / (1 + bluff)
    assert found.call_gain == pytest.approx(3 * bluffs - (1 - bluffs), abs=1e-9)
    assert found.bluff_gain == pytest.approx(0.5 - 1.5 * call, abs=1e-9)


@given(st.floats(0, 1))
def test_at_one_bluff_for_three_kings_calls_change_nothing(call):
    assert bluff_and_call(1 / 3, call).value == pytest.approx(-1 / 18)


def test_shares_that_are_none_are_refused(client):
    with pytest.raises(UsageError, match="0 to 1"):
        bluff_and_call(1.5, 0)
    answer = client.get("/api/v1/lessons/bluff-and-call?bluff=2")
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["field"] == "bluff"


def test_sliders_of_lessons_are_known():
    named = {step.explore for lesson in lessons() for step in lesson.steps if step.explore}
    assert named == set(EXPLORERS)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_every_step_of_every_lesson_has_its_words(client, lesson):
    for number, step in enumerate(lesson.steps, 1):
        page = client.get(f"/learn/{lesson.number}/{number}").text
        assert as_html(step.text) in page
        assert (">Think first" in page) == bool(step.answer)
        assert "<script>" not in page.partition("<main")[2]
        assert not re.search(r'href="[^"]*\.md"', page)


def test_a_cell_shows_what_it_prints_and_draws(client):
    page = shown(client, "/learn/1/4")
    assert "[0.33333333, 0.66666667, 0.        ]" in page  # regrets of 1 and 2: a third, two thirds
    assert 'src="/learn/1/9/picture.svg"' in shown(client, "/learn/1/9")
    answer = client.get("/learn/1/9/picture.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text.lstrip().startswith("<?xml")
    assert client.get("/learn/1/1/picture.svg").status_code == 404


def test_the_place_is_kept_and_shared_with_the_terminal(client, site):
    progress = site.settings.folder / "lessons.json"
    assert client.get("/learn/kuhn").headers["location"] == "/learn/2/1"
    assert not progress.exists()
    assert client.post("/learn/2/1").headers["location"] == "/learn/2/2"
    assert Progress(progress).place(2).step == 1
    assert client.get("/learn/2").headers["location"] == "/learn/2/2"
    assert "Go on with lesson 2" in client.get("/learn").text
    last = len(lessons()[1].steps)
    assert client.post(f"/learn/2/{last}").headers["location"] == "/learn"
    assert Progress(progress).place(2).done
    assert client.get("/api/v1/lessons").json()[1]["done"]
    kept = client.put("/api/v1/lessons/2/place", json={"step": 3}).json()
    assert (kept["step"], kept["done"]) == (3, True)
    assert client.put("/api/v1/lessons/2/place", json={"step": 99}).status_code == 422
    assert Progress(progress).place(2).step == 3


@pytest.mark.parametrize("path", ["0", "13", "nothing", "2/0", "2/99", "2/x", "2/٣", "%2e%2e/1"])
def test_a_lesson_or_step_that_is_not_there(client, path):
    assert client.get(f"/learn/{path}").status_code == 404


@pytest.mark.parametrize("text", ["101", "-1", "x", "1.5", "٣", "", "9" * 50])
def test_a_slider_that_cannot_stand_there(client, text):
    answer = client.get(f"/learn/2/{SLIDERS}", params={"bluff": text})
    assert answer.status_code == 422
    assert "Write a whole number from 0 to 100" in answer.text


def test_the_sliders_show_what_the_api_says(client):
    said = client.get("/api/v1/lessons/bluff-and-call?bluff=0.5&call=0.2").json()
    page = client.get(f"/learn/2/{SLIDERS}?bluff=50&call=20").text
    tiles = [text.replace("−", "-") for text in re.findall(r"<b>([^<]*)</b><span>", page)]
    assert tiles == [
        f"{said['value']:+.3f}",
        f"{said['call_gain']:+.2f}",
        f"{said['bluff_gain']:+.2f}",
    ]


def test_a_slider_moves_the_picture(visit):
    page = visit(f"/learn/2/{SLIDERS}")
    page.get_by_text("it makes no difference how often the queen calls").wait_for()
    before = page.locator("#explored .plot").first.inner_html()
    page.get_by_label("The jack bluffs").focus()
    page.keyboard.press("End")
    page.get_by_text("a queen should always call").wait_for()
    becomes(page.locator("#bluff-shown").inner_text, "100 %")
    assert page.locator("#explored .plot").first.inner_html() != before
    page.wait_for_url("**bluff=100**")
    fits(page)
    page.reload()
    page.get_by_text("a queen should always call").wait_for()


def test_a_lesson_is_read_by_keys_and_without_scripts(visit):
    page = visit("/learn/3/1")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/learn/3/2")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/learn/3/1")
    plain = visit("/learn/3", scripts=False)
    plain.get_by_role("button", name="Go on").click()
    plain.wait_for_url("**/learn/3/*")
