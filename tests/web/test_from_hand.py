"""Pasted hands: their decisions, the form filled in, and the desk that opens at the decision."""

import html
import random
import re
from importlib import resources

import pytest

from axe import serious_findings
from page_fit import fits
from played_hands import THREE_HANDED
from riverboat.holdem.histories.files import hands_in
from riverboat.holdem.histories.hand import PhhHand
from riverboat.holdem.review.hand_spots import spot_from_hand
from riverboat.holdem.spots.spot import Spot
from riverboat.web.api.hand_spots import MAX_HANDS, node_place
from riverboat.web.holdem.spot_runs import SpotRuns
from waiting import wait_until

HANDS = (resources.files("riverboat") / "examples" / "hands.phhs").read_text()


@pytest.fixture
def no_processes(monkeypatch):
    """Kernels are not loaded in the background, and what is begun waits."""
    monkeypatch.setattr(SpotRuns, "prepare_once", lambda self: None)
    monkeypatch.setattr(SpotRuns, "poll", lambda self: None)


def paste(client, text=THREE_HANDED):
    answer = client.post("/holdem/spots/from-hand", data={"text": text})
    assert answer.status_code == 303
    return answer.headers["location"]


def there(client, address):
    """A page that has all its parts."""
    wait_until(lambda: "waiting-" not in client.get(address).text)
    return client.get(address).text


def fields(page):
    line = r'<input[^>]*? name="([^"]+)" value="([^"]*)"'
    found = dict(re.findall(line, page))
    found |= dict(re.findall(r'<textarea[^>]*? name="([^"]+)"[^>]*>([^<]*)<', page))
    own = {name: html.unescape(text) for name, text in found.items() if name != "text"}
    return {name: text for name, text in own.items() if not name.endswith(("_card", "_paint"))}


def problem(answer, name="text"):
    found = re.search(rf'id="{name}-problem" role="alert">([^<]*)<', answer.text)
    return html.unescape(found[1]) if found else ""


def test_the_decisions_of_a_hand_are_listed_with_links(client):
    page = there(client, paste(client))
    rows = re.findall(r'<span class="street">(flop|turn|river)</span>', page)
    assert rows == ["flop"] * 5 + ["turn"] * 3 + ["river"] * 3
    assert "raise to 15" in page
    links = [
        html.unescape(link) for link in re.findall(r'href="(/holdem/spots\?text=[^"]*)"', page)
    ]
    assert [link.partition("decision=")[2] for link in links] == [str(n) for n in range(1, 12)]


@pytest.mark.parametrize("decision", [3, 10])
def test_the_form_is_filled_in_and_the_solve_opens_at_the_decision(
    client, site, no_processes, decision
):
    name = paste(client).partition("text=")[2]
    page = there(client, f"/holdem/spots?text={name}&hand=1&decision={decision}")
    (hand,) = hands_in(THREE_HANDED)
    assert isinstance(hand, PhhHand)
    made = spot_from_hand(hand, decision)
    sent = fields(page)
    assert (sent["node"], sent["hero"], sent["pot"]) == (made.node, "AhKd", f"{made.spot.pot:g}")
    answer = client.post("/holdem/spots", data=sent)
    assert answer.status_code == 303, problem(answer)
    address = answer.headers["location"]
    assert address.endswith(f"?node={made.node.replace(':', '%3A')}&hand=AKo")
    run = site.spot_runs.find(address.partition("?")[0].rpartition("/")[2])
    assert run.spot == made.spot
    assert html.escape(address) in client.get("/holdem/spots").text
    reread = SpotRuns(site.spot_runs.folder).find(run.name)
    assert reread.address == address


def test_the_hand_can_be_forgotten_and_a_node_that_is_gone_is_not_opened(
    client, site, no_processes
):
    name = paste(client).partition("text=")[2]
    sent = fields(there(client, f"/holdem/spots?text={name}&hand=1&decision=11"))
    gone = {**sent, "tree": "", "river-1-bet": "50%", "river-0-bet": "50%"}
    assert gone["node"] == "r:0:c:b62.5"
    address = client.post("/holdem/spots", data=gone).headers["location"]
    assert "?" not in address or "node" in address  # the all-in may be there by another option
    client.post("/holdem/spots/form", data={**sent, "forget": "1"})
    page = client.get("/holdem/spots").text
    assert "After the solve the desk opens" not in page
    assert "node" not in fields(page)


def test_places_are_words():
    (hand,) = hands_in(THREE_HANDED)
    assert isinstance(hand, PhhHand)
    spot = spot_from_hand(hand, 11).spot
    assert node_place(spot, "r:0:c:b62.5") == "after check, all-in 62.5"
    assert node_place(spot, "r:0") == "at the start"
    for wrong in ("r:0:b1", "r:0:c:c", "x", "", "r:0:Ah"):
        assert node_place(spot, wrong) == ""


def test_many_hands_are_listed_and_each_has_an_address(client):
    address = paste(client, HANDS)
    page = there(client, address)
    assert "All 12 hands" in page
    assert "Hand 2" in page  # the first one that has decisions
    assert "Td5s" not in page
    fifth = there(client, f"{address}&hand=5")
    assert "river" in fifth
    assert "no decision of hold" in there(client, f"{address}&hand=1")


def test_the_api_says_the_same(client):
    hands = client.post("/api/v1/holdem/hands", json={"text": HANDS}).json()
    assert [len(hand["decisions"]) for hand in hands][:5] == [0, 6, 6, 0, 8]
    asked = {"text": HANDS, "hand": 5, "decision": 8}
    made = client.post("/api/v1/holdem/hands/spot", json=asked).json()
    assert (made["node"], made["place"]) == ("r:0:c:b12", "after check, bet 12")
    assert Spot.from_toml(made["toml"]).pot == 8
    for odd, field in (({"hand": 40}, "hand"), ({"decision": 9}, "decision")):
        answer = client.post("/api/v1/holdem/hands/spot", json={**asked, **odd})
        assert answer.status_code == 422
        assert answer.json()["problems"][0]["field"] == field


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Paste a hand of PokerStars"),
        ("hello", "holds neither PokerStars"),
        ("PokerStars Hand #1:  7 Card Stud Limit ($1/$2) - 2024", "#1"),
        ('variant = "PO"\n', "antes"),
        ("PokerStars Game #1: x\n" * 3, ""),
    ],
)
def test_texts_without_hands_are_refused_at_the_field(client, site, text, words):
    answer = client.post("/holdem/spots/from-hand", data={"text": text})
    assert answer.status_code == 422
    assert problem(answer)
    assert words in problem(answer)
    assert not (site.settings.folder / ".web" / "pasted").exists()


def test_files_are_taken_and_refused_at_theirs(client):
    files = {"file": ("hands.txt", THREE_HANDED.encode("utf-8-sig"))}
    answer = client.post("/holdem/spots/from-hand", files=files)
    assert answer.headers["location"] == paste(client)
    answer = client.post("/holdem/spots/from-hand", files={"file": ("x.txt", b"\xff\xfe\x00")})
    assert (answer.status_code, problem(answer, "file")) == (
        422, "The file is no text in UTF-8.",
    )  # fmt: skip
    opened = client.post("/holdem/spots/open", data={"text": THREE_HANDED})
    assert opened.headers["location"] == paste(client)


def test_hands_of_omaha_have_no_decision_to_stand_at(client):
    text = (resources.files("riverboat") / "examples" / "hands.phhs").read_text()
    omaha = re.sub(r'variant = "NT"', 'variant = "PO"', text)
    answer = client.post("/holdem/spots/from-hand", data={"text": omaha})
    assert answer.status_code in (303, 422)
    if answer.status_code == 303:
        assert "Stand here" not in there(client, answer.headers["location"])


def test_addresses_that_are_none_say_so(client):
    answer = client.get("/holdem/spots/from-hand?text=nothing")
    assert (answer.status_code, "paste it again" in answer.text) == (422, True)
    name = paste(client).partition("text=")[2]
    for query in (
        f"text={name}&hand=9&decision=1",
        f"text={name}&hand=1&decision=99",
        "text=x&hand=1",
    ):
        there(client, f"/holdem/spots?{query}")
        assert client.get(f"/holdem/spots?{query}").status_code == 422


def test_any_text_is_read_or_refused_in_a_sentence(client):
    chance = random.Random(20261119)
    for _ in range(80):
        source = list(chance.choice((THREE_HANDED, HANDS[:1500])))
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(source))
            source[at : at + chance.randint(0, 40)] = chance.choice(
                ("", "\x00", "9" * 30, "é", "\n")
            )
        answer = client.post("/holdem/spots/from-hand", data={"text": "".join(source)})
        assert answer.status_code in (303, 422)
        if answer.status_code == 422:
            assert problem(answer)
        else:
            page = there(client, answer.headers["location"])
            assert "Stand here" in page or "problem" in page or "decision" in page


def test_a_text_of_many_hands_is_read_to_a_limit(client):
    one = HANDS.partition("[2]\n")[2].partition("[3]")[0]
    many = "".join(f"[{number}]\n{one}\n" for number in range(1, MAX_HANDS + 20))
    page = there(client, paste(client, many))
    assert f"All {MAX_HANDS} hands" in page


# What only a browser shows.


@pytest.mark.parametrize("width", [390, 1280])
def test_from_a_pasted_hand_to_its_decision_on_the_desk(visit, width):
    page = visit("/holdem/spots/from-hand", width=width)
    page.get_by_label("One hand or many").fill(THREE_HANDED)
    page.get_by_role("button", name="Read").click()
    page.get_by_role("heading", name="Hand #8").wait_for()
    fits(page)
    assert serious_findings(page) == []
    page.get_by_role("link", name="Stand here: decision 10, A on the river").click()
    page.locator("#stands").wait_for()
    fits(page)
    assert serious_findings(page) == []
    page.get_by_role("button", name="Solve", exact=True).click()
    page.get_by_text("BTN to act").or_(page.get_by_text("IP to act")).first.wait_for()
    assert "node=r%3A0%3Ac" in page.url
    assert "hand=AKo" in page.url
