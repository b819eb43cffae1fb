"""Curves on logarithmic axes (regret by games, exploitability by iterations) as pictures.

They are drawn with Matplotlib where it is installed.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence

from riverboat.errors import UsageError

__all__ = ["check_format", "curve_svg", "draw_curves"]

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


def curve_svg(points: Sequence[tuple[float, float]], *, width: int = 320, height: int = 96) -> str:
    """A small picture of one curve for a page or a notebook, without Matplotlib; log by log."""
    logs = [(math.log10(max(x, 1e-16)), math.log10(max(y, 1e-16))) for x, y in points]
    left, right = min(x for x, _ in logs), max(x for x, _ in logs)
    low, high = min(y for _, y in logs), max(y for _, y in logs)
    across, up = (width - 64) / ((right - left) or 1), (height - 24) / ((high - low) or 1)
    line = " ".join(f"{56 + (x - left) * across:.1f},{8 + (high - y) * up:.1f}" for x, y in logs)
    text = 'font-size="10" font-family="sans-serif" fill="currentColor"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<polyline points="{line}" fill="none" stroke="currentColor"/>'
        f'<text x="0" y="12" {text}>{10**high:.1e}</text>'
        f'<text x="0" y="{height - 14}" {text}>{10**low:.1e}</text>'
        f'<text x="{width - 4}" y="{height - 2}" text-anchor="end" {text}>{10**right:,.0f}</text>'
        "</svg>"
    )
