"""Tables for people without a browser: seats, secrets, the journal."""

import json

import pytest

pytest.importorskip("fastapi")

from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.errors import UsageError
from riverboat.games.base import HIDDEN
from riverboat.games.registry import GAMES, make_game
from riverboat.web.app.library import Library
from riverboat.web.play.felt import felt_of, may_see
from riverboat.web.play.people_table import PeopleTables
from riverboat.web.play.session import Kept, opponents

FOR_SEVERAL = [n for n in GAMES if n != "blackjack" and make_game(n).num_players > 1]


@pytest.fixture
def tables(tmp_path):
    return PeopleTables(tmp_path / "tables", Library(tmp_path))


def opened(tables, game="kuhn", people=2, bots="random", **parameters):
    kept = Kept(game, {k: str(v) for k, v in parameters.items()}, bots, seed=5)
    return tables.open(kept, people)


def seat_all(table):
    """Everybody sits down; the secrets of the places."""
    names = iter(["Ada", "Bert", "Cleo", "Dora", "Emil", "Fay"])
    return [table.sit(chair.secret, next(names)) if chair.free else "" for chair in table.chairs]


def play_hand(table):
    """Every person takes the first possible move until the hand is over."""
    while table.table.view is not None:
        place = table.table.place_at(table.table.view.player)
        table.act(place, table.table.decisions, table.table.view.actions[0])


@pytest.mark.parametrize("game", FOR_SEVERAL)
def test_people_play_every_game_to_its_end(tables, game):
    bots = {"holdem": "holdem:rules"}.get(game, "random")
    bots = "holdem:random" if game in ("omaha", "shortdeck") else bots
    small = {"faces": 3} if game == "liars_dice" else {}
    table = opened(tables, game, bots=bots, **small)
    seat_all(table)
    for hand in range(3):
        play_hand(table)
        assert table.table.hand_number == hand
        for place in (0, 1):
            table.be_ready(place)
    if make_game(game).utility_sum == 0:
        assert sum(table.table.scores) == pytest.approx(0)


def test_six_at_a_holdem_table_three_of_them_people(tables):
    table = opened(tables, "holdem", 3, "holdem:rules", players=6)
    assert [chair.bot for chair in table.chairs] == [False] * 3 + [True] * 3
    seat_all(table)
    play_hand(table)
    assert sum(table.table.scores) == 0


def test_nothing_is_dealt_before_every_seat_is_taken_or_given_to_a_bot(tables):
    table = opened(tables, "kuhn", 3, players=3)
    table.sit(table.chairs[0].secret, "Ada")
    assert table.table is None
    table.give_to_bot(1)
    table.sit(table.chairs[2].secret, "Cleo")
    assert table.names() == ["Ada", "bot", "Cleo"]
    assert table.table is not None


def test_a_link_works_once_and_shows_nobodys_cards(tables):
    table = opened(tables)
    invitation = table.chairs[1].secret
    seat_all(table)
    assert table.place_of(invitation) is None
    assert table.place_of("") is None
    with pytest.raises(UsageError, match="taken"):
        table.sit(invitation, "Eve")


def test_a_name_is_taken_once(tables):
    table = opened(tables)
    table.sit(table.chairs[0].secret, "Ada")
    with pytest.raises(UsageError, match="already"):
        table.sit(table.chairs[1].secret, " ada ")
    with pytest.raises(UsageError, match="Write a name"):
        table.sit(table.chairs[1].secret, "\u202e")


def test_nobody_acts_for_another_or_twice(tables):
    table = opened(tables)
    seat_all(table)
    turn = table.table.place_at(table.table.view.player)
    with pytest.raises(UsageError, match="not your turn"):
        table.act(1 - turn, table.table.decisions, "p")
    with pytest.raises(UsageError, match="not possible"):
        table.act(turn, table.table.decisions, "no such move")
    before = table.table.decisions
    table.act(turn, before, "p")
    table.act(turn, before, "p")  # a double click
    assert table.table.decisions == before + 1


def test_cards_of_others_are_not_in_what_a_place_is_shown(tables):
    table = opened(tables, "holdem", bots="holdem:rules")
    seat_all(table)
    for place in (0, 1):
        inner = table.table
        seat = inner.position(place)
        see = may_see(inner.state, seat, open_end=False)
        felt = felt_of(inner.game, inner.state, ["a", "b"], seat, see)
        assert felt.others[0].cards == [HIDDEN, HIDDEN]
        assert HIDDEN not in felt.own.cards


def test_what_a_decision_cost_is_said_after_the_hand_to_its_maker_alone(tables):
    """In Kuhn a queen that bets first, or a jack that calls, gives something away."""
    table = opened(tables)
    seat_all(table)
    costly = 0
    for _ in range(12):
        while table.table.view is not None:
            place = table.table.place_at(table.table.view.player)
            assert not any("cost" in line for line in table.table.lines[place][-1:])
            table.act(place, table.table.decisions, "b")
        said = [[line for line in lines if "cost" in line] for lines in table.table.lines]
        costly = sum(map(len, said))
        for place in (0, 1):
            table.be_ready(place)
    assert costly > 0


def test_after_a_crash_the_table_goes_on_card_for_card(tables, tmp_path):
    table = opened(tables, "leduc")
    secrets = seat_all(table)
    for _ in range(2):
        play_hand(table)
        for place in (0, 1):
            table.be_ready(place)
    with table.journal.path.open("a") as stream:
        stream.write('{"do": "act", "pla')  # killed while writing
    again = PeopleTables(tmp_path / "tables", Library(tmp_path)).find(table.name)
    assert again.table.state == table.table.state
    assert again.table.scores == table.table.scores
    assert again.table.lines == table.table.lines
    assert [again.place_of(secret) for secret in secrets] == [0, 1]


def test_who_leaves_is_played_for_and_the_host_is_the_next(tables):
    table = opened(tables, "kuhn", 3, players=3)
    secrets = seat_all(table)
    table.give_to_bot(0)
    assert table.place_of(secrets[0]) is None
    assert table.host == 1
    play_hand(table)
    table.be_ready(1)
    assert table.waiting_for() == ["Cleo"]
    table.give_to_bot(2)
    assert table.table.hand_number == 1


@pytest.mark.parametrize("people", [1, 3, 0])
def test_a_number_of_people_that_cannot_be(tables, people):
    with pytest.raises(UsageError, match="2 to 2 people"):
        opened(tables, people=people)


@given(st.binary(max_size=200))
@settings(max_examples=40)
def test_a_journal_of_anything_is_no_error(tmp_path_factory, raw):
    folder = tmp_path_factory.mktemp("tables")
    (folder / "abcdefgh.jsonl").write_bytes(raw + b"\n")
    assert PeopleTables(folder, Library(folder)).find("abcdefgh") is None


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["do", "place", "action", "name", "secret"]),
            st.one_of(st.integers(-3, 9), st.sampled_from(["sit", "act", "next", "bot", "b"])),
        ),
        max_size=8,
    )
)
@settings(max_examples=60)
def test_events_of_anything_are_left_out(tmp_path_factory, events):
    folder = tmp_path_factory.mktemp("tables")
    tables = PeopleTables(folder, Library(folder))
    table = opened(tables, "rps")
    with table.journal.path.open("a") as stream:
        stream.writelines(json.dumps(event) + "\n" for event in events)
    assert PeopleTables(folder, Library(folder)).find(table.name) is not None


def test_people_are_offered_wherever_somebody_else_can_sit(tmp_path):
    for game in FOR_SEVERAL:
        assert opponents(make_game(game), Library(tmp_path))
