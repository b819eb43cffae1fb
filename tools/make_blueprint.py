"""Make the blueprint that comes with the package: train, pack, write.

    python tools/make_blueprint.py                 # about 15 minutes on one core, 0.6 GB of memory
    python tools/make_blueprint.py --out my.rb

The config is headsup-shipped, the seed 1, one thread: the same machine makes the same file, byte
for byte. Card tables are built first where they are not in the cache (a minute more).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import AbstractGame, read_config
from riverboat.holdem.blueprints.shipped import shipped_path
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.solvers.run import Limit, Progress

CONFIG, SEED, ITERATIONS = "headsup-shipped", 1, 160_000_000
MAX_BYTES = 8_000_000


def main() -> None:
    """Train and pack."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=shipped_path())
    parser.add_argument("--iterations", type=float, default=ITERATIONS)
    parser.add_argument("--checkpoint", type=Path, help="pack this training run instead")
    options = parser.parse_args()
    if options.checkpoint is not None:
        trainer = HoldemTrainer.load(options.checkpoint)
    else:
        trainer = HoldemTrainer(AbstractGame.build(read_config(CONFIG)), seed=SEED)
    trainer.run(Limit(iterations=int(options.iterations)), tell)
    pack(trainer.blueprint(), options.out)


def tell(now: Progress) -> None:
    """A line that is written again and again."""
    print(f"\r{now.iterations:,} iterations, {now.seconds:,.0f} s", end="", flush=True)


def pack(blueprint: Blueprint, path: Path) -> None:
    """Write the file, without what differs from run to run."""
    info = {name: value for name, value in blueprint.info.items() if name != "seconds"}
    path.parent.mkdir(parents=True, exist_ok=True)
    Blueprint(blueprint.abstract, blueprint.weights, info).save(path, packed=True)
    size = path.stat().st_size
    print(f"\n{path}: {size:,} bytes, {blueprint.abstract.num_infosets:,} infosets")
    if size > MAX_BYTES:
        raise SystemExit(f"That is more than {MAX_BYTES:,} bytes; use fewer sizes or buckets.")


if __name__ == "__main__":
    main()
