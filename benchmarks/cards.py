"""The card engine against the evaluators that Python can call, one thread, CPU time.

    python benchmarks/cards.py            some ten seconds
    python benchmarks/cards.py --long     also all flop histograms and all seven-card hands

Peers, where installed: phevaluator, pkrbot, eval7 (pip install phevaluator pkrbot eval7), and
PokerKit for Omaha. They rank one hand a call; ours is given the same hands as one array. Each
figure is the best of several runs, since other work on the machine can only slow a run down.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np

from riverboat.cards._strength_kernels import strengths_on_board
from riverboat.cards.card import CARDS, parse_cards
from riverboat.cards.combos import COMBO_CARDS, parse_combo
from riverboat.cards.equity import equity, range_equities
from riverboat.cards.hands import hand_cards
from riverboat.cards.isomorphism import isomorphism, street_histograms
from riverboat.cards.omaha import omaha_board_strengths, omaha_strengths
from riverboat.cards.omaha_equity import omaha_equity
from riverboat.cards.preflop import build_preflop_table, count_hand_pair
from riverboat.cards.ranges import Range
from riverboat.cards.strength import strength_tables, strengths, strengths_of_card_masks

NUM_HANDS = 1_000_000
NUM_PEER_HANDS = 100_000


def best(work: Callable[[], object], runs: int = 7) -> float:
    """CPU seconds of the fastest run, after one that compiles."""
    work()
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def line(name: str, figure: str, target: str = "", ratio: str = "") -> None:
    print(f"{name:<44}{figure:>22}{target:>22}{ratio:>16}")


def random_hands(num: int, size: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.argsort(rng.random((num, 52)), axis=1)[:, :size].astype(np.uint8)


def peers() -> dict[str, Callable[[list[list[int]]], Callable[[], object]]]:
    """By name: from hands to the work of ranking them one by one, conversions done before."""
    found: dict[str, Callable[[list[list[int]]], Callable[[], object]]] = {}
    try:
        from phevaluator import evaluate_cards

        found["phevaluator"] = lambda hands: lambda: [evaluate_cards(*hand) for hand in hands]
    except ImportError:
        pass
    try:
        import eval7

        def with_eval7(hands: list[list[int]]) -> Callable[[], object]:
            cards = [[eval7.Card(CARDS[card]) for card in hand] for hand in hands]
            return lambda: [eval7.evaluate(hand) for hand in cards]

        found["eval7"] = with_eval7
    except ImportError:
        pass
    try:
        import pkrbot

        def with_pkrbot(hands: list[list[int]]) -> Callable[[], object]:
            cards = [[pkrbot.Card(CARDS[card]) for card in hand] for hand in hands]
            return lambda: [pkrbot.evaluate(hand) for hand in cards]

        found["pkrbot"] = with_pkrbot
    except ImportError:
        pass
    return found


def bench_hands() -> None:
    hands = random_hands(NUM_HANDS, 7)
    out = np.empty(NUM_HANDS, np.uint16)
    rate = NUM_HANDS / best(lambda: strengths(hands, out), 20)
    line("(N, 7) random hands", f"{rate / 1e6:,.0f} M/s", "at least 300 M/s")
    for size in (5, 6):
        fewer = np.ascontiguousarray(hands[:, :size])
        taken = best(lambda cards=fewer: strengths(cards, out))  # type: ignore[misc]
        line(f"(N, {size}) random hands", f"{NUM_HANDS / taken / 1e6:,.0f} M/s")
    masks = (np.uint64(1) << hands.astype(np.uint64)).sum(axis=1)
    masks_rate = NUM_HANDS / best(lambda: strengths_of_card_masks(masks))
    line("masks of seven cards", f"{masks_rate / 1e6:,.0f} M/s")
    sample = hands[:NUM_PEER_HANDS].tolist()
    for name, prepare in peers().items():
        peer_rate = NUM_PEER_HANDS / best(prepare(sample), 3)
        line(f"  {name}", f"{peer_rate / 1e6:,.2f} M/s", "", f"ours × {rate / peer_rate:,.0f}")


def bench_omaha() -> None:
    """Random hands of four cards on random boards of five, and on one board."""
    deals = random_hands(NUM_HANDS, 9)
    hands, boards = np.ascontiguousarray(deals[:, :4]), np.ascontiguousarray(deals[:, 4:])
    rate = NUM_HANDS / best(lambda: omaha_strengths(hands, boards), 5)
    line("Omaha, (N, 4) hands on (N, 5) boards", f"{rate / 1e6:,.1f} M/s", "10 × the faster peer")
    everything = hand_cards(4)
    on_board = len(everything) / best(lambda: omaha_board_strengths([50, 37, 22, 9, 4], everything))
    line("Omaha, all hands on one board", f"{on_board / 1e6:,.0f} M/s")
    sample = deals[:NUM_PEER_HANDS].tolist()
    try:
        from phevaluator import evaluate_omaha_cards

        work = lambda: [evaluate_omaha_cards(*deal[4:], *deal[:4]) for deal in sample]  # noqa: E731
        peer_rate = len(sample) / best(work, 3)
        line("  phevaluator", f"{peer_rate / 1e6:,.3f} M/s", "", f"ours × {rate / peer_rate:,.0f}")
    except ImportError:
        pass
    try:
        from pokerkit import OmahaHoldemHand

        texts = [
            ("".join(CARDS[card] for card in deal[:4]), "".join(CARDS[card] for card in deal[4:]))
            for deal in sample[:1_000]
        ]
        taken = best(lambda: [OmahaHoldemHand.from_game(*text) for text in texts], 2)
        peer_rate = len(texts) / taken
        line("  PokerKit", f"{peer_rate / 1e6:,.4f} M/s", "", f"ours × {rate / peer_rate:,.0f}")
    except ImportError:
        pass
    players = ["AsKsQhJh", "AdAc7d2c"]
    taken = best(lambda: omaha_equity(players), 3)
    line("Omaha, two hands before the flop, exact", f"{1e3 * taken:,.0f} ms")
    taken = best(lambda: omaha_equity(["random", "random"], "Ts9s2d4c"), 2)
    line("Omaha turn, all hands v all, exact", f"{1e3 * taken:,.0f} ms")
    taken = best(lambda: omaha_equity(["AA$ds", "KK"], samples=1_000_000), 2)
    line("Omaha Monte Carlo, two ranges", f"{1 / taken:,.1f} M deals/s")


def bench_boards() -> None:
    boards = random_hands(20_000, 5)
    arrays = strength_tables().arrays
    rows, out = np.empty((13, 52), np.uint16), np.empty(1326, np.uint16)

    from numba import njit

    @njit
    def all_boards(boards, keys, displacements, values, rows, out):  # type: ignore[no-untyped-def]
        for i in range(boards.shape[0]):
            strengths_on_board(boards[i], keys, displacements, values, rows, out)

    taken = best(lambda: all_boards(boards, *arrays, rows, out))
    line(
        "one board × 1,326 hands",
        f"{1326 * len(boards) / taken / 1e9:,.2f} G/s",
        "at least 1.3 G/s",
    )


def bench_equity() -> None:
    aces, kings = parse_combo("AsAh"), parse_combo("KdKc")
    taken = best(lambda: [count_hand_pair(aces, kings) for _ in range(50)]) / 50
    line("AA v KK before the flop, exact", f"{1e3 * taken:.3f} ms", "under 0.3 ms")
    taken = best(build_preflop_table, 2)
    line("all preflop pairs (169 × 169 matrix)", f"{taken:.2f} s", "under 10 s")
    everything = Range.full()
    taken = best(lambda: range_equities(everything, everything, "AsKd7c"))
    line("flop, 1,176 hands v 1,176, every equity", f"{1e3 * taken:.1f} ms", "under 30 ms")
    samples = 20_000_000
    taken = best(lambda: equity(["AsAh", "KdKc"], method="monte-carlo", samples=samples), 3)
    line("Monte Carlo, two hands", f"{samples / taken / 1e6:,.0f} M boards/s", "at least 100 M/s")
    samples = 5_000_000
    taken = best(lambda: equity(["QQ+,AK", "random"], method="monte-carlo", samples=samples), 2)
    line("Monte Carlo, two ranges", f"{samples / taken / 1e6:,.0f} M deals/s")
    bench_peer_equity()


def bench_peer_equity() -> None:
    """A hand against a range on a flop, sampled, as eval7 offers it."""
    text, board, samples = "22+, A2s+, KTs+, QTs+, JTs, AJo+, KQo", "AsKd7c", 1_000_000
    players = ["QsQd", text]
    ours = best(lambda: equity(players, board, method="monte-carlo", samples=samples), 3)
    line("Monte Carlo, hand v range on a flop", f"{samples / ours / 1e6:,.0f} M deals/s")
    try:
        import eval7
    except ImportError:
        return
    hand = [eval7.Card("Qs"), eval7.Card("Qd")]
    cards = [eval7.Card(CARDS[card]) for card in parse_cards(board)]
    villain = eval7.HandRange(text)
    theirs = best(lambda: eval7.py_hand_vs_range_monte_carlo(hand, villain, cards, samples), 3)
    line("  eval7", f"{samples / theirs / 1e6:,.0f} M deals/s", "", f"ours × {theirs / ours:,.1f}")
    exact = best(lambda: range_equities(Range.parse("QsQd"), Range.parse(text), board))
    line("the same, exact", f"{1e3 * exact:.2f} ms")


def bench_isomorphism() -> None:
    for groups in ((2, 3), (2, 5), (2, 3, 1, 1)):
        classes = isomorphism(*groups)
        hands = random_hands(200_000, sum(groups))
        taken = best(lambda c=classes, h=hands: c.indices(h))  # type: ignore[misc]
        name = "+".join(map(str, groups))
        line(f"index of {name}", f"{len(hands) / taken / 1e6:,.0f} M/s")


def bench_long() -> None:
    start = time.process_time()
    street_histograms("flop")
    line("histograms of all 1,286,792 flops", f"{time.process_time() - start:.1f} s")
    start, count = time.process_time(), 0
    rest = np.array(list(combinations(range(52), 5)), np.uint8)
    for low, high in COMBO_CARDS:
        later = rest[rest[:, 0] > high]
        both = np.broadcast_to(np.array([low, high]), (len(later), 2))
        count += len(strengths(np.concatenate([both, later], axis=1)))
    line(f"all {count:,} hands of seven", f"{time.process_time() - start:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="also the work of half a minute")
    wanted = parser.parse_args()
    line("", "ours", "wanted", "ratio")
    bench_hands()
    bench_omaha()
    bench_boards()
    bench_equity()
    bench_isomorphism()
    if wanted.long:
        bench_long()


if __name__ == "__main__":
    main()
