"""`riverboat web`: the pages in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.command("web")
def web(
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; 0.0.0.0 takes every network.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")
    ] = 8080,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="Where things are saved (default: the user's data folder)."),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser.")] = False,
) -> None:
    """Play, look and learn in a browser; Ctrl-C stops the server.

    Examples: riverboat web · riverboat web --port 0 --no-open · riverboat web --folder .
    """
    from riverboat.errors import UsageError

    try:
        import nicegui  # noqa: F401
    except ImportError:
        raise UsageError("The browser pages need NiceGUI: pip install 'riverboat[web]'.") from None
    import webbrowser

    from riverboat.web.library import default_folder
    from riverboat.web.web_server import bind, serve
    from riverboat.web.website import Settings, Site

    settings = Settings(host=host, port=port, folder=folder or default_folder())
    listener = bind(settings)
    bound = listener.getsockname()[1]
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    address = f"http://[{shown}]:{bound}/" if ":" in shown else f"http://{shown}:{bound}/"

    def ready() -> None:
        print(f"Riverboat is at {address} (Ctrl-C stops it)", flush=True)
        if not no_open:
            webbrowser.open(address)

    serve(Site(settings), listener, ready)
