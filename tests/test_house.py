"""The house keeps its shape: the rules of tools/house.py hold."""

import pytest

from house import read_house

HOUSE = read_house()


@pytest.mark.parametrize("rule", HOUSE.rules())
def test_the_house_keeps_its_rules(rule: str) -> None:
    assert HOUSE.rules()[rule] == []
