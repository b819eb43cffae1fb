"""Assignments: solutions pass, starters and mistakes fail with words that help."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from riverboat.errors import StorageError, UnknownNameError, UsageError
from riverboat.lessons._check_child import check
from riverboat.lessons.assignments import ASSIGNMENTS, Assignment, find_assignment
from riverboat.lessons.check_file import check_file
from waiting import PATIENCE

SOLUTIONS = Path(__file__).parent / "solutions"


def checked(assignment: Assignment, path: Path) -> list[dict[str, Any]]:
    """What the checks say, in this process."""
    report = io.StringIO()
    check(assignment.name, str(path), report)
    lines = [json.loads(line) for line in report.getvalue().splitlines()]
    assert lines[-1] == {"end": True}
    return [facts for facts in lines if "passed" in facts]


@pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda one: one.name)
def test_the_reference_solution_passes(assignment: Assignment) -> None:
    found = checked(assignment, SOLUTIONS / f"{assignment.name}.py")
    assert len(found) == len(assignment.checks) + 1
    assert [facts for facts in found if not facts["passed"]] == []


@pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda one: one.name)
def test_the_starter_can_be_read_and_says_what_is_missing(
    assignment: Assignment, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(assignment.starter)
    found = checked(assignment, path)
    assert found[0]["passed"]
    assert not any(facts["passed"] for facts in found[1:])
    assert "not written yet (line" in found[1]["words"]
    assert "NotImplementedError" in found[1]["hint"]


MISTAKES = [
    ("assignment1", "def strategy(r):\n    return [x / sum(r) for x in r]", "in the sum too"),
    ("assignment1", "def strategy(r):\n    return None", "not a list of numbers"),
    ("assignment1", "def strategy(r):\n    return r[0]", "not a list of numbers"),
    ("assignment1", "def strategy(r):\n    return [float('nan')] * len(r)", "not all are finite"),
    ("assignment1", "def strategy(r):\n    return [1.0]", "1 numbers instead of 3"),
    ("assignment1", "strategy = 3", "does not define strategy"),
    ("assignment1", "def strategy(r):\n    return 1 / 0", "ZeroDivisionError: division by zero"),
    ("assignment1", "def f(:\n    pass", "Line 1 is not Python"),
    ("assignment1", "x = '\udcff'".encode("utf-8", "surrogateescape"), "is not Python"),
    ("assignment1", "import nothing_of_that_name", "ModuleNotFoundError"),
    ("assignment1", "def strategy(r):\n    raise EOFError", "asks for input"),
    ("assignment1", "raise SystemExit", "ends the program"),
    ("assignment1", "def strategy(r):\n    raise KeyboardInterrupt", "KeyboardInterrupt"),
    ("assignment1", "def strategy(r):\n    return strategy(r)", "RecursionError"),
    (
        "assignment1",
        "class E(Exception):\n    def __str__(self): raise E\ndef strategy(r):\n    raise E",
        "cannot be shown",
    ),
    (
        "assignment2",
        "def best_response(p, c): return 0\ndef nash_conv(p, r, c): return 0.0",
        "Sum the gains of both",
    ),
    ("assignment3", "def solve(n):\n    return {'J|': {'p': 1.0}}", "infosets are missing"),
    (
        "assignment3",
        "def solve(n):\n"
        "    return {c + m: {'p': 0.5, 'b': 0.5} for c in 'JQK' for m in ('|','|p','|b','|pb')}",
        "exploitability is 0.4583",
    ),
    (
        "assignment3",
        "def solve(n):\n"
        "    return {c + m: {'p': 0.5, 'b': 0.6} for c in 'JQK' for m in ('|','|p','|b','|pb')}",
        "add up to 1",
    ),
    ("assignment4", "def dealer(up): return {17: 1.0}\ndef stand(p, u): return 0", "busts 0.0000"),
    ("assignment4", "def dealer(up): return {16: 1.0}\ndef stand(p, u): return 0", "the end 16"),
    ("assignment5", "def learn(seed):\n    return {}", "states have no decision"),
    (
        "assignment5",
        "def learn(s):\n    return {f'{n}|{u}': 's' for n in range(4, 21) for u in 'A23456789T'}",
        "Averages of random play end at 0.0305",
    ),
    (
        "assignment6",
        "def risk_of_ruin(p, b): return 0.5\ndef growth(p, x, s): return 0\ndef kelly(p, x):"
        " return 2 * p - 1",
        "Do not bet at all where there is no edge",
    ),
    ("assignment7", "class Bot:\n    def choose(self, view, rng): return 'x'", "it may play"),
    (
        "assignment7",
        "class Bot:\n    def choose(self, view, rng): return view.actions[0]",
        "per hand",
    ),
    (
        "assignment8",
        "class Session:\n"
        "    def __init__(self, name): self.name = name\n"
        "    def opening(self): return b'JOIN ada'\n"
        "    def receive(self, data): return b'HIT\\0' if b'DECISION' in data else b''",
        "A message is not a packet",
    ),
]


@pytest.mark.parametrize(("name", "code", "words"), MISTAKES)
def test_a_mistake_is_explained_in_words(
    name: str, code: str | bytes, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(code if isinstance(code, bytes) else code.encode())
    found = checked(find_assignment(name), path)
    said = [facts["words"] + " " + facts["hint"] for facts in found if not facts["passed"]]
    assert any(words in text for text in said), said
    assert all("\n" not in text for text in said)


@pytest.mark.parametrize("weight", ["cards * reach[me] *", ""])
def test_regret_with_the_wrong_weight_stays_exploitable(weight: str, tmp_path: Path) -> None:
    right = (SOLUTIONS / "assignment3.py").read_text()
    wrong = right.replace("cards * reach[1 - me] *", weight)
    assert wrong != right
    (tmp_path / "mine.py").write_text(wrong)
    found = checked(find_assignment("assignment3"), tmp_path / "mine.py")
    assert "exploitability is 0.16" in found[2]["words"]


HOSTILE = [
    ("while True:\n    pass", "longer than 3 seconds"),
    ("import threading\nthreading.Event().wait()", "longer than 3 seconds"),
    ("import os\nos._exit(0)", "ended the program before"),
    ("print('x' * 20_000_000)\nimport os, signal\nos.kill(os.getpid(), 9)", "ended the program"),
]


@pytest.mark.parametrize(("code", "words"), HOSTILE)
def test_a_hostile_file_gets_one_sentence(code: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "ré sumé 二.py"
    path.write_text(code)
    report = check_file(find_assignment("assignment1"), path, seconds=3 if "3 sec" in words else 60)
    assert not report.passed
    assert [words in finding.words for finding in report.findings] == [True]
    assert report.much == (20_000_001 if "print" in code else 0)
    assert len(report.printed) <= 2000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of memory are POSIX")
def test_memory_is_limited_and_threads_do_not_keep_the_check_waiting(tmp_path: Path) -> None:
    greedy, patient = tmp_path / "greedy.py", tmp_path / "patient.py"
    greedy.write_text("x = [0] * 10**10\ndef strategy(r):\n    return r")
    report = check_file(find_assignment("assignment1"), greedy)
    assert report.findings[0].words == "Your file needs more than 4 GB of memory."
    solution = (SOLUTIONS / "assignment1.py").read_text()
    patient.write_text(
        "import threading\nthreading.Thread(target=threading.Event().wait).start()\n" + solution
    )
    assert check_file(find_assignment("assignment1"), patient).passed


def test_a_file_that_cannot_be_checked_is_refused(tmp_path: Path) -> None:
    one = find_assignment("assignment1")
    with pytest.raises(StorageError, match="no such file"):
        check_file(one, tmp_path / "none.py")
    with pytest.raises(UsageError, match="is not a file"):
        check_file(one, tmp_path)
    (tmp_path / "big.py").write_bytes(b"#" * 1_000_001)
    with pytest.raises(UsageError, match="larger than 1 MB"):
        check_file(one, tmp_path / "big.py")


@pytest.mark.parametrize("name", ["assignment9", "x", "", "0", "³", "assignment" * 1000])
def test_an_assignment_that_does_not_exist_is_one_sentence(name: str) -> None:
    with pytest.raises(UnknownNameError, match="There is no assignment"):
        find_assignment(name)


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "riverboat", "check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=PATIENCE)


def test_the_command_writes_a_starter_and_checks_a_file(tmp_path: Path) -> None:
    made = run("assignment1", "--starter", cwd=tmp_path)
    assert made.returncode == 0
    assert (tmp_path / "assignment1.py").read_text() == find_assignment("1").starter
    again = run("assignment1", "--starter", cwd=tmp_path)
    assert (again.returncode, "exists already" in again.stderr) == (2, True)
    failed = run("assignment1", "assignment1.py", cwd=tmp_path)
    assert failed.returncode == 1
    assert "not written yet" in failed.stdout
    assert failed.stdout.count("not written yet") == 1
    passed = run("assignment1", str(SOLUTIONS / "assignment1.py"), "--json", cwd=tmp_path)
    assert passed.returncode == 0
    assert json.loads(passed.stdout)["passed"] is True


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--starter",), "Say which assignment"),
        (("--seconds", "3"), "Say which assignment"),
        (("1",), "Say which file to check"),
        (("1", "x.py", "--starter"), "leave the rest out"),
        (("1", "--starter", "--json"), "leave the rest out"),
        (("1", "none.py"), "no such file"),
        (("17", "none.py"), "There is no assignment"),
    ],
)
def test_wrong_usage_is_one_sentence(
    arguments: tuple[str, ...], words: str, command: Any, tmp_path: Path
) -> None:
    assert words in command.refused("check", *arguments)


def test_the_list_names_every_assignment(command: Any) -> None:
    said = command("check")
    assert said.code == 0
    assert all(one.name in said.out and one.title in said.out for one in ASSIGNMENTS)
    assert [one["name"] for one in command("check", "--json").json["assignments"]] == [
        one.name for one in ASSIGNMENTS
    ]
