"""What editors and type checkers know of `import riverboat as rb`: names and signatures."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import riverboat as rb

STUB = Path(rb.__file__).with_suffix(".pyi")
USES = """
import riverboat as rb
from typing import assert_type
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.strategies.strategy import Strategy
from riverboat.twentyone.learning.q_table import QTable

assert_type(rb.load("shipped"), Blueprint)
assert_type(rb.load("kuhn.rb", "strategy"), Strategy)
assert_type(rb.load("kuhn.rb", kind="q-table"), QTable)
assert_type(rb.load("three.rb", kind="three-way-spot"), SolvedSpot)
assert_type(rb.load("push-fold.rb", kind="preflop"), PreflopSolution)
assert_type(rb.solve(rb.spot("river.toml")), SolvedSpot)
three = rb.spot(board="Qs Jh 2h 7c 3d", pot=60, stack=60, ranges=("AA", "KK", "99"))
assert_type(rb.solve(three, iterations=5), SolvedSpot)
assert_type(rb.solve(rb.preflop(stacks=[10, 10])), PreflopSolution)
assert_type(rb.train("twentyone", games=5), QTable)
assert_type(rb.solve("kuhn", iterations=5).exploitability, float)
assert_type(rb.tournament("kuhn", "random", "random").elo, tuple[float, ...])
assert_type(rb.games()[0], str)
"""


def test_the_stub_names_everything_once() -> None:
    imports = [
        node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.ImportFrom)
    ]
    names = [alias.asname for node in imports for alias in node.names]
    assert sorted(names, key=str) == rb.__all__
    for node in imports:
        module = importlib.import_module(f"riverboat.{node.module}")
        for alias in node.names:
            assert getattr(rb, str(alias.asname)) is getattr(module, alias.name)


def test_jedi_completes_every_name_with_its_signature() -> None:
    jedi = pytest.importorskip("jedi")
    path = [str(Path(rb.__file__).parents[1]), *sys.path]
    project = jedi.Project(".", sys_path=path)

    def script(text: str) -> object:
        return jedi.Script(f"import riverboat as rb\n{text}", project=project)

    completed = {found.name for found in script("rb.").complete(2, 3)}  # type: ignore[attr-defined]
    assert set(rb.__all__) <= completed
    for name in rb.__all__:
        text = f"rb.{name}("
        assert script(text).get_signatures(2, len(text)), name  # type: ignore[attr-defined]
    solve = script("rb.solve(").get_signatures(2, 9)  # type: ignore[attr-defined]
    assert "iterations" in {parameter.name for one in solve for parameter in one.params}


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["pyright", "basedpyright"])
def test_pyright_knows_the_types(checker: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    program = tmp_path / "uses.py"
    program.write_text(USES)
    command = [sys.executable, "-m", checker, "--level", "error", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_mypy_knows_the_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "uses.py"
    program.write_text(USES)
    # A wrong option is an error: mypy sees the signatures, not **options.
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import riverboat as rb\nrb.match('kuhn', 'random', hand=5)\n")
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--ignore-missing-imports"]
    done = subprocess.run([*command, str(program)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout
    done = subprocess.run([*command, str(wrong)], capture_output=True, text=True, timeout=600)
    assert 'Unexpected keyword argument "hand"' in done.stdout


RIVER: dict[str, Any] = {"board": "Qs Jh 2h 7c 3d", "pot": 1, "stack": 1, "ranges": ("AA", "KK")}


@pytest.mark.parametrize(
    ("name", "arguments", "wrong"),
    [
        ("solve", ("kuhn",), "iteration"),
        ("solve", (rb.spot(**RIVER),), "thread"),
        ("solve", (rb.spot(**RIVER | {"ranges": ("AA", "KK", "99")}),), "thread"),
        ("solve", (rb.preflop(stacks=[10, 10]),), "iteration"),
        ("solve", (rb.preflop(game="flops", stacks=3, flops=["Ts6s3s"]),), "thread"),
        ("player", ("kuhn",), "whom"),
        ("rank", (), "card"),
        ("match", ("kuhn", "random", "random"), "hand"),
        ("tournament", ("kuhn", "random", "random"), "worker"),
        ("compare", ("kuhn", "cfr"), "iteration"),
        ("equity", ("AsAh", "KdKc"), "boards"),
        ("evaluate", ("kuhn.rb",), "memory_limits"),
        ("best_response", ("kuhn.rb", 0), "memory"),
        ("train", ("twentyone",), "game"),
        ("train", ("holdem",), "minute"),
        ("play", ("kuhn",), "hints"),
        ("strength", ("x.rb",), "deal"),
        ("load", ("x.rb",), "kin"),
        ("abstraction", ("features",), "thread"),
        ("register", (), "playr"),
    ],
)
def test_an_unknown_option_is_a_type_error(
    name: str, arguments: tuple[Any, ...], wrong: str
) -> None:
    """As for every Python function, before anything is read or computed."""
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{wrong}'"):
        getattr(rb, name)(*arguments, **{wrong: 1})


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("spot", "borad", "board"),
        ("preflop", "stack", "stacks"),
        ("simulate", "h_17", "h17"),
        ("blackjack", "deck", "decks"),
    ],
)
def test_an_unknown_field_or_rule_is_a_sentence(name: str, wrong: str, right: str) -> None:
    with pytest.raises(rb.RiverboatError, match=f"'{wrong}'; did you mean '{right}'"):
        getattr(rb, name)(**{wrong: 1})


def test_options_of_another_game_and_unknown_kinds_are_refused() -> None:
    with pytest.raises(rb.RiverboatError, match=r"option of rb\.play at kuhn called 'rules'"):
        rb.play("kuhn", rules="european")
    with pytest.raises(rb.RiverboatError, match="did you mean 'strategy'"):
        rb.load("x.rb", kind="stratgy")
