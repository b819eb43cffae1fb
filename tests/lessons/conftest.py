"""Lessons that were run, each once."""

from functools import cache
from typing import Any

import pytest

from riverboat.lessons.notebook import Desk
from riverboat.lessons.texts import find_lesson


@cache
def _names(name: str) -> dict[str, Any]:
    desk = Desk()
    for cell in find_lesson(name).cells:
        assert desk.run(cell).error == "", cell.code
    return desk.names


@pytest.fixture
def names(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What the cells of the lesson named by the test's `lesson` mark leave behind."""
    found: dict[str, Any] = _names(request.param)
    return found
