"""`riverboat web`: the pages in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from riverboat.cli import options
from riverboat.cli.groups import App
from riverboat.cli.options import count_option, option

app = App()
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@app.command("web")
def web(
    host: Annotated[
        str, option("Address to listen on; 0.0.0.0 takes every network.")
    ] = "127.0.0.1",
    port: Annotated[int, count_option("--port", "0 takes a free one.", min=0, max=65535)] = 8080,
    folder: Annotated[
        Path | None, option("Where things are saved (default: the user's data folder).")
    ] = None,
    classroom: Annotated[
        bool, option("--class", "A class: students join with a code and play.")
    ] = False,
    name: Annotated[
        list[str] | None,
        option("A name browsers reach it by (a proxy's); repeatable.", metavar="NAME"),
    ] = None,
    memory: Annotated[
        str | None, option("Memory for solves, such as 8GiB (default: most of what is free).")
    ] = None,
    no_open: Annotated[bool, option("--no-open", "Open no browser.")] = False,
    imports: options.Imports = None,
) -> None:
    """Play, study and learn in a browser; Ctrl-C stops the server.

    \b
    Examples:
    riverboat web
    riverboat web --port 0 --no-open
    riverboat web --host 0.0.0.0 --class
    """
    options.import_programs(imports)
    from riverboat.errors import UsageError, how_to_install

    try:
        import fastapi  # noqa: F401
        import jinja2  # noqa: F401
    except ImportError:
        raise UsageError(f"The browser pages need FastAPI: {how_to_install('web')}.") from None
    import webbrowser

    from riverboat.runtime.devices import parse_memory
    from riverboat.runtime.storage import data_folder
    from riverboat.web.server import address_of, bind, serve
    from riverboat.web.site import Settings, Site

    if host not in LOOPBACK and not classroom:
        raise UsageError(
            f"Without --class only this machine may come in, so --host {host} is refused:"
            " anyone who reaches the pages could read and save files."
        )
    settings = Settings(
        host,
        port,
        folder or data_folder(),
        classroom,
        tuple(name or ()),
        None if memory is None else parse_memory(memory),
    )
    listener = bind(settings)
    address = address_of(host, listener.getsockname()[1])
    site = Site(settings)

    def ready() -> None:
        print(f"Riverboat is at {address}/ (Ctrl-C stops it)", flush=True)
        if site.classroom is not None:
            _print_class(address, site.classroom.code, site.classroom.key)
        if not no_open:
            webbrowser.open(f"{address}/class/teacher" if classroom else address)

    serve(site, listener, ready)


def _print_class(address: str, code: str, key: str) -> None:
    """What the teacher shows, and what the teacher keeps."""
    import segno

    print(f"Students: {address}/class   code {code}")
    segno.make(f"{address}/class").terminal(compact=True)
    print(f"Teacher:  {address}/class/teacher   key {key}", flush=True)
