"""The cached preflop table: written once, checked when read, counted anew when damaged."""

from pathlib import Path

import numpy as np
import pytest

from riverboat.cards.preflop import PreflopTable
from riverboat.holdem.abstraction.preflop_store import preflop_table, preflop_table_path
from riverboat.runtime.storage import cache_folder
from riverboat.strategies.files import write_arrays


class Counter:
    """Makes up a table instead of counting it, and knows how often it did."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> PreflopTable:
        self.calls += 1
        wins = np.arange(169 * 1326, dtype=np.int32).reshape(169, 1326)
        return PreflopTable(wins, wins[::-1].copy())


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Counter:
    """A counter, with an empty cache."""
    monkeypatch.setenv("RIVERBOAT_CACHE", str(tmp_path / "cache"))
    return Counter()


def test_counted_once(counted: Counter) -> None:
    first, second = preflop_table(counted), preflop_table(counted)
    assert counted.calls == 1
    assert (first.wins == second.wins).all()
    assert (first.ties == second.ties).all()
    assert [path.name for path in cache_folder().iterdir()] == ["preflop.safetensors"]


def test_a_damaged_file_is_replaced(counted: Counter) -> None:
    table = preflop_table(counted)
    path = preflop_table_path()
    for damage in (path.read_bytes()[:-100] + bytes(100), path.read_bytes()[:500], b"", b"x" * 99):
        path.write_bytes(damage)
        assert (preflop_table(counted).wins == table.wins).all()
    write_arrays(path, "preflop-table", {"wins": np.zeros(3)}, {"sha256": ""})
    assert (preflop_table(counted).wins == table.wins).all()
    assert counted.calls == 6
    preflop_table(counted)
    assert counted.calls == 6


def test_without_a_place_to_write_it_is_counted_each_time(
    counted: Counter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a directory")
    monkeypatch.setenv("RIVERBOAT_CACHE", str(tmp_path / "file" / "cache"))
    preflop_table(counted)
    preflop_table(counted)
    assert counted.calls == 2


def test_the_cache_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RIVERBOAT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert cache_folder() == Path("/xdg/riverboat")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_folder() == Path("/home/me/.cache/riverboat")
