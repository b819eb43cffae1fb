"""Q tables: rows, averages, files and CSV."""

from pathlib import Path

import numpy as np
import pytest

from riverboat.errors import FileFormatError, RiverboatError, StorageError, UnknownNameError
from riverboat.twentyone.game import HIT, STAND
from riverboat.twentyone.learning.information import INFORMATION, hands, keys, state_key
from riverboat.twentyone.learning.q_table import QTable


def random_table(state: str, objective: str = "reward") -> QTable:
    rng = np.random.default_rng(1)
    shape = (len(keys(state)), 2)
    values, counts = rng.uniform(-1, 1, shape), rng.integers(0, 3, shape)
    info = {"method": "literal", "games": 7, "seed": 3}
    return QTable(state, objective, values, counts, info)


def test_number_of_hands_within_21() -> None:
    # 2,019 in the reference enumeration, which counts the empty hand and ten single cards too.
    assert len(hands()) + 10 + 1 == 2019
    assert len(set(hands())) == len(hands())


@pytest.mark.parametrize(
    ("infoset", "points", "soft"),
    [("A5|T", "16|T", "s16|T"), ("6T|A", "16|A", "h16|A"), ("A5T|9", "16|9", "h16|9")],
)
def test_an_infoset_falls_under_its_key(infoset: str, points: str, soft: str) -> None:
    assert state_key("points", infoset) == points
    assert state_key("soft", infoset) == soft
    assert state_key("composition", infoset) == infoset
    assert all(state_key(kind, infoset) in keys(kind) for kind in INFORMATION)


def test_record_keeps_running_averages_and_lookup_plays_the_better_one() -> None:
    table = QTable.empty("points")
    assert table.lookup(0, "6T|T") is None
    for value in (1.0, -1.0, -1.0, 0.0):
        table.record("6T|T", HIT, value)
    assert table.lookup(0, "79|T") == {HIT: 1.0, STAND: 0.0}, "standing was never tried"
    table.record("A5|T", STAND, 0.0)
    assert table.lookup(0, "79|T") == {HIT: 0.0, STAND: 1.0}
    row = table.index["16|T"]
    assert table.values[row].tolist() == [-0.25, 0.0]
    assert table.counts[row].tolist() == [4, 1]
    assert table.greedy()[row] == 0
    assert table.greedy()[row + 1] == -1


@pytest.mark.parametrize("state", INFORMATION)
def test_files_and_csv_give_the_same_bits_back(state: str, tmp_path: Path) -> None:
    table = random_table(state, "wins")
    table.save(tmp_path / "q.rb")
    back = QTable.load(tmp_path / "q.rb")
    assert (back.state, back.objective, back.info) == (state, "wins", table.info)
    table.to_csv(tmp_path / "q.csv")
    for read in (back, QTable.from_csv(tmp_path / "q.csv", "wins")):
        np.testing.assert_array_equal(read.values, table.values)
        np.testing.assert_array_equal(read.counts, table.counts)
        np.testing.assert_array_equal(read.greedy(), table.greedy())


def test_a_csv_written_by_hand_is_read(tmp_path: Path) -> None:
    path = tmp_path / "team.csv"
    path.write_text(
        "points,up,hit,stand,hit_games,stand_games\n16,1,-0.5,-0.7,10,12\n16,10,-0.6,-0.5,3,4\n"
    )
    table = QTable.load(path)
    assert table.values[table.index["16|A"]].tolist() == [-0.5, -0.7]
    assert table.counts.sum() == 29


@pytest.mark.parametrize(
    "text",
    [
        "",
        "points,up,hit\n16,1,0\n",
        "points,up,hit,stand,hit_games,stand_games\n16,1,x,0,1,1\n",
        "points,up,hit,stand,hit_games,stand_games\n22,1,0,0,1,1\n",
        "points,up,hit,stand,hit_games,stand_games\n16,1,0,0,-1,1\n",
        "points,up,hit,stand,hit_games,stand_games\n16,1,nan,0,1,1\n",
        "points,up,hit,stand,hit_games,stand_games\n16\n",
    ],
)
def test_a_bad_csv_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError):
        QTable.from_csv(path)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    table = random_table("points")
    table.values[3, 0] = np.nan
    table.save(tmp_path / "q.rb")
    with pytest.raises(FileFormatError, match="damaged"):
        QTable.load(tmp_path / "q.rb")
    with pytest.raises(StorageError):
        QTable.load(tmp_path / "none.rb")


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="points"):
        QTable.empty("poitns")
    with pytest.raises(RiverboatError, match="wins"):
        QTable.empty("points", "win")
