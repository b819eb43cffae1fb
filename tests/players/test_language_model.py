"""A language model at the table: asked at a local endpoint, read strictly, never trusted."""

from __future__ import annotations

import json
import re
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riverboat as rb
from model_endpoint import Writes, endpoint, says, send, write_raw
from riverboat.arena.match import run_match
from riverboat.errors import RiverboatError, UsageError
from riverboat.games.registry import make_game
from riverboat.players.language_model import MAX_REPLY, LanguageModelPlayer, prompt, read_move
from riverboat.players.player import View, view_of
from riverboat.players.roster import make_player
from riverboat.players.simple import UniformPlayer

pytest.importorskip("httpx")

RNG = np.random.default_rng(0)


def kuhn_view(*actions: str) -> View:
    game, state = make_game("kuhn"), make_game("kuhn").start()
    for action in actions or ("K", "Q"):
        state = state.after(action)
    return view_of(game, state)


def player(url: str, seconds: float = 60.0) -> LanguageModelPlayer:
    return LanguageModelPlayer("x", url, "secret", seconds=seconds)


def test_a_model_sees_the_rules_the_scene_and_its_moves_and_no_hidden_card() -> None:
    leduc = make_game("leduc")
    state = leduc.start().after("Kh").after("Js")
    system, user = (message["content"] for message in prompt(view_of(leduc, state)))
    assert "Leduc" in system
    assert "Kh" in user
    assert "Js" not in user
    assert "c: check" in user


def test_a_legal_answer_is_played_and_its_tokens_are_counted() -> None:
    with endpoint(says(lambda _: "I hold the best card.\n\nb")) as (url, received):
        model = player(url)
        assert model.choose(kuhn_view(), RNG) == "b"
    assert (model.usage.decisions, model.usage.illegal, model.usage.tokens) == (1, 0, 12)
    assert received[0]["path"] == "/v1/chat/completions"
    assert received[0]["key"] == "Bearer secret"
    assert received[0]["model"] == "x"


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("b", "b"), ("B", "b"), ("Move: b", "b"), ("**b**", "b"), ("thinking…\n`b`.\n", "b"),
        ("bet 1", "b"), ("check", "p"), ("b or p", None), ("I bet because b", None), ("", None),
        ("\n\n", None), ("x", None), ("bb", None), ("b" * 100_000, None), ("b\nbut no", None),
    ],
)  # fmt: skip
def test_only_a_move_on_the_last_line_is_an_answer(answer: str, move: str | None) -> None:
    assert read_move(kuhn_view(), answer) == move


@given(st.text(max_size=200))
def test_whatever_is_said_is_a_legal_move_or_none(answer: str) -> None:
    view = kuhn_view()
    assert read_move(view, answer) in (*view.actions, None)


def test_an_illegal_answer_is_asked_again_once_with_the_moves() -> None:
    answers = iter(["raise to the moon", "b"])
    with endpoint(says(lambda _: next(answers))) as (url, received):
        model = player(url)
        assert model.choose(kuhn_view(), RNG) == "b"
    assert model.usage.illegal == 1
    assert model.usage.replaced == 0
    assert "no legal move" in received[1]["messages"][-1]["content"]


def test_after_two_illegal_answers_the_player_checks_or_folds() -> None:
    with endpoint(says(lambda _: "no idea")) as (url, _):
        model = player(url)
        assert model.choose(kuhn_view(), RNG) == "p"  # a check
        assert model.choose(kuhn_view("K", "Q", "b"), RNG) == "p"  # a fold
    assert (model.usage.illegal, model.usage.replaced) == (4, 2)


def garbage(content: bytes) -> Writes:
    return lambda handler, body: send(handler, content)


DEEP = b"[" * 100_000
HOSTILE = (
    b"", b"not json", b"null", b"[]", b"{}", b'{"choices": []}', b'{"choices": [null]}', DEEP,
    b'{"choices": [{"message": {"content": null}}]}', b'{"choices": {"0": 1}}', b"\xff\xfe\x00",
    b'{"choices": [{"message": {"content": ["b"]}}]}', b"x" * (MAX_REPLY + 1),
    b'{"choices": [{"message": {"content": 1e999}}]}', b"1" * 5_000,
)  # fmt: skip


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_garbage_is_no_answer_and_the_game_goes_on(content: bytes) -> None:
    with endpoint(garbage(content)) as (url, _):
        model = player(url)
        assert model.choose(kuhn_view(), RNG) == "p"
    assert (model.usage.failures, model.usage.replaced) == (2, 1)


BROKEN = (
    b"", b"hello\r\n\r\n", b"HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\nb",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\nb",
    b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nb",
    b"HTTP/1.1 302 X\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nSet-Cookie: a=\xff\r\nContent-Length: 2\r\n\r\n{}",
)  # fmt: skip


@pytest.mark.parametrize("reply", BROKEN, ids=range(len(BROKEN)))
def test_a_reply_that_breaks_the_protocol_is_no_answer(reply: bytes) -> None:
    with endpoint(lambda handler, _: write_raw(handler, reply)) as (url, _):
        model = player(url)
        assert model.choose(kuhn_view(), RNG) == "p"
    assert (model.usage.failures, model.usage.replaced) == (2, 1)


def test_half_a_character_in_an_answer_is_quoted_as_a_question_mark() -> None:
    content = b'{"choices": [{"message": {"content": "\\ud800 who knows"}}]}'
    with endpoint(garbage(content)) as (url, received):
        model = player(url)
        assert model.choose(kuhn_view(), RNG) == "p"
    assert model.usage.illegal == 2
    assert received[1]["messages"][-2]["content"] == "? who knows"


@pytest.mark.parametrize("usage", [-5, True, "9", 10**30, None, [1], {"a": 1}])
def test_tokens_that_are_no_number_are_not_counted(usage: Any) -> None:
    fields = {"choices": [{"message": {"content": "b"}}], "usage": {"prompt_tokens": usage}}
    with endpoint(garbage(json.dumps(fields).encode())) as (url, _):
        model = player(url)
        assert model.choose(kuhn_view(), RNG) == "b"
    assert model.usage.tokens == 0


@pytest.mark.parametrize("status", [302, 429, 500, 503])
def test_a_server_in_trouble_is_a_failure_not_an_end(status: int) -> None:
    with endpoint(lambda handler, _: send(handler, b"b", status)) as (url, _):
        model = player(url)
        assert model.choose(kuhn_view(), RNG) == "p"
    assert model.usage.failures == 2


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refused_request_ends_with_the_servers_reason(status: int) -> None:
    reason = b'{"error": "no such \x1b[31mmodel"}'
    with (
        endpoint(lambda handler, _: send(handler, reason, status)) as (url, _),
        pytest.raises(UsageError, match=f"status {status}: .*no such") as refused,
    ):
        player(url).choose(kuhn_view(), RNG)
    assert "\x1b" not in str(refused.value)


def test_a_refusal_after_an_answer_is_a_failure_not_an_end() -> None:
    """A content filter refuses one request of a match; the others have answers."""
    answers = iter([says(lambda _: "b"), garbage_with(400), garbage_with(400), says(lambda _: "b")])
    with endpoint(lambda handler, body: next(answers)(handler, body)) as (url, _):
        model = player(url)
        assert [model.choose(kuhn_view(), RNG) for _ in range(3)] == ["b", "p", "b"]
    assert (model.usage.failures, model.usage.replaced) == (2, 1)


def garbage_with(status: int) -> Writes:
    return lambda handler, body: send(handler, b"no", status)


BET = b'{"choices": [{"message": {"content": "b"}}]}'
HEAD = b"HTTP/1.1 200 OK\r\n"
LENGTH = b"Content-Length: %d\r\n\r\n"
NUM_DROPS = 500
DRIPS = (
    (b"", b"HTTP/1.1 100 Continue\r\n\r\n", HEAD + LENGTH % len(BET) + BET),
    (HEAD + b"X: ", b"x", b"\r\n" + LENGTH % len(BET) + BET),
    (HEAD + LENGTH % (NUM_DROPS + len(BET)), b" ", BET),
)


@pytest.mark.parametrize(("first", "drop", "last"), DRIPS, ids=["continue", "header", "body"])
def test_a_model_that_answers_byte_by_byte_is_not_waited_for(
    first: bytes, drop: bytes, last: bytes
) -> None:
    """Each byte comes in time, the answer does not; one who waited would read a legal bet."""
    given_up = threading.Event()

    def drip(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.close_connection = True
        with suppress(OSError):
            handler.wfile.write(first)
            for _ in range(NUM_DROPS):
                handler.wfile.write(drop)
                if given_up.wait(0.02):
                    return
            handler.wfile.write(last)

    with endpoint(drip) as (url, _):
        model = player(url, seconds=0.1)
        assert model.choose(kuhn_view(), RNG) == "p"
        given_up.set()
    assert model.usage.failures == 2


def test_a_model_that_is_late_is_not_waited_for() -> None:
    released = threading.Event()

    def stall(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        released.wait(20)
        handler.close_connection = True

    with endpoint(stall) as (url, _):
        model = player(url, seconds=0.05)
        assert model.choose(kuhn_view(), RNG) == "p"
        released.set()
    assert model.usage.failures == 2


def test_an_endpoint_that_cannot_be_reached_is_a_sentence() -> None:
    with endpoint(says(lambda _: "b")) as (url, _):
        pass
    with pytest.raises(UsageError, match="cannot be reached"):
        player(url).choose(kuhn_view(), RNG)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("llm", "llm:MODEL"), ("llm:", "llm:MODEL"), ("llm:x?heat=1", "no option 'heat'"),
        ("llm:x?seconds=0", "seconds"), ("llm:x?seconds=nan", "number"),
        ("llm:x?temperature=-1", "temperature"), ("llm:x?max_tokens=1e400", "max_tokens"),
    ],
)  # fmt: skip
def test_a_bad_name_of_a_model_is_refused(
    spec: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(RiverboatError, match=words):
        make_player(make_game("kuhn"), spec)


def test_a_password_in_the_address_is_not_repeated() -> None:
    with endpoint(says(lambda _: "b")) as (url, _):
        pass
    with pytest.raises(UsageError, match="cannot be reached") as refused:
        player(url.replace("//", "//ann:hidden@")).choose(kuhn_view(), RNG)
    assert "hidden" not in str(refused.value)


def test_a_host_that_no_network_has_is_a_sentence() -> None:
    with pytest.raises(UsageError, match="cannot be reached"):
        player("http://" + "a" * 300).choose(kuhn_view(), RNG)


@pytest.mark.parametrize(
    "url",
    [
        "", "file:///etc/passwd", "127.0.0.1:80", "ftp://x", "http://", "http://x:abc",
        "http://127.0.0.1:99999", "http://xn--",
    ],
)  # fmt: skip
def test_without_an_endpoint_it_says_what_to_set(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(UsageError, match="OPENAI_BASE_URL"):
        make_player(make_game("kuhn"), "llm:x")


@pytest.mark.parametrize("key", ["a\nb", "ключ"])
def test_a_key_that_cannot_be_sent_is_refused(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        make_player(make_game("kuhn"), "llm:x")


@pytest.mark.parametrize(
    "name", ["kuhn", "leduc", "liars_dice", "blackjack", "twentyone", "holdem"]
)
def test_a_model_plays_every_game(name: str) -> None:
    """It takes the first listed move, found in its prompt; no answer is illegal."""

    def first_move(question: str) -> str:
        move = re.search(r"moves:\n(\S+?)(?::| to )", question)
        assert move is not None, question
        return move[1]

    with endpoint(says(first_move)) as (url, _):
        model, game = player(url), make_game(name)
        others = [UniformPlayer() for _ in range(game.num_players - 1)]
        run_match(game, [model, *others], 4, seed=1)
    assert model.usage.decisions > 0
    assert model.usage.illegal == 0


def test_a_match_prints_what_the_model_did(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with endpoint(says(lambda _: "p")) as (url, _):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        done = command("match", "kuhn", "llm:x", "random", "--hands", "5")
        facts = json.loads(
            command("match", "kuhn", "llm:x", "random", "--hands", "5", "--json").out
        )
    assert done.code == 0
    assert "llm:x: " in done.out  # ":x:" is no picture of a cross
    assert "0 illegal answers" in done.out
    assert facts["language_models"]["llm:x"]["illegal"] == 0


def test_the_equilibrium_is_a_player_of_small_games() -> None:
    log = rb.match("kuhn", "equilibrium", "random", hands=400, seed=1)
    assert log.players == ("equilibrium", "random")
