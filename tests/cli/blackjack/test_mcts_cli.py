"""`riverboat mcts …` and `riverboat casino` as a user or a program calls them."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from commands import Command
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.rules import PRESETS


def test_explain(command: Command, tmp_path: Path) -> None:
    svg, html = tmp_path / "tree.svg", tmp_path / "tree.html"
    arguments = ("mcts", "explain", "--hand", "8,8", "--up", "10", "--simulations", 50_000)
    answer = command(*arguments, "--svg", svg, "--html", html, "--json")
    exact = analyse(PRESETS["combo-charlie"]).action_values("8,8", "10")
    facts = answer.json
    assert (facts["hand"], facts["up"], facts["best"]) == ("8,8", "T", next(iter(exact)))
    assert set(facts["actions"]) == set(exact)
    for name, found in facts["actions"].items():
        assert {"visits", "value", "stderr", "exact"} <= found.keys()
        assert found["exact"] == exact[name]
    best = facts["actions"][facts["best"]]
    assert abs(best["value"] - best["exact"]) < 1e-3
    ElementTree.parse(svg)
    assert "<svg" in html.read_text()
    assert command(*arguments, "--json").json == facts
    shown = command(*arguments).out
    assert "exact" in shown
    assert "hard 17 stand" in shown


@pytest.mark.parametrize("rules", ["vegas-6d-s17", "twentyone", "infinite"])
def test_explain_under_other_rules(command: Command, rules: str) -> None:
    arguments = ("mcts", "explain", "--hand", "A,7", "--up", "A", "--rules", rules)
    facts = command(*arguments, "--simulations", 20_000, "--json").json
    found = facts["actions"][facts["best"]]
    assert found["value"] == pytest.approx(found["exact"], abs=2e-3)
    assert (facts["insurance"] is None) == (rules == "twentyone")


def test_few_simulations_leave_actions_untried(command: Command) -> None:
    facts = command(
        "mcts", "explain", "--hand", "5,6", "--up", "6", "--simulations", 1, "--json"
    ).json
    untried = [a for a in facts["actions"].values() if not a["visits"]]
    assert untried
    assert untried[0]["value"] is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--hand", "T,T,5", "--up", "6"), "at most 21 points"),
        (("--hand", "8,x", "--up", "6"), "Cards are written"),
        (("--hand", "8,8", "--up", "6", "--rules", "vegas"), "no rule set"),
        (("--hand", "8,8", "--up", "6", "--memory", "none.txt"), "no file"),
        (("--hand", "8,8", "--up", "6", "--selection", "best"), "selection rule"),
        (("--hand", "8,8", "--up", "6", "--seen", "8" * 13), "3 decks hold"),
        (("--hand", "8,8", "--up", "6", "--rules", "twentyone", "--set", "h17=true"), "--set"),
        (("--hand", "8,8", "--up", "6", "--rollout", "greedy"), "--from-memory"),
        (("--hand", "8,8", "--up", "6", "--hands", "99"), "at most"),
    ],
)
def test_explain_refuses(command: Command, arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in command.refused("mcts", "explain", *arguments)


def test_a_memory_learnt_shown_merged_and_used(command: Command, tmp_path: Path) -> None:
    text, binary = tmp_path / "bot.txt", tmp_path / "bot.rb"
    learnt = command("mcts", "learn", text, "--rounds", 40, "--simulations", 300, "--json").json
    assert learnt["states"] > 20
    assert learnt["bytes"] == len(text.read_text()) <= 10_000
    again = command(
        "mcts", "learn", text, "--rounds", 40, "--seed", 1, "--limit", 600, "--json"
    ).json
    assert again["bytes"] <= 600
    assert again["dropped"]["states"] > 0
    both = command("mcts", "memory", text, text, "-o", binary, "--json").json
    assert both["states"] == again["states"]
    assert both["visits"] == 2 * again["visits"]
    svg = tmp_path / "coverage.svg"
    cells = command("mcts", "coverage", binary, "--svg", svg, "--json").json["cells"]
    assert sum(cell["states"] for cell in cells.values()) == both["states"]
    ElementTree.parse(svg)
    assert "states" in command("mcts", "coverage", binary).out
    told = command("mcts", "memory", binary).out
    assert f"{both['states']} states" in told
    facts = command(
        "mcts", "explain", "--hand", "T,6", "--up", "T", "--memory", binary, "--simulations", 50,
        "--json",
    ).json  # fmt: skip
    assert facts["memory"] == str(binary)
    bot = f"mcts?simulations=50&memory={text}"
    before = text.read_text()
    command("casino", "--bot", bot, "--rounds", 10, "--json")
    assert text.read_text() == before
    assert (
        f"memory written: {text}" in command("casino", "--bot", bot, "--rounds", 10, "--train").out
    )
    assert text.read_text() != before
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("/10B8")
    assert "character 6" in command.refused("mcts", "coverage", wrong)


def test_a_memory_of_another_table_is_refused(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "bot.rb"
    options = ("--rounds", 5, "--simulations", 100)
    learnt = command("mcts", "learn", path, *options, "--json").json
    assert learnt["rules"] == PRESETS["combo-charlie"].summary
    assert "learned at: 3 decks" in command("mcts", "memory", path).out
    before = path.read_bytes()
    other = ("--rules", "vegas-6d-s17")
    hand = ("--hand", "T,6", "--up", "T", "--memory", path)
    assert "another table" in command.refused("mcts", "learn", path, *options, *other)
    assert "another table" in command.refused("mcts", "explain", *hand, *other)
    bot = f"mcts?simulations=50&memory={path}"
    assert "another table" in command.refused("match", "twentyone", bot, "--hands", 3)
    assert path.read_bytes() == before


def test_casino(command: Command) -> None:
    arguments = (
        "casino",
        "--bots",
        "mcts?simulations=200,basic,random",
        "--rounds",
        20,
        "--seed",
        3,
    )
    facts = command(*arguments, "--json").json
    assert facts["rounds"] == 20
    assert facts["standings"][0]["rank"] == 1
    assert {s["name"] for s in facts["standings"]} == {"mcts?simulations=200", "basic", "random"}
    assert command(*arguments, "--json").json == facts
    assert "basic" in command(*arguments).out
    assert "casino bot" in command.refused("casino", "--bot", "nobody")
    assert "1 to 7 bots" in command.refused("casino", "--bot", ",")
    assert "decks" in command.refused("casino", "--rules", "infinite")


def test_options_that_would_do_nothing(command: Command, tmp_path: Path) -> None:
    assert "--train" in command.refused("casino", "--bot", "basic", "--train")
    binary = tmp_path / "bot.rb"
    assert "--max-characters" in command.refused("mcts", "learn", binary, "--limit", 500)
    text = tmp_path / "bot.txt"
    text.write_text("/10B85QH$HW1L3$")
    assert "--max-characters" in command.refused("mcts", "memory", text, "--limit", 500)
