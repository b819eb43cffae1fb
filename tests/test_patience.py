"""No test fails because a machine is slow: waits are for conditions, with PATIENCE as the limit."""

import ast
from pathlib import Path

from waiting import PATIENCE

WAITS = {"communicate", "create_connection", "get", "join", "result", "settimeout", "wait"}


def short_waits(path: Path) -> list[str]:
    """Calls that wait for fewer seconds than PATIENCE, as "file:line"."""
    found = []
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call):
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        limits = [word.value for word in call.keywords if word.arg == "timeout"]
        if name in WAITS - {"get", "create_connection"}:
            limits += call.args[:1]
        for limit in limits:
            seconds = limit.value if isinstance(limit, ast.Constant) else None
            # Less is the pause of a loop that looks again.
            if isinstance(seconds, int | float) and 0.1 <= seconds < PATIENCE:
                found.append(f"{path.name}:{call.lineno}")
    return found


def test_no_test_waits_less_than_patience() -> None:
    files = sorted(Path(__file__).parent.rglob("*.py"))
    assert [place for path in files for place in short_waits(path)] == []
