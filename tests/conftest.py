"""Fixtures that any test may use."""

import signal
import subprocess
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings

from commands import Command
from riverboat.games.registry import GAMES

# A shell that starts the tests in the background makes them, and their children, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# The same examples every time, however busy the machine is. `make explore` tries others and
# prints its seed.
settings.register_profile(
    "riverboat",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "explore", settings.get_profile("riverboat"), derandomize=False, max_examples=300
)
settings.load_profile("riverboat")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that start a web server or Chromium: `make test` leaves them out."""
    for item in items:
        if {"server", "make_server", "driver"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, Any, Any]:
    """Programs that a test has started end with it if it fails: they would spoil later tests."""
    started: list[subprocess.Popen[Any]] = []
    usual = subprocess.Popen.__init__

    def remember(self: subprocess.Popen[Any], *arguments: Any, **options: Any) -> None:
        usual(self, *arguments, **options)
        started.append(self)

    with mock.patch.object(subprocess.Popen, "__init__", remember):
        try:
            return (yield)
        except BaseException:
            for process in started:
                process.kill()
                process.wait()
                for stream in (process.stdin, process.stdout, process.stderr):
                    if stream is not None:
                        stream.close()
            raise


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("COLUMNS", "100")
    return Command(capsys)


@pytest.fixture(autouse=True)
def _games_of_a_test_end_with_it() -> Iterator[None]:
    """What a test registers, by an example's file say, is no game of later tests."""
    before = dict(GAMES)
    yield
    GAMES.clear()
    GAMES.update(before)


@pytest.fixture(autouse=True, scope="session")
def _data_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What commands keep for a person goes to a place of the test run's own."""
    folder: Path = tmp_path_factory.mktemp("data")
    pytest.MonkeyPatch().setenv("RIVERBOAT_DATA", str(folder))
