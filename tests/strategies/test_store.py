"""Strategies on disk: what goes in comes out, and what is not whole is refused."""

import csv
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riverboat.errors import FileFormatError, StorageError
from riverboat.runtime.storage import atomic_write, check_writable
from riverboat.strategies.export import to_csv, to_json
from riverboat.strategies.files import FORMAT_VERSION, write_arrays
from riverboat.strategies.strategy import Strategy, load_strategy, strategy_arrays


def sample(probabilities: list[float] | None = None) -> Strategy:
    return Strategy(
        game="kuhn",
        parameters={"players": 2},
        infosets=("J|", "K|p", "J|"),
        players=np.array([0, 1, 1], dtype=np.int8),
        offsets=np.array([0, 2, 4, 6]),
        actions=("p", "b", "p", "b", "p", "b"),
        probabilities=np.array(probabilities or [0.75, 0.25, 0.0, 1.0, 1 / 3, 2 / 3]),
        info={"algorithm": "cfr+", "iterations": 10},
    )


def test_a_strategy_is_loaded_as_it_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.rb"
    sample().save(path)
    back = load_strategy(path)
    assert back.parameters == {"players": 2}
    assert back.info == sample().info
    assert back.infosets == sample().infosets
    np.testing.assert_array_equal(back.probabilities, sample().probabilities)
    assert back.lookup(1, "J|") == {"p": 1 / 3, "b": 2 / 3}
    assert back.lookup(1, "Q|") is None
    assert [p.name for p in tmp_path.iterdir()] == ["kuhn.rb"]


@given(st.integers(0, 10_000), st.booleans())
def test_a_cut_or_garbled_file_is_refused(
    tmp_path_factory: pytest.TempPathFactory, at: int, cut: bool
) -> None:
    path = tmp_path_factory.mktemp("damage") / "x.rb"
    sample().save(path)
    raw = bytearray(path.read_bytes())
    at %= len(raw)
    if cut:
        path.write_bytes(raw[:at])
    else:
        raw[at] ^= 0xFF
        path.write_bytes(raw)
    try:
        load_strategy(path)
    except FileFormatError:
        return
    assert not cut, "a truncated file was read"


def test_foreign_files_are_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.rb"
    path.write_text("once upon a time there was a text file")
    with pytest.raises(FileFormatError, match="not a riverboat file"):
        load_strategy(path)
    arrays, header = strategy_arrays(sample())
    write_arrays(path, "q-table", arrays, header)
    with pytest.raises(FileFormatError, match="holds a q-table"):
        load_strategy(path)
    with pytest.raises(StorageError, match="There is no file"):
        load_strategy(tmp_path / "absent.rb")


def test_a_newer_format_asks_for_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "x.rb"
    sample().save(path)
    raw = path.read_bytes()
    now, then = (rf"\"format\": {version}".encode() for version in (FORMAT_VERSION, 9))
    assert now in raw
    path.write_bytes(raw.replace(now, then))
    with pytest.raises(FileFormatError, match="newer"):
        load_strategy(path)


def test_numbers_that_are_no_probabilities_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.rb"
    sample([0.75, 0.75, 0.0, 1.0, 0.5, 0.5]).save(path)
    with pytest.raises(FileFormatError, match="damaged"):
        load_strategy(path)


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.txt"
    atomic_write(path, "old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(StorageError, match="no space left"):
        atomic_write(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.txt"]


def test_an_unwritable_path_is_known_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="does not exist"):
        check_writable(tmp_path / "no" / "x.rb")
    with pytest.raises(StorageError, match="is a directory"):
        check_writable(tmp_path)


def test_a_name_too_long_is_known_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="too long"):
        check_writable(tmp_path / ("x" * 300))
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_a_place_that_only_says_it_is_writable_is_refused() -> None:
    with pytest.raises(StorageError, match=r"Cannot write /proc/x\.rb"):
        check_writable("/proc/x.rb")


def test_links_and_pipes_are_written_through_not_replaced(tmp_path: Path) -> None:
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(tmp_path / "file")
    atomic_write(link, "text")
    assert link.is_symlink()
    assert (tmp_path / "file").read_text() == "text"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        check_writable(pipe)
        atomic_write(pipe, "text")
        assert os.read(reader, 100) == b"text"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_exports_hold_every_probability() -> None:
    whole = json.loads(to_json(sample()))
    assert whole["strategy"]["1"]["J|"] == {"p": 1 / 3, "b": 2 / 3}
    rows = list(csv.DictReader(io.StringIO(to_csv(sample()))))
    assert len(rows) == 6
    assert rows[4] == {"player": "1", "infoset": "J|", "action": "p", "probability": repr(1 / 3)}
