"""From a plain `pip install .`, without extras, the commands work and ask for extras by name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from examples import ROOT

pytestmark = pytest.mark.e2e

QUICK = (
    "--version",
    "games",
    "rank As Ks Qs Js Ts",
    "solve kuhn --out kuhn.rb",
    "show kuhn.rb",
    "match kuhn kuhn.rb random --hands 100",
    "blackjack hand T,6 --up 10",
    "acpc game nolimit-2p",
    "holdem show",
)
"""Commands with no wish for more; `holdem show` reads the blueprint that comes in the package."""
EXTRAS = {
    "web --no-open --port 0": "pip install 'fastapi",
    "solve kuhn --plot curve.svg": "pip install 'matplotlib",
    "solve leduc --device cuda": "pip install 'cupy",
    "match openspiel:kuhn_poker random random --hands 10": "pip install 'open_spiel",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a fresh environment; skipped where nothing can be downloaded."""
    place = tmp_path_factory.mktemp("plain") / "venv"
    subprocess.run([sys.executable, "-m", "venv", place], check=True, timeout=300)
    scripts = place / ("Scripts" if sys.platform == "win32" else "bin")
    installed = subprocess.run(
        [scripts / "python", "-m", "pip", "install", "--quiet", ROOT],
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    if installed.returncode:
        pytest.skip(f"pip cannot install here: {installed.stderr[-200:]}")
    return scripts / "riverboat"


def answer(program: Path, line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(
        [program, *line.split()],
        cwd=folder,
        env=clean,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=600,
        check=False,
    )


@pytest.mark.slow
def test_commands_work_without_extras(program: Path, tmp_path: Path) -> None:
    for line in QUICK:
        found = answer(program, line, tmp_path)
        assert found.returncode == 0, f"{line}: {found.stderr}"
        assert found.stdout


@pytest.mark.slow
@pytest.mark.parametrize("line", EXTRAS)
def test_extras_are_asked_for_by_the_right_words(program: Path, line: str, tmp_path: Path) -> None:
    found = answer(program, line, tmp_path)
    assert found.returncode == 2, found.stderr
    assert EXTRAS[line] in found.stderr
    assert found.stderr.count("\n") == 1
