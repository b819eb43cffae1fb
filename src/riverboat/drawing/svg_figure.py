"""Our own SVG pictures (grids, charts, search trees) as Matplotlib figures, to make pixels of."""

from __future__ import annotations

from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path as Curved
from matplotlib.patheffects import withStroke

from riverboat.drawing._svg_shapes import Curve, Rect, read_svg
from riverboat.drawing.figures import Picture, drawing

PER_INCH = 96  # Pixels of a picture that are an inch, as in browsers
NARROWER = 0.88  # Matplotlib's own letters are wider than a browser's
_ALIGN = {"start": "left", "middle": "center", "end": "right"}


def figure_of_svg(picture: str) -> Picture:
    """The figure that shows what the SVG text shows."""
    width, height, shapes = read_svg(picture)
    points = 72 / PER_INCH  # Points in a pixel
    with drawing(size=(width / PER_INCH, height / PER_INCH)) as (figure, _):
        figure.set_layout_engine("none")
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        for order, shape in enumerate(shapes):
            if isinstance(shape, Rect):
                corner, edge = (shape.x, shape.y), shape.stroke or "none"
                thick = shape.stroke_width * points
                patch = Rectangle(
                    corner,
                    shape.width,
                    shape.height,
                    facecolor=shape.fill,
                    edgecolor=edge,
                    linewidth=thick,
                    zorder=order,
                )
                axes.add_patch(patch)
            elif isinstance(shape, Curve):
                codes = [Curved.MOVETO, Curved.CURVE4, Curved.CURVE4, Curved.CURVE4]
                thick = shape.stroke_width * points
                line = Curved(shape.points, codes)
                axes.add_patch(
                    PathPatch(line, facecolor="none", edgecolor=shape.stroke, linewidth=thick)
                ).set_zorder(order)
            else:
                words = axes.text(
                    shape.x,
                    shape.y,
                    shape.words,
                    fontsize=shape.size * points * NARROWER,
                    fontweight="bold" if shape.bold else "normal",
                    horizontalalignment=_ALIGN[shape.anchor],
                    verticalalignment="baseline",
                    color=shape.fill,
                    parse_math=False,
                    zorder=order,
                )
                if shape.stroke:
                    halo = withStroke(
                        linewidth=shape.stroke_width * points, foreground=shape.stroke
                    )
                    words.set_path_effects([halo])
    return figure
