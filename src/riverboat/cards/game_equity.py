"""Equity by the name of a game: hold'em, short deck, Omaha with four or five cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

from riverboat.cards._decks import SHORT_DECK
from riverboat.cards.equity import DEFAULT_SAMPLES as HOLDEM_SAMPLES
from riverboat.cards.equity import Equity, TableSource
from riverboat.cards.equity import equity as holdem_equity
from riverboat.errors import UnknownNameError

EquityGame = Literal["holdem", "omaha", "omaha5", "shortdeck"]
GAMES: tuple[str, ...] = get_args(EquityGame)
_HOLE_CARDS = {"omaha": 4, "omaha5": 5}


def game_equity(
    game: str,
    players: Sequence[Any],
    board: str | Sequence[int] = "",
    *,
    method: str = "auto",
    samples: int | None = None,
    seed: int = 0,
    table: TableSource | None = None,
) -> Equity:
    """Each player's equity in one of `GAMES`; hands and ranges are texts or ranges of the game.

    `table` provides hold'em's table before the flop, as in `riverboat.cards.equity`.
    """
    if game not in GAMES:
        raise UnknownNameError.among("game of equity", game, GAMES)
    if game in _HOLE_CARDS:
        from riverboat.cards.omaha_equity import OMAHA_SAMPLES, omaha_equity

        return omaha_equity(
            players,
            board,
            hole_cards=_HOLE_CARDS[game],
            method=method,
            samples=OMAHA_SAMPLES if samples is None else samples,
            seed=seed,
        )
    samples = HOLDEM_SAMPLES if samples is None else samples
    if game == "shortdeck":
        return holdem_equity(
            players, board, method=method, samples=samples, seed=seed, deck=SHORT_DECK
        )
    return holdem_equity(players, board, method=method, samples=samples, seed=seed, table=table)
