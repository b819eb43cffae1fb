"""`riverboat convert`: hands from PokerStars' text to PHH and back, at the prompt."""

import json
from pathlib import Path

import pytest

from commands import Command

HAND = """\
PokerStars Hand #7:  Hold'em No Limit ($1/$2 USD) - 2024/01/01 10:00:00 ET
Table 'Play' 2-max Seat #1 is the button
Seat 1: Anna ($200 in chips)
Seat 2: Bob ($200 in chips)
Anna: posts small blind $1
Bob: posts big blind $2
*** HOLE CARDS ***
Anna: raises $2 to $4
Bob: folds
Uncalled bet ($2) returned to Anna
Anna collected $4 from pot
*** SUMMARY ***
Total pot $4 | Rake $0
"""


def test_there_and_back(command: Command, tmp_path: Path) -> None:
    first, phh, back = (tmp_path / name for name in ("a.txt", "b.phhs", "c.txt"))
    first.write_text(HAND + "\n\n\n" + HAND.replace("Bob: folds", "Bob: calls $1"))
    answer = command("convert", str(first), str(phh))
    assert answer.code == 0
    assert "1 hand written" in answer.out
    assert "#7: Bob calls $1, where $2 is to be called." in answer.out
    found = json.loads(command("convert", str(phh), str(back), "--json").out)
    assert found["hands"] == 1
    assert found["refused"] == []
    assert "Anna: raises $2 to $4" in back.read_text()


def test_phh_lists_hands_of_pokerstars_too(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "hands.txt"
    path.write_text(HAND)
    found = json.loads(command("phh", str(path), "--json").out)
    assert found["hands"][0]["won"] == [-2.0, 2.0]
    assert found["hands"][0]["players"] == ["Bob", "Anna"]
    assert "Anna +2" in command("phh", str(path)).out


@pytest.mark.parametrize(
    ("text", "target", "said"),
    [
        ("", "x.txt", "it is empty"),
        ("hello", "x.txt", "neither PokerStars"),
        (HAND, "x.zip", "name the form, phh or pokerstars"),
        (HAND.replace("Seat #1 is the button", ""), "x.phhs", "where the button is"),
    ],
)
def test_what_cannot_be_is_said(
    text: str, target: str, said: str, command: Command, tmp_path: Path
) -> None:
    source = tmp_path / "in.txt"
    source.write_text(text)
    answer = command("convert", str(source), str(tmp_path / target))
    assert answer.code == 2
    assert said in " ".join(answer.err.split())
    assert not (tmp_path / target).exists()
