"""A recorded session in a terminal as an animated SVG: `make screenshots` draws it.

The command runs with the keys as its input, and what it prints is cut at its prompts. Lines appear
by CSS animations, so that the picture moves inside `<img>`, without a script, in light and dark.
Where a reader asked for less motion it stands still.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path

WORDS = ("play", "kuhn", "--hint", "--seed", "3")
KEYS = ("b", "b", "b", "q")
COLUMNS, ROWS = 74, 19
FONT, LINE, LEFT, TOP = 14, 20, 16, 44
ADVANCE = 8.43
"""Width of a letter at that size in the usual fixed-width fonts."""
READING, TYPING, NEXT = 2.6, 0.5, 0.22
"""Seconds: to read before a key is pressed, after it, and from line to line."""
END = 4.0
CLASSES = {"1": "b", "2": "d", "31": "r", "32": "g", "36": "c"}
"""Colour of the terminal → class in the picture."""
CODE = re.compile(r"\x1b\[([0-9;]*)m")
PROMPT = "[q] leave > "
STYLE = """
.s{fill:#fcfbf8;stroke:#d9d5cb}.t{fill:#8a8578}
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;
white-space:pre;fill:#1f2a2e}.b{font-weight:700}.d{fill:#7b8387}.c{fill:#0b6f78}.g{fill:#2e7d32}
.r{fill:#b3362b}.k{fill:#c05a12;font-weight:700}
@media(prefers-color-scheme:dark){.s{fill:#15191c;stroke:#333a3f}.t{fill:#8b9499}
text{fill:#dfe5e7}.d{fill:#8b9499}.c{fill:#6fc7cf}.g{fill:#82c785}.r{fill:#f08d80}.k{fill:#f0a35e}}
@media(prefers-reduced-motion:reduce){*{animation:none!important}}
"""


@dataclass(frozen=True)
class Piece:
    """Words that appear together, in one line."""

    time: float
    row: int
    column: int
    spans: tuple[tuple[str, str], ...]  # Class and words


def record() -> str:
    """What the command prints, with its colours."""
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    line = [sys.executable, "-m", "riverboat", *WORDS]
    done = subprocess.run(
        line,
        input="".join(f"{key}\n" for key in KEYS),
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.rpartition("\x1b[2K")[2]  # the bar that was there while it solved


def lay_out(printed: str) -> tuple[list[Piece], float]:
    """The pieces with their times and places, and the length of the whole."""
    command = f"riverboat {' '.join(WORDS)}"
    pieces = [Piece(0.0, 0, 0, (("t", "$ "), ("b", command)))]
    time, row = 1.0, 1
    keys = iter(KEYS)
    for part in re.split(f"(?<={re.escape(PROMPT)})", printed):
        lines = part.split("\n")
        if not part.endswith(PROMPT) and not lines[-1]:
            lines.pop()
        for line in lines:
            spans = _spans(line.rstrip() if not line.endswith(PROMPT) else line)
            if spans:
                pieces.append(Piece(time, row, 0, spans))
                time += NEXT
            row += 1
        if part.endswith(PROMPT):
            time += READING
            column = len(CODE.sub("", lines[-1]))
            pieces.append(Piece(time, row - 1, column, (("k", next(keys)),)))
            time += TYPING
    return pieces, time + END


def _spans(line: str) -> tuple[tuple[str, str], ...]:
    found, style = [], ""
    for number, part in enumerate(CODE.split(line)):
        if number % 2:
            style = CLASSES.get(part, "")
        elif part:
            found.append((style, part))
    return tuple(found)


def draw(pieces: list[Piece], seconds: float) -> str:
    """The animated picture."""
    width, height = round(2 * LEFT + COLUMNS * ADVANCE), TOP + ROWS * LINE + 12
    rules, texts = [STYLE.replace("\n", "")], []
    for number, piece in enumerate(pieces):
        x, y = LEFT + piece.column * ADVANCE, TOP + FONT + piece.row * LINE
        words = "".join(
            f'<tspan class="{style}">{escape(part)}</tspan>' if style else escape(part)
            for style, part in piece.spans
        )
        start = 100 * piece.time / seconds
        moved = f' style="animation:a{number} {seconds:.2f}s infinite step-end"' if number else ""
        texts.append(f'<text x="{x:.1f}" y="{y}" xml:space="preserve"{moved}>{words}</text>')
        if number:
            rules.append(f"@keyframes a{number}{{0%{{opacity:0}}{start:.2f}%{{opacity:1}}}}")
    stops, last = ["0%{transform:none}"], 0
    for piece in pieces:
        up = max(0, piece.row + 1 - ROWS)
        if up > last:
            at = 100 * piece.time / seconds
            stops.append(f"{at:.2f}%{{transform:translateY({-up * LINE}px)}}")
            last = up
    rules.append(f"@keyframes up{{{''.join(stops)}}}")
    title = f"riverboat {' '.join(WORDS)}"
    dots = "".join(f'<circle class="t" cx="{20 + 16 * i}" cy="20" r="4.5"/>' for i in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}"'
        f' role="img"><title>{title}: three hands of Kuhn poker, every move priced</title>'
        f"<style>{''.join(rules)}</style>"
        f'<rect class="s" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="9"/>{dots}'
        f'<clipPath id="w"><rect y="{TOP}" width="{width}" height="{ROWS * LINE + 4}"/>'
        "</clipPath>"
        f'<g clip-path="url(#w)"><g style="animation:up {seconds:.2f}s infinite step-end">'
        f"{''.join(texts)}</g></g></svg>\n"
    )


def draw_session(path: Path) -> None:
    """Record the session and write the picture."""
    path.write_text(draw(*lay_out(record())), encoding="utf-8")


if __name__ == "__main__":
    draw_session(Path(sys.argv[1]))
