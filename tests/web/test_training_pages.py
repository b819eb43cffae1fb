"""Training in the browser: one memory with the terminal, names, groups, results over days."""

import html
import json
import re
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

import riverboat as rb
from axe import serious_findings
from commands import Command
from page_fit import fits
from riverboat.arena.drill import Verdict
from riverboat.arena.memory import Memory, Question, person_file
from riverboat.cli import clock
from riverboat.holdem.spots.drill import Drill
from riverboat.holdem.spots.solve import solve_spot
from solved_spots import drawn_river, polar, put
from waiting import wait_until

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TOMORROW = NOON + timedelta(days=1)
KUHN = Question("game kuhn", "1 J|b", "Kuhn poker: J|b as player 2", "antes", 1.0, {"player": "2"})
WRONG = Verdict("call 1", "fold", 1.0)
CHECK = Verdict("check", "check", 0.0)


@pytest.fixture(scope="module")
def solved():
    return solve_spot(polar(), target="0.02%")


@pytest.fixture
def site(site):
    """Its clock stands."""
    site.now = lambda: NOON
    return site


@pytest.fixture
def drill(client, site, solved):
    """The address of the drill of a spot, when its first hand is dealt."""
    address = put(site.settings.folder, solved) + "/drill"
    wait_until(lambda: "waiting-" not in client.get(address).text)
    return address


def choose(client, name, back="/training"):
    answer = client.post("/training/choose", data={"person": name, "next": back})
    assert answer.status_code == 303
    return answer.headers["location"]


def decision(page):
    return re.search(r'name="decision" value="([^"]*)"', page)[1]


def take(client, address, action, **more):
    """A decision; the page that follows."""
    page = client.get(address).text
    answer = client.post(address, data={"action": action, "decision": decision(page), **more})
    assert answer.status_code == 303
    return html.unescape(client.get(answer.headers["location"]).text)


def memory(site, person="Ada"):
    return Memory.of(person, site.settings.folder)


def settled(client, address):
    """The page once what it computes is there; what is refused is computed anew by each request."""
    pages = []

    def computed():
        pages.append(client.get(address))
        return "waiting-" not in pages[-1].text

    wait_until(computed)
    return html.unescape(pages[-1].text)


# Names.


def test_a_name_is_chosen_once_and_drills_know_it(client, site, drill):
    assert "Choose a name" in client.get(drill).text
    assert choose(client, " Ada ", f"{drill}?side=oop") == f"{drill}?side=oop"
    page = client.get(drill).text
    assert 'Training of <a href="/training/Ada"' in page
    assert "0 due today" in page
    client.post("/training/choose", data={"nobody": "1", "next": drill})
    assert "Choose a name" in client.get(drill).text


@pytest.mark.parametrize("name", ["", "a/b", "../x", "x" * 41, "<b>"])
def test_a_name_that_is_none_is_refused_at_its_field(client, name):
    answer = client.post("/training/choose", data={"person": name, "next": "/drill/kuhn"})
    assert answer.status_code == 422
    assert 'id="problem-person"' in answer.text
    assert 'name="next" value="/drill/kuhn"' in answer.text
    assert "This browser trains" not in client.get("/training").text


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "/\\evil.example"])
def test_another_site_is_not_gone_back_to(client, back):
    assert choose(client, "Ada", back) == "/training"


def test_a_name_in_the_address_goes_before_that_of_the_cookie(client, site, drill):
    choose(client, "Ada")
    address = f"{drill}?side=oop&person=Bo"
    page = take(client, address, "check")
    assert 'Training of <a href="/training/Bo"' in page
    assert (len(memory(site, "Bo").answers), memory(site).answers) == (1, [])


# Drills of spots.


def test_the_browser_notes_what_the_terminal_would(client, site, solved, drill):
    """The same decision, answered in Python, gives the same question, price and schedule."""
    choose(client, "Ada")
    address = f"{drill}?side=oop"
    page = take(client, address, "check")
    (answer,) = memory(site).answers
    own, other = Drill(solved, side=0, seed=1), Memory()
    node, _, cards = answer.question.key.rpartition(" ")
    from riverboat.arena.drill import Item

    hand = own._begin(Item("", "", f"{node} {cards}"))
    verdict = hand.act("check")
    other.note(hand.question(verdict), verdict, NOON)
    assert other.answers == [answer]
    assert other.missed == memory(site).missed
    comes = "It comes again tomorrow." if other.missed else "You knew it"
    assert comes in page


def test_what_the_terminal_missed_is_asked_by_the_browser(client, site, solved, drill):
    own = Drill(solved, side=0, seed=3)
    kept = memory(site)
    for _ in range(50):
        hand = own.deal_to_train(kept, NOON)
        verdict = hand.act("check")  # aces lose 50 chips by it
        kept.note(hand.question(verdict), verdict, NOON)
        if kept.missed:
            break
    (missed,) = kept.mistakes()
    choose(client, "Ada")
    site.now = lambda: TOMORROW
    page = html.unescape(client.get(f"{drill}?side=oop").text)
    assert "1 due today" in page
    assert "Once more: you missed this before." in page
    page = take(client, f"{drill}?side=oop", "all-in 100")
    assert "It comes again tomorrow." in page  # one day after the first time that it was known
    assert memory(site).mistakes()[0].schedule.known == 1
    assert missed.question.key == memory(site).answers[-1].question.key


def test_two_people_have_hands_of_their_own(client, site, drill):
    for person in ("Ada", "Bo"):
        take(client, f"{drill}?side=oop&person={person}", "check")
    folder = site.spot_runs.folder / "polarriver"
    names = {path.name for path in folder.glob("drill-*")}
    assert {"drill-oop-ada.json", "drill-oop-bo.json"} <= names
    assert len(memory(site).answers) == len(memory(site, "Bo").answers) == 1


def test_two_tabs_and_two_people_at_once_lose_no_answer(client, site, drill):
    """Each tab answers what it was shown; a decision that is over does nothing."""
    tabs = [(person, side) for person in ("Ada", "Bo") for side in ("oop", "ip")]

    def play(person, side):
        address = f"{drill}?side={side}&person={person}"
        for _ in range(6):
            page = client.get(address).text
            moves = re.findall(r'name="action" value="([^"]+)"', page)
            client.post(address, data={"action": moves[0], "decision": decision(page)})

    threads = [threading.Thread(target=play, args=tab) for tab in tabs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for person in ("Ada", "Bo"):
        # A hand of this river has one decision of each side, then the next one is dealt.
        assert len(memory(site, person).answers) == 6


def test_groups_stand_in_the_address_and_choose_the_hand(client, site, drill):
    page = html.unescape(client.get(f"{drill}?side=oop").text)
    assert f"{drill.replace('/drill', '')}/drill?side=oop&only=facing%3Dbet" in page
    for group, moves in (("bet", {"fold", "call 100"}), ("nothing", {"check", "all-in 100"})):
        address = f"{drill}?side=oop&only=facing%3D{group}"
        answer = client.get(address)
        if group == "bet":  # the first player of this river never faces a bet
            assert answer.status_code == 422
            assert "OOP has no decision in this group: facing=bet." in answer.text
        else:
            assert moves <= set(re.findall(r'name="action" value="([^"]+)"', answer.text))
            location = client.post(
                address, data={"action": "check", "decision": decision(answer.text)}
            ).headers["location"]
            assert parse_qs(urlsplit(location).query)["only"] == ["facing=nothing"]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("only=mistakes&person=Ada", "There is no mistake to ask again."),
        ("only=x", "Write a group as KIND=GROUP or mistakes, not 'x'."),
        ("person=a%2Fb", "A name has letters, digits"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(client, site, drill, query, sentence):
    answer = client.get(f"{drill}?side=oop&{query}")
    assert answer.status_code == 422
    assert sentence in html.unescape(answer.text)
    kept = person_file(site.settings.folder, "Ada")
    assert not kept.exists()


def test_a_damaged_memory_is_one_sentence_and_stays_as_it_is(client, site, drill):
    path = person_file(site.settings.folder, "Ada")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x00\xffmy diary")
    choose(client, "Ada")
    for address in (f"{drill}?side=oop", "/drill/kuhn", "/blackjack/train", "/"):
        assert "is not a memory of training" in settled(client, address), address
    assert client.post(f"{drill}?side=oop", data={"action": "check"}).status_code == 422
    assert client.post("/drill/kuhn").status_code == 422
    assert client.get("/training/Ada").status_code == 404
    assert client.get("/training").status_code == 200
    assert path.read_bytes() == b"\x00\xffmy diary"


# Before the flop.


def test_before_the_flop_answers_are_remembered_too(client, site):
    address = "/holdem/preflop/shipped/drill?side=btn"
    choose(client, "Ada")
    page = settled(client, address)
    assert "only=facing%3Draise" in page
    page = take(client, address, "fold")
    (answer,) = memory(site).answers
    assert answer.question.groups["position"] == "btn"
    assert answer.question.deck.startswith("preflop ")
    assert ("It comes again tomorrow." in page) == (not answer.right)
    refused = f"{address}&only=facing%3Dnone"
    data = {"action": "next", "decision": decision(page)}
    answer = client.post(refused, data=data)
    assert answer.status_code == 422
    assert "has no decision in this group: facing=none." in html.unescape(answer.text)
    assert 'name="action" value="next"' in client.get(refused).text  # nothing was changed


# Small games and blackjack.


def begin(client, address, **data):
    settled(client, address)
    answer = client.post(address, data=data)
    assert answer.status_code == 303, html.unescape(answer.text)
    return answer.headers["location"]


def moves_of(page):
    return re.findall(r'name="what" value="([^"]+)"', page)


def test_a_small_game_is_drilled_with_the_same_memory(client, site):
    memory(site).note(KUHN, WRONG, NOON)
    choose(client, "Ada")
    site.now = lambda: TOMORROW
    assert "1 due today" in settled(client, "/drill/kuhn")
    sitting = begin(client, "/drill/kuhn")
    page = settled(client, sitting)
    assert "Once more: you missed this before." in page
    assert moves_of(page) == ["p", "b", "look"]
    for _ in range(2):  # the second click does nothing
        client.post(sitting, data={"what": "b", "decision": decision(page)})
    page = html.unescape(client.get(sitting).text)
    assert "That costs 1.0000 antes" in page
    assert "It comes again tomorrow." in page
    assert [answer.cost for answer in memory(site).answers] == [1.0, 1.0]
    client.post(sitting, data={"what": "next", "decision": decision(page)})
    page = settled(client, sitting)
    client.post(sitting, data={"what": "look", "decision": decision(page)})
    page = html.unescape(client.get(sitting).text)
    assert "this one is not counted" in page
    client.post(sitting, data={"what": "p", "decision": decision(page)})
    assert memory(site).answers[-1].looked_up


def test_groups_of_a_small_game_are_links(client):
    page = settled(client, "/drill/leduc")
    assert 'href="/drill/leduc?only=round%3D2"' in page
    chosen = settled(client, "/drill/leduc?only=round%3D2&only=facing%3Dbet")
    assert 'href="/drill/leduc?only=facing%3Dbet" aria-current="true"' in chosen
    sitting = begin(client, "/drill/leduc?only=round%3D2")
    assert "board" in settled(client, sitting)
    answer = client.post("/drill/leduc?only=street%3Driver")
    assert answer.status_code == 422
    assert "has no decision in this group: street=river." in html.unescape(answer.text)


def test_a_game_with_parameters_and_games_that_cannot_be_drilled(client):
    page = settled(client, "/drill/kuhn?players=3")
    assert 'href="/drill/kuhn?players=3&only=player%3D3"' in page
    assert client.get("/drill/no-such-game").status_code == 404
    assert client.get("/drill/kuhn/nosuchsitting").status_code == 404
    for game, sentence in (
        ("rps", "has no decision that can be missed"),
        ("blackjack", "too large for this drill"),
        ("kuhn?players=x", "players"),
        ("kuhn?colour=red", "has no parameter"),
    ):
        assert sentence in settled(client, f"/drill/{game}")


def test_blackjack_remembers_a_person_and_leaves_the_record_of_all_alone(client, site):
    choose(client, "Ada")
    sitting = begin(client, "/blackjack/train?only=up%3DT", kind=["hard"])
    page = settled(client, sitting)
    question = site.trainings.find(sitting.rpartition("/")[2]).question(0)
    assert question.up in "TJQK"
    client.post(sitting, data={"what": "stand", "decision": decision(page)})
    (answer,) = memory(site).answers
    assert answer.question.groups == {"hand": "hard", "up": "T"}
    assert answer.cost == pytest.approx(question.cost("stand"))
    page = html.unescape(client.get(sitting).text)
    assert ("You knew it" if answer.right else "It comes again tomorrow.") in page
    assert not (site.settings.folder / "blackjack-practice.json").exists()


def test_a_link_to_a_kind_of_hands_has_it_chosen(client):
    page = client.get("/blackjack/train?only=hand%3Dsoft").text
    assert re.findall(r'value="(\w+)" checked', page) == ["soft"]


# Results.


@pytest.fixture
def trained(site, solved):
    """Answers of two days in three decks."""
    put(site.settings.folder, solved)
    site.spot_runs.find("polarriver")
    kept = memory(site)
    for day in range(2):
        now = NOON - timedelta(days=2 - day)
        own = Drill(solved, side=1, seed=day)
        for _ in range(3):
            hand = own.deal_to_train(kept, now)
            verdict = hand.act("fold")
            kept.note(hand.question(verdict), verdict, now)
        kept.note(KUHN, WRONG, now)
        kept.note(replace(KUHN, key="0 Q|", groups={"player": "1"}), CHECK, now)
        kept.note(
            Question("blackjack h17=true", "soft A6v4", "Blackjack, H17: A,6 against 4", "bets",
                     0.1, {"hand": "soft", "up": "4"}),
            Verdict("double", "double", 0.0), now,
        )  # fmt: skip
    return kept


def test_results_are_those_of_the_terminal_and_of_the_front_door(
    client, site, trained, command: Command, monkeypatch
):
    monkeypatch.setenv("RIVERBOAT_DATA", str(site.settings.folder))
    monkeypatch.setattr(clock, "now", lambda: NOON)
    told = client.get("/api/v1/training/ada").json()
    assert told == command("training", "Ada", "--json").json
    assert told == rb.training("Ada", folder=site.settings.folder, now=NOON).as_dict()
    assert client.get("/api/v1/training").json() == command("training", "--json").json
    deck = client.get("/api/v1/training/Ada", params={"deck": "kuhn"}).json()
    assert [row["lost"] for row in deck["rows"] if row["kind"] == "deck"] == [2.0]
    assert client.get("/api/v1/training/Bo").status_code == 422


def test_the_page_has_curves_tables_and_links_to_the_drill_of_just_those(client, site, trained):
    page = html.unescape(client.get("/training/Ada").text)
    results = rb.training("Ada", folder=site.settings.folder, now=NOON)
    assert f"<b>{results.due}</b><span>due today</span>" in page
    assert "27 Feb" in page
    assert "28 Feb" in page
    curves = [json.loads(each) for each in re.findall(r"data-curves=\"(\{.*?\})\"", page)]
    assert ["antes", "bets", "chips"] in [curve["names"] for curve in curves]
    named = "person=Ada"  # this browser trains nobody
    assert f'href="/drill/kuhn?{named}"' in page
    assert f"/holdem/spots/polarriver/drill?side=ip&{named}" in page
    assert f"/blackjack/train?rules=vegas-6d-s17&h17=true&{named}" in page
    choose(client, "Ada")
    page = html.unescape(client.get("/training/Ada").text)
    assert 'href="/drill/kuhn?only=mistakes"' in page
    assert "person=Ada" not in page


def test_a_deck_can_be_looked_at_alone(client, trained):
    page = html.unescape(client.get("/training/Ada?deck=game+kuhn").text)
    assert "<b>4</b><span>answers on 2 days</span>" in page
    answer = client.get("/training/Ada?deck=nosuch")
    assert answer.status_code == 422
    assert "No deck has 'nosuch' in the name" in html.unescape(answer.text)
    pytest.importorskip("matplotlib")
    picture = client.get("/training/Ada/picture.svg?deck=game+kuhn")
    assert picture.headers["content-type"].startswith("image/svg")
    assert b"Training of Ada" in picture.content
    assert client.get("/training/Ada/picture.exe").status_code == 422


def test_every_link_of_the_results_leads_to_a_drill_that_asks_just_those(client, trained):
    choose(client, "Ada")
    page = html.unescape(client.get("/training/Ada").text)
    links = set(re.findall(r'href="(/(?:drill|holdem|blackjack)[^"]*[?&][^"]*)"', page))
    assert "/drill/kuhn?only=player%3D2&only=mistakes" in links
    assert len(links) == 6
    for link in links:
        assert 'role="alert"' not in settled(client, link), link


def test_a_person_is_renamed_and_deleted_and_the_cookie_follows(client, site, trained):
    choose(client, "Ada")
    memory(site, "Bo").note(KUHN, WRONG, NOON)
    refused = client.post("/training/Ada/rename", data={"name": "bo"})
    assert refused.status_code == 422
    assert "There is a bo already" in refused.text
    assert client.post("/training/Ada/rename", data={"name": "a/b"}).status_code == 422
    done = client.post("/training/Ada/rename", data={"name": "Grace"})
    assert done.headers["location"] == "/training/Grace"
    assert "This browser trains Grace." in client.get("/training").text
    assert client.get("/training/Ada").status_code == 404
    assert "Delete all answers for good?" in client.get("/training/Grace").text
    assert client.post("/training/Grace/delete").headers["location"] == "/training"
    assert client.get("/training/Grace").status_code == 404
    assert "This browser trains" not in client.get("/training").text
    assert client.post("/training/Grace/delete").status_code == 422
    assert client.patch("/api/v1/training/Bo", json={"name": "Eve"}).json() == {"name": "Eve"}
    assert client.delete("/api/v1/training/Eve").status_code == 204
    assert client.get("/api/v1/training").json() == {"people": []}


def test_home_says_what_is_due_today_for_the_person_of_the_cookie(client, site, trained):
    assert "training-today" not in client.get("/").text
    choose(client, "Ada")
    page = html.unescape(client.get("/").text)
    due = rb.training("Ada", folder=site.settings.folder, now=NOON).due
    assert f"{due} question{'s are' if due != 1 else ' is'} due today." in page
    assert '<a href="/drill/kuhn">Kuhn poker</a>' in page
    site.now = lambda: NOON - timedelta(days=2)
    assert "Nothing is due today." in client.get("/").text
    choose(client, "Bo")
    assert "Nothing is due today." in client.get("/").text


# What only a browser shows.


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_a_person_trains_a_spot_and_looks_at_the_results(visit, server, width):
    address = put(server.folder, solve_spot(drawn_river(), target="1%"), f"trained{width}")
    page = visit("/training", width=width, dark=width == 390)
    name = f"Ada {width}"
    page.get_by_label("New name").fill(name)
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_text(f"This browser trains {name}.").wait_for()
    page.goto(server.address + address + "/drill?side=oop")
    page.locator(".drill-felt").wait_for()
    page.locator("#trainee").get_by_role("link", name="nothing", exact=True).click()
    page.wait_for_url("**only=facing%3Dnothing**")
    page.locator("#trainee [aria-current]").wait_for()
    page.locator(".moves .btn").first.click()
    page.locator("#again").wait_for()
    fits(page)
    assert serious_findings(page) == []
    page.goto(f"{server.address}/training/{name}")
    page.locator("#sum").get_by_text("answer").wait_for()
    fits(page)
    assert serious_findings(page) == []
    page.get_by_text("Rename or delete").click()
    page.get_by_role("button", name=f"Delete {name}").click()
    page.get_by_role("heading", name="Who trains here").wait_for()
    assert name not in page.locator("main").inner_text()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_a_small_game_is_drilled_by_keys(visit, width):
    page = visit(f"/drill/leduc?person=Key+{width}", width=width)
    page.get_by_role("button", name="Begin").click()
    page.locator("#judged").wait_for()
    page.wait_for_load_state()  # keys count once the page's modules are there
    for number in (1, 2):
        page.locator('.moves [data-key="1"]').wait_for()
        page.keyboard.press("1")
        page.locator("#again").wait_for()
        page.get_by_text(f"of {number} right").wait_for()
        fits(page)
        assert serious_findings(page) == []
        page.keyboard.press("Enter")
