"""Two people in two browsers at one table, without a class."""

import pytest

from page_fit import fits, go_again
from waiting import autoplay, becomes

MOVES = '.moves [data-pick^="do:"]'


def sit_down(page, name):
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sit down").click()
    page.get_by_text(f"{name} (you)").wait_for()


def set_up(visit, game, people=2, **parameters):
    """The host's page after sitting down; links of the open seats."""
    host = visit(f"/play/{game}")
    host.wait_for_selector(MOVES)
    for label, value in parameters.items():
        host.get_by_label(label).fill(value)
    host.get_by_label("Against").click()
    host.get_by_role("option", name="other people, by a link").click()
    host.get_by_label("People at the table").fill(str(people))
    host.get_by_role("button", name="Open a table").click()
    sit_down(host, "Ada")
    links = host.get_by_label("Link").evaluate_all("all => all.map(field => field.value)")
    assert len(links) == people - 1
    return host, links


def play_to_hand_2(page, other):
    """Both play until the second hand has begun; the first page stops the moment it sees it."""
    autoplay((other, page), until="Hand 2")
    for each in (page, other):
        each.locator(".log", has_text="Hand 2").wait_for()


def test_two_browsers_play_holdem_and_see_only_their_own_cards(visit, server):
    host, links = set_up(visit, "holdem")
    host.get_by_text("Waiting for one more person").wait_for()
    guest = visit(links[0].removeprefix(server.address), width=390)
    guest.get_by_text("At the table: Ada").wait_for()
    sit_down(guest, "Bert")
    for page in (host, guest):
        page.locator(".seat .card").first.wait_for()
        becomes(page.locator(".seats .hidden-card").count, 2)
        becomes(page.locator(".seats.own .card:not(.hidden-card)").count, 2)
    fits(host)
    # The link that the host knows does not lead to the guest's seat.
    visit(links[0].removeprefix(server.address)).get_by_text("There is no such seat").wait_for()
    play_to_hand_2(guest, host)
    told = guest.locator(".log").inner_text()
    assert told.count("you win") + told.count("you lose") + told.count("nothing won") == 1
    guest.reload()
    guest.locator(".log").wait_for()
    becomes(guest.locator(".log").inner_text, told)


def test_a_table_goes_on_after_a_crash(visit, make_server):
    server = make_server()
    host = visit("/play/kuhn", base=server.address)
    host.wait_for_selector(MOVES)
    host.get_by_label("Against").click()
    host.get_by_role("option", name="other people, by a link").click()
    host.get_by_role("button", name="Open a table").click()
    sit_down(host, "Ada")
    link = host.get_by_label("Link").input_value()
    guest = visit(link.removeprefix(server.address), base=server.address)
    sit_down(guest, "Bert")
    play_to_hand_2(host, guest)
    told = host.locator(".log").inner_text()
    visit.forgiven = ("ERR_CONNECTION_REFUSED", "WebSocket connection")
    server.kill()
    server.restart()
    address = host.url
    go_again(host, address)
    host.locator(".log").wait_for()
    becomes(host.locator(".log").inner_text, told)
    host.get_by_label("let a bot play for Bert").click()
    host.get_by_text("Bert (bot)").first.wait_for()


@pytest.mark.parametrize("path", ["/play/table/nosuchtable/x", "/play/table/..%2F..%2Fx/y"])
def test_a_table_that_is_not_there(visit, path):
    visit.forgiven = ("404",)
    page = visit("/")
    page.goto(page.url.rstrip("/") + path)
    text = page.inner_text("body")
    assert "no such seat" in text or "There is no such page" in text
