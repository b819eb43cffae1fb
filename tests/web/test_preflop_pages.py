"""Solutions before the flop opened, walked, compared, printed, drilled; small games solved."""

import random
import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("nicegui")

import riverboat as rb
from own_thread import in_a_thread
from page_fit import fits
from riverboat.errors import ParameterError, RiverboatError
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.web.app.library import Library
from riverboat.web.holdem.preflop_page import saved_solutions
from riverboat.web.holdem.preflop_runs import FIRST, PreflopOrder, keys_of_form
from riverboat.web.holdem.preflop_views import breadcrumb, compare_table, decision_grid, facts
from riverboat.web.holdem.spots_page import form_after
from web_client import RawStudent

NAME = "ten-blinds.rb"


@pytest.fixture(scope="module")
def ten():
    return rb.solve(rb.preflop(stacks=[10, 10]))


@pytest.fixture(scope="module")
def address(ten, server):
    """The page of the solution, which lies in the library."""
    ten.save(server.folder / NAME)
    return f"/holdem/preflop/{NAME}"


# What the page draws, without a browser.


def test_the_way_leads_on_only_where_somebody_acts(ten):
    start = breadcrumb(ten, ten.node())
    assert re.findall('data-pick="([^"]*)"', start) == ["play:a"]
    after = breadcrumb(ten, ten.node("a"))
    assert re.findall('data-pick="([^"]*)"', after) == ["line:start", "line:start"]
    assert "pot 11 big blinds, 9 to call" in after


def test_a_line_that_ends_on_the_flop_leads_to_a_spot_with_its_ranges():
    book = PreflopSolution.load("shipped")
    big_blind = breadcrumb(book, book.node("f-f-f-r2.5-f"), "shipped")
    assert re.findall('href="([^"]*)"', big_blind) == [
        "/holdem/spots?preflop=shipped&amp;line=f-f-f-r2.5-f-c"
    ]
    form = form_after(book, "f-f-f-r2.5-f-c")
    assert (form.pot, form.stacks, form.names) == ("5.5", ["97.5"], ["oop", "ip"])
    spot = form.spot()
    for range_, seat in zip(spot.ranges, ("bb", "btn"), strict=True):
        wanted = book.range_of(seat, "f-f-f-r2.5-f-c")
        assert np.abs(range_.weights - wanted.weights).max() < 1e-3
    three = form_after(book, "f-f-f-r2.5-c-c")
    assert (three.names, three.stacks) == (["sb", "bb", "btn"], ["97.5"] * 3)
    assert three.spot().pot == 7.5
    with pytest.raises(RiverboatError, match="still acts"):
        form_after(book, "f-f-f-r2.5")


def test_what_could_be_gained_at_a_decision_is_shown_where_it_was_measured(ten):
    measured = {"node_gains": [0.5, 0.25], "node_gains_ci95": [0.1, 0.2], "unit": "big blinds"}
    solution = PreflopSolution(ten.title, {}, ten.seats, ten.nodes, measured)
    assert "would gain +0.2500 ± 0.2000 big blinds per hand" in breadcrumb(
        solution, solution.node("a")
    )
    for odd in ({"node_gains": [1]}, {"node_gains": ["x", "y"], "node_gains_ci95": []}):
        assert "would gain" not in breadcrumb(
            PreflopSolution(ten.title, {}, ten.seats, ten.nodes, odd), ten.node("a")
        )


def test_every_class_is_in_the_grid_with_frequencies_and_ev(ten):
    """Folding as the small blind loses half a big blind."""
    grid = decision_grid(ten.node(), ["AA"], "mix")
    assert grid.count("<button") == 169
    assert "72o: fold 100%, all-in 0%, EV −0.50" in grid
    assert grid.count('aria-pressed="true"') == 1
    assert ">−0.50</small>" in decision_grid(ten.node(), [], "ev")


def test_letters_can_be_read_on_every_colour_behind_them(ten):
    """Half fold (light letters) and half all-in (dark ones): light letters with a dark halo."""
    node = replace(ten.node(), frequencies=np.full_like(ten.node().frequencies, 0.5))
    inks = set(re.findall(r"color:(#\w+);text-shadow", decision_grid(node, [], "mix")))
    assert inks == {"#ffffff"}
    called = replace(ten.node(), actions=("c", "a"))
    green = replace(called, frequencies=np.stack([np.full(169, 0.8), np.full(169, 0.2)]))
    assert set(re.findall(r"color:(#\w+);text-shadow", decision_grid(green, [], "mix"))) == {
        "#10151b"
    }


def test_two_hands_are_compared_and_unknown_evs_are_named(ten):
    node = ten.node("a")
    table = compare_table(node, ["AA", "72o"], "big blinds")
    assert "EVs in big blinds" in table
    assert "Remove AA" in table
    assert "−1.000" in table
    unknown = replace(node, values=np.full_like(node.values, np.nan))
    assert "?" in compare_table(unknown, ["AA"])
    assert decision_grid(unknown, [], "ev").count(">?</small>") == 169
    assert "Click a class" in compare_table(node, [])


def test_a_line_that_hardly_occurs_has_words_and_no_grid(ten):
    rare = replace(ten.node("a"), trained=np.zeros(169, bool), chance=0.002)
    solution = PreflopSolution(ten.title, ten.spec, ten.seats, [ten.node(), rare], {})
    grid = decision_grid(rare, ["AA"], "mix")
    assert (
        "BB after SB goes all-in: hardly occurs (once in 500 hands): nothing is recommended."
        in grid
    )
    assert "<button" not in grid
    assert " %" not in breadcrumb(solution, rare)
    assert " %" in breadcrumb(solution, ten.node())


def test_sampled_figures_have_their_intervals_and_bounds(ten):
    node = replace(ten.node("a"), errors=np.full((2, 169), 0.125))
    assert "−1.000 ± 0.125" in compare_table(node, ["72o"])
    info = {"ev": [0.25, -0.25], "ev_ci95": [0.01, 0.02], "gains_below": [0.0039, 0.01]}
    drawn = facts(replace_info(ten, info))
    for words in ("0.2500 ± 0.0100", "-0.2500 ± 0.0200", "below 0.0039", "below 0.010"):
        assert words in drawn


def test_words_of_a_file_are_shown_and_never_run(ten):
    evil = "<script>x</script>"
    node = replace(ten.node(), seat=evil, put={evil: 0.5, "bb": 1.0})
    info = {"unit": evil, "algorithm": evil, "gains": "none", "gains_ci95": [1.0]}
    solution = PreflopSolution(evil, {}, (evil, "bb"), [node], info)
    drawn = breadcrumb(solution, node) + facts(solution)
    drawn += facts(replace_info(solution, {"ev": ["x"], "gains": [None], "iterations": "many"}))
    assert "<script" not in drawn.lower()


def replace_info(solution, info):
    return PreflopSolution(solution.title, {}, solution.seats, solution.nodes, info)


def test_without_a_solution_the_page_says_how_to_make_one(tmp_path):
    words = saved_solutions(Library(tmp_path))
    assert "riverboat holdem preflop before-flop.toml" in words
    assert str(tmp_path) not in words
    assert 'href="/holdem/preflop/shipped"' in words
    name = f"{'long-' * 20}.rb"
    PreflopSolution.load("shipped").save(tmp_path / name)
    assert f'title="{name}"' in saved_solutions(Library(tmp_path))


def test_a_form_is_read_or_refused_by_its_fields():
    assert keys_of_form({**FIRST, "ante": "0.1", "places": "50 30"}) == {
        "game": "push-fold",
        "stacks": [10, 10],
        "blinds": [0.5, 1],
        "ante": 0.1,
        "payouts": {"places": [50, 30]},
    }
    wrong = {"stacks": "ten", "blinds": "1", "ante": "1 2", "places": "first"}
    for name, text in wrong.items():
        with pytest.raises(ParameterError):
            keys_of_form({**FIRST, name: text})
    for stacks in ("", "10", "0.1 10", "1e999 1", "nan 10", "10 " * 9):
        with pytest.raises(RiverboatError):
            PreflopOrder.of_keys(keys_of_form({**FIRST, "stacks": stacks})).check()


def test_a_long_field_is_read_to_its_end():
    text = "10," + " " * 300 + "12.5"
    assert keys_of_form({**FIRST, "stacks": text})["stacks"] == [10, 12.5]
    with pytest.raises(ParameterError, match=r"not 'xxx.*…'"):
        keys_of_form({**FIRST, "stacks": text + " " + "x" * 300})


# In a browser.


def test_a_solution_is_walked_compared_printed_and_drilled(visit, address):
    page = visit("/holdem/preflop")
    page.get_by_role("link", name=NAME).click()
    page.locator(".mixed button").first.wait_for()
    page.keyboard.press("2")
    page.get_by_role("heading", name="Strategy of BB").wait_for()
    page.wait_for_url("**line=a")
    page.go_back()
    page.get_by_role("heading", name="Strategy of SB").wait_for()
    page.go_forward()
    page.get_by_role("heading", name="Strategy of BB").wait_for()
    for name in ("AA", "72o"):
        page.locator(f'.mixed [data-pick="class:{name}"]').click()
        page.get_by_role("button", name=f"Remove {name}").wait_for()
    page.wait_for_url("**hands=AA*72o")
    page.reload()
    page.get_by_role("button", name="Remove 72o").wait_for()
    page.get_by_role("button", name="EV", exact=True).click()
    page.locator(".evs .heat").first.wait_for()
    fits(page)
    page.emulate_media(color_scheme="dark", media="print")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", print_background=True))) == 1
    assert page.locator(".moves").first.is_hidden()
    page.emulate_media(media="screen")
    page.get_by_role("button", name="Drill").click()
    page.wait_for_url("**/drill")
    page = visit(f"{address}/drill?side=bb")
    page.get_by_role("button", name="look up").wait_for()
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
    page.locator('[data-pick="play:r2.5"]').click()
    page.get_by_role("heading", name="Strategy of SB").wait_for()
    page.keyboard.press("1")
    page.get_by_role("heading", name="Strategy of BB").wait_for()
    page.wait_for_url("**line=f-f-f-r2.5-f")
    fits(page)


def test_all_in_or_fold_is_solved_from_the_page(visit):
    page = visit("/holdem/preflop")
    page.get_by_label("Stacks").fill("ten, 10")
    page.get_by_role("button", name="Solve").click()
    page.get_by_role("alert").wait_for()
    page.get_by_label("Stacks").fill("5, 5")
    page.get_by_role("button", name="Solve").click()
    page.wait_for_url("**/all-in-5-5*.rb")
    page.get_by_role("heading", name="All-in or fold, SB 5, BB 5").wait_for()


def test_messages_that_no_page_sends_change_nothing(address, server):
    """Picks of every kind at every element: the server answers on, and reports no error."""
    rng = random.Random(7)
    kinds = ["class:", "line:", "play:", "metric=", "side=", "act:", "next", "?", ""]
    words = ["", "a", "f", "start", "a-a-a", "ZZ", "AA", "ev", "bb", "all-in", "\0", "é" * 3000]
    odd = [None, 3, [], {}, ["class:AA"], {"a": 1}, True, 1e308]

    async def attack():
        for path in (address, f"{address}/drill", "/holdem/preflop"):
            client = RawStudent(server.address)
            await client.load(path)
            clicked = [
                (int(number), event["listener_id"])
                for number, element in client.elements.items()
                for event in element.get("events", [])
                if event["type"] == "click"
            ]
            await client.connect()
            for element, listener in clicked:
                client.listener = listener
                for _ in range(25):
                    text = rng.choice(kinds) + rng.choice(words)
                    await client.pick(rng.choice([text, rng.choice(odd)]), element=element)
            await client.settle()
            await client.close()
        async with RawStudent(server.address).http as http:
            for query in ("?line=a-a", "?line=%00", "?hands=AA,AA,ZZ", "?line=" + "f-" * 500):
                answer = await http.get(address + query)
                assert answer.status_code == 200
            for name in ("..%2f..%2fetc%2fpasswd", ".web-secret", "%00.rb", "x" * 300):
                for page in (f"/holdem/preflop/{name}", f"/holdem/spots?preflop={name}&line=a"):
                    answer = await http.get(page)
                    assert str(server.folder) not in answer.text
                assert "There is no" in answer.text
            answer = await http.get("/holdem/preflop/missing.rb")
            assert "All solutions" in answer.text
            answer = await http.get("/holdem/spots?preflop=shipped&line=f-f-f-r2.5-f-c")
            assert "97.5" in answer.text
            answer = await http.get("/holdem/spots?preflop=shipped&line=f-f-f")
            assert "still acts before the flop" in answer.text

    in_a_thread(attack())
    assert "Traceback" not in server.said()
