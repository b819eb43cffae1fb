"""Train a blueprint in one call: config in, blueprint out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from riverboat.errors import UsageError
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.abstraction.game_config import AbstractGame, HoldemConfig, read_config
from riverboat.holdem.mccfr.mccfr import HoldemTrainer, TrainingState
from riverboat.solvers.limits import Limit

__all__ = ["train_blueprint"]


def train_blueprint(
    config: str | Path | HoldemConfig = "headsup-small",
    *,
    minutes: float | None = None,
    iterations: int | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[TrainingState], None] | None = None,
) -> Blueprint:
    """Train for so many minutes, or walks of one player over one deal; Ctrl-C ends it early.

    `config` is a shipped one's name, a TOML file, or a HoldemConfig. Card tables that are not in
    the cache are built first.
    """
    if minutes is None and iterations is None:
        raise UsageError("Say how long to train: minutes=10, or iterations=1_000_000.")
    read = config if isinstance(config, HoldemConfig) else read_config(config)
    trainer = HoldemTrainer(AbstractGame.build(read, threads=threads), seed=seed, threads=threads)
    trainer.run(Limit(iterations, None, None if minutes is None else 60 * minutes), progress)
    if trainer.stopped and not trainer.deals:
        raise KeyboardInterrupt
    return trainer.blueprint()
