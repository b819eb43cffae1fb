"""`riverboat review` at the prompt, on a hand of PokerStars."""

import json
from pathlib import Path

import pytest

from commands import Command

HAND = """\
PokerStars Hand #77:  Hold'em No Limit ($1/$2 USD) - 2024/01/01 10:00:00 ET
Table 'Play' 2-max Seat #1 is the button
Seat 1: Bob ($100 in chips)
Seat 2: Anna ($100 in chips)
Bob: posts small blind $1
Anna: posts big blind $2
*** HOLE CARDS ***
Dealt to Anna [9s 8s]
Bob: raises $4 to $6
Anna: calls $4
*** FLOP *** [5s 6s 7s]
Anna: checks
Bob: checks
*** TURN *** [5s 6s 7s] [2d]
Anna: checks
Bob: checks
*** RIVER *** [5s 6s 7s 2d] [3h]
Anna: checks
Bob: bets $12
Anna: folds
Uncalled bet ($12) returned to Bob
Bob collected $11.50 from pot
*** SUMMARY ***
Total pot $12 | Rake $0.50
"""


@pytest.fixture
def hands(tmp_path: Path) -> str:
    path = tmp_path / "hands.txt"
    path.write_text(HAND + "\n\n\n" + HAND.replace("Total pot $12", "Total pot $13"))
    return str(path)


def test_the_nuts_folded_come_first(hands: str, command: Command) -> None:
    """A call of $12 always wins the $24 that lie there: 12 big blinds."""
    answer = command("review", hands, "--seconds", "1", "--worst", "1")
    assert answer.code == 0, answer.err
    text = " ".join(answer.out.split())
    assert "Anna: 1 hand, 5 decisions." in text
    assert "hand #77, river 7s6s5s2d3h, 9s8s on the big blind, pot 24" in text.replace(".00", "")
    assert "betting r6c/cc/cc/cr12 fold; better:" in text
    assert "fold 0.00 (0 %) · call +12.00 (" in text
    assert "by the exact solution" in text
    assert "Not read: #77: its total pot is $13" in text


def test_json(hands: str, command: Command) -> None:
    answer = command("review", hands, "--no-solve", "--json", "--player", "Anna")
    found = json.loads(answer.out)
    assert found["player"] == "Anna"
    worst = found["findings"][0]
    assert worst["source"] == "blueprint"
    assert worst["loss_bb"] >= 12 - 1e-3
    assert {each["action"] for each in worst["actions"]} >= {"fold", "call 12"}
    assert worst["pot"] == 24.0


def test_a_tournament_is_refused_by_name(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "tournament.txt"
    level = "Tournament #5, $10+$1 USD Hold'em No Limit - Level I ("
    path.write_text(HAND.replace("Hold'em No Limit (", level))
    answer = command("review", str(path))
    assert answer.code == 2
    assert "it is a tournament's hand" in " ".join(answer.err.split())
    assert "shows" not in answer.err


def test_a_file_that_is_not_there(command: Command, tmp_path: Path) -> None:
    answer = command("review", str(tmp_path / "none.txt"))
    assert answer.code == 2
    assert "There is no file" in answer.err
