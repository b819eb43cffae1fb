"""Files that a command writes where `--out` or a kindred option says: the ending decides the kind.

A command calls `check_out` before its work, with the endings it can write, and never writes another
kind of file under a name that says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from riverboat.drawing.html import Markup, page
from riverboat.errors import UsageError
from riverboat.runtime.storage import atomic_write, check_writable

STRATEGY = ("rb", "")
"""Files that Riverboat reads again; a name without an ending is taken as it is."""
PICTURES = ("svg", "html", "pdf", "png")
PLOTS = ("svg", "png", "pdf")
TABLES = ("csv", "parquet", "arrow")


def check_out(path: str | Path | None, endings: Sequence[str], option: str = "--out") -> str | None:
    """Return the ending of `path` in small letters, without its dot; None where there is no path.

    An ending that is not among `endings`, a place that cannot be written and a kind of file whose
    library is not installed are refused, before the work that would be lost. A pipe or device
    (/dev/stdout) without an ending gets the first of `endings`.
    """
    if path is None:
        return None
    file = Path(path)
    ending = file.suffix[1:].lower()
    if not ending and file.exists() and not file.is_file() and not file.is_dir():
        ending = endings[0]
    if ending not in endings:
        *others, last = [f".{known}" for known in endings if known]
        known = f"{', '.join(others)} or {last}" if others else last
        raise UsageError(f"{option} writes {known}, by the ending of the name, not {file.name!r}.")
    check_writable(file)
    if ending in ("parquet", "arrow"):
        from riverboat.runtime.tables import arrow_library

        arrow_library()
    elif ending in ("png", "pdf"):
        from riverboat.pictures import check_format

        check_format(ending)
    return ending


def write_picture(
    path: str | Path, picture: str, *, title: str, html: Callable[[], str] | None = None
) -> None:
    """Write an SVG picture as `path`'s ending says: one of PICTURES.

    `html` gives the page of a browser, where it is not the picture itself. PNG and PDF are made by
    Matplotlib.
    """
    ending = check_out(path, PICTURES)
    data: str | bytes = picture
    if ending == "html":
        data = html() if html is not None else page(title, Markup(picture))
    elif ending in ("png", "pdf"):
        from riverboat.drawing.svg_figure import figure_of_svg
        from riverboat.pictures import picture_bytes

        data = picture_bytes(figure_of_svg(picture), ending)
    atomic_write(path, data)


def check_plot(path: str | Path | None, option: str = "--plot") -> None:
    """Refuse a picture of Matplotlib's that could not be drawn, as `check_out` does."""
    if path is not None:
        from riverboat.pictures import check_format

        check_out(path, PLOTS, option)
        check_format("svg")
