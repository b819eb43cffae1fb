"""SIGTERM ends a command as Ctrl-C does: partial results are kept, the exit code is 130."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import riverboat as rb
from on_screen import OnScreen
from waiting import PATIENCE, wait_until

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_solve_that_is_ended_saves_its_strategy(number: signal.Signals, tmp_path: Path) -> None:
    line = ("solve", "leduc", "-a", "cfr", "--iterations", "1e9")
    with OnScreen(*line, folder=tmp_path) as run:
        run.wait_for("exploitability")
        run.process.send_signal(number)
        code, out = run.rest()
    assert code == 130
    assert "Stopped early" in out
    assert rb.load(tmp_path / "leduc-stopped-0.rb").info["iterations"] > 0
    assert "Traceback" not in run.seen


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("match kuhn random random --hands 1e9", " hands"),
        ("blackjack simulate --rounds 1e11", " rounds"),
        ("train twentyone --games 1e11", " games"),
        ("casino --bots basic,random --rounds 1e9", " rounds"),
        ("mcts learn memory.rb --rounds 1e9 --simulations 10", " rounds"),
    ],
)
def test_what_was_played_until_sigterm_is_reported(line: str, shown: str, tmp_path: Path) -> None:
    with OnScreen(*line.split(), folder=tmp_path) as run:
        run.wait_for(shown)
        run.process.send_signal(signal.SIGTERM)
        code, out = run.rest()
    assert code == 130
    assert out
    assert "Traceback" not in run.seen


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("bots kuhn --training 10000000000 --hands 10", "training to"),
        ("equity AA KK QQ --method monte-carlo --samples 1e11", "counting deals"),
    ],
)
def test_a_loop_of_compiled_code_is_not_deaf(line: str, shown: str, tmp_path: Path) -> None:
    with OnScreen(*line.split(), folder=tmp_path) as run:
        run.wait_for(shown)
        run.process.send_signal(signal.SIGTERM)
        code, _ = run.rest()
    assert code == 130
    assert "stopped." in run.seen


def test_a_picture_of_several_runs_ends_with_the_one_that_was_stopped(tmp_path: Path) -> None:
    """The other algorithms do not begin; what was found is drawn."""
    program = """
import os, signal
from riverboat.cli import plot
from riverboat.cli.main import run
usual, names, sent = plot.solve, [], []
def request(now):
    if not sent:
        sent.append(os.kill(os.getpid(), signal.SIGINT))
plot.solve = lambda game, **how: names.append(how["algorithm"]) or usual(
    game, progress=request, **how
)
try:
    run(["plot", "convergence", "kuhn", "--iterations", "1e9", "--out", "p.svg"])
except SystemExit as end:
    print(end.code, names)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout == "p.svg written\n130 ['cfr']\n", done.stderr
    assert (tmp_path / "p.svg").exists()


def test_an_interrupt_while_numba_loads_is_one_sentence(tmp_path: Path) -> None:
    """The signal comes from inside the import, at ten places of it."""
    program = """
import os, signal, sys
number = int(sys.argv[1])
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        global number
        if name.startswith(("numba", "llvmlite")):
            number -= 1
            if not number:
                os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
from riverboat.cli.main import run
run(["train", "twentyone", "--games", "1"])
"""
    for number in (1, 2, 5, 10, 20, 50, 100, 200):
        done = subprocess.run(
            [sys.executable, "-c", program, str(number)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode in (0, 130)
        assert "Traceback" not in done.stderr, (number, done.stderr)
        assert done.returncode == 0 or "stop" in done.stderr.lower(), number


def test_json_of_a_stopped_run_says_so(tmp_path: Path) -> None:
    line = ("solve", "leduc", "-a", "cfr", "--iterations", "1e9", "--out", "x.rb", "--json")
    environment = {**os.environ, "RIVERBOAT_AUTOSAVE": "0"}
    with subprocess.Popen(
        [sys.executable, "-m", "riverboat", *line],
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        text=True,
        env=environment,
    ) as process:
        wait_until((tmp_path / "x.rb").exists)
        process.terminate()
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert json.loads(out)["stopped"] is True


def test_work_of_unknown_length_is_named_on_the_screen_and_leaves_no_trace() -> None:
    program = (
        "from riverboat.cli.bars import waiting\n"
        "with waiting('drawing'):\n    input()\nprint('a.svg written')\n"
        "with waiting('a moment'):\n    pass\n"
    )
    screen, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
    ) as process:
        os.close(terminal)
        seen = ""
        while "drawing" not in seen:
            seen += os.read(screen, 4096).decode()
        out, _ = process.communicate("\n", timeout=PATIENCE)
    assert out == "a.svg written\n"
    assert "a moment" not in os.read(screen, 100_000).decode()
    os.close(screen)


@pytest.mark.parametrize("ignored", ["", "signal.signal(signal.SIGINT, signal.SIG_IGN)"])
def test_an_interrupt_inside_a_destructor_is_not_lost(ignored: str) -> None:
    """Python ignores what `__del__` raises; `nohup` ignores SIGINT from the start."""
    program = f"""
import os, signal
from riverboat.cli.startup import keep_interrupts
from riverboat.runtime.stopping import interrupt_on_terminate
{ignored}
class Last:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(1000):
            pass
keep_interrupts()
with interrupt_on_terminate():
    try:
        last = Last()
        del last
        while True:
            pass
    except KeyboardInterrupt:
        print("interrupted")
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout == "interrupted\n", done.stderr
    assert not done.stderr
