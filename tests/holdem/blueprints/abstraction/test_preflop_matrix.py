"""The cached preflop table: written once, checked when read, counted anew when damaged."""

from pathlib import Path

import numpy as np
import pytest

from riverboat.cards.preflop import PreflopTable
from riverboat.holdem.blueprints.abstraction import card_tables as preflop_matrix
from riverboat.holdem.blueprints.abstraction.card_tables import preflop_table, preflop_table_path
from riverboat.runtime.storage import cache_folder
from riverboat.strategies.files import write_arrays


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """An empty cache and a list that grows each time the table is counted (here: made up)."""
    calls: list[int] = []

    def made_up(progress: object) -> PreflopTable:
        calls.append(1)
        wins = np.arange(169 * 1326, dtype=np.int32).reshape(169, 1326)
        return PreflopTable(wins, wins[::-1].copy())

    monkeypatch.setenv("RIVERBOAT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(preflop_matrix, "build_preflop_table", made_up)
    return calls


def test_counted_once(counted: list[int]) -> None:
    first, second = preflop_table(), preflop_table()
    assert len(counted) == 1
    assert (first.wins == second.wins).all()
    assert (first.ties == second.ties).all()
    assert [path.name for path in cache_folder().iterdir()] == ["preflop.safetensors"]


def test_a_damaged_file_is_replaced(counted: list[int]) -> None:
    table = preflop_table()
    path = preflop_table_path()
    for damage in (path.read_bytes()[:-100] + bytes(100), path.read_bytes()[:500], b"", b"x" * 99):
        path.write_bytes(damage)
        assert (preflop_table().wins == table.wins).all()
    write_arrays(path, "preflop-table", {"wins": np.zeros(3)}, {"sha256": ""})
    assert (preflop_table().wins == table.wins).all()
    assert len(counted) == 6
    preflop_table()
    assert len(counted) == 6


def test_without_a_place_to_write_it_is_counted_each_time(
    counted: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a directory")
    monkeypatch.setenv("RIVERBOAT_CACHE", str(tmp_path / "file" / "cache"))
    preflop_table()
    preflop_table()
    assert len(counted) == 2


def test_the_cache_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RIVERBOAT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert cache_folder() == Path("/xdg/riverboat")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_folder() == Path("/home/me/.cache/riverboat")
