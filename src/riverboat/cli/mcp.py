"""`riverboat mcp`: exact answers for assistants, over the Model Context Protocol."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from riverboat.cli.groups import App
from riverboat.cli.options import count_option, number_option, option, refuse
from riverboat.errors import UsageError, how_to_install

app = App()

LOOPBACK = "127.0.0.1"


@app.command("mcp")
def mcp(
    library: Annotated[
        Path | None, option("--library", "The folder whose files may be used.", metavar="FOLDER")
    ] = None,
    http: Annotated[
        bool, option("--http", "Serve streamable HTTP on this machine in place of stdio.")
    ] = False,
    port: Annotated[
        int | None, count_option("--port", "With --http: TCP port; 0 takes a free one.", max=65535)
    ] = None,
    seconds: Annotated[
        float, number_option("--seconds", "Time for one call, at most.", min=1, max=3600)
    ] = 60.0,
    memory: Annotated[
        str, option("--memory", "Memory for one call, at most.", metavar="SIZE")
    ] = "2GiB",
) -> None:
    """Give assistants exact answers: a server of the Model Context Protocol.

    It speaks on standard input and output, as programs with language models start it. With --http
    it listens on this machine alone. Tools run in processes that are ended when a call takes too
    long or too much memory. No files are read or written but those of --library.

    \b
    Examples:
    riverboat mcp --library ~/riverboat
    riverboat mcp --http --port 8765
    """
    from riverboat.runtime.devices import parse_memory

    if not http:
        refuse("is for --http", port=port)
    allowed = parse_memory(memory)
    if library is not None and not library.is_dir():
        raise UsageError(f"There is no folder {library}; make it first.")
    try:
        from riverboat.assistants.server import Settings, serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "riverboat":
            raise
        raise UsageError(f"This needs the mcp package: {how_to_install('mcp')}.") from error
    settings = Settings(None if library is None else library.resolve(), seconds, allowed)
    serve(
        settings,
        http=(LOOPBACK, port or 0) if http else None,
        ready=lambda address: print(f"Riverboat's tools are at {address}", file=sys.stderr),
    )
