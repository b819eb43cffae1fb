"""Blackjack: rules as links, exact numbers, a simulation in the background, and the trainer."""

import html
import json
import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from commands import Command
from page_fit import fits
from pressing import STOP_WITH_NEWS
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.rules import PRESETS, BlackjackRules, rules_from
from riverboat.blackjack.simulation.simulate import simulate
from riverboat.runtime.stopping import Stop, use_stop
from riverboat.web.background import Workplace
from riverboat.web.blackjack.simulations import SimulationOrder, simulation_runs
from riverboat.web.blackjack.table import OPTIONS, options_of, query_of, rules_of_query
from waiting import becomes, wait_until

USUAL = PRESETS["vegas-6d-s17"]


def filled(client, path):
    """A page that has its answers: they may be computed for a moment."""
    wait_until(lambda: 'id="waiting-' not in client.get(path).text)
    return client.get(path).text


def words(page):
    """What a page says, without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def shown(value, digits=4):
    return f"{value:+.{digits}f}".replace("-", "−")


@pytest.mark.parametrize("options", [{}, {"h17": "true", "surrender": "late"}])
def test_pages_api_and_command_line_say_the_same_numbers(client, command: Command, options):
    given = [part for name, text in options.items() for part in ("--set", f"{name}={text}")]

    def said(*line):
        return json.loads(command("blackjack", *line, *given, "--json").out)

    def asked(what, **more):
        return client.get(f"/api/v1/blackjack/{what}", params={**options, **more}).json()

    table, chart, dealer = said("ev"), said("chart"), said("dealer")
    hand = said("hand", "T,6", "--up", "T", "--seen", "5,5,5")
    assert asked("table")["ev"] == table["ev"]
    assert asked("table")["ev_by_up"] == table["ev_by_up"]
    assert asked("chart") == chart
    assert asked("dealer")["up"] == dealer["up"]
    answer = asked("hand", cards="T,6", up="T", seen="5,5,5")
    assert answer["actions"] == pytest.approx(hand["actions"], abs=1e-12)
    assert answer["reasons"] == hand["reasons"]
    query = urlencode(options)
    page = filled(client, f"/blackjack?{query}")
    assert f"{100 * abs(table['ev']):.4f} %" in page
    assert f"is worth {shown(100 * chart['ev'])} %" in page
    codes = re.findall(r'data-cell="hard:16:(\w)"[^>]*>(\w+)</a>', page)
    assert dict(codes) == chart["hard"]["16"]
    page = words(filled(client, f"/blackjack/hand?{query}&hand=T,6&up=T&seen=5,5,5"))
    assert all(f"{name} {shown(value)}" in page for name, value in hand["actions"].items())
    page = words(filled(client, f"/blackjack/dealer?{query}"))
    assert f"{100 * dealer['up']['6']['bust']:.2f}" in page


def test_the_house_edge_of_the_usual_table_is_the_known_one(client):
    """Six decks, S17, DAS, 3:2, peek: 0.4029 % (docs/blackjack.md, overall_ev.json)."""
    assert "0.4029 %" in filled(client, "/blackjack")


def test_every_choice_leads_to_the_rules_that_it_names():
    for rules in (
        USUAL,
        PRESETS["combo-charlie"],
        BlackjackRules(max_split_hands=1, max_split_hands_aces=1),
    ):
        for option in options_of(rules):
            for (value, _), choice in zip(OPTIONS[option.name][1], option.choices, strict=True):
                query = {name: text for name, (text,) in parse_qs(choice.query).items()}
                found = rules_of_query(query)
                assert getattr(found, option.name) == getattr(
                    rules_from("vegas-6d-s17", {option.name: value} | _needs(option.name, value)),
                    option.name,
                )
                assert choice.chosen == (found == rules)


def _needs(name, value):
    if name == "max_split_hands" and value == "1":
        return {"max_split_hands_aces": 1}
    return {"charlie": 5} if name == "dealer_charlie" else {}


@pytest.mark.parametrize("name", PRESETS)
def test_an_address_tells_the_rules(name):
    assert query_of(PRESETS[name]) == {"rules": name}
    assert rules_of_query(query_of(PRESETS[name])) == PRESETS[name]


def test_a_change_of_rules_tells_what_it_is_worth(client):
    page = filled(client, "/blackjack?h17=true&since=h17:false")
    worth = 100 * (analyse(BlackjackRules(h17=True)).ev - analyse(USUAL).ev)
    assert f"hits instead of stands: {shown(worth)} %" in words(page)


def test_a_cell_shows_its_hands_and_what_every_action_is_worth(client):
    page = words(filled(client, "/blackjack?cell=hard:16:T&hand=97"))
    for action, value in analyse(USUAL).action_values("97", "T").items():
        assert f"{action} {shown(value)}" in page
    assert "Standing on 16 wins only when the dealer busts" in page
    assert "T,6 hit" in page
    assert "T,4,2 stand" in page  # the other cards of 16 that stand


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/blackjack?decks=99", "decks must be 1 to 8 or infinite, not 99."),
        ("/blackjack?rules=nothing", "There is no rule set"),
        ("/blackjack/dealer?h17=%3Cb%3E", "h17 takes true or false, not '<b>'."),
        ("/blackjack?cell=hard:99:T", "There is no cell 'hard:99:T' in the chart."),
        ("/blackjack?cell=hard:", "There is no cell"),
    ],
)
def test_addresses_that_cannot_be_are_answered_with_a_sentence(client, path, sentence):
    filled(client, path)
    answer = client.get(path)
    assert answer.status_code == 422
    assert sentence in words(answer.text)
    assert "<b>'" not in answer.text


@pytest.mark.parametrize(
    ("query", "field", "sentence"),
    [
        ({"hand": "T"}, "hand", "two cards or more"),
        ({"hand": ""}, "hand", "two cards or more"),
        ({"hand": "T,T,T"}, "hand", "at most 21 points"),
        ({"hand": "<b>"}, "hand", "Cards are written as"),
        ({"hand": "2" * 70}, "hand", "at most 60 characters"),
        ({"up": "ZZ"}, "up", "The dealer shows one card"),
        ({"seen": "A," * 30, "rules": "single-deck"}, "seen", "more cards of a rank"),
        ({"seen": "5", "decks": "infinite"}, "seen", "finite shoe"),
        ({"seen": "x"}, "seen", "Cards are written as"),
    ],
)
def test_hands_and_shoes_that_cannot_be_get_a_sentence_at_their_field(
    client, query, field, sentence
):
    path = f"/blackjack/hand?{urlencode(query)}"
    filled(client, path)
    answer = client.get(path)
    assert answer.status_code == 422
    problem = re.search(rf'id="{field}-problem" role="alert">([^<]*)<', answer.text)
    assert problem, words(answer.text)
    assert sentence in html.unescape(problem[1])
    assert f'aria-describedby="{field}-problem"' in answer.text


def test_cards_are_added_taken_back_and_never_beyond_21(client):
    page = filled(client, "/blackjack/hand?hand=T,6&up=9&seen=5")

    def leads(name):
        query = urlsplit(html.unescape(re.search(rf'href="([^"]+)" id="{name}"', page)[1])).query
        return {key: value for key, (value,) in parse_qs(query, keep_blank_values=True).items()}

    assert leads("hand-5")["hand"] == "T,6,5"
    assert leads("hand-fewer")["hand"] == "T"
    assert leads("hand-none")["hand"] == ""
    assert leads("up-A")["up"] == "A"
    assert leads("seen-5")["seen"] == "5,5"
    assert leads("seen-none")["seen"] == ""
    assert 'id="hand-6"' not in page


def test_at_an_ace_the_page_says_what_insurance_is_worth(client):
    page = words(filled(client, "/blackjack/hand?hand=T,9&up=A"))
    assert f"Insurance is worth {shown(analyse(USUAL).insurance('T9'))}" in page
    assert "leave it" in page
    assert "Insurance is" not in words(filled(client, "/blackjack/hand?hand=T,9&up=A&insurance=no"))


def test_a_total_is_answered_as_the_mean_of_its_hands(client):
    page = words(filled(client, "/blackjack/hand?hand=16&up=T"))
    values = analyse(USUAL).hand("16", "T").values
    assert all(f"{name} {shown(value)}" in page for name, value in values.items())
    assert "The mean of its two-card hands: T,6" in page


# Simulations.

FORM = {"rounds": "2,000,000", "strategy": "published", "penetration": "75", "bankroll": "1000"}


def work(tmp_path, order, stop=None, report=lambda what, value: None):
    place = Workplace(tmp_path, "rounds", None, report)
    with use_stop(stop or Stop()):
        return order.work(place)


def test_a_simulation_counts_what_the_command_line_counts(tmp_path, command: Command):
    order = SimulationOrder(query_of(USUAL), 2_500_000, count="hilo")
    facts = work(tmp_path, order)
    line = ("blackjack", "simulate", "--rounds", "2500000", "--strategy", "published")
    said = json.loads(command(*line, "--count", "hilo", "--json").out)
    same = ("rounds", "ev", "ci95", "variance", "average_bet", "risk_of_ruin", "by_count", "ramp")
    assert {name: facts[name] for name in same} == {name: said[name] for name in same}


def test_a_simulation_that_was_killed_goes_on_to_the_same_counts(tmp_path):
    order = SimulationOrder(query_of(USUAL), 9_000_000)
    stop = Stop()
    first = work(tmp_path, order, stop, lambda what, value: stop.request())
    assert 0 < first["rounds"] < 9_000_000
    facts = work(tmp_path, order)
    whole = simulate(order.simulation(), 9_000_000)
    assert (facts["rounds"], facts["ev"]) == (whole.rounds, whole.ev)


def test_counts_that_were_damaged_are_played_anew(tmp_path):
    (tmp_path / "counts.npz").write_bytes(b"PK\x03\x04 not counts")
    order = SimulationOrder(query_of(USUAL), 1000)
    assert work(tmp_path, order)["rounds"] >= 1000


@pytest.mark.parametrize(
    ("typed", "field", "sentence"),
    [
        ({"rounds": "many"}, "rounds", "not 'many'"),
        ({"rounds": "0"}, "rounds", "greater than or equal to 1"),
        ({"rounds": "1e300"}, "rounds", "less than or equal to"),
        ({"rounds": "inf"}, "rounds", "not 'inf'"),
        ({"penetration": "100"}, "penetration", "less than 1"),
        ({"penetration": "99.9"}, "penetration", "too few cards"),
        ({"bankroll": "-5"}, "bankroll", "greater than 0"),
        ({"bankroll": "nan"}, "bankroll", "greater than 0"),
        ({"strategy": "luck"}, "strategy", "There is no chart"),
        ({"count": "fingers"}, "count", "There is no counting system"),
        ({"ramp": "1 2@1"}, "count", "need a counting system"),
        ({"count": "hilo", "ramp": "<b>"}, "ramp", "A ramp is written like"),
        ({"count": "hilo", "deviations": "some"}, "deviations", "There is no set of deviations"),
    ],
)
def test_simulations_that_cannot_be_are_refused_at_their_field(
    client, site, typed, field, sentence
):
    answer = client.post("/blackjack/simulate?rules=double-deck", data={**FORM, **typed})
    assert answer.status_code == 422
    problem = re.search(rf'id="{field}-problem" role="alert">([^<]*)<', answer.text)
    assert problem, words(answer.text)
    assert sentence in html.unescape(problem[1])
    assert not site.simulations.known
    assert not simulation_runs(site.settings.folder / ".web" / "simulations").recent()


def test_unreadable_rules_begin_no_simulation(client, site):
    answer = client.post("/blackjack/simulate?decks=0", data=FORM)
    assert answer.status_code == 422
    assert not site.simulations.known


@pytest.mark.slow
def test_a_simulation_is_begun_followed_and_found_again(client):
    begun = client.post("/blackjack/simulate?h17=true", data=FORM)
    assert begun.status_code == 303
    address = begun.headers["location"]
    api = f"/api/v1/blackjack/simulations/{address.rpartition('/')[2]}"
    wait_until(lambda: client.get(api).json()["state"] == "done")
    facts = client.get(api).json()["facts"]
    page = words(client.get(address).text)
    assert f"{shown(100 * facts['ev'])} %" in page
    assert "2,000,000 rounds at vegas-6d-s17" in page
    assert "Dealer's soft 17" in page
    assert address in client.get("/blackjack/simulate").text
    assert client.post(f"{address}/stop").status_code == 303


def test_a_simulation_that_is_not_there_is_not_found(client):
    assert client.get("/blackjack/simulate/none").status_code == 404
    assert client.post("/blackjack/simulate/none/stop").status_code == 404
    assert client.get("/api/v1/blackjack/simulations/none").status_code == 404


# The trainer.


def begin(client, **data):
    answer = client.post("/blackjack/train", data=data)
    assert answer.status_code == 303
    return answer.headers["location"]


def moves(page):
    return re.findall(r'name="what" value="(\w+)"', page)


def decision(page):
    return re.search(r'name="decision" value="(\d+)"', page)[1]


def test_the_trainer_judges_exactly_and_a_second_click_does_nothing(client, site):
    address = begin(client, kind=["hard"])
    page = filled(client, address)
    assert {"stand", "hit"} <= set(moves(page))
    training = site.trainings.find(address.rpartition("/")[2])
    question = training.question(0)
    now = decision(page)
    for _ in range(2):
        client.post(address, data={"what": "stand", "decision": now})
    page = client.get(address).text
    cost = question.cost("stand")
    assert ("Right: stand." if not cost else f"that cost {cost:.4f} bets") in words(page)
    assert "of 1 right" in words(page)
    assert moves(page) == ["next"]
    client.post(address, data={"what": "next", "decision": decision(page)})
    page = filled(client, address)
    assert "stand" in moves(page)
    client.post(address, data={"what": "stand", "decision": decision(page)})
    assert "of 2 right" in words(client.get(address).text)
    assert (site.settings.folder / "blackjack-practice.json").is_file()


def test_what_is_looked_up_does_not_count(client):
    address = begin(client, kind=["soft"])
    page = filled(client, address)
    assert "mix" not in page
    client.post(address, data={"what": "look", "decision": decision(page)})
    page = client.get(address).text
    assert 'class="mix"' in page
    assert "look" not in moves(page)
    client.post(address, data={"what": "hit", "decision": decision(page)})
    assert "No hand was scored." in words(client.get(address).text)


@pytest.mark.parametrize(
    ("query", "kinds", "sentence"),
    [
        ("", ["aces"], "There is no drill 'aces'"),
        ("", ["surrender"], "no surrender to drill"),
        ("decks=infinite", ["deviations"], "An infinite deck cannot be counted"),
        ("decks=12", ["hard"], "decks must be 1 to 8"),
    ],
)
def test_drills_that_a_table_has_not_are_refused(client, query, kinds, sentence):
    answer = client.post(f"/blackjack/train?{query}", data={"kind": kinds})
    assert answer.status_code == 422
    assert sentence in words(answer.text)


def test_answers_that_cannot_be_change_nothing(client):
    address = begin(client, kind=["hard"])
    page = filled(client, address)
    refused = (
        ({"what": "fold", "decision": decision(page)}, 422),
        ({"what": "x" * 30, "decision": "0"}, 422),
        ({"what": "stand", "decision": "many"}, 422),
        ({"what": "next", "decision": decision(page)}, 303),
    )
    for data, status in refused:
        assert client.post(address, data=data).status_code == status
    assert filled(client, address).count('value="stand"') == 1
    assert client.get("/blackjack/train/none").status_code == 404


# What only a browser shows.


def test_a_switch_changes_the_value_and_the_address_and_keeps_what_is_unfolded(visit):
    page = visit("/blackjack")
    page.get_by_text("0.4029 %").wait_for()
    page.get_by_text("More rules").click()
    for wanted, rules in (("yes", BlackjackRules(combo=True)), ("no", USUAL)):
        group = page.get_by_role("group", name="Split 21 is a blackjack")
        group.get_by_role("link", name=wanted).click()
        page.get_by_text(f"{100 * abs(analyse(rules).ev):.4f} %").wait_for()
        group.wait_for()
    page.wait_for_url("**since=combo**")
    page.get_by_role("link", name="hits", exact=True).click()
    worth = f"{100 * abs(analyse(BlackjackRules(h17=True)).ev):.4f} %"
    page.get_by_text(worth).wait_for()
    page.reload()
    page.get_by_text(worth).wait_for()
    page.go_back()
    page.get_by_text("0.4029 %").wait_for()


def test_the_chart_is_walked_by_arrows(visit):
    page = visit("/blackjack?cell=hard:16:T")
    cell = page.locator('[data-cell="hard:16:T"]')
    cell.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url("**cell=hard:15:A")
    page.locator('[data-cell="hard:15:A"][aria-current]').wait_for()
    becomes(page.locator('table[aria-label="Hard totals"] a[tabindex="0"]').count, 1)
    fits(page)


def test_without_scripts_the_pages_are_links_and_forms(visit):
    page = visit("/blackjack", scripts=False)
    page.get_by_text("0.4029 %").wait_for()
    page.get_by_role("link", name="hits", exact=True).click()
    page.get_by_text("hits instead of stands").wait_for()
    page.get_by_role("link", name="Hand", exact=True).click()
    page.get_by_label("Your hand", exact=False).first.fill("A,7")
    page.get_by_role("button", name="Compute").click()
    page.wait_for_url("**hand=A%2C7**")


def test_a_simulation_shows_what_it_says_while_it_runs_and_stops(visit):
    page = visit("/blackjack/simulate")
    page.get_by_label("Rounds", exact=True).fill("50,000,000,000")  # more than before the stop
    page.get_by_label("Cards counted by").select_option("hilo")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("of a bet won a round").wait_for()
    page.locator("svg.plot").first.wait_for()
    page.evaluate(STOP_WITH_NEWS, "#run")
    page.get_by_text("Stopped.").wait_for()
    fits(page)
    page.reload()
    page.get_by_text("of a bet won a round").wait_for()


def test_the_trainer_by_keys(visit):
    page = visit("/blackjack/train", width=390)
    page.get_by_role("button", name="Begin").click()
    page.locator('[data-key="s"]').wait_for()
    page.wait_for_load_state()  # keys count once the page's modules are there
    for number in (1, 2):
        page.locator('[data-key="s"]').wait_for()
        page.keyboard.press("s")
        page.get_by_text(f"of {number} right").wait_for()
        page.keyboard.press("Enter")
    fits(page)


# The casino.

TABLE = "/play/blackjack/a-sitting"


def seated(client, query=""):
    """The page of a table, once the shoe is shuffled."""
    wait_until(lambda: "The shoe is shuffled …" not in client.get(TABLE + query).text)
    return client.get(TABLE + query).text


def play(client, move, **fields):
    data = {"decision": decision(client.get(TABLE).text), "move": move, **fields}
    return client.post(f"{TABLE}/move", data=data)


def kept(site):
    found = site.sittings.load("a-sitting")
    return found.actions if found else None


def test_a_round_at_the_casino_is_kept_and_a_second_click_does_nothing(client, site):
    page = seated(client)
    assert "Place your bet" in page
    assert kept(site) is None  # nothing is kept before the first bet
    data = {"decision": decision(page), "move": "deal", "bet": "11"}
    for _ in range(2):
        assert client.post(f"{TABLE}/move", data=data).headers["location"] == TABLE
    assert kept(site) == ["bet:11"]
    assert "Round 1, bet 11" in words(client.get(TABLE).text)
    for _ in range(8):
        found = re.findall(r'name="move" value="(\w)"', client.get(TABLE).text)
        if not found:
            break
        play(client, found[0])
    page = words(client.get(TABLE).text)
    assert re.search(r"you (win|lose) [\d.]+|push", page)
    site.live_sittings.forget("a-sitting")
    assert words(seated(client)) == page  # played again from its file


def test_hint_and_count_are_in_the_address_and_the_hint_is_exact(client, site):
    seated(client)
    for _ in range(20):
        play(client, "deal", bet="1", count="1")
        if 'name="move" value="S"' in client.get(TABLE).text:
            break
        found = re.findall(r'name="move" value="(\w)"', client.get(TABLE).text)
        while found and found != ["deal"]:
            play(client, found[0])
            found = re.findall(r'name="move" value="(\w)"', client.get(TABLE).text)
    page = words(client.get(f"{TABLE}?hint=1&count=1").text)
    assert "running / true count" in page
    session = site.live_sittings.ask(site.sittings.load("a-sitting"), None)
    value = session.seat.values(session.seat.table)["S"]
    assert f"S stand {shown(value)}" in page
    assert play(client, "S", count="1").headers["location"] == f"{TABLE}?count=1"


@pytest.mark.parametrize(
    "bet", ["", "many", "-5", "0", "1000", "nan", "inf", "<b>", "1e400", "9" * 50]
)
def test_bets_that_cannot_be_are_refused_and_nothing_is_kept(client, site, bet):
    seated(client)
    answer = play(client, "deal", bet=bet)
    assert answer.status_code == 422
    assert 'id="bet-problem" role="alert">' in answer.text
    assert "<b>" not in re.search(r'role="alert">(.*?)</p>', answer.text)[1]
    assert kept(site) is None


def test_moves_that_cannot_be_change_nothing(client, site):
    page = seated(client)
    for data in (
        {"move": "S", "decision": decision(page)},
        {"move": "deal", "bet": "5", "decision": "many"},
        {"move": "", "decision": decision(page)},
    ):
        assert client.post(f"{TABLE}/move", data=data).status_code == 422
    client.post(f"{TABLE}/move", data={"move": "deal", "bet": "5", "decision": "7"})
    assert kept(site) is None
    assert client.get("/play/blackjack/x").status_code == 303


def test_a_table_has_the_rules_of_its_address_and_keeps_them(client, site):
    leads = client.get("/play/blackjack?rules=european&das=false").headers["location"]
    assert parse_qs(urlsplit(leads).query) == {"rules": ["european"], "das": ["false"]}
    query = "?rules=european&das=false"
    page = seated(client, query)
    assert f'action="{TABLE}/move?rules=european&amp;das=false"' in page
    data = {"move": "deal", "bet": "5", "decision": decision(page)}
    client.post(f"{TABLE}/move{query}", data=data)
    assert rules_of_query(site.sittings.load("a-sitting").parameters) == rules_from(
        "european", {"das": "false"}
    )
    site.live_sittings.forget("a-sitting")
    assert "no double after split" in words(seated(client)).lower()


def test_chips_and_keys_at_the_casino(visit):
    page = visit("/play/blackjack", width=390)
    page.get_by_label("bet 5 more").dblclick()
    becomes(page.locator("#bet").input_value, "11")
    page.keyboard.press("Enter")
    page.get_by_text("Round 1, bet 11").wait_for()
    page.get_by_role("button", name="Show the count").click()
    page.get_by_text("running / true count").wait_for()
    fits(page)


def test_enter_deals_although_a_chip_was_pressed_just_before(visit):
    """A busy browser may hand out the key before anything else that the click has begun."""
    page = visit("/play/blackjack")
    page.get_by_label("bet 5 more").evaluate(
        """(chip) => {
          chip.focus();
          chip.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }));
          const key = new KeyboardEvent(
            'keydown', { key: 'Enter', bubbles: true, cancelable: true });
          if (chip.dispatchEvent(key)) chip.click();
        }"""
    )
    page.get_by_text("Round 1, bet 6").wait_for()
