"""The README's tour runs as it stands."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_the_tour_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tour,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    lines = [line for line in tour.splitlines() if line.strip()]
    assert len(lines) <= 15
    assert [line for line in lines if "import" in line] == ["import riverboat as rb"]
    exec(compile(tour, "README.md", "exec"), {})
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("{'c': ")
    assert out[1].startswith("<Evaluation value -0.085606 +0.085606")  # Leduc's known value
    assert out[2].startswith("<MatchLog leduc, 2,000 hands: ")
    assert out[3].startswith("<Strategy leduc")
    assert "hit -0.53" in out[4]
    assert out[5] == "<Equity AsAh 90.00%, KdKc 10.00% on QsJh2d, exact>"  # 99 of 990 have a king
    assert out[6].startswith("<QTable twentyone")
    assert [path.name for path in tmp_path.iterdir()] == ["leduc.rb"]


def test_the_two_commands_and_the_picture_are_there() -> None:
    assert "make demo" in README
    assert "make test" in README
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (Path(__file__).parent.parent / target).exists(), target
