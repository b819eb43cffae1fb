"""Checks of the assignments on counting, learning and betting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from riverboat.lessons._game_checks import numbers
from riverboat.lessons.assignments import Check, need
from riverboat.twentyone.learning.information import keys
from riverboat.twentyone.learning.optimum import evaluate, optimum, row_decisions

ENDS: tuple[Any, ...] = (17, 18, 19, 20, 21, "bust")
LITERAL, MAX_REGRET = (
    0.0305,
    0.02,
)  # Regret at which averages of random play end, and what is asked for


@cache
def _ends(total: int, ace: bool) -> tuple[float, ...]:
    """How often the dealer ends at each of ENDS from this hand, with an endless deck."""
    points = total + 10 if ace and total + 10 <= 21 else total
    if points >= 17:
        return tuple(float(end == (points if points <= 21 else "bust")) for end in ENDS)
    after = [
        (4 if card == 10 else 1, _ends(total + card, ace or card == 1)) for card in range(1, 11)
    ]
    return tuple(sum(weight * ends[i] for weight, ends in after) / 13 for i in range(len(ENDS)))


def _ask_dealer(module: Any, up: int) -> list[float]:
    answer = module.dealer(up)
    need(isinstance(answer, Mapping), f"dealer({up}) did not return a dictionary.")
    unknown = [end for end in answer if end not in ENDS]
    need(
        not unknown,
        f"dealer({up}) has the end {str(unknown[:1])[1:-1]}; there are 17 to 21 and 'bust'.",
        "Everything above 21 is 'bust', and the dealer does not stop below 17.",
    )
    return numbers([answer.get(end, 0.0) for end in ENDS], len(ENDS), f"dealer({up})")


def _sums(module: Any) -> None:
    for up in range(1, 11):
        total = sum(_ask_dealer(module, up))
        need(
            abs(total - 1) < 1e-9,
            f"The probabilities of dealer({up}) add up to {total:.4f}, not to 1.",
            "Each card from 1 to 9 comes with 1/13, a ten with 4/13.",
        )


def _busts(module: Any) -> None:
    answer, right = _ask_dealer(module, 6)[-1], _ends(6, False)[-1]
    need(
        abs(answer - right) < 1e-9,
        f"With a 6 the dealer busts {answer:.4f} of the time; expected {right:.4f}.",
        "An ace counts 11 if that does not bust, and the dealer stands on every 17.",
    )


def _aces(module: Any) -> None:
    for up in (1, 2, 5, 7, 10):
        answer, right = _ask_dealer(module, up), _ends(up, up == 1)
        worst = max(range(len(ENDS)), key=lambda i: abs(answer[i] - right[i]))
        need(
            abs(answer[worst] - right[worst]) < 1e-9,
            f"dealer({up}) gives {answer[worst]:.4f} for {ENDS[worst]}; expected"
            f" {right[worst]:.4f}.",
            "Remember in the recursion whether there is an ace, and count it as 11 while it fits.",
        )


def _expect(answer: Any, right: float, call: str, hint: str, form: str = ".4f") -> None:
    value = numbers([answer], 1, call.partition("(")[0])[0]
    words = f"{call} is {value:{form}}; expected {right:{form}}."
    need(abs(value - right) < 1e-9, words, hint)


def _standing(module: Any) -> None:
    hint = "You win 1 if the dealer busts or has less, lose 1 if the dealer has more; equal is 0."
    for points, up in ((16, 10), (20, 6), (12, 1), (21, 10), (17, 7)):
        ends = _ends(up, up == 1)
        right = ends[-1] + sum(
            p * ((points > end) - (points < end)) for end, p in zip(ENDS[:-1], ends, strict=False)
        )
        _expect(module.stand(points, up), right, f"stand({points}, {up})", hint, "+z.4f")


DEALER = (
    Check("the probabilities add up to 1", _sums),
    Check("a 6 busts as often as it should", _busts),
    Check("aces are counted right", _aces),
    Check("what standing is worth", _standing),
)


def _policy(module: Any) -> dict[str, str]:
    if not hasattr(module, "_riverboat_answer"):
        module._riverboat_answer = module.learn(1)
    answer = module._riverboat_answer
    need(
        isinstance(answer, Mapping),
        "learn(1) did not return a dictionary.",
        'Return {"12|6": "s", "8|T": "h", …}: points, a bar, the open card A23456789T.',
    )
    return {str(key): str(value) for key, value in answer.items()}


def _complete(module: Any) -> None:
    policy = _policy(module)
    wanted = [key for key in keys("points") if not key.startswith("21|")]
    missing = [key for key in wanted if key not in policy]
    need(
        not missing,
        f"{len(missing)} of {len(wanted)} states have no decision, {missing[:1]} for one.",
        "Rare states must be tried too; give a state that was never met a sensible default.",
    )
    odd = [policy[key] for key in wanted if policy[key] not in ("h", "s")]
    need(not odd, f"A decision is 'h' or 's', not {odd[:1]}.")


def _regret(module: Any) -> float:
    policy = _policy(module)
    rows = np.array(
        [policy.get(key) == "h" and not key.startswith("21|") for key in keys("points")], np.int8
    )
    best, _ = optimum("points", "reward")
    return best.reward - evaluate(row_decisions("points", rows)).reward


def _plays_well(module: Any) -> None:
    answer = _regret(module)
    hint = "More games help, and so does exploring less in states that are well known."
    if answer > 0.8 * LITERAL:
        hint = (
            "Averages of random play end at 0.0305: they ask what a hit is worth if all that"
            " follows is random. Play your best so far, and explore now and then."
        )
    need(
        answer <= MAX_REGRET,
        f"The strategy loses {answer:.4f} per game against the best, more than {MAX_REGRET}.",
        hint,
    )


LEARNING = (
    Check("decides in every state", _complete),
    Check("loses at most 0.02 per game against the best", _plays_well),
)


def _ruin(module: Any) -> None:
    hint = "If r is the risk with 1 chip, then r = (1 − p) + p·r², and with n chips it is rⁿ."
    for p, chips in ((0.55, 10), (0.51, 50), (0.6, 1)):
        right = ((1 - p) / p) ** chips
        _expect(module.risk_of_ruin(p, chips), right, f"risk_of_ruin({p}, {chips})", hint)


def _no_edge(module: Any) -> None:
    hint = "Without an edge every player is ruined in the end."
    for p in (0.5, 0.4):
        _expect(module.risk_of_ruin(p, 20), 1.0, f"risk_of_ruin({p}, 20)", hint)


def _kelly(module: Any) -> None:
    hint = "Set the derivative of growth to zero. Do not bet at all where there is no edge."
    for p, pays in ((0.55, 1.0), (0.6, 1.0), (0.4, 2.0), (0.3, 1.0)):
        right = max(0.0, p - (1 - p) / pays)
        _expect(module.kelly(p, pays), right, f"kelly({p}, {pays:g})", hint)


def _growth(module: Any) -> None:
    hint = "It is the mean of the logarithm of what one unit of money becomes."
    for p, pays, share in ((0.55, 1.0, 0.1), (0.55, 1.0, 0.3), (0.4, 2.0, 0.05)):
        right = p * math.log(1 + pays * share) + (1 - p) * math.log(1 - share)
        call = f"growth({p}, {pays:g}, {share})"
        _expect(module.growth(p, pays, share), right, call, hint, ".5f")


BANKROLL = (
    Check("the risk of ruin with an edge", _ruin),
    Check("the risk of ruin without an edge", _no_edge),
    Check("the growth of money", _growth),
    Check("Kelly's rule", _kelly),
)
