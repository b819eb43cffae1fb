"""Saved files, and those in which something is being written."""

import pytest

pytest.importorskip("fastapi")

from riverboat.errors import UsageError
from riverboat.web.app.library import Library
from riverboat.web.twentyone.hosting import Hostings


def test_the_file_of_a_tournament_is_neither_deleted_nor_renamed_while_it_is_played(tmp_path):
    hostings, library = Hostings(tmp_path), Library(tmp_path)
    library.in_use.append(hostings.files)
    hostings.host([("a", "basic"), ("b", "random")], 100_000, seed=1)
    playing = hostings.newest
    (tmp_path / "tournaments.sqlite").touch()
    try:
        for change in (library.delete, lambda name: library.rename(name, "old")):
            with pytest.raises(UsageError, match=r"tournaments\.sqlite is in use"):
                change("tournaments.sqlite")
    finally:
        playing.stopping = True
        playing.thread.join()
    library.delete("tournaments.sqlite")
    assert library.files() == []
