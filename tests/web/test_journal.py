"""Journals on disk."""

import os
import stat

import pytest

pytest.importorskip("fastapi")

from riverboat.web.journal import Journal


def test_a_journal_needs_nothing_that_only_unix_has(tmp_path, monkeypatch):
    """os.fchmod is missing on Windows up to Python 3.12."""
    monkeypatch.delattr(os, "fchmod", raising=False)
    path = tmp_path / "table.jsonl"
    path.write_text('{"do": "old"}\n')
    path.chmod(0o644)
    journal = Journal(path)
    journal.append({"do": "new"})
    assert list(journal.events()) == [{"do": "old"}, {"do": "new"}]
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
