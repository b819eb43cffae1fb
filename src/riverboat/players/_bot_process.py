"""A bot of the user's in a process of its own, which can be ended when the bot does not answer.

A message is a pickle on the process's standard input, an answer one on its output:

    → Seat(programs, player_and_view)    ← True, or False where they cannot be read there
    → Turn(view, state, rng)             ← Answer(action, fault, rng)

The bot itself gets an empty standard input, and what it prints goes to standard error. The process
ends when its input does, whatever the bot is doing.
"""

from __future__ import annotations

import atexit
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import IO, Any, NamedTuple, cast

import numpy as np

from riverboat.errors import RiverboatError
from riverboat.games.base import Action, State
from riverboat.players.player import Player, View, keep_state, state_behind
from riverboat.runtime.plugins import load_program, loaded_programs, program_error

MAX_IDLE = 2  # Processes kept for bots to come; starting one takes some tenths of a second
START_SECONDS = 60.0  # After which a process that does not take its player is given up


class Seat(NamedTuple):
    """The player that a process asks from now on, and its first view, to see if it can be read."""

    programs: tuple[str, ...]  # Files to import first
    player_and_view: bytes


class Turn(NamedTuple):
    """A decision."""

    view: View
    state: State | None  # Behind the view, for its words
    rng: np.random.Generator


class Answer(NamedTuple):
    """What a player chose, as a plain text, or what went wrong."""

    action: Action
    fault: str = ""
    rng: Any = None  # The state of the random numbers after the decision


def ask(player: Player, view: View, rng: np.random.Generator) -> Answer:
    """The player's answer. All that runs code of the player, and might hang, is in here."""
    try:
        chosen: object = player.choose(view, rng)
        action = plain_text(chosen)
        if action is not None:
            return Answer(action)
        what = "nothing" if chosen is None else type(chosen).__name__
        where = "" if chosen is None else f"at {view.infoset} "
        return Answer("", f"{where}it chose {what}")
    except RiverboatError as error:
        return Answer("", str(error).rstrip("."))
    except BaseException as error:
        return Answer("", program_error(error))


def plain_text(value: object) -> str | None:
    """A text without the methods of a subclass, which could equal everything; None for others."""
    return str.__str__(value) if issubclass(type(value), str) else None


ENDED = Answer("", "its process has ended")


class BotProcess:
    """The process, as the table sees it."""

    def __init__(self) -> None:
        # Where this process finds modules the other one does, too.
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        program = "from riverboat.players._bot_process import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
        )
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._ended = False
        # A thread reads, since not every system can wait for a pipe with a timeout.
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe, suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                self._answers.put(pickle.load(pipe))
        self._answers.put(ENDED)

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def seat(self, programs: tuple[str, ...], player_and_view: bytes) -> bool:
        """Let the process have another player; False where it cannot."""
        return self._exchange(Seat(programs, player_and_view), START_SECONDS) is True

    def ask(self, view: View, rng: np.random.Generator, seconds: float) -> Answer | None:
        """The player's answer, or None after the time."""
        answer: Answer | None = self._exchange(Turn(view, state_behind(view), rng), seconds)
        if answer is not None and answer.rng is not None:
            rng.bit_generator.state = answer.rng
        return answer

    def _exchange(self, message: Seat | Turn, seconds: float) -> Any:
        if self._ended:
            return ENDED
        pipe = cast("IO[bytes]", self._process.stdin)
        try:
            # In bytes, so that one that cannot be read there does not garble the next.
            pickle.dump(pickle.dumps(message), pipe)
            pipe.flush()
            answer = self._answers.get(timeout=seconds)
            # A process that ends may close its output first, and still take what is written then.
            self._ended = answer is ENDED
            return answer
        except queue.Empty:
            return None
        except OSError:
            return ENDED

    def leave(self) -> None:
        """The bot is done: keep the process for another one."""
        _idle.append(self)
        while len(_idle) > MAX_IDLE:
            _idle.pop(0).end()

    def end(self) -> None:
        """End the process, whatever the bot does."""
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            cast("IO[bytes]", self._process.stdin).close()


_idle: list[BotProcess] = []


@atexit.register
def _end_idle() -> None:
    while _idle:
        _idle.pop().end()


def seated(player: Player, file: str, view: View) -> BotProcess | None:
    """A process that has the player of a file as it is now; None where it cannot be sent."""
    try:
        data = pickle.dumps((player, view, state_behind(view)))
    except Exception:
        return None
    programs = (file, *(program for program in loaded_programs() if program != file))
    # A used one may have modules of the same names from other folders; a new one is tried then.
    while True:
        used = bool(_idle)
        process = _idle.pop() if used else BotProcess()
        if process.running and process.seat(programs, data):
            return process
        process.end()
        if not used:
            return None


def main() -> None:
    """What the process does."""
    # Ctrl-C is for the process that asks; this one ends with its input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        with suppress(EOFError, OSError):
            while True:
                inbox.put(pickle.load(requests))
        os._exit(0)  # the bot may be in a loop

    threading.Thread(target=read, daemon=True).start()
    player: Any = None
    rng: np.random.Generator | None = None
    while True:
        answer: Any
        message = pickle.loads(inbox.get())
        if isinstance(message, Seat):
            try:
                for program in message.programs:
                    with suppress(RiverboatError):  # one that this player may not need
                        load_program(program)
                player, _, _ = pickle.loads(message.player_and_view)
                rng, answer = None, True
            except Exception:
                answer = False
        else:
            keep_state(message.view, message.state)
            rng = message.rng if rng is None else rng  # one for all turns: a bot may keep it
            rng.bit_generator.state = message.rng.bit_generator.state
            answer = ask(player, message.view, rng)._replace(rng=rng.bit_generator.state)
        pickle.dump(answer, answers)
        answers.flush()
