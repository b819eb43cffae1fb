"""The ACPC wire: lines, answers and game definitions."""

import contextlib
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.cards.card import parse_cards
from riverboat.errors import (
    FileFormatError,
    ParameterError,
    RiverboatError,
    StorageError,
    UnknownNameError,
)
from riverboat.games.base import TERMINAL
from riverboat.holdem.acpc._messages import (
    MatchState,
    answers,
    format_action,
    format_betting,
    format_log,
    format_match_state,
    format_score,
    is_version,
    legal_action,
    parse_match_state,
    read_state,
)
from riverboat.holdem.acpc.definitions import PRESETS, load_game, parse_game, write_game
from riverboat.holdem.histories.phh import write_phh
from riverboat.holdem.rules.state import Holdem, HoldemState

NO_LIMIT, LIMIT = PRESETS["nolimit-2p"], PRESETS["limit-2p"]


def hand(game: Holdem, hands: str, board: str, history: str) -> HoldemState:
    return game.resume([parse_cards(cards) for cards in hands.split()], parse_cards(board), history)


def random_states(game: Holdem, rng: random.Random) -> list[HoldemState]:
    deck = list(game.deck)
    rng.shuffle(deck)
    states = [game.start().deal_from(deck)]
    while (state := states[-1]).actor != TERMINAL:
        actions = state.actions()
        action = actions[rng.randrange(len(actions))] if rng.random() < 0.2 else "c"
        states.append(state.after(action).deal_from(deck))
    return states


def test_raises_are_totals_over_the_hand() -> None:
    state = hand(NO_LIMIT, "9s8h 5d4d", "8d8c5c", "cr250c/")
    assert format_match_state(state, 0, 30) == "MATCHSTATE:0:30:cr250c/:9s8h|/8d8c5c"
    assert format_action(state, "r500") == "r750"
    state = hand(NO_LIMIT, "9s8h 5d4d", "8d8c5c6s", "cr250c/cr500c/")
    assert format_match_state(state, 1, 30) == "MATCHSTATE:1:30:cr250c/cr750c/:|5d4d/8d8c5c/6s"
    assert format_betting(LIMIT, "cr20c/r10") == "crc/r"


def test_hands_are_shown_at_the_showdown_only() -> None:
    board = "8d8c5c6sKh"
    shown = hand(NO_LIMIT, "9s8h 5d4d", board, "r20000c///")
    assert format_match_state(shown, 0, 7) == "MATCHSTATE:0:7:r20000c///:9s8h|5d4d/8d8c5c/6s/Kh"
    folded = hand(NO_LIMIT, "9s8h 5d4d", "", "r300f")
    assert format_match_state(folded, 1, 7) == "MATCHSTATE:1:7:r300f:|5d4d"
    three = hand(PRESETS["nolimit-3p"], "9s8h 5d4d KsQs", board, "fcc/cc/cc/cc")
    assert (
        format_match_state(three, 2, 0) == "MATCHSTATE:2:0:fcc/cc/cc/cc:9s8h|5d4d|KsQs/8d8c5c/6s/Kh"
    )
    assert format_match_state(three, 0, 0) == "MATCHSTATE:0:0:fcc/cc/cc/cc:9s8h|5d4d|/8d8c5c/6s/Kh"


def test_the_log_has_gains_by_position_with_fractions() -> None:
    game = PRESETS["limit-3p"]
    state = hand(game, "2c2d 3c3d 4c4d", "AdKhQcJsTd", "cfc/cc/cc/cc")
    line = "STATE:5:cfc/cc/cc/cc:2d2c|3d3c|4d4c/AdKhQc/Js/Td:-5|2.5|2.5:a|b|c"
    assert format_log(state, 5, ["a", "b", "c"]) == line
    assert format_score([-0.0, 1 / 3, 1e6], ["a", "b", "c"]) == "SCORE:0|0.333333|1000000:a|b|c"


@pytest.mark.parametrize("name", ["nolimit-2p", "nolimit-6p", "limit-3p", "kuhn", "leduc"])
def test_a_line_reads_back_as_the_state_its_reader_knows(name: str) -> None:
    game, rng = PRESETS[name], random.Random(8)
    for _ in range(20):
        before: dict[int, tuple[MatchState, HoldemState]] = {}
        for state in random_states(game, rng):
            for position in range(game.players):
                line = format_match_state(state, position, 3)
                seen = parse_match_state(line + "\r\n")
                known = read_state(game, seen)
                assert read_state(game, seen, before.get(position)) == known
                before[position] = seen, known
                assert known.betting == state.betting
                assert known.actor == state.actor
                assert known.infoset(position) == state.infoset(position)
                if state.actor == TERMINAL:
                    assert known.returns() == state.returns()


def test_pokerkit_writes_the_same_lines() -> None:
    history = pytest.importorskip("pokerkit").HandHistory
    rng = random.Random(9)
    for name in ("nolimit-2p", "nolimit-3p", "limit-2p"):
        for number in range(15):
            states = random_states(PRESETS[name], rng)
            phh = history.loads(write_phh(states[-1]))
            for position in range(len(states[0].holes)):
                peer = [
                    text for way, text in phh.to_acpc_protocol(position, number) if way == "S->"
                ]
                ours = [format_match_state(state, position, number) + "\r\n" for state in states]
                assert ours == peer


@pytest.mark.parametrize(
    "line",
    [
        "",
        "hello",
        "MATCHSTATE",
        "MATCHSTATE:0:0",
        "MATCHSTATE:x:0::AsKs|",
        "MATCHSTATE:0:-1::AsKs|",
        "MATCHSTATE:0:0:q:AsKs|",
        "MATCHSTATE:0:0:cr:AsKq|",
        "MATCHSTATE:0:0::AsAs|",
        f"MATCHSTATE:0:0:r{'9' * 5000}:AsKs|",
    ],
)
def test_what_is_not_a_line_is_refused(line: str) -> None:
    with pytest.raises(FileFormatError):
        parse_match_state(line)


@pytest.mark.parametrize(
    "line",
    [
        "MATCHSTATE:2:0::AsKs|",
        "MATCHSTATE:0:0::AsKs",
        "MATCHSTATE:0:0::AsKsQs|",
        "MATCHSTATE:0:0:r1:AsKs|",
        "MATCHSTATE:0:0:ffff:AsKs|",
        "MATCHSTATE:0:0:cc/c:AsKs|",
        "MATCHSTATE:0:0:rr:AsKs|",
    ],
)
def test_a_line_of_another_game_is_refused(line: str) -> None:
    with pytest.raises(FileFormatError):
        read_state(NO_LIMIT, parse_match_state(line))


def test_damaged_lines_raise_nothing_but_our_errors() -> None:
    rng = random.Random(10)
    lines = ["MATCHSTATE:0:30:cr250c/cr750c/:9s8h|/8d8c5c/6s", "MATCHSTATE:1:7:crrc/:|5d4d/8d8c5c"]
    for _ in range(3000):
        text = list(rng.choice(lines))
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(text))
            text[place : place + rng.randint(0, 2)] = rng.choice(":|/rcf0129-AsKx ")
        for game in (NO_LIMIT, LIMIT):
            with contextlib.suppress(FileFormatError):
                read_state(game, parse_match_state("".join(text)))


def test_an_answer_must_repeat_the_state() -> None:
    sent = parse_match_state("MATCHSTATE:0:3:cr300:AsKs|")
    assert answers(sent, parse_match_state("MATCHSTATE:0:3:cr300:AsKs|:c"))
    assert answers(sent, parse_match_state("MATCHSTATE:0:3:cr300:KsAs|:c"))
    for other in ("1:3:cr300:AsKs|", "0:4:cr300:AsKs|", "0:3:cr301:AsKs|", "0:3:cr300:AsKd|"):
        assert not answers(sent, parse_match_state(f"MATCHSTATE:{other}:c"))


@pytest.mark.parametrize(
    ("text", "action", "complains"),
    [
        ("c", "c", False),
        ("f", "f", False),
        ("k", "c", False),
        ("C", "c", False),
        ("r600", "r500", False),
        ("b600", "r500", False),
        ("r600\r", "r500", False),
        ("r150", "r200", True),
        ("r-5", "r200", True),
        ("r99999", "r19900", True),
        ("r" + "9" * 5000, "r19900", True),
        ("r", "c", True),
        ("rabc", "c", True),
        ("", "c", True),
        ("x", "c", True),
    ],
)
def test_answers_become_the_nearest_legal_action(text: str, action: str, complains: bool) -> None:
    state = hand(NO_LIMIT, "AsKs QdQh", "2c3c4c", "cc/r100")
    legal, complaint = legal_action(state, text)
    assert legal == action
    assert (complaint is not None) == complains


def test_a_fold_with_nothing_to_call_and_a_raise_past_the_cap_are_calls() -> None:
    assert legal_action(hand(NO_LIMIT, "AsKs QdQh", "2c3c4c", "cc/"), "f")[0] == "c"
    capped = hand(LIMIT, "AsKs QdQh", "", "r20r30r40")
    assert legal_action(capped, "r")[0] == "c"
    assert legal_action(hand(LIMIT, "AsKs QdQh", "", "r20"), "r")[0] == "r30"


def test_a_round_with_more_actions_than_the_reference_programs_hold_takes_no_raise() -> None:
    state = hand(NO_LIMIT, "AsKs QdQh", "", "")
    for number in range(62):
        state = state.after(f"r{(number + 2) * 100}")
    assert legal_action(state, "r6500") == ("r6500", None)
    assert legal_action(state.after("r6400"), "r6500")[0] == "c"


def test_versions() -> None:
    assert is_version("VERSION:2.0.0\r\n")
    assert is_version("VERSION:1.0.0")
    assert not is_version("VERSION:2.0")
    assert not is_version("HELLO")


@pytest.mark.parametrize("name", PRESETS)
def test_definitions_read_back_as_written(name: str) -> None:
    game = PRESETS[name]
    assert parse_game(write_game(game)).betting_rules == game.betting_rules


LIMIT_TEXT = """
# a comment
GAMEDEF
limit
numPlayers = 2
numRounds = 4
blind = 10 5
raiseSize = 10 10 20 20
firstPlayer = 2 1 1 1
maxRaises = 3 4 4 4
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""


def test_the_competitions_limit_game() -> None:
    assert parse_game(LIMIT_TEXT).betting_rules == LIMIT.betting_rules


def test_definitions_are_read_as_freely_as_the_competitions_programs_read_them() -> None:
    free = LIMIT_TEXT.replace(" = ", " ").replace("blind 10 5", "BLIND=10 5 0 0 # two are used")
    assert parse_game(free).betting_rules == LIMIT.betting_rules
    few = parse_game(LIMIT_TEXT.replace("maxRaises = 3 4 4 4", "maxRaises = 3"))
    assert few.betting_rules.max_raises == (3, 255, 255, 255)


def test_the_competitions_files_are_known_by_name() -> None:
    for file, name in {
        "holdem.nolimit.2p.reverse_blinds.game": "nolimit-2p",
        "holdem.limit.3p.game": "limit-3p",
        "kuhn.limit.3p.game": "kuhn-3p",
    }.items():
        assert load_game(file) == PRESETS[name]
    # Three players, four cards: A, K, Q and J of one suit.
    assert len(PRESETS["kuhn-3p"].deck) == 4


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("END GAMEDEF", ""),
        ("blind = 10 5", "blind = 10"),
        ("blind = 10 5", "blind = 5 10"),
        ("blind = 10 5", "blind = 10 10"),
        ("blind = 10 5", "blind = 0 0"),
        ("blind = 10 5", "blind = 10 5\nstack = 200 300"),
        ("blind = 10 5", "blind = 10 5\nstack = 10 10"),
        ("blind = 10 5", "blind = ten five"),
        ("firstPlayer = 2 1 1 1", ""),
        ("raiseSize = 10 10 20 20", ""),
        ("numPlayers = 2", "numPlayers = 30"),
        ("numBoardCards = 0 3 1 1", "numBoardCards = 1 3 1 1"),
        ("numBoardCards = 0 3 1 1", "numBoardCards = 0 3 1"),
        ("maxRaises", "mostRaises"),
        ("numRanks = 13", ""),
    ],
)
def test_a_definition_that_cannot_be_played_is_refused(old: str, new: str) -> None:
    with pytest.raises(FileFormatError):
        parse_game(LIMIT_TEXT.replace(old, new))


def test_a_game_that_the_format_cannot_hold_is_not_written() -> None:
    with pytest.raises(ParameterError):
        write_game(Holdem(ante=1))
    with pytest.raises(ParameterError):
        write_game(Holdem(ante=1, ante_from="big-blind"))


def test_stacks_may_differ_where_the_betting_is_the_same_as_in_the_competitions_programs() -> None:
    two = write_game(NO_LIMIT).replace("20000 20000", "900 700")
    assert parse_game(two).betting_rules.stacks == (900, 700)
    three = write_game(PRESETS["nolimit-3p"]).replace("20000 20000 20000", "900 700 900")
    with pytest.raises(FileFormatError, match="700 to 900"):
        parse_game(three)


def test_a_limit_raise_of_a_player_who_can_only_call_is_read_as_a_call() -> None:
    # The competition's programs take it so while a third player may still act.
    text = write_game(replace(PRESETS["limit-3p"], stacks=(40,), max_raises=(4, 4, 4, 4)))
    game = parse_game(text)
    state = read_state(game, parse_match_state("MATCHSTATE:0:0:rrr:AsKs||"))
    assert state.betting.stacks == (10, 0, 20)
    over = "MATCHSTATE:0:0:rrrrc///:AsKs|QdQh|JcJd/2c3c7c/8d/9h"
    assert read_state(game, parse_match_state(over)).returns() == (-40, 80, -40)
    with pytest.raises(FileFormatError):
        read_state(PRESETS["limit-3p"], parse_match_state("MATCHSTATE:0:0:rrrr:AsKs||"))


def test_cards_are_written_in_the_order_in_which_they_were_dealt() -> None:
    board = parse_cards("8c8d5c")
    state = hand(NO_LIMIT, "9s8h 5d4d", "8d8c5c", "cr250c/")
    dealt = [*parse_cards("8h9s4d5d"), *board]
    assert format_match_state(state, 0, 3, dealt) == "MATCHSTATE:0:3:cr250c/:8h9s|/8c8d5c"
    assert format_match_state(state, 1, 3, dealt) == "MATCHSTATE:1:3:cr250c/:|4d5d/8c8d5c"


def test_games_are_found_by_name_or_file(tmp_path: Path) -> None:
    assert load_game("leduc") == PRESETS["leduc"]
    (tmp_path / "my.game").write_text(LIMIT_TEXT)
    assert load_game(str(tmp_path / "my.game")).betting_rules == LIMIT.betting_rules
    with pytest.raises(UnknownNameError, match="nolimit-2p"):
        load_game("nolimit-2")
    with pytest.raises(StorageError, match="There is no file"):
        load_game("missing.game")


@settings(max_examples=200)
@given(st.data())
def test_damaged_definitions_are_refused_in_a_sentence(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([write_game(game) for game in PRESETS.values()]))
    words = text.split(" ")
    place = data.draw(st.integers(0, len(words) - 1))
    words[place] = data.draw(
        st.sampled_from(["0", "-1", "99", "1e9", "9" * 30, "\n", "", "END GAMEDEF\n", "\0"])
    )
    with contextlib.suppress(RiverboatError):
        parse_game(" ".join(words))
