"""The house keeps its shape: the rules of tools/house.py hold."""

from house import read_house

HOUSE = read_house()


def test_imports_make_no_cycle_and_point_upwards_only() -> None:
    assert HOUSE.cycles() == []
    assert HOUSE.upward == []


def test_imports_stay_inside_their_part() -> None:
    assert HOUSE.inside >= 0.7


def test_no_file_name_occurs_twice_and_no_module_is_too_long() -> None:
    assert HOUSE.twice == []
    assert HOUSE.long == []
