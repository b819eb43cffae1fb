"""Fixtures that any test may use."""

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from commands import Command

# A machine that is busy, or a kernel that compiles, is no failure.
settings.register_profile("riverboat", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("riverboat")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A skipped test is one letter among many: say it in words."""
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        terminalreporter.write_line(
            "The browser tests were left out: there is no Chromium (apt-get install chromium)."
        )


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("COLUMNS", "100")
    return Command(capsys)


@pytest.fixture(autouse=True, scope="session")
def _data_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What commands keep for a person goes to a place of the test run's own."""
    folder: Path = tmp_path_factory.mktemp("data")
    pytest.MonkeyPatch().setenv("RIVERBOAT_DATA", str(folder))
