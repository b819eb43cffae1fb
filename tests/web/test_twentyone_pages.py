"""A tournament of 18 from the page, its results, the replay of its log, and a learning curve."""

import html
import json
import re

import pytest

from axe import serious_findings
from page_fit import fits, go_again
from riverboat.errors import RiverboatError, UsageError
from riverboat.twentyone.learning.optimum import optimum
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.wire.tournament_archive import TournamentStore
from riverboat.web.app.library import Library
from riverboat.web.twentyone.entrants import entrants_of
from riverboat.web.twentyone.hosting import Hostings
from riverboat.web.twentyone.learning_runs import learning_runs
from riverboat.web.twentyone.replays import hands_of_log
from server_gone import SERVER_GONE
from waiting import PATIENCE, becomes, wait_until

ENTRANTS = "\n".join(f"p{i} = basic" for i in range(9))


def words(page):
    """What a page says, without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def played(client, rounds="20", entrants=ENTRANTS):
    """The address of the results of a tournament."""
    answer = client.post("/twentyone", data={"entrants": entrants, "rounds": rounds})
    assert (answer.status_code, answer.headers["location"]) == (303, "/twentyone")
    wait_until(lambda: "The results" in client.get("/twentyone").text)
    return re.search(r'href="(/twentyone/tournaments/\d+)">The', client.get("/twentyone").text)[1]


def test_a_tournament_is_played_listed_and_replayed(client):
    address = played(client)
    page = client.get(address)
    facts = client.get(f"/api/v1{address}").json()
    assert f"Champion: {facts['champion']}" in words(page.text)
    assert words(page.text).count("goes on") == 4  # two of each table of the first stage
    assert "hand 1 of 60" in words(page.text)
    for number, shown in ((7, 7), (0, 1), (-5, 1), (10**6, 60)):
        assert f"hand {shown} of 60" in words(client.get(f"{address}?hand={number}").text)
    listed = client.get("/api/v1/twentyone/tournaments").json()
    assert [(each["entrants"], each["champion"]) for each in listed] == [(9, facts["champion"])]
    assert facts["champion"] in words(client.get("/twentyone").text)


def test_a_log_that_was_damaged_is_said_to_be(client, site):
    address = played(client)
    for log in (site.settings.folder / ".web" / "logs").glob("*.jsonl"):
        log.write_text(log.read_text().replace('"seat"', '"sofa"'))
    page = client.get(address)
    assert page.status_code == 200
    assert 'role="alert"' in page.text


@pytest.mark.parametrize(
    ("typed", "field", "sentence"),
    [
        ({"rounds": "many"}, "rounds", "not 'many'"),
        ({"rounds": "0"}, "rounds", "1 to 100,000 rounds, not 0"),
        ({"rounds": "9" * 30}, "rounds", "1 to 100,000 rounds"),
        ({"rounds": "²"}, "rounds", "whole number"),
        ({"entrants": ""}, "entrants", "2 to 60 entrants, not 0"),
        ({"entrants": "only one = basic"}, "entrants", "2 to 60 entrants, not 1"),
        ({"entrants": "a = basic\nb = nobody"}, "entrants", "nobody"),
        ({"entrants": "a = basic\nb = q:/etc/passwd"}, "entrants", "named without a folder"),
        ({"entrants": "a = python:x.py\nb = basic"}, "entrants", "plays over TCP"),
        ({"entrants": f"{'W' * 41} = basic\nb = basic"}, "entrants", "at most 40 letters"),
        ({"entrants": "a = basic\n" * 3000}, "entrants", "at most 20,000 characters"),
    ],
)
def test_tournaments_that_cannot_be_are_refused_at_their_field(
    client, site, typed, field, sentence
):
    answer = client.post("/twentyone", data={"entrants": ENTRANTS, "rounds": "20", **typed})
    assert answer.status_code == 422
    problem = re.search(rf'id="{field}-problem" role="alert">([^<]*)<', answer.text)
    assert problem, words(answer.text)
    assert sentence in html.unescape(problem[1])
    assert site.hostings.newest is None
    assert not (site.settings.folder / "tournaments.sqlite").exists()


def test_only_one_tournament_is_played_at_a_time_and_it_stops(client, site):
    data = {"entrants": ENTRANTS, "rounds": "100000"}
    assert client.post("/twentyone", data=data).status_code == 303
    assert "A tournament is being played" in client.post("/twentyone", data=data).text
    assert client.post("/twentyone/stop").status_code == 303
    site.hostings.newest.thread.join(PATIENCE)
    assert "Stopped." in words(client.get("/twentyone").text)
    assert client.get("/api/v1/twentyone/hosting").json()["state"] == "stopped"


def test_a_tournament_that_is_not_there_is_not_found(client):
    for path in ("/twentyone/tournaments/99999", "/api/v1/twentyone/tournaments/7"):
        assert client.get(path).status_code == 404
    assert client.get("/twentyone/tournaments/x").status_code == 422


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({}, "method"),
        ({"method": "magic"}, "method"),
        ({"method": "sarsa", "state": "<b>"}, "state"),
        ({"method": "sarsa", "games": "12"}, "games"),
        ({"method": "sarsa", "games": "-1"}, "games"),
    ],
)
def test_what_cannot_be_learned_is_refused_at_its_field(client, site, data, field):
    answer = client.post("/twentyone/learning", data=data)
    assert answer.status_code == 422
    assert f'id="{field}-problem" role="alert"' in answer.text
    assert not site.learning_runs.known
    assert client.get("/twentyone/learning/nosuchrun").status_code == 404


def test_the_optimum_stands_on_the_page_before_anything_is_learned(client):
    best = optimum("points", "reward")[0].reward
    assert client.get("/api/v1/twentyone/optimum").json()["reward"] == best
    page = words(client.get("/twentyone/learning").text)
    assert f"{best:+.5f}".replace("-", "−") in page
    assert "plot-axes" not in page


def test_a_tournament_of_eighteen_is_played_shown_and_replayed(visit):
    page = visit("/twentyone")
    page.get_by_label("Rounds per table").fill("20")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="The results").click()
    page.get_by_text("Champion:").wait_for()
    # Three tables of six and the final; two of each table go on, and the champion.
    becomes(page.get_by_text("goes on").count, 6)
    page.get_by_text("hand 1 of 80").wait_for()
    page.wait_for_load_state()  # keys count once the page's modules are there
    page.keyboard.press("ArrowRight")
    page.get_by_text("hand 2 of 80").wait_for()
    page.wait_for_url("**?hand=2")
    page.reload()
    page.get_by_text("hand 2 of 80").wait_for()
    fits(page)
    assert serious_findings(page) == []


def test_an_answer_that_is_older_than_the_news_does_not_stay(visit, make_server):
    """The answer to Start says that one plays; it is held back until news has shown the end."""
    page = visit("/twentyone", base=make_server().address)
    held = []
    page.route(
        "**/twentyone",
        lambda route: (
            held.append((route, route.fetch()))
            if route.request.method == "POST"
            else route.continue_()
        ),
    )
    page.get_by_label("Rounds per table").fill("200")
    page.evaluate(
        """() => document.addEventListener('htmx:afterRequest', ({ detail }) => {
          if (detail.requestConfig.verb === 'post') document.body.dataset.answered = 'yes';
        })"""
    )
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="The results").wait_for()
    (route, answer), *_ = held
    route.fulfill(response=answer)
    page.locator("body[data-answered]").wait_for()
    page.get_by_role("link", name="The results").wait_for()


def test_a_tournament_goes_on_after_the_server_was_killed(visit, make_server):
    server = make_server()
    page = visit("/twentyone", base=server.address)
    page.get_by_label("Rounds per table").fill("6000")
    page.get_by_role("button", name="Start").click()
    page.locator(".ranking-box").wait_for()
    mark = server.folder / ".web" / "hosting.json"
    wait_until(mark.is_file)
    visit.forgiven = SERVER_GONE
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


def test_a_learning_curve_ends_near_the_exact_optimum_and_is_kept(visit, server):
    page = visit("/twentyone/learning")
    page.get_by_role("button", name="Learn", exact=True).click()
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
    found = entrants_of("Ada = q:q.rb\nBert = basic\nq.rb", library)
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
                entrants_of(f"Eve = {text}\nBert = basic", library)
            refused.add(str(told.value))
    assert refused == {"A player's file is one of the library, named without a folder."}
    with pytest.raises(UsageError, match=r"no other\.rb in the library"):
        entrants_of("Eve = q:other.rb\nBert = basic", library)


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
                entrants_of(f"Eve = {form.format(name)}\nBert = basic", library)
            refused.append(str(told.value).replace(name, "FILE"))
        assert refused[0] == refused[1]
    (tmp_path / "library" / "memory.txt").write_text("")
    found = entrants_of("Eve = mcts?memory=memory.txt&ms=5\nBert = basic", library)
    assert found[0][1] == f"mcts?memory={tmp_path / 'library' / 'memory.txt'}&ms=5"


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
