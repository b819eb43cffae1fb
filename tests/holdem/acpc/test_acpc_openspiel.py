"""Our rules and our lines against the competition's own code, which OpenSpiel carries."""

import random
import re
from dataclasses import replace
from typing import Any

import pytest

from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.acpc._messages import format_action, format_log
from riverboat.holdem.acpc.definitions import PRESETS, parse_game, write_game
from riverboat.holdem.rules.state import Holdem

pyspiel = pytest.importorskip("pyspiel")
FOLD, CALL, RAISE = 0, 1, 2


def peer_game(game: Holdem) -> Any:
    load = pyspiel.universal_poker.load_universal_poker_from_acpc_gamedef
    parameters = load(write_game(game)).get_parameters()
    # Its full game numbers raises by their totals, which fixed limit does not have.
    sizes = "fcpa" if game.limit == "fixed-limit" else "fullgame"
    return pyspiel.load_game("universal_poker", parameters | {"bettingAbstraction": sizes})


def play_both(game: Holdem, peer: Any, rng: random.Random) -> None:
    deck = list(game.deck)
    number = {card: index for index, card in enumerate(game.deck)}
    rng.shuffle(deck)
    state, other = game.start(), peer.new_initial_state()
    while state.actor != TERMINAL:
        if state.actor == CHANCE:
            cards = sorted((deck.pop() for _ in range(state.pending)), reverse=True)
            for card in cards:
                other.apply_action(number[card])
            state = state.deal(cards)
            continue
        assert other.current_player() == state.actor
        low, high = state.betting.raise_range() or (1, 0)
        raises = [f"r{low}", f"r{high}"] if low <= high else []
        legal = other.legal_actions()
        assert (FOLD in legal) == ("f" in state.actions())
        wire = [int(format_action(state, text)[1:] or RAISE) for text in raises]
        peers = [action for action in legal if action > CALL]
        assert wire == ([min(peers), max(peers)] if peers else [])
        throw = rng.random()
        if throw < 0.35 and raises:
            text = f"r{rng.choice([low, low, rng.randint(low, high), high])}"
        else:
            text = "f" if throw > 0.9 and "f" in state.actions() else "c"
        code = {"f": FOLD, "c": CALL}.get(text)
        other.apply_action(
            code if code is not None else int(format_action(state, text)[1:] or RAISE)
        )
        state = state.after(text)
    assert other.is_terminal()
    assert state.returns() == pytest.approx(tuple(other.returns()), abs=1e-9)
    theirs = re.search(r"STATE:\S+", str(other))[0].split(":")  # type: ignore[index]
    ours = format_log(state, 0, ["x"] * game.players).split(":")
    # OpenSpiel makes small decks of the lowest ranks, the competition's dealer of the highest.
    shown = 4 if game.ranks == 13 else 3
    assert ours[:shown] == theirs[:shown]


@pytest.mark.parametrize(
    ("name", "hands"),
    [
        ("nolimit-2p", 40),
        ("nolimit-3p", 40),
        ("nolimit-6p", 40),
        ("limit-2p", 60),
        ("limit-3p", 60),
        ("limit-4p", 40),
        ("kuhn", 20),
        ("leduc", 30),
    ],
)
def test_random_hands_agree(name: str, hands: int) -> None:
    # Unlimited stacks overflow in OpenSpiel.
    game = replace(PRESETS[name], stacks=(min(20000, PRESETS[name].stacks[0]),))
    peer, rng = peer_game(game), random.Random(name)
    for _ in range(hands):
        play_both(game, peer, rng)


def test_short_stacks_and_no_limit_antes_agree() -> None:
    text = """GAMEDEF
    nolimit
    numPlayers = 3
    numRounds = 2
    stack = 12 12 12
    blind = 1 1 1
    firstPlayer = 1 1
    numSuits = 4
    numRanks = 5
    numHoleCards = 1
    numBoardCards = 0 1
    END GAMEDEF
    """
    game, rng = parse_game(text), random.Random(1)
    peer = peer_game(game)
    for _ in range(100):
        play_both(game, peer, rng)
