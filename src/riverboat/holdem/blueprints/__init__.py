"""Blueprints: abstract games, strategies trained on them, and real hands played by them."""

DOORS = (
    "betting_tree",
    "blueprint",
    "fallback_action",
    "game_config",
    "players",
    "shipped",
    "translation",
    "walk",
)
