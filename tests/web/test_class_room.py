"""The class without a browser: events, refusals, the journal."""

import json

import pytest

pytest.importorskip("fastapi")

from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.errors import UsageError
from riverboat.web.classroom.room import BOARD_TOPIC, CLASS_TOPIC, Classroom, Shown, topic_of
from riverboat.web.play.session import bot_for


@pytest.fixture
def open_room(tmp_path):
    """Rooms in one folder, one after the other."""
    return lambda: Classroom(tmp_path, bot_for)


@pytest.fixture
def room_with(open_room):
    def make(*names):
        room = open_room()
        return room, [room.join(name, room.code).identity for name in names]

    return make


def play(room, *, most=500):
    """Everybody takes the last possible action until the round is over."""
    for _ in range(most):
        table = next((t for t in room.tables if not t.over), None)
        if table is None:
            return
        if table.view is None:
            room.do({"do": "next", "table": table.plan.name})
        else:
            room.act(table.waiting_for, table.decisions, table.view.actions[-1])
    raise AssertionError("the round does not end")


def test_scores_of_a_round_add_up_to_nothing(room_with):
    room, _ = room_with("Ada", "Bert", "Cleo", "Dora")
    room.do(room.plan_round("kuhn", 5, 2, 3))
    assert len(room.tables) == 2
    play(room)
    assert room.rounds[0].over
    assert sum(score for _, score in room.ranking()) == pytest.approx(0)


def test_with_one_seat_a_table_everybody_gets_the_same_cards(room_with):
    room, _ = room_with("Ada", "Bert")
    room.do(room.plan_round("twentyone", 3, 2, 3))
    assert len(room.tables) == 2
    assert room.tables[0].state == room.tables[1].state


def test_after_a_crash_in_the_middle_everything_is_as_it_was(room_with, open_room):
    room, (ada, *_) = room_with("Ada", "Bert", "Cleo")
    room.do(room.plan_round("leduc", 4, 2, 9))
    for _ in range(9):
        table = next(t for t in room.tables if not t.over)
        if table.view is None:
            room.do({"do": "next", "table": table.plan.name})
        else:
            room.act(table.waiting_for, table.decisions, table.view.actions[0])
    with room.journal.path.open("a") as stream:
        stream.write('{"do": "act", "table": "1-1", "id": "' + ada)  # killed while writing
    again = open_room()
    assert (again.code, again.key) == (room.code, room.key)
    assert [t.state for t in again.tables] == [t.state for t in room.tables]
    assert [t.scores for t in again.tables] == [t.scores for t in room.tables]
    play(again)
    assert open_room().ranking() == again.ranking()


def test_nobody_acts_for_another_or_twice(room_with):
    room, (ada, bert) = room_with("Ada", "Bert")
    room.do(room.plan_round("kuhn", 2, 2, 1))
    table = room.tables[0]
    turn = table.waiting_for
    other = bert if turn == ada else ada
    with pytest.raises(UsageError, match="not your turn"):
        room.act(other, table.decisions, "p")
    with pytest.raises(UsageError, match="no table"):
        room.act("somebody else", table.decisions, "p")
    with pytest.raises(UsageError, match="not possible"):
        room.act(turn, table.decisions, "raise the dead")
    before = table.state
    room.act(turn, table.decisions + 1, "p")  # a click for another decision does nothing
    assert table.state == before
    room.act(turn, table.decisions, "p")
    room.act(turn, table.decisions - 1, "p")  # a double click neither
    assert table.waiting_for == other


def test_a_student_who_is_taken_out_is_replaced_at_once(room_with):
    room, (ada, _) = room_with("Ada", "Bert")
    room.do(room.plan_round("kuhn", 3, 2, 1))
    room.do({"do": "kick", "id": ada})
    table = room.tables[0]
    assert table.waiting_for != ada
    with pytest.raises(UsageError):
        room.act(ada, table.decisions, "p")
    play(room)
    assert [name for name, _ in room.ranking()] == ["Bert"]


def test_the_clock_acts_for_who_does_not_answer(room_with):
    room, _ = room_with("Ada", "Bert")
    room.do(room.plan_round("kuhn", 2, 2, 1))
    room.seconds = -1
    for _ in range(40):
        room.tick()
    assert room.rounds[0].over


def test_a_pause_stops_the_clocks_and_they_go_on_where_they_stood(room_with):
    room, (ada, bert) = room_with("Ada", "Bert")
    room.do(room.plan_round("kuhn", 2, 2, 1))
    table = room.tables[0]
    room.since[table.plan.name] -= 20
    room.do({"do": "pause"})
    assert room.seconds_left(table) is None
    room.since[table.plan.name] -= 1000  # a long pause
    room.tick()
    assert table.decisions == 0
    for identity in (ada, bert):
        with pytest.raises(UsageError, match="paused"):
            room.act(identity, 0, "p")
    with pytest.raises(UsageError, match="paused"):
        room.do({"do": "pause"})
    room.do({"do": "continue"})
    assert 30 < room.seconds_left(table) <= 40
    with pytest.raises(UsageError, match="not paused"):
        room.do({"do": "continue"})
    play(room)
    with pytest.raises(UsageError, match="over"):
        room.do({"do": "pause"})


def test_a_round_that_is_ended_keeps_the_results_of_hands_that_were_over(room_with, open_room):
    room, _ = room_with("Ada", "Bert")
    with pytest.raises(UsageError, match="No round"):
        room.do({"do": "end"})
    room.do(room.plan_round("kuhn", 5, 2, 1))
    table = room.tables[0]
    while not table.between:
        room.act(table.waiting_for, table.decisions, table.view.actions[-1])
    room.do({"do": "next", "table": table.plan.name})
    room.act(table.waiting_for, table.decisions, table.view.actions[0])
    ranking = room.ranking()
    room.do({"do": "pause"})
    room.do({"do": "end"})
    assert not room.going
    assert not room.paused
    assert room.ranking() == ranking
    assert {abs(score) for _, score in ranking} != {0.0}
    room.since[table.plan.name] -= 1000
    room.tick()
    with pytest.raises(UsageError, match="over"):
        room.act(table.waiting_for, table.decisions, "p")
    again = open_room()
    assert again.ranking() == ranking
    assert again.rounds[0].ended
    again.do(again.plan_round("leduc", 1, 2, 2))
    assert again.going


def test_a_pause_and_what_is_shown_survive_a_crash(room_with, open_room):
    heard = []
    room, (ada, _) = room_with("Ada", "Bert")
    room._publish = heard.append
    room.do(room.plan_round("kuhn", 5, 2, 1))
    room.do({"do": "pause"})
    board = Shown("/holdem/spots/x?node=r%3A0", "A title", "A note", "3bet/1")
    room.show(board)
    assert BOARD_TOPIC in heard
    assert topic_of(ada) in heard
    again = open_room()
    assert again.paused
    assert again.shown == board
    again.tick()
    assert again.tables[0].decisions == 0
    again.show(None)
    again.do({"do": "continue"})
    later = open_room()
    assert later.shown is None
    assert not later.paused


@pytest.mark.parametrize("game", ["blackjack", "twentyone"])
def test_games_for_one_deal_all_students_the_same_cards_and_count_in_the_ranking(room_with, game):
    room, _ = room_with("Ada", "Bert", "Cleo")
    room.do(room.plan_round(game, 3, 2, 7))
    assert len(room.tables) == 3
    assert len({table.state for table in room.tables}) == 1
    for hand in range(3):
        for table in room.tables:  # everybody plays alike, so everybody is dealt alike to the end
            while table.view is not None:
                room.act(table.waiting_for, table.decisions, table.passive())
        assert len({table.state for table in room.tables}) == 1, hand
        for table in room.tables:
            if table.between:
                room.do({"do": "next", "table": table.plan.name})
    assert room.rounds[0].over
    scores = {score for _, score in room.ranking()}
    assert scores == {room.tables[0].scores[0]}


def test_names_and_codes(room_with):
    room, _ = room_with("Ada")
    with pytest.raises(UsageError, match="not the code"):
        room.join("Bert", "WRONG1")
    with pytest.raises(UsageError, match="already"):
        room.join(" ada ", room.code)
    with pytest.raises(UsageError, match="Write a name"):
        room.join("\u202e\x00 ", room.code.lower())
    assert room.join("B\x1b[31mert", room.code.lower()).name == "B[31mert"
    with pytest.raises(UsageError, match="at most 24 letters, not 500"):
        room.join("x" * 500, room.code)


@pytest.mark.parametrize("fake", ["ADA", "a d a", "ada\u202e", "Ａｄａ", "Ada\u2800", "Ada\u3164"])
def test_a_name_that_looks_like_anothers_is_refused(room_with, fake):
    room, _ = room_with("Ada")
    with pytest.raises(UsageError, match="already"):
        room.join(fake, room.code)
    assert [student.name for student in room.present()] == ["Ada"]


@pytest.mark.parametrize("blank", ["\u2800", "\u3164 \u115f", "\uffa0\u034f"])
def test_a_name_without_ink_is_none(room_with, blank):
    room, _ = room_with()
    with pytest.raises(UsageError, match="Write a name"):
        room.join(blank, room.code)


@pytest.mark.parametrize("name", ["bot", "B O T", "You", "Teacher", "Ada (bot)", "Bo (YOU)"])
def test_nobody_is_called_what_pages_call_others(room_with, name):
    room, _ = room_with()
    with pytest.raises(UsageError, match="someone else"):
        room.join(name, room.code)


def test_the_log_names_the_others(room_with):
    room, _ = room_with("Ada", "دنا")
    room.do(room.plan_round("kuhn", 1, 2, 1))
    table = room.tables[0]
    first = table.place_of(table.waiting_for)
    room.act(table.waiting_for, 0, "p")
    name = room.name_of(table.plan.seats[first])
    assert table.lines[1 - first][-1].startswith(f"\u2068{name}\u2069 checks")
    assert table.lines[first][-1].startswith("you check")


@pytest.mark.parametrize("name", ["Ольга", "محمد", "דנה", "李雷", "José", "Zoë Ⅱ", "Θάλεια", "नेहा"])
def test_names_of_all_alphabets_are_welcome(room_with, name):
    room, _ = room_with(name)
    assert room.present()[0].name == name


def test_the_seconds_of_a_move_survive_a_restart(room_with, open_room):
    room, _ = room_with("Ada")
    room.set_seconds(17)
    assert open_room().seconds == 17
    with pytest.raises(UsageError, match="5 to 600 seconds"):
        room.set_seconds(2)


def test_the_clock_says_that_it_moved(room_with, open_room):
    room, _ = room_with("Ada", "Bert")
    room.do(room.plan_round("leduc", 1, 2, 1))
    table = room.tables[0]
    first = table.waiting_for
    place = table.place_of(first)
    assert 0 < room.seconds_left(table) <= 60
    room.since[table.plan.name] -= 61
    assert room.seconds_left(table) == 0
    room.tick()
    assert table.lines[place][-1] == "time was up: the clock checks for you"
    assert place in table.timed_out
    assert not any("clock" in line for line in table.lines[1 - place])
    again = open_room().tables[0]
    assert again.lines == table.lines
    other = table.waiting_for
    room.act(other, table.decisions, table.view.actions[-1])
    room.since[table.plan.name] -= 61
    room.tick()
    assert "time was up: the clock folds for you" in table.lines[place]


def test_a_student_comes_back_with_the_personal_code(room_with, open_room):
    room, (ada, bert) = room_with("Ada", "Bert")
    code = room.personal_code(ada)
    assert code != room.personal_code(bert)
    later = open_room()
    assert later.rejoin(code.lower().replace("-", " "), later.code).identity == ada
    for wrong in ("", "AAAA-AAAA", code[:-1], "é"):
        with pytest.raises(UsageError, match="personal code"):
            later.rejoin(wrong, later.code)
    with pytest.raises(UsageError, match="not the code"):
        later.rejoin(code, "WRONG1")
    later.do({"do": "kick", "id": ada})
    with pytest.raises(UsageError, match="personal code"):
        later.rejoin(code, later.code)


EVENTS = ["join", "act", "next", "kick", "round", "pause", "continue", "end", "show"]


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["do", "id", "table", "action", "name", "tables", "address"]),
            st.one_of(st.text(max_size=5), st.sampled_from(EVENTS)),
        ),
        max_size=6,
    )
)
@settings(max_examples=60)
def test_a_journal_of_anything_is_read_without_an_error(tmp_path_factory, events):
    folder = tmp_path_factory.mktemp("journal")
    lines = "".join(json.dumps(event) + "\n" for event in events)
    (folder / "class.jsonl").write_text(lines + "\udcff{".encode("utf-8", "replace").decode())
    Classroom(folder, bot_for)


def test_equal_scores_share_a_rank(room_with):
    room, _ = room_with("Ada", "Bert", "Cleo")
    scores = [("Cleo", 3.0), ("Ada", 1.0), ("Bert", 1.0), ("Dora", 0.0)]
    room.ranking = lambda: scores
    assert [each.rank for each in room.ranked()] == [1, 2, 2, 4]


def test_the_own_line_of_a_long_ranking_is_always_shown(room_with):
    room, _ = room_with(*(f"student {number:02}" for number in range(30)))
    assert len(room.ranked()) == 20
    assert [each.name for each in room.ranked("student 29")][-2:] == ["student 19", "student 29"]


def test_a_move_is_told_to_its_table_at_once_and_to_the_class_by_the_clock(tmp_path):
    heard = []
    room = Classroom(tmp_path, bot_for, heard.append)
    students = [room.join(name, room.code).identity for name in ("Ada", "Bert", "Cleo", "Dora")]
    room.do(room.plan_round("kuhn", 5, 2, 3))
    assert heard[-4:] == [topic_of(identity) for identity in students]
    room.tick()
    heard.clear()
    table = room.tables[0]
    room.act(table.waiting_for, 0, "p")
    assert heard == [topic_of(identity) for identity in table.plan.seats]
    assert not any(identity in topic for identity in students for topic in heard)
    heard.clear()
    room.tick()
    room.tick()
    assert heard == [CLASS_TOPIC]  # the ranking was told a moment ago
