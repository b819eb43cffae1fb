"""The sparring partners: legal everywhere, and as strong as they are meant to be."""

import numpy as np
import pytest

from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.games.registry import make_game
from riverboat.holdem.acpc.definitions import PRESETS
from riverboat.holdem.rules.state import Holdem
from riverboat.players.player import View
from riverboat.players.roster import make_player


def gains(game: Holdem, specs: list[str], hands: int, seed: int) -> np.ndarray:
    """Chips of the first player by hand; seats rotate."""
    rng = np.random.default_rng(seed)
    players, count = [make_player(game, spec) for spec in specs], len(specs)
    won = np.zeros(hands)
    for hand in range(hands):
        deck, state = [int(card) for card in rng.permutation(np.array(game.deck))], game.start()
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.deal_from(deck)
                continue
            actor = state.actor
            view = View(game, actor, state.infoset(actor), state.actions())
            action = players[(actor + hand) % count].choose(view, rng)
            assert action in state.actions()
            state = state.after(action)
        won[hand] = state.returns()[-hand % count]
    return won


@pytest.mark.e2e
@pytest.mark.parametrize("limit", ["no-limit", "fixed-limit"])
@pytest.mark.parametrize("style", ["fold", "call", "random"])
def test_rules_beat_the_thoughtless_by_four_standard_errors(limit: str, style: str) -> None:
    won = gains(Holdem(limit=limit), ["holdem:rules", f"holdem:{style}"], 1000, seed=1)
    assert won.mean() > 4 * won.std() / np.sqrt(len(won))


def test_a_folder_loses_what_it_must_post_to_one_who_always_raises() -> None:
    """Blinds of 1 and 2 in turn: 1.5 chips per hand, exactly."""
    game = Holdem()
    state = game.start().deal_from(list(game.deck))
    raised = state.after("r4")
    assert (
        make_player(game, "holdem:fold").choose(
            View(game, 0, raised.infoset(0), ("f", "c")), np.random.default_rng(0)
        )
        == "f"
    )
    assert raised.after("f").returns() == (-2.0, 2.0)
    assert state.after("f").returns() == (1.0, -1.0)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "limit-3p"])
@pytest.mark.parametrize("style", ["fold", "call", "random", "rules"])
def test_they_play_every_size_of_game(name: str, style: str) -> None:
    game = PRESETS[name]
    won = gains(game, [f"holdem:{style}"] + ["holdem:random"] * (game.players - 1), 30, seed=3)
    most = game.betting_rules.stacks[0]
    assert won.any()
    assert (-most <= won).all()
    assert (won <= (game.players - 1) * most).all()


def test_six_seats() -> None:
    game = Holdem(players=6)
    won = gains(game, ["holdem:rules", *["holdem:random"] * 5], 30, seed=4)
    assert won.min() >= -game.betting_rules.stacks[0]
    assert won.any()


def test_specs_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UsageError, match="kuhn"):
        make_player(make_game("kuhn"), "holdem:call")
    with pytest.raises(UnknownNameError, match="rules"):
        make_player(Holdem(), "holdem:rule")
    with pytest.raises(UsageError, match="options"):
        make_player(Holdem(), "holdem:call?x=1")
