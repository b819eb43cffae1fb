"""The search in a process of its own, so that an answer comes by the clock on a busy machine.

A thread would not do: a solver is preempted while it holds the interpreter lock, and next to ten
busy processes the waiting thread then gets it up to a second late. A process that only waits wakes
up within some 50 ms. It waits in short naps, measures how late it wakes from them, and stops
waiting that much earlier (`Punctuality`). Requests and answers are lines of JSON:

    → {"number": 5, "player": 0, "infoset": "AhQd|Qs7h2d|r6c/", "until": 812.4}
    ← {"number": 5, "chances": {"c": 0.3, "r12": 0.7}}     null where the blueprint plays
    → {"late": 5}                                          the blueprint took that decision

The process ends when its input does. It compiles everything before it says that it is ready.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields
from typing import IO, Any, Protocol

from riverboat.errors import RiverboatError
from riverboat.games.base import Action
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search.searcher import SOLVE_SHARE, Searcher
from riverboat.holdem.spots.bet_sizes import ALL_IN
from riverboat.runtime.stopping import notice

FIRST_RESERVE, MIN_RESERVE, RESERVE_SHARE = 0.12, 0.02, 0.6
"""Time kept back for waking up: seconds before anything is measured, the least, and the largest
share of a decision's time."""
NAP = 0.03  # Seconds after which a wait is looked at
MEMORY, SAFETY = 400, 1.5  # Naps that are remembered, and how many times their worst is kept back
MAX_IDLE = 2  # Processes kept for players to come; one takes seconds to start
WARM_UP_BOARD = (41, 23, 0, 30, 6)  # Any cards


class Punctuality:
    """How late this process wakes up, which says how early a wait must end."""

    def __init__(self) -> None:
        self._late: deque[float] = deque([FIRST_RESERVE / SAFETY], MEMORY)

    def note(self, late: float) -> None:
        """A nap took `late` seconds longer than it should."""
        self._late.append(late)

    def due(self, begin: float, seconds: float) -> float:
        """The moment at which to wait no longer for the answer to a decision."""
        kept_back = max(MIN_RESERVE, SAFETY * max(self._late))
        return begin + seconds - min(kept_back, RESERVE_SHARE * seconds)


class SearchWorker:
    """A searcher in another process, which one player at a time may ask."""

    def __init__(self, game: Holdem, source: str, given: Mapping[str, str]) -> None:
        # Where this process finds the package the other one does, too.
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "riverboat.holdem.search._worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._answers = open_answers(self._process.stdout)
        self._number = 0
        self._ended = False
        self.punctuality = Punctuality()
        parameters = {field.name: getattr(game, field.name) for field in fields(Holdem)}
        self._send({"game": parameters, "blueprint": source, "options": dict(given)})
        first = self._answers.get(None) or {"error": "The search's process has ended."}
        if "error" in first:
            self.close()
            raise RiverboatError(first["error"])

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def ask(
        self, player: int, infoset: str, begin: float, seconds: float
    ) -> dict[Action, float] | None:
        """The search's answer to a decision that began at `begin` and may take `seconds`.

        None where the blueprint plays and where the answer is late. A solve that misses the
        deadline continues in the background so later decisions can reuse it.
        """
        due = self.punctuality.due(begin, seconds)
        self._number += 1
        # time.perf_counter is one clock for all processes of a machine.
        until = begin + SOLVE_SHARE * (due - begin)
        request = {"number": self._number, "player": player, "infoset": infoset, "until": until}
        if not self._send(request):
            if not self._ended:
                notice("The search's process has ended; the blueprint plays on without it.")
            self._ended = True
            return None
        while (answer := self._next(begin, seconds)) is not None:
            if answer["number"] == self._number:
                if "error" in answer:
                    raise RiverboatError(answer["error"])
                chances: dict[Action, float] | None = answer["chances"]
                return chances
        self._send({"late": self._number})
        return None

    def _next(self, begin: float, seconds: float) -> dict[str, Any] | None:
        """The next answer; None if it is not there in time, or the process has ended."""
        while True:
            now = time.perf_counter()
            nap = max(0.0, min(NAP, self.punctuality.due(begin, seconds) - now))
            try:
                return self._answers.get(nap)
            except queue.Empty:
                if nap == 0.0:
                    return None
                self.punctuality.note(time.perf_counter() - now - nap)

    def _send(self, message: Mapping[str, Any]) -> bool:
        try:
            self._input.write(json.dumps(message).encode() + b"\n")
            self._input.flush()
        except (OSError, ValueError):  # ended, or closed here
            return False
        return True

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            self._input.close()
        self._answers.close()


class Answers(Protocol):
    """Where a worker's lines arrive."""

    def get(self, timeout: float | None) -> dict[str, Any] | None:
        """The next line, None at the end; queue.Empty where there is none in time."""

    def close(self) -> None: ...


class PolledAnswers:
    """Waits for the pipe itself: who waits is woken once, without a thread in between."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe, self._buffer = pipe, b""
        self._poll = select.poll()
        self._poll.register(pipe, select.POLLIN)

    def get(self, timeout: float | None) -> dict[str, Any] | None:
        while b"\n" not in self._buffer:
            if not self._poll.poll(None if timeout is None else 1000 * timeout):
                raise queue.Empty
            data = os.read(self._pipe.fileno(), 65_536)
            if not data:
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        self._pipe.close()


class ThreadedAnswers:
    """A thread reads, for systems that cannot wait for a pipe with a timeout."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._queue: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(pipe,), daemon=True).start()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            for line in pipe:
                self._queue.put(json.loads(line))
        self._queue.put(None)

    def get(self, timeout: float | None) -> dict[str, Any] | None:
        return self._queue.get(timeout=timeout)

    def close(self) -> None:
        """The thread ends with the pipe."""


def open_answers(pipe: IO[bytes]) -> Answers:
    """The lines of a pipe, in the way that this system allows."""
    return PolledAnswers(pipe) if hasattr(select, "poll") else ThreadedAnswers(pipe)


_idle: list[tuple[object, SearchWorker]] = []


def take_worker(key: object, game: Holdem, source: str, given: Mapping[str, str]) -> SearchWorker:
    """A worker for these arguments, which `key` stands for: an idle one, or a new one."""
    for number, (known, worker) in enumerate(_idle):
        if known == key and worker.running:
            del _idle[number]
            return worker
    return SearchWorker(game, source, given)


def give_back(key: object, worker: SearchWorker) -> None:
    """Keep a worker for the next player with the same key; the oldest idle one may go."""
    _idle.append((key, worker))
    while len(_idle) > MAX_IDLE:
        _idle.pop(0)[1].close()


@atexit.register
def _close_idle() -> None:
    while _idle:
        _idle.pop()[1].close()


_pending, _collects, _lock = 0, True, threading.Lock()


@contextmanager
def no_collection() -> Iterator[None]:
    """Collect no garbage while a decision is pending in any thread: it takes 50 ms of CPU time."""
    global _pending, _collects
    with _lock:
        if _pending == 0:
            _collects = gc.isenabled()
            gc.disable()
        _pending += 1
    try:
        yield
    finally:
        with _lock:
            _pending -= 1
            if _pending == 0 and _collects:
                gc.enable()


def warm_up(blueprint: Blueprint, options: SearchOptions) -> None:
    """Compile every kernel that a search with these options may call.

    A small hand is searched: a flop, a turn and a river, each with an off-tree bet. With an empty
    cache that takes about a minute, with all kernels on the disk about a second.
    """
    small = SearchOptions(
        sizes=(ALL_IN,), iterations=1, flop=options.flop, safe=options.safe, seconds=3.0
    )
    searcher = Searcher(blueprint, small, clock=False)
    for state in warm_up_states(blueprint):
        searcher.all_hands(state)
    if options.device == "cuda":
        from riverboat.holdem.search._resolving_cuda import precompile

        rules = blueprint.rules
        precompile(options, min(rules.betting_rules.stacks), rules.big_blind)


def warm_up_states(blueprint: Blueprint) -> list[HoldemState]:
    """Decisions of a hand with a large pot, where trees are small."""
    history, states = _opening(blueprint), []
    for num_cards in (3, 4, 5):
        board = WARM_UP_BOARD[:num_cards]
        states.append(blueprint.rules.resume([[], []], board, history))
        state = blueprint.rules.resume([[], []], board, history + "c")
        allowed = state.betting.raise_range()
        if allowed is not None and allowed[0] < allowed[1]:
            states.append(state.after(f"r{allowed[0]}"))
        history += "cc/"
    return states


def _opening(blueprint: Blueprint) -> str:
    """Two of the blueprint's largest raises that are not all-in, and calls up to the flop."""
    tree, state = blueprint.abstract.tree, blueprint.rules.resume([[], []], (), "")
    node, raises = 0, 0
    while state.betting.street == 0 and state.actor >= 0:
        allowed, amounts = state.betting.raise_range(), tree.actions(node).tolist()
        some = [a for a in amounts if allowed is not None and 0 < a < allowed[1]]
        token = f"r{some[-1]}" if some and raises < 2 else "c"
        raises += token != "c"
        node = tree.child(node, amounts.index(some[-1] if token != "c" else 0))
        state = state.after(token)
    return state.history if state.history.endswith("/") else state.history + "/"


def _arriving(requests: IO[bytes]) -> Iterator[tuple[dict[str, Any], bool]]:
    """Messages in their order, each with whether a newer request has come in.

    A thread reads them, so that the one who asks never waits for room in the pipe.
    """
    lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def read() -> None:
        for line in requests:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    waiting: deque[dict[str, Any]] = deque()
    ended = False
    while not ended or waiting:
        while not ended and (not waiting or not lines.empty()):
            line = lines.get()
            if line is None:
                ended = True
            else:
                waiting.append(json.loads(line))
        if waiting:
            message = waiting.popleft()
            yield message, any("number" in later for later in waiting)


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests until there are no more: what the process does."""

    def say(message: Mapping[str, Any]) -> None:
        answers.write(json.dumps(message).encode() + b"\n")
        answers.flush()

    try:
        first = json.loads(requests.readline())
        parameters: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in first["game"].items()
        }
        game = Holdem(**parameters)
        options = SearchOptions.read(first["options"], "search")
        searcher = Searcher(Blueprint.load(first["blueprint"]), options)
        warm_up(searcher.blueprint, options)
    except RiverboatError as error:
        say({"error": str(error)})
        return
    say({"ready": True})
    state: HoldemState | None = None
    for request, newer in _arriving(requests):
        if "late" in request:
            if state is not None:
                searcher.leave_to_blueprint(state)
            continue
        state = game.observed(request["player"], request["infoset"])
        if newer and time.perf_counter() > request["until"]:
            # Its time is over and the next decision waits: the blueprint took this one.
            continue
        try:
            answer: dict[str, Any] = {"chances": searcher.solved_chances(state, request["until"])}
        except RiverboatError as error:
            answer = {"error": str(error)}
        say({"number": request["number"], **answer})


if __name__ == "__main__":
    # Ctrl-C is for the process that asks; this one ends with its input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(sys.stdin.buffer, sys.stdout.buffer)
