"""How punctual the searching player is next to busy processes.

    python benchmarks/search_stress.py [--decisions 1000] [--busy 10] [--seconds 0.3] [--device cpu]

The searching player sits in both seats. Printed are quantiles of the seconds a decision after the
deal of the flop took, how many took longer than the player's own clock, where the answers came
from and, for comparison, how much too long a process slept that did nothing but sleep.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from riverboat.arena.hand import play_hand
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.rules.table import deal_streets
from riverboat.holdem.search.player import SearchPlayer
from riverboat.players.player import View
from riverboat.players.roster import make_player

QUANTILES = (0.5, 0.9, 0.99, 0.999, 1.0)


class TimedPlayer:
    """A player whose decisions after the deal of the flop are timed."""

    def __init__(self, player: SearchPlayer) -> None:
        self.player, self.name = player, player.name
        self.seconds: list[float] = []

    def choose(self, view: View, rng: np.random.Generator) -> str:
        begin = time.perf_counter()
        action = self.player.choose(view, rng)
        if "/" in view.infoset:
            self.seconds.append(time.perf_counter() - begin)
        return action


SLEEPER = """
import sys, time
while True:
    begin = time.perf_counter()
    time.sleep(0.2)
    print(time.perf_counter() - begin - 0.2, flush=True)
"""


@dataclass(frozen=True)
class Stress:
    """What came of a run."""

    seconds: np.ndarray
    """(decisions,)"""
    overslept: np.ndarray
    """(naps,) seconds that a process slept too long meanwhile."""
    sources: dict[str, int]


def stress(decisions: int, busy: int, spec: str, seed: int = 1) -> Stress:
    """Play that many decisions next to `busy` processes that never rest."""
    game = Blueprint.load("shipped").rules
    made = make_player(game, spec)
    assert isinstance(made, SearchPlayer)
    player = TimedPlayer(made)
    rng = np.random.default_rng(seed)
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
    sleeper = subprocess.Popen([sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE, text=True)
    try:
        with suppress(KeyboardInterrupt):  # what was measured until then is printed
            while len(player.seconds) < decisions:
                play_hand(game, [player, player], deal_streets(rng), [rng, rng])
    finally:
        for each in (*others, sleeper):
            each.kill()
        for each in others:
            each.wait()
        naps = sleeper.communicate()[0].split()
    return Stress(np.array(player.seconds), np.array(naps, float), dict(made.sources))


def main() -> None:
    """Print the distribution."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=1000)
    parser.add_argument("--busy", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    spec = f"search?seconds={given.seconds}&device={given.device}"
    found = stress(given.decisions, given.busy, spec)
    seconds = found.seconds
    print(f"{len(seconds):,} decisions of {spec} next to {given.busy} busy processes")
    for part, value in zip(QUANTILES, np.quantile(seconds, QUANTILES), strict=True):
        print(f"{100 * part:6.1f} % within {value:.3f} s")
    late = int((seconds > given.seconds).sum())
    print(f"{late:,} later than {given.seconds:g} s, {int((seconds > 0.5).sum()):,} than 0.5 s")
    print(", ".join(f"{count:,} by {name}" for name, count in found.sources.items()))
    print(f"a process that only sleeps overslept by up to {found.overslept.max():.3f} s")


if __name__ == "__main__":
    main()
