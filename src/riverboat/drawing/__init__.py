"""SVG, HTML, the palette and the hand grid, written once for terminal, notebook, browser and file.

It knows no game: products hand it their figures.
"""
