"""The rules of hold'em against PokerKit: every legal set, every turn, every payoff."""

import random
from typing import Any

import pytest

from riverboat.cards.card import cards_text
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.rules.state import Holdem, HoldemState

pokerkit = pytest.importorskip("pokerkit")
# It warns when a card is dealt that its own shuffled deck has not on top.
pytestmark = pytest.mark.filterwarnings("ignore:A card being dealt:UserWarning")


def random_game(rng: random.Random) -> Holdem:
    """Any table: stacks below the blinds too, antes above them, caps and sizes of all kinds."""
    players = rng.randint(2, 10)
    big_blind = rng.choice([1, 2, 2, 3, 10])
    depth = rng.choice([1, 2, 8, 30, 100])
    fixed = rng.random() < 0.4
    caps = tuple(rng.randint(0, 5) for _ in range(4))
    return Holdem(
        players=players,
        stacks=tuple(rng.randint(1, depth * big_blind) for _ in range(players)),
        small_blind=rng.randint(0, big_blind),
        big_blind=big_blind,
        ante=rng.choice([0, 0, 1, 3, 2 * big_blind]),
        ante_from=rng.choice(["each", "each-dead", "big-blind"]),
        limit="fixed-limit" if fixed else "no-limit",
        bet_sizes=rng.choice([(), tuple(rng.randint(1, 3 * big_blind) for _ in range(4))]),
        max_raises=rng.choice([(), (), caps]),
    )


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
    structure = pokerkit.BettingStructure
    streets = tuple(
        pokerkit.Street(
            street > 0,
            () if street else (False, False),
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
        pokerkit.Deck.STANDARD,
        (pokerkit.StandardHighHand,),
        streets,
        structure.FIXED_LIMIT if rules.fixed else structure.NO_LIMIT,
        game.ante_from == "each",
        {1: game.ante} if game.ante_from == "big-blind" else game.ante,
        (game.small_blind, game.big_blind),
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


def play_hands(hands: int, seed: int) -> None:
    rng = random.Random(seed)
    for hand in range(hands):
        game = random_game(rng)
        try:
            play_both(game, rng)
        except AssertionError as error:
            error.add_note(f"hand {hand} of seed {seed}: {game}")
            raise


@pytest.mark.e2e
def test_five_hundred_random_hands() -> None:
    play_hands(500, seed=1)


@pytest.mark.slow
def test_thirty_thousand_random_hands() -> None:
    play_hands(30_000, seed=2)
