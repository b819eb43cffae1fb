"""Solving in the browser: to its end, kept over a restart, walked through, compared."""

import re
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("nicegui")

from page_fit import fits
from riverboat.solvers.result import read_regrets
from riverboat.strategies.kinds import load
from waiting import PATIENCE, becomes, wait_until


@pytest.fixture(scope="module")
def solved(browser, server):
    """Kuhn solved by two algorithms; the address of the run."""
    page = browser.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(server.address + "/solve?game=kuhn")
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("walk the tree").nth(1).wait_for()
    address = page.url.removeprefix(server.address)
    page.close()
    return address


def test_a_solve_to_its_end_is_found_again_by_its_address(visit, solved):
    page = visit(solved)
    page.get_by_text("walk the tree").nth(1).wait_for()
    # Kuhn poker's value for the first player is −1/18.
    text = page.locator("table").inner_text()
    assert text.count("−0.0555") + text.count("−0.0556") == 2
    assert "dcfr" in text
    assert "cfr+" in text


def test_walking_the_tree_shows_every_hand(visit, solved):
    page = visit(f"{solved}/0")
    page.wait_for_selector(".shares")
    assert page.locator("table td:first-child").all_inner_texts() == ["J", "K", "Q"]
    page.locator('[data-pick="go:b"]').click()
    page.get_by_text("Player 2 does").wait_for()
    row = page.locator("tr", has_text="K").inner_text()
    assert "100.0%" in row  # a king always calls
    page.wait_for_url("**node=b")
    page.reload()
    page.get_by_text("Player 2 does").wait_for()


def test_an_infoset_shows_its_mixture_values_and_regrets(visit, solved, server):
    """The figures on the page are those of the file that the solver left."""
    page = visit(f"{solved}/0?node=b")
    page.get_by_text("Player 2 does").wait_for()
    path = next((server.folder / ".web" / "solves" / solved.rpartition("/")[2]).glob("0.rb"))
    regrets = read_regrets(path)
    page.locator('[data-pick="figure=each"]').click()
    page.locator('[data-pick="hand:0"]').click()
    page.locator(".infoset").wait_for()
    page.wait_for_url("**hand=J**")
    # A jack that calls a bet always loses 2 (Kuhn 1950), one that folds loses 1.
    text = page.locator(".infoset").inner_text()
    assert "−2.0000" in text
    assert "−1.0000" in text
    assert f"{regrets.iterations:,} iterations" in text
    fits(page)
    assert regrets.lookup(1, "J|b")["b"] < 0 < regrets.lookup(1, "J|b")["p"]
    page.reload()
    page.locator(".infoset").wait_for()


def test_the_public_tree_opens_branch_by_branch(visit, solved):
    page = visit(f"{solved}/0")
    tree = page.locator(".tree")
    tree.get_by_label("open 1: pass").or_(tree.get_by_label("open 1: check")).click()
    tree.locator('[data-pick="at:p b"]').wait_for()
    tree.locator('[data-pick="at:p b"]').click()
    page.wait_for_url("**node=p%20b")
    page.get_by_text("Player 1 does").wait_for()
    becomes(tree.locator('[aria-selected="true"]').count, 1)


def test_the_duels_tree_shows_values_and_compares_the_runs_algorithms(visit):
    page = visit("/solve?game=duel")
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("walk the tree").nth(1).wait_for()
    page.get_by_text("walk the tree").first.click()
    page.locator(".tree").get_by_label("open 1: hit").click()
    page.locator('.tree [data-pick="at:h 7"]').wait_for()
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("this one against itself").wait_for()
    page.locator(".shares-pair").first.locator(".shares").nth(1).wait_for()


def test_a_saved_strategy_is_at_home_and_compared_with_itself(visit, solved, server):
    page = visit(f"{solved}/0")
    page.wait_for_selector(".shares")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    said = page.get_by_text("Saved as kuhn").inner_text()
    name = re.fullmatch(r"Saved as (kuhn\S*\.rb)\.", said.strip()).group(1)
    home = visit(visit("/").get_by_role("link", name=name).get_attribute("href"))
    home.wait_for_selector(".shares")
    home.get_by_role("button", name="Compare").click()
    home.get_by_text("this one first").wait_for()
    first = home.locator("tr", has_text="this one first").inner_text()
    assert "−0.0555" in first or "−0.0556" in first


def test_a_run_can_be_stopped_keeps_what_it_found_and_blocks_no_page(visit):
    page = visit("/solve?game=leduc")
    page.get_by_label("is").fill("1e-14")
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("solving").first.wait_for()
    other = visit("/blackjack/hand")
    other.locator('[data-pick="hand:2"]').click()
    other.get_by_text("Your hand: 18").wait_for()
    page.get_by_text("walk the tree").nth(1).wait_for()  # from the first checkpoint on
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("stopped").nth(1).wait_for()


def went_on(file: Path, done: int) -> bool:
    return load(file).info["iterations"] > done


def test_a_run_cut_off_by_a_crash_goes_on_from_its_checkpoint(visit, make_server):
    server = make_server()
    page = visit("/solve?game=kuhn", base=server.address)
    page.get_by_label("is").fill("1e-15")
    page.get_by_role("button", name="Solve").click()
    page.wait_for_url("**/solve/run/*")
    folder = server.folder / ".web" / "solves" / page.url.rpartition("/")[2]
    wait_until(lambda: len(list(folder.glob("*.rb"))) == 2)
    visit.forgiven = ("ERR_CONNECTION_REFUSED", "WebSocket connection")
    server.kill()
    before = [load(folder / f"{i}.rb").info["iterations"] for i in range(2)]
    server.restart()
    home = visit("/", base=server.address)
    home.locator(".running-link").click()  # from every page there is a way to what runs
    home.get_by_text("walk the tree").nth(1).wait_for()
    for i, done in enumerate(before):
        wait_until(partial(went_on, folder / f"{i}.rb", done))
    home.get_by_role("button", name="Stop").click()
    home.get_by_text("stopped").nth(1).wait_for()


@pytest.mark.parametrize("path", ["/solve/run/nosuchrun", "/solve/strategy/none.rb"])
def test_what_is_not_there_is_said_in_a_sentence(visit, path):
    visit(path).get_by_role("alert").wait_for()


def test_wrong_parameters_are_refused(visit):
    page = visit("/solve?game=kuhn")
    page.get_by_label("players").fill("one")
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("players takes a whole number").wait_for()
