"""`riverboat demo`: the facts of Kuhn and Leduc as plain text, and a picture that fits."""

from __future__ import annotations

import re

import pytest
from rich.console import Console

from commands import Command
from riverboat.cli import demo


def test_cfr_learns_the_bluff_and_the_king_s_rate() -> None:
    """Kuhn 1950: the jack bets alpha in [0, 1/3], the king 3 alpha, the value is -1/18."""
    first, *_, last = demo.lessons(demo.MILESTONES)
    assert (first.jack, first.king) == (0.5, 0.5)
    assert 0 < last.jack <= 1 / 3
    assert last.king == pytest.approx(3 * last.jack, rel=1e-3)
    assert last.value == pytest.approx(-1 / 18, abs=1e-5)
    assert last.exploitability < 1e-4 < first.exploitability


def test_plain_text_where_there_is_no_terminal(command: Command) -> None:
    answer = command("demo")
    assert answer.code == 0
    assert "\x1b" not in answer.out
    assert "\r" not in answer.out
    assert not re.search(" $", answer.out, re.M)
    rows = re.findall(r"^ *([\d,]+) +(\S+e-\d+) +([\d.]+)% +([\d.]+)% +(\S+)$", answer.out, re.M)
    assert [row[0] for row in rows] == ["1", "10", "100", "1,000", "10,000", "100,000"]
    gaps = [float(row[1]) for row in rows]
    assert gaps == sorted(gaps, reverse=True)
    assert re.search(r"OpenSpiel, CFR in C\+\+ +1,000 +4\.9e-04", answer.out)
    ours = re.findall(r"Riverboat, .*? +[\d.]+ +(\S+)$", answer.out, re.M)
    assert len(ours) == 2
    assert all(float(gap) <= demo.OPENSPIEL.exploitability for gap in ours)
    assert "riverboat play kuhn --hint" in answer.out


@pytest.mark.parametrize("width", [60, 120])
@pytest.mark.parametrize("plain", [False, True])
def test_a_picture_fits_the_terminal(width: int, plain: bool) -> None:
    seen = list(demo.lessons(demo.frame_marks(20)))
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(demo.picture(seen, width, plain=plain))
    lines = capture.get().splitlines()
    assert len(lines) == demo.AXIS_ROWS + 6  # nothing wraps
    assert max(map(len, lines)) <= width
    assert not plain or capture.get().isascii()


def test_ctrl_c_ends_the_live_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo.time, "sleep", interrupt)
    console = Console(force_terminal=True, width=60)
    with console.capture() as capture, pytest.raises(KeyboardInterrupt):
        demo._learn_live(console)
    assert "\x1b[?25h" in capture.get()  # the cursor is shown again
