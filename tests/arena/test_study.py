"""A study: chapters in an order, its file, and files that are none."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riverboat as rb
from riverboat.arena.study import MAX_CHAPTERS, MAX_NOTE, MAX_TITLE, Chapter, Study, place_kind
from riverboat.errors import FileFormatError, RiverboatError, UsageError

FLOP = Chapter("The flop", "/holdem/spots/5f1d?node=r%3A0%3Ac&show=ev", "Aces bet.\n\nKings check.")
LESSON = Chapter("Kuhn poker", "/learn/2/8?bluff=50&call=20")
STRATEGY = Chapter("A tree", "/solve/strategy/leduc%20one.rb?node=b", 'Say "why"\\n')
STUDY = Study((FLOP, LESSON, STRATEGY))
HOSTILE = [
    "",
    "/",
    "//evil.example/holdem/spots/x",
    "https://evil.example",
    "javascript:alert(1)",
    "/library/x/delete",
    "/holdem/spots/../../class/teacher",
    "/holdem/spots/x/again",
    "/holdem/spots/x#y",
    "/holdem/spots/x?node=<script>",
    '/holdem/spots/x?a="b',
    "/holdem/spots/x?a=b\n",
    "/holdem/spots/é",
    "/holdem/spots/" + "x" * 65,
    "/learn/1/1?" + "x" * 4_001,
    "/solve/strategy/a\\b",
]

titles = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=MAX_TITLE).filter(
    lambda text: text.split()
)
notes = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=None)).map(
    lambda text: "".join(c for c in text if c.isprintable() or c == "\n")
)
chapters = st.builds(
    Chapter, titles, st.sampled_from([FLOP.address, LESSON.address, STRATEGY.address]), notes
)


@given(st.lists(chapters, max_size=4))
def test_a_study_is_read_back_as_it_was_written(found):
    study = Study(tuple(found))
    assert Study.parse(study.format()) == study


def test_a_study_is_kept_in_a_file_that_load_knows(tmp_path):
    path = tmp_path / "3bet.study"
    STUDY.save(path)
    assert Study.load(path) == rb.load(path) == STUDY
    assert [each.name for each in tmp_path.iterdir()] == ["3bet.study"]


def test_the_text_can_be_read_by_people():
    assert Study((FLOP,)).format().splitlines() == [
        'riverboat = "study"',
        "version = 1",
        "",
        "[[chapter]]",
        'title = "The flop"',
        'address = "/holdem/spots/5f1d?node=r%3A0%3Ac&show=ev"',
        'note = """',
        "Aces bet.",
        "",
        'Kings check."""',
    ]


def test_chapters_are_added_changed_moved_and_taken_out():
    assert Study().with_chapter(FLOP).with_chapter(LESSON) == Study((FLOP, LESSON))
    assert STUDY.chapter(2) is LESSON
    assert STUDY.moved(3, 1).chapters == (STRATEGY, FLOP, LESSON)
    assert STUDY.moved(1, 2).chapters == (LESSON, FLOP, STRATEGY)
    assert STUDY.moved(1, -5) == STUDY
    assert STUDY.moved(1, 99).chapters == (LESSON, STRATEGY, FLOP)
    assert STUDY.without(2).chapters == (FLOP, STRATEGY)
    assert STUDY.changed(1, title=" The  turn ").chapter(1).title == "The turn"
    assert STUDY.changed(1, note="").chapters[1:] == STUDY.chapters[1:]
    assert [chapter.kind for chapter in STUDY.chapters] == ["spot", "lesson", "strategy"]


@pytest.mark.parametrize("number", [0, -1, 4, 10**30])
def test_a_chapter_that_is_not_there_is_said(number):
    for ask in (STUDY.chapter, STUDY.without, lambda n: STUDY.moved(n, 1)):
        with pytest.raises(UsageError, match="this study has 1 to 3"):
            ask(number)
    with pytest.raises(UsageError, match="no chapters yet"):
        Study().chapter(1)


@pytest.mark.parametrize("address", HOSTILE)
def test_an_address_that_leads_elsewhere_is_refused(address):
    with pytest.raises(UsageError, match="A chapter opens"):
        Chapter("A title", address)
    assert place_kind(address.partition("?")[0] + "x\n") == ""


@pytest.mark.parametrize(
    ("title", "note", "words"),
    [
        (" \t ", "", "Write a title"),
        ("x" * (MAX_TITLE + 1), "", "at most 80 letters, not 81"),
        ("a\x00b", "", "A title has no control characters"),
        ("a", "x" * (MAX_NOTE + 1), "at most 4,000 letters, not 4,001"),
        ("a", "bell\x07", "A note has no control characters"),
        ("a", "\ud800", "A note has no control characters"),
    ],
)
def test_titles_and_notes_are_checked(title, note, words):
    with pytest.raises(UsageError, match=words):
        Chapter(title, FLOP.address, note)


def test_a_study_has_an_end():
    with pytest.raises(UsageError, match=f"at most {MAX_CHAPTERS}"):
        Study((FLOP,) * (MAX_CHAPTERS + 1))


START = 'riverboat = "study"\nversion = 1\n'
BAD = [
    ("", "is no study"),
    ("riverboat = 3", "is no study"),
    ('riverboat = "study"', "of another version"),
    ('riverboat = "study"\nversion = 2', "of another version"),
    (START + "x = 1", "'x' is not expected there"),
    (START + "chapter = 3", "'chapter' is not expected there"),
    (START + "chapter = [1]", "chapter 1: a chapter has title"),
    (START + "[[chapter]]", "chapter 1: Write a title"),
    (START + '[[chapter]]\ntitle = "a"\naddress = "/"', "chapter 1: A chapter opens"),
    (START + '[[chapter]]\ntitle = "a"\nnote = 3', "chapter 1: the note is no text"),
    (START + '[[chapter]]\ntitle = "a"\nhtml = "b"', "chapter 1: 'html' is not expected"),
    (START + "[[chapter]]\n" * 300, "more than 200 chapters"),
    ("[" * 20_000, "is no TOML"),
]


@pytest.mark.parametrize(("text", "words"), BAD)
def test_a_text_that_is_no_study_is_refused_in_a_sentence(text, words, tmp_path):
    with pytest.raises(FileFormatError, match=words):
        Study.parse(text)
    path = tmp_path / "x.study"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=words):
        rb.load(path)


@given(st.binary(max_size=300), st.integers(0, 400))
def test_bytes_of_a_stranger_are_a_study_or_refused(tmp_path_factory, junk, place):
    """A study with some bytes put in its middle."""
    raw = STUDY.format().encode()
    path = tmp_path_factory.mktemp("fuzz") / "x.study"
    path.write_bytes(raw[:place] + junk + raw[place:])
    with contextlib.suppress(RiverboatError):
        study = Study.load(path)
        assert Study.parse(study.format()) == study
