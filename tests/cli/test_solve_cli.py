"""solve, evaluate, show, export: the contract for programs, and bad input."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commands import Command
from riverboat.runtime.devices import why_no_gpu
from riverboat.strategies.strategy import load_strategy
from waiting import wait_until

FIELDS = {
    "game",
    "parameters",
    "algorithm",
    "iterations",
    "seconds",
    "value",
    "exploitability",
    "nash_conv",
    "nodes",
    "infosets",
    "out",
}


def test_solve_and_evaluate_agree(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "kuhn.rb"
    solved = command("solve", "kuhn", "-a", "cfr+", "--iterations", 200, "--out", path, "--json")
    assert solved.code == 0
    facts = solved.json
    assert set(facts) >= FIELDS
    assert (facts["game"], facts["parameters"]) == ("kuhn", {"players": 2})
    assert (facts["nodes"], facts["infosets"], facts["iterations"]) == (58, 12, 200)
    assert facts["out"] == str(path)
    assert len(facts["value"]) == 2
    again = command("evaluate", path, "--json").json
    assert set(again) >= FIELDS
    for field in ("value", "exploitability", "nash_conv", "nodes", "infosets", "iterations"):
        assert again[field] == pytest.approx(facts[field], abs=1e-15), field


def test_the_default_algorithm_is_exact_on_kuhn_and_says_why(command: Command) -> None:
    answer = command("solve", "kuhn")
    assert answer.code == 0
    assert "-0.0555556" in answer.out
    assert "LP" in answer.out
    assert command("solve", "kuhn", "--json").json["value"][0] == pytest.approx(-1 / 18, abs=1e-9)


def test_three_players_come_with_a_warning(command: Command) -> None:
    facts = command("solve", "kuhn", "-p", "players=3", "--json").json
    assert len(facts["value"]) == 3
    assert facts["nash_conv"] < 1e-3
    assert "promises" in facts["note"]


def test_resume_equals_an_unbroken_run(command: Command, tmp_path: Path) -> None:
    half, both, whole = tmp_path / "half.rb", tmp_path / "both.rb", tmp_path / "whole.rb"
    for algorithm in ("dcfr", "es-mccfr"):
        options = ("solve", "kuhn", "-a", algorithm, "--seed", 7)
        assert command(*options, "--iterations", 300, "--out", half).code == 0
        resumed = ("solve", "kuhn", "--resume", half, "--iterations", 700, "--out", both)
        assert command(*resumed).code == 0
        assert command(*options, "--iterations", 700, "--out", whole).code == 0
        first, second = load_strategy(both), load_strategy(whole)
        assert first.probabilities.tobytes() == second.probabilities.tobytes()
        assert first.info["iterations"] == 700


def test_show_and_export(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "kuhn.rb"
    command("solve", "kuhn", "--out", path)
    shown = command("show", path, "--match", "K|")
    assert "K|" in shown.out
    assert "J|" not in shown.out
    assert command("show", path, "--json", "--player", 2).json["matching"] == 6
    rows = list(csv.DictReader(io.StringIO(command("export", path, "--format", "csv").out)))
    assert len(rows) == 24
    out = tmp_path / "kuhn.json"
    command("export", path, "--out", out)
    assert json.loads(out.read_text())["strategy"]["0"]["K|pb"]["b"] == pytest.approx(1)


def test_show_says_where_equilibria_are_many(command: Command, tmp_path: Path) -> None:
    """Kuhn's family: the jack bets α, from 0 to 1/3, the king 3α, the queen calls α + 1/3."""
    path = tmp_path / "kuhn.rb"
    command("solve", "kuhn", "--out", path)
    lines = command("show", path).out.splitlines()
    marked = {
        lines[i].split()[1]: line.strip() for i, line in enumerate(lines[1:]) if "free here" in line
    }
    assert marked == {
        "J|": "free here: bet 0–33 %",
        "K|": "free here: bet 0–100 %",
        "Q|pb": "free here: bet 33–67 %",
    }
    assert "many equilibria: at 3 infosets" in lines[-1]


def test_bars_of_many_actions_stay_whole(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "dice.rb"
    command("solve", "liars_dice", "-p", "faces=3", "-a", "cfr", "--iterations", 3, "--out", path)
    lines = command("show", path, "--match", "2|", "--limit", 9).out.splitlines()[4:-1]
    assert len(lines) > 9
    for line in lines:
        assert re.fullmatch(r"[ |,\d-]*( (\d × \d|liar) [█·]{10} +[\d.]+% *)+", line), line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("solve", "khun"), "did you mean 'kuhn'"),
        (("solve", "kuhn", "-p", "players=9"), "players must be 2 to 5"),
        (("solve", "kuhn", "-p", "colour=red"), "no parameter 'colour'"),
        (("solve", "kuhn", "-p", "players"), "name=value"),
        (("solve", "kuhn", "-a", "magic"), "no algorithm called 'magic'"),
        (("solve", "kuhn", "--iterations", "5", "--target", "0.1"), "contradict"),
        (("solve", "kuhn", "--seconds", "1", "--target", "0.1"), "contradict"),
        (("solve", "kuhn", "--target", "-1"), "above 0"),
        (("solve", "kuhn", "--target", "nan"), "above 0"),
        (("solve", "kuhn", "--iterations", "0"), "iterations"),
        (("solve", "kuhn", "-a", "lp", "-p", "players=3"), "two-player"),
        (("solve", "kuhn", "--out", "no/such/place/x.rb"), "does not exist"),
        (("solve", "liars_dice", "--memory", "0.01"), "294,883"),
        (("solve", "kuhn", "--threads", "2"), "one thread"),
        (("evaluate", "nowhere.rb"), "no file"),
        (("match", "kuhn", "random", "nobody"), "no player called 'nobody'"),
        (("match", "kuhn", "random"), "takes 2 players"),
        (("play", "kuhn", "--seat", "3"), "no seat 3"),
        (("bots", "kuhn", "--training", "10,5"), "rising"),
        (("nonsense",), "nonsense"),
    ],
)
def test_bad_input_is_one_sentence(
    command: Command, arguments: tuple[str, ...], words: str
) -> None:
    assert words in command.refused(*arguments)


def test_curves_of_several_algorithms_in_one_picture(command: Command, tmp_path: Path) -> None:
    """OpenSpiel after 50 iterations of Kuhn: CFR+ at 0.0027972506."""
    picture, table = tmp_path / "curves.svg", tmp_path / "curves.csv"
    options = ("-a", "cfr", "-a", "cfr+", "--iterations", 50, "--plot", picture, "--trace", table)
    runs = command("solve", "kuhn", *options, "--json").json["runs"]
    assert [run["algorithm"] for run in runs] == ["cfr", "cfr+"]
    drawn = picture.read_text()
    assert "<svg" in drawn
    assert drawn.count("cfr+") == 1
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert {row["algorithm"] for row in rows} == {"cfr", "cfr+"}
    assert int(rows[-1]["iterations"]) == 50
    assert float(rows[-1]["exploitability"]) == pytest.approx(0.0027972506, abs=1e-9)
    shown = command("solve", "kuhn", *options[:6]).out
    assert "cfr+" in shown
    assert "0.0028" in shown


def test_an_exact_answer_gets_a_curve_to_compare_with(command: Command, tmp_path: Path) -> None:
    picture = tmp_path / "kuhn.svg"
    assert command("solve", "kuhn", "--plot", picture, "--json").json["algorithm"] == "lp:refined"
    drawn = picture.read_text()
    assert "lp:refined (exact)" in drawn
    assert "sapcfr+" in drawn


def test_pictures_that_cannot_be_are_refused_before_the_work(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve = ("solve", "kuhn", "-a", "cfr", "-a", "cfr+", "--iterations", 5)
    assert ".svg, .png or .pdf" in command.refused(*solve, "--plot", tmp_path / "curves.txt")
    assert "does not exist" in command.refused(*solve, "--trace", tmp_path / "no" / "c.csv")
    assert "one algorithm" in command.refused(*solve, "--out", tmp_path / "kuhn.rb")
    assert "goes with -a lp" in command.refused("solve", "kuhn", "--refine")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    sentence = command.refused(*solve, "--plot", tmp_path / "curves.svg")
    assert "pip install 'matplotlib" in sentence
    assert list(tmp_path.iterdir()) == []


def test_the_live_curve_falls_from_left_to_right() -> None:
    from riverboat.cli.bars import chart

    points = [(10**k, 10.0**-k) for k in range(5)]
    lines = [line.plain for line in chart({"cfr": points}, 50, rows=5, marks="*")]
    columns = [line.index("*") for line in lines[:5]]
    assert columns == sorted(columns)
    assert columns[0] == 8
    assert [line.split()[0] for line in lines[:5]] == ["1e+00", "1e-01", "1e-02", "1e-03", "1e-04"]
    assert lines[5].endswith("10,000 iterations")
    assert lines[6].strip() == "* cfr"
    assert chart({}, 50) == []


def test_every_algorithm_is_in_the_help_and_in_the_docs(command: Command) -> None:
    from riverboat.solvers.algorithms import algorithms

    page = (Path(__file__).parents[2] / "docs" / "algorithms.md").read_text()
    shown = re.sub(r"[\s│]+", " ", command("solve", "--help").out)
    for name, line in algorithms().items():
        assert name in shown
        assert f"| `{name}` | {line.about}" in page
        assert line.source in page


def test_a_foreign_file_is_not_overwritten_and_not_read(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "notes.rb"
    path.write_text("dear diary")
    assert "not a riverboat file" in command.refused("evaluate", path)
    assert "not a riverboat file" in command.refused("solve", "kuhn", "--resume", path)
    kuhn = tmp_path / "kuhn.rb"
    command("solve", "kuhn", "-a", "cfr", "--iterations", 10, "--out", kuhn)
    before = kuhn.read_bytes()
    assert "kuhn" in command.refused("solve", "leduc", "--resume", kuhn, "--out", kuhn)
    assert kuhn.read_bytes() == before
    kuhn.write_bytes(before[: len(before) // 2])
    assert "damaged" in command.refused("evaluate", kuhn)


@pytest.mark.e2e
def test_a_killed_solve_leaves_a_file_to_go_on_from(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "leduc.rb"
    arguments = ["solve", "leduc", "-a", "cfr", "--iterations", "1000000000", "--out", str(path)]
    with subprocess.Popen([sys.executable, "-m", "riverboat", *arguments]) as process:
        try:
            wait_until(path.exists, what=str(path))
        finally:
            process.kill()
    done = load_strategy(path).info["iterations"]
    assert done > 0
    facts = command("solve", "leduc", "--resume", path, "--iterations", done + 5, "--json").json
    assert facts["iterations"] == done + 5


def test_help_and_import_stay_light() -> None:
    light = "import sys, riverboat, riverboat.cli.main as m; "
    check = "assert not {'numba', 'numpy', 'scipy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", light + check], check=True)


def test_every_command_has_help(command: Command) -> None:
    answer = command("--help")
    assert answer.code == 0
    for name in ("solve", "evaluate", "show", "export", "match", "play", "games"):
        assert f"  {name} " in answer.out


@pytest.mark.skipif(not why_no_gpu(), reason="there is a GPU")
@pytest.mark.parametrize("words", [("solve", "kuhn"), ("duel", "6,6,2")])
def test_without_a_gpu_cuda_is_refused_and_auto_says_why(
    words: tuple[str, ...], command: Command
) -> None:
    refused = command(*words, "--device", "cuda")
    assert refused.code == 2
    assert "There is no GPU to compute on." in refused.err
    fallen = command(*words, "--device", "auto")
    assert fallen.code == 0
    assert fallen.err.strip() == f"On the CPU: {why_no_gpu()}"
    quiet = command(*words, "--device", "auto", "--json")
    assert (quiet.json["device"], quiet.err) == ("cpu", "")
    assert command(*words, "--device", "gpu").code == 2
