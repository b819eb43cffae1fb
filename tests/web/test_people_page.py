"""People at one table by links: who may see and do what, and that every seat hears of it."""

import re

import pytest

from axe import serious_findings
from page_fit import fits
from waiting import becomes

MOVES = ".moves .move"
NEXT = 'value="ready"'


def opened(client, game="kuhn", **form):
    """A table with Ada in its first seat: her address and the links of the open seats."""
    answer = client.post(f"/play/{game}/people", data={"people": "2", "bots": "random", **form})
    assert answer.status_code == 303
    ada = sit(client, answer.headers["location"], "Ada")
    return ada, re.findall(r'value="http://localhost(/play/table/[^"]+)"', client.get(ada).text)


def sit(client, link, name):
    answer = client.post(f"{link}/sit", data={"name": name})
    assert answer.status_code == 303
    return answer.headers["location"]


def decision(page):
    return re.search(r'name="decision" value="(\d+)"', page)[1]


def play_hand(client, seats):
    """Everybody makes the first possible move until the hand is over."""
    for _ in range(30):
        for each in seats:
            page = client.get(each).text
            moves = re.findall(r'name="move" value="(\w+)"', page)
            if moves and moves[0] != "ready":
                client.post(f"{each}/move", data={"move": moves[0], "decision": decision(page)})
        if all(NEXT in client.get(each).text for each in seats):
            return
    raise AssertionError("the hand does not end")


def test_two_play_and_see_only_their_own_cards(client):
    ada, links = opened(client, "holdem", bots="holdem:rules")
    assert "Waiting for one more person." in client.get(ada).text
    assert "At the table: <bdi>Ada</bdi>" in client.get(links[0]).text
    bert = sit(client, links[0], "Bert")
    for each in (ada, bert):
        assert client.get(each).text.count("a card face down") == 2
    # The link that the host knows does not lead to the guest's seat, and there is none without one.
    for link in (links[0], ada[:-3], "/play/table/nosuchtable/x", "/play/table/..%2F..%2Fx/y"):
        assert client.get(link).status_code == 404
    play_hand(client, (ada, bert))
    client.post(f"{ada}/move", data={"move": "ready", "decision": "0"})
    assert "waiting for <bdi>Bert</bdi>" in client.get(ada).text
    client.post(f"{bert}/move", data={"move": "ready", "decision": "0"})
    assert "Hand 2" in client.get(ada).text


def test_moves_are_published_to_every_seat(client, site, monkeypatch):
    heard = []
    monkeypatch.setattr(site.news, "publish", heard.append)
    ada, links = opened(client)
    sit(client, links[0], "Bert")
    page = client.get(ada).text
    topic = re.search(r'data-topic="(table:[^"]+)"', page)[1]
    before = heard.count(topic)
    assert before == 2
    client.post(f"{ada}/move", data={"move": "p", "decision": decision(page)})
    assert heard.count(topic) == before + 1
    client.post(f"{ada}/move", data={"move": "p", "decision": decision(page)})  # a double click
    assert heard.count(topic) == before + 1


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"move": "p"}, "Write a number."),
        ({"move": "p", "decision": "٣"}, "is not a whole number"),
        ({"move": "no", "decision": "0"}, "That is not possible here."),
        ({"move": "raise", "decision": "0", "size": "x"}, ""),
    ],
)
def test_a_move_that_cannot_be_changes_nothing(client, form, words):
    ada, links = opened(client)
    bert = sit(client, links[0], "Bert")
    before = [client.get(each).text for each in (ada, bert)]
    answer = client.post(f"{ada}/move", data=form)
    assert answer.status_code == 422
    assert words in answer.text
    out_of_turn = client.post(f"{bert}/move", data={"move": "p", "decision": "0"})
    assert "It is not your turn." in out_of_turn.text
    assert [client.get(each).text for each in (ada, bert)] == before


@pytest.mark.parametrize("name", ["", "\u202e", "Ada", "you", "x" * 200, "dealer"])
def test_a_name_that_misleads_is_refused_at_its_field(client, name):
    _, links = opened(client)
    answer = client.post(f"{links[0]}/sit", data={"name": name})
    assert answer.status_code == 422
    assert 'id="name-problem"' in answer.text


def test_a_hostile_name_is_shown_and_not_run(client):
    ada, links = opened(client)
    sit(client, links[0], "<img src=x>")
    page = client.get(ada).text
    assert "<img" not in page
    assert "&lt;img src=x&gt;" in page


def test_only_the_host_gives_away_the_seats_of_others(client):
    ada, links = opened(client)
    bert = sit(client, links[0], "Bert")
    client.post(f"{bert}/bot", data={"place": "0"})
    assert client.get(ada).status_code == 200
    assert client.post(f"{ada}/bot", data={"place": "x"}).status_code == 422
    assert client.post(f"{ada}/bot", data={"place": "99"}).headers["location"] == ada
    client.post(f"{ada}/bot", data={"place": "1"})
    assert "Bert (bot)" in client.get(ada).text
    assert client.get(bert).status_code == 404
    assert client.post(f"{ada}/bot", data={"place": "0"}).headers["location"] == "/play"


def test_a_table_goes_on_after_a_restart(client, site):
    ada, links = opened(client, "leduc")
    bert = sit(client, links[0], "Bert")
    play_hand(client, (ada, bert))
    before = [client.get(each).text for each in (ada, bert)]
    site.people_tables.known.clear()
    assert [client.get(each).text for each in (ada, bert)] == before


def test_two_browsers_hear_of_each_other(visit, server):
    host = visit("/play/kuhn")
    host.get_by_text("With other people, by a link").click()
    host.get_by_role("button", name="Open a table").click()
    host.get_by_label("Your name").fill("Ada")
    host.get_by_role("button", name="Sit down").click()
    link = host.get_by_label("Link").input_value()
    guest = visit(link.removeprefix(server.address), width=390)
    guest.get_by_label("Your name").fill("Bert")
    guest.get_by_role("button", name="Sit down").click()
    host.locator(MOVES).first.wait_for()  # nobody loaded this page again
    host.locator(MOVES).first.click()
    guest.locator(MOVES).first.wait_for()
    becomes(host.get_by_text("is thinking").count, 1)
    fits(guest)
    for each in (host, guest):
        assert serious_findings(each) == []
