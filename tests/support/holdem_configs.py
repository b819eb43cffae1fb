"""Small hold'em configs: Kuhn and Leduc poker with reduced decks and no abstraction, and more."""

from typing import Any

KUHN: dict[str, Any] = {
    "game": {
        "small_blind": 0,
        "big_blind": 0,
        "ante": 1,
        "ranks": 3,
        "suits": 1,
        "hole_cards": 1,
        "board_cards": [0],
        "limit": "fixed-limit",
        "bet_sizes": [1],
        "max_raises": [1],
        "stacks": 2,
    },
    "bets": {"preflop": "m"},
    "cards": {"scheme": "lossless"},
    "training": {"period": 8192},
}
LEDUC: dict[str, Any] = KUHN | {
    "game": {
        "small_blind": 0,
        "big_blind": 0,
        "ante": 1,
        "ranks": 3,
        "suits": 2,
        "hole_cards": 1,
        "board_cards": [0, 1],
        "limit": "fixed-limit",
        "bet_sizes": [2, 4],
        "max_raises": [2, 2],
        "stacks": 13,
    }
}
SMALL_HOLDEM: dict[str, Any] = {
    "game": {"players": 2, "stacks": 40, "small_blind": 1, "big_blind": 2},
    "bets": {"preflop": "1p,a", "flop": "1p,a", "cap": 2},
    "cards": {"scheme": "percentile", "flop": 10, "turn": 10, "river": 20},
    "training": {"period": 131_072, "prune_after": 100_000_000},
}
"""Two players, 52 cards, 20 big blinds: small enough to train in seconds."""
KUHN_TOML = """
[game]
small_blind = 0
big_blind = 0
ante = 1
ranks = 3
suits = 1
hole_cards = 1
board_cards = [0]
limit = "fixed-limit"
bet_sizes = [1]
max_raises = [1]
stacks = 2
[bets]
preflop = "m"
[cards]
scheme = "lossless"
[training]
period = 8192
"""
"""KUHN as a user writes it into a file."""
