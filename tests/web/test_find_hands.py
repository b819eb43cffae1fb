"""Finding hands on the desk: the list of all hands, menus and words, ranges to be copied."""

import re
from urllib.parse import urlencode

import pytest

from axe import serious_findings
from page_fit import fits
from riverboat.holdem.spots.node_groups import node_groups
from riverboat.holdem.spots.solve import solve_spot
from riverboat.web.pages.holdem import spot_desk
from solved_spots import drawn_river, polar_of_three, put
from waiting import becomes, wait_until


@pytest.fixture(scope="module")
def solved():
    return solve_spot(drawn_river(), target="0.5%")


@pytest.fixture
def desk(site, solved):
    return put(site.settings.folder, solved, target="0.5%")


def filled(client, address, **query):
    """A page that has all its parts: some may be computed for a moment."""
    path = f"{address}?{urlencode(query)}"
    wait_until(lambda: "waiting-" not in client.get(path).text)
    return client.get(path)


def listed(page):
    """The hands of the list in their order."""
    table = page.text[page.text.index('class="groups-box"') :]
    return re.findall(r'<tr><td><span class="hand-text">.*?unseen">(\w+)<', table)


def range_text(page):
    return re.search(r"<textarea[^>]*readonly[^>]*>([^<]*)</textarea>", page.text)[1]


@pytest.mark.parametrize(
    ("sort", "up"), [("share", ""), ("ev", ""), ("ev", "1"), ("all-in 100", ""), ("name", "")]
)
@pytest.mark.parametrize("node", ["r:0", "r:0:c", "r:0:b100"])
def test_all_hands_are_listed_in_the_order_that_python_has(client, desk, solved, node, sort, up):
    groups = node_groups(solved.at(node))
    if sort not in groups.orders:
        sort = "share"  # the page takes an order of another node as none
    rows = groups.hands(sort, ascending=bool(up))
    page = filled(client, desk, node=node, tab="list", sort=sort, up=up)
    assert listed(page) == [row.cards for row in rows]
    for row in rows[:3]:
        assert f">{round(row.ev, 2) + 0.0:.2f}<" in page.text
        assert f">{100 * row.equity:.1f}\u00a0%<" in page.text
    assert range_text(page) == groups.range_text()


def test_figures_of_a_list_fall_from_its_first_hand(solved):
    """A closed property of sorting: neighbours are in order, and each hand is there once."""
    groups = node_groups(solved.at())
    for sort in ("ev", "equity", "weight", "share"):
        values = [getattr(row, sort) for row in groups.hands(sort)]
        assert values == sorted(values, reverse=True)
        rising = [getattr(row, sort) for row in groups.hands(sort, ascending=True)]
        assert rising == sorted(values)


def test_menus_find_what_words_find(client, desk, solved):
    menus = filled(client, desk, tab="list", made="no pair", holds="ace", lacks="hearts")
    words = filled(client, desk, tab="list", find="no pair with an ace without hearts")
    groups = node_groups(solved.at(), "no pair and ace and not hearts")
    assert listed(menus) == listed(words) == [row.cards for row in groups.hands()]
    assert range_text(menus) == groups.range_text() != ""
    ev = f"{groups.total.players[0].ev:.2f}"
    for page in (menus, words):
        assert f">{ev}<" in page.text
    assert "not among those found" in menus.text  # the grid shows the same hands
    both = filled(client, desk, tab="list", find="AsQs or KK", made="set")
    assert all(hand.count("K") == 2 for hand in listed(both))


def test_menus_offer_what_the_range_has(client, desk):
    page = filled(client, desk, tab="list").text
    made = re.search(r'<select[^>]*name="made".*?</select>', page, re.DOTALL)[0]
    assert '<option value="set">' in made
    assert '<option value="no pair">' in made
    assert "full house" not in made


def test_a_group_opens_into_its_hands_and_their_range(client, desk, solved):
    page = filled(client, desk, tab="groups", group="set")
    groups = node_groups(solved.at())
    rows = groups.hands(group=("made", "set"))
    assert listed(page) == [row.cards for row in rows]
    assert range_text(page) == groups.range_text(("made", "set"))
    whole = filled(client, desk, tab="groups")
    assert range_text(whole) == groups.range_text()
    assert listed(whole) == []


@pytest.mark.parametrize(
    "query",
    [
        {"tab": "list", "made": "straight flush"},
        {"tab": "list", "made": "set", "draw": "flush draw"},
        {"tab": "groups", "holds": "ace", "lacks": "ace"},
        {"tab": "list", "made": "purple"},
        {"tab": "list", "find": "set and"},
    ],
)
def test_a_filter_that_leaves_no_hand_gets_a_sentence_at_its_field(client, desk, query):
    filled(client, desk)
    page = filled(client, desk, **query)
    assert page.status_code == 422
    assert 'id="find-problem"' in page.text
    assert "Show all hands" in page.text
    assert "desk-grid" in page.text


def test_a_long_list_has_pages(client, desk, solved, monkeypatch):
    monkeypatch.setattr(spot_desk, "PAGE_HANDS", 10)
    hands = [row.cards for row in node_groups(solved.at()).hands("ev")]
    pages = -(-len(hands) // 10)
    read = [filled(client, desk, tab="list", sort="ev", page=n + 1) for n in range(pages)]
    assert [hand for page in read for hand in listed(page)] == hands
    assert "the 10 before" not in read[0].text
    assert "the next 10" in read[0].text
    assert "the next 10" not in read[-1].text
    for odd in ("0", "x", "9" * 12, "٣", "-1"):
        assert filled(client, desk, tab="list", page=odd).status_code == 200


def test_hands_of_three_players_are_listed_each_by_name(client, site):
    solved = solve_spot(polar_of_three(), iterations=50)
    desk = put(site.settings.folder, solved, target="1%")
    for seat, name in enumerate(("sb", "bb", "btn")):
        page = filled(client, desk, tab="list", player=name)
        groups = node_groups(solved.at(), player=seat)
        assert listed(page) == [row.cards for row in groups.hands()]
        assert range_text(page) == groups.range_text()


# What only a browser shows.


@pytest.mark.parametrize("width", [390, 1280])
def test_one_sorts_and_narrows_by_menus_and_copies(visit, server, solved, width):
    page = visit(f"{put(server.folder, solved, 'findhands1')}?tab=list", width=width)
    page.locator("#list th", has_text="EV").get_by_role("link").click()
    page.locator("#list th[aria-sort=descending]", has_text="EV").wait_for()
    page.get_by_label("Made hand").select_option("no pair")
    page.get_by_role("heading", name=re.compile("hands, no pair")).wait_for()
    page.get_by_label("Without").select_option("hearts")
    page.get_by_role("heading", name=re.compile("no pair and not hearts")).wait_for()
    becomes(page.locator("#list .suit-h").count, 0)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    text = page.locator("#list textarea").input_value()
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == text
    assert serious_findings(page) == []
    page.get_by_role("link", name="Show all hands").click()
    page.get_by_role("heading", name=re.compile(r"^\d+ hands$")).wait_for()
    fits(page)
