"""A tournament of 18 from the page, its results, the replay of its log, and a learning curve."""

import json

import pytest

pytest.importorskip("nicegui")

from page_fit import fits, go_again
from riverboat.errors import RiverboatError, UsageError
from riverboat.twentyone.learning.optimum import optimum
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.wire.tournament_archive import TournamentStore
from riverboat.web.app.library import Library
from riverboat.web.twentyone.hosting import Hostings
from riverboat.web.twentyone.learning_page import learning_runs
from riverboat.web.twentyone.tournament_page import _entrants, hands_of_log
from waiting import PATIENCE, becomes, wait_until


def test_a_tournament_of_eighteen_is_played_shown_and_replayed(visit):
    page = visit("/twentyone")
    page.get_by_label("Rounds per table").fill("20")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="The results").click()
    page.get_by_text("Champion:").wait_for()
    # Three tables of six and the final; two of each table go on, and the champion.
    becomes(page.get_by_text("goes on").count, 6)
    page.get_by_text("hand 1 of 80").wait_for()
    page.keyboard.press("ArrowRight")
    page.get_by_text("hand 2 of 80").wait_for()
    page.wait_for_url("**?hand=2")
    page.reload()
    page.get_by_text("hand 2 of 80").wait_for()
    fits(page)


def test_a_tournament_goes_on_after_the_server_was_killed(visit, make_server):
    server = make_server()
    page = visit("/twentyone", base=server.address)
    page.get_by_label("Rounds per table").fill("6000")
    page.get_by_role("button", name="Start").click()
    page.locator(".ranking-box").wait_for()
    mark = server.folder / ".web" / "hosting.json"
    wait_until(mark.is_file)
    visit.forgiven = ("ERR_CONNECTION_REFUSED", "WebSocket connection")
    server.kill()
    assert mark.is_file()
    server.restart()
    go_again(page, server.address + "/twentyone")
    page.get_by_role("link", name="The results").click()
    page.get_by_text("Champion:").wait_for()
    stored = TournamentStore(server.folder / "tournaments.sqlite").all()
    assert [(one.number, one.entrants) for one in stored] == [(1, 18)]
    assert stored[0].champion
    wait_until(lambda: not mark.is_file())


def test_one_that_was_stopped_by_hand_is_not_gone_on_with(tmp_path):
    hostings = Hostings(tmp_path)
    hostings.host([("a", "basic"), ("b", "random")], 10**7, 3)
    wait_until(lambda: hostings.newest.standings)
    hostings.newest.stopping = True
    hostings.newest.thread.join(PATIENCE)
    assert hostings.newest.state == "stopped"
    again = Hostings(tmp_path)
    again.go_on()
    assert again.newest is None


def test_the_ranking_puts_the_later_stage_first(tmp_path):
    hostings = Hostings(tmp_path)
    hostings.host([(f"p{i}", "basic") for i in range(9)], 30, 3)
    hostings.newest.thread.join(PATIENCE)
    ranking = hostings.newest.ranking
    assert len(ranking) == 9
    assert [one.stage for one in ranking] == sorted((one.stage for one in ranking), reverse=True)
    assert [one.name for one in ranking if one.stage == 2 and not one.out] == [
        TournamentStore(tmp_path / "tournaments.sqlite").all()[0].champion
    ]


def test_entrants_that_cannot_be_are_refused(visit):
    page = visit("/twentyone")
    page.get_by_label("Entrants").fill("only one = basic")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("2 to 60 entrants, not 1").wait_for()
    visit("/twentyone/tournaments/99999").get_by_role("alert").wait_for()


def test_a_learning_curve_ends_near_the_exact_optimum_and_is_kept(visit, server):
    page = visit("/twentyone/learning")
    page.get_by_role("button", name="Learn").click()
    page.get_by_role("cell", name="1,000,000").nth(1).wait_for()
    best = optimum("points", "reward")[0].reward
    page.get_by_text(f"{best:+.5f}".replace("-", "−")).wait_for()
    page.get_by_role("columnheader", name="below the optimum").wait_for()
    below = page.locator("tr", has_text="on-policy").locator("td").last.inner_text()
    assert float(below) < 0.002
    page.wait_for_url("**/twentyone/learning/*")
    told = page.locator("table").inner_text()
    page.reload()  # the curves belong to the server, not to the page
    page.get_by_role("cell", name="1,000,000").nth(1).wait_for()
    becomes(page.locator("table").inner_text, told)
    name = page.url.rpartition("/")[2]
    again = learning_runs(server.folder / ".web" / "learning").find(name)
    assert [curve[-1][0] for curve in again.curves.values()] == [1_000_000, 1_000_000]


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


def test_a_q_table_of_the_library_plays_and_paths_are_refused(tmp_path):
    library = Library(tmp_path)
    QTable.empty("points", "reward").save(tmp_path / "q.rb")
    (tmp_path.parent / "secret.rb").write_text("there")
    found = _entrants("Ada = q:q.rb\nBert = basic\nq.rb", library)
    assert found == [
        ("Ada", f"q:{tmp_path / 'q.rb'}"),
        ("Bert", "basic"),
        ("q.rb", str(tmp_path / "q.rb")),
    ]
    hostings = Hostings(tmp_path)
    hostings.host(found, 10, 3)
    hostings.newest.thread.join(PATIENCE)
    assert hostings.newest.state == "over"
    refused = set()
    for path in (tmp_path.parent / "secret.rb", "/etc/passwd", "/no/such.rb", "../secret.rb"):
        for text in (f"q:{path}", str(path), f"mcts?memory={path}"):
            with pytest.raises(UsageError) as told:
                _entrants(f"Eve = {text}\nBert = basic", library)
            refused.add(str(told.value))
    assert refused == {"A player's file is one of the library, named without a folder."}
    with pytest.raises(UsageError, match=r"no other\.rb in the library"):
        _entrants("Eve = q:other.rb\nBert = basic", library)


def test_files_next_to_the_server_are_not_looked_at(tmp_path, monkeypatch):
    """A name stands for a file of the library, whatever it ends with, also in an option."""
    library, elsewhere = Library(tmp_path / "library"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "notes.txt").write_text("there")
    monkeypatch.chdir(elsewhere)
    for form in ("q:{}", "strategy:{}", "{}", "mcts?memory={}"):
        refused = []
        for name in ("notes.txt", "other.txt"):
            with pytest.raises(RiverboatError) as told:
                _entrants(f"Eve = {form.format(name)}\nBert = basic", library)
            refused.append(str(told.value).replace(name, "FILE"))
        assert refused[0] == refused[1]
    (tmp_path / "library" / "memory.txt").write_text("")
    found = _entrants("Eve = mcts?memory=memory.txt&ms=5\nBert = basic", library)
    assert found[0][1] == f"mcts?memory={tmp_path / 'library' / 'memory.txt'}&ms=5"


def test_a_second_error_replaces_the_first(visit):
    page = visit("/twentyone")
    for name in ("nobody", "no-one"):
        page.get_by_label("Entrants").fill(f"a = basic\nb = {name}")
        page.get_by_role("button", name="Start").click()
        page.locator(".strong", has_text=name).wait_for()


def test_long_names_and_names_from_right_to_left_fit(visit):
    page = visit("/twentyone")
    names = ("W" * 40, "V" * 40, "محمد" * 10)  # any of them may win
    page.get_by_label("Entrants").fill("\n".join(f"{name} = basic" for name in names))
    page.get_by_label("Rounds per table").fill("5")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="The results").wait_for()
    page.get_by_role("cell", name="champion").wait_for()
    fits(page)
    page.get_by_role("link", name="The results").click()
    page.get_by_role("heading", name="Hand by hand").wait_for()
    fits(page)
