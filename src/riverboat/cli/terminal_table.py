"""A person at a table in the terminal: the hands, the prompt, the hint, the score.

`TerminalTable` drives any arena.table.Table for one person; a game with words or a picture of its
own says in a subclass what is different.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from riverboat.arena.hand import Hand
from riverboat.arena.table import Table, TableEvent
from riverboat.errors import UsageError
from riverboat.games.base import Action
from riverboat.players.coach import Advice
from riverboat.players.player import HumanPlayer, LeaveTable, View, move_keys

HINT = ("?", "h", "hint")  # Where no move is meant


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


def ask(console: Console, question: str) -> str:
    """What is typed; q or the end of the input leaves the table."""
    try:
        text = console.input(question, markup=False).strip()
    except EOFError:
        raise LeaveTable from None
    if text in ("q", "quit"):
        raise LeaveTable
    return text


def ask_for_move(
    console: Console,
    offer: Sequence[str],
    move_of: Callable[[str], Action],
    *,
    hint: Callable[[], None] | None = None,
) -> Action:
    """Show the moves on offer and read until one is chosen; `move_of` refuses what is no move."""
    extra = ["[?] hint"] if hint is not None else []
    lines = in_columns([*offer, *extra, "[q] leave"], console.width - 8)
    *above, last = lines if len(lines) == 1 else [*lines, " "]
    while True:
        for line in above:
            console.print(line, markup=False)
        text = ask(console, f"{last} > ")
        try:
            return move_of(text)
        except UsageError as error:
            if hint is not None and text in HINT:
                hint()
            else:
                console.print(f"  {error}", markup=False)


def moves_by_key(view: View) -> list[str]:
    """The moves with the keys that stand for them."""
    return [f"[{key}] {view.label(action)}" for key, action in move_keys(view.actions).items()]


def move_by_key(view: View, text: str) -> Action:
    """The move of a key, or the move itself."""
    keys = move_keys(view.actions)
    if text in keys:
        return keys[text]
    if text not in view.actions:
        raise UsageError(f"{text!r} is not one of {', '.join(keys)}.")
    return text


def show_scene(console: Console, view: View) -> None:
    """The scene in words, as the person sees it."""
    for line in view.scene().splitlines():
        console.print(f"  {line}", markup=False)


def person_at(console: Console) -> HumanPlayer:
    """A person who is asked in the terminal, at a table that somebody else drives."""

    def choose(view: View) -> Action:
        show_scene(console, view)
        return ask_for_move(console, moves_by_key(view), partial(move_by_key, view))

    return HumanPlayer(choose)


class TerminalTable(ABC):
    """A table in the terminal, where the person has place 0."""

    def __init__(self, table: Table, console: Console, *, always_hint: bool = False) -> None:
        self.table, self.console, self.always_hint = table, console, always_hint
        self.person = HumanPlayer(self.choose, "you")
        table.listener = self.receive

    def run(self, hands: int = 0) -> None:
        """Play until `hands` are over (0: no limit), the table ends or the person leaves."""
        self.welcome()
        try:
            while (not hands or self.table.played < hands) and (hand := self.next_hand()):
                hand.advance()
        except (LeaveTable, KeyboardInterrupt):
            self.console.print()
        self.farewell()

    def choose(self, view: View) -> Action:
        """The person's move."""
        self.show_scene(view)
        if self.always_hint:
            self.hint(view)
        hint = None if self.table.coach is None else partial(self.hint, view)
        return ask_for_move(self.console, self.offer(view), partial(self.move_of, view), hint=hint)

    def hint(self, view: View) -> None:
        """The coach's advice, where it has any."""
        advice = self.table.advise(view)
        if advice is not None:
            self.show_advice(advice)

    @abstractmethod
    def welcome(self) -> None:
        """The first lines."""

    @abstractmethod
    def next_hand(self) -> Hand | None:
        """Announce and deal the next hand; None where the table is over."""

    def show_scene(self, view: View) -> None:
        show_scene(self.console, view)

    def offer(self, view: View) -> list[str]:
        """The moves for the prompt."""
        return moves_by_key(view)

    def move_of(self, view: View, text: str) -> Action:
        """The move that is meant by what was typed; refused where there is none."""
        return move_by_key(view, text)

    def show_advice(self, advice: Advice) -> None:
        for line in advice.lines():
            self.console.print(Padding(Text(line, style="cyan"), (0, 0, 0, 4)))

    @abstractmethod
    def receive(self, event: TableEvent) -> None:
        """Show what happens."""

    @abstractmethod
    def farewell(self) -> None:
        """The last lines: the score."""
