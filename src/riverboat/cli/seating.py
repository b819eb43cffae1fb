"""Players for the terminal: those of the registry, and the person at the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from riverboat.games.base import Action, Game
from riverboat.players.human import HumanPlayer, LeaveTable
from riverboat.players.player import Player, View
from riverboat.players.roster import known_players, make_player, parse_spec, spec_of_file

if TYPE_CHECKING:
    from rich.console import Console

    from riverboat.players.coach import Coach

__all__ = ["LeaveTable", "ask_in_terminal", "in_columns", "move_keys", "seat_player"]

_FREE_KEYS = "123456789abcdefghijklmnoprstuvwxyz"


def seat_player(game: Game, text: str, console: Console | None = None) -> Player:
    """The player that a spec names; `human` is asked in the terminal, on `console` if given."""
    if text == "human":
        from riverboat.cli.console import output

        return HumanPlayer(ask_in_terminal(console or output()))
    known = known_players()
    if parse_spec(text).name not in known and spec_of_file(text) is None:
        from riverboat.errors import UnknownNameError

        raise UnknownNameError.among("player", text, [*known, "human"])
    return make_player(game, text)


def move_keys(actions: Sequence[Action]) -> dict[str, Action]:
    """What to type for each move: its digits if it has any ("15" for 1-5), else its first letter.

    Where that does not tell the moves apart they are numbered.
    """
    keys = ["".join(filter(str.isdigit, action)) or action[:1].lower() for action in actions]
    if len(set(keys)) == len(keys) and all(key.isalnum() and key != "q" for key in keys):
        return dict(zip(keys, actions, strict=True))
    if any(action.isdigit() for action in actions):  # a number must not mean another number
        return {action: action for action in actions}
    return dict(zip(_FREE_KEYS, actions, strict=False))


def in_columns(items: Sequence[str], width: int, indent: str = "  ") -> list[str]:
    """Items in one line if they fit in `width`, otherwise in columns of equal width."""
    line = indent + "  ".join(items)
    if len(line) <= width:
        return [line]
    cell = max(map(len, items)) + 2
    count = max(1, (width - len(indent)) // cell)
    rows = -(-len(items) // count)
    return [
        (indent + "".join(item.ljust(cell) for item in items[row::rows])).rstrip()
        for row in range(rows)
    ]


def ask_in_terminal(
    console: Console, coach: Coach | None = None, *, always_hint: bool = False
) -> Callable[[View], Action]:
    """A function that shows the scene, the hint below it, and reads a key until it is a move."""

    def hint(view: View) -> None:
        from rich.padding import Padding
        from rich.text import Text

        if coach is not None:
            for line in coach.advise(view).lines():
                console.print(Padding(Text(line, style="cyan"), (0, 0, 0, 4)))

    def ask(view: View) -> Action:
        keys = move_keys(view.actions)
        for line in view.scene().splitlines():
            console.print(f"  {line}", markup=False)
        if always_hint:
            hint(view)
        offer = [f"[{key}] {view.label(action)}" for key, action in keys.items()]
        extra = ["[?] hint"] if coach is not None else []
        lines = in_columns([*offer, *extra, "[q] leave"], console.width - 8)
        *above, last = lines if len(lines) == 1 else [*lines, " "]
        while True:
            for line in above:
                console.print(line, markup=False)
            try:
                text = console.input(f"{last} > ", markup=False).strip()
            except EOFError:
                raise LeaveTable from None
            if text == "q":
                raise LeaveTable
            if text == "?" and coach is not None:
                hint(view)
            elif text in keys:
                return keys[text]
            elif text in view.actions:
                return text
            else:
                console.print(f"  {text!r} is not one of {', '.join(keys)}.", markup=False)

    return ask
