"""What axe-core finds wrong with a page, for people who cannot see it or cannot use a mouse."""

from functools import lru_cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data" / "axe"
SERIOUS = ("serious", "critical")


@lru_cache(maxsize=1)
def _source() -> str:
    return (DATA / "axe-4.14.0.min.js").read_text()


def serious_findings(page: Any) -> list[str]:
    """Rule and element of each serious finding on a page as it is now."""
    page.evaluate(_source())
    violations = page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{rule['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
        for rule in violations
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]
