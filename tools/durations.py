"""`make durations`: write tests/seconds.md, how long the tests of each file take.

    python tools/durations.py build/tests/quick.xml build/tests/browser.xml build/tests/e2e.xml

Each file is pytest's --junitxml of one target and is named after it.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
OUT = ROOT / "tests" / "seconds.md"
HEAD = """# Seconds by test file

Written by `make durations` after `make test`, `make test-browser` and `make test-e2e`. Seconds of
each process, set-up included; several run at once. In all: {sums}.

| seconds | target | file |
|---:|---|---|
"""


def file_of(classname: str) -> str:
    """The file of a test case: tests.web.test_guard.TestX → tests/web/test_guard.py."""
    parts = classname.split(".")
    while parts and not (ROOT / "/".join(parts)).with_suffix(".py").exists():
        parts.pop()
    return "/".join(parts) + ".py" if parts else classname


def read(report: Path) -> dict[str, float]:
    """Seconds by file, set-up and tear-down included."""
    seconds: dict[str, float] = defaultdict(float)
    for case in ElementTree.parse(report).iter("testcase"):
        seconds[file_of(case.get("classname", ""))] += float(case.get("time", 0))
    return seconds


def page(found: dict[str, dict[str, float]]) -> str:
    """The sums and a table, the slowest file first, from target → file → seconds."""
    sums = ", ".join(f"{target} {sum(files.values()):,.0f} s" for target, files in found.items())
    rows = [(spent, target, file) for target in found for file, spent in found[target].items()]
    rows.sort(key=lambda row: (-row[0], row[1:]))
    return HEAD.format(sums=sums) + "".join(
        f"| {spent:.1f} | {target} | `{file}` |\n" for spent, target, file in rows
    )


def main() -> int:
    """Write the page from the reports that the command line names."""
    reports = [Path(name) for name in sys.argv[1:]]
    if missing := [report for report in reports if not report.exists()]:
        print("Run the tests first; there is no", *missing, file=sys.stderr)
        return 1
    OUT.write_text(page({report.stem: read(report) for report in reports}), encoding="utf-8")
    print(OUT.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
