"""Calls of the assistants' tools: right ones, and right ones with something wrong in them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

RIGHT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("blackjack_hand", {"hand": "T,6", "dealer": "10"}),
    ("blackjack_hand", {"hand": "A,7", "dealer": "9", "changes": {"h17": True}, "seen": "5,5"}),
    ("blackjack_hand", {"hand": "8,8", "dealer": "A", "rules": "european", "hands": 2}),
    ("blackjack_count", {"seen": "5,5,6,T,2,3", "system": "hilo", "ramp": "1 2@1"}),
    ("equity", {"players": ["AsAh", "KdKc"], "board": "Qs Jh 2d"}),
    ("equity", {"players": ["AsAh", "KdKc", "7h2c"]}),
    ("equity", {"players": ["AKs", "QQ"], "board": "9s8d2s"}),
    ("hand_rank", {"cards": "As Kd Qh Jc Ts"}),
    ("hand_rank", {"cards": "As7h8h9h", "board": "KsQsJs2s3d"}),
    ("poker_range", {"text": "QQ+,AKs,A5s:0.5", "form": "gto+"}),
    ("poker_range", {"text": "AsKs,AhKh"}),
    ("preflop", {"line": "btn", "hand": "A5s"}),
    ("preflop", {"line": "f-f-r2.5", "hand": "AsKd"}),
    ("push_fold", {"stacks": [10, 10], "hand": "K8o", "payouts": []}),
    (
        "spot",
        {
            "board": "Qs Jh 2h 7c 3d", "pot": 10, "stack": 10, "oop": "KK", "ip": "AA,99",
            "hand": "KsKd", "bets": "100%", "raises": "", "node": "r:0", "seconds": 0.05,
        },
    ),
    ("review", {"hands": "PokerStars Hand #1: Hold'em", "player": "x"}),
    ("solve_game", {"game": "kuhn", "parameters": {"players": 2}, "save_as": ""}),
    ("solve_game", {"game": "rps", "algorithm": "cfr+"}),
    ("solve_game", {"game": "kuhn", "algorithm": "lp:against=kuhn.rb"}),
    ("strategy_loss", {"game": "kuhn", "strategy": {"J|": {"p": 1}, "K|b": {"b": 1}}}),
    ("strategy_loss", {"file": "kuhn.rb"}),
)  # fmt: skip
"""A call of each kind."""

HEAVY = frozenset({"equity", "push_fold", "review", "solve_game", "spot", "strategy_loss"})
"""Tools whose calls may take seconds; one call in twenty is theirs."""

NASTY: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 10**30, -(10**18), 1e300, -1e-300, 0.5, "", " ", "A", "x",
    "AsAs", "AsAh AsAh", "As Ah As", "1" * 5_000, "A" * 100_000, "QQ+," * 20_000, "100%", "0%",
    "AsAh:1e400", "QQ:-1", "22+,A2s+:nan", "[0.5]AA[/0.4]", "\x00", "\ud7ff", "ﬁ♠♥", "../../etc",
    "/etc/passwd", "~/.ssh/id_rsa", "kuhn.rb/..", "..rb", "-rf.rb", "a\nb", "%s%n", "{0}", "$(ls)",
    "'; drop", "r:0:b999999999", "r:0:c:c:c", "openspiel:leduc_poker",
    "openspiel:efg_game(filename=/etc/passwd)", "my_bot.py:MyBot", "lp:against=/etc/passwd",
    "infinite", "3:0", "nan", "inf", "-inf", "1e9", "16vT:S@0", "1 2@1 " * 50, [], [[]], {},
    {"": 1}, [None], ["AsAh"], ["AsAh"] * 7, ["AsAh", "AsAh"], ["AsAh", "AhKh"],
    ["100%", "100%", "100%"], [1, 2, 3], [0, 0], [1e308, 1e308], [-5, 5], ["x" * 50_000] * 3,
    {"h17": "maybe"}, {"decks": 10**9}, {"bj_pays": "0:0"}, {"players": 99}, {"players": 3.7},
    {"x": {"y": {"z": 1}}},
    {"J|": {}}, {"J|": {"p": 0}}, {"J|": {"p": -1}}, {"J|": {"fly": 1}}, {"__class__": 1},
)  # fmt: skip
"""Values that no tool expects, and some that it may."""

KEYS = ("__proto__", "self", "shop", "library", "path", "file", "save_as", "", "hand ", "HAND")


def hostile_calls(seed: int, count: int) -> Iterator[tuple[str, Any]]:
    """Names and arguments of `count` calls, the same for the same seed."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        heavy = rng.random() < 0.05
        kind = [call for call in RIGHT if (call[0] in HEAVY) is heavy]
        name, arguments = kind[int(rng.integers(len(kind)))]
        given: dict[str, Any] = copy.deepcopy(arguments)
        wrong = 0 if rng.random() < 0.1 else int(rng.integers(1, 4))
        for _ in range(wrong):
            _spoil(given, rng)
        if rng.random() < 0.02:
            name = str(_nasty(rng))[:200]
        yield name, given


def _nasty(rng: np.random.Generator) -> Any:
    return copy.deepcopy(NASTY[int(rng.integers(len(NASTY)))])


def _spoil(given: dict[str, Any], rng: np.random.Generator) -> None:
    """Change one thing: a value, a part of a text, a key that is missing or too many."""
    kind, keys = rng.random(), list(given)
    if kind < 0.1 or not keys:
        given[KEYS[int(rng.integers(len(KEYS)))]] = _nasty(rng)
        return
    key = keys[int(rng.integers(len(keys)))]
    value = given[key]
    if kind < 0.2:
        del given[key]
    elif kind < 0.5 and isinstance(value, str) and value:
        cut = int(rng.integers(len(value)))
        other = str(_nasty(rng))[:30] if rng.random() < 0.5 else chr(int(rng.integers(32, 0x2700)))
        given[key] = value[:cut] + other + value[cut + int(rng.integers(2)) :]
    elif kind < 0.6 and isinstance(value, list) and value:
        value[int(rng.integers(len(value)))] = _nasty(rng)
    else:
        given[key] = _nasty(rng)
