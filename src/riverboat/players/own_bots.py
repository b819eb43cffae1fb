"""Players written by the user: `my_bot.py:MyBot`, and what is done where such a player fails.

    class MyBot:
        def choose(self, view, rng):
            return view.actions[0]

A file is named with its class, or alone where it has only one class with `choose`. Options go to
the class: `my_bot.py:MyBot?nerve=0.7` makes MyBot(nerve=0.7). A name that it does not have is the
class's.

`GuardedPlayer` seats a player at a table of many. It answers for a player that raises, that takes
an action the rules refuse, or that does not answer in time: it checks where that is free, else
folds; in games without a pot it passes or stands. It counts these faults.

A bot from a file is asked in a process, which is ended when the bot does not answer. Others, such
as an object of a notebook, are asked in a thread, which is left behind then.
"""

from __future__ import annotations

import copy
import inspect
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, cast

import numpy as np

from riverboat.errors import IllegalActionError, RiverboatError, UnknownNameError, UsageError
from riverboat.games.base import Action, Game
from riverboat.players._bot_process import Answer, BotProcess, ask, plain_text, seated
from riverboat.players.player import LeaveTable, Player, View, safe_move
from riverboat.players.roster import PlayerSpec
from riverboat.runtime.plugins import load_program, program_error

MAX_NAME = 40  # Characters of a player's name that tables show
MOVE_SECONDS = 10.0  # Time for one decision at a table of many


class Chooser(Protocol):
    """The least that a bot has."""

    def choose(self, view: View, rng: np.random.Generator) -> Action: ...


class OwnBot:
    """A player whose class came from a file: it has a name, and its errors name their line."""

    def __init__(self, name: str, bot: Chooser, file: str = "") -> None:
        self.name, self.bot, self.file = name, bot, file

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        with _failures_named(self.name, view, self.file):
            return self.bot.choose(view, rng)


@contextmanager
def _failures_named(name: str, view: View, file: str) -> Iterator[None]:
    """Turn what a bot raises into a sentence; `sys.exit` must not end the match unseen."""
    try:
        yield
    except (RiverboatError, LeaveTable, KeyboardInterrupt):
        raise
    except BaseException as error:
        words = program_error(error, file)
        raise UsageError(f"{name} failed at {view.infoset}: {words}.") from error


def ask_own_bot(player: Player, view: View, rng: np.random.Generator) -> Action:
    """The choice of a player of the user's as a plain text, whatever class it has."""
    name = shown_name(player.name)
    with _failures_named(name, view, ""):
        answer = plain_text(player.choose(view, rng))
    if answer is None:
        raise IllegalActionError(f"At {view.infoset} {name} chose something that is no text.")
    return answer


def python_player(game: Game, spec: PlayerSpec) -> OwnBot:
    """`my_bot.py:MyBot`, or `python:my_bot.py:MyBot`: a class of your own with `choose`."""
    path, _, name = spec.argument.rpartition(":")
    if not path.endswith(".py"):
        path, name = spec.argument, ""
    module = load_program(path)
    candidate = getattr(module, name, None) if name else _only_class(module, path)
    if candidate is None:
        raise UsageError(f"{path} has no {name!r}; a bot is written {path}:CLASS.")
    options = {key: _value(text) for key, text in spec.options.items()}
    try:
        if callable(candidate):
            signature = inspect.signature(candidate)
            if not any(one.kind == one.VAR_KEYWORD for one in signature.parameters.values()):
                for key in options.keys() - signature.parameters.keys():
                    raise UnknownNameError.among(f"option of {path}", key, signature.parameters)
            signature.bind(**options)
        elif options:
            raise TypeError("it is no class")
        bot = candidate(**options) if callable(candidate) else candidate
        named = getattr(bot, "name", "") or f"{name or type(bot).__name__}"
        playable = callable(getattr(bot, "choose", None))
    except (RiverboatError, KeyboardInterrupt):
        raise
    except BaseException as error:
        words = program_error(error, module.__file__ or "")
        raise UsageError(f"{spec.argument} cannot be made: {words}.") from error
    if not playable:
        raise UsageError(f"{spec.argument} has no choose(view, rng); docs/bots.md shows a bot.")
    given = f"?{spec.text.partition('?')[2]}" if options else ""
    shown = shown_name(f"{shown_name(named)}{given}")
    return OwnBot(shown, cast(Chooser, bot), module.__file__ or "")


def _only_class(module: Any, path: str) -> Any:
    bots = [
        member
        for member in vars(module).values()
        if isinstance(member, type)
        and member.__module__ == module.__name__
        and callable(getattr(member, "choose", None))
    ]
    if len(bots) != 1:
        several = " and ".join(one.__name__ for one in bots) or "no class with choose(view, rng)"
        raise UsageError(f"{path} has {several}; name one as in {path}:MyBot.")
    return bots[0]


def _value(text: str) -> int | float | bool | str:
    """An option as Python would write it, where it is a number or a truth value."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)


def shown_name(name: object) -> str:
    """A name fit for a table: printable, in one line, not longer than MAX_NAME."""
    text = plain_text(name) or type(name).__name__
    plain = "".join(c if c.isprintable() else " " for c in text[: 10 * MAX_NAME])
    words = " ".join(plain.split()) or "unnamed"
    return words if len(words) <= MAX_NAME else f"{words[: MAX_NAME - 1]}…"


def is_own(player: Player) -> bool:
    """Whether a player's class is not one of Riverboat's."""
    return isinstance(player, OwnBot) or not type(player).__module__.startswith("riverboat.")


class GuardedPlayer:
    """A player of the user's at a table that must go on; see the module's docstring."""

    def __init__(self, player: Player, seconds: float = MOVE_SECONDS) -> None:
        self.name = shown_name(player.name)
        self.player, self.seconds = player, seconds
        self.faults, self.trouble = 0, ""  # How often, and what went wrong the first time
        self._asked: BotProcess | _BotThread | None = None
        self._gone = False

    def anew(self) -> GuardedPlayer:
        """The same player as it was at the start; itself where it cannot be copied."""
        try:
            return GuardedPlayer(copy.deepcopy(self.player), self.seconds)
        except KeyboardInterrupt:
            raise
        except BaseException:
            return GuardedPlayer(self.player, self.seconds)

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        if self._gone:
            return self._instead(view, "it does not answer any more")
        if self._asked is None:
            file = self.player.file if isinstance(self.player, OwnBot) else ""
            process = seated(self.player, file, view) if file else None
            self._asked = process or _BotThread(self.player)
        answer = self._asked.ask(view, rng, self.seconds)
        if answer is None:
            self._asked.end()
            self._gone, self._asked = True, None
            return self._instead(view, f"no answer within {self.seconds:g} s")
        if answer.fault:
            return self._instead(view, answer.fault)
        if answer.action not in view.actions:
            text = repr(shown_name(answer.action))
            return self._instead(view, f"at {view.infoset} it chose {text}")
        return answer.action

    def close(self) -> None:
        """The player is asked no more."""
        if self._asked is not None:
            self._asked.leave()
            self._asked = None

    def _instead(self, view: View, why: str) -> Action:
        self.faults += 1
        self.trouble = self.trouble or why
        return safe_move(view)


class _BotThread:
    """A thread in which a player is asked, so that the table need not wait for ever."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._turns: queue.SimpleQueue[tuple[View, np.random.Generator] | None]
        self._turns = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="bot", daemon=True).start()

    def ask(self, view: View, rng: np.random.Generator, seconds: float) -> Answer | None:
        """The player's answer, or None after the time."""
        self._turns.put((view, rng))
        try:
            return self._answers.get(timeout=seconds)
        except queue.Empty:
            return None

    def leave(self) -> None:
        """Let the thread end."""
        self._turns.put(None)

    def end(self) -> None:
        """Leave the thread behind; it ends when the player answers, or with the program."""
        self.leave()

    def _run(self) -> None:
        while (turn := self._turns.get()) is not None:
            self._answers.put(ask(self._player, *turn))
