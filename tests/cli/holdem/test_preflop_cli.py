"""`riverboat holdem preflop`: solve, show, draw, export, keep."""

import re
import xml.etree.ElementTree as ET

import pytest

import riverboat as rb
from commands import Command
from riverboat.cards.ranges import parse_range
from riverboat.errors import UsageError
from riverboat.holdem.preflop.charts import chart_svg
from riverboat.holdem.preflop.solution import PreflopSolution

TEN = "stacks = [10, 10]\n"


@pytest.fixture
def ten(tmp_path):
    path = tmp_path / "ten.toml"
    path.write_text(TEN)
    return path


def test_two_players_are_solved_and_shown(command: Command, ten):
    shown = command("holdem", "preflop", ten)
    assert shown.code == 0
    # Ten big blinds: the small blind pushes 58 % of hands, the big blind calls 37 %.
    assert "all-in 58%" in shown.out
    assert "call 37%" in shown.out
    assert "gain of a best response" in shown.out
    facts = command("holdem", "preflop", ten, "--json").json
    assert facts["seats"] == ["sb", "bb"]
    assert max(facts["info"]["gains"]) < 1e-4
    assert facts["nodes"][0]["frequencies"]["AA"] == [0, 1]


def test_a_solution_is_kept_shown_drawn_and_exported(command: Command, ten, tmp_path):
    kept = tmp_path / "ten.rb"
    assert command("holdem", "preflop", ten, "--out", kept).code == 0
    assert rb.load(kept).node("a").seat == "bb"
    one = command("holdem", "preflop", kept, "--line", "a")
    assert "BB after SB goes all-in" in one.out
    assert "SB to open" not in one.out
    ranges = {}
    for form in ("plain", "pio", "gto+", "eval7", "equilab"):
        text = command("holdem", "preflop", kept, "--line", "start", "--as", form).out.strip()
        ranges[form] = parse_range(text, "plain" if form == "equilab" else form)
    assert ranges["pio"] == ranges["plain"] == ranges["eval7"] == ranges["gto+"]
    assert set(ranges["equilab"].weights.tolist()) == {0.0, 1.0}
    drawn = tmp_path / "ten.svg"
    assert command("holdem", "preflop", kept, "--chart", drawn).code == 0
    words = [each.text for each in ET.fromstring(drawn.read_text()).iter() if each.text]
    assert words.count("AKs") == 4
    printed = tmp_path / "ten.pdf"
    assert command("holdem", "preflop", kept, "--chart", printed).code == 0
    page = printed.read_bytes()
    assert page.startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("stacks = [10, 0.5]", "BB has 0.5"),
        ("stacks = [10, 10]\npayouts = [1, 2]", "never rise"),
        ("stacks = [10, 10]\nstack = 5", "stacks"),
        ("stacks = [10, 10]\n[payouts]\nplaces = [50, 50]", "All 2 places pay 50"),
        ("stacks = [10, 10]\n[payouts]\nplaces = [1e308, 1]", "not 1e+308"),
        ("stacks = [10", "no TOML"),
        ("", "2 to 6 stacks"),
    ],
)
def test_bad_games_are_refused_in_a_sentence(command: Command, tmp_path, text, words):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    assert words in command.refused("holdem", "preflop", path)


def test_options_that_contradict_are_refused(command: Command, ten, tmp_path):
    kept = tmp_path / "ten.rb"
    command("holdem", "preflop", ten, "--out", kept, "--iterations", 5)
    assert "--iterations solves a game" in command.refused(
        "holdem", "preflop", kept, "--iterations", 5
    )
    assert "--line" in command.refused("holdem", "preflop", ten, "--as", "pio")
    assert "form of a range" in command.refused(
        "holdem", "preflop", kept, "--line", "a", "--as", "word"
    )
    assert ".svg, .html, .pdf or .png" in command.refused(
        "holdem", "preflop", ten, "--chart", "x.doc"
    )
    assert "--seed" in command.refused("holdem", "preflop", ten, "--seed", 1)
    assert "no action" in command.refused("holdem", "preflop", kept, "--line", "c")
    assert "no file" in command.refused("holdem", "preflop", tmp_path / "none.toml")


def test_four_players_are_sampled(command: Command, tmp_path):
    path = tmp_path / "four.toml"
    path.write_text("players = 4\nstacks = 5\n")
    shown = command("holdem", "preflop", path, "--iterations", 3)
    assert "deals sampled" in shown.out
    assert "±" in shown.out
    assert "f-f-a" in shown.out


def test_four_players_say_how_sure_each_figure_is(command: Command, tmp_path, monkeypatch):
    """Stable at the first comparison that there can be."""
    monkeypatch.setattr("riverboat.holdem.preflop._sampled_play.MAX_CHANGE", 0.5)
    path, kept = tmp_path / "four.toml", tmp_path / "four.rb"
    path.write_text("players = 4\nstacks = 10\n")
    shown = command("holdem", "preflop", path, "--out", kept).out
    assert re.search(r"UTG +0\.\d{4} ± 0\.00\d\d +below 0\.0", shown)
    assert re.search(r"Exploitability: below 0\.\d+ big blinds", shown)
    assert "until the ranges were" in shown
    assert re.search(r"a-a-a +BB +– +hardly occurs \(once in \d{3} hands\)", shown)
    assert "Hands left out, as the deals do not say what is better with them: " in shown
    again = command("holdem", "preflop", kept, "--line", "a-a-a").out
    assert "BB after UTG goes all-in, BTN calls, SB calls: hardly occurs" in " ".join(again.split())
    assert "T4s" not in again
    assert "nothing is recommended" in command.refused(
        "holdem", "preflop", kept, "--line", "a-a-a", "--as", "pio"
    )
    nodes = command("holdem", "preflop", kept, "--json").json["nodes"]
    assert [each["line"] for each in nodes if each["rare"]] == [["a", "a", "a"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("1e308", "1e308", "--payouts", "50,30"), "not 1e308"),
        (("10", "10", "--payouts", "1e308,1e308"), "up to 1e+12"),
        (("many", "10", "--payouts", "50"), "not 'many'"),
        (("10", "10", "--payouts", "a,b"), "not 'a,b'"),
        (("10", "10", "--payouts", ""), "takes numbers"),
        (("10", "10", "--payouts", "nan"), "A prize is a number"),
        (("0", "0", "--payouts", "5"), "one of them is above 0"),
    ],
)
def test_icm_refuses_what_is_no_number_of_chips_or_prizes(command: Command, words, said):
    assert said in command.refused("holdem", "icm", *words)


def test_a_solution_is_drilled(command: Command, ten, tmp_path, monkeypatch):
    """Looked up is not counted; a fold of the big blind is -1 big blind."""
    kept = tmp_path / "ten.rb"
    assert command("holdem", "preflop", ten, "--out", kept).code == 0
    answers = iter(["?", "nonsense", "1", "fold", "a", "q"])
    monkeypatch.setattr("rich.console.Console.input", lambda *_, **__: next(answers))
    shown = command("holdem", "drill", kept, "--side", "BB", "--hands", 9).out
    assert "EV    -1.000" in shown
    assert "You are BB: pot 11, 9 to call" in shown
    assert "choose: fold, call" in shown
    assert "3 hands, 2 decisions" in shown
    answers = iter(["1"] * 20)
    facts = command("holdem", "drill", kept, "--hands", 4, "--json").json
    assert (facts["hands"], facts["decisions"], facts["side"]) == (4, 4, "any seat")
    answers = iter(["1", "q"])
    assert "You are BTN" in command("holdem", "drill", "shipped", "--side", "btn").out
    assert "no seat 'co'" in command.refused("holdem", "drill", kept, "--side", "co")


def test_more_decisions_than_a_chart_can_hold_are_refused():
    solution = rb.solve(rb.preflop(stacks=[10, 10]))
    many = PreflopSolution("many", {}, solution.seats, [solution.nodes[0]] * 301, {})
    with pytest.raises(UsageError, match="301 decisions"):
        chart_svg(many)
