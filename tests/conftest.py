"""Fixtures that any test may use."""

from pathlib import Path

import pytest

from commands import Command


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("COLUMNS", "100")
    return Command(capsys)


@pytest.fixture(autouse=True, scope="session")
def _data_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What commands keep for a person goes to a place of the test run's own."""
    folder: Path = tmp_path_factory.mktemp("data")
    pytest.MonkeyPatch().setenv("RIVERBOAT_DATA", str(folder))
