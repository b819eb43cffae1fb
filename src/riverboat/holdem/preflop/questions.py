"""Games before the flop from a file, a text or keys: all-in or fold, or two players with flops.

`game = "push-fold"` (`pushfold.push_fold` has its keys) is meant where no game is named,
`game = "flops"` has those of `flop_question`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from riverboat.errors import UnknownNameError, UsageError
from riverboat.holdem.preflop.flop_game import FlopGame
from riverboat.holdem.preflop.flop_question import GAME, read_flop_game, solve_flop_game
from riverboat.holdem.preflop.push_fold import GAME as PUSH_FOLD
from riverboat.holdem.preflop.push_fold import PushFold
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.runtime.storage import parse_toml, read_text

MAX_BYTES = 1_000_000


class FlopQuestion:
    """A game with flops and its keys, to be solved by `rb.solve`."""

    def __init__(self, game: FlopGame, spec: Mapping[str, Any]) -> None:
        self.game, self.spec = game, dict(spec)

    def __repr__(self) -> str:
        stacks = " and ".join(f"{stack:g}" for stack in self.game.stacks)
        return f"<FlopQuestion stacks {stacks}, {len(self.game.flops)} flops>"

    def solve(self, **options: Any) -> PreflopSolution:
        """Solve it; `solve_flop_game` has the options: target, iterations, threads, device, …"""
        return solve_flop_game(self.game, self.spec, **options)


def read_game(path: str | Path) -> tuple[dict[str, Any], PushFold | FlopGame]:
    """The keys of a TOML file and the game that they make."""
    return parse_game(read_text(path, MAX_BYTES))


def parse_game(text: str) -> tuple[dict[str, Any], PushFold | FlopGame]:
    """The keys of a TOML text and the game that they make."""
    table = parse_toml(text, "The game")
    return table, game_of_keys(table)


def game_of_keys(table: Mapping[str, Any]) -> PushFold | FlopGame:
    """The game of the keys of a TOML."""
    name = table.get("game", PUSH_FOLD)
    if isinstance(name, str) and name == GAME:
        return read_flop_game(table)
    if not isinstance(name, str) or name != PUSH_FOLD:
        raise UnknownNameError.among("game before the flop", str(name), (PUSH_FOLD, GAME))
    return PushFold.from_fields(table)


def make_preflop(source: str | Path | None = None, **keys: Any) -> PushFold | FlopQuestion:
    """A game from a file, from the text of one, or from the keys of its TOML."""
    if source is not None and keys:
        raise UsageError("Name a game's file or give its keys, not both.")
    if source is None and not keys:
        raise UsageError("A game needs stacks, or a file with them.")
    if source is None:
        spec, game = dict(keys), game_of_keys(keys)
    else:
        text = str(source)
        spec, game = parse_game(text) if "\n" in text else read_game(text)
    return FlopQuestion(game, spec) if isinstance(game, FlopGame) else game
