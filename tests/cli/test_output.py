"""What every command shares: output for any encoding and a full disk, numbers, notices."""

import contextlib
import json
import math
import os
import pty
import subprocess
import sys
import tomllib
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from commands import Command
from riverboat.cli.console import emit
from riverboat.cli.numbers import whole_number
from riverboat.cli.startup import NOTICE
from riverboat.errors import EXTRAS, UsageError, how_to_install
from waiting import PATIENCE

ROOT = Path(__file__).parent.parent.parent

RUN = [sys.executable, "-m", "riverboat"]


def riverboat(*arguments: str | bytes, **options: object) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "COLUMNS": "100", **options.pop("env", {})}  # type: ignore[dict-item]
    return subprocess.run(
        [*RUN, *arguments],
        env=environment,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        **{"stdout": subprocess.PIPE, **options},  # type: ignore[call-overload]
    )


@pytest.mark.e2e
@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_other_encodings_get_plain_pictures(encoding: str) -> None:
    several = ("solve", "kuhn", "-a", "cfr", "-a", "cfr+", "--iterations", "2")
    answer = riverboat(*several, env={"PYTHONIOENCODING": encoding})
    assert answer.returncode == 0, answer.stderr
    text = answer.stdout.decode(encoding)
    assert "+---" in text
    assert "?" not in text


def test_pictures_keep_their_width_in_ascii(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines, bars and suits are one character each in both."""
    from riverboat.cli.ascii_text import plain

    for character in "─│╭╮╰╯├┤┼━┃█▌▒░▶●♠♥♦♣−×·⠋":
        assert len(plain(character)) == 1, character
        assert plain(character).isascii()
    assert [plain(c) for c in "─│┼╭█♠−é"] == ["-", "|", "+", "+", "#", "s", "-", "e"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", [("games",), ("games", "--json"), ("--help",)])
def test_a_full_disk_is_one_sentence(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        answer = riverboat(*arguments, stdout=full)
    assert answer.returncode == 2
    lines = answer.stderr.decode().splitlines()
    assert lines == ["riverboat: The output could not be written: no space left on device."]


@pytest.mark.skipif(os.name == "nt", reason="the shell is sh")
@pytest.mark.parametrize("arguments", ["learn 1", "play kuhn", "table"])
def test_a_closed_input_is_one_without_lines(arguments: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m riverboat {arguments} <&-', sys.executable],
        env={**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limit")
def test_too_few_open_files_for_workers_are_one_sentence() -> None:
    line = 'ulimit -n 16; exec "$0" -m riverboat match kuhn random random --workers 2'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 2
    assert done.stderr.startswith("riverboat: Workers need more open files")
    assert done.stderr.count("\n") == 1


def test_a_closed_output_is_no_error() -> None:
    answer = subprocess.run(
        f'"{sys.executable}" -m riverboat games >&-',
        shell=True,
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
        check=False,
    )
    assert (answer.returncode, answer.stderr) == (0, b"")


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform != "linux", reason="file names are Unicode there")
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_name_that_is_not_utf8_is_shown_by_its_bytes(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.rb"
    missing = riverboat("evaluate", name)
    assert missing.returncode == 2
    assert b"caf\\xe9.rb" in missing.stderr
    saved = riverboat("solve", "kuhn", "--out", name, *more)
    assert saved.returncode == 0, saved.stderr
    assert os.path.exists(name)  # noqa: PTH110
    shown = riverboat("show", name, *more)
    assert shown.returncode == 0, shown.stderr


@pytest.mark.parametrize(
    ("text", "digits"),
    [("1e6", "1000000"), ("2.5e3", "2500"), ("1E+2", "100"), ("1_000", "1000"), ("1,000", "1000")],
)
def test_powers_are_whole_numbers(text: str, digits: str) -> None:
    assert whole_number(text) == digits


@pytest.mark.parametrize("text", ["1e-3", "1.5", "1.55e1", "e6", "1e", "٣", "", "abc", "1e99999"])
def test_what_is_no_whole_number_stays_as_it_is(text: str) -> None:
    assert whole_number(text) == text


def test_endless_numbers_are_refused_with_the_time_they_take(command: Command) -> None:
    """1e30 at 1e9 per second is 1e21 s; a year has 3.156e7 s."""
    with pytest.raises(UsageError, match=r"3\.2e\+13 years"):
        whole_number("1e30")
    message = command.refused("match", "kuhn", "random", "random", "--hands", "9" * 400)
    assert "years" in message
    assert len(message) < 200


def test_commands_take_powers_and_refuse_the_rest_in_words(command: Command) -> None:
    facts = command("match", "kuhn", "random", "random", "--hands", "1e2", "--json").json
    assert facts["hands"] == 100
    message = command.refused("match", "kuhn", "random", "random", "--hands", "1.5")
    assert "--hands takes 1 to 1,000,000,000, not 0" in command.refused(
        "match", "kuhn", "random", "random", "--hands", 0
    )
    assert "--port takes 0 to 65,535, not 99999" in command.refused("dealer", "--port", 99999)
    assert "PORT takes 1 to 65,535" in command.refused("player", "anna", "127.0.0.1", 99999)
    assert "--hands takes a whole number such as 1000 or 1e6, not '1.5'" in message


KERNEL = """
from riverboat.cli.startup import announce_compiling
announce_compiling()
from riverboat.runtime.compiled import njit

@njit(cache=True)
def twice(number):
    return 2 * number

twice(1), twice(1.0)
"""


def on_a_screen(program: Path) -> str:
    """What a program writes to standard error if that is a terminal."""
    inner, outer = pty.openpty()
    running = subprocess.Popen([sys.executable, program], stderr=outer, cwd=program.parent)
    os.close(outer)
    seen = b""
    with contextlib.suppress(OSError):  # so a terminal ends on Linux
        while chunk := os.read(inner, 65536):
            seen += chunk
    os.close(inner)
    assert running.wait(timeout=PATIENCE) == 0
    return seen.decode()


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="no pty there")
def test_a_first_run_says_that_it_compiles_and_a_second_one_does_not(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(KERNEL)
    first = on_a_screen(program)
    assert first.count(NOTICE) == 1
    bars = first.partition(NOTICE)[2].split("\r")
    assert [bar for bar in bars if bar.strip()] == [
        f"-#{'-' * 22} kernel 1".ljust(40),
        f"--#{'-' * 21} kernel 2".ljust(40),
    ]
    assert first.endswith("\r" + " " * 40 + "\r")
    assert on_a_screen(program) == ""


def test_what_is_missing_can_be_installed_by_the_command_that_is_named() -> None:
    """The packages are those of pyproject.toml, so the command works from a checkout."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for name, packages in EXTRAS.items():
        wanted = [text.partition(";")[0] for text in extras[name]]
        if "riverboat[data]" in wanted:
            wanted = [*wanted[:-1], *extras["data"]]
        assert list(packages) == wanted
        assert "riverboat[" not in how_to_install(name)


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[2Jb", "a\u202eb", "a\rb"])
def test_a_name_cannot_break_the_sentence_or_the_terminal(name: str, command: Command) -> None:
    for line in ("evaluate {}", "convert x.txt {}", "acpc dealer --host {}", "acpc player {} 7001"):
        said = command.refused(*(word.format(name) for word in line.split()))
        assert said.isprintable()
        assert repr(name)[1:-1] in said


@pytest.mark.parametrize(
    "line",
    [
        "match kuhn NAME random",
        "player NAME 127.0.0.1 1 --bot NAME",
        "play kuhn --against NAME",
        "tournament host NAME basic",
        "show NAME",
        "evaluate NAME.rb",
        "holdem view NAME.rb",
        "phh NAME",
        "range NAME",
        "mcts coverage NAME.txt",
        "tournament show 1 --db NAME/NAME",
        "solve kuhn --out NAME.rb",
    ],
)
def test_a_name_that_no_disk_can_hold_is_refused_in_a_sentence(line: str, command: Command) -> None:
    command.refused(*line.replace("NAME", "a" * 300).split())


def test_json_takes_what_a_database_gives(capsys: pytest.CaptureFixture[str]) -> None:
    emit({"rows": [[date(2026, 1, 2), timedelta(hours=1), b"x", Decimal("1.5"), math.inf, True]]})
    found = json.loads(capsys.readouterr().out)
    assert found == {"rows": [["2026-01-02", "1:00:00", "b'x'", 1.5, None, True]]}


def test_a_word_of_thousands_of_letters_is_shown_by_its_beginning(command: Command) -> None:
    said = command("match", "holdem", "random", "random", "-p", "stacks=" + "9" * 5000)
    assert said.code == 2
    assert "9" * 40 in said.err
    assert len(said.err) < 300
