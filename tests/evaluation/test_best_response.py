"""Best responses against brute force, published values and OpenSpiel."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from riverboat.errors import UsageError
from riverboat.evaluation.best_response import best_response, evaluate
from riverboat.evaluation.head_to_head import exact_value, value_by_outcome
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.games.registry import make_game
from riverboat.solvers.profile import strategy_on
from riverboat.strategies.strategy import Strategy
from riverboat.trees.game_tree import GameTree, build_tree


def random_strategy(tree: GameTree, seed: int) -> Strategy:
    weights = np.random.default_rng(seed).exponential(size=tree.num_slots)
    sums = np.repeat(np.add.reduceat(weights, tree.offsets[:-1]), np.diff(tree.offsets))
    return strategy_on(tree, weights / sums)


def uniform(tree: GameTree) -> Strategy:
    return strategy_on(tree, tree.uniform())


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("rps", {"rock_stake": 2}),
        ("kuhn", {}),
        ("liars_dice", {"faces": 2}),
        ("leduc", {"ranks": 3, "suits": 1}),
    ],
)
def test_no_pure_strategy_does_better(name: str, parameters: dict[str, int]) -> None:
    """Every pure strategy of a player tried (or some of them) against the response."""
    tree = build_tree(make_game(name, parameters))
    strategy = random_strategy(tree, 3)
    found = evaluate(tree, strategy)
    rng = np.random.default_rng(9)
    for player in range(tree.num_players):
        mine = np.flatnonzero(tree.players == player)
        choices = [range(int(tree.offsets[i]), int(tree.offsets[i + 1])) for i in mine]
        total = np.prod([float(len(c)) for c in choices])
        pures = (
            itertools.product(*choices)
            if total <= 5000
            else ([int(rng.choice(c)) for c in choices] for _ in range(200))
        )
        best = -np.inf
        for pure in pures:
            profile = strategy.probabilities.copy()
            for slots in choices:
                profile[slots.start : slots.stop] = 0
            profile[list(pure)] = 1
            value = tree.reach(profile)[tree.terminals] @ tree.returns[:, player]
            best = max(best, value)
        assert best <= found.best_response[player] + 1e-12
        if total <= 5000:
            assert best == pytest.approx(found.best_response[player], abs=1e-12)


@pytest.mark.parametrize("players", [2, 3])
def test_the_response_earns_what_the_evaluation_says(players: int) -> None:
    tree = build_tree(make_game("kuhn", {"players": players}))
    strategy = random_strategy(tree, 1)
    found = evaluate(tree, strategy)
    for player in range(players):
        answer = best_response(tree, strategy, player)
        seats = [answer if p == player else strategy for p in range(players)]
        assert exact_value(tree, seats)[player] == pytest.approx(found.best_response[player])
        assert found.best_response[player] >= found.value[player]
    gains = np.array(found.best_response) - np.array(found.value)
    assert found.nash_conv == pytest.approx(gains.sum())
    assert found.exploitability == pytest.approx(gains.sum() / players)


def test_showdown_against_the_uniform_player() -> None:
    """+0.5 in the first seat and +0.292541 in the second."""
    tree = build_tree(make_game("showdown"))
    found = evaluate(tree, uniform(tree))
    assert found.best_response == pytest.approx([0.5, 0.292541], abs=5e-7)


def test_exact_value_takes_each_seat_from_its_own_strategy() -> None:
    """Kuhn, enumerated by hand: always betting against always folding wins the ante."""
    game = make_game("kuhn")
    tree = build_tree(game)
    bets = np.array([float(action == "b") for action in tree.actions])
    always, never = strategy_on(tree, bets), strategy_on(tree, 1 - bets)
    assert exact_value(game, [always, never]) == pytest.approx([1, -1])
    assert exact_value(game, [never, always]) == pytest.approx([-1, 1])
    assert exact_value(game, [never, never]) == pytest.approx([0, 0], abs=1e-12)
    with pytest.raises(UsageError, match="2 seats"):
        exact_value(game, [always])


def test_values_by_a_chance_outcome_average_to_the_value() -> None:
    tree = build_tree(make_game("showdown", {"cards": 6}))
    strategy = random_strategy(tree, 2)
    whole = exact_value(tree, [strategy, strategy])
    for event in range(3):
        parts = value_by_outcome(tree, strategy, event=event)
        assert list(parts) == [str(card) for card in range(1, 7)]
        mean = np.mean(list(parts.values()), axis=0)
        assert mean.tolist() == pytest.approx(whole)
    assert value_by_outcome(tree, strategy, event=3) == {}


def test_a_strategy_of_another_game_is_refused() -> None:
    kuhn = build_tree(make_game("kuhn"))
    other = build_tree(make_game("kuhn", {"players": 3}))
    with pytest.raises(UsageError, match="players=3, not for kuhn players=2"):
        evaluate(kuhn, uniform(other))
    with pytest.raises(UsageError, match="for kuhn, not for rps"):
        evaluate(make_game("rps"), uniform(kuhn))
    with pytest.raises(UsageError, match="players 0 to 1"):
        best_response(kuhn, uniform(kuhn), 2)


def test_infosets_in_another_order_or_missing_are_looked_up() -> None:
    tree = build_tree(make_game("kuhn"))
    strategy = random_strategy(tree, 4)
    turned = Strategy(
        game="kuhn",
        parameters=dict(strategy.parameters),
        infosets=strategy.infosets[::-1],
        players=strategy.players[::-1],
        offsets=strategy.offsets,
        actions=strategy.actions[::-1],
        probabilities=strategy.probabilities[::-1],
    )
    found, expected = evaluate(tree, turned), evaluate(tree, strategy)
    assert found.value == pytest.approx(expected.value)
    assert found.best_response == pytest.approx(expected.best_response)
    nothing = Strategy(
        "kuhn", {"players": 2}, (), np.zeros(0, np.int8), np.zeros(1, np.int64), (), np.zeros(0)
    )
    assert evaluate(tree, nothing) == evaluate(tree, uniform(tree))


@pytest.mark.parametrize(
    ("name", "theirs", "seed"), [("kuhn", "kuhn_poker", 0), ("leduc", "leduc_poker", 1)]
)
def test_openspiel_agrees_on_random_strategies(name: str, theirs: str, seed: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game(theirs)
    tree = build_tree(make_game(name))
    strategy = random_strategy(tree, seed)
    table: dict[str, list[tuple[int, float]]] = {}
    walk(tree.game.start(), game.new_initial_state(), strategy, table)
    policy = pyspiel.TabularPolicy(table)
    found = evaluate(tree, strategy)
    assert pyspiel.exploitability(game, policy) == pytest.approx(found.exploitability, abs=1e-12)
    assert pyspiel.nash_conv(game, policy) == pytest.approx(found.nash_conv, abs=1e-12)


def walk(ours: Any, theirs: Any, strategy: Strategy, table: dict[str, Any]) -> None:
    """Play both games side by side and note the strategy under the other's names."""
    if ours.actor == TERMINAL:
        assert theirs.is_terminal()
        assert list(ours.returns()) == theirs.returns()
        return
    actions = [a for a, _ in ours.chance()] if ours.actor == CHANCE else list(ours.actions())
    numbers = sorted(theirs.legal_actions())
    if ours.actor >= 0:
        known = strategy.lookup(ours.actor, ours.infoset(ours.actor))
        assert known is not None
        key = theirs.information_state_string(ours.actor)
        table[key] = [(n, known[a]) for n, a in zip(numbers, actions, strict=True)]
    for action, number in zip(actions, numbers, strict=True):
        walk(ours.after(action), theirs.child(number), strategy, table)
