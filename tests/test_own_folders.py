"""Where files of our own are kept."""

from pathlib import Path

import pytest

from riverboat.runtime.own_folders import cache_folder, data_folder
from riverboat.twentyone.tournament.archive import default_store


def test_the_variables_name_the_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RIVERBOAT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RIVERBOAT_CACHE", str(tmp_path / "cache"))
    assert (data_folder(), cache_folder()) == (tmp_path / "data", tmp_path / "cache")
    assert default_store() == tmp_path / "data" / "tournaments.sqlite"


def test_without_them_the_usual_places_are_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("RIVERBOAT_DATA", "RIVERBOAT_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert data_folder() == tmp_path / "riverboat"
    assert cache_folder() == tmp_path / "me" / ".cache" / "riverboat"
