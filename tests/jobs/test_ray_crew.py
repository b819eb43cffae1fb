"""Jobs on a real Ray: several nodes on this machine, one of them killed in the middle of work.

Ray binds to the machine's outward address even when it is told 127.0.0.1. So the cluster runs in a
child process with a network of its own that has loopback only (`unshare --net`, which takes root),
and with process numbers of its own, so that nothing of it outlives the test.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from riverboat.errors import UsageError
from riverboat.jobs import ray_crew
from riverboat.jobs.ray_crew import connect

ROOT = Path(__file__).parent.parent.parent
ALONE = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]


def why_not() -> str:
    """Why a network of its own cannot be had here; empty where it can."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return "a network of its own needs unshare and ip (Linux)"
    tried = subprocess.run(
        [*ALONE, "ip", "link", "set", "lo", "up"], capture_output=True, text=True
    )
    return f"no network of its own: {tried.stderr.strip()}" if tried.returncode else ""


def run_alone(function: str) -> dict[str, Any]:
    """What a function of ray_program saw in a network of its own."""
    pytest.importorskip("ray")
    reason = why_not()
    if reason:
        pytest.skip(f"{reason}; Ray would listen on the machine's outward address")
    folder = tempfile.mkdtemp(prefix="rb", dir="/tmp")  # the paths of sockets must be short
    Path(folder, "ray").mkdir()  # Ray writes its address there before it makes the folder
    paths = [str(ROOT / "src"), str(ROOT / "tests" / "support")]
    program = [sys.executable, "-c", f"import ray_program; ray_program.{function}({folder!r})"]
    script = 'ip link set lo up && exec "$@"'
    try:
        done = subprocess.run(
            [*ALONE, "sh", "-c", script, "sh", *program],
            capture_output=True,
            text=True,
            timeout=540,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "RAY_TMPDIR": folder},
        )
        assert done.returncode == 0, done.stderr[-3000:]
        seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return seen
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    """What the program saw; it runs once for all tests here."""
    return run_alone("main")


@pytest.mark.e2e
def test_a_local_ray_lives_as_long_as_the_work() -> None:
    """Its processes outlive the start: Ray ends them with the thread that started them."""
    found = run_alone("local")
    assert found["squares"] == [7 + i * i for i in range(12)]
    assert found["refused"] == "UsageError: Three is not for sale."


@pytest.mark.e2e
def test_ray_gives_what_one_process_gives(seen: dict[str, Any]) -> None:
    found = seen["seams"]
    assert found["squares"] == [7 + i * i for i in range(12)]
    assert found["sum"] == 999 * 1000 // 2
    assert found["refused"] == "UsageError: Three is not for sale."
    assert found["workers"] == 2


@pytest.mark.e2e
def test_a_node_killed_in_the_middle_of_a_report_loses_nothing(seen: dict[str, Any]) -> None:
    """All flops are there, each once, and the rows are those of one process."""
    found = seen["report"]
    assert found["same"]
    assert found["done"] == [0, 1, 2, 3, 4, 5, 6]
    assert found["retried"] >= 1
    assert (found["files"], found["left"]) == (6, 0)


@pytest.mark.e2e
def test_a_node_killed_in_the_middle_of_training_changes_nothing(seen: dict[str, Any]) -> None:
    """No chunk is lost and none counts twice: the table is that of one process, bit for bit."""
    found = seen["training"]
    assert found["same"]
    assert found["walks"][0] == found["walks"][1]
    assert found["chunks"][0] == found["chunks"][1]
    assert found["retried"] >= 1


class FailingRay:
    """Ray's two functions that `connect` calls; `init` fails with each of the errors in turn."""

    def __init__(self, *errors: str) -> None:
        self.errors = list(errors)
        self.attempts = 0

    def is_initialized(self) -> bool:
        return False

    def init(self, address: str, **options: Any) -> None:
        self.attempts += 1
        if self.errors:
            raise Exception(self.errors.pop(0))  # as Ray itself does


LATE = "The current node timed out during startup. This could happen because\n GCS is overloaded."


def test_a_local_ray_whose_processes_start_late_is_started_once_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ray = FailingRay(LATE)
    monkeypatch.setattr(ray_crew, "load_ray", lambda: ray)
    assert connect("local") is ray
    assert ray.attempts == 2


@pytest.mark.parametrize(
    ("errors", "attempts"), [((LATE, LATE, LATE), 2), (("No room:\n /dev/shm.",), 1)]
)
def test_a_local_ray_that_does_not_start_is_one_sentence(
    errors: tuple[str, ...], attempts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = FailingRay(*errors)
    monkeypatch.setattr(ray_crew, "load_ray", lambda: ray)
    with pytest.raises(UsageError, match=r"^Ray does not start on this machine: [^\n]*[^.]\.$"):
        connect("local")
    assert ray.attempts == attempts
