"""The README's tour runs as it stands."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_the_tour_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (tour,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert sum(bool(line.strip()) for line in tour.splitlines()) <= 15
    exec(compile(tour, "README.md", "exec"), {})
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("{'c': ")
    assert 0 <= float(out[1]) <= 1e-3
    assert out[2].startswith("+")


def test_the_two_commands_and_the_picture_are_there() -> None:
    assert "make demo" in README
    assert "make test" in README
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (Path(__file__).parent.parent / target).exists(), target
