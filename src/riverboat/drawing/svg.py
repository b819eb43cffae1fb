"""A small picture of one curve for pages and notebooks, without Matplotlib.

Larger ones are made by riverboat.pictures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["curve_svg"]


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
