"""The server through the protocol's own client: in this process, over stdio and over HTTP."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp")

from mcp import Client, MCPError, StdioServerParameters

from commands import Command
from riverboat.assistants import _guide
from riverboat.assistants.server import BoatServer, Settings
from riverboat.assistants.tools import TOOLS
from riverboat.games.registry import GAMES

EASY: dict[str, dict[str, Any]] = {
    "blackjack_hand": {"hand": "T,6", "dealer": "10"},
    "blackjack_chart": {},
    "blackjack_count": {"seen": "5,5,6"},
    "equity": {"players": ["AsAh", "KdKc"], "board": "Qs Jh 2d"},
    "hand_rank": {"cards": "As Kd Qh Jc Ts"},
    "poker_range": {"text": "QQ+"},
    "spot": {
        "board": "Qs Jh 2h 7c 3d", "pot": 10, "stack": 10, "oop": "KK", "ip": "AA,99",
    },
    "preflop": {"line": "btn", "hand": "AA"},
    "push_fold": {"stacks": [10, 10], "hand": "AA"},
    "review": {},
    "solve_game": {"game": "kuhn"},
    "strategy_loss": {"game": "kuhn"},
}  # fmt: skip
"""A quick question for each tool; that of a review is ONE_HAND."""
ONE_HAND = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [10000, 10000]
actions = ["d dh p1 AsKd", "d dh p2 7h2c", "p2 cbr 300", "p1 f"]
players = ["Ann", "Bob"]
"""


def visit(what: Callable[[Any, BoatServer], Awaitable[None]], settings: Settings) -> None:
    """Let a client in this process do something with a server."""

    async def run() -> None:
        boat = BoatServer(settings)
        try:
            async with Client(boat.protocol) as client:
                await what(client, boat)
        finally:
            boat.close()

    anyio.run(run)


def test_tools_resources_and_prompts_are_listed_and_read(tmp_path: Path) -> None:
    (tmp_path / "kuhn.rb").write_bytes(b"")

    async def look(client: Any, boat: BoatServer) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == list(TOOLS)
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        assert {f"riverboat://rules/{name}" for name in GAMES} <= listed
        assert {f"riverboat://guide/{name}" for name in _guide.PAGES} <= listed
        rules = await client.read_resource("riverboat://rules/kuhn")
        assert "antes 1" in rules.contents[0].text
        page = await client.read_resource("riverboat://guide/blackjack")
        assert page.contents[0].text.startswith("# Blackjack")
        library = await client.read_resource("riverboat://library")
        assert library.contents[0].text == "kuhn.rb"
        prompts = {one.name for one in (await client.list_prompts()).prompts}
        assert prompts == {"review_my_hand", "explain_chart_cell"}
        asked = await client.get_prompt("explain_chart_cell", {"hand": "16", "dealer": "10"})
        assert "16 against a dealer's 10" in asked.messages[0].content.text
        asked = await client.get_prompt("explain_chart_cell", {"hand": "<dealer>", "dealer": "10"})
        assert "<dealer> against a dealer's 10" in asked.messages[0].content.text
        for reading in (
            client.read_resource("riverboat://guide/../../etc/passwd"),
            client.read_resource("file:///etc/passwd"),
            client.get_prompt("review_my_hand", {}),
            client.get_prompt("nothing", {}),
        ):
            with pytest.raises(MCPError) as caught:
                await reading
            assert caught.value.error.message.endswith((".", "?"))
            assert "\n" not in caught.value.error.message

    visit(look, Settings(tmp_path))


def test_an_answer_has_a_sentence_and_figures_and_a_refusal_a_sentence() -> None:
    async def ask(client: Any, boat: BoatServer) -> None:
        reply = await client.call_tool("hand_rank", {"cards": "As Kd Qh Jc Ts"})
        assert reply.content[0].text.startswith("Straight, ace high")
        assert reply.structured_content["category"] == "straight"
        split = {"hand": "T,6", "dealer": "T", "changes": {"a\nb\x1b[31m": 5e9}}
        for name, arguments in (
            ("hand_rank", {"cards": "As As"}), ("nothing", {}), ("blackjack_hand", split)
        ):  # fmt: skip
            refused = await client.call_tool(name, arguments)
            assert refused.is_error
            assert refused.content[0].text.isprintable()
            assert refused.content[0].text.endswith((".", "?"))

    visit(ask, Settings())


def test_a_call_that_takes_too_long_is_ended_and_the_next_is_answered() -> None:
    async def ask(client: Any, boat: BoatServer) -> None:
        long = {"game": "liars_dice", "algorithm": "lp"}  # some ten seconds
        refused = await client.call_tool("solve_game", long)
        assert refused.is_error
        assert "1 seconds allowed" in refused.content[0].text
        reply = await client.call_tool("hand_rank", {"cards": "As Kd Qh Jc Ts"})
        assert not reply.is_error

    visit(ask, Settings(seconds=1))


def test_progress_is_reported_and_a_cancelled_call_ends_its_process() -> None:
    async def ask(client: Any, boat: BoatServer) -> None:
        long = {"game": "leduc", "algorithm": "cfr", "seconds": 3_000}
        with anyio.CancelScope() as scope:
            shares = []

            async def stop(share: float, total: float | None, words: str | None) -> None:
                shares.append(share)
                if words and "iterations" in words:
                    scope.cancel()

            await client.call_tool("solve_game", long, progress_callback=stop)
        assert scope.cancelled_caught
        assert shares == sorted(shares)
        with anyio.fail_after(60):
            while boat.heavy.process_id is not None:
                await anyio.lowlevel.checkpoint()
            reply = await client.call_tool("strategy_loss", {"game": "kuhn"})
        assert not reply.is_error

    visit(ask, Settings(seconds=3_600))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals")
def test_a_call_whose_process_is_killed_is_refused_and_the_next_is_answered() -> None:
    """As the system kills a process when memory runs out."""

    async def ask(client: Any, boat: BoatServer) -> None:
        killed: list[int] = []

        async def kill(share: float, total: float | None, words: str | None) -> None:
            process = boat.heavy.process_id
            if words and "iterations" in words and process is not None and not killed:
                killed.append(process)
                os.kill(process, signal.SIGKILL)

        long = {"game": "leduc", "algorithm": "cfr", "seconds": 3_000}
        refused = await client.call_tool("solve_game", long, progress_callback=kill)
        assert refused.is_error
        assert "ended its process" in refused.content[0].text
        assert not (await client.call_tool("strategy_loss", {"game": "kuhn"})).is_error

    visit(ask, Settings(seconds=3_600))


def test_heavy_calls_wait_for_each_other_and_quick_ones_do_not() -> None:
    async def ask(client: Any, boat: BoatServer) -> None:
        order: list[str] = []

        async def call(name: str, arguments: dict[str, Any]) -> None:
            assert not (await client.call_tool(name, arguments)).is_error
            order.append(name)

        async with anyio.create_task_group() as group:
            started = anyio.Event()

            async def first() -> None:
                async def heard(*_: Any) -> None:
                    started.set()

                long = {"game": "leduc", "algorithm": "cfr", "seconds": 2}
                reply = await client.call_tool("solve_game", long, progress_callback=heard)
                assert not reply.is_error
                order.append("solve_game")

            group.start_soon(first)
            await started.wait()
            group.start_soon(call, "strategy_loss", {"game": "kuhn"})
            group.start_soon(call, "hand_rank", EASY["hand_rank"])
        assert order.index("solve_game") < order.index("strategy_loss")

    visit(ask, Settings())


def stdio(*options: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-m", "riverboat", "mcp", *options])


@pytest.mark.e2e
def test_a_client_over_stdio_lists_and_calls_every_tool(tmp_path: Path) -> None:
    async def run() -> None:
        async with Client(stdio("--library", str(tmp_path))) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == list(EASY)
            for name in names:
                arguments = EASY[name] or ({"hands": ONE_HAND} if name == "review" else {})
                reply = await client.call_tool(name, arguments)
                assert not reply.is_error, reply.content[0].text
                assert reply.structured_content["answer"] in reply.content[0].text

    anyio.run(run)


@pytest.mark.e2e
def test_a_client_over_http_on_a_free_port_is_answered() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "riverboat", "mcp", "--http", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        address = line.split()[-1]
        assert address.startswith("http://127.0.0.1:")

        async def run() -> None:
            async with Client(address) as client:
                reply = await client.call_tool("hand_rank", EASY["hand_rank"])
                assert not reply.is_error

        try:
            anyio.run(run)
            # A page of the web that a browser on this machine shows must not reach the tools.
            assert status(address, Host="evil.example") == 421
            assert status(address, Origin="https://evil.example") == 403
        finally:
            process.terminate()
        process.communicate(timeout=60)


def status(address: str, **headers: str) -> int:
    """The status of an answer to a ping with these headers."""
    import httpx

    kinds = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    return httpx.post(address, json=ping, headers=kinds | headers, timeout=60).status_code


def test_wrong_options_of_the_command_are_refused(command: Command, tmp_path: Path) -> None:
    assert "is for --http" in command.refused("mcp", "--port", "1")
    assert "no folder" in command.refused("mcp", "--library", str(tmp_path / "x"))
    assert "memory" in command.refused("mcp", "--memory", "much")
    command.refused("mcp", "--seconds", "0")
