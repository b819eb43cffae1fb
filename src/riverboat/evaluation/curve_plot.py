"""Curves on logarithmic axes (regret by games, exploitability by iterations) as pictures.

They are drawn with Matplotlib where it is installed.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from riverboat.errors import UsageError

__all__ = ["check_format", "draw_curves"]

FORMATS = ("svg", "png", "pdf")
FLOOR = 1e-6


def check_format(suffix: str) -> None:
    """Refuse a picture that could not be drawn, before the work it would show."""
    if suffix.lower().lstrip(".") not in FORMATS:
        raise UsageError(f"A plot ends in {', '.join(FORMATS)}, not {suffix or 'nothing'}.")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UsageError(
            "A plot needs Matplotlib; install it with pip install 'riverboat[plots]'."
        ) from None


def draw_curves(
    title: str,
    curves: Mapping[str, Sequence[tuple[float, float]]],
    picture: str = "svg",
    *,
    labels: tuple[str, str] = ("games", "regret a game"),
    floor: float = FLOOR,
) -> bytes:
    """A picture (svg, png or pdf) of named curves of points (x, y), the same bytes each time.

    What is below the floor is drawn there, so that an exact zero has a place on the axis. A curve
    of a single point is drawn as a level: an answer found at once.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "riverboat", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4.2), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        for name, curve in curves.items():
            heights = [max(y, floor) for _, y in curve]
            if len(curve) == 1:
                axes.axhline(heights[0], color="0.4", linestyle="--", label=name)
            else:
                axes.plot([x for x, _ in curve], heights, marker=".", label=name)
        axes.set(xscale="log", yscale="log", xlabel=labels[0], ylabel=labels[1], title=title)
        axes.set_ylim(bottom=floor / 1.5)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        out = io.BytesIO()
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(picture, {})
        figure.savefig(out, format=picture, metadata=metadata)
    return out.getvalue()
