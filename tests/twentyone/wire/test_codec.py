"""The codec of the twenty-one wire, against the sequence and the spellings of its description."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riverboat.errors import ParameterError
from riverboat.twentyone.game import Result
from riverboat.twentyone.wire import codec as wire
from riverboat.twentyone.wire.codec import Framer, Kind, Message, read

WRITTEN = [
    *((raw, Message(Kind.CARD, card)) for card, raw in wire.CARD.items()),
    *((raw, Message(Kind.DEALER, card)) for card, raw in wire.DEALER.items()),
    *((raw, Message(Kind.RESULT, result=r)) for r, raw in wire.RESULT.items()),
    (wire.BEGIN, Message(Kind.BEGIN)),
    (wire.DECISION, Message(Kind.DECISION)),
    (wire.QUIT, Message(Kind.QUIT)),
    (wire.HIT, Message(Kind.HIT)),
    (wire.STAND, Message(Kind.STAND)),
    (wire.join("ada"), Message(Kind.JOIN, text="ada", frames=True)),
]


def test_messages_are_spelt_as_on_the_wire() -> None:
    assert wire.CARD["As"] == b"CARD Ace of Spades\0"
    assert wire.DEALER["2c"] == b"DEALER Two of Clubs\0"
    assert wire.RESULT[Result.LOSE] == b"RESULT LOOSE\0"
    assert wire.join("team_one") == b"JOIN team_one\t\0"


@pytest.mark.parametrize("size", [20, 30])
@pytest.mark.parametrize("length", range(1, 41))
def test_the_tab_never_overruns_a_buffer_that_the_name_fits(size: int, length: int) -> None:
    """Dealers read a whole JOIN, or copy its name, into buffers of 20 and 30 bytes."""
    name = "x" * length
    for sent, plain in (
        (wire.join(name), f"JOIN {name}\0".encode()),
        (wire.join(name).removeprefix(b"JOIN "), f"{name}\0".encode()),
    ):
        assert len(sent) <= size or len(plain) > size
    assert wire.read(wire.join(name, "secret")[:-1])[0].token == "secret"
    assert len(set(wire.CARD.values())) == len(set(wire.DEALER.values())) == 52


@pytest.mark.parametrize(("raw", "message"), WRITTEN)
def test_what_is_written_is_read_back(raw: bytes, message: Message) -> None:
    assert raw.count(b"\0") == 1
    assert raw.endswith(b"\0")
    assert read(raw[:-1]) == (message,)
    assert read(b"  " + raw[:-1].swapcase() + b"\r\n")[0].kind is message.kind


@given(st.lists(st.sampled_from(WRITTEN), max_size=12), st.lists(st.integers(0, 400), max_size=9))
def test_framing_does_not_depend_on_the_packets(
    sent: list[tuple[bytes, Message]], cuts: list[int]
) -> None:
    stream = b"".join(raw for raw, _ in sent)
    edges = sorted({0, len(stream), *(min(cut, len(stream)) for cut in cuts)})
    framer = Framer()
    frames = [frame for a, b in itertools.pairwise(edges) for frame in framer.feed(stream[a:b])]
    assert [message for frame in frames for message in read(frame)] == [m for _, m in sent]
    assert framer.rest == b""


@given(st.lists(st.sampled_from([w for w in WRITTEN if w[1].kind is not Kind.JOIN]), min_size=1))
def test_messages_without_their_nul_are_told_apart(sent: list[tuple[bytes, Message]]) -> None:
    glued = b"".join(raw[:-1] for raw, _ in sent)
    assert read(glued) == tuple(message for _, message in sent)


@given(st.lists(st.binary(max_size=60), max_size=8))
def test_any_bytes_are_framed_and_read_without_an_error(chunks: list[bytes]) -> None:
    framer = Framer(limit=100_000)
    for chunk in chunks:
        for frame in framer.feed(chunk):
            assert frame
            assert b"\0" not in frame
            for message in read(frame):
                shown = wire.clean_name(message.text)
                assert shown.isprintable()
                assert 0 < len(shown) <= wire.MAX_NAME
    assert b"".join(chunks).split(b"\0")[-1] == framer.rest


@pytest.mark.parametrize("word", ["LOOSE", "LOSE", "LOSS", "lost"])
def test_a_loss_is_understood_however_it_is_spelt(word: str) -> None:
    assert read(f"RESULT {word}".encode())[0].result is Result.LOSE


@pytest.mark.parametrize(
    "raw", [b"HITS", b"", b"CARD", b"CARD Eleven of Clubs", b"\xff\xfe", b"HIT ME"]
)
def test_what_is_not_wholly_understood_is_unknown(raw: bytes) -> None:
    assert [message.kind for message in read(raw)] == [Kind.UNKNOWN]


UNICODE_PAIRS = {"I": "İıi", "K": "\N{KELVIN SIGN}k", "S": "ſs"}
"""Letters that Unicode takes for another case of an ASCII letter."""


@pytest.mark.parametrize("raw", [raw for raw, _ in WRITTEN])
@pytest.mark.parametrize("plain", UNICODE_PAIRS)
def test_letters_that_only_look_like_ascii_make_another_word(raw: bytes, plain: str) -> None:
    text = raw[:-1].decode().upper()
    for twin in UNICODE_PAIRS[plain]:
        message = read(text.replace(plain, twin).encode())[0]
        known = plain not in text or twin.isascii()
        assert (message.kind is not Kind.UNKNOWN) == known, (text, twin)


@given(st.text(st.sampled_from("HITSANDBEGCROUL K\0\tofİıſK" + "\N{KELVIN SIGN}"), max_size=20))
def test_no_mixture_of_cases_is_an_error(text: str) -> None:
    assert all(isinstance(message, Message) for message in read(text.encode()))


def test_a_name_that_is_no_text_is_joined_with_a_question_mark() -> None:
    assert wire.join("ad\udcff") == b"JOIN ad?\t\0"


def test_names_keep_their_blanks_and_lose_what_cannot_be_shown() -> None:
    assert read(b"JOIN  Mary Ann \n")[0].text == "Mary Ann"
    assert read(b"JOIN")[0] == Message(Kind.JOIN)
    assert (
        wire.clean_name("a\tb\x1b[31mred")
        == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}[31mred"
    )
    assert wire.clean_name("x" * 10_000) == "x" * 39 + "…"
    assert wire.clean_name("") == "player"
    assert wire.join("Mary Ann\0") == b"JOIN Mary_Ann_\t\0"


def test_a_message_without_end_is_refused_and_forgotten() -> None:
    framer = Framer()
    for _ in range(16):
        assert framer.feed(b"x" * 1000) == []
    with pytest.raises(wire.MessageTooLongError):
        framer.feed(b"x" * 1000)
    assert framer.rest == b""
    with pytest.raises(wire.MessageTooLongError):
        framer.feed(b"y" * (wire.MAX_MESSAGE + 1) + b"\0")


def test_an_unfinished_message_can_be_taken_as_it_is() -> None:
    framer = Framer()
    assert framer.feed(b"BEGIN\0DECIS") == [b"BEGIN"]
    assert framer.feed(b"ION") == []
    assert read(framer.take_rest()) == (Message(Kind.DECISION),)
    assert framer.feed(b"\0") == []


@pytest.mark.parametrize(
    ("raw", "name", "frames", "token"),
    [
        (b"JOIN ada", "ada", False, ""),
        (b"JOIN ada\t", "ada", True, ""),
        (b"JOIN ada\t=s3cret!", "ada", True, "s3cret!"),
        (b"join Mary Ann\t=x", "Mary Ann", True, "x"),
        (b"JOIN ada ", "ada", False, ""),
        (b"JOIN ada\r\n", "ada", False, ""),
        (b"JOIN \t", "", False, ""),
        (b"JOIN ada\tbob", "ada\tbob", False, ""),
        (b"JOIN ada\t=two words", "ada\t=two words", False, ""),
    ],
)
def test_the_mark_of_players_that_frame(raw: bytes, name: str, frames: bool, token: str) -> None:
    assert read(raw) == (Message(Kind.JOIN, text=name, frames=frames, token=token),)


def test_a_token_travels_with_the_name_and_must_be_one_word() -> None:
    assert wire.join("ada", "s3cret") == b"JOIN ada\t=s3cret\0"
    for token in ("two words", "ä", "x" * 65, "a\0b"):
        with pytest.raises(ParameterError):
            wire.join("ada", token)
