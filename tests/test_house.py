"""The house keeps its shape: the rules of tools/house.py hold."""

import pytest

from house import read_house

HOUSE = read_house()
PENDING = (
    "no imports upward",
    "no module entered",
    "doors exist",
    "no class name twice",
    "no module below",
    "one run",
    "SVG and HTML",
    "processes are started",
)


@pytest.mark.parametrize("rule", [r for r in HOUSE.rules() if not r.startswith(PENDING)])
def test_the_house_keeps_its_rules(rule: str) -> None:
    assert HOUSE.rules()[rule] == []
