"""`riverboat blackjack ev | hand | dealer` as a user or a program calls them."""

import json
from typing import Any

import pytest

from riverboat.cli.main import run


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        run(["blackjack", *arguments])
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code, out, err = call(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert isinstance(facts, dict)
    return facts


def test_a_reference_row_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    # A row of overall_ev.json (Farmer's analyser).
    row = {
        "decks": 6, "h17": True, "das": True, "max_split_hands": 4, "max_split_hands_aces": 2,
        "surrender": "none", "bj_pays": 1.5, "double_on": "any", "hole_card": "enhc",
    }  # fmt: skip
    settings = [part for key, value in row.items() for part in ("--set", f"{key}={value}")]
    facts = answer(capsys, "ev", *settings, "--convention", "CDP1")
    assert facts["ev"] == pytest.approx(-0.007269429452, abs=1e-9)
    assert list(facts["ev_by_up"]) == list("A23456789T")
    assert facts["ev_by_up"]["T"] == pytest.approx(-0.176469965987, abs=1e-9)
    assert facts["convention"] == "CDP1"
    assert facts["rules"]["hole_card"] == "enhc"
    assert facts["seconds"] >= 0
    assert answer(capsys, "ev", *settings, "--set", "post_split_strategy=CDP1")["ev"] == facts["ev"]


def test_a_hand(capsys: pytest.CaptureFixture[str]) -> None:
    # hand_ev_6D_S17_DAS_SPL3_NRSA_peek_CDZ.json, 8,8 against A.
    facts = answer(capsys, "hand", "8,8", "--up", "A")
    assert (facts["hand"], facts["up"], facts["best"]) == ("8,8", "A", "split")
    assert facts["actions"] == pytest.approx(
        {
            "split": -0.3642515520,
            "hit": -0.5135512176,
            "stand": -0.6632580769,
            "double": -1.0271024353,
        },
        abs=1e-9,
    )
    assert next(iter(facts["actions"])) == "split"


def test_a_hand_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "hand", "T,6", "--up", "10")
    lines = out.splitlines()
    assert code == 0
    assert lines[3].split()[0] == "hit"
    assert "Standing on 16 wins only when the dealer busts." in lines
    assert all(len(line) <= 100 for line in lines)


def test_seen_cards_change_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    # effect_of_removal.json: 1 deck H17, no double after split, split once, one five removed.
    table = ("ev", "--rules", "single-deck", "--set", "max_split_hands=2")
    gain = answer(capsys, *table, "--seen", "5")["ev"] - answer(capsys, *table)["ev"]
    assert gain == pytest.approx(0.007405532, abs=1e-9)


def test_the_dealer(capsys: pytest.CaptureFixture[str]) -> None:
    # dealer_outcome_probabilities.json, 1 deck S17.
    table = answer(capsys, "dealer", "--set", "decks=1")["up"]
    assert table["6"]["bust"] == pytest.approx(0.420823034, abs=1e-9)
    assert table["all"]["blackjack"] == pytest.approx(0.048265460, abs=1e-9)
    code, out, _ = call(capsys, "dealer", "--up", "6", "--hand", "T,6")
    assert code == 0
    assert len(out.splitlines()) == 3


@pytest.mark.parametrize("arguments", [["ev"], ["hand", "T,6", "--up", "T"], ["dealer"]])
def test_answers_fit_in_eighty_columns(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    code, out, _ = call(capsys, *arguments, "--rules", "combo-charlie")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80


def test_conventions_in_any_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "ev", "--rules", "infinite", "--convention", "cdp")["convention"] == "CDP"


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys)
    assert (code, err) == (2, "")
    assert "simulate" in out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("ev", "--set", "decks=0"), "decks"),
        (("ev", "--set", "decks=many"), "decks"),
        (("ev", "--set", "h17=perhaps"), "h17"),
        (("ev", "--set", "bj_pays=2"), "bj_pays"),
        (("ev", "--set", "surrender=always"), "surrender"),
        (("ev", "--set", "max_split_hands=9"), "max_split_hands"),
        (("ev", "--set", "max_split_hands=1"), "max_split_hands_aces"),
        (("ev", "--set", "dealer_charlie=true"), "dealer_charlie"),
        (("ev", "--set", "colour=red"), "colour"),
        (("ev", "--set", "decks"), "decks"),
        (("ev", "--rules", "vegas"), "vegas"),
        (("ev", "--convention", "CD"), "convention"),
        (("ev", "--convention", "CDP", "--set", "post_split_strategy=CDZ-"), "--convention"),
        (("ev", "--set", "decks=infinite", "--seen", "T"), "--seen"),
        (("ev", "--set", "decks=1", "--seen", "55555"), "--seen"),
        (("hand", "T,T,T", "--up", "5"), "21"),
        (("hand", "T,6", "--up", "5,5"), "one card"),
        (("hand", "T,6"), "--up"),
    ],
)
def test_one_sentence_for_a_mistake(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], word: str
) -> None:
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert word in err
    assert len(err.strip().splitlines()) == 1


def test_a_total_is_priced_as_one_and_named(command):
    text = command("blackjack", "hand", "16", "--up", "10").out
    assert "hard 16 against T" in text
    assert "T,6 · 9,7" in text
    assert "ask for 8,8" in text
    assert "A,6" not in text
    facts = command("blackjack", "hand", "12", "--up", "10", "--json").json
    assert facts["hand"] == "hard 12"
    assert list(facts["by_cards"]) == ["T,2", "9,3", "8,4", "7,5"]
    assert command("blackjack", "hand", "soft 18", "--up", "9", "--json").json["hand"] == "A,7"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("blackjack hand T,6 --up 16", "The dealer shows one card"),
        ("blackjack hand T,6 --up 9 --seen 16", "an ace as A"),
        ("blackjack hand 21 --up 9", "three cards or more"),
        ("blackjack hand 3 --up 9", "4 to 21"),
        ("blackjack dealer --up 9 --hand 16", "an ace as A"),
        ("blackjack dealer --up 11", "The dealer shows one card"),
        ("mcts explain --hand 16 --up 10", "an ace as A"),
        ("mcts explain --hand T,6 --up 16", "The dealer shows one card"),
    ],
)
def test_where_cards_are_needed_a_total_is_refused(command, arguments, words):
    assert words in command.refused(*arguments.split())
