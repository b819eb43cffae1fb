"""The table without sockets: order of the deal, who is asked, how hands are settled."""

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riverboat.errors import ParameterError
from riverboat.twentyone.events import Acted, Asked, Dealt, Settled, TableEvent
from riverboat.twentyone.game import DECK, points, result
from riverboat.twentyone.table import Table, shuffled_decks
from riverboat.twentyone.wire.codec import Announcer, read


def deck(*first: str) -> Iterator[list[str]]:
    rest = [card for card in DECK if card not in first]
    return itertools.repeat([*first, *rest])


class Heard:
    """A table with what it says, as events and on the wire."""

    def __init__(self, names: list[str], games: int, decks: Iterator[list[str]]) -> None:
        self.events: list[TableEvent] = []
        self.announcer = Announcer(len(names))
        self.table = Table(names, games, decks, self.receive)
        self.table.start()

    def receive(self, event: TableEvent) -> None:
        self.events.append(event)
        self.announcer.receive(event)

    def said(self, seat: int) -> list[str]:
        """What a seat was told since the last time."""
        out, self.announcer.outbox[seat] = self.announcer.outbox[seat], []
        return [raw.rstrip(b"\0").decode() for raw in out]


def test_the_deal_goes_round_twice_and_the_dealer_shows_the_second_card() -> None:
    heard = Heard(["a", "b"], 1, deck("5c", "6c", "Kh", "7c", "8c", "9s"))
    table = heard.table
    opening = ["BEGIN", "CARD Five of Clubs", "CARD Seven of Clubs", "DEALER Nine of Spades"]
    assert heard.said(0) == [*opening, "DECISION"]
    assert heard.said(1) == [
        "BEGIN",
        "CARD Six of Clubs",
        "CARD Eight of Clubs",
        "DEALER Nine of Spades",
    ]
    assert table.asking == 0
    table.answer(hit=False)
    assert heard.said(0) == []
    assert heard.said(1) == ["DECISION"]


def test_a_hit_at_twenty_one_is_asked_again_and_a_bust_is_not() -> None:
    heard = Heard(["a"], 1, deck("Tc", "Ks", "Ah", "7d", "Kc", "2c"))
    table = heard.table
    assert heard.said(0)[-1] == "DECISION"
    table.answer(hit=True)
    assert heard.said(0) == ["CARD King of Clubs", "DECISION"]
    table.answer(hit=True)
    assert heard.said(0) == ["CARD Two of Clubs", "RESULT BUST", "QUIT"]
    assert table.finished
    assert table.dealer.cards == ["Ks", "7d"]


@pytest.mark.parametrize(
    ("cards", "word"),
    [
        (("Tc", "Ts", "9h", "7d"), "WIN"),
        (("Tc", "Ts", "7h", "9d"), "LOOSE"),
        (("Tc", "Ts", "9h", "9d"), "PUSH"),
        (("Ac", "Ts", "Th", "9d"), "WIN"),
        (("Ac", "Ts", "Th", "Ad"), "PUSH"),
        (("Tc", "As", "8h", "6d"), "WIN"),
    ],
    ids=str,
)
def test_results_are_spelt_as_on_the_wire(cards: tuple[str, ...], word: str) -> None:
    """The last hand: the dealer stands on a soft 17, which 18 beats."""
    heard = Heard(["a"], 1, deck(*cards))
    heard.table.answer(hit=False)
    assert heard.said(0)[-2:] == [f"RESULT {word}", "QUIT"]


def test_the_dealer_draws_only_if_a_player_is_left() -> None:
    cards = ("Tc", "Th", "2s", "6c", "6h", "3s", "Kc", "Kh")
    table = Table(["a", "b"], 1, deck(*cards))
    table.start()
    table.answer(hit=True)
    table.answer(hit=True)
    assert table.finished
    assert [seat.busts for seat in table.seats] == [1, 1]
    assert table.dealer.cards == ["2s", "3s"]


def test_a_folded_seat_forfeits_this_round_and_the_rest() -> None:
    heard = Heard(["a", "b"], 3, shuffled_decks(1))
    table = heard.table
    table.fold(0, "left")
    assert table.asking == 1
    while not table.finished:
        table.answer(hit=False)
    assert table.seats[0].tally() == {
        "wins": 0,
        "pushes": 0,
        "losses": 0,
        "busts": 0,
        "forfeits": 3,
    }
    assert table.seats[0].score == -3
    assert table.seats[0].rounds == table.seats[1].rounds == 3
    deals = [event for event in heard.events if isinstance(event, Dealt)]
    assert [deal.hands[0] for deal in deals[1:]] == [None, None]


def test_the_table_ends_when_everybody_has_gone() -> None:
    table = Table(["a", "b"], 10, shuffled_decks(1))
    table.start()
    table.fold(1, "left")
    table.fold(0, "left")
    assert table.finished
    assert table.round == 1
    assert [seat.forfeits for seat in table.seats] == [10, 10]


@given(st.integers(1, 6), st.integers(0, 2**32), st.lists(st.booleans(), max_size=80))
def test_any_play_agrees_with_the_rules(players: int, seed: int, hits: list[bool]) -> None:
    heard = Heard([str(n) for n in range(players)], 3, shuffled_decks(seed))
    table, events = heard.table, heard.events
    answers = itertools.chain(hits, itertools.repeat(False))
    while not table.finished:
        assert events[-1] == Asked(table.round, table.asking)
        assert heard.announcer.outbox[table.asking][-1] == b"DECISION\0"
        table.answer(next(answers))
    for deal, settled in zip(
        (e for e in events if isinstance(e, Dealt)),
        (e for e in events if isinstance(e, Settled)),
        strict=True,
    ):
        acts = [e for e in events if isinstance(e, Acted) and e.round == deal.round and e.card]
        drawn = [[e.card for e in acts if e.seat == n] for n in range(players)]
        hands = [[*(hand or []), *more] for hand, more in zip(deal.hands, drawn, strict=True)]
        dealt = [card for hand in hands for card in hand] + settled.dealer
        assert len(dealt) == len(set(dealt)) <= 52
        assert settled.dealer[1] == deal.up
        assert settled.results == [result(hand, settled.dealer).value for hand in hands]
        if any(points(hand) <= 21 for hand in hands):
            assert points(settled.dealer) >= 17
            assert points(settled.dealer[:-1]) < 17 or len(settled.dealer) == 2
        else:
            assert len(settled.dealer) == 2
    for raw in itertools.chain.from_iterable(heard.announcer.outbox):
        assert len(read(raw[:-1])) == 1


@given(st.integers(1, 6), st.lists(st.one_of(st.booleans(), st.integers(0, 5)), max_size=60))
def test_folds_at_any_point_leave_every_seat_with_all_its_rounds(
    players: int, moves: list[bool | int]
) -> None:
    heard = Heard([str(n) for n in range(players)], 5, shuffled_decks(0))
    table = heard.table
    for move in itertools.chain(moves, itertools.repeat(False)):
        if table.finished:
            break
        if isinstance(move, bool):
            table.answer(move)
        else:
            table.fold(move % players, "left")
    assert table.asking == -1
    assert [seat.rounds for seat in table.seats] == [5] * players
    for seat, out in zip(table.seats, heard.announcer.outbox, strict=True):
        assert out.count(b"QUIT\0") == 1
        assert out[-1] == b"QUIT\0"
        assert (seat.forfeits > 0) == bool(seat.out)


@pytest.mark.parametrize(("names", "games"), [([], 1), (["a"] * 7, 1), (["a"], 0)])
def test_a_table_that_cannot_be_is_refused(names: list[str], games: int) -> None:
    with pytest.raises(ParameterError):
        Table(names, games, shuffled_decks(0))


def test_answers_out_of_turn_are_programming_errors() -> None:
    table = Table(["a"], 1, shuffled_decks(0))
    with pytest.raises(RuntimeError):
        table.answer(hit=True)
    table.start()
    with pytest.raises(RuntimeError):
        table.start()


def test_decks_are_whole_and_belong_to_seed_and_table() -> None:
    first = list(itertools.islice(shuffled_decks(7), 200))
    assert all(sorted(cards) == sorted(DECK) for cards in first)
    assert first == list(itertools.islice(shuffled_decks(7), 200))
    assert first[0] != next(shuffled_decks(7, 1))
    assert first[0] != next(shuffled_decks(8))
    assert first[0] != next(shuffled_decks(7, 0, attempt=1))
