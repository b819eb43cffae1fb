"""Nothing is lost on the way: kills, signals, full disks and leftovers."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from commands import Command, usual_signals
from riverboat.runtime.storage import atomic_write, check_writable
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.log import verify_log
from waiting import PATIENCE, wait_until

pytestmark = pytest.mark.e2e

if sys.platform == "win32":
    pytest.skip("Windows has other signals", allow_module_level=True)

RIVERBOAT = [sys.executable, "-m", "riverboat"]


def start(*words: object) -> subprocess.Popen[str]:
    """A command in a process of its own, with signals as a terminal gives them."""
    return subprocess.Popen(
        [*RIVERBOAT, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "RIVERBOAT_AUTOSAVE": "0.05"},
        preexec_fn=usual_signals,
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
def test_training_survives_being_stopped(number: int, tmp_path: Path) -> None:
    file = tmp_path / "q.rb"
    process = start("train", "twentyone", "--games", "1e12", "--out", file)
    wait_until(file.exists, PATIENCE, f"{file}")
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == (-9 if number == signal.SIGKILL else 130)
    table = QTable.load(file)
    assert int(table.info["games"]) > 0
    assert table.counts.sum() > 0


def test_a_killed_training_that_goes_on_is_the_one_that_was_not_killed(
    command: Command, tmp_path: Path
) -> None:
    file, whole = tmp_path / "q.rb", tmp_path / "whole.rb"
    process = start("train", "twentyone", "--games", "1e12", "--seed", 5, "--out", file)
    wait_until(file.exists, what=str(file))
    process.kill()
    process.communicate(timeout=PATIENCE)
    played = int(QTable.load(file).info["games"])
    assert command("train", "twentyone", "--q", file, "--games", 1_000_000, "--out", file).code == 0
    total = played + 1_000_000
    assert command("train", "twentyone", "--games", total, "--seed", 5, "--out", whole).code == 0
    found, expected = QTable.load(file), QTable.load(whole)
    assert int(found.info["games"]) == total
    assert np.array_equal(found.counts, expected.counts)
    assert np.array_equal(found.values, expected.values)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_player_that_learns_survives_being_stopped(number: int, tmp_path: Path) -> None:
    file = tmp_path / "q.rb"
    dealer = start("dealer", "--games", "1e6", "--seed", 1)
    assert dealer.stdout is not None
    found = re.search(r":(\d+) ", dealer.stdout.readline())
    assert found
    player = start("player", "ada", "127.0.0.1", found[1], "--mode", "train", "--q", file)
    wait_until(file.exists, PATIENCE, f"{file}")
    player.send_signal(number)
    player.communicate(timeout=PATIENCE)
    dealer.communicate(timeout=PATIENCE)
    assert int(QTable.load(file).info["table_games"]) > 0


def test_a_killed_dealers_log_can_be_verified(command: Command, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    dealer = start("dealer", "--games", "1e6", "--seed", 1, "--log", log)
    assert dealer.stdout is not None
    found = re.search(r":(\d+) ", dealer.stdout.readline())
    assert found
    player = start("player", "ada", "127.0.0.1", found[1])
    wait_until(lambda: log.read_text().count('"round"') >= 50)
    dealer.kill()
    dealer.communicate()
    player.communicate(timeout=PATIENCE)
    out = command("dealer-log", log).out
    assert out.startswith("True as far as it goes: 1 table, ")
    assert "the log has no end" in out
    assert verify_log(log).seed == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_does_not_stop_a_dealer(command: Command) -> None:
    dealer = start("dealer", "--games", 300, "--seed", 1, "--log", "/dev/full")
    assert dealer.stdout is not None
    found = re.search(r":(\d+) ", dealer.stdout.readline())
    assert found
    assert command("player", "ada", "127.0.0.1", found[1], "--json").json["games"] == 300
    out, err = dealer.communicate(timeout=PATIENCE)
    assert dealer.returncode == 1
    assert "ada" in out
    assert err.count("cannot be written any more") == 1


def test_leftovers_of_processes_that_are_gone_are_swept(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    gone = tmp_path / f".q.rb.{child.pid}-abcd1234"
    ours = tmp_path / f".q.rb.{os.getpid()}-abcd1234"
    old = tmp_path / ".q.rb.abcd1234"
    other = tmp_path / f".p.rb.{child.pid}-abcd1234"
    for path in (gone, ours, old, other):
        path.write_text("half a file")
    os.utime(old, (1, 1))
    check_writable(tmp_path / "q.rb")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([ours.name, other.name])
    atomic_write(tmp_path / "q.rb", "whole")
    assert (tmp_path / "q.rb").read_text() == "whole"
