"""The transcripts on the assistants' page are what the server answers, over stdio."""

from __future__ import annotations

import json
import re
import sys

import anyio
import pytest

from examples import ROOT

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters

from riverboat.assistants.tools import TOOLS

pytestmark = pytest.mark.e2e

CALL = re.compile(r"^### (\w+)\n\n```json\n(.*?)```\n\n```text\n(.*?)```", re.S | re.M)
NUMBER = re.compile(r"\d+(\.\d+)?(e-\d+)?")
ROUGH = ("review", "push_fold", "solve_game")
"""Tools whose last digits hang on the time they had, or on rounding: numbers are not compared."""
PAGE = (ROOT / "docs" / "assistants.md").read_text(encoding="utf-8")


def test_every_tool_has_a_transcript_and_each_is_what_the_server_answers() -> None:
    calls = CALL.findall(PAGE)
    assert [name for name, _, _ in calls] == list(TOOLS)
    command = StdioServerParameters(command=sys.executable, args=["-m", "riverboat", "mcp"])

    async def run() -> None:
        async with Client(command) as client:
            for name, arguments, text in calls:
                reply = await client.call_tool(name, json.loads(arguments))
                assert not reply.is_error
                got, shown = reply.content[0].text.strip(), text.strip()
                if name in ROUGH:
                    got, shown = NUMBER.sub("0", got), NUMBER.sub("0", shown)
                assert got == shown, name

    anyio.run(run)
