"""Whatever a client asks, the server answers in figures or in a sentence, and goes on."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import anyio
import pytest

from hostile_calls import hostile_calls

pytest.importorskip("mcp")

from mcp import Client

from riverboat.assistants.server import BoatServer, Settings
from riverboat.games.registry import make_game
from riverboat.solvers import solve
from riverboat.strategies.kinds import save

ALLOWED = 60 << 20
"""Bytes by which a process may grow in the second half of a fuzz."""


def held(process: int | str) -> int:
    """The memory of a process in bytes."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return 1024 * int(line.split()[1])
    raise AssertionError


async def fuzz(library: Path, count: int, seed: int) -> dict[str, Any]:
    """Ask `count` calls of one server, and return what it came to."""
    boat = BoatServer(Settings(library, seconds=5, memory=1 << 30))
    figures: dict[str, Any] = {"answers": 0, "refusals": 0, "restarts": 0, "inside": []}
    processes: dict[str, Any] = {}
    memory: dict[str, list[int]] = {"server": [], "quick": [], "heavy": []}
    try:
        async with Client(boat.protocol) as client:
            for i, (name, arguments) in enumerate(hostile_calls(seed, count)):
                reply = await client.call_tool(name, arguments)
                text = reply.content[0].text
                assert text.strip(), name
                assert len(text) < 20_000, name
                if reply.is_error:
                    figures["refusals"] += 1
                    assert len(text) < 1_500, (name, text)
                    assert "Traceback" not in text, (name, text)
                    if "failed inside" in text:
                        figures["inside"].append((name, text, str(arguments)[:300]))
                else:
                    figures["answers"] += 1
                for lane, process in (("quick", boat.quick), ("heavy", boat.heavy)):
                    if processes.get(lane) != process.process_id:
                        figures["restarts"] += lane in processes
                        processes[lane] = process.process_id
                        memory[lane].clear()
                if i % max(1, count // 50) == 0:
                    memory["server"].append(held("self"))
                    for lane in ("quick", "heavy"):
                        if processes[lane] is not None:
                            memory[lane].append(held(processes[lane]))
            figures["end"] = await client.call_tool("hand_rank", {"cards": "As Kd Qh Jc Ts"})
    finally:
        boat.close()
    figures["memory"] = memory
    return figures


def check(library: Path, count: int, seed: int) -> dict[str, Any]:
    save(solve(make_game("kuhn")).strategy, library / "kuhn.rb")
    before = sorted(path.name for path in library.iterdir())
    figures = anyio.run(functools.partial(fuzz, library, count, seed))
    assert figures["inside"] == []
    assert figures["answers"] + figures["refusals"] == count
    assert figures["answers"] > count / 50
    assert not figures["end"].is_error
    assert set(before) <= {path.name for path in library.iterdir()}
    for name, samples in figures["memory"].items():
        later = samples[len(samples) // 2 :]  # By then all code is loaded
        assert not later or later[-1] - later[0] < ALLOWED, (name, samples)
        # The server is the process of the tests, which holds what other tests have loaded.
        assert name == "server" or max(samples, default=0) < 1 << 30, (name, samples)
    return figures


def test_two_thousand_hostile_calls_leave_the_server_alive_and_its_memory_flat(
    tmp_path: Path,
) -> None:
    check(tmp_path, 2_000, 1)


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_a_hundred_thousand_hostile_calls_leave_the_server_alive_and_its_memory_flat(
    tmp_path: Path,
) -> None:
    check(tmp_path, 100_000, 2)
