"""`riverboat holdem preflop`: solve, show, draw, export, keep."""

import re
import xml.etree.ElementTree as ET
import zlib

import pytest

import riverboat as rb
from commands import Command
from riverboat.cards.ranges import parse_range
from riverboat.drawing.pdf import pdf_of_svg
from riverboat.errors import ParameterError, UsageError
from riverboat.holdem.preflop.charts import chart_pages
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
    assert page.startswith(b"%PDF-1.4")
    assert page.endswith(b"%%EOF\n")
    stream = zlib.decompress(page.split(b"stream\n")[1].split(b"\nendstream")[0]).decode()
    assert stream.count("(AKs) Tj") == 6  # Each with its halo, filled and stroked


def test_a_pdf_says_what_it_cannot_draw():
    with pytest.raises(ParameterError, match="circle"):
        pdf_of_svg('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><circle/></svg>')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("stacks = [10, 0.5]", "BB has 0.5"),
        ("stacks = [10, 10]\npayouts = [1, 2]", "never rise"),
        ("stacks = [10, 10]\nstack = 5", "stacks"),
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


def test_many_decisions_are_printed_six_on_a_page():
    solution = rb.solve(rb.preflop(stacks=[10, 10]))
    node = solution.nodes[0]
    for count, pages in ((1, 1), (6, 1), (13, 3)):
        many = PreflopSolution("many", {}, solution.seats, [node] * count, {})
        printed = pdf_of_svg(*chart_pages(many))
        assert len(re.findall(rb"/Type /Page ", printed)) == pages
        assert b"/Count %d " % pages in printed
        places = re.findall(rb"^(\d{10}) 00000 n", printed, re.M)
        assert all(
            printed[int(place) :].startswith(b"%d 0 obj" % number)
            for number, place in enumerate(places, 1)
        )
    with pytest.raises(UsageError, match="301 decisions"):
        chart_pages(PreflopSolution("many", {}, solution.seats, [node] * 301, {}))
