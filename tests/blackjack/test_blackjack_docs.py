"""The Python of the blackjack pages runs as it stands."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["blackjack.md", "blackjack_simulation.md"])
def test_the_python_of_a_page_runs(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(block.replace("10_000_000", "100_000"), names)
