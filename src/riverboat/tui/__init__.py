"""Full-screen views in the terminal."""

DOORS = ("spot_explorer", "twentyone_app", "twentyone_scene", "twentyone_sources")
