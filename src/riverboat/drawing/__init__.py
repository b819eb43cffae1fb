"""SVG, HTML, the palette and the hand grid, written once for terminal, notebook, browser and file.

It knows no game: products hand it their figures.
"""

DOORS = ("figure_text", "grid_text", "hand_grid", "html", "palette", "pdf", "svg", "svg_shapes")
