"""`llm:MODEL`: a language model as a player of any game.

The model sees what a person sees: the rules, the scene in words, and the legal moves. It is asked
through an endpoint in the form of OpenAI's chat completions. OPENAI_BASE_URL names the endpoint,
such as http://127.0.0.1:11434/v1, and OPENAI_API_KEY holds the key, where one is needed.

The last line of an answer must be a legal move, as it is written in the list or in words. Any other
answer is asked for once more; then the player checks, or folds. All of that is counted (`Usage`).
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
import time
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np

from riverboat.errors import ParameterError, UsageError, how_to_install
from riverboat.games.base import Action, Game
from riverboat.games.registry import rules_text
from riverboat.players.player import View, safe_move
from riverboat.players.roster import PlayerSpec

DEFAULT_SECONDS = 60.0
MAX_SECONDS = 3_600.0
MAX_REPLY = 1 << 20  # Bytes of a reply; a longer one counts as none
MAX_QUOTED = 2_000  # Characters of an illegal answer that the model is shown again
SHORT_LIST = 8  # Raises of more sizes than this are given to the model as a span
OPTIONS = ("seconds", "temperature", "max_tokens")
_AMOUNT = re.compile(r"([a-z]+)(\d+)", re.I)

Message = dict[str, str]


@dataclass
class Usage:
    """What a model was asked, and what came back."""

    decisions: int = 0
    illegal: int = 0  # Answers that were no legal move, the repeated ones too
    failures: int = 0  # Requests without an answer: late, too long, garbage, an error
    replaced: int = 0  # Decisions at which the player checked or folded in place of the model
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def as_dict(self) -> dict[str, float]:
        """The figures by name."""
        return {**vars(self), "tokens": self.tokens}

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def words(self) -> str:
        """The figures in a line."""
        counts = [
            f"{self.decisions:,} decisions",
            f"{self.illegal:,} illegal answers",
            f"{self.failures:,} requests without an answer",
            f"{self.replaced:,} moves made in its place",
            f"{self.tokens:,} tokens",
            f"{self.seconds:.1f} s",
        ]
        return ", ".join(counts)

    def add(self, other: Usage) -> None:
        """Add another player's figures."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


class NoAnswerError(Exception):
    """A request that brought no answer; the message says why."""


class _RefusedError(Exception):
    """An endpoint that is not there, or wants no such request."""


class LanguageModelPlayer:
    """Asks a model for each move."""

    def __init__(
        self,
        model: str,
        base_url: str,
        key: str = "",
        *,
        seconds: float = DEFAULT_SECONDS,
        settings: dict[str, Any] | None = None,
    ) -> None:
        """`settings` are further fields of each request, such as the temperature."""
        self.name = f"llm:{model}"
        self.model, self.seconds = model, seconds
        self.url = _address(base_url)
        self.settings = settings or {}
        self.usage = Usage()
        self._headers = _headers(key)
        self._has_answered = False

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        """The model's move; a safe one where it gives none that is legal in two tries."""
        began = time.perf_counter()
        self.usage.decisions += 1
        try:
            for answer in self._answers(view):
                action = read_move(view, answer)
                if action is not None:
                    return action
                self.usage.illegal += 1
        finally:
            self.usage.seconds += time.perf_counter() - began
        self.usage.replaced += 1
        return safe_move(view)

    def _answers(self, view: View) -> Iterator[str]:
        """The first answer, and the one after the model was told that it was no move."""
        messages = prompt(view)
        for _ in range(2):
            try:
                answer = self._ask(messages)
            except NoAnswerError:
                self.usage.failures += 1
                continue
            yield answer
            again = f"That is no legal move. The legal moves are:\n{list_of_moves(view)}"
            messages = [
                *messages,
                {"role": "assistant", "content": answer[-MAX_QUOTED:]},
                {"role": "user", "content": f"{again}\nAnswer with one of them and nothing else."},
            ]

    def _ask(self, messages: Sequence[Message]) -> str:
        """The text of the model's answer.

        An endpoint that refuses the first request, or cannot be reached, is not asked again: the
        address, the key or the model's name is wrong.
        """
        body = {"model": self.model, "messages": list(messages), **self.settings}
        try:
            answer = self._content(_in_own_loop(self._reply(body)))
        except _RefusedError as error:
            if not self._has_answered:
                raise UsageError(f"{_shown(self.url)} {error}.") from None
            raise NoAnswerError(str(error)) from None
        self._has_answered = True
        return answer

    async def _reply(self, body: dict[str, Any]) -> bytes:
        """The body of the endpoint's reply, in the time and length allowed.

        A client of its own for each request keeps no cookies. Its time limit is that of the whole
        request: httpx's timeouts start again with every byte that arrives.
        """
        import httpx

        received = bytearray()
        try:
            async with (
                httpx.AsyncClient(headers=self._headers, verify=_tls(), timeout=None) as client,
                asyncio.timeout(self.seconds),
                client.stream("POST", self.url, json=body) as response,
            ):
                async for piece in response.aiter_bytes():
                    received += piece
                    if len(received) > MAX_REPLY:
                        raise NoAnswerError("the reply is too long")
        except TimeoutError:
            raise NoAnswerError("the reply is late") from None
        except (httpx.ConnectError, httpx.UnsupportedProtocol, UnicodeError) as error:
            raise _RefusedError(f"cannot be reached: {error}") from None
        except httpx.HTTPError as error:
            raise NoAnswerError(str(error)) from None
        if response.status_code in (400, 401, 403, 404, 405, 422):
            words = _line(received.decode("utf-8", "replace"))
            raise _RefusedError(f"refuses {self.name} with status {response.status_code}: {words}")
        if response.status_code != 200:
            raise NoAnswerError(f"status {response.status_code}")
        return bytes(received)

    def _content(self, reply: bytes) -> str:
        """The text of an answer; its tokens are counted."""
        try:
            fields = json.loads(reply)
            content = fields["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise NoAnswerError("the reply is not what was asked for") from error
        if not isinstance(content, str):
            raise NoAnswerError("the reply has no text")
        usage = fields.get("usage")
        if isinstance(usage, dict):
            self.usage.prompt_tokens += _count(usage.get("prompt_tokens"))
            self.usage.completion_tokens += _count(usage.get("completion_tokens"))
        return content.encode("utf-8", "replace").decode()  # Half a character cannot be sent back


def prompt(view: View) -> list[Message]:
    """What a model is asked at a decision."""
    rules = (
        f"You play {view.game.title}. The rules:\n\n{rules_text(type(view.game))}\n"
        "Choose the move that wins most on average. You may think first; the last line of your"
        " answer must be the move alone, as it is written before the colon in the list of moves."
    )
    scene = view.scene().strip()
    known = f"{scene}\n\n" if scene else ""
    question = f"{known}You are player {view.player + 1} and it is your turn. What you know, in"
    question += f" short: {view.infoset}\n\nYour moves:\n{list_of_moves(view)}"
    return [{"role": "system", "content": rules}, {"role": "user", "content": question}]


def list_of_moves(view: View) -> str:
    """The legal moves with their words, one a line; many sizes of a bet are one line."""
    lines = []
    for letter, group in groupby(view.actions, key=_letter_of_amount):
        actions = list(group)
        if letter is None or len(actions) <= SHORT_LIST:
            lines += [f"{action}: {view.label(action)}" for action in actions]
        else:
            first, last = actions[0], actions[-1]
            lines.append(
                f"{first} to {last}, any number between them: {view.label(first)} to"
                f" {view.label(last)}"
            )
    return "\n".join(lines)


def _letter_of_amount(action: Action) -> str | None:
    parts = _AMOUNT.fullmatch(action)
    return parts[1] if parts else None


def read_move(view: View, answer: str) -> Action | None:
    """The legal move on the last line of an answer, or None."""
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    if not lines:
        return None
    said = lines[-1].strip("*`\"'. ").casefold().removeprefix("move:").strip("*`\"'. ")
    exact = [action for action in view.actions if action.casefold() == said]
    if len(exact) == 1:
        return exact[0]
    if len(said) > 60:
        return None
    worded = [action for action in view.actions if view.label(action).casefold() == said]
    return worded[0] if len(worded) == 1 else None


def language_model(game: Game, spec: PlayerSpec) -> LanguageModelPlayer:
    """`llm:MODEL`, with `?seconds=20&temperature=0&max_tokens=500`."""
    if not spec.argument or not spec.argument.isprintable():
        raise UsageError("A language model is written llm:MODEL, with the endpoint's name for it.")
    spec.check_options(OPTIONS)
    numbers = {name: spec.number(name, 0.0) for name in spec.options}
    seconds = numbers.pop("seconds", DEFAULT_SECONDS)
    if not 0 < seconds <= MAX_SECONDS:
        raise ParameterError(f"llm: seconds must be above 0 and at most {MAX_SECONDS:.0f}.")
    settings: dict[str, Any] = dict(numbers)
    if "max_tokens" in settings:
        settings["max_tokens"] = int(settings["max_tokens"])
    base_url, key = (os.environ.get(name, "") for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"))
    return LanguageModelPlayer(spec.argument, base_url, key, seconds=seconds, settings=settings)


def _address(base_url: str) -> str:
    """Where a model is asked; what is no address of a server is refused."""
    try:
        import httpx
    except ModuleNotFoundError:
        raise UsageError(f"Language models need httpx: {how_to_install('llm')}.") from None
    with suppress(httpx.InvalidURL, UnicodeError):
        url = httpx.URL(base_url)
        if url.scheme in ("http", "https") and url.host and (url.port or 0) < 1 << 16:
            return str(url.copy_with(path=f"{url.path.rstrip('/')}/chat/completions"))
    raise UsageError(
        "Set OPENAI_BASE_URL to the endpoint of the language model, such as"
        " http://127.0.0.1:11434/v1, and OPENAI_API_KEY to its key, if it wants one."
    )


def _shown(url: str) -> str:
    """An address without a password that it may hold."""
    import httpx

    return str(httpx.URL(url).copy_with(userinfo=b"", query=None))


def _headers(key: str) -> dict[str, str]:
    if not key.isascii() or any(not mark.isprintable() for mark in key):
        raise UsageError("OPENAI_API_KEY has letters that no key has.")
    return {"Authorization": f"Bearer {key}"} if key else {}


@lru_cache(1)
def _tls() -> Any:
    """What checks certificates; it takes long to make, so that all requests share it."""
    import httpx

    return httpx.create_ssl_context()


def _in_own_loop(reply: Coroutine[Any, Any, bytes]) -> bytes:
    """Await a reply in a thread of its own, since the caller's may run an event loop already."""
    result: Future[bytes] = Future()

    def work() -> None:
        try:
            result.set_result(asyncio.run(reply))
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return result.result()


def _count(value: Any) -> int:
    """A number of tokens, if it is one."""
    plain = isinstance(value, int) and not isinstance(value, bool)
    return value if plain and 0 <= value < 1 << 40 else 0


def _line(text: str) -> str:
    """The beginning of a text on one line, without what a terminal would act on."""
    words = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
    return f"{words[:200]}…" if len(words) > 200 else words or "no reason is given."
