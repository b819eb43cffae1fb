"""Own folders, whole writes, and reads that end: no device, no pipe, no file without a bound."""

import os
from pathlib import Path

import pytest
from platformdirs.macos import MacOS

from riverboat.errors import FileFormatError, StorageError
from riverboat.runtime.storage import (
    atomic_write,
    cache_folder,
    check_writable,
    data_folder,
    parse_toml,
    read_bytes,
    read_text,
)
from riverboat.strategies.files import file_kind
from riverboat.strategies.kinds import load
from riverboat.twentyone.wire.tournament_archive import default_store


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


def test_macos_keeps_them_in_its_library_and_an_older_folder_is_still_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Apple's File System Programming Guide: Application Support and Caches."""
    for name in ("RIVERBOAT_DATA", "RIVERBOAT_CACHE", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("platformdirs.PlatformDirs", MacOS)
    assert data_folder() == tmp_path / "Library/Application Support/riverboat"
    assert cache_folder() == tmp_path / "Library/Caches/riverboat"
    older = tmp_path / ".local/share/riverboat"
    older.mkdir(parents=True)
    assert data_folder() == older
    assert cache_folder() == tmp_path / "Library/Caches/riverboat"


def test_a_sparse_file_of_gigabytes_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "huge.rb"
    with path.open("wb") as stream:
        stream.truncate(5 * 2**30)
    for read in (read_bytes, read_text):
        with pytest.raises(FileFormatError, match="too large"):
            read(path)
    for load_it in (load, file_kind):
        with pytest.raises(FileFormatError, match="not a riverboat file"):
            load_it(path)


def test_a_header_that_says_another_length_is_refused_before_the_rest_is_read(
    tmp_path: Path,
) -> None:
    whole = Path(__file__).parents[1] / "data" / "files_0.2.0" / "strategy-lp.rb"
    path = tmp_path / "huge.rb"
    path.write_bytes(whole.read_bytes())
    with path.open("r+b") as stream:
        stream.truncate(5 * 2**30)
    with pytest.raises(FileFormatError, match="longer than its arrays"):
        load(path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such devices here")
@pytest.mark.parametrize("device", ["/dev/full", "/dev/zero", "/dev/null"])
def test_a_device_is_not_read(device: str) -> None:
    for read in (read_bytes, read_text, load, file_kind):
        with pytest.raises(StorageError, match="not a regular file"):
            read(device)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_without_a_writer_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe.rb"
    os.mkfifo(path)
    for read in (read_bytes, read_text, load, file_kind):
        with pytest.raises(StorageError, match="not a regular file"):
            read(path)


def test_a_private_file_is_private_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    atomic_write(path, "key", mode=0o600)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_not_opened_before_there_is_something_to_write(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_writable(pipe)  # opened, it would wait for a reader that nobody is


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("number = " + "9" * 5000, "a whole number in it is too long"),
        ("number = 0x", "is no TOML"),
        ("number = " + "[" * 100_000, "is no TOML"),
        ("day = 2026-02-30", "date"),
        ("key", "is no TOML"),
    ],
)
def test_a_text_that_is_no_toml_is_refused_in_one_sentence(text: str, reason: str) -> None:
    with pytest.raises(FileFormatError, match=reason) as refused:
        parse_toml(text, "The game")
    assert str(refused.value).startswith("The game")
    assert "\n" not in str(refused.value)
    assert str(refused.value).endswith(".")
    assert not str(refused.value).endswith("..")
