"""Cards as numbers and text."""

import pytest

from riverboat.cards.card import (
    CARDS,
    card_text,
    cards_text,
    parse_card,
    parse_cards,
    rank_of,
    suit_of,
)
from riverboat.errors import ParameterError


def test_number_is_four_times_rank_plus_suit() -> None:
    assert parse_card("2c") == 0
    assert parse_card("2s") == 3
    assert parse_card("3c") == 4
    assert parse_card("As") == 51
    assert len(set(CARDS)) == 52


def test_text_round_trip() -> None:
    for card in range(52):
        assert parse_card(card_text(card)) == card
        assert 4 * rank_of(card) + suit_of(card) == card


@pytest.mark.parametrize("text", ["As Td 9c", "AsTd9c", "as,10d,9C", "A♠ 10♦ 9♣", " aS tD 9c "])
def test_the_ways_people_write_cards(text: str) -> None:
    assert cards_text(parse_cards(text)) == "AsTd9c"


@pytest.mark.parametrize("text", ["1s", "Ax", "A", "AsK", "hello", "11s"])
def test_what_is_no_card_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ParameterError, match="is not a card"):
        parse_cards(text)


def test_a_card_twice_is_refused() -> None:
    with pytest.raises(ParameterError, match="As appears twice"):
        parse_cards("AsAs")
    assert parse_cards("AsAs", distinct=False) == [51, 51]
    with pytest.raises(ParameterError):
        card_text(52)
    with pytest.raises(ParameterError):
        parse_card("AsKs")
