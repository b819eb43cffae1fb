"""PokerStars' text read and written: round trips, PokerKit as reader, money checked, bad hands."""

import random
import warnings
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.errors import FileFormatError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.histories._pokerstars import (
    parse_pokerstars,
    parse_pokerstars_hand,
    read_pokerstars,
)
from riverboat.holdem.histories._pokerstars_writing import write_pokerstars, write_pokerstars_hands
from riverboat.holdem.histories.files import phh_text
from riverboat.holdem.histories.hand import PhhHand, RefusedHand
from riverboat.holdem.histories.phh import read_phh
from riverboat.holdem.rules.state import Holdem, HoldemState

SIDE_POT = """\
PokerStars Zoom Hand #2001:  Hold'em No Limit ($0.25/$0.50 USD) - 2024/08/08 3:56:44 ET
Table 'Merope' 6-max Seat #3 is the button
Seat 1: Ann :D ($44.66 in chips)
Seat 2: Bob: folds ($21.44 in chips)
Seat 3: $$ [C] (x) ($23.53 in chips)
Seat 4: Dan ($18.75 in chips)
Seat 5: Eve ($83.73 in chips)
Seat 6: Sleeper ($10 in chips) is sitting out
Dan: posts small blind $0.25
Eve: posts big blind $0.50
*** HOLE CARDS ***
Dealt to Bob: folds [6h 6s]
Ann :D: calls $0.50
Bob: folds: calls $0.50
$$ [C] (x) has timed out
$$ [C] (x): folds
Dan said, "Bob: folds: raises $3 to $9"
Dan: raises $2.50 to $3
Eve: folds
Ann :D: calls $2.50
Bob: folds: calls $2.50
*** FLOP *** [Qd 6d 5d]
Dan: bets $5
Ann :D: calls $5
Bob: folds: raises $13.44 to $18.44 and is all-in
Dan: calls $10.75 and is all-in
Ann :D: calls $13.44
*** TURN *** [Qd 6d 5d] [8h]
*** RIVER *** [Qd 6d 5d 8h] [7c]
*** SHOW DOWN ***
Ann :D: shows [8d Jd] (a flush, Queen high)
Bob: folds: shows [6h 6s] (three of a kind, Sixes)
Ann :D collected $5.38 from side pot
Dan: shows [Kc Ad] (high card Ace)
Ann :D collected $54.25 from main pot
*** SUMMARY ***
Total pot $62.13 Main pot $54.25. Side pot $5.38. | Rake $2.50
Board [Qd 6d 5d 8h 7c]
Seat 1: Ann :D showed [8d Jd] and won ($59.63) with a flush, Queen high
Seat 2: Bob: folds showed [6h 6s] and lost with three of a kind, Sixes
"""
"""Dan is all-in for 18.75, Bob for 21.44: main pot 3 × 18.75 + 0.50, side pot 2 × 2.69."""


def random_hand(rng: random.Random, *, fixed: bool = False, mixed: bool = True) -> HoldemState:
    players = rng.randint(2, 10)
    blinds: tuple[int, ...] = ()
    antes: tuple[int, ...] = ()
    if mixed and players > 3 and rng.random() < 0.3:
        extra = rng.choice([4, -2])
        blinds = (1, 2, extra, *[0] * (players - 3))
        if extra < 0 and rng.random() < 0.5:
            antes = (0, 0, 1, *[0] * (players - 3))
    ante = 0 if antes or not mixed else rng.choice([0, 0, 1])
    game = Holdem(
        players=players,
        stacks=tuple(rng.randint(3, 120) for _ in range(players)),
        ante=max((ante, *antes)),
        ante_from="each-dead" if antes else "each",
        antes=antes,
        blinds=blinds,
        limit="fixed-limit" if fixed else "no-limit",
        max_raises=(4,) * 4 if fixed else (),
        bet_sizes=(2, 2, 4, 4) if fixed else (2, 2, 2, 2),
    )
    deck = list(game.deck)
    rng.shuffle(deck)
    state = game.start().deal_from(deck)
    while state.actor != TERMINAL:
        if state.actor == CHANCE:
            state = state.deal_from(deck)
            continue
        actions = state.actions()
        state = state.after(actions[rng.randrange(len(actions))] if rng.random() < 0.4 else "c")
    return state


def facts(state: HoldemState) -> tuple[object, ...]:
    shown = [
        hand if here and sum(state.betting.in_hand) > 1 else ()
        for hand, here in zip(state.holes, state.betting.in_hand, strict=True)
    ]
    betting = state.betting
    board = tuple(sorted(state.board[:3])) + state.board[3:]
    return (shown, board, state.history, betting.stacks, betting.paid, state.returns())


@pytest.mark.parametrize("fixed", [False, True])
def test_a_hand_reads_back_as_it_was_written(fixed: bool) -> None:
    rng = random.Random(7)
    for number in range(150):
        state = random_hand(rng, fixed=fixed)
        hand = PhhHand(state, Decimal("0.01"), fields={"currency_symbol": "$", "hand": number + 1})
        text = write_pokerstars(hand)
        back = parse_pokerstars_hand(text)
        assert facts(back.state) == facts(state), text
        assert back.unit == Decimal("0.01")
        assert back.fields["hand"] == number + 1


def test_pokerkit_reads_what_we_write() -> None:
    """Its parser knows no-limit hands without antes and straddles, so it gets those."""
    from pokerkit import HandHistory

    rng = random.Random(8)
    states = [random_hand(rng, mixed=False) for _ in range(60)]
    hands = [PhhHand(state, fields={"hand": i}) for i, state in enumerate(states, 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = list(
            HandHistory.from_pokerstars("".join(write_pokerstars_hands(hands)), error_status=True)
        )
    assert len(read) == len(hands)
    for history, state in zip(read, states, strict=True):
        *_, last = history
        started = state.betting.rules.stacks
        gains = [int(end) - start for end, start in zip(last.stacks, started, strict=True)]
        assert gains == list(state.returns())


def test_strange_names_side_pots_and_rake() -> None:
    hand = parse_pokerstars_hand(SIDE_POT)
    assert hand.names == ["Dan", "Eve", "Ann :D", "Bob: folds", "$$ [C] (x)"]
    assert hand.state.history == "ccfr300fcc/r500cr1844cc//"
    gains = [Decimal(int(gain)) / 100 for gain in hand.returns()]
    assert gains == [Decimal("-18.75"), Decimal("-0.50"), Decimal("40.69"), Decimal("-21.44"), 0]
    assert hand.fields["_rake"] == Decimal("2.5")
    assert hand.fields["winnings"][2] == Decimal("59.63")
    assert hand.fields["_hero"] == "Bob: folds"
    assert hand.fields["_zoom"] is True
    assert hand.fields["year"] == 2024


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: "\n\n*********** # 2 **************\n" + text,
        lambda text: text.replace("$", "€").replace("USD", "EUR"),
        lambda text: text.replace("\n", " \n "),
        lambda text: text.replace(
            "side pot\n", "side pot (pot not awarded as player cashed out)\n"
        ),
    ],
)
def test_line_ends_marks_and_currencies(change, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    wanted = parse_pokerstars_hand(SIDE_POT)
    text = change(SIDE_POT)
    for encoding in ("utf-8", "utf-16", "cp1252"):
        if encoding == "cp1252" and "\ufeff" in text:
            continue
        path = tmp_path / f"{encoding}.txt"
        path.write_bytes(text.encode(encoding))
        (hand,) = read_pokerstars(path)
        assert isinstance(hand, PhhHand), hand
        assert facts(hand.state) == facts(wanted.state)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Dan: bets $5", "Dan: bets $0.20", "Dan bets to $0.20, where $0.50 to $15.75"),
        ("Dan: bets $5", "Eve: bets $5", "not the turn of Eve"),
        ("Ann :D: calls $5\n", "Ann :D: calls $4\n", "calls $4, where $5"),
        ("Total pot $62.13", "Total pot $62.14", "total pot is $62.14"),
        ("Rake $2.50", "Rake $2.40", "the rake are not the total pot"),
        ("[8d Jd] (a", "[8d Qd] (a", "Qd"),
        ("[8d Jd]", "[8c Js]", "and the replay gives"),
        ("*** SUMMARY ***", "*** SUM", "cut off"),
        ("No Limit", "Foo", "first line"),
        ("Hold'em No Limit", "Omaha Pot Limit", "4 different cards"),
        ("Hold'em No Limit", "Omaha Hi/Lo Pot Limit", "it is Omaha Hi/Lo; only"),
        ("Hold'em No Limit", "6+ Hold'em No Limit", "other stakes than its game"),
        ("Hold'em No Limit (", "Tournament #1, Hold'em No Limit - Level I (", "tournament"),
        ("*** TURN ***", "*** FIRST TURN ***", "run twice"),
        ("Seat #3 is the button", "", "button"),
        ("*** HOLE CARDS ***", "Hand cancelled", "cancelled"),
        ("$0.50 USD)", "$0.50 - $20 Cap - USD)", "cap"),
        ("PokerStars Zoom Hand #2001:", "PokerStars-Hand Nr. 20011234567:", "English"),
        ("PokerStars Zoom Hand #2001:", "Main PokerStars n° 20011234567 :", "English"),
        ("PokerStars Zoom Hand #2001:", "Раздача PokerStars №20011234567:", "English"),
    ],
)
def test_a_bad_hand_is_named_and_the_others_are_read(old: str, new: str, said: str) -> None:
    assert old in SIDE_POT
    bad = SIDE_POT.replace(old, new)
    found = list(parse_pokerstars(f"{SIDE_POT}\n\n\n{bad}\n\n\n{SIDE_POT}"))
    assert [type(each) for each in found] == [PhhHand, RefusedHand, PhhHand]
    assert isinstance(found[1], RefusedHand)
    assert said in found[1].reason
    assert found[1].section in ("#2001", "2 of the file")


def test_pot_limit_is_held_to_the_pot() -> None:
    text = SIDE_POT.replace("No Limit", "Pot Limit")
    with pytest.raises(FileFormatError, match=r"raises to \$3, where \$1 to \$2\.50 is possible"):
        parse_pokerstars_hand(text)  # 0.25 + 0.50 × 3 in the pot, 0.25 to call: 0.50 + 2 is most
    small = text.replace("raises $2.50 to $3", "raises $2 to $2.50")
    with pytest.raises(FileFormatError, match=r"calls \$2\.50, where \$2 is to be called"):
        parse_pokerstars_hand(small)


def test_phh_and_back() -> None:
    hand = parse_pokerstars_hand(SIDE_POT)
    text = phh_text(hand)
    back = read_phh(text)
    assert facts(back.state) == facts(hand.state)
    assert back.names == hand.names
    assert not back.differences()
    again = parse_pokerstars_hand(write_pokerstars(replace(back, section="")))
    assert facts(again.state) == facts(hand.state)
    assert again.fields == hand.fields


def test_a_straddle_next_to_a_blind_adds_to_it() -> None:
    """The small blind of 1 straddles with 3 more: 4 are to be called, and it acts last."""
    text = """\
PokerStars Hand #8:  Hold'em No Limit ($1/$2) - 2024/01/01 10:00:00 ET
Table 'X' 6-max Seat #1 is the button
Seat 1: A ($100 in chips)
Seat 2: B ($100 in chips)
Seat 3: C ($100 in chips)
B: posts small blind $1
C: posts big blind $2
B: posts straddle $3
*** HOLE CARDS ***
C: calls $2
A: folds
B: checks
*** FLOP *** [2c 3d 9h]
B: bets $4
C: folds
Uncalled bet ($4) returned to B
B collected $8 from pot
*** SUMMARY ***
Total pot $8 | Rake $0
"""
    hand = parse_pokerstars_hand(text)
    assert hand.returns() == (400.0, -400.0, 0.0)


def test_dead_blinds_posts_and_a_walk() -> None:
    text = """\
PokerStars Hand #7:  Hold'em No Limit (100/200) - 2024/01/01 10:00:00 ET
Table 'Play' 9-max Seat #1 is the button
Seat 1: A (20000 in chips)
Seat 2: B (20000 in chips)
Seat 3: C (20000 in chips)
Seat 4: D (20000 in chips)
B: posts small blind 100
C: posts big blind 200
D: posts small & big blinds 300
*** HOLE CARDS ***
D: checks
A: folds
B: folds
C: checks
*** FLOP *** [2c 3d 9h]
C: bets 400
D: folds
Uncalled bet (400) returned to C
C collected 600 from pot
C: doesn't show hand
*** SUMMARY ***
Total pot 600 | Rake 0
"""
    hand = parse_pokerstars_hand(text)
    assert hand.unit == 1
    assert hand.returns() == (-100.0, 400.0, -300.0, 0.0)


@settings(max_examples=150)
@given(st.data())
def test_damaged_texts_never_crash(data: st.DataObject) -> None:
    text = list(SIDE_POT)
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(text) - 1))
        kind = data.draw(st.sampled_from(["cut", "drop", "swap", "insert", "line"]))
        if kind == "cut":
            text = text[: place + 1]
        elif kind == "drop":
            del text[place : place + data.draw(st.integers(1, 30))]
            text = text or ["x"]
        elif kind == "swap":
            text[place] = data.draw(st.characters())
        elif kind == "insert":
            text[place:place] = data.draw(st.text(max_size=20))
        else:
            lines = "".join(text).splitlines(keepends=True)
            lines.insert(place % (len(lines) + 1), data.draw(st.sampled_from(lines)))
            text = list("".join(lines))
    for found in parse_pokerstars("".join(text) + "\n\n" + SIDE_POT):
        assert isinstance(found, PhhHand | RefusedHand)


@given(st.binary(max_size=300))
@settings(max_examples=60)
def test_any_bytes_are_read_as_something(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "x.txt"
    path.write_bytes(raw + b"PokerStars Hand #1:" + raw)
    for found in read_pokerstars(path):
        assert isinstance(found, RefusedHand)


SHORT_BLIND = """\
PokerStars Hand #7:  Hold'em No Limit (100/200) - 2024/05/06 15:58:37 ET
Table 'Aenna II' 4-max (Play Money) Seat #1 is the button
Seat 1: Ann (5000 in chips)
Seat 2: Bob (5000 in chips)
Seat 3: Cyd (120 in chips)
Seat 4: Dan (5000 in chips)
Bob: posts small blind 100
Cyd: posts big blind 120 and is all-in
*** HOLE CARDS ***
Dan: calls 200
Ann: folds
Bob: calls 100
*** FLOP *** [2c 7d 9h]
Bob: checks
Dan: bets 200
Bob: folds
Uncalled bet (200) returned to Dan
Dan collected 160 from side pot
*** TURN *** [2c 7d 9h] [Jc]
*** RIVER *** [2c 7d 9h Jc] [3s]
*** SHOW DOWN ***
Dan: shows [Ah Kd] (high card Ace)
Cyd: shows [9c 8c] (a pair of Nines)
Cyd collected 360 from main pot
*** SUMMARY ***
Total pot 520 Main pot 360. Side pot 160. | Rake 0
Board [2c 7d 9h Jc 3s]
Seat 1: Ann (button) folded before Flop (didn't bet)
Seat 2: Bob (small blind) folded on the Flop
Seat 3: Cyd (big blind) showed [9c 8c] and won (360) with a pair of Nines
Seat 4: Dan showed [Ah Kd] and lost with high card Ace
"""


def test_a_short_big_blind_is_called_in_full() -> None:
    """Main pot 3 × 120, side pot 2 × 80: Cyd, all-in for 120 of 200, wins the first only."""
    hand = parse_pokerstars_hand(SHORT_BLIND)
    assert hand.returns() == (-200, 240, -40, 0)
    again = parse_pokerstars_hand(write_pokerstars(hand))
    assert again.returns() == hand.returns()
    back = read_phh(phh_text(hand))
    assert back.returns() == hand.returns()
    assert back.differences() == []
    wrong = list(parse_pokerstars(SHORT_BLIND.replace("calls 200", "calls 180")))
    assert isinstance(wrong[0], RefusedHand)


@pytest.mark.parametrize("call", [20, 100])
def test_between_two_the_rest_of_a_short_blind_is_called_or_returned(call: int) -> None:
    text = """\
PokerStars Hand #8:  Hold'em No Limit (100/200) - 2024/05/06 15:58:37 ET
Table 'Aenna II' 2-max (Play Money) Seat #1 is the button
Seat 1: Ann (5000 in chips)
Seat 2: Bob (120 in chips)
Ann: posts small blind 100
Bob: posts big blind 120 and is all-in
*** HOLE CARDS ***
Ann: calls CALL
*** FLOP *** [2c 7d 9h]
*** TURN *** [2c 7d 9h] [Jc]
*** RIVER *** [2c 7d 9h Jc] [3s]
*** SHOW DOWN ***
Ann: shows [Ah Kd] (high card Ace)
Bob: shows [9c 8c] (a pair of Nines)
Bob collected 240 from pot
*** SUMMARY ***
Total pot 240 | Rake 0
Board [2c 7d 9h Jc 3s]
"""
    assert parse_pokerstars_hand(text.replace("CALL", str(call))).returns() == (120, -120)


def test_winnings_are_less_the_rake() -> None:
    """Dan and Bob lose what they put in; the winner's pot is short of the rake, in both forms."""
    hand = parse_pokerstars_hand(SIDE_POT)
    rake = hand.fields["_rake"]
    assert rake > 0
    won = hand.as_dict()["won"]
    assert sum(won) == -rake
    assert sum(hand.returns()) == 0
    back = read_phh(phh_text(hand))
    assert back.as_dict()["won"] == won
    stacks = zip(back.fields["finishing_stacks"], back.fields["starting_stacks"], strict=True)
    assert [after - before for after, before in stacks] == won


ANTE_ALL_IN = """\
PokerStars Hand #9:  Hold'em No Limit (100/200) - 2024/05/06 15:58:37 ET
Table 'Aenna II' 4-max (Play Money) Seat #1 is the button
Seat 1: Ann (5000 in chips)
Seat 2: Bob (5000 in chips)
Seat 3: Cyd (STACK in chips)
Seat 4: Dan (5000 in chips)
Ann: posts the ante 20
Bob: posts the ante 20
Cyd: posts the ante STACK and is all-in
Dan: posts the ante 20
Bob: posts small blind 100
*** HOLE CARDS ***
Dan: calls 200
Ann: folds
Bob: calls 100
*** FLOP *** [2c 7d 9h]
Bob: checks
Dan: bets 200
Bob: folds
Uncalled bet (200) returned to Dan
Dan collected SIDE from side pot
*** TURN *** [2c 7d 9h] [Jc]
*** RIVER *** [2c 7d 9h Jc] [3s]
*** SHOW DOWN ***
Dan: shows [Qh Td] (high card Queen)
Cyd: shows [9c 8c] (a pair of Nines)
Cyd collected MAIN from main pot
*** SUMMARY ***
Total pot TOTAL Main pot MAIN. Side pot SIDE. | Rake 0
Board [2c 7d 9h Jc 3s]
"""


@pytest.mark.parametrize(("stack", "main", "side"), [(20, 80, 400), (12, 48, 424)])
def test_a_big_blind_whom_the_ante_puts_all_in_is_called_in_full(
    stack: int, main: int, side: int
) -> None:
    """Cyd posts no blind, and an ante in full or in part: the main pot is four times that."""
    text = ANTE_ALL_IN.replace("STACK", str(stack)).replace("MAIN", str(main))
    text = text.replace("SIDE", str(side)).replace("TOTAL", str(main + side))
    hand = parse_pokerstars_hand(text)
    assert hand.returns() == (-220, main - stack, side - 220, -20)
    assert parse_pokerstars_hand(write_pokerstars(hand)).returns() == hand.returns()
    assert read_phh(phh_text(hand)).returns() == hand.returns()
