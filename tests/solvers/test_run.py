"""run(): limits, marks, deadlines, stops and autosave, on work that only counts."""

from __future__ import annotations

import errno
import math
import os
import signal
import time
from pathlib import Path

import pytest

from riverboat.errors import StorageError
from riverboat.runtime.stopping import Stop, use_stop
from riverboat.solvers.run import Autosave, Limit, Progress, run, save_somewhere


class Counting:
    """Counts; an iteration takes `each` seconds of its own clock, and halves the figure."""

    algorithm = "counting"

    def __init__(self, each: float = 0.0) -> None:
        self.iterations, self.each = 0, each
        self.counts: list[int] = []
        self.measured: list[int] = []

    @property
    def seconds(self) -> float:
        return 0.5 * self.iterations

    def advance(self, count: int) -> None:
        until = time.perf_counter() + count * self.each
        while time.perf_counter() < until:
            pass
        self.counts.append(count)
        self.iterations += count

    def evaluate(self) -> float:
        self.measured.append(self.iterations)
        return 1.0 / self.iterations

    def save(self, path: str | Path) -> None:
        Path(path).write_text(str(self.iterations))


def test_iterations_are_reached_exactly_and_marks_are_met() -> None:
    work, told = Counting(), []  # type: tuple[Counting, list[Progress]]
    stopped = run(work, Limit(100), progress=told.append, marks=lambda done, _: done + 30)
    assert not stopped
    assert (work.iterations, work.measured) == (100, [30, 60, 90])
    assert [now.iterations for now in told] == sorted(now.iterations for now in told)
    assert math.isnan(told[0].exploitability)
    last = told[-1]
    assert (last.algorithm, last.iterations, last.seconds) == ("counting", 100, 50.0)
    assert (last.exploitability, last.share) == (1 / 90, 1.0)
    assert last.rate > 0


def test_a_target_ends_it_and_counts_by_its_logarithm() -> None:
    work, shares = Counting(), []  # type: tuple[Counting, list[float]]
    run(work, Limit(target=1e-3), progress=lambda now: shares.append(now.share),
        marks=lambda done, _: 10 * max(1, done))  # fmt: skip
    assert work.iterations == 1000
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)


def test_seconds_end_it() -> None:
    work = Counting(0.001)
    run(work, Limit(seconds=0.05))
    assert work.iterations >= 1
    work = Counting()
    run(work, Limit(seconds=1e-300))
    assert work.iterations == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_after_the_step(number: signal.Signals) -> None:
    work = Counting()

    def press(now: Progress) -> None:
        if now.iterations > 5:
            os.kill(os.getpid(), number)

    assert run(work, Limit(10**9), progress=press)
    assert sum(work.counts) == work.iterations > 5


def test_an_interrupt_of_the_listener_is_a_stop_and_one_of_the_work_is_not() -> None:
    def listen(now: Progress) -> None:
        raise KeyboardInterrupt

    assert run(Counting(), Limit(100), progress=listen)

    class Torn(Counting):
        def advance(self, count: int) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Torn(), Limit(100))


def test_a_stop_from_outside_ends_it_before_it_begins() -> None:
    stop = Stop()
    stop.request()
    work = Counting()
    with use_stop(stop):
        assert run(work, Limit(100))
        assert run(work, Limit(100), deadline=math.inf)
    assert work.iterations == 0
    assert not run(work, Limit(100), stop=Stop())


def test_a_deadline_buys_one_step_and_then_what_fits() -> None:
    work = Counting()
    assert not run(work, Limit(100), deadline=-math.inf)
    assert work.iterations == 1
    work = Counting(0.002)
    deadline = time.perf_counter() + 0.1
    run(work, Limit(10_000), deadline=deadline, reserve=3, at_once=4)
    assert 1 <= work.iterations < 50
    assert max(work.counts) <= 4
    work = Counting()
    run(work, Limit(37), deadline=math.inf, first=8)
    assert (work.iterations, work.counts[0]) == (37, 8)


class FullDisk:
    """A disk that takes nothing until it is told to."""

    def __init__(self) -> None:
        self.full, self.tried = True, 0

    def save(self, path: Path) -> None:
        self.tried += 1
        if self.full:
            raise OSError(errno.ENOSPC, "no space left on device")
        path.write_text("whole")


def test_a_full_disk_is_reported_once_and_tried_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    disk = FullDisk()
    autosave = Autosave(disk.save, tmp_path / "run.rb", every=0.0, spacing=0.0)
    work = Counting()

    def free(now: Progress) -> None:
        disk.full = now.iterations < 50

    assert not run(work, Limit(100), progress=free, autosave=autosave, marks=lambda n, _: n + 10)
    assert disk.tried > 2
    assert capsys.readouterr().err.count("no space left on device") == 1
    assert (tmp_path / "run.rb").read_text() == "whole"


def test_a_result_goes_where_there_is_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full, free = tmp_path / "full", tmp_path / "free"
    free.mkdir()
    (free / "mine.rb").write_text("somebody else's")

    def save(path: Path) -> None:
        if path.parent == full:
            raise StorageError(f"Cannot write {path}: no space left on device.")
        path.write_text("whole")

    found = save_somewhere(save, full / "mine.rb", [full, free])
    assert found == free / "mine-1.rb"
    assert found.read_text() == "whole"
    assert str(found) in capsys.readouterr().err
    with pytest.raises(StorageError, match="no space"):
        save_somewhere(save, full / "mine.rb", [full])
    assert Autosave(save, full / "x.rb", elsewhere=[free]).finish() == free / "x.rb"
