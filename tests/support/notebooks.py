"""Run a notebook's cells as a kernel would, and lay out what they show as one HTML page.

python tests/support/notebooks.py docs/tour.ipynb tour.html
"""

from __future__ import annotations

import ast
import html
import json
import sys
from pathlib import Path
from typing import Any


def run_notebook(path: Path) -> list[tuple[str, object]]:
    """Each code cell with the value of its last line, None where it has none."""
    cells = json.loads(path.read_text())["cells"]
    space: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for cell in cells:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            shown.append((source, _run(source, str(path), space)))
    return shown


def _run(source: str, name: str, space: dict[str, Any]) -> object:
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec", dont_inherit=True), space)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    expression = compile(ast.Expression(last.value), name, "eval", dont_inherit=True)
    value: object = eval(expression, space)
    return value


def page(shown: list[tuple[str, object]]) -> str:
    """The cells and what they show."""
    parts = ["<!doctype html><meta charset='utf-8'><body style='font-family:sans-serif'>"]
    for source, value in shown:
        parts.append(f"<pre style='background:#eee;padding:6px'>{html.escape(source)}</pre>")
        rich = getattr(value, "_repr_html_", None)
        if rich is not None:
            parts.append(rich())
        elif value is not None:
            parts.append(f"<pre>{html.escape(repr(value))}</pre>")
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(page(run_notebook(Path(sys.argv[1]))))
