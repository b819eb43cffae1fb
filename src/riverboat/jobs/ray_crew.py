"""A crew on Ray: jobs are tasks of a cluster that people already operate (extra `ray`).

`auto` is the cluster that this machine belongs to, `local` starts one here for the time of the run,
anything else is an address (HOST:PORT, or ray://HOST:PORT from outside). Nodes may join and go:
more tasks are given out when there are more cores, and what a lost node had is done again.
"""

from __future__ import annotations

import logging
import os
import queue
import re
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from riverboat.errors import ParameterError, RiverboatError, UsageError, how_to_install
from riverboat.jobs.job_list import Attempts, SharedArray, Work, do_job
from riverboat.runtime.stopping import current_stop
from riverboat.version import __version__

QUIET = {
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
}
"""Ray's settings where the user has chosen no others."""
POLL_SECONDS = 2.0  # How often the cluster is asked how many cores it has
WAIT_SECONDS = 1.0
ANSWER_SECONDS = 3.0
REACH_SECONDS = 60.0
START_SECONDS = 180.0  # Of a local cluster: 6 s on an idle machine, 40 s on a busy one
STARTED_LATE = "timed out during startup"
"""In Ray's error where its processes took more than its fixed 15 s, as on a busy machine the first
time; the second time they start faster."""
_ADDRESS = re.compile(r"(ray://)?[^\s/:]+:\d+|(ray://)?\[[0-9a-fA-F:.]+\]:\d+")
NO_CLUSTER = (
    "There is no Ray cluster on this machine; start one with `ray start --head`, give an address,"
    " or take local."
)
SETTINGS = b"\x04"
HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0" + SETTINGS + bytes(5)
"""How a client of HTTP/2 begins: its preface, and settings without any."""


def load_ray() -> Any:
    """The module, or one sentence where it is missing."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise UsageError(f"Ray is not installed: {how_to_install('ray')}.") from None
    return ray


def check_address(address: str) -> None:
    """Refuse what is not an address of a cluster."""
    if address not in ("auto", "local") and not _ADDRESS.fullmatch(address):
        raise UsageError(
            f"{address!r} is not the address of a Ray cluster; write auto, local, HOST:PORT or"
            " ray://HOST:PORT."
        )


def connect(address: str, *, patience: float | None = None) -> Any:
    """Ray, connected to a cluster; one that this process is connected to already is taken.

    `patience` is in seconds; by default a local cluster has more to start than another to answer.
    """
    check_address(address)
    ray = load_ray()
    if ray.is_initialized():
        return ray
    _check_listening(address, _where(address))
    if patience is None:
        patience = START_SECONDS if address == "local" else REACH_SECONDS
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == "local":
        options |= {"include_dashboard": False}
    failure = _failure(lambda: ray.init(address, **options), patience)
    if address == "local" and STARTED_LATE in str(failure):
        failure = _failure(lambda: ray.init(address, **options), patience)
    if failure is None:
        return ray
    if address == "auto":
        raise UsageError(NO_CLUSTER) from failure
    if isinstance(failure, TimeoutError):
        what = "start on this machine" if address == "local" else f"answer at {address}"
        raise UsageError(f"Ray did not {what} within {patience:g} seconds.") from None
    reason = " ".join(str(failure).split()).rstrip(".:")[:200]
    if address == "local":
        raise UsageError(f"Ray does not start on this machine: {reason}.") from failure
    raise UsageError(
        f"Cannot reach a Ray cluster at {address}: {reason}. Where it asks for a token, set"
        " RAY_AUTH_MODE=token and RAY_AUTH_TOKEN."
    ) from failure


def _failure(start: Callable[[], Any], patience: float) -> BaseException | None:
    """The error of a call, a TimeoutError after `patience` seconds; Ray would try for minutes.

    The thread that made the call lives on: Ray asks Linux to kill the processes of a local cluster
    when their parent dies (PR_SET_PDEATHSIG), and the parent is the thread that started them.
    """
    failures: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

    def attempt() -> None:
        try:
            start()
        except BaseException as error:  # Ray raises plain exceptions, and exits, too
            failures.put(error)
            return
        failures.put(None)
        threading.Event().wait()

    threading.Thread(target=attempt, name="ray-parent", daemon=True).start()
    try:
        return failures.get(timeout=patience)
    except queue.Empty:
        return TimeoutError()


def _where(address: str) -> str:
    """The address that auto means. Ray notes the last cluster in a file that may outlive it."""
    if address != "auto":
        return address
    from ray._private.services import get_ray_address_from_environment

    try:
        return str(get_ray_address_from_environment("auto", None))
    except ConnectionError:
        raise UsageError(NO_CLUSTER) from None


def _check_listening(address: str, endpoint: str) -> None:
    """Refuse HOST:PORT where no server speaks Ray's protocol; Ray itself would try for minutes.

    Ray speaks gRPC, and with it HTTP/2: both sides open with a frame of settings (RFC 9113, 3.4).
    """
    host, colon, port = endpoint.removeprefix("ray://").rpartition(":")
    if not colon or "://" in host or not port.isdecimal():
        return
    what = f"Nothing listens at {endpoint}"
    try:
        with socket.create_connection((host, int(port)), timeout=ANSWER_SECONDS) as line:
            what = f"What listens at {endpoint} is no Ray cluster"
            line.sendall(HELLO)
            answer = b""
            while len(answer) < 4 and (more := line.recv(16)):
                answer += more
            if answer[3:4] == SETTINGS:
                return
    except (OSError, OverflowError, UnicodeError):
        pass
    if address == "auto":
        raise UsageError(f"{what}, which auto stands for here. {NO_CLUSTER}")
    raise UsageError(f"{what}; is the address right, and the cluster up?")


def _task(key: str, version: str, work: list[Any], job: Any) -> Any:
    """In a worker; `work` holds a reference that is fetched only where it is needed."""
    import ray

    return do_job(key, version, lambda: ray.get(work[0]), job)


class RayCrew:
    """Tasks on Ray with `cores` cores each; `max_tasks` limits how many run at the same time."""

    def __init__(self, address: str, *, cores: int = 1, max_tasks: int | None = None) -> None:
        if max_tasks is not None and max_tasks < 1:
            raise ParameterError(f"At least one worker is needed, not {max_tasks}.")
        check_address(address)
        self._own = not load_ray().is_initialized()
        self._ray = connect(address)
        self._cores, self._max_tasks = cores, max_tasks
        self._work: Work | None = None
        self._key, self._reference = "", None
        self._polled, self._seen = 0.0, 0
        self.name = f"Ray at {address}"
        self.retried = 0
        largest = max((int(n["Resources"].get("CPU", 0)) for n in self._alive()), default=0)
        if largest < cores:
            self.close()
            raise UsageError(
                f"A job wants {cores} cores, and no node of the cluster has more than {largest};"
                " give fewer threads."
            )
        self._remote = self._ray.remote(num_cpus=cores, max_retries=0)(_task)

    def _alive(self) -> list[dict[str, Any]]:
        return [node for node in self._ray.nodes() if node["Alive"]]

    def workers(self) -> int:
        if time.monotonic() - self._polled > POLL_SECONDS or not self._seen:
            cores = (int(node["Resources"].get("CPU", 0)) for node in self._alive())
            self._seen = max(1, sum(count // self._cores for count in cores))
            self._polled = time.monotonic()
        return self._seen if self._max_tasks is None else min(self._seen, self._max_tasks)

    def _room(self) -> int:
        """Tasks submitted: a few wait for a core, so that no core waits for a task."""
        return self.workers() if self._max_tasks is not None else 2 * self.workers() + 2

    def run(self, work: Work, jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        ray = self._ray
        if self._work is not work:
            self._work, self._key = work, uuid.uuid4().hex
            self._reference = ray.put(work)
        waiting = list(range(len(jobs)))[::-1]
        running: dict[Any, int] = {}
        attempts, stop = Attempts(), current_stop()
        try:
            while waiting or running:
                stop.check()  # running tasks are dropped: no stop reaches other machines
                while waiting and len(running) < self._room():
                    number = waiting.pop()
                    job = self._remote.remote(
                        self._key, __version__, [self._reference], jobs[number]
                    )
                    running[job] = number
                ready, _ = ray.wait(list(running), num_returns=1, timeout=WAIT_SECONDS)
                for reference in ready:
                    number = running.pop(reference)
                    try:
                        result = ray.get(reference)
                    except ray.exceptions.RayTaskError as error:
                        raise _cause(error) from None
                    except ray.exceptions.RayError:
                        attempts.lost(number, jobs[number])
                        self.retried += 1
                        waiting.append(number)
                        continue
                    yield number, result
        finally:
            for reference in running:
                ray.cancel(reference, force=True)

    def share(self, array: NDArray[Any]) -> SharedArray:
        return _Stored([self._ray.put(array)])

    def close(self) -> None:
        self._work = self._reference = None
        if self._own:
            self._ray.shutdown()


@dataclass(frozen=True)
class _Stored:
    reference: list[Any]  # Inside a list, so that it travels with a job and the array does not

    def get(self) -> NDArray[Any]:
        import ray

        array: NDArray[Any] = ray.get(self.reference[0])
        return array

    def free(self) -> None:
        self.reference.clear()


def _cause(error: Any) -> Exception:
    """What the job itself raised; a mistake of the user's stays one sentence."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, RiverboatError):
        return type(cause)(str(cause))
    if isinstance(cause, ModuleNotFoundError):
        return UsageError(
            f"A worker has no module {cause.name}; install riverboat on all nodes of the cluster."
        )
    return error if isinstance(error, Exception) else RuntimeError(str(error))
