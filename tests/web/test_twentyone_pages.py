"""A tournament of 18 from the page, its results, the replay of its log, and a learning curve."""

import json

import pytest

pytest.importorskip("nicegui")

from page_fit import fits
from riverboat.twentyone.optimum import optimum
from riverboat.web.log_replay import hands_of_log


def test_a_tournament_of_eighteen_is_played_shown_and_replayed(visit):
    page = visit("/twentyone")
    page.get_by_label("Rounds per table").fill("20")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="The results").click()
    page.get_by_text("Champion:").wait_for()
    # Three tables of six and the final; two of each table go on, and the champion.
    assert page.get_by_text("goes on").count() == 7
    page.get_by_text("hand 1 of 80").wait_for()
    page.keyboard.press("ArrowRight")
    page.get_by_text("hand 2 of 80").wait_for()
    fits(page)


def test_entrants_that_cannot_be_are_refused(visit):
    page = visit("/twentyone")
    page.get_by_label("Entrants").fill("only one = basic")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("2 to 60 entrants, not 1").wait_for()
    visit("/twentyone/tournaments/99999").get_by_role("alert").wait_for()


def test_a_learning_curve_ends_near_the_exact_optimum(visit):
    page = visit("/twentyone/learning")
    page.get_by_role("button", name="Learn").click()
    page.get_by_text("1,000,000 games").nth(1).wait_for()
    best = optimum("points", "reward")[0].reward
    page.get_by_text(f"{best:+.5f}".replace("-", "−")).wait_for()
    below = page.locator("tr", has_text="on-policy").inner_text().split()
    assert float(below[below.index("below") - 1]) < 0.002


def test_the_hands_of_a_log(tmp_path):
    lines = [
        {"event": "log", "version": 2, "game": "twentyone"},
        {"table": 0, "event": "table", "names": ["a", "b"], "games": 1},
        {"table": 0, "event": "deal", "round": 1, "up": "6h", "hands": [["7s", "9s"], None]},
        {"table": 0, "event": "act", "round": 1, "seat": 0, "action": "HIT", "card": "5c"},
        {"table": 0, "event": "round", "round": 1, "dealer": ["Ts", "6h"], "results": ["WIN", ""]},
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert hands_of_log(path) == [
        {
            "table": 1,
            "round": 1,
            "names": ["a", "b"],
            "cards": [["7s", "9s", "5c"], []],
            "dealer": ["Ts", "6h"],
            "results": ["WIN", ""],
        }
    ]
