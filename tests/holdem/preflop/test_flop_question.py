"""Games with flops as texts, in Python, and from the command line."""

import pytest

import riverboat as rb
from commands import Command
from riverboat.errors import RiverboatError, UsageError
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
        ('open = "a"', 'open = "2y"', "no size"),
        ('open = "a"', "open = 3", "must be a text"),
        ('["Ts6s3s"]', '["Ts6s"]', "three cards"),
        ('["Ts6s3s"]', '["Ts6s3s", "6s3sTs"]', "stands twice"),
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
    for wrong in (("--seed", 1), ("--memory", "1MB"), ("--resume", out)):
        refused = command(*ask, "--iterations", 1, *wrong)
        assert refused.code == 2, wrong
