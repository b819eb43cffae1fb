"""Blueprints: abstract games, strategies trained on them, and real hands played by them."""
