"""Weighted subsets of flops that stand for all 1,755: chooses them and measures how well they do.

    python tools/flop_subsets.py --out src/riverboat/holdem/spots/flop_subsets.json

A subset deals its flops with their weights and then two hands from the other cards. For all pairs
of the 169 classes of hands it should deal the pair as often as a full deck does, and give it the
same equity; kinds of flops (suits, pairs, high cards, connected ranks) should be as frequent.
Errors are weighted by how often a pair is dealt.

1. For every flop, count over all turns and rivers how often each class beats and ties each other
   (exact; about two minutes of one core, kept in the cache folder).
2. Grow the subset: add the flop that lowers the squared error fastest, then find the best weights
   of those chosen (non-negative least squares). 3. Exchange flops while that helps.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from riverboat.cards.card import card_text
from riverboat.cards.combos import COMBO_CARDS, NUM_CLASSES, class_of_combos
from riverboat.cards.preflop import disjoint_combos
from riverboat.cards.strength import BLOCKED, board_strengths
from riverboat.holdem.spots.flops import Flop, all_flops
from riverboat.runtime.array_types import F32, F64
from riverboat.runtime.storage import cache_folder

MAX_EXCHANGED = 100
KIND_WEIGHT = 0.05  # Of a kind's squared error in frequency, against that of equities


@njit(cache=True)
def count_board(strengths, classes, low, high, wins, seen, by_card):  # type: ignore[no-untyped-def]
    """Add one board's wins plus half of its ties, twice, to wins[class, class].

    Hands come in the order of strength, so `seen[d]` holds the weaker hands of class d and
    `by_card[c]` those of them that hold card c, which cannot meet a hand with that card.
    """
    order = np.argsort(strengths)
    seen[:] = 0
    by_card[:, :] = 0
    size = len(order)
    start = 0
    while start < size:
        end = start
        while end < size and strengths[order[end]] == strengths[order[start]]:
            end += 1
        for turn in range(2):
            # Once before the group's own hands are counted, once after: a tie is half a win.
            for at in range(start, end):
                i = order[at]
                row = wins[classes[i]]
                first, second = by_card[low[i]], by_card[high[i]]
                for d in range(row.shape[0]):
                    row[d] += seen[d] - first[d] - second[d]
                if turn == 1:
                    # A hand shares two cards with itself.
                    row[classes[i]] += 1
            if turn == 0:
                for at in range(start, end):
                    i = order[at]
                    seen[classes[i]] += 1
                    by_card[low[i], classes[i]] += 1
                    by_card[high[i], classes[i]] += 1
        start = end


def flop_wins(cards: tuple[int, ...]) -> F64:
    """(169, 169) the share of boards that the first wins, summed over all pairs of hands."""
    classes = class_of_combos().astype(np.int64)
    low, high = COMBO_CARDS[:, 0].astype(np.int64), COMBO_CARDS[:, 1].astype(np.int64)
    wins = np.zeros((NUM_CLASSES, NUM_CLASSES), np.int32)
    seen, by_card = np.zeros(NUM_CLASSES, np.int32), np.zeros((52, NUM_CLASSES), np.int32)
    rest = [card for card in range(52) if card not in cards]
    for place, turn in enumerate(rest):
        for river in rest[:place]:
            strengths = board_strengths([*cards, turn, river])
            left = np.flatnonzero(strengths != BLOCKED)
            count_board(
                strengths[left].astype(np.int64), classes[left], low[left], high[left], wins, seen,
                by_card,
            )  # fmt: skip
    # Two hands that a flop leaves meet on C(45, 2) of its C(49, 2) boards.
    return wins / 2 / 990


def flop_pairs(cards: tuple[int, ...]) -> F64:
    """(169, 169) how many pairs of hands a flop leaves."""
    left = np.flatnonzero(~np.isin(COMBO_CARDS, cards).any(axis=1))
    by_class = np.zeros((len(left), NUM_CLASSES))
    by_class[np.arange(len(left)), class_of_combos()[left]] = 1
    return np.asarray(by_class.T @ (disjoint_combos()[np.ix_(left, left)] @ by_class))


def kinds(cards: tuple[int, ...]) -> list[bool]:
    """What a flop is: its suits, pairs, high card, and whether straights are near."""
    suits, ranks = len({card % 4 for card in cards}), sorted(card // 4 for card in cards)
    paired = len(set(ranks)) < 3
    gap = ranks[2] - ranks[0]
    return [
        suits == 1,
        suits == 2,
        paired,
        *(ranks[2] == rank for rank in (12, 11, 10, 9)),
        not paired and gap <= 4,
        not paired and gap <= 2,
        ranks[2] <= 6,
    ]


def tables(flops: tuple[Flop, ...]) -> tuple[F32, F32]:
    """(F, 169²) wins and pairs of every flop; counted once and kept in the cache folder."""
    path = cache_folder() / "flop_wins.npz"
    if path.exists():
        held = np.load(path)
        return held["wins"], held["pairs"]
    wins = np.zeros((len(flops), NUM_CLASSES**2), np.float32)
    pairs = np.zeros_like(wins)
    began = time.process_time()
    for number, flop in enumerate(flops):
        wins[number], pairs[number] = flop_wins(flop.cards).ravel(), flop_pairs(flop.cards).ravel()
        if number % 50 == 0:
            print(
                f"{number} of {len(flops)} flops, {time.process_time() - began:.0f} CPU s",
                flush=True,
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, wins=wins, pairs=pairs)
    return wins, pairs


class Features:
    """Flops as vectors whose weighted mean should be that of all flops."""

    def __init__(self, flops: tuple[Flop, ...]) -> None:
        self.wins, self.pairs = tables(flops)
        self.kinds = np.array([kinds(flop.cards) for flop in flops], np.float64)
        weights = np.array([flop.weight for flop in flops])
        self.chances = weights / weights.sum()
        self.dealt = self.chances @ self.pairs
        """(169²,) how often a pair is dealt, times a number that all have."""
        self.equities = (self.chances @ self.wins) / self.dealt
        often = np.sqrt(self.dealt / self.dealt.sum())
        # An equity's error to first order: that of its wins less that of its deals.
        skew = (self.wins - self.pairs * self.equities) / self.dealt * often
        deals = (self.pairs / self.dealt - 1) * often
        kind = np.sqrt(KIND_WEIGHT / self.kinds.shape[1]) * (self.kinds - self.chances @ self.kinds)
        vectors = np.hstack([skew, 0.2 * deals, kind]).astype(np.float64)
        self.gram = vectors @ vectors.T

    def error(self, chosen: list[int], weights: F64) -> float:
        return float(weights @ self.gram[np.ix_(chosen, chosen)] @ weights)

    def weigh(self, chosen: list[int]) -> F64:
        """The best non-negative weights that add up to one."""
        from scipy.optimize import nnls

        gram = self.gram[np.ix_(chosen, chosen)]
        scale = np.trace(gram) / len(chosen)
        root = np.linalg.cholesky(gram + 1e-9 * scale * np.eye(len(chosen))).T
        # A heavy row holds the sum at one.
        heavy = 1e3 * np.sqrt(scale)
        rows = np.vstack([root, np.full(len(chosen), heavy)])
        found, _ = nnls(rows, np.append(np.zeros(len(chosen)), heavy))
        return np.asarray(found / found.sum())

    def grow(self, size: int, chosen: list[int]) -> list[int]:
        while len(chosen) < size:
            if chosen:
                gradient = self.gram[:, chosen] @ self.weigh(chosen)
            else:
                gradient = np.diag(self.gram).copy()
            gradient[chosen] = np.inf
            chosen = [*chosen, int(np.argmin(gradient))]
            if len(chosen) == size:
                # A flop that the others have made needless gives its place away.
                weights = self.weigh(chosen)
                chosen = [each for each, w in zip(chosen, weights, strict=True) if w > 1e-5]
        return chosen

    def exchange(self, chosen: list[int], rounds: int) -> list[int]:
        """Replace flops one by one, as long as the error falls."""
        best = self.error(chosen, self.weigh(chosen))
        for _ in range(rounds):
            before = best
            for place in range(len(chosen)):
                others = [*chosen[:place], *chosen[place + 1 :]]
                gradient = self.gram[:, others] @ self.weigh(others)
                gradient[chosen] = np.inf
                for candidate in np.argsort(gradient)[:6].tolist():
                    tried = [*others, candidate]
                    weights = self.weigh(tried)
                    error = self.error(tried, weights)
                    if error < best * (1 - 1e-6) and weights.min() > 1e-5:
                        best, chosen = error, tried
                        break
            if best > before * 0.999:
                break
        return chosen

    def measure(self, chosen: list[int], weights: F64) -> dict[str, float]:
        """Errors of a subset: equities and deals of pairs, and frequencies of kinds."""
        dealt = weights @ self.pairs[chosen]
        wins = weights @ self.wins[chosen]
        met = dealt > 0
        wrong = np.where(met, wins / np.where(met, dealt, 1) - self.equities, 0.5)
        often = self.dealt / self.dealt.sum()
        kind = weights @ self.kinds[chosen] - self.chances @ self.kinds
        return {
            "equity_rms": float(np.sqrt(often @ wrong**2)),
            "equity_worst_class": float(np.abs(self._by_class(dealt, wins)).max()),
            "deal_rms": float(np.sqrt(often @ (dealt / self.dealt - 1) ** 2)),
            "kinds_worst": float(np.abs(kind).max()),
        }

    def _by_class(self, dealt: F64, wins: F64) -> F64:
        """(169,) the error of a class's equity against a random hand."""
        shape = (NUM_CLASSES, NUM_CLASSES)
        mine = wins.reshape(shape).sum(axis=1) / dealt.reshape(shape).sum(axis=1)
        all_wins = (self.equities * self.dealt).reshape(shape).sum(axis=1)
        return np.asarray(mine - all_wins / self.dealt.reshape(shape).sum(axis=1))


def main() -> None:
    """Choose subsets of all sizes and print how well they do."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="10,25,49,95,184")
    parser.add_argument("--rounds", type=int, default=4, help="of exchanges")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    flops = all_flops()
    features = Features(flops)
    found: dict[str, Any] = {}
    print("size  equity rms  worst class  deals rms  worst kind")
    for size in map(int, options.sizes.split(",")):
        # A large subset has little to gain by exchanges, and they take long.
        chosen = features.grow(size, [])
        if size <= MAX_EXCHANGED:
            chosen = features.exchange(chosen, options.rounds)
        weights = features.weigh(chosen)
        facts = features.measure(chosen, weights)
        print(
            f"{size:4} {facts['equity_rms']:11.4f} {facts['equity_worst_class']:12.4f}"
            f" {facts['deal_rms']:10.4f} {facts['kinds_worst']:11.4f}",
            flush=True,
        )
        rows = sorted(zip(weights.tolist(), chosen, strict=True), reverse=True)
        names = {
            "".join(card_text(card) for card in flops[number].cards): round(22_100 * weight, 3)
            for weight, number in rows
            if weight > 1e-6
        }
        found[str(size)] = {"errors": {k: round(v, 5) for k, v in facts.items()}, "flops": names}
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    else:
        json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
