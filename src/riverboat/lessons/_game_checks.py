"""Checks of the assignments on regret, best responses and CFR.

A strategy written down by hand: a table of infosets, for lessons and assignments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from riverboat.errors import ParameterError
from riverboat.evaluation.exploitability import evaluate
from riverboat.games.base import Game
from riverboat.games.registry import make_game
from riverboat.lessons.assignments import Check, Failed, need
from riverboat.strategies.any_strategy import AnyStrategy
from riverboat.strategies.strategy import Strategy, probabilities_on, strategy_on
from riverboat.trees.game_tree import build_tree

Table = Mapping[Any, Mapping[str, float]]


def own_strategy(game: str | Game, table: Table, rest: AnyStrategy | None = None) -> Strategy:
    """A strategy of a small game from {"J|": {"p": 0.8, "b": 0.2}, …}.

    What the table leaves out is taken from `rest`, or else all actions are equally likely. A key is
    an infoset, or (player, infoset) where two players have one of that name.
    """
    rules = make_game(game) if isinstance(game, str) else game
    tree = build_tree(rules)
    chances = tree.uniform() if rest is None else probabilities_on(tree, rest).copy()
    places: dict[Any, list[int]] = {}
    for i, (player, key) in enumerate(zip(tree.players.tolist(), tree.infosets, strict=True)):
        places.setdefault(key, []).append(i)
        places[player, key] = [i]
    for key, wanted in table.items():
        for i in places.get(key, ()):
            first, last = int(tree.offsets[i]), int(tree.offsets[i + 1])
            chances[first:last] = _checked(key, wanted, tree.actions[first:last])
        if key not in places:
            raise ParameterError(f"{rules.name} has no infoset {key!r}.")
    return strategy_on(tree, chances, {"algorithm": "by hand"})


def _checked(key: Any, wanted: Any, actions: tuple[str, ...]) -> list[float]:
    """The probabilities in the order of the actions."""
    if not isinstance(wanted, Mapping):
        raise ParameterError(f"At {key!r} give a table such as {{'{actions[0]}': 1.0}}.")
    unknown = [action for action in wanted if action not in actions]
    if unknown:
        raise ParameterError(
            f"At {key!r} there is no action {unknown[0]!r}; there are {', '.join(actions)}."
        )
    try:
        answer = [float(wanted.get(action, 0.0)) for action in actions]
    except (TypeError, ValueError):
        raise ParameterError(f"At {key!r} a probability is not a number.") from None
    if any(not math.isfinite(p) or p < -1e-9 for p in answer) or abs(sum(answer) - 1) > 1e-6:
        raise ParameterError(f"At {key!r} the probabilities must be 0 or more and add up to 1.")
    return answer


RPS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
KUHN_INFOSETS = [card + moves for card in "JQK" for moves in ("|", "|p", "|b", "|pb")]


def numbers(answer: Any, count: int, what: str) -> list[float]:
    """That many finite numbers, or a sentence that says what came instead."""
    try:
        values = [float(value) for value in answer]
    except (TypeError, ValueError):
        raise Failed(f"{what} returned {_short(answer)}, not a list of numbers.") from None
    need(len(values) == count, f"{what} returned {len(values)} numbers instead of {count}.")
    need(all(map(math.isfinite, values)), f"{what} returned {_short(answer)}: not all are finite.")
    return values


def _number(answer: Any, what: str) -> float:
    try:
        return numbers([answer], 1, what)[0]
    except Failed:
        raise Failed(f"{what} returned {_short(answer)}, not a number.") from None


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "…"


def _close(answer: Sequence[float], right: Sequence[float], error: float = 1e-9) -> bool:
    return all(abs(a - b) <= error for a, b in zip(answer, right, strict=True))


def _proportions(module: Any) -> None:
    answer = numbers(module.strategy([1.0, 3.0, 0.0]), 3, "strategy([1, 3, 0])")
    need(
        _close(answer, [0.25, 0.75, 0.0]),
        f"strategy([1, 3, 0]) returned {_short(answer)}; expected [0.25, 0.75, 0].",
        "Divide each regret by the sum of all positive regrets.",
    )


def _negative(module: Any) -> None:
    answer = numbers(module.strategy([2.0, -5.0, 2.0]), 3, "strategy([2, -5, 2])")
    need(
        _close(answer, [0.5, 0.0, 0.5]),
        f"strategy([2, -5, 2]) returned {_short(answer)}; expected [0.5, 0, 0.5].",
        "A negative regret counts as zero, in the sum too.",
    )


def _nothing(module: Any) -> None:
    for regrets in ([0.0, 0.0, 0.0, 0.0], [-1.0, -2.0, -3.0, 0.0]):
        answer = numbers(module.strategy(list(regrets)), 4, f"strategy({regrets})")
        need(
            _close(answer, [0.25] * 4),
            f"strategy({regrets}) returned {_short(answer)}; expected a quarter each.",
            "If no regret is positive, all actions are equally likely.",
        )


def _keeps(module: Any) -> None:
    regrets = [1.0, -1.0]
    module.strategy(regrets)
    need(
        regrets == [1.0, -1.0],
        f"strategy changed the list that it was given to {_short(regrets)}.",
        "Make a new list; the caller still needs the old one.",
    )


def _any_number(module: Any) -> None:
    rng = np.random.default_rng(1)
    for count in (1, 2, 5, 40):
        regrets = rng.normal(size=count).tolist()
        answer = numbers(module.strategy(list(regrets)), count, f"strategy of {count} regrets")
        positive = [max(r, 0.0) for r in regrets]
        total = sum(positive)
        right = [p / total if total else 1 / count for p in positive]
        need(_close(answer, right), f"strategy is wrong for {count} actions: {_short(answer)}.")


REGRET_MATCHING = (
    Check("plays in proportion to regret", _proportions),
    Check("does not play what is not regretted", _negative),
    Check("plays anything if nothing is regretted", _nothing),
    Check("leaves its argument alone", _keeps),
    Check("works for any number of actions", _any_number),
)


def _best_answer(module: Any) -> None:
    hint = "What each row wins is the sum of payoff × probability over the columns; take the best."
    answer = module.best_response([row[:] for row in RPS], [0.4, 0.3, 0.3])
    need(answer == 1, f"Against rock 40 % best_response returned {_short(answer)}, not 1.", hint)
    rng = np.random.default_rng(2)
    for rows, columns in ((2, 2), (3, 5), (6, 2)):
        payoff, column = rng.normal(size=(rows, columns)), rng.dirichlet(np.ones(columns))
        right = int(np.argmax(payoff @ column))
        answer = module.best_response(payoff.tolist(), column.tolist())
        need(answer == right, f"In a game of {rows} × {columns} the best row is missed.", hint)


def _equilibrium(module: Any) -> None:
    third = [1 / 3] * 3
    answer = _number(module.nash_conv([row[:] for row in RPS], third, third), "nash_conv")
    need(
        abs(answer) < 1e-9,
        f"NashConv of one third each is {answer:.4g}; an equilibrium has 0.",
        "Add what both players could gain: best response minus what they win now.",
    )


def _gains(module: Any) -> None:
    rng = np.random.default_rng(3)
    for rows, columns in ((3, 3), (2, 4), (5, 3)):
        payoff = rng.normal(size=(rows, columns))
        row, column = rng.dirichlet(np.ones(rows)), rng.dirichlet(np.ones(columns))
        right = float((payoff @ column).max() - (row @ payoff).min())
        answer = _number(module.nash_conv(payoff.tolist(), row.tolist(), column.tolist()), "It")
        need(
            abs(answer - right) < 1e-9,
            f"In a game of {rows} × {columns} NashConv is {answer:.4f}; expected {right:.4f}.",
            "The column player wins minus the payoff, so their best column has the least"
            " payoff. Sum the gains of both, do not take the mean.",
        )


MATRIX = (
    Check("finds the best row", _best_answer),
    Check("NashConv of an equilibrium is zero", _equilibrium),
    Check("NashConv adds up what both could gain", _gains),
)


def _kuhn_table(module: Any) -> dict[str, dict[str, float]]:
    if not hasattr(module, "_riverboat_answer"):
        module._riverboat_answer = module.solve(1000)
    table = module._riverboat_answer
    need(
        isinstance(table, Mapping),
        f"solve(1000) returned {_short(table)}, not a dictionary.",
        'Return {"J|": {"p": 0.8, "b": 0.2}, …}: the average strategy at all 12 infosets.',
    )
    return dict(table)


def _whole(module: Any) -> None:
    table = _kuhn_table(module)
    missing = [key for key in KUHN_INFOSETS if key not in table]
    need(
        not missing,
        f"{len(missing)} of 12 infosets are missing, {_short(missing[:1])} for one.",
        "Both players' infosets are needed: J|, J|p, J|b, J|pb and the same with Q and K.",
    )
    try:
        own_strategy("kuhn", table)
    except ParameterError as error:
        raise Failed(str(error)) from None


def _hard_to_exploit(module: Any) -> None:
    answer = evaluate(own_strategy("kuhn", _kuhn_table(module))).exploitability
    hint = "Add up each player's strategies weighted by their own reach, and divide at the end."
    if answer > 0.1:
        hint = "Is this the strategy of the last iteration? It goes in circles. " + hint
    need(
        answer <= 0.02, f"After 1,000 iterations exploitability is {answer:.4f}, above 0.02.", hint
    )


def _value(module: Any) -> None:
    answer = evaluate(own_strategy("kuhn", _kuhn_table(module))).value[0]
    need(
        abs(answer + 1 / 18) < 0.01,
        f"The first player wins {answer:+z.4f} per hand; the game is worth {-1 / 18:+z.4f}.",
    )


def _bluffs(module: Any) -> None:
    table = _kuhn_table(module)
    jack, king = float(table["J|"].get("b", 0)), float(table["K|"].get("b", 0))
    need(
        abs(jack - king / 3) < 0.05,
        f"The jack bets {jack:.3f} and the king {king:.3f}; a third of that is {king / 3:.3f}.",
        "Lesson 2 says why the jack must bet a third as often as the king.",
    )


KUHN = (
    Check("gives probabilities at all 12 infosets", _whole),
    Check("is hard to exploit after 1,000 iterations", _hard_to_exploit),
    Check("finds the value -1/18", _value),
    Check("bets the jack a third as often as the king", _bluffs),
)
