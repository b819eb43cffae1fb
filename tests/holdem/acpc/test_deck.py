"""The competition's shuffle, against the twister of Python itself."""

import random

import pytest

from riverboat.cards.card import cards_text
from riverboat.holdem.acpc._shuffler import Shuffler
from riverboat.holdem.acpc.definitions import PRESETS


def twister(seed: int) -> random.Random:
    """Python's MT19937, seeded as its authors' init_genrand does (Python's own seeding differs)."""
    state = [seed]
    for index in range(1, 624):
        state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + index) % 2**32)
    generator = random.Random()
    generator.setstate((3, (*state, 624), None))
    return generator


def test_the_twister_is_the_standard_one() -> None:
    # The C++ standard names the 10,000th number of mt19937 with its default seed.
    generator = twister(5489)
    numbers = [generator.getrandbits(32) for _ in range(10_000)]
    assert numbers[-1] == 4123659995


@pytest.mark.parametrize(("name", "cards"), [("nolimit-2p", 9), ("limit-10p", 25), ("leduc", 3)])
def test_every_hand_draws_all_its_cards_from_the_twister(name: str, cards: int) -> None:
    game, seed = PRESETS[name], 2**32 - 7
    shuffler, draws = Shuffler(game, seed), twister(seed)
    for _ in range(200):
        deck = sorted(game.deck, key=lambda card: (card % 4, card // 4))
        wanted = []
        for _ in range(cards):
            place = draws.getrandbits(32) % len(deck)
            wanted.append(deck[place])
            last = deck.pop()
            if place < len(deck):
                deck[place] = last
        assert shuffler.deal() == wanted


def test_the_first_hand_of_seed_1_is_that_of_the_competitions_dealer() -> None:
    assert cards_text(Shuffler(PRESETS["nolimit-2p"], 1).deal()) == "8s2hKd5c7hAdTd4sKc"
    assert cards_text(Shuffler(PRESETS["nolimit-2p"], 1 + 2**32).deal()) == "8s2hKd5c7hAdTd4sKc"
