"""Curves of regret against games played, drawn with Matplotlib where it is installed."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from riverboat.errors import UsageError

__all__ = ["check_format", "draw_curves"]

FORMATS = ("svg", "png", "pdf")
FLOOR = 1e-6
"""Regrets below are drawn here, so that an exact zero has a place on a logarithmic axis."""


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
    title: str, curves: Mapping[str, Sequence[tuple[int, float]]], picture: str = "svg"
) -> bytes:
    """A picture (svg, png or pdf) of named curves of (games, regret), the same bytes each time."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "riverboat", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4.2), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        for name, curve in curves.items():
            games = [played for played, _ in curve]
            axes.plot(games, [max(r, FLOOR) for _, r in curve], marker=".", label=name)
        axes.set(xscale="log", yscale="log", xlabel="games", ylabel="regret a game", title=title)
        axes.set_ylim(bottom=FLOOR / 1.5)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        out = io.BytesIO()
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(picture, {})
        figure.savefig(out, format=picture, metadata=metadata)
    return out.getvalue()
