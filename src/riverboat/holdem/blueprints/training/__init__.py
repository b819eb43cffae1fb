"""Blueprints: external-sampling MCCFR on an abstract game, by one machine or by many."""

DOORS = ("chunk_walks", "spread_trainer", "trainer", "trainer_report")
