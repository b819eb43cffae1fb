"""SVG, HTML, the palette and the hand grid: written once for terminal, notebook, browser and files."""

DOORS = ("grid_text", "hand_grid", "html", "palette", "svg")
