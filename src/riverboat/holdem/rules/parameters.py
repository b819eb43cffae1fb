"""What the parameters of a hold'em game may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from riverboat.errors import ParameterError

if TYPE_CHECKING:
    from riverboat.holdem.rules.state import Holdem

__all__ = ["ANTES", "LIMITS", "check_parameters"]

LIMITS = ("no-limit", "fixed-limit")
ANTES = ("each", "each-dead", "big-blind")


def check_parameters(game: Holdem) -> None:
    """Refuse parameters that cannot be, each with its value."""
    streets = len(game.board_cards)
    cards = game.players * game.hole_cards + sum(game.board_cards)
    deck = game.ranks * game.suits
    _require(2 <= game.players <= 10, f"players must be 2 to 10, not {game.players}")
    _require(game.limit in LIMITS, f"limit is {' or '.join(LIMITS)}, not {game.limit!r}")
    _require(
        game.ante_from in ANTES,
        f"ante_from is {', '.join(ANTES)}, not {game.ante_from!r}",
    )
    _require(
        game.odd_chips in ("left", "split"),
        f"odd_chips is left or split, not {game.odd_chips!r}",
    )
    _require(
        len(game.stacks) in (1, game.players) and min(game.stacks) > 0,
        f"stacks takes 1 or {game.players} numbers above 0, not {_listed(game.stacks)}",
    )
    _require(
        0 <= game.small_blind <= game.big_blind and game.ante >= 0,
        "blinds and ante must not be below 0, nor the small blind above the big blind: not"
        f" {game.small_blind}/{game.big_blind} and {game.ante}",
    )
    for name, forced in (("blinds", game.blinds), ("antes", game.antes)):
        _require(
            len(forced) in (0, game.players) and min(game.antes, default=0) >= 0,
            f"{name} takes {game.players} numbers, one a player, not {_listed(forced)}",
        )
    _require(
        1 <= streets <= 4 and min(game.board_cards) >= 0,
        "board_cards takes 1 to 4 numbers not below 0, one a street, not"
        f" {_listed(game.board_cards)}",
    )
    _require(
        len(game.bet_sizes) in (0, streets) and min(game.bet_sizes, default=1) > 0,
        f"bet_sizes takes {streets} numbers above 0, one a street, not {_listed(game.bet_sizes)}",
    )
    _require(
        len(game.max_raises) in (0, streets) and min(game.max_raises, default=0) >= 0,
        f"max_raises takes {streets} numbers not below 0, one a street, not"
        f" {_listed(game.max_raises)}",
    )
    _require(
        1 <= game.ranks <= 13 and 1 <= game.suits <= 4,
        f"ranks must be 1 to 13 and suits 1 to 4, not {game.ranks} and {game.suits}",
    )
    _require(
        1 <= game.hole_cards <= 4 and game.hole_cards + sum(game.board_cards) <= 7,
        "a player has 1 to 4 hole cards, and at most 7 cards with the board",
    )
    _require(cards <= deck, f"{cards} cards are needed and the deck has {deck}")


def _require(fine: bool, complaint: str) -> None:
    if not fine:
        raise ParameterError(f"holdem: {complaint}.")


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
