"""A table against bots: moves count once, addresses last, refusals change nothing."""

import json
import re
from functools import partial
from urllib.parse import urlsplit

import pytest

from page_fit import fits
from riverboat.web.play import live
from riverboat.web.play.session import Kept
from waiting import becomes, wait_until

MOVES = ".moves .move"
LOG = ".log"
AGAINST = {
    "holdem": {"against": "holdem:rules"},
    "omaha": {"against": "holdem:random"},
    "shortdeck": {"against": "holdem:call"},
    "twentyone": {"seat": "1"},
}
ALL = [
    "rps",
    "kuhn",
    "leduc",
    "liars_dice",
    "showdown",
    "duel",
    "twentyone",
    "holdem",
    "omaha",
    "shortdeck",
]


def table(client, path):
    """The table as the API has it, once everybody sits."""

    def there():
        return client.get(f"/api/v1{path}").status_code == 200

    wait_until(there, what=path)
    return client.get(f"/api/v1{path}").json()


@pytest.fixture(autouse=True)
def same_cards(monkeypatch):
    """A sitting's seed is chosen at random, but not here."""
    monkeypatch.setattr("riverboat.web.api.play.secrets.randbits", lambda _: 7)


def sit(client, game="kuhn", **form):
    path = f"/play/{game}/a-sitting"
    if form:
        answer = client.post(f"/play/{game}", data=form)
        assert answer.status_code == 303
        path = answer.headers["location"]
    table(client, path)
    return path


def move(client, path, name, decision, **more):
    return client.post(f"{path}/move", data={"move": name, "decision": decision, **more})


def kept(site):
    """The moves in the files of all sittings."""
    files = (site.settings.folder / ".web" / "sittings").glob("*.json")
    return [json.loads(file.read_text())["actions"] for file in files]


@pytest.mark.parametrize("game", ALL)
def test_a_hand_to_its_end_is_the_same_after_a_restart(client, site, game):
    path = sit(client, game, **AGAINST.get(game, {"against": "random"}))
    found = table(client, path)
    while not found["over"]:
        action = found["moves"][0]["action"]
        assert move(client, path, action, found["decision"]).headers["location"] == path
        found = table(client, path)
    page = client.get(path).text
    assert found["log"][-1]["kind"] == "end"
    assert 'data-key="Enter"' in page
    shown = re.findall(r'<span class="line-\w+">([^<]*)</span>', page)
    assert len(shown) == len(found["log"])  # the newest stands last
    assert shown[-1].startswith(("you win", "you lose", "nothing"))
    site.live_sittings.forget(path.rpartition("/")[2])
    assert table(client, path) == found
    move(client, path, "next", found["decision"])
    assert "Hand 2" in str(table(client, path)["log"])


def test_a_move_counts_once_and_for_its_own_decision_only(client, site):
    path = sit(client, "leduc", against="random")
    for _ in range(3):
        assert move(client, path, "c", 0).status_code == 303
    found = table(client, path)
    assert kept(site) == [["c"]]
    assert move(client, path, "c", 7).status_code == 303
    assert table(client, path) == found


def test_nothing_is_kept_before_the_first_move(client, site):
    path = client.get("/play/rps").headers["location"]
    assert path != client.get("/play/rps").headers["location"]
    assert kept(site) == []
    assert table(client, path) == table(client, path)
    move(client, path, "r", 0)
    assert kept(site) == [["r"]]


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"move": "b"}, "Write a number."),
        ({"move": "b", "decision": "x"}, "is not a whole number"),
        ({"move": "b", "decision": "٣"}, "is not a whole number"),
        ({"move": "b", "decision": "9" * 40}, "is not a whole number"),
        ({"move": "no such move", "decision": "0"}, "That is not possible here."),
        ({"move": "", "decision": "0"}, "That is not possible here."),
        ({"move": "raise", "decision": "0"}, "Write a number."),
        ({"move": "raise", "decision": "0", "size": "9"}, "That is not possible here."),
        ({"move": "b" * 3_000, "decision": "0"}, "That is not possible here."),
    ],
)
def test_a_move_that_cannot_be_gets_a_sentence_and_changes_nothing(client, site, form, words):
    path = sit(client, against="random")
    before = table(client, path)
    answer = client.post(f"{path}/move", data=form)
    if form.get("move") != "raise":
        assert answer.status_code == 422
        assert words in answer.text
    assert table(client, path) == before
    assert kept(site) == [[]]


@pytest.mark.parametrize(
    ("form", "field", "words"),
    [
        ({"players": "9"}, "players", "players must be 2 to 5, not 9"),
        ({"players": "<b>"}, "players", "&lt;b&gt;"),
        ({"against": "nobody"}, "against", "no player"),
        ({"against": "file:../secret.rb"}, "against", "no player"),
        ({"seat": "7"}, "seat", "there is no 7"),
        ({"seat": "x"}, "seat", "not a whole number"),
    ],
)
def test_a_table_that_cannot_be_gets_a_sentence_at_its_field(client, site, form, field, words):
    answer = client.post("/play/kuhn", data=form)
    assert answer.status_code == 422
    assert words in re.search(rf'id="{field}-problem" role="alert">([^<]*)<', answer.text)[1]
    assert kept(site) == []
    asked = {"parameters": {k: v for k, v in form.items() if k == "players"}}
    asked |= {k: v for k, v in form.items() if k == "against"}
    if "seat" not in form:
        problem = client.post("/api/v1/play/kuhn", json=asked).json()["problems"][0]
        assert problem["field"] == field


def test_people_that_cannot_be_are_refused_at_their_field(client):
    answer = client.post("/play/kuhn/people", data={"people": "7", "bots": "random"})
    assert answer.status_code == 422
    assert "2 to 2 people can sit" in answer.text


def test_an_unknown_game_or_sitting_is_no_error(client):
    answer = client.get("/play/no-such-game")
    assert answer.status_code == 404
    assert "There is no game" in answer.text
    assert client.get("/play/kuhn/no%20sitting").headers["location"] == "/play/kuhn"
    path = sit(client, "rps")
    move(client, path, "r", 0)
    other = path.replace("rps", "kuhn")
    assert client.get(other).headers["location"] == "/play/kuhn"  # a sitting at another game


def test_the_hint_is_what_the_coach_says(client):
    path = sit(client)
    rows = table(client, path)["hint"]["rows"]
    assert sum(row["chance"] for row in rows) == pytest.approx(1)
    page = client.get(f"{path}?hint=1").text
    assert page.count("mix-bar") == len(rows)
    assert "EV" in page
    assert "mix-bar" not in client.get(path).text


def chips(felt):
    """All chips at a table, whoever has them."""
    left = [
        int(re.search(r"(\d+) left|$", seat["note"])[1] or 0)
        for seat in [felt["own"], *felt["others"]]
    ]
    return sum(left) + felt["pot"]


def test_a_blueprint_decides_the_chips_and_refuses_others(client):
    path = sit(client, "holdem")
    assert chips(table(client, path)["felt"]) == 200
    assert 'name="stacks" value="100"' in client.get(path).text
    answer = client.post("/play/holdem", data={"stacks": "200", "against": "blueprint:shipped"})
    assert "plays with stacks 100, not 200" in answer.text
    assert 'id="stacks-problem"' in answer.text
    rules = sit(client, "holdem", stacks="200", against="holdem:rules", seat="2")
    assert chips(table(client, rules)["felt"]) == 400
    # Choosing the blueprint shows its own rules.
    assert 'name="stacks" value="100"' in client.get(f"{rules}?against=blueprint:shipped").text


@pytest.mark.parametrize(
    ("game", "label"), [("leduc", "Cards of each rank"), ("holdem", "Chips of each player")]
)
def test_rules_have_the_names_that_people_use(client, game, label):
    page = client.get(f"/play/{game}/a-sitting").text
    assert f"<span>{label}</span>" in page


def test_six_sit_around_the_table_with_the_button(client):
    path = sit(client, "holdem", players="6", stacks="100", against="holdem:rules")
    felt = table(client, path)["felt"]
    assert len(felt["others"]) == 5
    page = client.get(path).text
    assert "ring-5" in page
    assert page.count('class="dealer-button"') == 1


def test_pot_limit_offers_a_few_sizes_and_the_rest_by_number(client):
    """Six players with blinds of 1 and 2: after four calls the small blind raises from 4 to 14."""
    path = sit(client, "omaha", players="6", seat="1", against="holdem:call")
    shown = table(client, path)
    moves = [move["action"] for move in shown["moves"]]
    assert moves[:3] == ["f", "c", "r4"]
    assert moves[-1] == "r14"
    assert len(moves) <= 6
    assert (shown["sizes"]["low"], shown["sizes"]["high"]) == (4, 14)


def test_a_sitting_that_is_left_is_given_up_and_comes_back(client, site, monkeypatch):
    path = sit(client, "rps")
    name = path.rpartition("/")[2]
    assert name in site.live_sittings
    site.live_sittings.tidy()
    assert name in site.live_sittings  # it was asked for a moment ago
    monkeypatch.setattr(live, "LEFT_SECONDS", -1.0)
    site.live_sittings.tidy()
    assert name not in site.live_sittings
    monkeypatch.undo()
    assert table(client, path)["hands"] == 0


def test_an_opponent_is_not_solved_on_for_a_page_that_was_left(site, monkeypatch):
    stops = []

    def never(kept, stop):
        stops.append(stop)
        wait_until(lambda: stop.requested)
        raise AssertionError("left")

    assert site.live_sittings.ask(Kept("kuhn", name="abcdefgh"), never) is None
    monkeypatch.setattr(live, "LEFT_SECONDS", -1.0)
    site.live_sittings.tidy()
    assert stops[0].requested
    assert "abcdefgh" not in site.live_sittings


# In Chromium, for what only a browser shows.


@pytest.mark.parametrize("hand", ["double click", "held key"])
def test_a_double_click_or_a_held_key_is_one_move(visit, server, hand):
    page = visit("/play/leduc")
    page.wait_for_selector(MOVES)
    before = page.locator(LOG).inner_html()
    if hand == "double click":
        page.locator(f"{MOVES}[value=c]").dblclick()
    else:
        for _ in range(6):
            page.keyboard.down("c")
        page.keyboard.up("c")
    wait_until(lambda: page.locator(LOG).inner_html() != before)
    page.reload()
    name = urlsplit(page.url).path.rpartition("/")[2]
    file = server.folder / ".web" / "sittings" / f"{name}.json"
    assert json.loads(file.read_text())["actions"] == ["c"]


def test_a_second_tab_follows(visit):
    page = visit("/play/rps")
    page.wait_for_selector(MOVES)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(MOVES)
    page.locator(MOVES).first.click()
    becomes(page.locator(".line-end").count, 1)
    becomes(other.locator(".line-end").count, 1)
    becomes(partial(other.locator(LOG).inner_text), page.locator(LOG).inner_text())


def test_a_hand_by_keyboard_alone(visit):
    """From the address bar: Tab to the game, Enter, its keys, Enter for the next hand."""
    page = visit("/play")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('href')") == "/play/liars_dice":
            break
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_selector(MOVES)
    page.wait_for_load_state()
    page.keyboard.type("26")  # two sixes, the highest bid, as it is typed in the terminal
    page.get_by_text("you bid 2 × 6").or_(page.get_by_text("you choose 2 × 6")).first.wait_for()
    page.locator(".line-end").first.wait_for()
    page.keyboard.press("Enter")
    page.get_by_text("Hand 2").wait_for()
    page.keyboard.press("?")
    page.locator(".mix").wait_for()
    page.wait_for_url("**?hint=1")  # the browser reports an address later than it shows the page
    page.reload()
    page.locator(".mix").wait_for()


def test_the_size_of_a_raise_is_chosen_by_slider_or_number(visit):
    page = visit("/play/holdem/a-raised-hand")  # the name is the seed: the first move is a raise
    slider, number = page.get_by_label("raise to").last, page.locator("#size")
    number.wait_for()
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    chips = int(number.get_attribute("min")) + 2
    becomes(number.input_value, str(chips))
    page.get_by_role("button", name="Raise", exact=True).dblclick()
    page.locator(".log").get_by_text(f"you raise to {chips}").or_(
        page.locator(".log").get_by_text(f"you bet {chips}")
    ).first.wait_for()
    fits(page)


def test_news_leaves_a_typed_size_alone(visit):
    """The stream of news opens a moment after the page, when a reader may have begun to type."""
    page = visit("/play/holdem/a-typed-size")
    number = page.locator("#size")
    chips = str(int(number.get_attribute("min")) + 3)
    number.fill(chips)
    number.blur()
    page.evaluate(
        """() => new Promise((done) => {
          document.addEventListener('htmx:afterSettle', done, { once: true });
          document.querySelector('#play').dispatchEvent(new CustomEvent('news'));
        }).then(() => true)"""
    )
    assert number.input_value() == chips


def test_a_second_press_never_answers_a_decision_that_was_not_seen(visit):
    """News of the first move comes while it is under way; both presses mean the first decision."""
    page = visit("/play/liars_dice")
    page.wait_for_selector(MOVES)
    sent = []
    page.on("request", lambda one: sent.append(one.post_data) if one.method == "POST" else None)
    page.evaluate(
        """() => {
          const move = document.querySelector('.moves [name="move"]');
          move.click();
          document.querySelector('#play').dispatchEvent(new CustomEvent('news'));
          move.click();
        }"""
    )
    page.locator(LOG).get_by_text("you bid").or_(page.get_by_text("you choose")).first.wait_for()
    # Between the answer to the first and the second press no request is under way either.
    becomes(lambda: (page.locator(".htmx-request").count(), len(sent)), (0, 2))
    assert sent[0] == sent[1]


def test_a_hand_without_scripts(visit):
    page = visit("/play/rps", scripts=False)
    page.wait_for_selector(MOVES)
    page.locator(MOVES).first.click()
    page.locator(".line-end").wait_for()
    page.get_by_role("button", name="Next hand").click()
    page.get_by_role("button", name="hint").click()
    page.locator(".mix").wait_for()
    page.locator("select[name=against]").select_option("random")
    page.get_by_role("button", name="New sitting").click()
    page.get_by_text("random").first.wait_for()


def test_every_button_is_reached_by_tab_in_the_order_of_reading(visit):
    page = visit("/play/kuhn")
    page.wait_for_selector(MOVES)
    stops = []
    for _ in range(40):
        page.keyboard.press("Tab")
        where = page.evaluate(
            """() => {
              const at = document.activeElement, box = at.getBoundingClientRect();
              const seen = getComputedStyle(at).outlineStyle;
              return at === document.body ? null : [at.textContent || at.ariaLabel, box.top, seen];
            }"""
        )
        if where is None or where in stops:
            break
        stops.append(where)
    names = [str(name) for name, _, _ in stops]
    assert names[0] == "Skip to the page"
    order = [
        next(i for i, name in enumerate(names) if text in name)
        for text in ("Play", "hint", "New sitting")
    ]
    assert order == sorted(order)
    assert not [name for name, _, seen in stops if seen == "none"]
