"""The text memory: real strings, normal form, and errors that point at the place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riverboat.blackjack.search._memory_text import (
    ACTIONS,
    Memory,
    Outcome,
    RecordedRound,
    RecordedSimulation,
    RecordedTurn,
    format_memory,
    parse_memory,
)
from riverboat.blackjack.search.memory import Knowledge
from riverboat.cards.card import RANKS
from riverboat.errors import FileFormatError

REAL = (
    "/10BA4AD$DW106U4L286|SW26L174|HW34U2L164$H$DW106U15L264$TS$DW122U11L256$"
    "/10B8KKS$DW28U1L370|SW170U13L17|HL200$/10B85QH$H$"
)
"""A memory that the old bot wrote."""


def test_a_real_memory_round_trips() -> None:
    memory = parse_memory(REAL)
    assert format_memory(memory) == REAL
    assert isinstance(memory, Memory)
    first, second, third = memory.rounds
    assert (first.bid, first.dealer, first.cards) == (10, "A", ("4", "A"))
    assert first.turns[0].outcomes[0] == Outcome("D", 106, 4, 286)
    assert first.turns[2] == RecordedTurn("T", "S", (Outcome("D", 122, 11, 256),))
    assert second.cards == ("K", "K")
    assert third.turns == (RecordedTurn("", "H", (Outcome("H"),)),)


def test_a_zero_is_a_ten_and_later_faces_lose_their_rank() -> None:
    memory = parse_memory("/10BK0QH$HW0L3$KS$S$")
    assert format_memory(memory) == "/10BTTQH$HL3$TS$S$"


def test_a_simulation_has_no_blocks() -> None:
    simulation = parse_memory("?20BHS/20B85QH4S/20B9AA")
    assert simulation == RecordedSimulation(
        20,
        ("H", "S"),
        (
            RecordedRound(20, "8", ("5", "Q"), (RecordedTurn("", "H"), RecordedTurn("4", "S"))),
            RecordedRound(20, "9", ("A", "A")),
        ),
    )
    assert format_memory(simulation) == "?20BHS/20B85QH4S/20B9AA"


@pytest.mark.parametrize("bid", [10, 45, 100])
def test_a_text_may_end_in_a_bid(bid: int) -> None:
    # What the old bot holds after its bidding turn.
    memory = parse_memory(f"{REAL}/{bid}B")
    assert memory.pending == bid
    assert memory.rounds == parse_memory(REAL).rounds
    assert format_memory(memory) == f"{REAL}/{bid}B"
    assert parse_memory("?100BHS/100B") == RecordedSimulation(100, ("H", "S"), (), 100)
    assert Knowledge.from_text(f"{REAL}/{bid}B").table == Knowledge.from_text(REAL).table


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("x", 1),
        ("/B8KK", 2),
        ("/10B8K", 7),
        ("/10B81K", 6),
        ("/10B8KKX", 8),
        ("/10B8KKS", 9),
        ("/10B8KKS$", 10),
        ("/10B8KKS$SW$", 12),
        ("/10B8KKS$SW1L2U3$", 15),
        ("?10BH$", 6),
        ("?10BH/10B8KKS$S$", 14),
    ],
)
def test_the_first_wrong_character_is_named(text: str, position: int) -> None:
    with pytest.raises(FileFormatError, match=f"at character {position}:"):
        parse_memory(text)


counts = st.integers(0, 10_000)
outcomes = st.builds(Outcome, st.sampled_from(ACTIONS), counts, counts, counts)
values = st.sampled_from("23456789TA")
ranks = st.sampled_from(RANKS)


def rounds(with_blocks: bool) -> st.SearchStrategy[tuple[RecordedRound, ...]]:
    blocks = st.lists(outcomes, min_size=1, max_size=4).map(tuple) if with_blocks else st.just(())
    turns = st.builds(
        RecordedTurn, st.one_of(st.just(""), values), st.sampled_from(ACTIONS), blocks
    )
    one = st.builds(
        RecordedRound,
        st.integers(0, 999),
        values,
        st.tuples(ranks, ranks),
        st.lists(turns).map(tuple),
    )
    return st.lists(one, max_size=4).map(tuple)


@given(
    st.one_of(
        st.builds(Memory, rounds(True), st.none() | st.integers(0, 999)),
        st.builds(
            RecordedSimulation,
            st.integers(0, 999),
            st.lists(st.sampled_from(ACTIONS)).map(tuple),
            rounds(False),
            st.none() | st.integers(0, 999),
        ),
    )
)
def test_parse_inverts_format(memory: Memory | RecordedSimulation) -> None:
    assert parse_memory(format_memory(memory)) == memory


@given(st.text(alphabet="/?$|B0123456789TJQKAHSPIDWUL", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        memory = parse_memory(text)
    except FileFormatError:
        return
    assert parse_memory(format_memory(memory)) == memory
