"""equity-k: rows against exact equities, assignment against brute force, opponent clusters."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from riverboat.cards.card import parse_cards
from riverboat.cards.combos import COMBO_CARDS, class_of_combos, parse_combo
from riverboat.cards.isomorphism import board_histograms, isomorphism
from riverboat.cards.preflop import disjoint_combos
from riverboat.cards.strength import BLOCKED, board_strengths, strength_tables
from riverboat.errors import ParameterError
from riverboat.holdem.abstraction import _equity_bucket_kernels as kernels
from riverboat.holdem.abstraction._bucket_words import mean_equities
from riverboat.holdem.abstraction._equity_bucket_kernels import (
    EQUITY_SCALE,
    count_strengths,
    fill_strengths,
    opponent_equities,
)
from riverboat.holdem.abstraction._k_medians import k_medians
from riverboat.holdem.abstraction.equity_buckets import (
    build_equity_buckets,
    opponent_clusters,
    sample_rows,
)

RIVERS = ("Qs Js 2d 3h 9c", "7c 7d 8c Ac Kc", "2s 3s 4s 5s 6s")


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NDArray[np.uint8]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RIVERBOAT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield opponent_clusters()


def test_opponents_from_weak_to_strong(clusters: NDArray[np.uint8]) -> None:
    assert set(clusters) == set(range(8))
    assert clusters[parse_combo("AsAh")] == clusters[parse_combo("KdKh")] == 7
    assert clusters[parse_combo("3s2h")] == clusters[parse_combo("7s2h")] == 0
    for number in range(169):
        assert len(set(clusters[class_of_combos() == number])) == 1


def _expected_row(board: str, hand: int, clusters: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Equities against each cluster, mean over all hands as strong as `hand`, pair by pair."""
    strengths = board_strengths(board).astype(int)
    possible = strengths != BLOCKED
    wins, meets = np.zeros(8), np.zeros(8)
    for same in np.flatnonzero(strengths == strengths[hand]):
        for c in range(8):
            others = strengths[possible & disjoint_combos()[same] & (clusters == c)]
            wins[c] += (others < strengths[hand]).sum() + (others == strengths[hand]).sum() / 2
            meets[c] += len(others)
    return np.asarray(wins / meets)


@pytest.mark.parametrize("board", RIVERS)
def test_river_rows(board: str, clusters: NDArray[np.uint8]) -> None:
    cards = np.array(parse_cards(board), np.uint8)
    arrays = strength_tables().arrays
    rows, group_of = np.empty((1326, 8), np.int16), np.empty(1326, np.uint16)
    num = opponent_equities(cards, clusters, COMBO_CARDS, arrays, rows, group_of)
    strengths = board_strengths(board)
    present = np.unique(strengths[strengths != BLOCKED])
    assert num == len(present)
    count, listed = np.empty(1, np.uint32), np.empty(num, np.uint16)
    count_strengths(cards[None], arrays, count)
    fill_strengths(cards[None], arrays, np.array([0, num], np.uint32), listed)
    assert count[0] == num
    assert (listed == present).all()
    for hand in np.flatnonzero(strengths != BLOCKED)[::97]:
        assert present[group_of[hand]] == strengths[hand]
        expected = _expected_row(board, int(hand), clusters) * EQUITY_SCALE
        assert rows[group_of[hand]] == pytest.approx(expected, abs=0.51)


def test_one_cluster_is_equity_against_a_random_hand() -> None:
    rows, group_of = np.empty((1326, 1), np.int16), np.empty(1326, np.uint16)
    board = np.array(parse_cards(RIVERS[0]), np.uint8)
    everyone = np.zeros(1326, np.uint8)
    opponent_equities(board, everyone, COMBO_CARDS, strength_tables().arrays, rows, group_of)
    means = board_histograms(RIVERS[0]).means
    for group in range(0, group_of[group_of != BLOCKED].max(), 5):
        mean = means[group_of == group].mean()
        assert rows[group, 0] / EQUITY_SCALE == pytest.approx(mean, abs=2e-4)


@pytest.fixture(scope="module")
def turn_rows() -> NDArray[np.int16]:
    return sample_rows(2, 50, rng=np.random.default_rng(0), num_boards=30)


def test_mean_of_a_row_is_the_equity(turn_rows: NDArray[np.int16]) -> None:
    """Sampled hands win half against random ones, up to sampling and the width of bins."""
    assert mean_equities(2, turn_rows).mean() == pytest.approx(0.5, abs=0.02)
    assert (np.diff(turn_rows.astype(int), axis=1) <= 0).all()
    assert turn_rows.max() <= 46


def _assert_nearest(rows: NDArray[Any], centres: NDArray[Any], buckets: NDArray[Any]) -> None:
    distances = cdist(rows, centres, "cityblock")
    assert (distances[np.arange(len(rows)), buckets.astype(int)] == distances.min(axis=1)).all()


def test_turns_go_to_the_nearest_centre(turn_rows: NDArray[np.int16]) -> None:
    centres = k_medians(turn_rows, 50, rng=np.random.default_rng(1))
    index = isomorphism(2, 4)
    boards = np.array([parse_cards("QsJs2d3h"), parse_cards("7c7d8cAh")], np.uint8)
    out = np.full(index.size, kernels.UNKNOWN, np.uint16)
    arrays = strength_tables().arrays
    kernels.assign_boards(boards, COMBO_CARDS, arrays, index.table, centres.arrays, out)
    for board in boards.tolist():
        counts = board_histograms(board, 49).counts.astype(int)
        above = 46 - np.cumsum(counts, axis=1)[:, :-1]
        possible = np.flatnonzero(counts.sum(axis=1))
        assert len(possible) == 48 * 47 // 2
        cards = [[*COMBO_CARDS[hand].tolist(), *board] for hand in possible]
        _assert_nearest(above[possible], centres.rows, out[index.indices(cards)])
    # No other class than those of the two boards has been touched.
    assert (out != kernels.UNKNOWN).sum() <= 2 * 1128


@pytest.mark.parametrize("buckets", [(49, 200, 200), (200, 200, 5001)])
def test_refuses_numbers_of_buckets(buckets: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="50 to 5,000"):
        build_equity_buckets(buckets=buckets)


@pytest.mark.slow
def test_all_streets(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIVERBOAT_CACHE", str(tmp_path))
    shares: dict[str, float] = {}
    whole = build_equity_buckets(
        buckets=(60, 70, 80), seed=3, threads=2, progress=lambda s, x: shares.update({s: x})
    )
    assert whole.num_buckets == (169, 60, 70, 80)
    assert shares == {"flop": 1.0, "turn": 1.0, "river": 1.0}
    for table, num in ((whole.tables.flop, 60), (whole.tables.turn, 70)):
        assert set(np.unique(table)) == set(range(num))
    assert set(np.unique(whole.tables.river & 0xFFFF)) == set(range(80))
    rng, clusters = np.random.default_rng(9), opponent_clusters()
    rows, group_of = np.empty((1326, 8), np.int16), np.empty(1326, np.uint16)
    arrays = strength_tables().arrays
    for _ in range(30):
        board = rng.permutation(52)[:5].astype(np.uint8)
        opponent_equities(board, clusters, COMBO_CARDS, arrays, rows, group_of)
        possible = np.flatnonzero(group_of != BLOCKED)
        _assert_nearest(
            rows[group_of[possible]],
            whole.details["river_centres"],
            whole.board_buckets(board.tolist())[possible],
        )
        flop = board[:3].tolist()
        counts = board_histograms(flop, 49).counts.astype(int)
        possible = np.flatnonzero(counts.sum(axis=1))
        above = 1081 - np.cumsum(counts, axis=1)[possible, :-1]
        buckets = whole.board_buckets(flop)[possible]
        _assert_nearest(above, whole.details["flop_centres"], buckets)
    again = build_equity_buckets(buckets=(60, 70, 80), streets=["flop"], seed=3)
    assert (again.tables.flop == whole.tables.flop).all()
