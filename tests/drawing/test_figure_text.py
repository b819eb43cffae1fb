"""Figures as text: letters where the figure has them, lines as dots, fills as colours."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from riverboat.drawing.figure_text import figure_frames, figure_lines


def drawn(width: int = 60, *, colour: bool = False) -> list[str]:
    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="#ff0000", linewidth=2)
    axes.bar([0.5], [0.5], color="#0000ff", width=0.2)
    axes.set(title="A title", xlabel="across", ylabel="up", xscale="linear")
    lines = figure_lines(figure, width, colour=colour)
    if colour:
        return [span.style for line in lines for span in line.spans]  # type: ignore[misc]
    return [line.plain for line in lines]


def test_letters_lines_and_fills_are_there() -> None:
    lines = drawn()
    text = "\n".join(lines)
    assert "A title" in lines[0]
    assert "across" in lines[-1]
    assert sum("\u2800" < sign <= "\u28ff" for sign in text) > 15
    assert any(shade in text for shade in "░▒▓█")
    assert max(map(len, lines)) <= 60
    assert 25 <= len(lines) * 2 <= 32  # 60 columns by half of that, and a character is 1 : 2


def test_colours_are_those_of_the_figure() -> None:
    styles = {str(style) for style in drawn(colour=True)}
    assert "#ff0000" in styles
    assert any(style.endswith("on #0000ff") for style in styles)


@pytest.mark.parametrize("width", [1, 20, 33, 500])
def test_any_width_is_kept_within_bounds(width: int) -> None:
    assert max(map(len, drawn(width))) <= max(20, min(width, 72))


def test_powers_of_ten_are_readable_and_the_figure_is_left_as_it_was() -> None:
    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.add_subplot()
    axes.loglog([1, 1000], [1e-4, 1])
    before = figure.get_dpi(), [text.get_visible() for text in figure.findobj()]
    text = "\n".join(line.plain for line in figure_lines(figure, 70))
    assert "1e3" in text
    assert "1e-4" in text
    assert "1e5" not in text  # a label beyond the axis is not drawn
    assert (figure.get_dpi(), [text.get_visible() for text in figure.findobj()]) == before


def test_curves_are_drawn_bit_by_bit_and_end_whole() -> None:
    figure = Figure(figsize=(6, 3))
    axes = figure.add_subplot()
    (line,) = axes.plot(range(50), range(50), linewidth=3)
    axes.plot([0, 49], [49, 0], linewidth=3)  # two points do not move
    frames = [
        "\n".join(text.plain for text in frame) for frame in figure_frames(figure, 60, frames=5)
    ]
    dots = [sum("\u2800" < sign <= "\u28ff" for sign in frame) for frame in frames]
    assert len(frames) == 5
    assert dots == sorted(dots)
    assert dots[0] < dots[-1]
    assert frames[-1] == "\n".join(text.plain for text in figure_lines(figure, 60))
    assert np.size(line.get_xdata()) == 50
    still = Figure(figsize=(6, 3))
    still.add_subplot().bar([1, 2], [3, 4])
    assert len(list(figure_frames(still, 60))) == 1
