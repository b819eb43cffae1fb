"""The rules of hold'em by worked examples, laws and small games with known answers."""

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.cards.card import parse_cards
from riverboat.errors import IllegalActionError, ParameterError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.games.registry import make_game
from riverboat.holdem.rules.betting import build_pots, share_out
from riverboat.holdem.rules.state import Holdem, HoldemState

KUHN = Holdem(
    small_blind=0,
    big_blind=0,
    ante=1,
    ranks=3,
    suits=1,
    hole_cards=1,
    board_cards=(0,),
    limit="fixed-limit",
    bet_sizes=(1,),
    max_raises=(1,),
)
LEDUC = Holdem(
    small_blind=0,
    big_blind=0,
    ante=1,
    ranks=3,
    suits=2,
    hole_cards=1,
    board_cards=(0, 1),
    limit="fixed-limit",
    bet_sizes=(2, 4),
    max_raises=(2, 2),
)


def play(game: Holdem, hands: str, board: str, history: str) -> HoldemState:
    return game.resume([parse_cards(hand) for hand in hands.split()], parse_cards(board), history)


def test_heads_up_the_button_posts_the_small_blind_and_acts_first_then_last() -> None:
    game = Holdem()
    state = play(game, "AsKs QdQh", "", "")
    assert state.betting.bets == (2, 1)
    assert state.actor == 1
    assert play(game, "AsKs QdQh", "2c3c4c", "cc/").actor == 0


def test_with_three_players_the_first_two_post_and_the_button_opens() -> None:
    game = Holdem(players=3)
    assert play(game, "AsKs QdQh 2s2d", "", "").betting.bets == (1, 2, 0)
    assert play(game, "AsKs QdQh 2s2d", "", "").actor == 2
    assert play(game, "AsKs QdQh 2s2d", "9c8c7c", "ccc/").actor == 0


def test_a_raise_is_at_least_the_last_one() -> None:
    game = Holdem(players=3, stacks=(1000,), small_blind=50, big_blind=100)
    assert play(game, "AsKs QdQh 2s2d", "", "").betting.raise_range() == (200, 1000)
    assert play(game, "AsKs QdQh 2s2d", "", "r350").betting.raise_range() == (600, 1000)
    after_flop = play(game, "AsKs QdQh 2s2d", "9c8c7c", "ccc/")
    assert after_flop.betting.raise_range() == (100, 900)


def test_an_all_in_below_a_full_raise_does_not_open_the_betting_again() -> None:
    game = Holdem(players=3, stacks=(1000, 250, 1000), small_blind=50, big_blind=100)
    state = play(game, "AsKs QdQh 2s2d", "9c8c7c", "ccc/r100r150")
    assert state.actor == 2
    assert state.betting.raise_range() == (250, 900)
    closed = state.after("c")
    assert closed.actor == 0
    assert closed.betting.raise_range() is None
    assert list(closed.actions()) == ["f", "c"]


def test_several_short_all_ins_that_add_up_to_a_raise_open_the_betting_again() -> None:
    game = Holdem(players=4, stacks=(1000, 250, 320, 1000), small_blind=50, big_blind=100)
    state = play(game, "AsKs QdQh 2s2d JcJd", "9c8c7c", "cccc/r100r150r220c")
    assert state.actor == 0
    assert state.betting.raise_range() == (320, 900)


def test_fixed_limit_has_one_size_and_a_cap() -> None:
    game = Holdem(limit="fixed-limit")
    assert list(play(game, "AsKs QdQh", "", "").actions()) == ["f", "c", "r4"]
    assert list(play(game, "AsKs QdQh", "", "r4r6r8").actions()) == ["f", "c"]
    turn = play(game, "AsKs QdQh", "9c8c7c2d", "cc/cc/")
    assert list(turn.actions()) == ["c", "r4"]
    assert list(play(game, "AsKs QdQh", "9c8c7c2d", "cc/cc/r4r8r12r16").actions()) == ["f", "c"]


def test_side_pots_go_to_those_who_paid_for_them() -> None:
    game = Holdem(players=3, stacks=(30, 60, 100), small_blind=1, big_blind=2)
    state = play(game, "AsAh KsKh QsQh", "2c3d5h7c9d", "r100cc///")
    # Aces win 30 from each, kings the next 30 from queens, the last 40 go back.
    assert state.returns() == (60.0, 0.0, -60.0)


def test_an_uncalled_bet_goes_back() -> None:
    assert play(Holdem(), "AsKs QdQh", "", "r50f").returns() == (-2.0, 2.0)
    assert play(Holdem(stacks=(10, 200)), "AsAh QdQh", "2c3d5h7c9d", "r200c///").returns() == (
        10.0,
        -10.0,
    )


def test_odd_chips_go_to_the_first_winner_left_of_the_button_or_are_split() -> None:
    # The small blind folds; the other two tie for five chips with the straight on the board.
    hands, board, betting = "2c2d 3c3d 4c4d", "AdKhQcJsTd", "cfc/cc/cc/cc"
    assert play(Holdem(players=3), hands, board, betting).returns() == (-1.0, 1.0, 0.0)
    split = Holdem(players=3, odd_chips="split")
    assert play(split, hands, board, betting).returns() == (-1.0, 0.5, 0.5)


def test_an_infoset_reads_back_as_the_state_its_owner_knows() -> None:
    game = Holdem(players=3)
    state = play(game, "AsKs QdQh 2s2d", "9c8c7c", "r6cc/cr10")
    assert state.infoset(2) == "2s2d|9c8c7c|r6cc/cr10"
    seen = game.observed(2, state.infoset(2))
    assert seen.holes == ((), (), state.holes[2])
    assert seen.betting == state.betting
    assert seen.actor == state.actor == 2


def test_chance_deals_every_set_of_cards_once_with_equal_odds() -> None:
    game = Holdem(ranks=3, suits=3, board_cards=(0,))
    odds: dict[tuple[tuple[int, ...], ...], float] = {}
    stack = [(game.start(), 1.0)]
    while stack:
        state, reach = stack.pop()
        if state.actor != CHANCE:
            odds[state.holes] = reach
            continue
        stack.extend((state.after(card), reach * p) for card, p in state.chance())
    assert len(odds) == 36 * 21
    assert list(odds.values()) == pytest.approx([1 / (36 * 21)] * len(odds))


def count(game: Holdem) -> tuple[int, int, int]:
    """Histories, infosets and terminal histories."""
    histories, terminals, infosets, stack = 0, 0, set(), [game.start()]
    while stack:
        state = stack.pop()
        histories += 1
        if state.actor == TERMINAL:
            terminals += 1
        elif state.actor == CHANCE:
            stack.extend(state.after(card) for card, _ in state.chance())
        else:
            infosets.add((state.actor, state.infoset(state.actor)))
            stack.extend(state.after(action) for action in state.actions())
    return histories, len(infosets), terminals


def test_a_three_card_one_street_game_is_kuhn_poker() -> None:
    assert count(KUHN) == (58, 12, 30)
    # Kuhn's equilibrium with alpha = 0: the probabilities to bet and to call.
    strategy = {
        (0, "Qs|"): (0, 0),
        (0, "Ks|"): (0, Fraction(1, 3)),
        (0, "As|"): (0, 1),
        (1, "Qs|"): (Fraction(1, 3), 0),
        (1, "Ks|"): (0, Fraction(1, 3)),
        (1, "As|"): (1, 1),
    }

    def value(state: HoldemState) -> Fraction:
        if state.actor == TERMINAL:
            return Fraction(state.returns()[0])
        if state.actor == CHANCE:
            cards = state.chance()
            return sum((value(state.after(c)) for c, _ in cards), Fraction(0)) / len(cards)
        card = state.infoset(state.actor)[:3]
        bet, call = strategy[state.actor, card]
        facing = state.betting.to_call > 0
        yes, no = ("c", "f") if facing else ("r1", "c")
        chance = Fraction(call if facing else bet)  # type: ignore[call-overload]
        return chance * value(state.after(yes)) + (1 - chance) * value(state.after(no))

    assert value(KUHN.start()) == Fraction(-1, 18)


def test_a_six_card_two_street_game_is_leduc_poker() -> None:
    """Sizes as OpenSpiel's leduc_poker has them."""
    assert count(LEDUC)[:2] == (9457, 936)


def test_pots_are_layers() -> None:
    assert build_pots((30, 60, 60), (True, True, True)) == [(90, (0, 1, 2)), (60, (1, 2))]
    assert build_pots((5, 60, 60), (False, True, True)) == [(125, (1, 2))]
    assert share_out((10, 10, 5), (True, True, False), (1, 1, 0)) == [13, 12, 0]
    half = Fraction(25, 2)
    assert share_out((10, 10, 5), (True, True, False), (1, 1, 0), split=True) == [half, half, 0]


games = st.builds(
    lambda players, stacks, blinds, ante, ante_from, limit, odd: Holdem(
        players=players,
        stacks=tuple(stacks[:players]),
        small_blind=min(blinds),
        big_blind=max(blinds),
        ante=ante,
        ante_from=ante_from,
        limit=limit,
        odd_chips=odd,
    ),
    st.integers(2, 10),
    st.lists(st.integers(1, 300), min_size=10, max_size=10),
    st.tuples(st.integers(0, 10), st.integers(0, 10)),
    st.integers(0, 5),
    st.sampled_from(["each", "each-dead", "big-blind"]),
    st.sampled_from(["no-limit", "fixed-limit"]),
    st.sampled_from(["left", "split"]),
)


@settings(max_examples=150)
@given(games, st.randoms(use_true_random=False))
def test_chips_are_kept_and_betting_closes(game: Holdem, rng: random.Random) -> None:
    chips = sum(game.betting_rules.stacks)
    deck = list(game.deck)
    rng.shuffle(deck)
    state = game.start()
    for _ in range(1000):
        betting = state.betting
        assert min(betting.stacks) >= 0
        assert sum(betting.stacks) + betting.pot == chips
        if state.actor == TERMINAL:
            break
        if state.actor == CHANCE:
            state = state.deal_from(deck)
            continue
        actions = state.actions()
        assert state.actor == betting.queue[0]
        assert betting.in_hand[state.actor]
        assert betting.stacks[state.actor] > 0
        state = state.after(actions[rng.randrange(len(actions))])
    assert state.actor == TERMINAL
    returns = state.returns()
    assert sum(Fraction(r).limit_denominator(1000) for r in returns) == 0
    assert all(r >= -s for r, s in zip(returns, game.betting_rules.stacks, strict=True))
    again = game.resume(state.holes, state.board, state.history)
    assert again == state


@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        ({"players": 11}, "players"),
        ({"stacks": "100,100,100"}, "stacks"),
        ({"stacks": "0"}, "stacks"),
        ({"stacks": 10**18}, "10¹⁷ chips"),
        ({"big_blind": 10**18}, "10¹⁷ chips"),
        ({"small_blind": 3}, "blind"),
        ({"limit": "spread-limit"}, "limit"),
        ({"ante_from": "nobody"}, "ante_from"),
        ({"odd_chips": "dealer"}, "odd_chips"),
        ({"bet_sizes": "1,2"}, "bet_sizes"),
        ({"max_raises": "1"}, "max_raises"),
        ({"board_cards": "0,3,1,1,1"}, "board_cards"),
        ({"ranks": 14}, "ranks"),
        ({"hole_cards": 5}, "hole cards"),
        ({"ranks": 2, "suits": 4}, "deck has 8"),
    ],
)
def test_impossible_parameters_are_refused(parameters: dict[str, int | str], word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        make_game("holdem", parameters)


@pytest.mark.parametrize(
    "action", ["r3", "r201", "r04", "r", "x", "F", "r4 ", "r٤", "r" + "9" * 5000]
)
def test_impossible_actions_are_refused(action: str) -> None:
    state = play(Holdem(), "AsKs QdQh", "", "")
    assert action not in state.actions()
    with pytest.raises(IllegalActionError):
        state.after(action)


def test_impossible_deals_are_refused() -> None:
    state = Holdem().start()
    with pytest.raises(IllegalActionError):
        state.deal(parse_cards("AsAs", distinct=False))
    with pytest.raises(IllegalActionError):
        state.after("As").after("As")
    with pytest.raises(IllegalActionError):
        state.after("Ks").after("As")


@pytest.mark.parametrize(
    ("hands", "board", "history"),
    [
        ("AsKs AsQs", "", ""),
        ("AsKs Qs", "", ""),
        ("AsKs QsJs 2c2d", "", ""),
        ("AsKs QsJs", "2c3c4c", ""),
        ("AsKs QsJs", "As3c4c", "cc/"),
        ("AsKs QsJs", "2c3c4c", "cc"),
        ("AsKs QsJs", "2c3c4c", "cc/x"),
    ],
)
def test_hands_that_cannot_be_are_not_resumed(hands: str, board: str, history: str) -> None:
    with pytest.raises(IllegalActionError):
        play(Holdem(), hands, board, history)


def test_legal_actions_are_a_sequence_that_is_not_written_out() -> None:
    actions = play(Holdem(stacks=(10**9,)), "AsKs QdQh", "", "").actions()
    assert len(actions) == 2 + 10**9 - 3
    assert actions[-1] == "r1000000000"
    assert actions[1:4] == ("c", "r4", "r5")
    assert "r77" in actions
    with pytest.raises(IndexError):
        actions[len(actions)]
