"""riverboat holdem solve: JSON for programs, files, memory, resume; bad input in one sentence."""

import re
from pathlib import Path

import pytest

from commands import Command
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.runtime.devices import why_no_gpu
from spot_texts import POLAR


@pytest.fixture
def spot(tmp_path: Path) -> Path:
    path = tmp_path / "polar.toml"
    path.write_text(POLAR)
    return path


def test_solve_tells_the_facts_as_json(command: Command, spot: Path, tmp_path: Path) -> None:
    out = tmp_path / "polar.rb"
    facts = command("holdem", "solve", spot, "--target", "0.1%", "--out", out, "--json").json
    wanted = "board pot stack iterations seconds cpu_seconds exploitability exploitability_pct ev"
    assert set(f"{wanted} root memory_bytes nodes infosets out".split()) <= facts.keys()
    assert (facts["board"], facts["pot"], facts["stack"]) == ("2s 2h 2d 3c 3d", 100, 100)
    assert facts["exploitability_pct"] <= 0.1
    # Closed form: half of the bluffs bet, and a bet is called half of the time.
    assert facts["ev"] == pytest.approx([75, 25], abs=0.2)
    assert facts["root"]["all-in 100"] == pytest.approx(0.75, abs=0.02)
    # OOP acts with 12 hands, IP with 6 after a check and with 6 after a bet.
    assert (facts["nodes"], facts["infosets"]) == (3, 12 + 6 + 6)
    assert facts["out"] == str(out)
    assert SolvedSpot.load(out).info["iterations"] == facts["iterations"]


def test_solve_goes_on_from_a_file(command: Command, spot: Path, tmp_path: Path) -> None:
    out = tmp_path / "polar.rb"
    command("holdem", "solve", spot, "--iterations", 10, "--out", out, "--json")
    facts = command("holdem", "solve", "--resume", out, "--iterations", 25, "--json").json
    assert facts["iterations"] == 25
    other = tmp_path / "other.toml"
    other.write_text(POLAR.replace("stack = 100", "stack = 90"))
    assert "another spot" in command.refused("holdem", "solve", other, "--resume", out)


def test_solve_in_words(command: Command, spot: Path) -> None:
    answer = command("holdem", "solve", spot, "--target", "0.5")
    assert answer.code == 0
    assert re.search(r"3 decision nodes, 24 infosets", answer.err)
    assert re.search(r"EV +OOP 7\d\.\d+, IP 2\d\.\d+ chips", answer.out)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "Give a spot's file"),
        (("nothing.toml",), "There is no file nothing.toml"),
        (("SPOT", "--target", "often"), "'often' is no target"),
        (("SPOT", "--memory", "much"), "'much' is no amount of memory"),
        (("SPOT", "--memory", "1kB"), "more than the 1.0 KiB allowed"),
        (("SPOT", "--drop-streets", "rivers"), "give --out too"),
        (("SPOT", "--out", "x.rb", "--without", "flops"), "rivers or turns"),
        (("SPOT", "--out", "/nowhere/x.rb"), "does not exist"),
        (("--resume", "SPOT"), "is not a riverboat file"),
        (("SPOT", "--seconds", "-1"), "--seconds takes 0 to"),
    ],
)
def test_bad_input_is_refused(
    command: Command, spot: Path, arguments: tuple[str, ...], reason: str
) -> None:
    given = [str(spot) if word == "SPOT" else word for word in arguments]
    assert reason in command.refused("holdem", "solve", *given)


@pytest.mark.skipif(not why_no_gpu(), reason="there is a GPU")
def test_without_a_gpu_auto_says_so_and_cuda_is_refused(command: Command, spot: Path) -> None:
    answer = command("holdem", "solve", spot, "--target", "1%", "--device", "auto")
    assert answer.code == 0
    assert answer.err.startswith("On the CPU: ")
    facts = command("holdem", "solve", spot, "--target", "1%", "--device", "auto", "--json").json
    assert facts["device"] == "cpu"
    assert "no GPU" in command.refused("holdem", "solve", spot, "--device", "cuda")
    flop = spot.with_name("flop.toml")
    flop.write_text(spot.read_text().replace("2s 2h 2d 3c 3d", "2s 2h 2d"))
    assert "no GPU" in command.refused("holdem", "report", flop, "--device", "cuda")
    assert "device" in command.refused("holdem", "solve", spot, "--device", "abacus")
