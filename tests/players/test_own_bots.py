"""Bots of the user's own: from a file, in every command that takes a player, with plain errors."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import riverboat as rb
from commands import Command
from riverboat.blackjack.casino.bots import make_bot
from riverboat.blackjack.rules import PRESETS
from riverboat.errors import IllegalActionError
from riverboat.holdem.acpc.definitions import load_game
from riverboat.players.roster import make_player
from riverboat.runtime.plugins import load_program
from riverboat.twentyone.learning.players import seat_named

BOT = """
class {name}:
    def __init__(self, nerve: float = 0.5, shy: bool = False):
        assert nerve < 10, "too much nerve"
        self.nerve, self.shy = nerve, shy

    def choose(self, view, rng):
        assert self.shy in (True, False)
        assert isinstance(view.hole, tuple) and isinstance(view.board, tuple)
        assert view.pot >= 0 and view.to_call >= 0 and view.legal is view.actions
        return view.actions[int(rng.integers(min(2, len(view.actions))))]
"""


@pytest.fixture
def bot(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A file with a class of its own name; modules are known by name in this process."""
    name = "".join(c for c in request.node.name.title() if c.isalnum())[:60]
    file = tmp_path / f"bot_{name}.py"
    file.write_text(BOT.format(name="Mine"))
    return str(file)


@pytest.mark.parametrize("game", ["kuhn", "leduc", "showdown", "liars_dice", "duel", "holdem"])
def test_a_bot_plays_every_game(bot: str, game: str) -> None:
    log = rb.match(game, f"{bot}:Mine", "random", hands=10)
    assert log.players == ("Mine", "random")


def test_it_plays_alone_with_options_and_by_the_file_alone(bot: str) -> None:
    assert rb.match("twentyone", f"{bot}:Mine", hands=5).players == ("Mine",)
    assert rb.match("blackjack", bot, hands=5).players == ("Mine",)
    seated = make_player(rb.game("kuhn"), f"{bot}:Mine?nerve=2&shy=true")
    assert seated.name == "Mine?nerve=2&shy=true"
    assert (seated.bot.nerve, seated.bot.shy) == (2, True)  # type: ignore[attr-defined]
    assert make_player(rb.game("kuhn"), f"python:{bot}:Mine").name == "Mine"


def test_it_sits_at_the_casino_at_twenty_one_and_at_the_acpc(bot: str) -> None:
    assert make_bot(PRESETS["combo-charlie"], f"{bot}:Mine").name == "Mine"
    import numpy as np

    assert seat_named(f"{bot}:Mine", np.random.default_rng(1)).decide(["9s", "Th"], "2c") in (0, 1)
    assert make_player(load_game("nolimit-2p"), f"{bot}:Mine").name == "Mine"
    found = rb.strength(
        Path(__file__).parents[1] / "data/files_0.1.0/blueprint.rb", against=f"{bot}:Mine", deals=5
    )
    assert any("Mine" in name for name in found.figures)


EQUAL_TO_ALL = """
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return 0

class A:
    def choose(self, view, rng): return Text("zz")
"""


@pytest.mark.parametrize(
    ("code", "spec", "words"),
    [
        ("class A:\n  x = 1", "{}:A", "has no choose"),
        ("class A:\n  def choose(self, v, r): pass", "{}:B", "has no 'B'"),
        ("x = 1", "{}", "has no class with choose"),
        (BOT.format(name="A") + BOT.format(name="B"), "{}", "has A and B; name one"),
        ("class A(:", "{}:A", "SyntaxError in line 1 of"),
        ("import sys\nsys.exit(4)", "{}:A", "SystemExit in line 2"),
        ("\n1 / 0", "{}:A", "ZeroDivisionError in line 2 of .*: division by zero"),
        (BOT.format(name="A"), "{}:A?nevre=1", "called 'nevre'; did you mean 'nerve'"),
        (BOT.format(name="A"), "{}:A?nerve=99", "too much nerve"),
        ("class A:\n  def choose(self, v, r):\n    return 1 / 0", "{}:A", "A failed at .* line 3"),
        ("class A:\n  def choose(self, v, r):\n    return 'z'", "{}:A", "A chose 'z' where only"),
        ("class A:\n  def choose(self, v, r):\n    exit(0)", "{}:A", "A failed at .* SystemExit"),
        (
            "class A:\n  def choose(self, v, r):\n    return 7",
            "{}:A",
            "A chose something .* no text",
        ),
        (EQUAL_TO_ALL, "{}:A", "A chose 'zz' where only"),
    ],
)
def test_what_is_wrong_with_a_bot_is_a_sentence(
    tmp_path: Path, code: str, spec: str, words: str
) -> None:
    file = tmp_path / f"wrong_{abs(hash((code, spec)))}.py"
    file.write_text(code)
    with pytest.raises(rb.RiverboatError, match=words) as caught:
        rb.match("kuhn", spec.format(file), "random", hands=5)
    assert "\n" not in str(caught.value)


def test_a_file_is_read_again_when_it_changed(tmp_path: Path) -> None:
    file = tmp_path / "bot_that_changes.py"
    file.write_text("NUMBER = 1\n")
    module = load_program(file)
    assert module.NUMBER == 1
    file.write_text("NUMBER = 12345\n")
    assert load_program(file).NUMBER == 12345
    assert load_program(file) is module


def test_names_that_python_knows_and_files_that_are_none_are_refused(tmp_path: Path) -> None:
    taken = tmp_path / "json.py"
    taken.write_text("")
    with pytest.raises(rb.RiverboatError, match="rename the file"):
        load_program(taken)
    dotted = tmp_path / "my.bot.py"
    dotted.write_text("")
    with pytest.raises(rb.RiverboatError, match="rename the file"):
        load_program(dotted)
    endless = tmp_path / "endless_bot.py"
    with endless.open("wb") as stream:
        stream.truncate(5 << 30)
    with pytest.raises(rb.RiverboatError, match="too large"):
        load_program(endless)
    endless.unlink()
    os.mkfifo(endless)
    with pytest.raises(rb.RiverboatError, match="not a regular file"):
        load_program(endless)
    with pytest.raises(rb.RiverboatError, match="There is no file"):
        load_program(tmp_path / "nobody.py")
    with pytest.raises(rb.RiverboatError, match="directory"):
        load_program(tmp_path)
    assert json.loads("1") == 1


def test_raises_are_written_by_the_number_of_chips() -> None:
    seen: list[tuple[str, ...]] = []

    class Raiser:
        name = "raiser"

        def choose(self, view: rb.View, rng: object) -> str:
            moves = tuple(view.raise_to(chips) for chips in (-5, 7.4, 1e9))
            seen.append(moves)
            return moves[1]

    rb.match("holdem", Raiser(), "holdem:call", hands=2)
    assert ("r4", "r7", "r200") in seen  # Blinds of 1 and 2: raise to 4 at least, 200 at most
    assert any(moves[0] == moves[1] == "r14" for moves in seen) or len(seen) > 1
    seen.clear()
    rb.match("leduc", Raiser(), "random", hands=20)
    assert {move for moves in seen for move in moves} <= {"r", "c"}


def test_a_view_names_the_cards_that_its_player_knows() -> None:
    known: dict[str, set[tuple[int, int]]] = {}

    class Looks:
        name = "looks"

        def choose(self, view: rb.View, rng: object) -> str:
            known.setdefault(view.game.name, set()).add((len(view.hole), len(view.board)))
            assert all(card in view.infoset for card in view.hole)
            return view.actions[0] if view.game.name == "liars_dice" else view.actions[-1]

    for game in ("kuhn", "leduc", "showdown", "liars_dice", "duel", "rps"):
        rb.match(game, Looks(), "random", hands=60, seed=1)
    rb.match("holdem", Looks(), "holdem:call", hands=30, seed=1)
    for game in ("twentyone", "blackjack"):
        rb.match(game, Looks(), hands=60, seed=1)
    assert known["kuhn"] == {(1, 0)}
    assert known["leduc"] == {(1, 0), (1, 1)}
    assert known["showdown"] == {(1, 1)}
    assert known["liars_dice"] == {(1, 0)}
    assert known["duel"] == {(1, 3)}
    assert known["rps"] == {(0, 0)}
    assert {(2, 0)} <= known["holdem"] <= {(2, n) for n in (0, 3, 4, 5)}
    assert known["twentyone"] <= {(n, 1) for n in range(2, 12)}
    assert known["blackjack"] <= {(n, 1) for n in range(2, 12)}


PRINTS = """
class A:
    def choose(self, view, rng):
        print("thinking")
        return view.actions[0]
"""


def test_a_bot_that_prints_leaves_the_json_whole(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "bot_that_prints.py"
    file.write_text("print('loading')\n" + PRINTS)
    answer = command("match", "kuhn", f"{file}:A", "random", "--hands", 2, "--json")
    assert answer.code == 0
    assert answer.json["hands"] == 2
    assert "loading" in answer.err
    assert "thinking" in answer.err


@pytest.mark.parametrize(
    ("stem", "body"), [("exits", "exit(0)"), ("equal", "return Text('zz')"), ("seven", "return 7")]
)
def test_a_round_robin_goes_on_with_a_faulty_bot(tmp_path: Path, stem: str, body: str) -> None:
    file = tmp_path / f"faulty_{stem}.py"
    file.write_text(f"{EQUAL_TO_ALL}\nclass B:\n    def choose(self, view, rng): {body}\n")
    found = rb.tournament("kuhn", f"{file}:B", "random", hands=4)
    assert len(found.players) == 2


def test_a_raise_of_thousands_of_digits_is_a_move_that_is_not_possible() -> None:
    class Endless:
        name = "endless"

        def choose(self, view: object, rng: object) -> str:
            return "r" + "9" * 5000

    with pytest.raises(IllegalActionError, match=r"endless chose 'r999.*…' where only") as found:
        rb.match("holdem", Endless(), "holdem:call", hands=2)
    assert len(str(found.value)) < 200
    table = rb.tournament("holdem", Endless(), "holdem:call", hands=4)
    assert table.faults[0] > 0
