"""Blueprints: abstract games, the strategies trained on them, and how real hands are played by them."""

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
