"""What every registered game must hold to, whatever its rules."""

import dataclasses
import importlib
import random

import pytest

import playthroughs
from riverboat.errors import IllegalActionError
from riverboat.games.base import CHANCE, TERMINAL, Game, State, parameters_of
from riverboat.games.registry import GAMES, make_game

every_game = pytest.mark.parametrize("name", GAMES)
small_games = pytest.mark.parametrize("name", [n for n in GAMES if make_game(n).small])


def random_states(game: Game, seed: int) -> list[State]:
    generator = random.Random(seed)
    states = [game.start()]
    while states[-1].actor != TERMINAL:
        state = states[-1]
        legal = [a for a, _ in state.chance()] if state.actor == CHANCE else list(state.actions())
        states.append(state.after(generator.choice(legal)))
        assert len(states) < 10_000, "a play should end"
    return states


@every_game
def test_the_game_describes_itself(name: str) -> None:
    game = make_game(name)
    assert game.name == name
    assert game.title
    assert game.num_players >= 1
    assert make_game(name, parameters_of(game)) == game
    assert type(game).__module__ != "builtins"
    assert len(importlib.import_module(type(game).__module__).__doc__ or "") > 200


@every_game
def test_random_plays_obey_the_protocol(name: str) -> None:
    game = make_game(name)
    for seed in range(30):
        for state in random_states(game, seed):
            assert hash(state) == hash(dataclasses.replace(state))  # type: ignore[type-var]
            assert isinstance(state.describe(None), str)
            if state.actor == TERMINAL:
                returns = state.returns()
                assert len(returns) == game.num_players
                if game.utility_sum is not None:
                    assert sum(returns) == pytest.approx(game.utility_sum, abs=1e-9)
                assert not state.actions()
                assert not state.chance()
            elif state.actor == CHANCE:
                outcomes = state.chance()
                assert sum(p for _, p in outcomes) == pytest.approx(1, abs=1e-12)
                assert all(p > 0 for _, p in outcomes)
                assert len({a for a, _ in outcomes}) == len(outcomes)
                assert not state.actions()
            else:
                assert 0 <= state.actor < game.num_players
                actions = list(state.actions())
                assert actions
                assert len(set(actions)) == len(actions)
                assert all(game.action_label(action) for action in actions)
                assert not state.chance()
                assert state.describe(state.actor)
            if state.actor != TERMINAL:
                with pytest.raises(IllegalActionError):
                    state.returns()
            legal = [a for a, _ in state.chance()] or list(state.actions())
            for bad in ("no such move", "", "".join(legal[:2]) * 2, "ｂ", "\x00"):
                with pytest.raises(IllegalActionError):
                    state.after(bad)


@small_games
def test_an_infoset_has_one_set_of_actions_and_perfect_recall(name: str) -> None:
    """States that a player cannot tell apart offer the same moves after the same own past."""
    game = make_game(name)
    seen: dict[tuple[int, str], tuple[tuple[str, ...], tuple[tuple[str, str], ...]]] = {}
    nothing: tuple[tuple[str, str], ...] = ()
    stack = [(game.start(), (nothing,) * game.num_players)]
    while stack:
        state, pasts = stack.pop()
        actor = state.actor
        if actor == TERMINAL:
            continue
        if actor == CHANCE:
            stack.extend((state.after(action), pasts) for action, _ in state.chance())
            continue
        key, actions = state.infoset(actor), tuple(state.actions())
        assert seen.setdefault((actor, key), (actions, pasts[actor])) == (actions, pasts[actor])
        for action in actions:
            own = (*pasts[actor], (key, action))
            stack.append((state.after(action), (*pasts[:actor], own, *pasts[actor + 1 :])))


@every_game
def test_golden_playthroughs(name: str) -> None:
    golden = playthroughs.GOLDEN / f"{name}.txt"
    assert playthroughs.golden_text(name) == golden.read_text()
