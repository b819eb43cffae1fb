"""The front door: what `import riverboat as rb` gives, how quickly, and that docs tell it."""

import doctest
import importlib.util
import inspect
import io
import re
import subprocess
import sys
import typing
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import riverboat as rb
from riverboat.arena.drill import Verdict
from riverboat.arena.memory import Memory, Question
from riverboat.games.registry import GAMES
from riverboat.players import roster
from waiting import PATIENCE

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "python.md").read_text()
FILES = ROOT / "tests" / "data" / "files_0.1.0"
HANDS = Path(str(resources.files("riverboat"))) / "examples" / "hands.phhs"


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    return done.stdout.strip()


def test_all_is_sorted_and_everything_in_it_exists() -> None:
    assert rb.__all__ == sorted(rb.__all__)
    assert len(rb.__all__) == 41
    for name in rb.__all__:
        assert getattr(rb, name) is not None
    assert set(rb.__all__) <= set(dir(rb))
    with pytest.raises(AttributeError, match="attribute nothing"):
        _ = rb.nothing  # type: ignore[attr-defined]


EVERYTHING = """
import importlib, pkgutil
import riverboat as rb
for module in pkgutil.walk_packages(rb.__path__, "riverboat."):
    if module.name.rpartition(".")[2] != "__main__":
        try:
            importlib.import_module(module.name)
        except (ImportError, rb.RiverboatError):
            pass
functions = [name for name in rb.__all__ if not name.isupper()]
print("wrong:", *(name for name in functions if not callable(getattr(rb, name))))
print(len(rb.players()), len(rb.games()), rb.blackjack().rules.decks, rb.game("kuhn").name)
"""


@pytest.mark.e2e
def test_every_name_can_be_called_after_everything_was_imported() -> None:
    """Importing a folder sets the attribute of that name: rb.players is a folder and a function."""
    wrong, answers = python(EVERYTHING).split("\n")[-2:]
    assert wrong == "wrong:"
    players, games, decks, name = answers.split()
    assert (int(players) >= 10, int(games) >= 8, decks, name) == (True, True, "6", "kuhn")


def save_again() -> bool:
    rb.save(rb.load(FILES / "strategy-lp.rb"), "again.rb")
    return Path("again.rb").exists()


def play_and_leave() -> bool:
    rb.play("kuhn", against="random", seed=1)
    return True


def solved_river() -> Any:
    river = rb.spot(
        board="Qs Jh 2h 7c 3d",
        pot=100,
        stack=100,
        ranges=("KK", "AA,99"),
        sizes={"river": {"ip": {"bet": "100%"}}},
    )
    return rb.solve(river, iterations=20)


def trained() -> Path:
    """A folder in which Ada has answered one question."""
    question = Question("game kuhn", "1 J|b", "Kuhn poker: J|b", "antes")
    Memory.of("Ada", Path()).note(question, Verdict("b", "p", 1.0), datetime.now(UTC))
    return Path()


def one_bet() -> Any:
    """A flop of two hands each."""
    sizes = {"flop": {"oop": {"bet": "a"}}}
    ranges = ("AsAh,QdJd", "KsKh,9d8d")
    return rb.spot(board="Qs Jh 2h", pot=20, stack=20, ranges=ranges, sizes=sizes)


CALLS: dict[str, Callable[[], object]] = {
    "CHANCE": lambda: rb.CHANCE < 0,
    "TERMINAL": lambda: rb.TERMINAL < 0,
    "AnyStrategy": lambda: isinstance(rb.load(FILES / "strategy-lp.rb"), rb.AnyStrategy),
    "Card": lambda: rb.Card("As").symbol == "A♠",
    "Game": lambda: hasattr(rb.Game, "start"),
    "Player": lambda: hasattr(rb.Player, "choose"),
    "Range": lambda: rb.Range.parse("AA").weights.sum() == 6,
    "RiverboatError": lambda: issubclass(rb.RiverboatError, Exception),
    "State": lambda: hasattr(rb.State, "after"),
    "View": lambda: rb.View(rb.game("kuhn"), 0, "K|", ("p", "b")).actions == ("p", "b"),
    "abstraction": lambda: rb.abstraction("preflop169"),
    "best_response": lambda: rb.best_response(FILES / "strategy-lp.rb", 0),
    "blackjack": lambda: rb.blackjack("single-deck").rules.decks == 1,
    "compare": lambda: rb.compare("kuhn", ["cfr", "cfr+"], iterations=5).rows(),
    "compare_nodes": lambda: rb.compare_nodes(solved_river()).totals["oop"].ev == 0,
    "equity": lambda: rb.equity("AsAh", "KdKc", board="Qs Jh 2d"),
    "evaluate": lambda: rb.evaluate(FILES / "strategy-lp.rb").exploitability < 1e-9,
    "exploit": lambda: rb.exploit(FILES / "strategy-lp.rb", "always-continues").gain > 0,
    "game": lambda: rb.game("kuhn").name == "kuhn",
    "games": lambda: "kuhn" in rb.games(),
    "load": lambda: rb.load(FILES / "strategy-lp.rb"),
    "match": lambda: rb.match("kuhn", "random", "uniform", hands=10),
    "play": play_and_leave,
    "player": lambda: rb.player("kuhn", "random").name == "random",
    "players": lambda: "random" in rb.players(),
    "preflop": lambda: rb.preflop(stacks=[10, 10]),
    "quiz": lambda: rb.quiz("random", of=["kuhn"]).scores[0].loss > 0,
    "profiles": lambda: "passive" in rb.profiles(),
    "rank": lambda: rb.rank("Ks Kd Kh 3c 3s") == "full house, kings over threes",
    "register": lambda: rb.register(type("Own", (type(rb.game("kuhn")),), {"name": "own"})),
    "report_flops": lambda: rb.report_flops(one_bet(), ["7c5c2c"], target="5%").means(),
    "report_node": lambda: len(rb.report_node(rb.solve(one_bet(), target="5%"), "r:0:c:c")) == 49,
    "save": save_again,
    "simulate": lambda: rb.simulate(rounds=1000),
    "solve": lambda: rb.solve("kuhn").exploitability < 1e-9,
    "spot": lambda: rb.spot(board="Qs Jh 2h", pot=10, stack=5, ranges=("AA", "KK")).pot == 10,
    "spot_from_hand": lambda: rb.spot_from_hand(HANDS, hand=5, decision=8).node == "r:0:c:b12",
    "strength": lambda: rb.strength(FILES / "blueprint.rb", against="call", deals=2),
    "tournament": lambda: rb.tournament("kuhn", "random", "uniform", hands=10),
    "training": lambda: rb.training("Ada", folder=trained()).total.asked == 1,
    "train": lambda: rb.train("twentyone", games=100),
}
"""A small use of each name, none of which needs an extra."""


def test_every_name_has_a_use_here() -> None:
    assert sorted(CALLS) == sorted(rb.__all__)


@pytest.mark.parametrize("name", CALLS)
def test_every_name_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an install without extras too: see make test-plain."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert CALLS[name]()


def test_docs_name_what_the_door_has_and_nothing_else() -> None:
    table = re.findall(r"^\| `rb\.(\w+)", PAGE, flags=re.MULTILINE)
    assert sorted(table) == sorted(rb.__all__)
    assert set(re.findall(r"\brb\.(\w+)", PAGE)) == set(rb.__all__)


def test_docs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(GAMES, "pennies", raising=False)  # the example's, where a test imported it
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    space: dict[str, object] = {"__name__": "__main__"}
    try:
        for block in blocks:
            if "to_frame" in block and importlib.util.find_spec("pandas") is None:
                continue
            exec(compile(block, "docs/python.md", "exec"), space)
        result = space["result"]
        assert result.value[0] == pytest.approx(1 / 5, abs=1e-6)  # type: ignore[attr-defined]
        assert result.strategy[0, "?"]["h"] == pytest.approx(2 / 5, abs=1e-3)  # type: ignore[attr-defined]
    finally:
        GAMES.pop("pennies", None)


def test_the_import_loads_nothing() -> None:
    code = "import sys; old = set(sys.modules); import riverboat; print(*set(sys.modules) - old)"
    loaded = python(code).split()
    ours = {name for name in loaded if name.startswith("riverboat")}
    # Three packages without content: their names belong to functions of rb.
    packages = ("blackjack", "games", "players", "version")
    assert ours == {"riverboat", *(f"riverboat.{name}" for name in packages)}
    assert not {"numpy", "numba", "scipy", "typer", "rich", "dataclasses"} & set(loaded)


@pytest.mark.parametrize(
    "first",
    [
        "",
        "import riverboat.blackjack.rules, riverboat.games.kuhn",
        "from riverboat import games, blackjack",
        "from riverboat.games.registry import make_game; rb.game('kuhn')",
    ],
)
def test_folders_that_are_names_too_can_be_called_in_any_order(first: str) -> None:
    code = f"""
import riverboat as rb
{first}
print("kuhn" in rb.games(), rb.blackjack("single-deck").rules.decks)
import riverboat.blackjack.charts, riverboat.games.leduc
print(len(rb.games()) > 5, riverboat.games.leduc.Leduc.name, rb.blackjack("infinite").rules.decks)
"""
    assert python(code).splitlines() == ["True 1", "True leduc infinite"]


def test_folders_stay_folders() -> None:
    import riverboat.blackjack.rules
    import riverboat.games.kuhn

    assert isinstance(sys.modules["riverboat.games"], ModuleType)
    assert riverboat.games.kuhn.Kuhn.name == "kuhn"  # type: ignore[attr-defined]


def test_functions_and_packages_of_one_name_do_not_get_in_each_others_way() -> None:
    code = """
import pickle
import riverboat.games.kuhn as kuhn
from riverboat.blackjack.rules import PRESETS
from riverboat import *
from riverboat.players import simple
import riverboat as rb
assert rb.games is games and callable(players) and callable(blackjack)
assert pickle.loads(pickle.dumps(rb.games)) is rb.games
assert pickle.loads(pickle.dumps(rb.game("kuhn"))) == kuhn.Kuhn()
assert rb.blackjack("single-deck").rules == PRESETS["single-deck"]
assert rb.players.simple is simple
print(rb.games.__name__, rb.games.__module__, rb.games.__doc__.splitlines()[0])
"""
    assert python(code) == "games riverboat.api Return the names of all games."


@pytest.mark.parametrize("module", ["riverboat.api", "riverboat._runs"])
def test_the_examples_of_the_docstrings_are_right(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(roster, "PLAYERS", dict(roster.PLAYERS))  # an example registers a player
    found = doctest.testmod(importlib.import_module(module), extraglobs={"rb": rb})
    assert (found.failed, found.attempted > 5) == (0, True)


def test_docstrings_list_every_argument_and_what_is_returned() -> None:
    for name in rb.__all__:
        function = getattr(rb, name)
        if isinstance(function, type) or name.isupper():
            continue
        text = inspect.getdoc(function) or ""
        listed = re.findall(r"^(\**\w+)(?: : .*)?\n    ", text, flags=re.MULTILINE)
        signatures = typing.get_overloads(function) or [function]
        for one in (function, *signatures):
            for parameter in inspect.signature(one).parameters.values():
                # solve, spot and train list the options of their overloads one by one.
                if parameter.kind == parameter.VAR_KEYWORD and typing.get_overloads(function):
                    continue
                assert str(parameter).split(":")[0] in listed, (name, parameter)
        assert ("\nReturns\n-------\n" in text) == (name != "save"), name
        assert "\nExamples\n--------\n>>> " in text, name


def test_the_reference_has_every_name() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text()
    listed = re.findall(r"(?:function|class|exception|data):: riverboat\.(\w+)$", page, re.M)
    assert sorted(listed) == sorted(rb.__all__)


def test_solve_takes_names_and_things_that_solve_themselves() -> None:
    assert rb.solve("kuhn", target=1e-4).value[0] == pytest.approx(-1 / 18, abs=1e-3)

    class Spot:
        def solve(self, **options: object) -> object:
            return options

    assert rb.solve(Spot(), target="0.3%") == {"target": "0.3%"}  # type: ignore[comparison-overlap]
    assert rb.solve("duel").exploitability < 1e-5


def test_a_spot_is_solved_with_the_same_words(tmp_path: Path) -> None:
    """A river bet of the pot: the caller's nuts and air against one bluff-catcher.

    In position bets all nuts and half as much air; out of position calls half the time
    (pot odds of 2 : 1 and 1 : 1; Chen and Ankenman, "The Mathematics of Poker", chapter 11).
    """
    text = """
board = "Qs Jh 2h 7c 3d"
pot = 100
stack = 100
[ranges]
oop = "KK"
ip = "AA,99"
[sizes.river]
oop = { bet = "" }
ip = { bet = "100%" }
"""
    solved = rb.solve(rb.spot(text), target="0.05%", threads=1)
    assert solved.info["exploitability_pct"] <= 0.05
    bluff = solved.at("r:0").play("check").figures("9s9h").strategy
    assert max(bluff.values()) == pytest.approx(1 / 2, abs=0.02)
    path = tmp_path / "spot.rb"
    solved.save(path)
    assert repr(rb.load(path)) == repr(solved)
    with pytest.raises(rb.RiverboatError, match="a solved hold'em spot"):
        rb.evaluate(path)
    assert rb.spot(board="Qs Jh 2h", pot=10, stack=5, ranges=("AA", "KK")).pot == 10
    with pytest.raises(rb.RiverboatError, match="needs pot"):
        rb.spot(board="Qs Jh 2h", stack=5, ranges=("AA", "KK"))
    with pytest.raises(rb.RiverboatError, match="two ranges"):
        rb.spot(board="Qs Jh 2h", pot=10, stack=5, ranges="AA")


@pytest.mark.parametrize("name", ["holdem", "blackjack", "twentyone"])
def test_games_that_solve_does_not_take_name_the_alternative(name: str) -> None:
    with pytest.raises(rb.RiverboatError, match="riverboat"):
        rb.solve(name)


def test_evaluate_takes_every_kind_or_says_what_to_do() -> None:
    kuhn = FILES / "strategy-lp.rb"
    assert rb.evaluate(kuhn).value[0] == pytest.approx(-1 / 18, abs=1e-9)
    assert rb.evaluate("kuhn", rb.load(kuhn)).exploitability < 1e-9
    assert rb.evaluate(FILES / "public-strategy.rb").exploitability < 1e-6
    assert rb.evaluate(FILES / "blueprint.rb").value[0] == pytest.approx(-1 / 18, abs=2e-3)
    assert rb.evaluate(FILES / "q-table.rb").regret < 0.01  # type: ignore[attr-defined]
    with pytest.raises(rb.RiverboatError, match="mcts coverage"):
        rb.evaluate(FILES / "memory.rb")
    with pytest.raises(rb.RiverboatError, match="int is no strategy"):
        rb.evaluate(5)  # type: ignore[arg-type]


def test_a_best_response_is_worth_what_the_evaluation_says() -> None:
    strategy = rb.load(FILES / "strategy-dcfr.rb")
    found = rb.evaluate(strategy)
    for player in (0, 1):
        answer = rb.best_response(strategy, player)
        assert rb.evaluate(answer).value[player] == pytest.approx(found.best_response[player])


def test_matches_take_files_strategies_results_and_names() -> None:
    game = rb.game("kuhn")
    result = rb.solve(game, target=1e-3)
    log = rb.match("kuhn", result, FILES / "strategy-dcfr.rb", hands=20)
    assert sum(log.mean) == pytest.approx(0)
    assert rb.match(game, result.strategy, "random", hands=20, seed=1).hands == 20
    assert rb.match(game, rb.player(game, "random"), result, hands=20).players[0] == "random"
    with pytest.raises(rb.RiverboatError, match="takes 2 players"):
        rb.match(game, "random")


@pytest.mark.parametrize("against", ["random", "file", "strategy"])
def test_a_person_plays_against_anything(
    against: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = FILES / "strategy-lp.rb"
    who = {"random": "random", "file": str(path), "strategy": rb.load(path)}[against]
    monkeypatch.setattr("sys.stdin", io.StringIO("p\nb\nq\n"))
    rb.play(rb.game("kuhn"), against=who, seed=1)
    assert "Kuhn poker against" in capsys.readouterr().out


def test_strength_is_for_blueprints() -> None:
    found = rb.strength(FILES / "blueprint.rb", against="call", deals=20)
    assert found["best response wins, exact"].mean == pytest.approx(2.0, abs=1)
    assert "mbb/g" in found._repr_html_()
    with pytest.raises(rb.RiverboatError, match=r"rb\.evaluate"):
        rb.strength(FILES / "q-table.rb")


def test_training_gives_strategies() -> None:
    table = rb.train("twentyone", games=50_000, state="soft", seed=2)
    assert table.info["games"] == 50_000
    more = rb.train("twentyone", games=10_000, table=table)
    assert more.info["games"] == 60_000
    with pytest.raises(rb.RiverboatError, match=r"rb\.solve\('kuhn'\)"):
        rb.train("kuhn")
    with pytest.raises(rb.RiverboatError, match="number of games"):
        rb.train("twentyone", games=-1)
    with pytest.raises(rb.RiverboatError, match="Say how long to train"):
        rb.train("holdem")
    with pytest.raises(rb.RiverboatError, match="no thing to train"):
        rb.train("chess")


def test_small_questions() -> None:
    """Set against set on a board of three: 45 choose 2 runouts, 99 of which have a king."""
    found = rb.equity("AsAh", "KdKc", board="Qs Jh 2d")
    assert found.as_dict()["total"] == 990
    assert rb.rank("Ks Kd Kh 3c 3s") == "full house, kings over threes"
    assert rb.Card("As") == 51
    assert repr(rb.Card("T♥")) == "Card('Th')"
    assert rb.Card(51).symbol == "A♠"
    assert "♥" in rb.Card("Th")._repr_html_()
    with pytest.raises(rb.RiverboatError, match="from 0 to 51"):
        rb.Card(52)
    values = rb.blackjack("vegas-6d-s17", h17=True).action_values("T,6", "10")
    assert next(iter(values)) == "hit"


def test_what_stands_behind_the_door_is_one_short_line_too() -> None:
    from riverboat.trees.game_tree import build_tree
    from riverboat.trees.public_games import public_game
    from riverboat.trees.sequence_form import sequence_form

    tree = build_tree(rb.game("leduc"))
    blueprint = rb.load(FILES / "blueprint.rb")
    things = [
        tree,
        sequence_form(tree),
        public_game(rb.game("duel")),
        rb.solve("kuhn", algorithm="cfr", iterations=10).solver,
        blueprint.abstract,
        rb.Range.full() - rb.Range.parse("72o:0.3,AsKd:0.1,T9s,55"),
        rb.equity("AsAh", "KdKc", board="Qs Jh 2d"),
    ]
    for thing in things:
        assert len(repr(thing)) < 200, repr(thing)
        assert "\n" not in repr(thing)
    assert "9,457 histories" in repr(tree)  # 6 · 5 deals and their betting (test_game_tree counts)


def test_register_refuses_what_it_cannot_use() -> None:
    with pytest.raises(rb.RiverboatError, match="Register a game class"):
        rb.register(5)
    with pytest.raises(rb.RiverboatError, match="plain word"):
        rb.register(lambda game, spec: None, player="two words")


def test_one_version_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {rb.__version__}\n" in citation
    released = re.search(r"\ndate-released: (\S+)\n", citation)
    assert released is not None
    heading = f"\n## {rb.__version__} ({released[1]})\n"
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert heading in changelog or "\n## Unreleased\n" in changelog
