"""One way to stop: the first signal requests, the second interrupts, ignored ones stay ignored."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from riverboat.runtime.stopping import (
    Stop,
    current_stop,
    interrupt_on_terminate,
    stop_on_signals,
    use_stop,
)

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def _no_hangup_is_ignored() -> Iterator[None]:
    """Under nohup they are."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_requests_and_the_second_interrupts(
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [signal.getsignal(one) for one in SIGNALS]
    with stop_on_signals() as stop:
        assert not stop.requested
        os.kill(os.getpid(), number)
        assert stop.requested
        assert "again stops at once" in capsys.readouterr().err
        with stop_on_signals() as inner:
            assert inner is stop is current_stop()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert not current_stop().requested
    assert [signal.getsignal(one) for one in SIGNALS] == before


def test_what_was_ignored_from_the_start_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_on_signals() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not stop.requested
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_process_with_a_stop_of_its_own_keeps_its_signals() -> None:
    flag = threading.Event()
    before = signal.getsignal(signal.SIGTERM)
    with use_stop(Stop(flag)), stop_on_signals() as stop:
        assert signal.getsignal(signal.SIGTERM) is before
        flag.set()
        assert stop.requested
        with pytest.raises(KeyboardInterrupt):
            stop.check()


def test_other_threads_share_the_stop() -> None:
    seen: list[bool] = []

    def look() -> None:
        with stop_on_signals() as stop:
            seen.append(stop.requested)

    with stop_on_signals() as stop:
        stop.request()
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert seen == [True]


def test_terminate_interrupts_where_no_stop_holds_it() -> None:
    with interrupt_on_terminate(), pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGTERM)
