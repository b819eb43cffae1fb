"""Two solved spots next to each other: the numbers of the command, states, what is refused."""

import re
from urllib.parse import urlencode

import pytest

from axe import serious_findings
from commands import Command
from page_fit import fits
from riverboat.cards.hand_groups import KINDS
from riverboat.holdem.spots.node_comparison import compare_nodes
from riverboat.holdem.spots.solve import solve_spot
from riverboat.holdem.spots.spot import Spot
from riverboat.web.pages.holdem import spot_comparison
from riverboat.web.pages.holdem.change_cells import change_grid, change_words
from solved_spots import drawn_river, polar, polar_of_three, put
from spot_texts import POLAR
from waiting import becomes, wait_until

CALL = "r:0:b100=call:1"


@pytest.fixture(scope="module")
def solved():
    return solve_spot(drawn_river(), target="0.5%")


@pytest.fixture(scope="module")
def caller():
    """The same river where IP always calls all chips."""
    return solve_spot(drawn_river(), target="0.5%", locks=[CALL])


@pytest.fixture
def desk(site, solved):
    return put(site.settings.folder, solved, "firstspot1", target="0.5%")


@pytest.fixture
def locked(site, caller):
    return put(site.settings.folder, caller, "lockedspot", target="0.5%")


def filled(client, address, **query):
    """A page that has all its parts: some may be computed for a moment."""
    path = f"{address}/compare?{urlencode(query)}"
    wait_until(lambda: "waiting-" not in client.get(path).text)
    return client.get(path)


@pytest.fixture
def told(tmp_path, solved, caller, capsys):
    """What the command says about both files, without their names."""
    for name, one in (("first", solved), ("second", caller)):
        one.save(tmp_path / f"{name}.rb")

    def ask(node, *options):
        files = str(tmp_path / "first.rb"), node, "--compare", str(tmp_path / "second.rb")
        facts = Command(capsys)("show", *files, *options, "--json").json
        facts.pop("files")
        return facts

    return ask


def asked(client, address, **query):
    answer = client.get(f"/api/v1{address}/compare", params=query)
    assert answer.status_code == 200, answer.text
    facts = answer.json()
    facts.pop("files")
    return facts


@pytest.mark.parametrize("node", ["r:0", "r:0:c", "r:0:b100", "r:0:b50"])
def test_a_program_gets_what_the_command_says(client, desk, locked, told, node):
    facts = asked(client, desk, **{"with": "lockedspot"}, node=node)
    assert facts == told(node)
    found = asked(client, desk, **{"with": "lockedspot"}, node=node, find="all", limit=9)
    assert found == told(node, "--find", "all", "--limit", "9")


@pytest.mark.parametrize("player", ["oop", "ip"])
def test_two_nodes_of_one_spot_are_compared_for_either_player(
    client, desk, solved, player, tmp_path, capsys
):
    facts = asked(client, desk, node="r:0", second="r:0:c", player=player)
    solved.save(tmp_path / "one.rb")
    line = ("view", str(tmp_path / "one.rb"), "--compare-node", "r:0:c", "--player", player)
    said = Command(capsys)("holdem", *line, "--json").json
    assert facts == {name: value for name, value in said.items() if name != "files"}


def test_the_page_shows_sums_groups_and_hands(client, desk, locked, solved, caller):
    compared = compare_nodes(solved.at(), caller.at())
    page = filled(client, desk, **{"with": "lockedspot"})
    assert page.status_code == 200
    for row in compared.totals.values():
        assert f"<b>{change_words(row.ev, 'ev')}</b>" in page.text
        assert f"{row.first.ev:z.2f} → {row.second.ev:z.2f}".replace("-", "−") in page.text
    for row in compared.groups("made"):
        assert f">{row.name}</a>" in page.text
        assert f"<b>{change_words(row.ev, 'ev')}</b>" in page.text
    hands = filled(client, desk, **{"with": "lockedspot"}, tab="hands", sort="all-in 100")
    listed = re.findall(r'<tr><td><span class="hand-text">.*?unseen">(\w+)<', hands.text)
    assert listed == [row.name for row in compared.hands("all-in 100")]
    up = filled(client, desk, **{"with": "lockedspot"}, tab="hands", sort="all-in 100", up="1")
    assert re.findall(r'<tr><td><span class="hand-text">.*?unseen">(\w+)<', up.text) == listed[::-1]


@pytest.mark.parametrize("figure", ["ev", "equity", "weight", "check", "all-in 100"])
def test_a_grid_has_every_class_with_its_sign(client, desk, locked, solved, caller, figure):
    compared = compare_nodes(solved.at(), caller.at())
    grid = change_grid(compared, figure)
    by_name = {row.name: row for row in compared.classes()}
    assert len(grid.cells) == 169
    page = filled(client, desk, **{"with": "lockedspot"}, show=figure)
    for cell in grid.cells:
        row = by_name.get(cell.name)
        assert cell.empty == (row is None)
        if row is not None and cell.heat is not None:
            value = row.strategy[figure] if figure in compared.actions else getattr(row, figure)
            assert cell.mark == ("more" if value > 0 else "less")
            assert 8 <= cell.heat <= 80
        assert f"{cell.name}:" in page.text
    strongest = max((cell.heat for cell in grid.cells if cell.heat is not None), default=80)
    assert strongest == 80


def test_a_class_opens_into_its_hands_and_a_group_into_words_that_find_it(client, desk, locked):
    page = filled(client, desk, **{"with": "lockedspot"}, tab="hands", hand="AKs", player="oop")
    assert "No hand of OOP of AKs" in page.text
    page = filled(client, desk, **{"with": "lockedspot"}, tab="hands", hand="KK")
    assert "3 hands of KK" in page.text
    found = filled(
        client, desk, **{"with": "lockedspot"}, find="(one pair) and no draw", tab="hands"
    )
    assert found.status_code == 422  # OOP has sets and missed draws, so no hand is left
    assert 'id="find-problem"' in found.text
    for kind, names in KINDS.items():
        page = filled(client, desk, **{"with": "lockedspot"}, kind=kind)
        for name in names:
            if f">{name}</a>" in page.text:
                same = filled(client, desk, **{"with": "lockedspot"}, find=name, tab="hands")
                assert same.status_code == 200, name


def test_what_was_there_before_locks_is_offered_first(client, desk, locked, site, solved):
    put(site.settings.folder, solve_spot(polar(), iterations=20), "elsewhere1")
    listed = client.get("/api/v1/holdem/spots/lockedspot/comparable").json()
    assert [each["name"] for each in listed] == ["firstspot1"]
    assert "before locks" in listed[0]["words"]
    answer = client.get(f"{locked}/compare?node=r:0:c")
    assert answer.status_code == 303  # before locks stands first, so that the change reads forward
    address = "/holdem/spots/firstspot1/compare?node=r%3A0%3Ac&with=lockedspot"
    assert answer.headers["location"] == address
    page = filled(client, desk)
    assert "Compare with what?" in page.text
    assert "1 lock<" in page.text
    assert "elsewhere1" not in page.text


def test_files_of_the_library_are_compared_too(client, desk, site, caller):
    caller.save(site.settings.folder / "kept caller.rb")
    solve_spot(polar(), iterations=20).save(site.settings.folder / "other.rb")
    (site.settings.folder / "damaged.rb").write_bytes(b"nothing")
    page = filled(client, desk)
    assert "kept caller.rb: 1 lock" in page.text
    assert "other.rb" not in page.text
    facts = asked(client, desk, **{"with": "kept caller.rb"})
    put(site.settings.folder, caller, "lockedspot")
    assert facts == asked(client, desk, **{"with": "lockedspot"})
    assert filled(client, desk, **{"with": "kept caller.rb"}).status_code == 200
    for name in ("other.rb", "damaged.rb", "../../etc/passwd", "none.rb", "x" * 150):
        page = filled(client, desk, **{"with": name})
        assert page.status_code == 422, name
        assert 'role="alert"' in page.text
        answer = client.get(f"/api/v1{desk}/compare", params={"with": name})
        assert answer.status_code == 422
        assert answer.json()["problems"][0]["field"] == "with"


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ({"node": "r:0:b7"}, "node", "b7"),
        ({"second": "r:0:Zz"}, "second", "Zz"),
        ({"find": "flush draw without"}, "find", ""),
        ({"find": "straight flush"}, "find", ""),
    ],
)
def test_what_cannot_be_compared_gets_a_sentence_at_its_field(
    client, desk, locked, query, field, words
):
    filled(client, desk, **{"with": "lockedspot"})
    page = filled(client, desk, **{"with": "lockedspot", **query})
    assert page.status_code == 422
    assert words in page.text
    assert 'role="alert"' in page.text
    answer = client.get(f"/api/v1{desk}/compare", params={"with": "lockedspot", **query})
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["field"] == field
    assert client.get("/holdem/spots/nosuchspot/compare").status_code == 404


def test_odd_values_of_the_address_are_as_if_they_were_not_there(client, desk, locked):
    usual = filled(client, desk, **{"with": "lockedspot"}).text
    for name in ("show", "tab", "kind", "hand", "sort", "up", "page", "player"):
        page = filled(client, desk, **{"with": "lockedspot", name: "purple"})
        assert page.status_code == 200
        assert page.text.count("<tr>") == usual.count("<tr>")


def test_a_long_list_has_pages(client, desk, locked, solved, caller, monkeypatch):
    monkeypatch.setattr(spot_comparison, "PAGE_HANDS", 10)
    names = [row.name for row in compare_nodes(solved.at(), caller.at()).hands("ev")]
    listed = []
    for number in range(-(-len(names) // 10)):
        page = filled(
            client, desk, **{"with": "lockedspot"}, tab="hands", sort="ev", page=number + 1
        )
        listed += re.findall(r'<tr><td><span class="hand-text">.*?unseen">(\w+)<', page.text)
    assert listed == names


def test_three_players_are_compared_each_by_name(client, site):
    rough = solve_spot(polar_of_three(), iterations=5)
    fine = solve_spot(polar_of_three(), iterations=60)
    desk = put(site.settings.folder, rough, "threerough", target="9%")
    put(site.settings.folder, fine, "threefine1", target="9%")
    for seat, name in enumerate(("sb", "bb", "btn")):
        compared = compare_nodes(rough.at(), fine.at(), player=seat)
        page = filled(client, desk, **{"with": "threefine1"}, player=name, tab="hands")
        for row in compared.totals.values():
            assert f"<b>{change_words(row.ev, 'ev')}</b>" in page.text
        listed = re.findall(r'<tr><td><span class="hand-text">.*?unseen">(\w+)<', page.text)
        assert listed == [row.name for row in compared.hands("ev")]


def test_hands_of_four_cards_have_groups_and_hands_and_no_grid(client, site):
    text = POLAR.replace("pot", 'game = "omaha"\npot', 1).replace("AA,QQ", "AAKK$ds,QQJJ$ds")
    solved = Spot.from_toml(text.replace('"KK"', '"KKQT$ds"')).solve(iterations=60)
    desk = put(site.settings.folder, solved, "fourcards1")
    page = filled(client, desk, second="r:0:c", player="oop", tab="hands")
    assert page.status_code == 200
    assert "range-grid" not in page.text
    compared = compare_nodes(solved.at(), solved.at("r:0:c"), player=0)
    for row in compared.hands("ev")[:5]:
        assert f'unseen">{row.name}<' in page.text
    assert "made hands" in filled(client, desk, second="r:0:c").text.lower()
    facts = asked(client, desk, second="r:0:c", player="oop")
    assert "classes" not in facts


# What only a browser shows.


@pytest.mark.parametrize("width", [390, 1280])
def test_one_goes_from_the_desk_to_what_a_lock_changed(visit, server, solved, caller, width):
    put(server.folder, solved, "beforelock")
    desk = put(server.folder, caller, "afterlocks")
    page = visit(desk, width=width)
    page.get_by_role("link", name="Compare", exact=True).click()
    page.get_by_role("heading", name="EV of OOP: second less first").wait_for()
    assert "/holdem/spots/beforelock/compare" in page.url
    page.get_by_role("group", name="Cells show").get_by_role("link", name="all-in 100").click()
    page.get_by_role("heading", name="all-in 100 of OOP: second less first").wait_for()
    page.get_by_role("group", name="Tables").get_by_role("link", name="Hands").click()
    page.get_by_role("heading", name=re.compile(r"^\d+ hands$")).wait_for()
    page.locator("#change-KK").click()
    page.get_by_role("heading", name="3 hands of KK").wait_for()
    page.get_by_role("link", name="All hands").click()
    page.get_by_role("heading", name=re.compile(r"^\d+ hands$")).wait_for()
    page.get_by_placeholder(re.compile("Find hands")).fill("set")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=re.compile("hands, set")).wait_for()
    fits(page)
    for dark in ("dark", "light"):
        page.emulate_media(color_scheme=dark)
        assert serious_findings(page) == []
    page.get_by_role("link", name="Swap sides").click()
    page.wait_for_url("**/afterlocks/compare*")
    second = page.get_by_label("Second side")
    second.get_by_role("link", name=re.compile("check")).first.click()
    page.get_by_role("link", name="Have both sides at the node of the first").wait_for()
    becomes(lambda: "second=" in page.url, True)
