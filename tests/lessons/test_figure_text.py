"""Figures as text: letters where the figure has them, lines as dots, fills as colours."""

import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from riverboat.cli.figure_text import figure_lines


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
