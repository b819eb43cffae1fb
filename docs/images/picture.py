"""Draw a terminal's real output as SVG: `python docs/images/picture.py OUT.svg TITLE COMMAND…`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

WIDTH = 80


def main(out: str, title: str, *command: str) -> None:
    environment = {
        **os.environ,
        "FORCE_COLOR": "1",
        "COLUMNS": str(WIDTH),
        "TERM": "xterm-256color",
    }
    text = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text))
    svg = console.export_svg(title=title, theme=SVG_EXPORT_THEME)
    # Rich names a font on the web; the reader's own fixed-width font will do.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")
    Path(out).write_text(svg)


if __name__ == "__main__":
    main(*sys.argv[1:])
