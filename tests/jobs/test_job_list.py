"""The seam: order, what is kept, retry, and crews that agree; Ray's own tests are beside it."""

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from job_works import SHARED, Compiles, Dies, Endless, Refuses, Squares, Sums
from riverboat.errors import ParameterError, StorageError, UsageError
from riverboat.jobs.crews import Processes, open_crew
from riverboat.jobs.job_list import Here, JobProgress, WorkerLostError, run_jobs, stretches
from riverboat.jobs.ray_crew import _failure
from riverboat.runtime.stopping import Stop, use_stop
from waiting import PATIENCE, wait_until


class Memory:
    """Keeps results in a dictionary."""

    def __init__(self, known: dict[int, int]) -> None:
        self.known, self.order = dict(known), list[int]()

    def find(self, job: int) -> int | None:
        return self.known.get(job)

    def keep(self, job: int, result: int) -> None:
        self.known[job] = result
        self.order.append(job)


def test_results_come_in_order_and_what_is_kept_is_not_done_again() -> None:
    memory = Memory({1: 100, 4: 400})
    told: list[JobProgress] = []
    found = list(run_jobs(Squares(), range(6), Here(), kept=memory, progress=told.append))
    assert found == [0, 100, 4, 9, 400, 25]
    assert memory.order == [0, 2, 3, 5]
    assert [(now.done, now.known) for now in told] == [(2, 2), (3, 2), (4, 2), (5, 2), (6, 2)]
    assert list(run_jobs(Squares(), range(6), Here(), kept=memory)) == found


def test_the_rest_is_left_when_the_caller_takes_no_more_results() -> None:
    memory = Memory({})
    stream = run_jobs(Squares(), range(100), Here(), kept=memory)
    assert [next(stream), next(stream)] == [0, 1]
    stream.close()  # type: ignore[attr-defined]
    assert memory.order == [0, 1]


def test_an_error_of_a_job_ends_the_run_and_is_not_tried_again() -> None:
    with pytest.raises(UsageError, match="not for sale"):
        list(run_jobs(Refuses(), range(5), Here()))


def test_stretches_cover_everything_once() -> None:
    assert stretches(10, 4) == [(0, 4), (4, 8), (8, 10)]
    assert stretches(0, 4) == []


@pytest.mark.e2e
def test_processes_agree_survive_a_death_and_read_shared_arrays(tmp_path: Path) -> None:
    """One pool of two for all of it: starting processes is what costs."""
    with open_crew(workers=2) as crew:
        assert isinstance(crew, Processes)
        work = Squares(7)
        expected = list(run_jobs(work, range(20), Here()))
        assert list(run_jobs(work, range(20), crew)) == expected == [7 + i * i for i in range(20)]
        assert crew.retried == 0

        mortal = Dies(tmp_path, 5)
        assert list(run_jobs(mortal, range(8), crew)) == [-i for i in range(8)]
        assert crew.retried >= 1

        shared = crew.share(SHARED)
        jobs = [(shared, first, last) for first, last in stretches(1000, 300)]
        assert sum(run_jobs(Sums(), jobs, crew)) == 999 * 1000 // 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_workers_after_their_step_and_nothing_unfinished_is_kept(
    number: signal.Signals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Job 1 runs in a worker when the signal comes, and would never end by itself."""
    memory, found = Memory({}), list[int]()

    def press(now: JobProgress) -> None:
        if now.job == 0:
            os.kill(os.getpid(), number)

    with open_crew(workers=2) as crew, pytest.raises(KeyboardInterrupt):
        found.extend(run_jobs(Endless(tmp_path), range(9), crew, kept=memory, progress=press))
    assert (found, memory.known) == ([0], {0: 0})
    assert not (tmp_path / "8").exists()
    assert "Stopping after the current step" in capsys.readouterr().err


def test_a_stop_ends_workers_that_still_compile(tmp_path: Path) -> None:
    stop = Stop()

    def press() -> None:
        wait_until((tmp_path / "0").exists)
        stop.request()

    threading.Thread(target=press).start()
    with use_stop(stop), open_crew(workers=1) as crew, pytest.raises(KeyboardInterrupt):
        list(run_jobs(Compiles(tmp_path), range(1), crew))


def test_a_stop_ends_this_process_between_two_jobs() -> None:
    memory, found = Memory({}), list[int]()

    def press(now: JobProgress) -> None:
        if now.job == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        found.extend(run_jobs(Squares(), range(9), Here(), kept=memory, progress=press))
    assert found == [0, 1, 4]
    assert memory.order == [0, 1, 2]


def test_a_full_disk_is_reported_once_and_what_it_refused_is_kept_later(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Full(Memory):
        full = 2

        def keep(self, job: int, result: int) -> None:
            if job > 0 and self.full:
                self.full -= 1
                raise StorageError("Cannot write: no space left on device.")
            super().keep(job, result)

    memory = Full({})
    assert list(run_jobs(Squares(), range(5), Here(), kept=memory)) == [0, 1, 4, 9, 16]
    assert memory.order == [0, 1, 2, 3, 4]
    assert capsys.readouterr().err.count("no space left") == 1


@pytest.mark.slow
def test_a_job_that_always_kills_its_worker_is_given_up(tmp_path: Path) -> None:
    with (
        open_crew(workers=1) as crew,
        pytest.raises(WorkerLostError, match="lost 4 times while it did 2"),
    ):
        list(run_jobs(Dies(tmp_path, 2, always=True), range(4), crew))
    assert "0" in (tmp_path / "done.txt").read_text()


def test_no_worker_is_refused() -> None:
    with pytest.raises(ParameterError, match="At least one worker"), open_crew(workers=0):
        pass


def test_without_ray_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'ray"), open_crew(ray="auto"):
        pass


@pytest.mark.parametrize("wrong", [":", "", "host:", "a b", "http://x:1", "ray://", "local:"])
def test_what_is_no_address_is_one_sentence(wrong: str) -> None:
    """Said before Ray is looked for."""
    with pytest.raises(UsageError, match="is not the address of a Ray cluster"), open_crew(wrong):
        pass


def test_a_ray_that_does_not_start_is_not_waited_for() -> None:
    """A cluster that never answers, and one that fails in Ray's own way."""
    forever = threading.Event()
    assert isinstance(_failure(forever.wait, 0.01), TimeoutError)
    forever.set()

    def fail() -> None:
        raise Exception("The current node timed out during startup.")

    assert str(_failure(fail, 10.0)).startswith("The current node")
    assert _failure(lambda: None, 10.0) is None


@pytest.mark.e2e
def test_an_address_without_a_listener_is_one_sentence() -> None:
    pytest.importorskip("ray")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"  # taken, so that nobody else listens there
        for wrong in (address, "127.0.0.1:99999999"):
            with pytest.raises(UsageError, match="Nothing listens"), open_crew(ray=wrong):
                pass


@pytest.mark.e2e
def test_a_cluster_that_is_gone_and_a_port_of_something_else_are_reported_at_once(
    tmp_path: Path,
) -> None:
    """In programs of their own: Ray reads its folder's place once. By itself it tries minutes."""
    pytest.importorskip("ray")
    from ray._private.services import find_gcs_addresses

    def told(where: str, **more: str) -> str:
        plain = {key: value for key, value in os.environ.items() if key != "RAY_ADDRESS"}
        words = ("match", "kuhn", "random", "random", "--ray")
        done: Any = subprocess.run(
            [sys.executable, "-m", "riverboat", *words, where],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={**plain, "RAY_TMPDIR": str(tmp_path), **more},
        )
        assert (done.returncode, done.stdout) == (2, "")
        return str(done.stderr)

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{other.getsockname()[1]}"
        (tmp_path / "ray").mkdir()
        (tmp_path / "ray" / "ray_current_cluster").write_text(address)
        gone = f"riverboat: Nothing listens at {address}, which auto stands for here. There is no"
        assert told("auto", RAY_ADDRESS=address).startswith(gone)
        if not find_gcs_addresses():  # auto prefers a Ray that runs to what the file says
            assert told("auto").startswith(gone)
        other.listen()
        silent = f"riverboat: What listens at {address} is no Ray cluster"
        assert told("auto", RAY_ADDRESS=address).startswith(silent + ", which auto")
        assert told(address).startswith(silent + "; is the address right")


def test_a_stop_ends_the_search_for_what_is_kept() -> None:
    """A long run has millions of jobs, and each is looked for on the disk."""
    stop, asked = Stop(), list[int]()

    class Asked:
        def find(self, job: int) -> None:
            asked.append(job)
            stop.request()

        def keep(self, job: int, result: float) -> None: ...

    with use_stop(stop), pytest.raises(KeyboardInterrupt):
        list(run_jobs(Squares(), range(1000), Here(), kept=Asked()))
    assert asked == [0]


def test_nothing_imports_ray_unasked() -> None:
    """Neither the package, nor any command module, nor the seam itself."""
    program = (
        "import sys, riverboat, riverboat.cli.main, riverboat.jobs.crews, riverboat.jobs.ray_crew;"
        "print([m for m in ('ray', 'duckdb', 'pyarrow') if m in sys.modules])"
    )
    done: Any = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
