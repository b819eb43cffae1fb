"""The server: tools, resources and prompts over the Model Context Protocol.

    serve(Settings(library=Path("games")))                     # on standard input and output
    serve(Settings(), http=("127.0.0.1", 0), ready=print)      # streamable HTTP

Tools run in two processes (`_tool_process`): one for quick calls, one for heavy ones, which wait
for their turn. A refusal is a result of the protocol that is marked as an error, in one sentence.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import uvicorn
from mcp import MCPError, types
from mcp.server import Server
from mcp.server.stdio import stdio_server

from riverboat.assistants import _guide
from riverboat.assistants._answers import Workshop, refusal_words
from riverboat.assistants._standard_input import MAX_LINE, read_messages
from riverboat.assistants._tool_process import ToolProcess
from riverboat.assistants.tools import TOOLS, is_quick, tool_named
from riverboat.errors import RiverboatError, UnknownNameError
from riverboat.version import __version__

INSTRUCTIONS = (
    "Riverboat computes exact answers about blackjack, poker and small card games. Ask it in place"
    " of estimating, quote its figures with what it assumed and how exact they are, and pass on its"
    " sentence where it refuses. Cards are written As, Td, 9h; ranges QQ+,AKs,A5s-A2s."
)
PATH = "/mcp"  # Of the endpoint over HTTP


@dataclass(frozen=True)
class Settings:
    """What a server allows: the library of files, and limits for one call."""

    library: Path | None = None
    seconds: float = 60.0
    memory: int = 2 << 30  # Bytes


class BoatServer:
    """The protocol's handlers, and the processes behind them."""

    def __init__(self, settings: Settings) -> None:
        self.shop = Workshop(settings.library, settings.seconds, settings.memory)
        self.quick, self.heavy = ToolProcess(self.shop, warm=True), ToolProcess(self.shop)
        self.protocol: Any = Server(
            "riverboat",
            title="Riverboat",
            instructions=INSTRUCTIONS,
            version=__version__,
            lifespan=self._lifespan,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )

    @asynccontextmanager
    async def _lifespan(self, _: Any) -> AsyncIterator[dict[str, Any]]:
        """Start both processes when a client comes, so that they are warm for its first call."""
        self.quick.start()
        self.heavy.start()
        yield {}

    def close(self) -> None:
        """End the processes."""
        self.quick.end()
        self.heavy.end()

    async def _list_tools(self, context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    title=tool.title,
                    description=tool.description,
                    input_schema=tool.input_schema,
                    output_schema=tool.output_schema,
                    annotations=types.ToolAnnotations(
                        read_only_hint=tool.name != "solve_game",
                        destructive_hint=False,
                        idempotent_hint=True,
                        open_world_hint=False,
                    ),
                )
                for tool in TOOLS.values()
            ]
        )

    async def _call_tool(self, context: Any, params: Any) -> types.CallToolResult:
        """A tool's result; whatever is wrong with a call is a sentence."""
        try:
            tool = tool_named(params.name)
            arguments = tool.read(params.arguments or {})
            lane = self.quick if is_quick(tool, arguments) else self.heavy
            reply = await lane.call(tool.name, arguments, _progress(context))
        except RiverboatError as error:
            return types.CallToolResult(content=[_text(refusal_words(str(error)))], is_error=True)
        return types.CallToolResult(content=[_text(reply.text)], structured_content=reply.figures)

    async def _list_resources(self, context: Any, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=uri, name=name, title=title, description=words, mime_type="text/markdown"
                )
                for uri, (name, title, words) in _guide.resources_of().items()
            ]
        )

    async def _read_resource(self, context: Any, params: Any) -> types.ReadResourceResult:
        uri = str(params.uri)
        with _protocol_errors():
            text = _guide.resource_text(uri, self.shop.files())
        content = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)
        return types.ReadResourceResult(contents=[content])

    async def _list_prompts(self, context: Any, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=prompt.name,
                    title=prompt.title,
                    description=prompt.words,
                    arguments=[
                        types.PromptArgument(name=name, description=words, required=not default)
                        for name, (words, default) in prompt.arguments.items()
                    ],
                )
                for prompt in _guide.PROMPTS.values()
            ]
        )

    async def _get_prompt(self, context: Any, params: Any) -> types.GetPromptResult:
        with _protocol_errors():
            if params.name not in _guide.PROMPTS:
                raise UnknownNameError.among("prompt", params.name[:40], _guide.PROMPTS)
            prompt = _guide.PROMPTS[params.name]
            text = prompt.text(params.arguments or {})
        message = types.PromptMessage(role="user", content=_text(text))
        return types.GetPromptResult(description=prompt.words, messages=[message])


@contextmanager
def _protocol_errors() -> Iterator[None]:
    """Turn what the caller did wrong into an error of the protocol."""
    try:
        yield
    except RiverboatError as error:
        raise MCPError(code=types.INVALID_PARAMS, message=refusal_words(str(error))) from None


def _text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def _progress(context: Any) -> Callable[[float, str], Any]:
    """How a call reports to its client, which hears nothing unless it asked for progress."""
    last = 0.0

    async def report(share: float, words: str) -> None:
        nonlocal last
        last = max(last + 1e-6, 100 * min(max(share, 0.0), 1.0))  # It must rise each time
        await context.session.report_progress(last, 100.0, words)

    return report


def serve(
    settings: Settings,
    *,
    http: tuple[str, int] | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve until the client goes, or until Ctrl-C.

    Parameters
    ----------
    settings : Settings
        The library and the limits.
    http : tuple of str and int, optional
        Host and port of streamable HTTP, port 0 for a free one; standard input and output without.
    ready : callable, optional
        Called with the address once HTTP is served.
    """
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    server = BoatServer(settings)
    try:
        if http is None:
            anyio.run(_serve_stdio, server)
        else:
            anyio.run(partial(_serve_http, server, *http, ready))
    finally:
        server.close()


async def _serve_stdio(server: BoatServer) -> None:
    """Serve on standard input and output until the first ends or nobody reads the second."""
    sending, lines = anyio.create_memory_object_stream[str]()
    options = server.protocol.create_initialization_options()
    try:
        async with (
            lines,
            stdio_server(stdin=lines) as (incoming, outgoing),  # type: ignore[arg-type]
            anyio.create_task_group() as reading,
        ):
            reading.start_soon(read_messages, sending, outgoing)
            await server.protocol.run(incoming, outgoing, options)
            reading.cancel_scope.cancel()
    except* BrokenPipeError:
        pass


async def _serve_http(
    server: BoatServer, host: str, port: int, ready: Callable[[str], None] | None
) -> None:
    app = server.protocol.streamable_http_app(
        host=host, streamable_http_path=PATH, max_request_body_size=MAX_LINE
    )
    with socket.create_server((host, port)) as listener:
        if ready is not None:
            ready(f"http://{host}:{listener.getsockname()[1]}{PATH}")
        config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
        await uvicorn.Server(config).serve(sockets=[listener])
