"""The one style of all pictures: colours, letters, and how a figure becomes a file.

Colours are those of Okabe and Ito, "Color universal design" (2008): distinguishable with every
common kind of colour blindness. Letters are DejaVu Sans, which comes with Matplotlib. A file has no
date and no random names in it, so the same input gives the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from riverboat.drawing import palette
from riverboat.errors import UnknownNameError, UsageError, how_to_install
from riverboat.runtime.storage import atomic_write

MISSING = f"A picture needs Matplotlib; install it with: {how_to_install('plots')}."
try:
    import matplotlib
    from matplotlib.colors import LinearSegmentedColormap, to_hex
    from matplotlib.figure import Figure
except ImportError:
    raise UsageError(MISSING) from None


FORMATS = ("svg", "png", "pdf")


@dataclass(frozen=True)
class Theme:
    """The colours of one style, light or dark."""

    name: str
    paper: str
    ink: str
    faint: str  # For grids, frames and what matters less
    colours: tuple[str, ...]  # For curves and kinds, in this order
    neutral: str  # The middle between gain and loss

    @property
    def gains(self) -> LinearSegmentedColormap:
        """From loss (orange) through nothing to gain (blue)."""
        ends = ("#B24300", "#D55E00", self.neutral, "#0072B2", "#004C7A")
        if self.name == "dark":
            ends = ("#FF9A4D", "#D55E00", self.neutral, "#0072B2", "#7CC8F5")
        return LinearSegmentedColormap.from_list(f"gains-{self.name}", ends)

    @property
    def heat(self) -> LinearSegmentedColormap:
        """From nothing to much."""
        ends = (self.neutral, "#56B4E9", "#0072B2", "#00304D")
        if self.name == "dark":
            ends = (self.neutral, "#00507D", "#56B4E9", "#DFF2FC")
        return LinearSegmentedColormap.from_list(f"heat-{self.name}", ends)


THEMES = {
    "light": Theme(
        "light",
        "#ffffff",
        "#1c2430",
        "#9aa5b4",
        ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7f7f7f"),
        "#f4f5f7",
    ),
    "dark": Theme(
        "dark",
        "#131416",
        "#e8ecf1",
        "#6b7686",
        ("#56B4E9", "#E69F00", "#2FC79B", "#E39CC4", "#D55E00", "#4C9BE0", "#a5adb8"),
        "#24282e",
    ),
}


class Picture(Figure):
    """A Matplotlib figure that a notebook shows as SVG."""

    def _repr_svg_(self) -> str:
        return picture_bytes(self, "svg").decode()


@contextmanager
def drawing(
    theme: str = "light", size: tuple[float, float] = (7.0, 4.2)
) -> Iterator[tuple[Picture, Theme]]:
    """A new figure of that size in inches in a style, and its colours; draw inside the `with`."""
    if theme not in THEMES:
        raise UnknownNameError.among("theme", theme, THEMES)
    colours = THEMES[theme]
    with _settings(_look(colours)):
        yield Picture(figsize=size, layout="constrained"), colours


def _settings(changes: dict[str, Any]) -> AbstractContextManager[None]:
    """Matplotlib's own settings but for these; whatever the user has set elsewhere waits."""
    library: Any = matplotlib
    settings = {key: value for key, value in library.rcParamsDefault.items() if key != "backend"}
    return cast("AbstractContextManager[None]", library.rc_context({**settings, **changes}))


def _look(theme: Theme) -> dict[str, Any]:
    library: Any = matplotlib
    return {
        "axes.prop_cycle": library.cycler(color=theme.colours),
        "axes.edgecolor": theme.faint,
        "axes.facecolor": theme.paper,
        "axes.grid": False,
        "axes.labelcolor": theme.ink,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlelocation": "left",
        "axes.titlesize": 11,
        "axes.titleweight": "bold",
        "figure.facecolor": theme.paper,
        "font.size": 9.5,
        "grid.alpha": 0.35,
        "grid.color": theme.faint,
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "lines.linewidth": 1.8,
        "text.color": theme.ink,
        "xtick.color": theme.ink,
        "ytick.color": theme.ink,
    }


def ink_on(colour: Any) -> str:
    """Black or white, whichever is easier to read on a colour of Matplotlib."""
    return palette.ink_on(to_hex(colour))


def check_format(suffix: str) -> None:
    """Refuse a picture that could not be drawn, before the work it would show."""
    if suffix.lower().lstrip(".") not in FORMATS:
        raise UsageError(f"A picture ends in {', '.join(FORMATS)}, not {suffix or 'nothing'}.")
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise UsageError(MISSING) from None


def picture_bytes(figure: Figure, picture: str = "svg") -> bytes:
    """The figure as a file's bytes (svg, png or pdf): the same for the same figure."""
    check_format(picture)
    nothing: dict[str, dict[str, str | None]] = {
        "svg": {"Date": None, "Creator": "Riverboat"},
        "png": {"Software": "Riverboat"},
        "pdf": {"CreationDate": None, "Creator": "Riverboat", "Producer": "Riverboat"},
    }
    kind = picture.lower().lstrip(".")
    out = io.BytesIO()
    # Letters stay letters, so that a picture can be searched and read aloud.
    with _settings({"svg.hashsalt": "riverboat", "svg.fonttype": "none"}), _settled(figure):
        figure.savefig(out, format=kind, metadata=nothing[kind], dpi=160)
    return out.getvalue()


@contextmanager
def _settled(figure: Figure) -> Iterator[None]:
    """The figure laid out, with its axes at round places.

    The layout's own solver leaves the last bits to chance, and names in an SVG depend on them.
    """
    engine = figure.get_layout_engine()
    if engine is None:
        yield
        return
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, low, width, height = axes.get_position(original=True).bounds
        axes.set_position((round(left, 5), round(low, 5), round(width, 5), round(height, 5)))
    try:
        yield
    finally:
        figure.set_layout_engine(engine)


def save(figure: Figure, path: str | Path) -> None:
    """Write a picture; the ending (svg, png, pdf) says how. It appears whole or not at all."""
    atomic_write(path, picture_bytes(figure, Path(path).suffix))
