"""Hands of Omaha and short deck in PHH and PokerStars' text: real ones, round trips, PokerKit."""

import contextlib
import random
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.errors import FileFormatError, RiverboatError, UsageError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.histories._pokerstars import parse_pokerstars, parse_pokerstars_hand
from riverboat.holdem.histories._pokerstars_writing import write_pokerstars
from riverboat.holdem.histories.files import phh_text
from riverboat.holdem.histories.hand import PhhHand, RefusedHand
from riverboat.holdem.histories.phh import read_phh, read_phh_file, write_phh
from riverboat.holdem.rules.omaha import Omaha
from riverboat.holdem.rules.short_deck import ShortDeck
from riverboat.holdem.rules.state import Holdem, HoldemState

DATA = Path(__file__).parents[2] / "data" / "poker" / "omaha_and_short_deck.phhs"
OMAHA = """PokerStars Zoom Hand #77:  Omaha Pot Limit ($0.25/$0.50 USD) - 2015/02/23 16:28:31 ET
Table 'Cepheus' 2-max Seat #1 is the button
Seat 1: Ann ($22.52 in chips)
Seat 2: Bob ($25.79 in chips)
Ann: posts small blind $0.25
Bob: posts big blind $0.50
*** HOLE CARDS ***
Dealt to Ann [8d Ts 7h 2c]
Ann: raises $1 to $1.50
Bob: raises $3 to $4.50
Ann: calls $3
*** FLOP *** [9h 3s Jd]
Bob: checks
Ann: bets $8.60
Bob: raises $12.69 to $21.29 and is all-in
Ann: calls $9.42 and is all-in
Uncalled bet ($3.27) returned to Bob
*** TURN *** [9h 3s Jd] [Ad]
*** RIVER *** [9h 3s Jd Ad] [6d]
*** SHOW DOWN ***
Bob: shows [Qc 8h Ah Jc] (two pair, Aces and Jacks)
Ann: shows [8d Ts 7h 2c] (high card Ace)
Bob collected $44.54 from pot
*** SUMMARY ***
Total pot $45.04 | Rake $0.50
Board [9h 3s Jd Ad 6d]
Seat 1: Ann (button) (small blind) showed [8d Ts 7h 2c] and lost with high card Ace
Seat 2: Bob (big blind) showed [Qc 8h Ah Jc] and won ($44.54) with two pair, Aces and Jacks
"""
"""Four cards of which two count: Ann has no straight, though T987 with J9 would be one."""
SIX_PLUS = """PokerStars Hand #78:  6+ Hold'em No Limit (Button Blind $0.25 - Ante $0.25 USD)
Table 'Saiph' 6-max Seat #3 is the button
Seat 1: Ann ($56.51 in chips)
Seat 3: Bob ($54.54 in chips)
Seat 4: Cy ($49 in chips)
Ann: posts the ante $0.25
Bob: posts the ante $0.25
Cy: posts the ante $0.25
Bob: posts button blind $0.25
*** HOLE CARDS ***
Dealt to Cy [Js Ks]
Cy: raises $0.50 to $0.75
Ann: calls $0.75
Bob: raises $6.25 to $7
Cy: folds
Ann: raises $18.50 to $25.50
Bob: raises $28.79 to $54.29 and is all-in
Ann: calls $28.79
*** FLOP *** [7c 9h Kd]
*** TURN *** [7c 9h Kd] [8h]
*** RIVER *** [7c 9h Kd 8h] [Jh]
*** SHOW DOWN ***
Ann: shows [Ad 6d] (a straight, Ace to Nine)
Bob: shows [Ac Kh] (a pair of Kings)
Ann collected $108.08 from pot
*** SUMMARY ***
Total pot $110.08 | Rake $2
Board [7c 9h Kd 8h Jh]
Seat 1: Ann showed [Ad 6d] and won ($108.08) with a straight, Ace to Nine
Seat 3: Bob (button blind) showed [Ac Kh] and lost with a pair of Kings
Seat 4: Cy folded before Flop
"""
"""Ace, six, seven, eight and nine are a straight: 3 × 0.25 + 2 × 54.29 + 0.75."""


def random_hand(rng: random.Random, kind: type[Holdem], **parameters: object) -> HoldemState:
    players = rng.randint(2, 8)
    stacks = tuple(rng.randint(4, 150) for _ in range(players))
    game = kind(players=players, stacks=stacks, **parameters)  # type: ignore[arg-type]
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
    betting, returns = state.betting, state.returns()
    return (state.game.name, state.board, state.history, betting.stacks, betting.paid, returns)


def pokerkit_payoffs(text: str) -> list[float]:
    *_, last = pytest.importorskip("pokerkit").HandHistory.loads(text)
    return [float(payoff) for payoff in last.payoffs]


@pytest.mark.filterwarnings("ignore")
def test_real_hands_of_the_phh_data_set_are_paid_as_pokerkit_pays_them() -> None:
    file = read_phh_file(DATA.read_text())
    assert not file.refused
    assert [hand.state.game.name for hand in file.hands].count("omaha") == 8
    assert [hand.state.game.name for hand in file.hands].count("shortdeck") == 1
    sections = DATA.read_text().split("\n[")
    for hand, section in zip(file.hands, sections, strict=True):
        assert hand.differences() == []
        ours = [float(gain * hand.unit) for gain in map(Decimal, hand.returns())]
        assert ours == pokerkit_payoffs(section.partition("]\n")[2])
        assert facts(read_phh(phh_text(hand)).state) == facts(hand.state)


@pytest.mark.parametrize("kind", [Omaha, ShortDeck])
def test_phh_goes_there_and_back_and_pokerkit_pays_the_same(kind: type[Holdem]) -> None:
    rng = random.Random(3)
    for _ in range(25):
        state = random_hand(rng, kind)
        text = write_phh(state)
        back = read_phh(text)
        assert facts(back.state) == facts(state)
        assert back.differences() == []
        assert pokerkit_payoffs(text) == list(state.returns())


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [(Omaha, {}), (Omaha, {"hole_cards": 5}), (ShortDeck, {}), (Holdem, {"limit": "pot-limit"})],
)
def test_pokerstars_text_goes_there_and_back(
    kind: type[Holdem], parameters: dict[str, object]
) -> None:
    rng = random.Random(4)
    for number in range(40):
        state = random_hand(rng, kind, **parameters)
        hand = PhhHand(state, Decimal("0.01"), fields={"currency_symbol": "$", "hand": number + 1})
        text = write_pokerstars(hand)
        back = parse_pokerstars_hand(text)
        assert back.returns() == state.returns(), text
        assert back.state.history == state.history
        assert (back.state.game.name, back.state.game.limit) == (state.game.name, state.game.limit)
        assert write_pokerstars(back).splitlines()[1:] == text.splitlines()[1:]


def test_omaha_from_pokerstars() -> None:
    hand = parse_pokerstars_hand(OMAHA)
    assert hand.state.game == replace(hand.state.game, limit="pot-limit", hole_cards=4)
    assert hand.state.game.name == "omaha"
    assert hand.won() == [Decimal("22.02"), Decimal("-22.52")]
    assert "Bob: shows [Ah Qc Jc 8h] (two pair, Aces and Jacks)" in write_pokerstars(hand)
    assert read_phh(phh_text(hand)).returns() == hand.returns()
    with pytest.raises(FileFormatError, match=r"raises to \$1.75, where \$1 to \$1.50"):
        parse_pokerstars_hand(OMAHA.replace("raises $1 to $1.50", "raises $1.25 to $1.75"))


@pytest.mark.filterwarnings("ignore")  # of PokerKit, for fields that it does not know
def test_six_plus_from_pokerstars() -> None:
    hand = parse_pokerstars_hand(SIX_PLUS)
    assert hand.state.game.betting_rules.blinds == (0, 0, 25)
    assert hand.names == ["Cy", "Ann", "Bob"]
    assert hand.won() == [Decimal(-1), Decimal("53.54"), Decimal("-54.54")]
    assert "Ann: shows [Ad 6d] (a straight, Ace to Nine)" in write_pokerstars(hand)
    assert pokerkit_payoffs(phh_text(hand))[0] == -1


def test_games_that_a_form_does_not_know_are_refused() -> None:
    for game in (Omaha(hole_cards=5), Omaha(limit="no-limit"), ShortDeck(limit="pot-limit")):
        with pytest.raises(UsageError, match="PHH holds"):
            write_phh(game.start())
    state = random_hand(random.Random(1), ShortDeck, trips_beat_straights=True)
    assert facts(read_phh(write_phh(state)).state) == facts(state)
    for kind, other in ((ShortDeck, {"trips_beat_straights": True}), (Omaha, {"hole_cards": 3})):
        state = random_hand(random.Random(1), kind, **other)
        with pytest.raises(UsageError, match="PokerStars' text holds"):
            write_pokerstars(PhhHand(state))


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("Ah3sKsKh", "Ah3sKs", "different cards"),
        ("Ah3sKsKh", "Ah3sKsKs", "card"),
        ('"p2 cbr 3000"', '"p2 cbr 3001"', "2,000 to 3,000 is possible"),
        ('"PO"', '"NS"', "cards"),
        ('"PO"', '"PO/8"', "variant"),
        ("min_bet = 1000", "", "min_bet"),
    ],
)
def test_what_cannot_be_played_is_refused(old: str, new: str, word: str) -> None:
    text = DATA.read_text().split("\n[")[0].partition("]\n")[2]
    assert old in text
    with pytest.raises(FileFormatError, match=word):
        read_phh(text.replace(old, new))


@settings(max_examples=80)
@given(st.data())
def test_damaged_texts_never_crash(data: st.DataObject) -> None:
    """Whatever is still read can be shown and written in both forms, or is refused."""
    source = data.draw(st.sampled_from([OMAHA, SIX_PLUS]))
    text = source
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 20))
        text = text[:place] + data.draw(st.text(max_size=12)) + text[place + length :]
    for found in parse_pokerstars(text + "\n\n" + source):
        assert isinstance(found, PhhHand | RefusedHand)
        if isinstance(found, PhhHand):
            with contextlib.suppress(RiverboatError):
                found.as_dict()
                phh_text(found)
                write_pokerstars(found)


@settings(max_examples=80)
@given(st.data())
def test_damaged_phh_is_refused_in_a_sentence(data: st.DataObject) -> None:
    text = DATA.read_text()[:4000]
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text)))
        word = data.draw(st.sampled_from(["-1", "inf", "nan", "[", '"', "9" * 30, "??", "2c", ""]))
        text = text[:place] + word + text[place + data.draw(st.integers(0, 6)) :]
    with contextlib.suppress(RiverboatError):
        for hand in read_phh_file(text).hands:
            hand.as_dict()
            phh_text(hand)
            write_pokerstars(hand)
