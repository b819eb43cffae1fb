"""A Matplotlib figure as lines of text: the same picture, for a terminal.

The figure is rendered twice at two by four points per character. What is filled (bars, maps,
surfaces) becomes the colour behind a character, what is drawn with a line becomes Braille dots, and
letters are put where the figure has them.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

if TYPE_CHECKING:
    from numpy.typing import NDArray


DOT_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each point in a Braille character, row by row."""
BRAILLE, SHADES = 0x2800, " ░▒▓█"
SEEN, DRAWN = 0.3, 0.2  # How opaque a filled point, and one of a line, must be to count
ASIDE = (0, 1, -1, 2, -2, 3, -3)
"""Where else a text may go, in columns, if its place is taken; otherwise it is left out."""
MANY = 6  # Points from which on a curve is drawn bit by bit
GREY = 0.12
"""Colours whose channels differ by less are the figure's ink, shown in the terminal's own."""
POWER = re.compile(r"\$\\mathdefault\{(−|-)?(?:(\d+)\\times)?10\^\{([^}]*)\}\}\$")


def figure_lines(figure: Any, width: int, *, colour: bool = True) -> list[Text]:
    """The figure in `columns` columns; its proportions are kept, as a character is 1 : 2."""
    *_, last = figure_frames(figure, width, colour=colour, frames=1)
    return last


def figure_frames(
    figure: Any, width: int, *, colour: bool = True, frames: int = 12
) -> Generator[list[Text], None, None]:
    """The figure while its curves are drawn from their first point to their last.

    The last frame is the whole figure, and the only one where no curve has many points.
    """
    inches, high = figure.get_size_inches()
    width = max(20, min(width, round(inches * 12)))
    rows = max(6, round(width * high / inches / 2))
    old_dpi = figure.get_dpi()
    _canvas(figure).draw()
    shown = _shown(figure)
    engine = figure.get_layout_engine()
    figure.set_layout_engine("none")
    try:
        letters = list(_letters(figure, shown, width, rows))
        figure.set_dpi(2 * width / inches)
        with _hidden(figure, _texts(figure)), _hidden(figure, _papers(figure)):
            lines, fills = _kinds(figure)
            with _hidden(figure, lines):
                behind = _points(figure, rows, width)
            with _hidden(figure, fills):
                for share in _shares(figure, frames):
                    with _up_to(figure, share):
                        drawn = _points(figure, rows, width)
                    yield _compose(letters, behind, drawn, colour=colour)
    finally:
        figure.set_dpi(old_dpi)
        figure.set_layout_engine(engine)


def _curves(figure: Any) -> tuple[list[Any], list[Any]]:
    """The curves of many points, and the trails of many pieces."""
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    lines: list[Any] = [line for axes in figure.axes for line in axes.lines]
    trails = [
        trail for axes in figure.axes for trail in axes.collections if type(trail) is LineCollection
    ]
    return (
        [line for line in lines if len(line.get_xydata()) >= MANY and type(line) is Line2D],
        [trail for trail in trails if len(trail.get_segments()) >= MANY],
    )


def _shares(figure: Any, frames: int) -> list[float]:
    moving = any(_curves(figure))
    return [(i + 1) / frames for i in range(frames)] if moving else [1.0]


@contextmanager
def _up_to(figure: Any, share: float) -> Iterator[None]:
    """The curves with their first points only."""
    curves, trails = _curves(figure) if share < 1 else ([], [])
    whole = [curve.get_data(orig=True) for curve in curves]
    pieces = [trail.get_segments() for trail in trails]
    for curve, (x, y) in zip(curves, whole, strict=True):
        end = max(2, round(share * len(x)))
        curve.set_data(x[:end], y[:end])
    for trail, segments in zip(trails, pieces, strict=True):
        trail.set_segments(segments[: max(1, round(share * len(segments)))])
    try:
        yield
    finally:
        for curve, data in zip(curves, whole, strict=True):
            curve.set_data(*data)
        for trail, segments in zip(trails, pieces, strict=True):
            trail.set_segments(segments)


def _canvas(figure: Any) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    return FigureCanvasAgg(figure)


def _texts(figure: Any) -> list[Any]:
    from matplotlib.text import Text as FigureText

    return [text for text in figure.findobj(FigureText) if text.get_visible()]


def _shown(figure: Any) -> set[int]:
    """The texts that are really drawn: an axis has labels beyond its ends that are not."""
    seen: set[int] = set()
    renderer = _canvas(figure).get_renderer()
    renderer.draw_text = lambda *_, mtext=None, **__: seen.add(id(mtext))
    figure.draw(renderer)
    return seen


def _papers(figure: Any) -> list[Any]:
    """What lies behind a figure, its axes, and the walls of those in three dimensions."""
    axes = figure.axes
    walls = [one for a in axes if hasattr(a, "zaxis") for one in (a.xaxis, a.yaxis, a.zaxis)]
    return [figure.patch, *(a.patch for a in axes), *(one.pane for one in walls)]


def _kinds(figure: Any) -> tuple[list[Any], list[Any]]:
    """What is made of lines, and what is filled."""
    from matplotlib.collections import Collection, LineCollection
    from matplotlib.contour import ContourSet
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.spines import Spine

    lines = figure.findobj(lambda a: isinstance(a, Line2D | LineCollection | ContourSet | Spine))
    known = {id(artist) for artist in lines}
    fills = figure.findobj(
        lambda a: isinstance(a, AxesImage | Collection | Patch) and id(a) not in known
    )
    return lines, fills


@contextmanager
def _hidden(figure: Any, artists: list[Any]) -> Iterator[None]:
    shown = [artist for artist in artists if artist.get_visible()]
    for artist in shown:
        artist.set_visible(False)
    try:
        yield
    finally:
        for artist in shown:
            artist.set_visible(True)


def _points(figure: Any, rows: int, width: int) -> NDArray[np.float64]:
    """(rows, 4, width, 2, RGBA) the figure as points from 0 to 1."""
    canvas = _canvas(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba(), np.float64) / 255
    points = np.zeros((4 * rows, 2 * width, 4))
    high, wide = min(len(pixels), 4 * rows), min(pixels.shape[1], 2 * width)
    points[:high, :wide] = pixels[:high, :wide]
    return points.reshape(rows, 4, width, 2, 4)


def _letters(
    figure: Any, shown: set[int], width: int, rows: int
) -> Iterator[tuple[int, int, str, bool]]:
    """Row, column and text of everything written, and whether it goes downwards."""
    size = figure.get_size_inches() * figure.get_dpi()
    for text in _texts(figure):
        words = POWER.sub(_power, text.get_text()).replace("$", "")
        box = text.get_window_extent()
        if not words.strip() or (id(text) not in shown and "\n" not in words):
            continue
        across, down = (box.x0 + box.x1) / 2 / size[0], 1 - (box.y0 + box.y1) / 2 / size[1]
        upright = 45 < text.get_rotation() % 180 < 135
        lines = words.split("\n")
        for number, line in enumerate(lines):
            row = round(down * rows - 0.5 + number - (len(lines) - 1) / 2)
            column = across * width - len(line) / 2
            if text.get_ha() == "left":
                column = box.x0 / size[0] * width
            elif text.get_ha() == "right":
                column = box.x1 / size[0] * width - len(line)
            if upright and len(line) <= rows:
                yield round(down * rows - len(line) / 2), int(across * width), line, True
            elif not upright:
                yield row, max(0, min(round(column), width - len(line))), line, False


def _power(match: re.Match[str]) -> str:
    sign, factor, exponent = match.groups()
    power = exponent.replace("−", "-")
    return f"{sign or ''}{factor or 1}e{power}"


def _written(letters: list[tuple[int, int, str, bool]]) -> dict[tuple[int, int], str]:
    """The letter at each place; long texts come first, upright ones last."""
    taken: dict[tuple[int, int], str] = {}
    for row, column, line, upright in sorted(letters, key=lambda text: (text[3], -len(text[2]))):
        for aside in ASIDE:
            start = max(0, column + aside)
            places = [(row + i, start) if upright else (row, start + i) for i in range(len(line))]
            near = [] if upright else [(row, start - 1), (row, start + len(line))]
            if not any(cell in taken and taken[cell] != " " for cell in (*places, *near)):
                taken |= dict(zip(places, line, strict=True))
                break
    return taken


def _compose(
    letters: list[tuple[int, int, str, bool]],
    behind: NDArray[np.float64],
    drawn: NDArray[np.float64],
    *,
    colour: bool,
) -> list[Text]:
    rows, width = behind.shape[0], behind.shape[2]
    written = _written(letters)
    fills = behind.mean(axis=(1, 3))
    dots = drawn[..., 3] > DRAWN
    bits = np.einsum("rywx,yx->rw", dots.astype(np.int64), np.array(DOT_BITS))
    strength = drawn[..., 3:]
    tones = (drawn * strength).sum(axis=(1, 3)) / np.maximum(strength.sum(axis=(1, 3)), 1e-9)
    result = []
    for row in range(rows):
        text = Text()
        used = [c for c in range(width) if bits[row, c] or fills[row, c, 3] > SEEN]
        ends = [*used, *(c for r, c in written if r == row and c < width)]
        for column in range(max(ends, default=-1) + 1):
            fill, bit = fills[row, column], int(bits[row, column])
            sign = written.get((row, column)) or (chr(BRAILLE + bit) if bit else " ")
            filled = fill[3] > SEEN
            if not colour:
                dark = 1 - float(fill[:3].mean()) if filled else 0.0
                shade = SHADES[round(dark * 4)]
                text.append(shade if sign == " " and (row, column) not in written else sign)
            else:
                tone = None if (row, column) in written or not bit else tones[row, column]
                text.append(sign, style=_style(fill if filled else None, tone))
        result.append(text)
    while result and not result[-1]:
        result.pop()
    return result


def _style(fill: Any, tone: Any) -> str:
    """The style of a character: what is behind it, and what it is drawn with."""
    front = ""
    if tone is not None and max(tone[:3]) - min(tone[:3]) > GREY:
        front = _hex(tone)
    if fill is None:
        return front
    light = 0.299 * fill[0] + 0.587 * fill[1] + 0.114 * fill[2]
    return f"{front or ('#000000' if light > 0.5 else '#ffffff')} on {_hex(fill)}"


def _hex(rgb: Any) -> str:
    return "#" + "".join(f"{round(255 * min(max(float(part), 0), 1)):02x}" for part in rgb[:3])
