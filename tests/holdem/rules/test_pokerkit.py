"""The rules against PokerKit: every legal set, every turn, every payoff."""

import random
from typing import Any

import pytest

from riverboat.cards.card import cards_text
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.rules.omaha import Omaha
from riverboat.holdem.rules.short_deck import ShortDeck
from riverboat.holdem.rules.state import Holdem, HoldemState

pokerkit = pytest.importorskip("pokerkit")
# It warns when a card is dealt that its own shuffled deck has not on top.
pytestmark = pytest.mark.filterwarnings("ignore:A card being dealt:UserWarning")


def random_game(rng: random.Random, kind: type[Holdem] = Holdem) -> Holdem:
    """Any table: stacks below the blinds too, antes above them, caps and sizes of all kinds."""
    players = rng.randint(2, 10)
    big_blind = rng.choice([1, 2, 2, 3, 10])
    depth = rng.choice([1, 2, 8, 30, 100])
    limit = rng.choice(["no-limit", "no-limit", "pot-limit", "fixed-limit", "fixed-limit"])
    if kind is Omaha:
        limit = rng.choice(["pot-limit", "pot-limit", "pot-limit", "no-limit"])
    caps = tuple(rng.randint(0, 5) for _ in range(4))
    return kind(
        players=players,
        stacks=tuple(rng.randint(1, depth * big_blind) for _ in range(players)),
        small_blind=rng.choice([0, rng.randint(0, big_blind)]),
        big_blind=big_blind,
        ante=rng.choice([0, 0, 1, 3, 2 * big_blind]),
        ante_from=rng.choice(["each", "each-dead", "big-blind"]),
        limit=limit,
        bet_sizes=rng.choice([(), tuple(rng.randint(1, 3 * big_blind) for _ in range(4))]),
        max_raises=rng.choice([(), (), caps]),
    )


HANDS = {
    Holdem: pokerkit.StandardHighHand,
    Omaha: pokerkit.OmahaHoldemHand,
    ShortDeck: pokerkit.ShortDeckHoldemHand,
}
STRUCTURES = {
    "no-limit": pokerkit.BettingStructure.NO_LIMIT,
    "pot-limit": pokerkit.BettingStructure.POT_LIMIT,
    "fixed-limit": pokerkit.BettingStructure.FIXED_LIMIT,
}
every_kind = pytest.mark.parametrize("kind", HANDS)


def peer_state(game: Holdem) -> Any:
    automation = pokerkit.Automation
    automations = (
        automation.ANTE_POSTING,
        automation.BET_COLLECTION,
        automation.BLIND_OR_STRADDLE_POSTING,
        automation.CARD_BURNING,
        automation.HOLE_CARDS_SHOWING_OR_MUCKING,
        automation.HAND_KILLING,
        automation.CHIPS_PUSHING,
        automation.CHIPS_PULLING,
    )
    rules = game.betting_rules
    streets = tuple(
        pokerkit.Street(
            street > 0,
            () if street else (False,) * game.hole_cards,
            game.board_cards[street],
            False,
            pokerkit.Opening.POSITION,
            rules.bet_sizes[street],
            rules.max_raises[street],
        )
        for street in range(4)
    )
    return pokerkit.State(
        automations,
        pokerkit.Deck.SHORT_DECK_HOLDEM if isinstance(game, ShortDeck) else pokerkit.Deck.STANDARD,
        (HANDS[type(game)],),
        streets,
        STRUCTURES[game.limit],
        game.ante_from == "each",
        {1: game.ante} if game.ante_from == "big-blind" else game.ante,
        rules.blinds[::-1] if game.players == 2 else rules.blinds,
        0,
        game.stacks,
        game.players,
    )


def choose(state: HoldemState, rng: random.Random) -> str:
    """Mostly calls, sometimes a fold, a least raise, an all-in or any raise."""
    actions = state.betting.actions()
    throw = rng.random()
    if actions.raises and throw < 0.35:
        low, high = actions.raises
        return f"r{rng.choice([low, low, min(high, low + 3), rng.randint(low, high), high])}"
    return "f" if "f" in actions and throw < 0.45 else "c"


def play_both(game: Holdem, rng: random.Random) -> None:
    deck = list(game.deck)
    rng.shuffle(deck)
    state, peer = game.start(), peer_state(game)
    while state.actor != TERMINAL:
        if state.actor == CHANCE:
            cards = [deck.pop() for _ in range(state.pending)]
            deal = peer.deal_board if len(state.holes) == game.players else peer.deal_hole
            deal(cards_text(cards))
            state = state.deal(cards)
            continue
        assert state.actor == peer.actor_index
        betting, actions = state.betting, state.betting.actions()
        assert betting.to_call == peer.checking_or_calling_amount
        assert ("f" in actions) == peer.can_fold()
        low = peer.min_completion_betting_or_raising_to_amount
        high = peer.max_completion_betting_or_raising_to_amount
        assert actions.raises == (None if low is None else (low, high))
        assert list(betting.stacks) == peer.stacks
        assert list(betting.bets) == peer.bets
        action = choose(state, rng)
        if action == "f":
            peer.fold()
        elif action == "c":
            peer.check_or_call()
        else:
            peer.complete_bet_or_raise_to(int(action[1:]))
        state = state.after(action)
    assert not peer.status
    assert list(state.returns()) == peer.payoffs


def play_hands(hands: int, seed: int, kind: type[Holdem]) -> None:
    rng = random.Random(seed)
    for hand in range(hands):
        game = random_game(rng, kind)
        try:
            play_both(game, rng)
        except AssertionError as error:
            error.add_note(f"hand {hand} of seed {seed}: {game}")
            raise


@pytest.mark.parametrize("kind", [Omaha, ShortDeck])
def test_a_hundred_random_hands(kind: type[Holdem]) -> None:
    play_hands(100, 3, kind)


@pytest.mark.e2e
@every_kind
def test_five_hundred_random_hands(kind: type[Holdem]) -> None:
    play_hands(500, 1, kind)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", [2, 4, 5])
@every_kind
def test_three_times_ten_thousand_random_hands(kind: type[Holdem], seed: int) -> None:
    play_hands(10_000, seed, kind)


def test_the_games_of_pokerkit_by_name_have_the_same_first_decision() -> None:
    """Their factories, not our own settings, say what pot-limit Omaha and short deck are."""
    automations = (
        pokerkit.Automation.ANTE_POSTING,
        pokerkit.Automation.BET_COLLECTION,
        pokerkit.Automation.BLIND_OR_STRADDLE_POSTING,
    )
    omaha = pokerkit.PotLimitOmahaHoldem.create_state(automations, True, 0, (1, 2), 2, 200, 6)
    six = pokerkit.NoLimitShortDeckHoldem.create_state(automations, True, 2, {-1: 2}, 2, 200, 6)
    for peer, game in ((omaha, Omaha(players=6)), (six, ShortDeck(players=6))):
        deck = list(game.deck)
        for _ in range(6):
            peer.deal_hole(cards_text([deck.pop() for _ in range(game.hole_cards)]))
        state = game.start().deal_from(list(game.deck))
        assert state.actor == peer.actor_index
        assert state.betting.pot == peer.total_pot_amount
        low = peer.min_completion_betting_or_raising_to_amount
        high = peer.max_completion_betting_or_raising_to_amount
        assert state.betting.raise_range() == (low, high)
