"""`riverboat example`: every file that ships is listed, is copied as it stands, and works."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import riverboat
from commands import Command
from riverboat.cli.example import read_examples
from waiting import PATIENCE

FOLDER = Path(riverboat.__file__).parent / "examples"


def test_every_file_says_what_it_is_and_how_to_try_it(command: Command) -> None:
    listed = command("example", "--json").json["examples"]
    assert {one["name"] for one in listed} == {p.name for p in FOLDER.iterdir() if p.is_file()}
    for one in listed:
        assert one["what"].endswith("."), one
        assert one["name"] in one["try"], one
        assert len(f"  {one['what']}") <= 80


def test_copies_are_what_ships_and_nothing_of_yours_is_lost(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "3bet.toml" in command("example", "3bet").out  # the ending may be left out
    assert Path("3bet.toml").read_text() == read_examples()["3bet.toml"].text
    Path("my_bot.py").write_text("mine")
    assert "my_bot.py exists already" in command.refused("example", "--all")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["3bet.toml", "my_bot.py"]
    Path("my_bot.py").unlink()
    assert command("example", "--all").code == 0  # the same 3bet.toml again is no harm
    assert {p.name for p in tmp_path.iterdir()} == set(read_examples())


def test_an_unknown_name_gets_a_suggestion(command: Command) -> None:
    assert "did you mean '3bet.toml'?" in command.refused("example", "3bte.toml")
    assert "leave the names out" in command.refused("example", "--all", "3bet.toml")


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("name", "says"), [("my_bot.py", "MyBot"), ("my_game.py", "value +0.200000")]
)
def test_a_program_runs(name: str, says: str) -> None:
    """The value of the pennies is a closed form: 2x − (1 − x) = 1 − 2x at x = 2/5."""
    done = subprocess.run(
        [sys.executable, str(FOLDER / name)], capture_output=True, text=True, check=True
    )
    assert says in done.stdout


def test_the_course_player_answers_a_dealer_whatever_the_packets_are() -> None:
    """A scripted dealer, cut at awkward places: hit on 15, stand on a soft 18 and on 17."""
    spoken = "BEGIN|CARD Ten of Clubs|CARD Five of Spades|DEALER Ace of Hearts|DECISION"
    scripts = [spoken, "CARD Two of Hearts|DECISION", "RESULT WIN|BEGIN|CARD Ace of Clubs"]
    scripts += ["|CARD Seven of Clubs|DECISION", "RESULT PUSH|QUIT"]
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as door:

        def deal() -> None:
            line, _ = door.accept()
            with line:
                heard.append(line.recv(100))
                for text in scripts:
                    for part in (text[:7], text[7:]):
                        line.sendall(part.replace("|", "\0").encode())
                    if not text.endswith("Clubs"):
                        line.sendall(b"\0")
                    if text.endswith("DECISION"):
                        heard.append(line.recv(100))

        dealer = threading.Thread(target=deal)
        dealer.start()
        done = subprocess.run(
            [sys.executable, str(FOLDER / "course_player.py"), str(door.getsockname()[1])],
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
        dealer.join()
    assert heard == [b"JOIN ada\0", b"HIT\0", b"STAND\0", b"STAND\0"]
    assert done.stdout.strip() == "{'PUSH': 1, 'WIN': 1}"
