"""PHH written and read: round trips, PokerKit as an independent reader and writer, a known hand."""

import contextlib
import datetime
import random
import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.errors import FileFormatError, IllegalActionError, RiverboatError, UsageError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.histories._pokerstars import parse_pokerstars_hand
from riverboat.holdem.histories._pokerstars_writing import write_pokerstars
from riverboat.holdem.histories.files import phh_text
from riverboat.holdem.histories.phh import read_phh, read_phh_file, read_phhs, write_phh, write_phhs
from riverboat.holdem.rules.state import Holdem, HoldemState

FIRST_MILLION_POT = """
# Dwan against Ivey, the first televised pot of a million dollars: 572,100 and 1,109,500 after it.
variant = "NT"
ante_trimming_status = true
antes = [500, 500, 500]
blinds_or_straddles = [1000, 2000, 0]
min_bet = 2000
starting_stacks = [1125600, 2000000, 553500]
actions = [
  "d dh p1 Ac2d", "d dh p2 ????", "d dh p3 7h6h",
  "p3 cbr 7000", "p1 cbr 23000", "p2 f", "p3 cc",
  "d db Jc3d5c", "p1 cbr 35000", "p3 cc",
  "d db 4h", "p1 cbr 90000", "p3 cbr 232600", "p1 cbr 1067100", "p3 cc",
  "p1 sm Ac2d", "p3 sm 7h6h # the nuts", "d db Jh",
]
finishing_stacks = [572100, 1997500, 1109500]
"""


def random_hand(rng: random.Random, stop_early: bool = False) -> HoldemState:
    players = rng.randint(2, 6)
    fixed = rng.random() < 0.4
    game = Holdem(
        players=players,
        stacks=tuple(rng.randint(1, 120) for _ in range(players)),
        ante=rng.choice([0, 1, 3]),
        ante_from=rng.choice(["each", "each-dead", "big-blind"]),
        limit="fixed-limit" if fixed else "no-limit",
        max_raises=(4,) * 4 if fixed else (),
    )
    deck = list(game.deck)
    rng.shuffle(deck)
    state = game.start().deal_from(deck)
    while state.actor != TERMINAL and not (stop_early and rng.random() < 0.1):
        if state.actor == CHANCE:
            state = state.deal_from(deck)
            continue
        actions = state.actions()
        state = state.after(actions[rng.randrange(len(actions))] if rng.random() < 0.3 else "c")
    return state


def facts(state: HoldemState) -> tuple[object, ...]:
    betting = state.betting
    return (state.holes, state.board, state.history, betting.stacks, betting.paid, state.actor)


def test_a_hand_reads_back_as_it_was_written() -> None:
    rng = random.Random(5)
    for _ in range(200):
        state = random_hand(rng, stop_early=True)
        assert facts(read_phh(write_phh(state)).state) == facts(state)


def test_names_and_numbers_travel_with_the_hand() -> None:
    state = random_hand(random.Random(6))
    text = write_phh(state, players=['An"na', "Bo\\b", "Ç"], hand=12)
    assert read_phh(text).fields["players"] == ['An"na', "Bo\\b", "Ç"]
    assert read_phh(text).fields["hand"] == 12
    both = read_phhs(write_phhs([text, write_phh(state)]))
    assert [facts(hand.state) for hand in both] == [facts(state)] * 2


def test_the_first_televised_million_pot() -> None:
    hand = read_phh(FIRST_MILLION_POT)
    stacks = hand.fields["starting_stacks"]
    ended = [stack + gain for stack, gain in zip(stacks, hand.returns(), strict=True)]
    assert ended == hand.fields["finishing_stacks"]


def test_a_hand_that_was_mucked_unseen_wins_nothing_and_one_not_shown_is_not_guessed() -> None:
    text = FIRST_MILLION_POT.replace("d dh p1 Ac2d", "d dh p1 ????")
    mucked = read_phh(text.replace("p1 sm Ac2d", "p1 sm"))
    assert mucked.returns() == (-553500.0, -2500.0, 556000.0)
    with pytest.raises(IllegalActionError, match="not shown"):
        read_phh(text.replace("p1 sm Ac2d", "p1 sm ????")).returns()


def test_decimal_money_is_read_in_whole_chips() -> None:
    text = """
    variant = "NT"
    antes = [0, 0]
    blinds_or_straddles = [0.25, 0.5]
    min_bet = 0.50
    starting_stacks = [inf, 60.75]
    actions = ["d dh p1 ????", "d dh p2 AsAd", "p2 cbr 1.25", "p1 f"]
    """
    hand = read_phh(text)
    assert hand.unit == Decimal("0.01")
    assert hand.state.betting.rules.blinds == (50, 25)
    assert hand.returns() == (-50.0, 50.0)


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ('"NT"', '"F7S"', "variant"),
        ("min_bet = 2000", "", "min_bet"),
        ("2000, 0]", "2000, 4000]", "turn of p3"),
        ("[500, 500, 500]", "[500, 500]", "length"),
        ("[500, 500, 500]", "[0, 0, 500]", "trimmed"),
        ("[1000, 2000, 0]", "[1000, 'x', 0]", "blinds_or_straddles"),
        ("[500, 500, 500]", "[0, 500, 0]", "trimmed"),
        ("p3 cbr 7000", "p3 cbr 2500", "cannot be played"),
        ("p3 cbr 7000", "p2 cbr 7000", "turn"),
        ("p3 cbr 7000", "p3 jumps", "cannot be read"),
        ("p3 cbr 7000", "p3 cbr 1e400", "more than"),
        ("min_bet = 2000", "min_bet = 1e-999999999", "This PHH hand"),
        ("min_bet = 2000", "min_bet = nan", "min_bet"),
        ("p3 cbr 7000", "p3 cbr lots", "cannot be read"),
        ("Ac2d", "Ac2x", "cannot be played"),
        ("Jc3d5c", "Jc3d", "still to be dealt"),
        ("Jc3d5c", "??????", "unknown cards"),
        ("d dh p1", "d dh p0", "p1 to p3"),
        ("p3 cbr 7000", "p-1 cbr 7000", "p1 to p3"),
        ("p3 cbr 7000", "p3 cbr 7000 8000", "cannot be read"),
        ("p2 f", "p2 f 5", "cannot be read"),
        ("p2 f", "p4 f", "p1 to p3"),
        ("p1 sm Ac2d", "p1 sm Ah2d", "dealt other cards"),
        ("[1125600, 2000000, 553500]", "1125600", "starting_stacks"),
        ("[1125600, 2000000, 553500]", "[true, 2000000, 553500]", "starting_stacks"),
        ("[1125600, 2000000, 553500]", "[-inf, 2000000, 553500]", "starting_stacks"),
        ("min_bet = 2000", "min_bet = '2000'", "min_bet"),
        ("ante_trimming_status = true", "ante_trimming_status = 1", "true or false"),
        ('variant = "NT"', "", "lacks the field variant"),
        ("actions = [", "actions = [[", "not PHH"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(old: str, new: str, word: str) -> None:
    with pytest.raises(FileFormatError, match=word):
        read_phh(FIRST_MILLION_POT.replace(old, new))


def test_a_hand_in_a_section_is_refused_by_its_number() -> None:
    bad = FIRST_MILLION_POT.replace("p3 cbr 7000", "p3 cbr 2500")
    with pytest.raises(FileFormatError, match=r"section 2: .*p3 .*2500, where 4,000 to"):
        read_phhs(write_phhs([FIRST_MILLION_POT, bad]))


def test_cards_may_be_dealt_one_by_one_and_words_spaced_freely() -> None:
    text = FIRST_MILLION_POT.replace('"d db Jc3d5c"', '"d db Jc", "# a pause", "", "d db 3d5c"')
    text = text.replace('"d dh p3 7h6h"', '"d dh p3 7h", "  d  dh   p3 6h # suited  "')
    assert facts(read_phh(text).state) == facts(read_phh(FIRST_MILLION_POT).state)


def test_a_muck_at_an_all_in_ends_the_hand() -> None:
    text = FIRST_MILLION_POT.replace("p1 sm Ac2d", "p1 sm").replace(', "d db Jh"', "")
    assert read_phh(text).returns() == (-553500.0, -2500.0, 556000.0)
    everybody = text.replace("p3 sm 7h6h", "p3 sm")
    with pytest.raises(IllegalActionError, match="nobody wins"):
        read_phh(everybody).returns()


def test_fields_of_every_kind_travel_with_the_hand() -> None:
    fields: dict[str, Any] = {
        "time": datetime.time(12, 34, 56),
        "time_limit": 2.5,
        "time_banks": [Decimal("Infinity"), 30],
        "_mine": {"a b": [1, True], "c": "d"},
    }
    read = read_phh(write_phh(random_hand(random.Random(9)), **fields)).fields
    assert {name: read[name] for name in fields} == fields


def test_a_reduced_game_cannot_be_written() -> None:
    game = Holdem(ranks=3, suits=1, hole_cards=1, board_cards=(0,))
    with pytest.raises(UsageError, match="52 cards"):
        write_phh(game.start())


def test_pokerkit_plays_our_hands_to_the_same_stacks() -> None:
    history = pytest.importorskip("pokerkit").HandHistory
    rng = random.Random(7)
    for _ in range(60):
        state = random_hand(rng)
        text = write_phh(state)
        *_, last = history.loads(text)
        assert not last.status
        assert [float(p) for p in last.payoffs] == list(state.returns())
        assert list(last.stacks) == read_phh(text).fields["finishing_stacks"]


def test_what_pokerkit_writes_reads_back() -> None:
    history = pytest.importorskip("pokerkit").HandHistory
    rng = random.Random(8)
    for _ in range(30):
        state = random_hand(rng)
        theirs = history.loads(write_phh(state))
        *_, last = theirs
        for compressed in (True, False):
            text = history.from_game_state(theirs.create_game(), last, compressed).dumps()
            hand = read_phh(text)
            assert hand.state.history == state.history
            assert hand.returns() == state.returns()


def _has_all_in(state: HoldemState) -> bool:
    betting = state.betting
    return any(
        here and not stack for here, stack in zip(betting.in_hand, betting.stacks, strict=True)
    )


def posted_hand(rng: random.Random) -> HoldemState:
    """A hand as card rooms deal them: posts out of turn, a straddle, one blind, odd antes."""
    players = rng.randint(2, 6)
    blinds = rng.choice(
        [
            [1, 2, *(rng.choice([0, 0, -2, -1, -3]) for _ in range(players - 2))],
            [1, 2, *[4, 0, 0, 0][: players - 2]],
            [2, 0, 0, 0, 0, 0][:players],
            [0, 2, 0, 0, -2, -2][:players],
        ]
    )
    antes = rng.choice([[0] * players, [rng.choice([0, 1]) for _ in range(players)]])
    order = slice(None, None, -1) if players == 2 else slice(None)
    game = Holdem(
        players=players,
        stacks=tuple(rng.randint(5, 120) for _ in range(players)),
        small_blind=0,
        blinds=tuple(blinds[order]),
        antes=tuple(antes),
        ante_from="each-dead",
    )
    deck = list(game.deck)
    rng.shuffle(deck)
    state = game.start().deal_from(deck)
    while state.actor != TERMINAL:
        if state.actor == CHANCE:
            state = state.deal_from(deck)
        elif rng.random() < 0.1 and not _has_all_in(state):
            state = state.give_up()  # also where checking is free
        else:
            actions = state.actions()
            state = state.after(actions[rng.randrange(len(actions))] if rng.random() < 0.2 else "c")
    return state


@pytest.mark.filterwarnings("ignore:There is no reason for this player to fold")
def test_posts_straddles_single_blinds_and_free_folds_are_played_as_pokerkit_plays_them() -> None:
    history = pytest.importorskip("pokerkit").HandHistory
    rng = random.Random(11)
    for _ in range(80):
        state = posted_hand(rng)
        text = write_phh(state)
        *_, last = history.loads(text)
        assert not last.status
        assert [float(p) for p in last.payoffs] == list(state.returns())
        read = read_phh(text)
        assert facts(read.state) == facts(state)
        assert read.differences() == []


def test_chips_without_a_contender_belong_to_the_pot_below() -> None:
    """Two players bet 40 and fold to three all-ins of 38, 17 and 32, though checking is free.

    By hand: 85 and 60 for the best hand, three tens; 18 and the last 4 for the one who has 38 in.
    """
    text = """
    variant = "NT"
    antes = [0, 0, 0, 0, 0]
    blinds_or_straddles = [0, 2, 0, -2, -2]
    min_bet = 2
    starting_stacks = [38, 17, 32, 43, 63]
    actions = ["d dh p1 Jh8s", "d dh p2 Qh7c", "d dh p3 TsTd", "d dh p4 7h3d", "d dh p5 AsJd",
      "p3 cc", "p4 cbr 40", "p5 cc", "p1 cc", "p2 cc", "p3 cc", "d db 9h3h3c", "p4 f", "p5 f",
      "d db Tc", "d db 4c"]
    """
    assert read_phh(text).returns() == (-16.0, -17.0, 113.0, -40.0, -40.0)


CARD_ROOM = """
[1]
variant = 'NT'
ante_trimming_status = false
antes = [0.25, 0.25, 0.25]
blinds_or_straddles = [0.50, 1, -1]
min_bet = 1
starting_stacks = [39, 99.30, 43.20]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 ????', 'p3 cc', 'p1 f', 'p2 f']
venue = 'A Card Room'
time = 16:07:07
hand = 3018966172
players = ['4a8U', 'yMNw', 'plHR']
winnings = [0, 0, 3.25]
currency_symbol = '$'

[2]
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [0.50, 1]
min_bet = 1
starting_stacks = [39, 99.30]
actions = ['d dh p1 ????', 'd dh p2 ????', 'p2 cbr 1.20', 'p1 f']

[3]
variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [1, 0, 0]
min_bet = 1
starting_stacks = [39, 99.30, 20]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 ????', 'p2 f', 'p3 cc', 'p1 f']
finishing_stacks = [38, 99.30, 20.95]

[4]
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [0.50, 1]
min_bet = 1
starting_stacks = [30, 30]
actions = ['d dh p1 ????', 'd dh p2 ????', 'p2 cbr 3', 'p1 f']
"""


def test_one_bad_hand_does_not_lose_the_file() -> None:
    """Worked out by hand: the player who posted wins 1 + 0.5 and two antes by two folds."""
    file = read_phh_file(CARD_ROOM)
    assert [hand.section for hand in file.hands] == ["1", "3", "4"]
    assert [refused.section for refused in file.refused] == ["2"]
    assert "1.20" in file.refused[0].reason
    assert "2 to 99.3" in file.refused[0].reason
    first, third, fourth = file.hands
    assert first.returns() == (-75.0, -125.0, 200.0)
    assert third.unit == Decimal("0.1")
    assert third.returns() == (-10.0, 0.0, 10.0)
    assert fourth.returns() == (-10.0, 10.0)
    (difference,) = third.differences()
    assert (difference.player, difference.recorded, difference.replayed) == (
        2,
        Decimal("20.95"),
        Decimal(21),
    )


@pytest.mark.parametrize("damage", ["starting_stacks = [30, 30", "= = =", "x = " + "[" * 3000])
def test_a_section_that_is_not_toml_does_not_lose_the_file_either(damage: str) -> None:
    text = CARD_ROOM.replace("starting_stacks = [30, 30]", damage)
    file = read_phh_file(text)
    assert [hand.section for hand in file.hands] == ["1", "3"]
    assert [refused.section for refused in file.refused] == ["2", "4"]


def test_whatever_a_file_holds_is_read_or_refused_with_a_sentence() -> None:
    rng = random.Random(12)
    pieces = ["[", "]", "'", "=", "-", "9" * 5000, "\U0001f600", "İ", "\n[5]\n", "nan", "inf", ""]
    for _ in range(300):
        text = list(CARD_ROOM)
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(text))
            text[place : place + rng.randint(0, 3)] = rng.choice(pieces)
        try:
            file = read_phh_file("".join(text))
        except FileFormatError:
            continue
        assert len(file.hands) + len(file.refused) >= 1


HOSTILE = [
    "0",
    "-1",
    "1e400",
    "1e-400",
    "nan",
    "inf",
    "true",
    "[]",
    "{}",
    '"x"',
    "9" * 30,
    "p0",
    "??",
]


@settings(max_examples=300)
@given(st.data())
def test_damaged_hands_are_refused_in_a_sentence(data: st.DataObject) -> None:
    """Whatever is still read can be shown and written in both forms, or is refused."""
    extra = 'players = ["a", "b", "c"]\n_rake = 5\nwinnings = [0, 0, 3]\n_stakes = [1, 2]\n'
    text = FIRST_MILLION_POT + extra
    words = [*re.finditer(r"[\w.?-]+|\[[^\]]*\]", text)]
    for _ in range(data.draw(st.integers(1, 3))):
        word = data.draw(st.sampled_from(words))
        text = text.replace(word[0], data.draw(st.sampled_from(HOSTILE)), 1)
    with contextlib.suppress(RiverboatError):
        found = read_phh_file(text)
        found.as_dict()
        for hand in found.hands:
            phh_text(hand)
            write_pokerstars(hand)


RAKED = """
variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [197, 50, 80]
actions = ["d dh p1 ????", "d dh p2 ????", "d dh p3 ????", "p3 cc", "p1 f", "p2 cc",
  "d db 6sJsAs", "p2 cbr 2", "p3 cbr 4", "p2 f"]
winnings = [0, 0, 8.60]
"""


def test_a_rake_is_seen_by_winnings_below_the_pot() -> None:
    """Card rooms write what was collected and no rake: 8.60 of the pot of 9."""
    hand = read_phh(RAKED)
    assert hand.rake == Decimal("0.4")
    assert hand.won() == [-1, -4, Decimal("4.6")]
    assert sum(hand.returns()) == 0
    text = write_pokerstars(hand)
    assert "p3 collected 8.60 from pot" in text
    assert "Total pot 9 | Rake 0.40" in text
    back = read_phh(phh_text(hand))
    assert back.won() == hand.won()
    assert back.differences() == []


@pytest.mark.parametrize("winnings", ["[0, 0, 9]", "[0, 0, 4]", "[0, 8.6, 0]", "[0, 0, 10]", "[9]"])
def test_winnings_that_no_rake_explains_are_passed_over(winnings: str) -> None:
    hand = read_phh(RAKED.replace("[0, 0, 8.60]", winnings))
    assert hand.rake == 0
    assert hand.won() == [-1, -4, 5]


SIDE_POTS = """
variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [1000, 2000, 2000]
actions = ["d dh p1 AsAh", "d dh p2 KsKh", "d dh p3 7d2c", "p3 cbr 2000", "p1 cc", "p2 cc",
  "d db 3h9cJs", "d db 4d", "d db 5c"]
winnings = [2900, 1850, 0]
_rake = 250
"""


def test_text_of_pokerstars_has_the_winnings_of_the_hand() -> None:
    """The house took 100 of the main pot of 3000 and 150 of the side pot of 2000."""
    hand = read_phh(SIDE_POTS)
    assert hand.won() == [1900, -150, -2000]
    text = write_pokerstars(hand)
    assert "p1 collected 2900 from main pot" in text
    assert "p2 collected 1850 from side pot" in text
    assert parse_pokerstars_hand(text).won() == hand.won()


@pytest.mark.parametrize("field", ["winnings = [0, 9e999999, 9e999999]", "_rake = 9e999999"])
def test_amounts_beyond_all_money_are_passed_on_and_not_counted(field: str) -> None:
    text = re.sub("winnings.*", field + "\nfinishing_stacks = [9e999999, 9e999999, 1]", RAKED)
    hand = read_phh(text)
    assert hand.won() == [-1, -4, 5]
    assert hand.differences() == []
    again = read_phh(phh_text(hand)).fields
    assert again["finishing_stacks"] == hand.fields["finishing_stacks"]
