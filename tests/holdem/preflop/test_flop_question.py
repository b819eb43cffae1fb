"""Games with flops as texts, in Python, and from the command line."""

import shutil
from typing import Any

import numpy as np
import pytest

import riverboat as rb
from commands import Command
from riverboat.errors import RiverboatError, TooLargeError, UsageError
from riverboat.holdem.preflop.flop_game import FlopGame
from riverboat.holdem.preflop.flop_solver import FlopGameSolver
from riverboat.holdem.preflop.questions import parse_game

TEXT = """
game = "flops"
stacks = 3
flops = ["Ts6s3s"]
[preflop]
open = "a"
iso = "a"
[sizes.flop]
oop = { bet = "a" }
ip = { bet = "a" }
[tree]
raises = 1
"""


def test_a_text_becomes_a_game():
    spec, game = parse_game(TEXT + "\n[rake]\nrate = 0.05\ncap = 1\n")
    assert spec["stacks"] == 3
    assert game.stacks == (3.0, 3.0)
    assert game.rake_rate == 0.05
    assert game.nodes[0].actions == ("f", "c", "a")
    assert game.tree.raises == 1


def test_the_usual_flops_are_twenty_five():
    _, game = parse_game(TEXT.replace('flops = ["Ts6s3s"]', ""))
    assert len(game.flops) == 25


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("stacks = 3", "stacks = [3, 3, 3]", "two numbers"),
        ("stacks = 3", "stacks = 0.5", "nothing to play for"),
        ("stacks = 3", "stacks = true", "must be a number"),
        ("stacks = 3", "stack = 3", "no key"),
        ("open", "opne", "no key"),
        ("stacks = 3", "stacks = [3, nan]", "stacks must be a number up to 1,000,000,000, not nan"),
        ("stacks = 3", "stacks = [-3, 3]", "above 0, not -3"),
        ("stacks = 3", f"stacks = 1{'0' * 400}", r"not 10{10,60}\."),
        ("stacks = 3", "stacks = []", "two numbers"),
        ("stacks = 3", "stacks = 3\nstraddle = nan", "straddle must be a number"),
        ("stacks = 3", "stacks = 3\nante = inf", "ante must be a number"),
        ("stacks = 3", "stacks = [0.5, 20]", "nothing to play for"),
        ('open = "a"', 'open = "2y"', "no size"),
        ('open = "a"', 'open = "²x"', "no size"),
        ('open = "a"', "open = 3", "must be a text"),
        ('["Ts6s3s"]', '["Ts6s"]', "three cards"),
        ('["Ts6s3s"]', '["Ts6s3s", "6s3sTs"]', "stands twice"),
        ('["Ts6s3s"]', '["Ts6s3s", "Th6h3h"]', "with other suits"),
        ('["Ts6s3s"]', "[]", "one flop at least"),
        ('["Ts6s3s"]', f'"{"é" * 5000}"', "there is no ééé"),
        ('["Ts6s3s"]', "7", "list of flops"),
        ('["Ts6s3s"]', '"subset:0"', "subset"),
        ('game = "flops"', 'game = "flop"', "flops"),
        ('game = "flops"', 'game = "flops"\nlimp = 1', "true or false"),
    ],
)
def test_bad_texts_are_one_sentence(old, new, words):
    assert old in TEXT
    with pytest.raises(RiverboatError, match=words) as error:
        parse_game(TEXT.replace(old, new, 1))
    assert str(error.value).endswith((".", "?"))


def test_a_game_that_is_too_large_is_refused_at_once():
    sizes = ",".join(f"{2 + number / 10:g}x" for number in range(20))
    names = ("open", "iso", "3bet", "4bet", "5bet", "6bet")
    keys: dict[str, Any] = {"game": "flops", "flops": ["Ts6s3s"], "stacks": 10**6}
    with pytest.raises(TooLargeError, match="more than 2,000 nodes"):
        rb.solve(rb.preflop(**keys, preflop=dict.fromkeys(names, sizes)), iterations=1)
    small = {"bet": "10%", "raise": "10%"}
    deep: dict[str, Any] = {"sizes": {"flop": {"oop": small, "ip": small}}, "tree": {"raises": 50}}
    game = rb.preflop(**keys | {"stacks": 1000}, limp=False, preflop={"open": "2x"}, **deep)
    with pytest.raises(TooLargeError, match=r"After r2-c, on Ts6s3s alone, .* smaller stacks"):
        rb.solve(game, iterations=1, memory=1 << 34)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"device": "gpu"}, "no device called 'gpu'"),
        ({"checkpoint": "missing/run.rb"}, "directory missing does not exist"),
        ({"checkpoint": "."}, "directory"),
        ({"resume": "missing.rb"}, "no file missing.rb"),
        ({"target": float("nan")}, "above 0, not nan"),
    ],
)
def test_bad_options_are_one_sentence(options, words):
    with pytest.raises(RiverboatError, match=words):
        rb.solve(rb.preflop(TEXT), **options)


@pytest.mark.e2e
def test_keys_may_be_tuples_and_go_on(tmp_path):
    keys = parse_game(TEXT)[0] | {"stacks": (3, 3), "blinds": (0.5, 1), "flops": ("Ts6s3s",)}
    rb.solve(rb.preflop(**keys), iterations=1, checkpoint=tmp_path / "held.rb")
    found = rb.solve(rb.preflop(**keys), iterations=2, resume=tmp_path / "held.rb")
    assert found.info["iterations"] == 2


def test_it_is_solved_in_python():
    found = rb.solve(rb.preflop(TEXT), iterations=2)
    assert found.info["iterations"] == 2
    assert found.node("a").seat == "bb"
    assert rb.preflop(stacks=[10, 10]).num_players == 2
    with pytest.raises(UsageError, match="not both"):
        rb.preflop(TEXT, stacks=[1, 2])
    with pytest.raises(UsageError, match="stacks"):
        rb.preflop()


def test_the_command_solves_keeps_and_goes_on(command: Command, tmp_path):
    path, out, held = tmp_path / "game.toml", tmp_path / "found.rb", tmp_path / "held.rb"
    path.write_text(TEXT)
    ask = ("holdem", "preflop", path)
    first = command(*ask, "--iterations", 2, "--out", out, "--checkpoint", held)
    assert first.code == 0, first.err
    assert "GiB" in first.out
    again = command(*ask, "--iterations", 4, "--resume", held, "--json").json
    assert again["info"]["iterations"] == 4
    assert command(*ask, "--iterations", 4, "--json").json["nodes"] == again["nodes"]
    shown = command("holdem", "preflop", out, "--line", "start", "--as", "plain", "--action", "c")
    assert shown.code == 0, shown.err
    assert "there are: f, c, a" in command.refused(
        "holdem", "preflop", out, "--line", "start", "--as", "plain", "--action", "r9"
    )
    assert "give --as" in command.refused("holdem", "preflop", out, "--action", "c")
    for wrong in (("--seed", 1), ("--memory", "1MB"), ("--resume", out)):
        refused = command(*ask, "--iterations", 1, *wrong)
        assert refused.code == 2, wrong


@pytest.mark.parametrize("kind", ["missing", "damaged", "a solution", "another game", "no file"])
def test_a_checkpoint_that_cannot_be_used_is_refused_before_anything_is_built(
    kind, command: Command, tmp_path, monkeypatch
):
    path, held = tmp_path / "game.toml", tmp_path / "held.rb"
    path.write_text(TEXT)
    spec, game = parse_game(TEXT)
    assert isinstance(game, FlopGame)
    if kind in ("damaged", "another game"):
        solver = FlopGameSolver(game, np.full((169, 169), 0.5))
        solver.save_checkpoint(held, spec if kind == "damaged" else spec | {"stacks": 4})
    if kind == "damaged":
        raw = bytearray(held.read_bytes())
        raw[-100] ^= 1
        held.write_bytes(raw)
    if kind == "a solution":
        rb.solve(rb.preflop(stacks=[2, 2]), iterations=1).save(held)
    if kind == "no file":
        held.mkdir()

    def build(*given, **options):
        raise AssertionError("the solver was built first")

    monkeypatch.setattr(FlopGameSolver, "__init__", build)
    refused = command("holdem", "preflop", path, "--resume", held)
    assert refused.code == 2
    words = {
        "missing": "There is no file",
        "damaged": "checksum",
        "a solution": "not a preflop-checkpoint",
        "another game": "another game",
        "no file": "directory",
    }
    assert words[kind] in refused.err
    assert len(refused.err.strip().splitlines()) <= 2


def test_the_room_that_a_checkpoint_takes_is_stated_and_must_be_there(
    command: Command, tmp_path, monkeypatch
):
    path, held = tmp_path / "game.toml", tmp_path / "held.rb"
    path.write_text(TEXT)
    ask = ("holdem", "preflop", path, "--iterations", 1, "--checkpoint", held)
    assert "A checkpoint takes 0.05 GiB of disk." in " ".join(command(*ask).out.split())
    assert held.stat().st_size == pytest.approx(0.05 * 2**30, rel=0.05)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1 << 20))
    refused = command(*ask)
    assert refused.code == 2
    assert "has 0.0 GiB free" in " ".join(refused.err.split())
