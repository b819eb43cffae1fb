"""Pot-limit betting, Omaha and short deck by worked examples; PokerKit checks the rest."""

import pytest

import riverboat as rb
from riverboat.cards.card import parse_cards
from riverboat.errors import IllegalActionError, ParameterError, UsageError
from riverboat.games.registry import make_game
from riverboat.holdem.rules.omaha import Omaha
from riverboat.holdem.rules.short_deck import ShortDeck
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.players.roster import make_player


def play(game: Holdem, hands: str, board: str, history: str) -> HoldemState:
    return game.resume([parse_cards(hand) for hand in hands.split()], parse_cards(board), history)


def test_a_raise_is_by_at_most_the_pot_after_calling() -> None:
    """TDA: blinds 1 and 2, the first to act calls 2, which makes 5, and raises by 5."""
    game = Omaha(players=3, stacks=(500,))
    hands = "AsKsQhJh 2c2d3c3d 4c4d5c5d"
    assert play(game, hands, "", "").betting.raise_range() == (4, 7)
    # 1 + 2 + 7 lie in the middle, 6 more to call make 16: up to 7 + 16.
    assert play(game, hands, "", "r7").betting.raise_range() == (12, 23)
    flop = play(game, hands, "9h9d2s", "r7fc/")
    assert flop.betting.pot == 15
    assert flop.betting.raise_range() == (2, 15)


def test_antes_are_in_the_pot_and_a_short_stack_may_bet_less_than_it() -> None:
    game = Omaha(ante=1, stacks=(500, 9))
    betting = play(game, "AsKsQhJh 2c2d3c3d", "", "").betting
    assert betting.pot == 5
    assert betting.raise_range() == (4, 8)
    assert Omaha(ante=1, stacks=(500,)).resume([], [], "").betting.raise_range() == (4, 8)


def test_a_bet_above_the_pot_is_refused() -> None:
    with pytest.raises(IllegalActionError, match="r4…r6"):
        play(Omaha(), "AsKsQhJh 2c2d3c3d", "", "").after("r8")
    no_limit = Omaha(limit="no-limit")
    assert play(no_limit, "AsKsQhJh 2c2d3c3d", "", "").betting.raise_range() == (4, 200)


@pytest.mark.parametrize(
    ("hands", "board", "winner"),
    [
        ("As7d6c5c KhKd2c2d", "QsJs9s8s3h", 1),  # Four spades on the board and one held: no flush
        ("AsAhAdAc KhKd3c2d", "Qs8s8d4c4h", 0),  # Four aces are a pair of aces
        ("AsKsQhJh 2c2d3c3d", "Ts9s2s2h8d", 1),  # Quads beat a flush
        ("9h8h3c2c AhKd7s6d", "ThJcQs4d4c", 1),  # The ace and the king, not a nine and an eight
    ],
)
def test_exactly_two_cards_of_the_hand_count(hands: str, board: str, winner: int) -> None:
    returns = play(Omaha(), hands, board, "cc/cc/cc/cc").returns()
    assert returns[winner] == 2
    assert sum(returns) == 0


def test_five_cards_are_a_parameter() -> None:
    game = make_game("omaha", {"hole_cards": 5, "players": 9})
    assert isinstance(game, Omaha)
    state = play(Omaha(hole_cards=5), "AsKsQhJhTh 2c2d3c3d4c", "9s8s2s2h7d", "cc/cc/cc/cc")
    assert state.returns() == (-2.0, 2.0)


@pytest.mark.parametrize(
    ("hands", "board", "winner"),
    [
        ("As6d QhQd", "7h8c9sKdJd", 0),  # A6789 is a straight
        ("AsTs KhKd", "6s7sKs9s9h", 0),  # A flush beats a full house
        ("JcTh KhKd", "KsQh9c6c7d", 0),  # A straight beats three of a kind
    ],
)
def test_short_deck_has_its_own_order(hands: str, board: str, winner: int) -> None:
    returns = play(ShortDeck(), hands, board, "cc/cc/cc/cc").returns()
    assert returns[winner] == 4
    assert sum(returns) == 0


def test_three_of_a_kind_beats_a_straight_where_the_house_says_so() -> None:
    game = ShortDeck(trips_beat_straights=True)
    assert play(game, "JcTh KhKd", "KsQh9c6c7d", "cc/cc/cc/cc").returns() == (-4.0, 4.0)


def test_in_short_deck_the_button_posts_a_blind_and_the_next_seat_acts_first() -> None:
    state = play(ShortDeck(players=4), "AsKs QdQh 7s7d 8s8d", "", "")
    assert state.betting.bets == (0, 0, 0, 2)
    assert state.betting.pot == 10
    assert state.actor == 0
    assert state.game.seat_names == ("under the gun", "hijack", "cutoff", "button")
    assert ShortDeck(small_blind=1).betting_rules.blinds == (2, 1)


@pytest.mark.parametrize(
    ("name", "parameters", "word"),
    [
        ("omaha", {"hole_cards": 6}, "omaha: a player has 2 to 5 hole cards, not 6"),
        ("omaha", {"hole_cards": 5, "players": 10}, "55 cards are needed"),
        ("omaha", {"board_cards": "0,2"}, "three to five cards"),
        ("shortdeck", {"ranks": 13}, "9 ranks"),
        ("shortdeck", {"players": 11}, "players must be 2 to 10"),
    ],
)
def test_impossible_tables_are_refused(
    name: str, parameters: dict[str, str | int], word: str
) -> None:
    with pytest.raises(ParameterError, match=word):
        make_game(name, parameters)


def test_a_deck_of_36_has_no_deuce() -> None:
    with pytest.raises(IllegalActionError, match="shortdeck"):
        ShortDeck().with_hands([parse_cards("2s2d"), parse_cards("AsAd")])


@pytest.mark.parametrize("name", ["omaha", "shortdeck"])
@pytest.mark.parametrize("player", ["blueprint:shipped", "holdem:rules", "search"])
def test_players_who_know_hold_em_alone_say_so(name: str, player: str) -> None:
    with pytest.raises(UsageError, match=f"plays holdem, not {name}"):
        make_player(make_game(name), player)


@pytest.mark.parametrize("name", ["omaha", "shortdeck"])
def test_players_meet_in_matches_and_round_robins(name: str) -> None:
    log = rb.match(name, "random", "holdem:call", hands=60, seed=1)
    assert log.hands == 60
    assert sum(log.mean) == pytest.approx(0)
    found = rb.tournament(name, "random", "holdem:call", "holdem:random", hands=10, seed=1)
    assert len(found.players) == 3
