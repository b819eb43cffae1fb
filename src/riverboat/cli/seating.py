"""Players for the terminal: those of the registry, and the person at the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from riverboat.games.base import Action, Game
from riverboat.players.player import Player, View
from riverboat.players.roster import PLAYERS, make_player, parse_spec

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["LeaveTable", "ask_in_terminal", "move_keys", "seat_player"]

_FREE_KEYS = "123456789abcdefghijklmnoprstuvwxyz"


class LeaveTable(Exception):  # noqa: N818
    """The person has had enough."""


def seat_player(game: Game, text: str, console: Console | None = None) -> Player:
    """The player that a spec names; `human` is asked in the terminal, on `console` if given."""
    if text == "human":
        from riverboat.cli.console import output
        from riverboat.players.human import HumanPlayer

        return HumanPlayer(ask_in_terminal(console or output()))
    if parse_spec(text).name not in PLAYERS:
        from riverboat.errors import UnknownNameError

        raise UnknownNameError.among("player", text, [*PLAYERS, "human"])
    return make_player(game, text)


def move_keys(game: Game, actions: Sequence[Action]) -> dict[str, Action]:
    """A key for each legal move: its first letter where that tells moves apart, else 1, 2, 3…"""
    letters = [action[0].lower() for action in actions]
    if len(set(letters)) == len(letters) and all(x.isalpha() and x != "q" for x in letters):
        return dict(zip(letters, actions, strict=True))
    return dict(zip(_FREE_KEYS, actions, strict=False))


def ask_in_terminal(
    console: Console, hint: Callable[[View], str] | None = None
) -> Callable[[View], Action]:
    """A function that shows the scene and reads a key until it is a legal move."""

    def ask(view: View) -> Action:
        keys = move_keys(view.game, view.actions)
        console.print(f"  {view.scene()}", markup=False)
        offer = "  ".join(f"[{k}] {view.game.action_label(a)}" for k, a in keys.items())
        extra = "  [?] hint" if hint is not None else ""
        while True:
            try:
                text = console.input(f"  {offer}{extra}  [q] leave > ", markup=False).strip()
            except EOFError:
                raise LeaveTable from None
            if text == "q":
                raise LeaveTable
            if text == "?" and hint is not None:
                console.print(f"  {hint(view)}", markup=False, style="cyan")
            elif text in keys:
                return keys[text]
            elif text in view.actions:
                return text
            else:
                console.print(f"  {text!r} is not one of {', '.join(keys)}.", markup=False)

    return ask
