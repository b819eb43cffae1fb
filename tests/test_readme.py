"""The README's tour runs as it stands."""

import re
from pathlib import Path

import pytest

from terminal_session import draw, lay_out, record

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


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


def test_the_first_screen_has_what_it_is_two_pictures_a_line_to_install_and_three_numbers() -> None:
    first = README.split("\n\n")[1]
    assert len(re.findall(r"[.!?](?=\s|\*\*|$)", first)) == 2  # what it is, in two sentences
    screen = README.partition("\n## ")[0]
    assert "docs/images/web/spot.png" in screen
    assert "docs/images/play-kuhn.svg" in screen
    (block,) = re.findall(r"```sh\n(.*?)```", screen, re.S)
    assert block.splitlines() == ["pip install . && riverboat demo"]
    commands = re.findall(r"\| `(python benchmarks/\S+.*?)` \|", screen)
    performance = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert len(commands) == 3
    assert all(f"`{command}`" in performance for command in commands)
    assert all(f"{times}×" in performance for times in re.findall(r"([\d.,]+)×", screen))


def test_the_session_in_the_terminal_is_what_the_program_says() -> None:
    kept = (ROOT / "docs" / "images" / "play-kuhn.svg").read_text(encoding="utf-8")
    assert kept == draw(*lay_out(record()))
    assert "<script" not in kept


def test_links_and_pictures_are_there() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", README) + re.findall(r'src(?:set)?="([^"]+)"', README)
    assert len(targets) > 10
    for target in targets:
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_picture_is_the_program_s_own(theme: str) -> None:
    """Drawn anew it says the same; digits of places may differ between versions of Matplotlib."""
    from riverboat import pictures

    kept = (ROOT / "docs" / "images" / f"why-the-jack-bluffs-{theme}.svg").read_text()
    drawn = pictures.picture_bytes(pictures.kuhn_family(theme=theme)).decode()
    words = r">([^<>\n]+)</text>"
    assert re.findall(words, kept) == re.findall(words, drawn)
